/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <apeni/apeni.h>

/*
 * Flushes beside operations that are refused: one thread tries to enqueue at a peer whose lane is
 * full, another one flushes. What is refused ends the flushes that waited for it, with success.
 */

enum { FLUSHES = 100000, ENDED = -1000 };

#define CHECK(condition) ((condition) ? (void)0 : failed(__LINE__, #condition))

static _Noreturn void failed(int line, const char *what)
{
    fprintf(stderr, "flush_threads: line %d: %s\n", line, what);
    abort();
}

struct one {
    struct ni *ni;
    struct ni_peer *peer;
    struct ni_rkey queue;
    _Atomic bool over;
    uint64_t refused;
};

static void *refuse(void *arg)
{
    struct one *one = arg;
    uint64_t item = 0;

    do {
        CHECK(ni_enqueue(one->ni, one->peer, &one->queue, &item, sizeof(item), NULL) == NI_AGAIN);
        one->refused++;
    } while (!atomic_load(&one->over));
    return NULL;
}

static void on_flushed(void *arg, ni_status status, uint64_t value)
{
    _Atomic int *result = arg;

    (void)value;
    atomic_store(result, status);
}

static void flush(struct one *one, struct ni_peer *peer)
{
    _Atomic int result = ENDED;
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = on_flushed, .arg = &result};

    CHECK(ni_flush(one->ni, peer, &ack) == NI_OK);
    while (atomic_load(&result) == ENDED) {
        sched_yield(); /* not ni_progress, which has nothing to do here */
    }
    CHECK(atomic_load(&result) == NI_OK);
}

int main(void)
{
    struct ni_fabric *fabric;
    struct ni_open_attr attr = {.flags = NI_THREADS};
    struct one one = {.over = false};
    struct ni *target;
    uint8_t blob[NI_BLOB_MAX];
    pthread_t thread;

    CHECK(ni_fabric_create(NULL, &fabric) == NI_OK);
    attr.fabric = fabric;
    CHECK(ni_open(&attr, &one.ni) == NI_OK && ni_open(&attr, &target) == NI_OK);
    CHECK(ni_connect(one.ni, blob, ni_address(target, blob, sizeof(blob)), &one.peer) == NI_OK);
    CHECK(ni_region_queue(target, 8, 64, &one.queue) == NI_OK);
    /* The target never polls: its lane fills. */
    while (ni_message(one.ni, one.peer, one.queue.handle, 0, NULL, 0, &one, 8) == NI_OK) {
    }
    CHECK(pthread_create(&thread, NULL, refuse, &one) == 0);
    for (int i = 0; i < FLUSHES; i++) {
        flush(&one, i % 2 == 0 ? NULL : one.peer);
    }
    atomic_store(&one.over, true);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(one.refused > 0 && ni_stat_read(one.ni, ni_stat_find("pending_ops")) == 0);
    ni_close(one.ni);
    ni_close(target);
    ni_fabric_destroy(fabric);
    return 0;
}
