/* SPDX-License-Identifier: BSD-3-Clause */
#include <apeni/fault.h>
#include <pthread.h>
#include <sched.h>

#include "inproc_mock.h"

/*
 * Threads with an NI each on one fabric: they open, send to those that are there, receive, sleep
 * and close, again and again, so that each end of a lane sees the other one go at any moment. The
 * mock checks that each sender's packets arrive in order, each once.
 *
 *   inproc_threads [LIVES]   of each thread
 */

enum { THREADS = 4, LIVES = 60, STEPS = 120 };

struct entry {
    uint8_t blob[64];
    size_t len; /* 0: nobody there */
};

static struct ni_fabric *fabric;
static pthread_mutex_t board_lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry board[THREADS];
static unsigned lives = LIVES;
static _Atomic uint64_t received;

static void publish(unsigned thread, struct mock *mock)
{
    pthread_mutex_lock(&board_lock);
    board[thread].len = ni_link_inproc.blob(mock->link, board[thread].blob, 64);
    pthread_mutex_unlock(&board_lock);
}

static struct entry look_up(unsigned thread)
{
    struct entry entry;

    pthread_mutex_lock(&board_lock);
    entry = board[thread];
    pthread_mutex_unlock(&board_lock);
    return entry;
}

static bool has_work(void *core)
{
    const struct mock *mock = core;

    for (unsigned i = 0; i < mock->lane_count; i++) {
        if (ni_lane_has_packet(mock->lanes[i])) {
            return true;
        }
    }
    return false;
}

/* Send some packets to some NI, which may be closing just now. */
static void send_some(struct mock *mock, struct ni_rng *rng)
{
    struct entry entry = look_up((unsigned)ni_rng_below(rng, THREADS));
    struct ni_peer *peer;
    ni_status status;

    if (entry.len == 0) {
        return;
    }
    peer = mock_connect_blob(mock, entry.blob, entry.len, &status);
    if (peer == NULL) {
        CHECK(status == NI_ERR_UNREACHABLE || status == NI_ERR_PEER_CLOSED);
        return;
    }
    for (uint64_t n = ni_rng_below(rng, 20); n > 0; n--) {
        uint32_t len = 8 + (uint32_t)(ni_rng_below(rng, 8000) >> ni_rng_below(rng, 8));

        status = mock_send(peer, len);
        CHECK(status == NI_OK || status == NI_AGAIN || status == NI_ERR_PEER_CLOSED ||
              status == NI_ERR_PEER_DEAD);
    }
}

static void live(unsigned thread, struct ni_rng *rng, uint32_t id)
{
    struct mock mock;

    CHECK(mock_open(&mock, fabric, id) == NI_OK);
    publish(thread, &mock);
    for (uint64_t step = ni_rng_below(rng, STEPS); step > 0; step--) {
        switch (ni_rng_below(rng, 4)) {
        case 0:
            send_some(&mock, rng);
            break;
        case 1:
            ni_link_inproc.wait(mock.link, ni_rng_below(rng, 100), has_work);
            break;
        default:
            (void)mock_progress(&mock);
        }
    }
    for (const struct ni_peer *peer = mock.peers; peer != NULL; peer = peer->next) {
        CHECK(peer->downs <= 1);
    }
    atomic_fetch_add(&received, mock.in_lanes + mock.delivered);
    mock_close(&mock);
}

static void *run(void *arg)
{
    unsigned thread = (unsigned)(uintptr_t)arg;
    struct ni_rng rng;

    ni_rng_seed(&rng, thread + 1);
    for (unsigned i = 0; i < lives; i++) {
        live(thread, &rng, i * THREADS + thread);
        sched_yield();
    }
    return NULL;
}

static void run_all(uint64_t seed)
{
    struct ni_fabric_attr attr = {.seed = seed, .ring_size = 1024};
    pthread_t threads[THREADS];

    memset(board, 0, sizeof(board));
    CHECK(ni_fabric_create(&attr, &fabric) == NI_OK);
    for (uintptr_t i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, run, (void *)i) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    ni_fabric_destroy(fabric);
}

int main(int argc, char **argv)
{
    lives = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : LIVES;
    run_all(0);
    CHECK(atomic_load(&received) > 0);
    run_all(7);
    ni_fault_arm_random(NI_FAULT_DELAY, 10000, 1);
    ni_fault_arm_random(NI_FAULT_DUP, 100000, 2);
    ni_fault_arm_random(NI_FAULT_FULL, 50000, 3);
    run_all(0);
    return 0;
}
