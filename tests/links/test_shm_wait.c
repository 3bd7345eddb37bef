/* SPDX-License-Identifier: BSD-3-Clause */
/* Sleeping and waking: a ping-pong in which both sides sleep whenever they have nothing to do,
 * woken by packets in slots, packets in lanes, a peer that leaves and a peer that dies. */

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shm_mock.h"

enum { ROUNDS = 3000 };

struct board {
    _Atomic uint32_t ready;
    uint8_t blob[2][MOCK_BLOB];
    size_t len;
};

static struct board *board;

static void sleep_until(struct mock *mock, const uint64_t *word, uint64_t value)
{
    while (*word < value) {
        if (mock_progress(mock) == 0) {
            ni_link_shm.wait(mock->link, 10000, mock_has_work);
        }
    }
}

static struct ni_peer *meet(struct mock *mock, uint32_t me)
{
    mock_open(mock, me, NULL);
    board->len = mock_blob(mock, board->blob[me]);
    atomic_fetch_add(&board->ready, 1);
    while (atomic_load(&board->ready) < 2) {
        ni_link_shm.wait(mock->link, 100, mock_has_work);
    }
    return mock_connect(mock, board->blob[1 - me], board->len);
}

static int pong(void *arg)
{
    struct mock mock;
    struct ni_peer *peer = meet(&mock, 1);

    for (uint64_t i = 1; i <= ROUNDS; i++) {
        sleep_until(&mock, &peer->received, i);
        mock_send_all(peer, 64);
    }
    if (arg != NULL) {
        raise(SIGKILL);
    }
    mock_close(&mock);
    return 0;
}

static void ping(void *killed)
{
    struct mock mock;
    struct ni_peer *peer;
    pid_t pid;

    atomic_store(&board->ready, 0);
    pid = mock_fork(pong, killed);
    peer = meet(&mock, 0);
    for (uint64_t i = 1; i <= ROUNDS; i++) {
        mock_send_all(peer, 64);
        sleep_until(&mock, &peer->received, i);
    }
    while (peer->down == NI_OK) {
        mock_progress(&mock);
        ni_link_shm.wait(mock.link, 10000, mock_has_work);
    }
    CHECK(peer->down == (killed != NULL ? NI_ERR_PEER_DEAD : NI_ERR_PEER_CLOSED));
    if (killed != NULL) {
        CHECK(waitpid(pid, NULL, 0) == pid);
    } else {
        mock_join(pid);
    }
    mock_close(&mock);
}

int main(void)
{
    board = mock_shared(sizeof(*board));
    ping(NULL);
    mock_param("shm_ring_after", "100000");
    ping(NULL);
    ping(board);
    return 0;
}
