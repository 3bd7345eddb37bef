/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Long payloads go by the remote key of their sender's memory if both ends say so, in messages if either does not, and arrive
 * whole in any case.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apeni/apeni.h>

#include "base/clock.h"

#define CHECK(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))
#define LIMIT_NS         UINT64_C(120000000000)

enum { MESSAGES = 40, BYTES = 100000 };

static uint64_t received;

static _Noreturn void fail(int line, const char *what)
{
    fprintf(stderr, "test_ucx_keys.c:%d: %s\n", line, what);
    exit(1);
}

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

/* Both send at the same time. Returns how many were got by a key here. */
static uint64_t exchange(int fd, const char *how)
{
    struct ni_open_attr attr = {.job_key = 77};
    uint64_t begin = ni_now_ns(), got, their_received = 0;
    static uint8_t data[BYTES];
    struct ni_peer *peer;
    struct ni_rkey queue;
    ni_status status;
    struct ni *ni;
    char error[256];

    received = 0;
    CHECK(ni_param_set("links", "ucx", "test", error, sizeof(error)) == NI_OK);
    CHECK(ni_param_set("ucx_bulk", how, "test", error, sizeof(error)) == NI_OK);
    CHECK(ni_open(&attr, &ni) == NI_OK);
    CHECK(ni_region_consumer(ni, on_message, NULL, 0, &queue) == NI_OK);
    peer = meet(ni, fd, &queue.handle);
    for (uint64_t i = 0; i < MESSAGES; i++) {
        compose(data, i);
        while ((status = ni_message(ni, peer, queue.handle, 0, data, BYTES, NULL, 0)) == NI_AGAIN) {
            turn(ni, begin);
        }
        CHECK(status == NI_OK);
    }
    /* Over TCP a get is answered by the sender's UCX, while it is polled. */
    while (received < MESSAGES || their_received < MESSAGES) {
        turn(ni, begin);
        if (received == MESSAGES && their_received == 0) {
            CHECK(send(fd, &received, sizeof(received), 0) == (ssize_t)sizeof(received));
            their_received = 1; /* said, not heard */
        }
        if (their_received == 1 &&
            recv(fd, &their_received, sizeof(their_received), MSG_DONTWAIT) < 0) {
            their_received = 1;
        }
    }
    got = ni_stat_read(ni, ni_stat_find("rx_got"));
    ni_close(ni);
    return got;
}

/* Two processes, of which each does it its way. */
static void pair(const char *ours, const char *theirs, uint64_t least, uint64_t most)
{
    int fds[2], status;
    uint64_t got;
    pid_t child;

    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
    child = fork();
    CHECK(child >= 0);
    got = exchange(fds[child == 0], child == 0 ? theirs : ours);
    if (got < least || got > most) {
        fprintf(stderr, "%s and %s: %llu payloads were got by a key\n", ours, theirs,
                (unsigned long long)got);
    }
    CHECK(got >= least && got <= most);
    if (child == 0) {
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    (void)close(fds[0]);
    (void)close(fds[1]);
}

/* UCX is loaded in children only, so that each pair is new to it. */
static void pair_apart(const char *ours, const char *theirs, uint64_t least, uint64_t most)
{
    pid_t child = fork();
    int status;

    CHECK(child >= 0);
    if (child == 0) {
        pair(ours, theirs, least, most);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

int main(void)
{
    pair_apart("get", "get", MESSAGES, MESSAGES);
    pair_apart("get", "message", 0, 0);
    pair_apart("message", "get", 0, 0);
    pair_apart("message", "message", 0, 0);
    return 0;
}
