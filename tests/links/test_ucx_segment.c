/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * UCX asks sockets for as much at once as the link prefers, unless the user says otherwise: its
 * calls of the kernel are watched.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <apeni/apeni.h>

#include "base/clock.h"
#include "link/ucx/ucx.h"

#define CHECK(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))
#define LIMIT_NS         UINT64_C(20000000000)

enum { HEAD = 64 }; /* at most, of UCX, beside a segment */

static _Atomic size_t asked; /* the most bytes at once */
static unsigned received;

static _Noreturn void fail(int line, const char *what)
{
    fprintf(stderr, "test_ucx_segment.c:%d: %s (asked for %zu bytes at once)\n", line, what,
            atomic_load_explicit(&asked, memory_order_relaxed));
    exit(1);
}

/* Instead of the C library's, also for UCX. Relaxed: looked at when nobody receives. */
__attribute__((visibility("default"))) ssize_t recv(int fd, void *bytes, size_t len, int flags)
{
    if (len > atomic_load_explicit(&asked, memory_order_relaxed)) {
        atomic_store_explicit(&asked, len, memory_order_relaxed);
    }
    return syscall(SYS_recvfrom, fd, bytes, len, flags, NULL, NULL);
}

static void on_message(void *arg, const struct ni_message_info *message)
{
    (void)arg;
    (void)message;
    received++;
}

static struct ni_peer *meet(struct ni *ni, struct ni *other)
{
    uint8_t blob[NI_BLOB_MAX];
    size_t len = ni_address(other, blob, sizeof(blob));
    struct ni_peer *peer;

    CHECK(ni_connect(ni, blob, len, &peer) == NI_OK);
    return peer;
}

/* One message from one interface to another. */
static void deliver(void)
{
    const struct ni_open_attr attr = {.job_key = 77};
    uint64_t begin = ni_now_ns();
    struct ni_rkey queue;
    struct ni *ni[2];
    struct ni_peer *peer;
    bool sent = false;

    received = 0;
    atomic_store_explicit(&asked, 0, memory_order_relaxed);
    CHECK(ni_open(&attr, &ni[0]) == NI_OK);
    CHECK(ni_open(&attr, &ni[1]) == NI_OK);
    CHECK(ni_region_consumer(ni[1], on_message, NULL, 0, &queue) == NI_OK);
    peer = meet(ni[0], ni[1]);
    (void)meet(ni[1], ni[0]);
    while (received == 0) {
        sent = sent || ni_message(ni[0], peer, queue.handle, 0, &begin, 8, NULL, 0) == NI_OK;
        (void)ni_progress(ni[0]);
        (void)ni_progress(ni[1]);
        CHECK(ni_now_ns() - begin < LIMIT_NS);
    }
    ni_close(ni[0]);
    ni_close(ni[1]);
}

static bool was_asked_for(size_t segment)
{
    size_t most = atomic_load_explicit(&asked, memory_order_relaxed);

    return most >= segment && most <= segment + HEAD;
}

int main(void)
{
    char error[256];

    CHECK(ni_param_set("links", "ucx", "test", error, sizeof(error)) == NI_OK);
    CHECK(unsetenv("UCX_TCP_RX_SEG_SIZE") == 0);
    deliver();
    CHECK(was_asked_for(strtoul(NI_UCX_TCP_SEGMENT, NULL, 10) * 1024));
    CHECK(setenv("UCX_TCP_RX_SEG_SIZE", "72k", 1) == 0);
    deliver();
    CHECK(was_asked_for(72 * 1024));
    return 0;
}
