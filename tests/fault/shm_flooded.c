/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process of another user sends to the sockets by which segments are handed out, all the time
 * and as fast as it can: nothing, noise, questions and answers with guessed secrets. One question
 * of a peer is enough all the same: none of it takes a place in the queues, which hold ten.
 *
 * Covers: ni/link/shm/socket.c
 */
#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/clock.h"
#include "link/shm/shm.h"
#include "shm_mock.h"

enum { ROUNDS = 25, BATCH = 64, NOBODY = 65534 };
#define LIMIT_NS UINT64_C(30000000000)

/* As in socket.c. */
struct message {
    uint32_t magic, kind;
    uint64_t nonce, key;
};
#define MAGIC UINT32_C(0x51536e41)

struct board {
    _Atomic uint32_t ready;   /* those that are open */
    _Atomic uint32_t batches; /* sent by the stranger */
    _Atomic uint32_t look;    /* the owner shall poll */
    _Atomic uint32_t looks;   /* the owner does */
    _Atomic uint32_t taken;   /* the owner has the packet */
    _Atomic uint32_t done;
    uint8_t blob[2][MOCK_BLOB];
    size_t len;
};

static struct board *board;

static uint64_t socket_of(unsigned i)
{
    struct ni_shm_blob blob;

    memcpy(&blob, board->blob[i], sizeof(blob));
    return blob.socket;
}

/* ---- the stranger ---------------------------------------------------------------------------- */

static void become_nobody(void)
{
    if (geteuid() != 0) {
        printf("the stranger is one of our own user: we are not root\n");
        return;
    }
    CHECK(setgroups(0, NULL) == 0 && setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
    CHECK(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
}

static void send_one(int fd, unsigned number, const struct sockaddr_un *to, socklen_t len)
{
    struct message message = {
        .magic = MAGIC, .kind = number % 4, .nonce = number, .key = number + 1};
    static const char much[4096];
    ssize_t sent;

    if (number % 7 == 0) {
        sent = sendto(fd, much, number % 2 == 0 ? 0 : sizeof(much), MSG_DONTWAIT,
                      (const struct sockaddr *)to, len);
    } else {
        sent =
            sendto(fd, &message, sizeof(message), MSG_DONTWAIT, (const struct sockaddr *)to, len);
    }
    CHECK(sent >= 0 || errno == EAGAIN || errno == ENOBUFS || errno == ECONNREFUSED);
}

static int flood(void *arg)
{
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    struct sockaddr_un to[2] = {{.sun_family = AF_UNIX}, {.sun_family = AF_UNIX}};
    socklen_t len[2];

    (void)arg;
    become_nobody();
    for (unsigned i = 0; i < 2; i++) {
        int chars = snprintf(to[i].sun_path + 1, sizeof(to[i].sun_path) - 1, "apelink-%016llx",
                             (unsigned long long)socket_of(i));

        len[i] = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)chars);
    }
    while (atomic_load(&board->done) == 0) {
        for (unsigned i = 0; i < BATCH; i++) {
            send_one(fd, i, &to[0], len[0]);
            send_one(fd, i, &to[1], len[1]);
        }
        (void)atomic_fetch_add(&board->batches, 1);
    }
    (void)close(fd);
    return 0;
}

/* ---- who is asked ---------------------------------------------------------------------------- */

static int own(void *arg)
{
    struct mock mock;

    (void)arg;
    mock_open(&mock, 1, NULL);
    board->len = mock_blob(&mock, board->blob[1]);
    (void)atomic_fetch_add(&board->ready, 1);
    while (atomic_load(&board->done) == 0) {
        uint32_t look = atomic_load(&board->look);

        atomic_store(&board->looks, look);
        if (look != 0) {
            mock_relax(&mock);
            atomic_store(&board->taken, mock.received != 0);
        } else {
            usleep(100);
        }
    }
    mock_close(&mock);
    return 0;
}

static void have_look(uint32_t look)
{
    uint64_t begin = ni_now_ns();

    atomic_store(&board->look, look);
    while (atomic_load(&board->looks) != look) {
        CHECK(ni_now_ns() - begin < LIMIT_NS);
        usleep(100);
    }
}

/* ---- who asks -------------------------------------------------------------------------------- */

static void await_flood(void)
{
    uint32_t before = atomic_load(&board->batches);
    uint64_t begin = ni_now_ns();

    while (atomic_load(&board->batches) - before < 2) {
        CHECK(ni_now_ns() - begin < LIMIT_NS);
        usleep(100);
    }
}

/* It asks once, while the owner does not look. */
static struct ni_peer *ask(struct mock *mock, const struct ni_shm_blob *blob)
{
    struct ni_peer *peer = mock_connect(mock, blob, sizeof(*blob));
    struct ni_shm_peer *asking = (struct ni_shm_peer *)(void *)peer->ep;
    struct ni_shm_link *link = asking->link;
    uint64_t begin = ni_now_ns();

    CHECK(asking->stage == NI_SHM_CONNECTING);
    asking->ask_again = UINT64_MAX;
    have_look(1);
    while (atomic_load(&asking->segment) == NULL) {
        ni_shm_socket_poll(link);
        CHECK(ni_now_ns() - begin < LIMIT_NS);
    }
    return peer;
}

int main(void)
{
    struct mock mock;
    struct ni_shm_blob blob;
    pid_t owner, stranger;

    board = mock_shared(sizeof(*board));
    owner = mock_fork(own, NULL);
    mock_open(&mock, 0, NULL);
    (void)mock_blob(&mock, board->blob[0]);
    while (atomic_load(&board->ready) == 0) {
        usleep(100);
    }
    stranger = mock_fork(flood, NULL);
    memcpy(&blob, board->blob[1], sizeof(blob));
    blob.pid_ns ^= 1; /* so that it asks */
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct ni_peer *peer;

        have_look(0);
        await_flood();
        peer = ask(&mock, &blob);
        if (i + 1 == ROUNDS) {
            uint64_t begin = ni_now_ns();

            mock_send_all(peer, 16);
            while (atomic_load(&board->taken) == 0) {
                CHECK(ni_now_ns() - begin < LIMIT_NS);
                usleep(100);
            }
        }
        mock_disconnect(&mock, peer);
    }
    atomic_store(&board->done, 1);
    mock_join(stranger);
    mock_join(owner);
    mock_close(&mock);
    return 0;
}
