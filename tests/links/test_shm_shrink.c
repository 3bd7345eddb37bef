/* SPDX-License-Identifier: BSD-3-Clause */
/* A lane gives back what it has grown to when nothing has gone through it for shm_keep_ms: its bulk
 * area and its larger ring each by itself, not before all was taken, and never what is used. It
 * gets them again, with nothing lost or changed, and others get them meanwhile.
 * Covers: ni/link/shm/shrink.c ni/link/shm/area.c */

#include <pthread.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/fault_inl.h"
#include "base/random.h"
#include "link/shm/shm.h"
#include "shm_mock.h"

enum {
    RING = 64 << 10,
    BULK = 256 << 10,
    SMALL = NI_SHM_RING_FIRST,
    PATIENCE = 11, /* times that a ring is full, at most, before it grows */
    KEEP_MS = 30,
    BEGIN = 6, /* packets until there is a lane, and in it */
    LONG = 60000,
    STEPS = 30000,
    TRIES = 20,
    BURSTS = 60,
    BURST = 150,
    GIVE_UP_S = 60,
};

struct pair {
    struct mock from;
    struct ni_peer *peer;
};

static struct mock to;
static uint64_t sent; /* to it, by all */

static struct ni_lane_tx *tx_of(const struct pair *pair)
{
    return &pair->peer->ep->tx;
}

static uint32_t ring_of(const struct pair *pair)
{
    return (tx_of(pair)->mask + 1) * NI_LINE;
}

static uint64_t told(const struct mock *mock, size_t statistic)
{
    return ni_stat_get((const _Atomic uint64_t *)((const char *)&mock->stats + statistic));
}

#define TOLD(mock, field) told(mock, offsetof(struct ni_stats, field))

static uint64_t held(void)
{
    return ni_shm_file_held(((struct ni_shm_link *)(void *)to.link)->segment);
}

static void take_all(void)
{
    while (to.received < sent) {
        mock_progress(&to);
    }
    CHECK(to.received == sent);
}

static ni_status send(struct pair *pair, uint32_t len)
{
    ni_status status = mock_send(pair->peer, len);

    sent += status == NI_OK;
    return status;
}

static void connect_pair(struct pair *pair)
{
    uint8_t blob[MOCK_BLOB];

    memset(pair, 0, sizeof(*pair));
    mock_open(&pair->from, 1, NULL);
    pair->peer = mock_connect(&pair->from, blob, mock_blob(&to, blob));
    for (unsigned i = 0; i < BEGIN; i++) {
        CHECK(send(pair, 16) == NI_OK);
        take_all();
    }
    CHECK(tx_of(pair)->lines != NULL && ring_of(pair) == SMALL);
}

static void open_pair(struct pair *pair)
{
    sent = 0;
    mock_open(&to, 2, NULL);
    connect_pair(pair);
}

static void close_pair(struct pair *pair)
{
    mock_close(&pair->from);
    mock_close(&to);
}

static void fill(struct pair *pair, uint32_t len, unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        while (send(pair, len) == NI_OK) {
        }
        take_all();
    }
}

/* Both poll, for so long or until the lane has nothing but what it had first. */
static void idle(struct pair *pair, uint64_t ms, bool until_small)
{
    uint64_t begin = ni_now_ns();

    while (ni_now_ns() - begin < ms * UINT64_C(1000000)) {
        mock_progress(&pair->from);
        mock_progress(&to);
        if (until_small && ring_of(pair) == SMALL && tx_of(pair)->bulk_size == 0) {
            return;
        }
    }
    CHECK(!until_small);
}

static void until_given_back(struct pair *pair, uint64_t least)
{
    uint64_t begin = ni_now_ns();

    idle(pair, GIVE_UP_S * 1000, true);
    /* The ring is given back when the receiver has left it. */
    while (held() > least) {
        mock_progress(&pair->from);
        mock_progress(&to);
        CHECK(ni_now_ns() - begin < GIVE_UP_S * UINT64_C(1000000000));
    }
}

static void test_gives_back(void)
{
    struct pair pair;
    uint64_t least;

    open_pair(&pair);
    least = held();
    for (unsigned round = 1; round <= 4; round++) {
        fill(&pair, 16, PATIENCE);
        fill(&pair, LONG, 2);
        CHECK(ring_of(&pair) == RING && tx_of(&pair)->bulk_size >= 2 * LONG);
        CHECK(held() >= least + RING + 2 * LONG);
        until_given_back(&pair, least);
        CHECK(held() == least);
        CHECK(TOLD(&pair.from, lanes_shrunk) == 2 * round && TOLD(&to, rings_grown) == round);
        CHECK(send(&pair, 100) == NI_OK && send(&pair, LONG) == NI_OK);
        take_all();
        until_given_back(&pair, least);
        CHECK(TOLD(&pair.from, lanes_shrunk) == 2 * round + 1);
        ni_stat_sub(&pair.from.stats.lanes_shrunk, 1);
    }
    CHECK(to.malformed == 0);
    close_pair(&pair);
}

/* Each by itself: who sends short packets keeps the ring, not the bulk area. */
static void test_keeps_what_is_used(void)
{
    struct pair pair;

    open_pair(&pair);
    fill(&pair, 16, PATIENCE);
    for (unsigned i = 0; i < 40; i++) {
        CHECK(send(&pair, LONG) == NI_OK);
        take_all();
        idle(&pair, KEEP_MS / 10, false);
        CHECK(tx_of(&pair)->bulk_size != 0 && ring_of(&pair) == RING);
    }
    for (uint64_t begin = ni_now_ns(); tx_of(&pair)->bulk_size != 0;) {
        CHECK(send(&pair, 16) == NI_OK);
        take_all();
        idle(&pair, KEEP_MS / 10, false);
        CHECK(ni_now_ns() - begin < GIVE_UP_S * UINT64_C(1000000000));
    }
    CHECK(ring_of(&pair) == RING && TOLD(&pair.from, lanes_shrunk) == 1);
    close_pair(&pair);
    mock_param("shm_keep_ms", "0");
    open_pair(&pair);
    fill(&pair, 16, PATIENCE);
    fill(&pair, LONG, 1);
    idle(&pair, 3 * KEEP_MS, false);
    CHECK(ring_of(&pair) == RING && tx_of(&pair)->bulk_size != 0);
    CHECK(TOLD(&pair.from, lanes_shrunk) == 0);
    close_pair(&pair);
    mock_param("shm_keep_ms", "30");
}

/* What the receiver has not taken stays, however long that takes it. */
static void test_keeps_what_is_unread(void)
{
    struct pair pair;
    uint64_t begin;

    open_pair(&pair);
    fill(&pair, 16, PATIENCE);
    CHECK(send(&pair, LONG) == NI_OK && send(&pair, 1000) == NI_OK);
    begin = ni_now_ns();
    while (ni_now_ns() - begin < 4 * KEEP_MS * UINT64_C(1000000)) {
        mock_progress(&pair.from);
    }
    CHECK(ring_of(&pair) == RING && tx_of(&pair)->bulk_size != 0);
    take_all();
    idle(&pair, GIVE_UP_S * 1000, true);
    close_pair(&pair);
}

/* The lane is in its first ring again, but its receiver has not heard of it. */
static void test_back_before_it_is_known(void)
{
    struct pair pair;
    uint64_t least, begin = ni_now_ns();

    open_pair(&pair);
    least = held();
    fill(&pair, 16, PATIENCE);
    while (ring_of(&pair) == RING) {
        mock_progress(&pair.from);
        CHECK(ni_now_ns() - begin < GIVE_UP_S * UINT64_C(1000000000));
    }
    for (unsigned i = 0; i < 3 * PATIENCE; i++) {
        while (send(&pair, 16) == NI_OK) {
        }
        mock_progress(&pair.from);
    }
    CHECK(ring_of(&pair) == SMALL && held() == least + RING);
    take_all();
    fill(&pair, 16, PATIENCE + 1);
    CHECK(ring_of(&pair) == RING && TOLD(&to, rings_grown) == 2);
    close_pair(&pair);
}

/* What one pair gives back another one gets, which had to do without. */
static void test_handed_on(void)
{
    static struct pair first, second;

    mock_param("shm_lanes_size", "384K");
    open_pair(&first);
    fill(&first, 16, PATIENCE);
    fill(&first, LONG, 3);
    CHECK(ring_of(&first) == RING && tx_of(&first)->bulk_size == BULK);
    connect_pair(&second);
    for (unsigned i = 0; i < 3 * PATIENCE; i++) {
        fill(&second, 16, 1);
        (void)send(&first, LONG);
        take_all();
    }
    fill(&second, 3000, 3);
    CHECK(ring_of(&second) == SMALL || tx_of(&second)->bulk_size < BULK / 4);
    CHECK(TOLD(&second.from, lanes_limited) != 0);
    idle(&first, GIVE_UP_S * 1000, true);
    for (uint64_t begin = ni_now_ns(); tx_of(&second)->bulk_most != BULK;) {
        idle(&first, 5, false);
        mock_progress(&second.from);
        CHECK(ni_now_ns() - begin < GIVE_UP_S * UINT64_C(1000000000));
    }
    fill(&second, 16, 2 * PATIENCE);
    fill(&second, LONG, 3);
    CHECK(ring_of(&second) == RING && tx_of(&second)->bulk_size >= 2 * LONG);
    mock_close(&second.from);
    close_pair(&first);
    mock_param("shm_lanes_size", "16M");
}

/* A lane whose larger ring has left no room for a bulk area goes back, too, and is as new then. */
static void test_without_bulk(void)
{
    struct pair pair;

    mock_param("shm_lanes_size", "80K");
    open_pair(&pair);
    fill(&pair, 16, PATIENCE);
    CHECK(ring_of(&pair) == RING);
    (void)send(&pair, LONG);
    take_all();
    CHECK(tx_of(&pair)->bulk == NULL && tx_of(&pair)->bulk_size == 0);
    idle(&pair, GIVE_UP_S * 1000, true);
    for (uint64_t begin = ni_now_ns(); send(&pair, LONG) != NI_OK;) {
        mock_progress(&pair.from);
        mock_progress(&to);
        CHECK(ni_now_ns() - begin < GIVE_UP_S * UINT64_C(1000000000));
    }
    take_all();
    CHECK(tx_of(&pair)->bulk_size >= LONG && ring_of(&pair) == SMALL && to.malformed == 0);
    close_pair(&pair);
    mock_param("shm_lanes_size", "16M");
}

static void test_no_memory(void)
{
    struct pair pair;

    open_pair(&pair);
    fill(&pair, 16, PATIENCE);
    ni_fault_arm(NI_FAULT_ALLOC, 1, 1);
    idle(&pair, 3 * KEEP_MS, false);
    CHECK(ring_of(&pair) == RING && ni_fault_struck(NI_FAULT_ALLOC) != 0);
    ni_fault_reset();
    idle(&pair, GIVE_UP_S * 1000, true);
    close_pair(&pair);
}

/* Who is in the first ring does not go back to it. */
static void test_lies(void)
{
    struct pair pair;

    open_pair(&pair);
    ni_lane_at(tx_of(&pair))->word1 = 0;
    ni_lane_commit(tx_of(&pair), ni_packet_word0(0, NI_PACKET_NOP, NI_LINE, NI_NOP_FIRST), 1);
    mock_progress(&to);
    CHECK(to.malformed == 1);
    /* To drop what was never there is harmless. */
    ni_lane_at(tx_of(&pair))->word1 = 0;
    ni_lane_commit(tx_of(&pair), ni_packet_word0(0, NI_PACKET_NOP, NI_LINE, NI_NOP_BULK), 1);
    CHECK(send(&pair, LONG) == NI_OK);
    take_all();
    CHECK(to.malformed == 1);
    close_pair(&pair);
}

/* Turns of any length, with reviews in between that find the lane quiet whenever it is empty. */
static void test_traces(void)
{
    struct ni_rng rng = {0};
    uint64_t shrunk = 0;

    mock_param("shm_keep_ms", "1");
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct pair pair;
        uint64_t most = 1, now = ni_now_ns();

        ni_rng_seed(&rng, seed);
        open_pair(&pair);
        for (unsigned step = 0; step < STEPS; step++) {
            if (step % 500 == 0) {
                most = UINT64_C(1) << ni_rng_below(&rng, 9);
            }
            if (ni_rng_below(&rng, 200) == 0) {
                for (uint64_t reviews = ni_rng_below(&rng, 5); reviews != 0; reviews--) {
                    now += ni_rng_below(&rng, 3000000);
                    ni_link_shm.review(pair.peer->ep, now);
                }
            }
            if (ni_rng_below(&rng, most) != 0) {
                (void)send(&pair, 16 + (uint32_t)ni_rng_below(&rng, most * (step % 3) * 100 + 100));
            } else {
                mock_progress(&to);
            }
        }
        take_all();
        CHECK(to.malformed == 0);
        shrunk += TOLD(&pair.from, lanes_shrunk);
        close_pair(&pair);
    }
    CHECK(shrunk >= 100);
    mock_param("shm_keep_ms", "30");
}

/* ---- at once --------------------------------------------------------------------------------- */

static void bursts(struct pair *pair)
{
    for (unsigned i = 0; i < BURSTS; i++) {
        uint64_t begin = ni_now_ns();

        for (unsigned k = 0; k < BURST; k++) {
            mock_send_all(pair->peer, 16 + k * (i % 2 == 0 ? 13 : 300));
        }
        while (ni_now_ns() - begin < (i % 8 == 0 ? 20 : 4) * UINT64_C(1000000)) {
            mock_relax(&pair->from);
        }
    }
}

static void *run_bursts(void *arg)
{
    bursts(arg);
    return NULL;
}

/* No edge is missing (ThreadSanitizer). Again where the machine let a lane never be quiet. */
static void test_threads(void)
{
    uint64_t shrunk = 0;

    mock_param("shm_keep_ms", "2");
    for (unsigned tries = 0; tries < TRIES && shrunk == 0; tries++) {
        static struct pair pair;
        pthread_t thread;

        open_pair(&pair);
        sent += (uint64_t)BURSTS * BURST;
        CHECK(pthread_create(&thread, NULL, run_bursts, &pair) == 0);
        while (to.received < sent) {
            mock_relax(&to);
        }
        CHECK(pthread_join(thread, NULL) == 0);
        shrunk = TOLD(&pair.from, lanes_shrunk);
        close_pair(&pair);
    }
    CHECK(shrunk != 0);
    mock_param("shm_keep_ms", "30");
}

struct address {
    uint8_t blob[MOCK_BLOB];
    size_t len;
};

static int sender(void *arg)
{
    static struct pair pair;
    struct address *address = arg;

    mock_open(&pair.from, 1, NULL);
    pair.peer = mock_connect(&pair.from, address->blob, address->len);
    bursts(&pair);
    for (uint64_t begin = ni_now_ns(); TOLD(&pair.from, lanes_shrunk) < 2 ||
                                       ring_of(&pair) != SMALL || tx_of(&pair)->bulk_size != 0;) {
        mock_relax(&pair.from);
        CHECK(ni_now_ns() - begin < GIVE_UP_S * UINT64_C(1000000000));
    }
    mock_close(&pair.from);
    return 0;
}

/* Each has its own view of what is allocated. */
static void test_processes(void)
{
    uint64_t most = 0, least = UINT64_MAX;
    struct address address;
    pid_t pid;

    mock_param("shm_keep_ms", "2");
    mock_open(&to, 2, NULL);
    address.len = mock_blob(&to, address.blob);
    pid = mock_fork(sender, &address);
    sent = (uint64_t)BURSTS * BURST;
    while (to.peers == NULL || to.peers->downs == 0) {
        mock_relax(&to);
        most = held() > most ? held() : most;
        least = to.received == sent && held() < least ? held() : least;
    }
    mock_join(pid);
    CHECK(to.received == sent && to.peers->down == NI_ERR_PEER_CLOSED);
    CHECK(TOLD(&to, rings_grown) != 0 && least + RING <= most);
    mock_close(&to);
    mock_param("shm_keep_ms", "30");
}

int main(void)
{
    /* What is fast enough to need a large ring is not so where others take the cores, from whom
     * root keeps them. */
    (void)setpriority(PRIO_PROCESS, 0, -20);
    mock_param("far_ns", "0"); /* credits take long */
    mock_param("shm_ring_size", "64K");
    mock_param("shm_bulk_size", "256K");
    mock_param("shm_keep_ms", "30");
    test_gives_back();
    test_keeps_what_is_used();
    test_keeps_what_is_unread();
    test_back_before_it_is_known();
    test_handed_on();
    test_without_bulk();
    test_no_memory();
    test_lies();
    test_traces();
    test_threads();
    test_processes();
    return 0;
}
