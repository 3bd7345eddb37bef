/* SPDX-License-Identifier: BSD-3-Clause */
/* A lane begins in a small ring, and goes on in a larger one when packets have gone round it
 * several times between two reviews and have found it full, or many credits that take long: not
 * before, with nothing lost or out of order, and with nothing but its page and its small ring where
 * there is no memory, or its receiver's lanes have what they may have. What a sender lies about is
 * refused.
 * Covers: ni/link/shm/grow.c ni/link/shm/area.c */

#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/fault_inl.h"
#include "base/random.h"
#include "link/shm/shm.h"
#include "shm_mock.h"

enum {
    RING = 64 << 10,
    SMALL = NI_SHM_RING_FIRST,
    LEAST = (4 << 10) + SMALL,
    BEGIN = 6,    /* packets until there is a lane, and in it */
    LAPS = 10,    /* that make it grow */
    RETRY = 1024, /* more of them */
    SENDERS = 12,
    FLOOD = 20000, /* packets of a thread */
    STEPS = 20000,
};

struct pair {
    struct mock from, to;
    struct ni_peer *peer;
    uint64_t sent;
};

static struct ni_lane_tx *tx_of(const struct pair *pair)
{
    return &pair->peer->ep->tx;
}

static uint32_t ring_of(const struct pair *pair)
{
    return (tx_of(pair)->mask + 1) * NI_LINE;
}

static void take_all(struct pair *pair)
{
    while (pair->to.received < pair->sent) {
        mock_progress(&pair->to);
    }
    CHECK(pair->to.received == pair->sent);
}

static uint64_t told(const struct mock *mock, size_t statistic)
{
    return ni_stat_get((const _Atomic uint64_t *)((const char *)&mock->stats + statistic));
}

#define TOLD(mock, field) told(mock, offsetof(struct ni_stats, field))

static ni_status send(struct pair *pair, uint32_t len)
{
    ni_status status = mock_send(pair->peer, len);

    pair->sent += status == NI_OK;
    return status;
}

static void connect_pair(struct pair *pair, struct mock *to)
{
    uint8_t blob[MOCK_BLOB];

    mock_open(&pair->from, 1, NULL);
    pair->peer = mock_connect(&pair->from, blob, mock_blob(to, blob));
}

static void open_pair(struct pair *pair)
{
    *pair = (struct pair){0};
    mock_open(&pair->to, 2, NULL);
    connect_pair(pair, &pair->to);
    for (unsigned i = 0; i < BEGIN; i++) {
        CHECK(send(pair, 16) == NI_OK);
        take_all(pair);
    }
    CHECK(tx_of(pair)->lines != NULL && ring_of(pair) == SMALL);
}

static void close_pair(struct pair *pair)
{
    mock_close(&pair->from);
    mock_close(&pair->to);
}

/* Fill the lane and empty it, so many times. */
static void fill(struct pair *pair, unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        while (send(pair, 16 + i % 3 * 500) == NI_OK) {
        }
        take_all(pair);
    }
}

/* Send until the lane is one that is to grow. */
static void make_busy(struct pair *pair)
{
    fill(pair, 1);
    while ((int32_t)(tx_of(pair)->head - tx_of(pair)->busy_at) < 0) {
        CHECK(send(pair, 16) == NI_OK);
        take_all(pair);
    }
}

static void grow(struct pair *pair)
{
    make_busy(pair);
    fill(pair, 1);
}

static void review(struct pair *pair)
{
    pair->peer->ep->ops->review(pair->peer->ep, ni_now_ns());
}

static void test_small_while_quiet(void)
{
    struct pair pair;
    uint64_t before;

    open_pair(&pair);
    before = TOLD(&pair.to, shm_bytes);
    for (unsigned i = 0; i < 5000; i++) {
        if (i % 40 == 0) { /* packets of half a lap at most */
            review(&pair);
        }
        CHECK(send(&pair, 16 + i % 2000) == NI_OK);
        take_all(&pair);
    }
    review(&pair);
    for (uint32_t begin = tx_of(&pair)->head;
         tx_of(&pair)->head - begin < LAPS * (SMALL / NI_LINE) - 1;) {
        CHECK(send(&pair, 16) == NI_OK);
        take_all(&pair);
    }
    CHECK(ring_of(&pair) == SMALL && TOLD(&pair.to, rings_grown) == 0);
    CHECK(TOLD(&pair.to, shm_bytes) == before);
    close_pair(&pair);
}

/* While it is never full and credits come fast a larger ring would gain nothing. */
static void test_small_while_near(void)
{
    struct pair pair;

    mock_param("far_ns", "1000000");
    open_pair(&pair);
    for (unsigned i = 0; i < 20000; i++) {
        CHECK(send(&pair, 16) == NI_OK);
        take_all(&pair);
    }
    CHECK(ring_of(&pair) == SMALL);
    fill(&pair, 2);
    CHECK(ring_of(&pair) == RING);
    close_pair(&pair);
    mock_param("far_ns", "0");
}

/* While it is never full, and credits take long, a larger ring gains little: in the long run. */
static void test_small_for_long(void)
{
    struct pair pair;
    uint32_t begin, laps = 0;

    open_pair(&pair);
    for (begin = tx_of(&pair)->head; ring_of(&pair) == SMALL && laps < 100 * LAPS;) {
        CHECK(send(&pair, 16) == NI_OK);
        take_all(&pair);
        laps = (tx_of(&pair)->head - begin) / (SMALL / NI_LINE);
    }
    CHECK(ring_of(&pair) == RING && laps > 5 * LAPS);
    close_pair(&pair);
}

/* Bursts, each of them shorter than what makes it grow, that find it full. */
static void test_bursts(void)
{
    struct pair pair;

    mock_param("far_ns", "1000000");
    open_pair(&pair);
    for (unsigned burst = 0; burst <= LAPS + 1; burst++) {
        fill(&pair, 1);
        review(&pair);
        review(&pair);
    }
    CHECK(ring_of(&pair) == RING);
    close_pair(&pair);
    mock_param("far_ns", "0");
}

/* However often who waits asks. */
static void test_waits(void)
{
    struct pair pair;

    open_pair(&pair);
    while (send(&pair, 16) == NI_OK) {
    }
    for (unsigned i = 0; i < 1000; i++) {
        CHECK(send(&pair, 16) == NI_AGAIN);
    }
    take_all(&pair);
    CHECK(ring_of(&pair) == SMALL);
    close_pair(&pair);
}

static void test_grows(void)
{
    struct pair pair;
    uint64_t before, sent;

    open_pair(&pair);
    before = TOLD(&pair.to, shm_bytes);
    grow(&pair);
    CHECK(ring_of(&pair) == RING && TOLD(&pair.to, rings_grown) == 1);
    CHECK(TOLD(&pair.to, shm_bytes) == before + RING);
    sent = pair.sent;
    while (send(&pair, 16) == NI_OK) {
    }
    CHECK(pair.sent - sent == RING / NI_LINE - 1);
    take_all(&pair);
    fill(&pair, 100);
    CHECK(TOLD(&pair.to, rings_grown) == 1 && TOLD(&pair.from, lanes_limited) == 0);
    close_pair(&pair);
}

/* The sender goes on, and tries again after long. */
static void test_sender_has_no_memory(void)
{
    struct pair pair;

    open_pair(&pair);
    make_busy(&pair);
    ni_fault_arm(NI_FAULT_ALLOC, 1, 1);
    fill(&pair, 1);
    CHECK(ni_fault_struck(NI_FAULT_ALLOC) == 1);
    fill(&pair, RETRY - 10);
    CHECK(ni_fault_struck(NI_FAULT_ALLOC) == 1 && TOLD(&pair.from, lanes_limited) == 1);
    ni_fault_reset();
    CHECK(ring_of(&pair) == SMALL);
    grow(&pair);
    CHECK(ring_of(&pair) == RING && TOLD(&pair.to, rings_grown) == 1);
    close_pair(&pair);
}

/* Until the lane is busy enough, and what follows that it grows lies in it. */
static void grow_unseen(struct pair *pair)
{
    make_busy(pair);
    while (send(pair, 16) == NI_OK && ring_of(pair) == SMALL) {
    }
    CHECK(ring_of(pair) == RING);
}

/* The receiver takes what was in the small ring, and the rest when it has memory. */
static void test_receiver_has_no_memory_now(void)
{
    struct ni_shm_segment *segment;
    struct pair pair;
    uint64_t seen;

    open_pair(&pair);
    grow_unseen(&pair);
    segment = ((struct ni_shm_link *)(void *)pair.to.link)->segment;
    /* As if the sender had allocated nothing. */
    ni_container_of(segment->areas.next, struct ni_shm_area, list)->ring_held = false;
    ni_fault_arm(NI_FAULT_ALLOC, 1, 1);
    for (unsigned i = 0; i < 100; i++) {
        mock_progress(&pair.to);
    }
    seen = pair.to.received;
    CHECK(ni_fault_struck(NI_FAULT_ALLOC) >= 90 && seen < pair.sent && seen > pair.sent - 10);
    CHECK(TOLD(&pair.to, rings_grown) == 0);
    ni_fault_reset();
    take_all(&pair);
    CHECK(TOLD(&pair.to, rings_grown) == 1);
    fill(&pair, 3);
    close_pair(&pair);
}

/* It does not try for ever. */
static void test_receiver_never_has_memory(void)
{
    struct ni_shm_segment *segment;
    struct pair pair;

    mock_param("memory_wait_ms", "20");
    open_pair(&pair);
    grow_unseen(&pair);
    segment = ((struct ni_shm_link *)(void *)pair.to.link)->segment;
    ni_container_of(segment->areas.next, struct ni_shm_area, list)->ring_held = false;
    ni_fault_arm(NI_FAULT_ALLOC, 1, 1);
    while (pair.to.peers->downs == 0) {
        mock_progress(&pair.to);
    }
    ni_fault_reset();
    CHECK(pair.to.peers->down == NI_ERR_NOMEM);
    close_pair(&pair);
    mock_param("memory_wait_ms", "10000");
}

/* A lane has one larger ring. */
static void test_lies(void)
{
    struct pair pair;

    open_pair(&pair);
    grow(&pair);
    CHECK(ring_of(&pair) == RING);
    ni_lane_at(tx_of(&pair))->word1 = 0;
    ni_lane_commit(tx_of(&pair), ni_packet_word0(0, NI_PACKET_NOP, NI_LINE, NI_NOP_RING), 1);
    mock_progress(&pair.to);
    CHECK(pair.to.malformed == 1 && TOLD(&pair.to, rings_grown) == 1);
    close_pair(&pair);
    /* None where the first is as large as they may be. */
    mock_param("shm_ring_size", "8K");
    open_pair(&pair);
    fill(&pair, 3 * LAPS);
    CHECK(ring_of(&pair) == SMALL && TOLD(&pair.from, lanes_limited) == 0);
    ni_lane_at(tx_of(&pair))->word1 = 0;
    ni_lane_commit(tx_of(&pair), ni_packet_word0(0, NI_PACKET_NOP, NI_LINE, NI_NOP_RING), 1);
    mock_progress(&pair.to);
    CHECK(pair.to.malformed == 1 && TOLD(&pair.to, rings_grown) == 0);
    close_pair(&pair);
    mock_param("shm_ring_size", "64K");
}

/* Packets of any length, turns of any length; the mock sees whether all is there and in order. */
static void test_traces(void)
{
    struct ni_rng rng = {0};

    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct pair pair;
        uint64_t most = 1;

        ni_rng_seed(&rng, seed);
        open_pair(&pair);
        for (unsigned step = 0; step < STEPS; step++) {
            if (step % 1000 == 0) {
                most = UINT64_C(1) << ni_rng_below(&rng, 8);
            }
            if (ni_rng_below(&rng, most) != 0) {
                (void)send(&pair, 16 + (uint32_t)ni_rng_below(&rng, most * 16));
            } else {
                mock_progress(&pair.to);
            }
        }
        take_all(&pair);
        CHECK(ring_of(&pair) == RING && TOLD(&pair.to, rings_grown) == 1);
        close_pair(&pair);
    }
}

/* All lanes of a receiver together have what they may have, and each at least its small ring. */
static void test_bound(void)
{
    static struct pair pairs[SENDERS];
    static struct mock to;
    uint64_t base, held, limited = 0, sent = 0;

    mock_param("shm_lanes_size", "512K");
    memset(pairs, 0, sizeof(pairs));
    memset(&to, 0, sizeof(to));
    mock_open(&to, 2, NULL);
    base = TOLD(&to, shm_bytes);
    for (unsigned round = 0; round < 30; round++) {
        for (unsigned i = 0; i < SENDERS; i++) {
            if (round == 0) {
                connect_pair(&pairs[i], &to);
            }
            for (unsigned n = 0; send(&pairs[i], round % 2 == 0 ? 16 : 3000) == NI_OK; n++) {
                if (round == 0 && n < BEGIN) {
                    mock_progress(&to);
                }
            }
            sent = 0;
            for (unsigned k = 0; k < SENDERS; k++) {
                sent += pairs[k].sent;
            }
            while (to.received < sent) {
                mock_progress(&to);
            }
        }
    }
    held = TOLD(&to, shm_bytes) - base;
    for (unsigned i = 0; i < SENDERS; i++) {
        limited += TOLD(&pairs[i].from, lanes_limited);
        CHECK(tx_of(&pairs[i])->lines != NULL);
    }
    /* Blobs lie there, too. */
    CHECK(limited != 0 && held <= (512 << 10) + (4 << 10) + SENDERS * LEAST && held > 400 << 10);
    for (unsigned i = 0; i < SENDERS; i++) {
        mock_close(&pairs[i].from);
    }
    mock_close(&to);
    mock_param("shm_lanes_size", "16M");
}

static void *flood(void *arg)
{
    struct pair *pair = arg;

    for (unsigned i = 0; i < FLOOD; i++) {
        mock_send_all(pair->peer, 16 + i % 700);
    }
    return NULL;
}

/* Sender and receiver at once: no edge is missing (ThreadSanitizer). */
static void test_threads(void)
{
    static struct pair pair;
    pthread_t thread;

    memset(&pair, 0, sizeof(pair));
    mock_open(&pair.to, 2, NULL);
    connect_pair(&pair, &pair.to);
    CHECK(pthread_create(&thread, NULL, flood, &pair) == 0);
    while (pair.to.received < FLOOD) {
        mock_relax(&pair.to);
    }
    CHECK(pthread_join(thread, NULL) == 0);
    close_pair(&pair);
}

int main(void)
{
    mock_param("far_ns", "0"); /* credits take long */
    mock_param("shm_ring_size", "64K");
    mock_param("shm_bulk_size", "256K");
    test_small_while_quiet();
    test_small_while_near();
    test_small_for_long();
    test_bursts();
    test_waits();
    test_grows();
    test_sender_has_no_memory();
    test_receiver_has_no_memory_now();
    test_receiver_never_has_memory();
    test_lies();
    test_traces();
    test_bound();
    test_threads();
    return 0;
}
