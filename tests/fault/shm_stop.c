/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that is stopped for a while is not dead: nobody is told anything, and when it goes on,
 * all that was sent to it and by it arrives. It may be stopped with a slot claimed: others are not
 * held up. */

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shm_mock.h"

enum { PACKETS = 20000 };

struct board {
    _Atomic uint32_t ready;
    uint8_t blob[2][MOCK_BLOB];
    size_t len;
};

static struct board *board;

/* Sends all, receives all. */
static int partner(void *arg)
{
    struct mock a;
    struct ni_peer *peer;
    struct ni_packet *packet;
    bool in_lane;

    mock_open(&a, 1, NULL);
    (void)mock_blob(&a, board->blob[1]);
    peer = mock_connect(&a, board->blob[0], board->len);
    mock_send_all(peer, 16);
    if (arg != NULL) {
        while (ni_link_shm.reserve(peer->ep, 1, &packet, &in_lane) == NI_AGAIN) {
            mock_relax(&a);
        }
        CHECK(!in_lane);
        raise(SIGSTOP);
        /* The same place again, as the core that asks twice gets it. */
    }
    atomic_store(&board->ready, 1);
    for (int i = 1; i < PACKETS; i++) {
        mock_send_all(peer, 16 + (uint32_t)(i * 31 % 5000));
    }
    while (peer->received < PACKETS) {
        mock_relax(&a);
    }
    CHECK(peer->down == NI_OK);
    mock_close(&a);
    return 0;
}

static void stop_and_go_on(struct mock *b, pid_t pid)
{
    int status;

    CHECK(kill(pid, SIGSTOP) == 0 && waitpid(pid, &status, WUNTRACED) == pid);
    CHECK(WIFSTOPPED(status));
    for (int i = 0; i < 50; i++) { /* many times peer_check_ms */
        usleep(2000);
        for (int n = 0; n < 100; n++) {
            mock_progress(b);
        }
    }
    CHECK(b->peers->down == NI_OK);
    CHECK(kill(pid, SIGCONT) == 0);
}

static void test_streaming(void)
{
    struct mock b;
    struct ni_peer *peer;
    pid_t pid;

    mock_open(&b, 0, NULL);
    board->len = mock_blob(&b, board->blob[0]);
    pid = mock_fork(partner, NULL);
    while (b.received == 0) {
        mock_relax(&b);
    }
    peer = mock_connect(&b, board->blob[1], board->len);
    CHECK(peer == b.peers);
    for (int i = 0; i < PACKETS; i++) {
        if (i % (PACKETS / 5) == 10) {
            stop_and_go_on(&b, pid);
        }
        mock_send_all(peer, 16 + (uint32_t)(i * 13 % 3000));
    }
    while (peer->down == NI_OK) {
        mock_relax(&b);
    }
    CHECK(peer->down == NI_ERR_PEER_CLOSED && peer->received == PACKETS);
    mock_join(pid);
    mock_close(&b);
}

static void test_claimed(void)
{
    struct mock b, other;
    struct ni_peer *from_other;
    uint8_t blob[MOCK_BLOB];
    pid_t pid;
    int status;

    mock_param("shm_queue_slots", "4");
    mock_param("shm_ring_after", "1000000");
    mock_open(&b, 0, NULL);
    mock_open(&other, 5, NULL);
    board->len = mock_blob(&b, board->blob[0]);
    pid = mock_fork(partner, board);
    while (b.received == 0) {
        mock_relax(&b);
    }
    CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
    from_other = mock_connect(&other, blob, mock_blob(&b, blob));
    for (int i = 0; i < 10000; i++) {
        while (mock_send(from_other, 100) == NI_AGAIN) {
            mock_progress(&b);
        }
    }
    while (b.received < 10001) {
        mock_progress(&b);
    }
    CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, &status, 0) == pid);
    mock_close(&other);
    mock_close(&b);
}

int main(void)
{
    board = mock_shared(sizeof(*board));
    mock_param("peer_check_ms", "10");
    test_streaming();
    test_claimed();
    return 0;
}
