/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/link/shm/park.c ni/engine/core/lanes.c. */
/* Lanes that were quiet for long are not polled, and nothing that comes on them is lost: not what
 * floods one, not what many send at once, not what is sent while the receiver sleeps or by who
 * never rings. Many senders in one process, and some in threads and processes of their own. */

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"
#include "link/shm/shm.h"
#include "shm_mock.h"

enum {
    SENDERS = 127,
    POLLED = 2, /* lanes, when all are quiet */
    FIRST = 6,  /* packets until there is a lane, and in it */
    FLOOD = 3000,
    THREADS = 4,
    BURSTS = 40,
    PATIENCE_S = 60,
};

struct hub {
    struct mock mock;
    struct mock from[SENDERS];
    struct ni_peer *to[SENDERS];
    uint64_t sent;
};

static struct hub hub;

static struct ni_shm_link *link_of(const struct mock *mock)
{
    return (struct ni_shm_link *)(void *)mock->link;
}

static void give_up_after(uint64_t since)
{
    CHECK(ni_now_ns() - since < PATIENCE_S * UINT64_C(1000000000));
}

static void take_all(void)
{
    uint64_t since = ni_now_ns();

    while (hub.mock.received < hub.sent) {
        mock_progress(&hub.mock);
        give_up_after(since);
    }
    CHECK(hub.mock.received == hub.sent);
}

static void until_parked(void)
{
    uint64_t since = ni_now_ns();

    while (hub.mock.lane_count > POLLED) {
        mock_progress(&hub.mock);
        give_up_after(since);
    }
    CHECK(hub.mock.lane_count == POLLED && link_of(&hub.mock)->polled == POLLED);
}

static void send(unsigned sender, unsigned packets)
{
    for (unsigned i = 0; i < packets; i++) {
        while (mock_send(hub.to[sender], 16 + (sender * 7 + i) % 500) != NI_OK) {
            mock_progress(&hub.from[sender]);
            mock_progress(&hub.mock);
        }
        hub.sent++;
    }
}

static void open_hub(void)
{
    uint8_t blob[MOCK_BLOB];
    size_t len;

    memset(&hub, 0, sizeof(hub));
    mock_open(&hub.mock, 1, NULL);
    len = mock_blob(&hub.mock, blob);
    for (unsigned i = 0; i < SENDERS; i++) {
        mock_open(&hub.from[i], i + 2, NULL);
        hub.to[i] = mock_connect(&hub.from[i], blob, len);
        send(i, FIRST);
        take_all();
    }
}

static void close_hub(void)
{
    for (unsigned i = 0; i < SENDERS; i++) {
        mock_close(&hub.from[i]);
    }
    for (uint64_t since = ni_now_ns(); link_of(&hub.mock)->polled != 0; give_up_after(since)) {
        mock_progress(&hub.mock);
    }
    CHECK(hub.mock.lane_count == 0 && ni_list_empty(&hub.mock.parked));
    mock_close(&hub.mock);
}

/* The look that the rings asked for finds the packets, without another review. */
static void test_rings(void)
{
    struct ni_rng rng = {0};

    ni_rng_seed(&rng, 5);
    for (unsigned round = 0; round < 20; round++) {
        unsigned count = round == 0 ? SENDERS : (unsigned)ni_rng_below(&rng, 9) + 1;

        until_parked();
        for (unsigned i = 0; i < count; i++) {
            send(round == 0 ? i : (unsigned)ni_rng_below(&rng, SENDERS), 1);
        }
        link_of(&hub.mock)->next_tick = UINT64_MAX;
        for (unsigned i = 0; i < 3; i++) {
            mock_progress(&hub.mock);
        }
        CHECK(hub.mock.received == hub.sent);
        link_of(&hub.mock)->next_tick = 0;
    }
}

static void test_flood(void)
{
    until_parked();
    send(100, FLOOD);
    send(3, FLOOD);
    take_all();
}

/* A sender whose look at the word came too early, or that ended before it rang. */
static void test_no_bell(void)
{
    static const unsigned deaf[] = {5, 66, 126};

    until_parked();
    for (unsigned i = 0; i < 3; i++) {
        send(deaf[i], 2);
    }
    atomic_store(&link_of(&hub.mock)->header->bells, 0);
    take_all();
    until_parked();
    send(7, 1);
    atomic_store(&link_of(&hub.mock)->header->bells, 0);
    /* It finds that by itself before it sleeps. */
    ni_link_shm.wait(hub.mock.link, 0, mock_has_work);
    CHECK(hub.mock.lane_count == POLLED + 1);
    take_all();
}

/* What others write to the words does not matter. */
static void test_wrong_words(void)
{
    struct ni_rng rng = {0};

    ni_rng_seed(&rng, 6);
    for (unsigned round = 0; round < 200; round++) {
        unsigned sender = (unsigned)ni_rng_below(&rng, SENDERS);

        atomic_store(&link_of(&hub.mock)->header->bells, ni_rng_next(&rng));
        atomic_store(&hub.to[sender]->ep->tx.page->unpolled, (uint32_t)ni_rng_next(&rng));
        send((unsigned)ni_rng_below(&rng, SENDERS), 1);
        for (unsigned i = 0; i < 2000; i++) {
            mock_progress(&hub.mock);
        }
    }
    take_all();
}

/* ---- beside each other ----------------------------------------------------------------------- */

struct board {
    uint8_t blob[MOCK_BLOB];
    size_t len;
};

static struct board *board;

/* Bursts, with pauses that are short of, about, and longer than what parks a lane. */
static void send_bursts(uint64_t id)
{
    static const useconds_t pause[] = {0, 200, 1000, 2000, 5000};
    struct ni_rng rng = {0};
    struct mock mock = {0};
    struct ni_peer *peer;

    ni_rng_seed(&rng, id);
    mock_open(&mock, id, NULL);
    peer = mock_connect(&mock, board->blob, board->len);
    for (unsigned burst = 0; burst < BURSTS; burst++) {
        for (uint64_t i = ni_rng_below(&rng, 3) == 0 ? FLOOD / 10 : 1; i > 0; i--) {
            mock_send_all(peer, 16 + (uint32_t)ni_rng_below(&rng, 1000));
        }
        usleep(pause[ni_rng_below(&rng, 5)]);
    }
    mock_close(&mock);
}

static void *in_thread(void *arg)
{
    send_bursts((uintptr_t)arg);
    return NULL;
}

static int in_process(void *arg)
{
    send_bursts((uintptr_t)arg);
    return 0;
}

/* Receive from all until they have left; sleep now and then. */
static void receive_from(unsigned senders, bool sleeps)
{
    unsigned gone = 0;

    for (uint64_t since = ni_now_ns(); gone < senders; give_up_after(since)) {
        if (mock_progress(&hub.mock) == 0) {
            if (sleeps) {
                ni_link_shm.wait(hub.mock.link, 10000, mock_has_work);
            } else {
                sched_yield();
            }
        }
        gone = 0;
        for (const struct ni_peer *peer = hub.mock.peers; peer != NULL; peer = peer->next) {
            gone += peer->down == NI_ERR_PEER_CLOSED;
        }
    }
    for (const struct ni_peer *peer = hub.mock.peers; peer != NULL; peer = peer->next) {
        CHECK(peer->received >= BURSTS);
    }
    mock_close(&hub.mock);
}

static void test_threads(bool sleeps)
{
    pthread_t threads[THREADS];

    memset(&hub, 0, sizeof(hub));
    mock_open(&hub.mock, 1, NULL);
    board->len = mock_blob(&hub.mock, board->blob);
    for (uintptr_t i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, in_thread, (void *)(i + 10)) == 0);
    }
    receive_from(THREADS, sleeps);
    for (unsigned i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
}

static void test_processes(bool sleeps)
{
    pid_t pids[THREADS];

    memset(&hub, 0, sizeof(hub));
    mock_open(&hub.mock, 1, NULL);
    board->len = mock_blob(&hub.mock, board->blob);
    for (uintptr_t i = 0; i < THREADS; i++) {
        pids[i] = mock_fork(in_process, (void *)(i + 20));
    }
    receive_from(THREADS, sleeps);
    for (unsigned i = 0; i < THREADS; i++) {
        mock_join(pids[i]);
    }
}

int main(void)
{
    board = mock_shared(sizeof(*board));
    test_processes(false);
    test_processes(true);
    test_threads(false);
    test_threads(true);
    mock_param("shm_bulk_size", "64K");
    mock_param("shm_ring_size", "4K");
    open_hub();
    test_rings();
    test_flood();
    test_no_bell();
    test_wrong_words();
    close_hub();
    return 0;
}
