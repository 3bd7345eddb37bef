/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/link/shm/progress.c ni/link/shm/geometry.c. */
/* Packets of all sizes, through slots, lane and bulk area, arrive whole and in order: between two
 * processes in both directions at once, and from 16 senders to one receiver. */

#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "shm_mock.h"

enum { SENDERS = 16, PACKETS_PAIR = 1000000, PACKETS_EACH = 60000 };

struct board {
    _Atomic uint32_t ready;
    _Atomic uint32_t done;
    size_t len;
    uint8_t blob[2][MOCK_BLOB];
};

static uint32_t random_len(struct ni_rng *rng)
{
    switch (ni_rng_below(rng, 64)) {
    case 0:
        return 16 + (uint32_t)ni_rng_below(rng, 40000);
    case 1:
    case 2:
        return 16 + (uint32_t)ni_rng_below(rng, 6000);
    case 3:
    case 4:
    case 5:
        return 16 + (uint32_t)ni_rng_below(rng, 2000);
    default:
        return 16 + (uint32_t)ni_rng_below(rng, 100);
    }
}

static void wait_for(_Atomic uint32_t *word, uint32_t value, struct mock *mock)
{
    while (atomic_load(word) < value) {
        if (mock != NULL) {
            mock_relax(mock);
        } else {
            sched_yield();
        }
    }
}

/* A packet longer than half a ring must go to the bulk area, which the lane has from its first
 * packet on. */
static void send_random(struct ni_peer *peer, struct ni_rng *rng)
{
    uint32_t len = random_len(rng);

    if (peer->ep->tx.bulk == NULL && len > 8000) {
        len = 8000;
    }
    mock_send_all(peer, len);
}

/* ---- two processes --------------------------------------------------------------------------- */

static struct board *board;

static void pair_side(uint32_t me)
{
    struct mock mock;
    struct ni_peer *peer;
    struct ni_rng rng;

    mock_open(&mock, me, NULL);
    board->len = mock_blob(&mock, board->blob[me]);
    atomic_fetch_add(&board->ready, 1);
    wait_for(&board->ready, 2, &mock);
    peer = mock_connect(&mock, board->blob[1 - me], board->len);
    ni_rng_seed(&rng, me + 1);
    for (uint32_t i = 0; i < PACKETS_PAIR; i++) {
        send_random(peer, &rng);
    }
    while (peer->received < PACKETS_PAIR) {
        mock_relax(&mock);
    }
    CHECK(peer->received == PACKETS_PAIR);
    CHECK(peer->in_slots == ni_config_get()->shm_ring_after);
    CHECK(peer->in_bulk > 0);
    CHECK(peer->in_lane + peer->in_slots == PACKETS_PAIR);
    CHECK(ni_stat_get(&mock.stats.rx_malformed) == 0);
    atomic_fetch_add(&board->done, 1);
    wait_for(&board->done, 2, &mock);
    mock_close(&mock);
}

static int child_of_pair(void *arg)
{
    (void)arg;
    pair_side(1);
    return 0;
}

static void test_pair(void)
{
    pid_t pid;

    board = mock_shared(sizeof(*board));
    pid = mock_fork(child_of_pair, NULL);
    pair_side(0);
    mock_join(pid);
}

/* ---- many to one ----------------------------------------------------------------------------- */

static int sender(void *arg)
{
    uint32_t me = (uint32_t)(uintptr_t)arg;
    struct mock mock;
    struct ni_peer *peer;
    struct ni_rng rng;

    wait_for(&board->ready, 1, NULL);
    mock_open(&mock, me, NULL);
    peer = mock_connect(&mock, board->blob[0], board->len);
    ni_rng_seed(&rng, me + 100);
    for (uint32_t i = 0; i < PACKETS_EACH; i++) {
        send_random(peer, &rng);
    }
    mock_close(&mock);
    return 0;
}

/* Senders leave as soon as they have sent all: what they have sent must arrive nevertheless. */
static void test_many(void)
{
    struct mock mock;
    pid_t pids[SENDERS];

    board = mock_shared(sizeof(*board));
    for (uintptr_t i = 0; i < SENDERS; i++) {
        pids[i] = mock_fork(sender, (void *)(i + 1));
    }
    mock_open(&mock, 0, NULL);
    board->len = mock_blob(&mock, board->blob[0]);
    atomic_store(&board->ready, 1);
    while (mock.received < (uint64_t)SENDERS * PACKETS_EACH) {
        mock_relax(&mock);
    }
    for (int i = 0; i < SENDERS; i++) {
        mock_join(pids[i]);
    }
    for (unsigned down = 0; down < SENDERS;) {
        mock_relax(&mock);
        down = 0;
        for (const struct ni_peer *peer = mock.peers; peer != NULL; peer = peer->next) {
            CHECK(peer->down == NI_OK || peer->down == NI_ERR_PEER_CLOSED);
            down += peer->downs;
        }
    }
    CHECK(mock.accepted == SENDERS);
    CHECK(mock.lane_count == 0);
    mock_close(&mock);
}

int main(void)
{
    test_pair();
    test_many();
    return 0;
}
