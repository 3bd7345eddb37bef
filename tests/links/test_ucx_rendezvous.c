/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/link/ucx/send.c ni/link/ucx/receive.c. */
/*
 * Long payloads go by UCX's rendezvous, which gets or puts them by the remote key of registered
 * memory, straight from the sender's lane to the receiver's, where a transport can: without a
 * network that does, it is shown on UCX's own copies between processes. Its calls of the kernel are
 * counted: each has to move whole payloads.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apeni/apeni.h>

#include "base/clock.h"
#include "link/ucx/ucx.h"

#define CHECK(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))
#define LIMIT_NS         UINT64_C(120000000000)

enum { MESSAGES = 40, BYTES = 100000, SHORT = 4096 };

static _Atomic uint64_t got, put; /* bytes of payloads that UCX had the kernel copy */
static uint64_t received;

static _Noreturn void fail(int line, const char *what)
{
    fprintf(stderr, "test_ucx_rendezvous.c:%d: %s\n", line, what);
    exit(1);
}

/* ---- instead of the C library's, also for UCX ------------------------------------------------ */

#define EXPORTED __attribute__((visibility("default")))

static ssize_t counted(_Atomic uint64_t *bytes, ssize_t done)
{
    if (done >= SHORT) { /* UCX puts some words of its own */
        atomic_fetch_add_explicit(bytes, (uint64_t)done, memory_order_relaxed);
    }
    return done;
}

EXPORTED ssize_t process_vm_readv(pid_t pid, const struct iovec *local, unsigned long locals,
                                  const struct iovec *remote, unsigned long remotes,
                                  unsigned long flags)
{
    return counted(&got, syscall(SYS_process_vm_readv, pid, local, locals, remote, remotes, flags));
}

EXPORTED ssize_t process_vm_writev(pid_t pid, const struct iovec *local, unsigned long locals,
                                   const struct iovec *remote, unsigned long remotes,
                                   unsigned long flags)
{
    return counted(&put,
                   syscall(SYS_process_vm_writev, pid, local, locals, remote, remotes, flags));
}

/* The link gives out addresses for the network alone; here that of copies between processes stands
 * for one. */
static ucs_status_t (*query)(ucp_worker_h, ucp_worker_attr_t *);

static ucs_status_t query_all(ucp_worker_h worker, ucp_worker_attr_t *attr)
{
    attr->field_mask &= ~(uint64_t)UCP_WORKER_ATTR_FIELD_ADDRESS_FLAGS;
    return query(worker, attr);
}

/* ---- two processes --------------------------------------------------------------------------- */

/* What is sent as message number i. */
static void compose(uint8_t *data, uint64_t i)
{
    for (size_t at = 0; at < BYTES; at++) {
        data[at] = (uint8_t)(at / 251 + 7 * i + at % 13);
    }
}

static void on_message(void *arg, const struct ni_message_info *message)
{
    static uint8_t expected[BYTES];

    (void)arg;
    compose(expected, received);
    CHECK(message->len == BYTES && memcmp(message->data, expected, BYTES) == 0);
    received++;
}

static void turn(struct ni *ni, uint64_t begin)
{
    (void)ni_progress(ni);
    CHECK(ni_now_ns() - begin < LIMIT_NS);
}

/* To the other process and back. */
static void swap(int fd, const void *mine, void *theirs, size_t len)
{
    CHECK(send(fd, mine, len, 0) == (ssize_t)len);
    CHECK(recv(fd, theirs, len, MSG_WAITALL) == (ssize_t)len);
}

static struct ni_peer *meet(struct ni *ni, int fd, ni_handle *queue)
{
    uint8_t mine[NI_BLOB_MAX] = {0}, theirs[NI_BLOB_MAX];
    size_t len = ni_address(ni, mine, sizeof(mine)), their_len;
    struct ni_peer *peer;
    ni_handle own = *queue;

    swap(fd, &len, &their_len, sizeof(len));
    swap(fd, mine, theirs, sizeof(mine));
    swap(fd, &own, queue, sizeof(own));
    CHECK(ni_connect(ni, theirs, their_len, &peer) == NI_OK);
    return peer;
}

static struct ni *open_ni(void)
{
    struct ni_open_attr attr = {.job_key = 77};
    ucp_context_h context;
    char error[256];
    struct ni *ni;

    CHECK(ni_param_set("links", "ucx", "test", error, sizeof(error)) == NI_OK);
    CHECK(ni_ucx_library_get(&context) == NI_OK);
    query = ni_ucx.ucp_worker_query;
    ni_ucx.ucp_worker_query = query_all;
    CHECK(ni_open(&attr, &ni) == NI_OK);
    ni_ucx_library_put();
    return ni;
}

/* Both send at the same time, and are polled until both have received all. */
static void exchange(int fd)
{
    uint64_t begin = ni_now_ns(), theirs = 0;
    static uint8_t data[BYTES];
    struct ni *ni = open_ni();
    struct ni_peer *peer;
    struct ni_rkey queue;
    bool said = false;
    ni_status status;

    CHECK(ni_region_consumer(ni, on_message, NULL, 0, &queue) == NI_OK);
    peer = meet(ni, fd, &queue.handle);
    for (uint64_t i = 0; i < MESSAGES; i++) {
        compose(data, i);
        while ((status = ni_message(ni, peer, queue.handle, 0, data, BYTES, NULL, 0)) == NI_AGAIN) {
            turn(ni, begin);
        }
        CHECK(status == NI_OK);
    }
    while (received < MESSAGES || theirs < MESSAGES) {
        turn(ni, begin);
        if (received == MESSAGES && !said) {
            CHECK(send(fd, &received, sizeof(received), 0) == (ssize_t)sizeof(received));
            said = true;
        }
        if (theirs == 0) {
            (void)recv(fd, &theirs, sizeof(theirs), MSG_DONTWAIT);
        }
    }
    ni_close(ni);
}

static void pair(const char *scheme)
{
    int fds[2], status;
    uint64_t by_get, by_put;
    pid_t child;

    CHECK(setenv("UCX_RNDV_SCHEME", scheme, 1) == 0);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
    child = fork();
    CHECK(child >= 0);
    exchange(fds[child == 0]);
    by_get = atomic_load(&got);
    by_put = atomic_load(&put);
    printf("%s: %llu bytes were got and %llu put by their keys\n", scheme,
           (unsigned long long)by_get, (unsigned long long)by_put);
    (void)fflush(stdout);
    CHECK(strcmp(scheme, "get_zcopy") == 0 ? by_get == (uint64_t)MESSAGES * BYTES && by_put == 0
                                           : by_put == (uint64_t)MESSAGES * BYTES && by_get == 0);
    if (child == 0) {
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    (void)close(fds[0]);
    (void)close(fds[1]);
}

/* UCX is loaded in children only, so that it reads its variables anew. Returns the exit status of
 * one. */
static int apart(void (*what)(const char *), const char *arg)
{
    pid_t child = fork();
    int status;

    CHECK(child >= 0);
    if (child == 0) {
        what(arg);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void load_with(const char *transports)
{
    ucp_context_h context;

    CHECK(setenv("UCX_TLS", transports, 1) == 0);
    CHECK(ni_ucx_library_get(&context) == NI_OK);
    ni_ucx_library_put();
}

/* Whether the kernel copies between processes of ours at all. */
static bool is_possible(void)
{
    char from = 'x', to = 0;
    struct iovec local = {&to, 1}, remote = {&from, 1};

    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1 && to == 'x';
}

int main(void)
{
    if (!is_possible()) {
        printf("the kernel does not copy between processes here: %s\n", strerror(errno));
        return 77;
    }
    if (apart(load_with, "cma") != 0) {
        printf("this UCX has no transport \"cma\"\n");
        return 77;
    }
    atomic_store(&got, 0);
    /* UCX asks of a transport that it takes keys back when a peer is lost, and has to be told that
     * this one does. */
    CHECK(setenv("UCX_TLS", "tcp,cma", 1) == 0);
    CHECK(setenv("UCX_CMA_MEMORY_INVALIDATE", "y", 1) == 0);
    CHECK(setenv("UCX_RNDV_THRESH", "32k", 1) == 0);
    CHECK(apart(pair, "get_zcopy") == 0);
    CHECK(apart(pair, "put_zcopy") == 0);
    return 0;
}
