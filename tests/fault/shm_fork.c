/* SPDX-License-Identifier: BSD-3-Clause */
/* fork in a process that has a link: whatever the child does with its copy disturbs nobody; it may
 * open a link of its own and talk to everybody, its parent too; and its life does not hide its
 * parent's death. */

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shm_mock.h"

struct board {
    _Atomic uint32_t ready;
    _Atomic uint32_t stop;
    _Atomic uint32_t received;
    _Atomic uint32_t downs;
    _Atomic int down;
    _Atomic int orphan;
    uint8_t blob[2][MOCK_BLOB];
    size_t len;
};

static struct board *board;

/* Receives from everybody, answers nobody. */
static int partner(void *arg)
{
    struct mock b;

    (void)arg;
    mock_open(&b, 50, NULL);
    board->len = mock_blob(&b, board->blob[1]);
    atomic_store(&board->ready, 1);
    while (atomic_load(&board->stop) == 0) {
        unsigned downs = 0;

        mock_relax(&b);
        for (const struct ni_peer *peer = b.peers; peer != NULL; peer = peer->next) {
            downs += peer->downs;
            if (peer->downs != 0) {
                atomic_store(&board->down, peer->down);
            }
        }
        atomic_store(&board->received, (uint32_t)b.received);
        atomic_store(&board->downs, downs);
    }
    mock_close(&b);
    return 0;
}

static void await(_Atomic uint32_t *word, uint32_t value, struct mock *mock)
{
    while (atomic_load(word) < value) {
        if (mock != NULL) {
            mock_relax(mock);
        } else {
            usleep(100);
        }
    }
}

/* Closes what it has inherited. */
static int closes(void *arg)
{
    struct mock *inherited = arg;

    mock_close(inherited);
    return 0;
}

/* Just ends, with everything mapped. */
static int ends(void *arg)
{
    (void)arg;
    return 0;
}

/* Closes what it has inherited, then has a link of its own. */
static int talks(void *arg)
{
    struct mock *inherited = arg;
    struct mock own;
    struct ni_peer *to_partner, *to_parent;

    mock_open(&own, 60, NULL);
    to_partner = mock_connect(&own, board->blob[1], board->len);
    to_parent = mock_connect(&own, board->blob[0], board->len);
    CHECK(!to_parent->ep->same_memory);
    mock_close(inherited);
    for (int i = 0; i < 500; i++) {
        mock_send_all(to_partner, 16 + (uint32_t)i);
        mock_send_all(to_parent, 16 + (uint32_t)i);
    }
    mock_close(&own);
    return 0;
}

static void test_children(void)
{
    struct mock a;
    struct ni_peer *peer;
    uint32_t before;

    mock_open(&a, 1, NULL);
    (void)mock_blob(&a, board->blob[0]);
    peer = mock_connect(&a, board->blob[1], board->len);
    for (int i = 0; i < 100; i++) {
        pid_t pid;

        mock_send_all(peer, 500);
        pid = mock_fork(i % 2 == 0 ? closes : ends, &a);
        mock_send_all(peer, 500);
        mock_join(pid);
        mock_send_all(peer, 500);
    }
    await(&board->received, 300, &a);
    CHECK(atomic_load(&board->downs) == 0 && peer->down == NI_OK);
    before = atomic_load(&board->received);
    pid_t pid = mock_fork(talks, &a);
    while (a.peers->received < 500 && peer->received < 500) {
        mock_relax(&a);
    }
    mock_join(pid);
    await(&board->received, before + 500, &a);
    await(&board->downs, 1, &a);
    CHECK(atomic_load(&board->down) == NI_ERR_PEER_CLOSED && peer->down == NI_OK);
    mock_send_all(peer, 5000);
    await(&board->received, before + 501, &a);
    mock_close(&a);
    await(&board->downs, 2, NULL);
    CHECK(atomic_load(&board->down) == NI_ERR_PEER_CLOSED);
}

/* ---- the parent dies, the child lives -------------------------------------------------------- */

static int orphan(void *arg)
{
    (void)arg;
    CHECK(prctl(PR_SET_PDEATHSIG, 0) == 0); /* it outlives its parent */
    atomic_store(&board->orphan, getpid());
    while (atomic_load(&board->stop) == 0) {
        usleep(1000);
    }
    return 0;
}

static int parent(void *arg)
{
    struct mock a;
    struct ni_peer *peer;

    (void)arg;
    mock_open(&a, 2, NULL);
    peer = mock_connect(&a, board->blob[1], board->len);
    for (int i = 0; i < 20; i++) {
        mock_send_all(peer, 500);
    }
    (void)mock_fork(orphan, NULL);
    while (atomic_load(&board->orphan) == 0) {
        usleep(100);
    }
    raise(SIGKILL);
    return 1;
}

static void test_orphan(void)
{
    uint32_t downs = atomic_load(&board->downs);
    pid_t pid = mock_fork(parent, NULL);

    CHECK(waitpid(pid, NULL, 0) == pid);
    await(&board->downs, downs + 1, NULL);
    CHECK(kill(atomic_load(&board->orphan), 0) == 0);
}

int main(void)
{
    pid_t pid;

    board = mock_shared(sizeof(*board));
    mock_param("peer_check_ms", "10");
    pid = mock_fork(partner, NULL);
    await(&board->ready, 1, NULL);
    test_children();
    test_orphan();
    atomic_store(&board->stop, 1);
    mock_join(pid);
    return 0;
}
