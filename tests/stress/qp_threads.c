/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apeni/apeni.h>

/*
 * Queue pairs, each with a thread that posts and one that polls; two more threads make progress,
 * and one makes and removes a pair over and over. Each request reads a line that names it, and each
 * completes exactly once, with its line.
 *
 *   qp_threads [REQUESTS]   of each pair
 */

enum { PAIRS = 3, REQUESTS = 4000, RING = 16, SLOTS = 64, LINE = 256, UNROLL = 64 };

#define CHECK(condition) ((condition) ? (void)0 : failed(__LINE__, #condition))

static _Noreturn void failed(int line, const char *what)
{
    fprintf(stderr, "qp_threads: line %d: %s\n", line, what);
    abort();
}

struct pair {
    _Alignas(64) struct ni_qp_request requests[RING];
    struct ni_qp_completion completions[RING];
    struct ni_qp_ends ends;
    struct ni_qp qp;
    ni_handle handle;
    uint16_t target;
    uint8_t local[SLOTS][LINE];
    _Atomic bool busy[SLOTS]; /* from post to poll */
    pthread_t poster, poller;
};

static struct ni_fabric *fabric;
static struct ni *ni, *other;
static struct ni_peer *peer;
static struct ni_rkey key;
static uint8_t remote[SLOTS][LINE];
static struct pair *pairs;
static unsigned requests = REQUESTS;
static _Atomic unsigned working;

static void create(struct pair *pair)
{
    struct ni_qp_attr attr = {.requests = pair->requests,
                              .request_count = RING,
                              .completions = pair->completions,
                              .completion_count = RING,
                              .ends = &pair->ends,
                              .unroll = UNROLL};

    CHECK(ni_qp_create(ni, &attr, &pair->handle) == NI_OK);
    CHECK(ni_qp_target(ni, pair->handle, peer, &key, &pair->target) == NI_OK);
    ni_qp_open(&pair->qp, &attr);
}

static void *post(void *arg)
{
    struct pair *pair = arg;

    for (unsigned i = 0; i < requests; i++) {
        unsigned slot = i % SLOTS;
        struct ni_qp_work work = {.op = NI_QP_READ,
                                  .target = pair->target,
                                  .cookie = i,
                                  .len = LINE,
                                  .local = pair->local[slot],
                                  .remote = (uintptr_t)remote[slot]};

        /* Pairs with the release in poll. */
        while (atomic_load_explicit(&pair->busy[slot], memory_order_acquire)) {
            sched_yield();
        }
        atomic_store_explicit(&pair->busy[slot], true, memory_order_relaxed);
        memset(pair->local[slot], 0, LINE);
        while (!ni_qp_post(&pair->qp, &work)) {
            sched_yield();
        }
        if (i % 64 == 0) {
            CHECK(ni_qp_poke(ni, pair->handle) == NI_OK);
        }
    }
    return NULL;
}

static void *poll(void *arg)
{
    struct pair *pair = arg;
    struct ni_qp_result result;

    for (unsigned i = 0; i < requests; i++) {
        unsigned slot;

        while (!ni_qp_poll(&pair->qp, &result)) {
            sched_yield();
        }
        slot = result.cookie % SLOTS;
        CHECK(result.status == NI_OK && result.value == LINE && result.cookie < requests);
        CHECK(memcmp(pair->local[slot], remote[slot], LINE) == 0);
        CHECK(atomic_load_explicit(&pair->busy[slot], memory_order_relaxed));
        /* Pairs with the acquire in post. */
        atomic_store_explicit(&pair->busy[slot], false, memory_order_release);
    }
    atomic_fetch_sub(&working, 1);
    return NULL;
}

static void *move(void *arg)
{
    (void)arg;
    while (atomic_load(&working) != 0) {
        if (ni_progress(ni) + ni_progress(other) == 0) {
            sched_yield();
        }
    }
    return NULL;
}

/* Pairs that go with requests under way; what they read into stays. */
static void *come_and_go(void *arg)
{
    struct pair *pair = arg;

    while (atomic_load(&working) != 0) {
        struct ni_qp_work work = {.op = NI_QP_NOP, .flags = NI_QP_FENCE};

        create(pair);
        for (unsigned i = 0; i < RING; i++) {
            CHECK(ni_qp_post(&pair->qp, &work));
        }
        sched_yield();
        CHECK(ni_region_deregister(ni, pair->handle) == NI_OK);
    }
    return NULL;
}

static void setup(void)
{
    struct ni_fabric_attr packets = {.no_direct_copy = 1};
    struct ni_open_attr attr = {.flags = NI_THREADS};
    uint8_t blob[NI_BLOB_MAX];
    struct ni_rkey mine;

    for (unsigned i = 0; i < SLOTS; i++) {
        memset(remote[i], (int)(i + 1), LINE);
    }
    pairs = aligned_alloc(64, (PAIRS + 1) * sizeof(*pairs));
    CHECK(pairs != NULL);
    memset((void *)pairs, 0, (PAIRS + 1) * sizeof(*pairs));
    CHECK(ni_fabric_create(&packets, &fabric) == NI_OK);
    attr.fabric = fabric;
    CHECK(ni_open(&attr, &ni) == NI_OK && ni_open(&attr, &other) == NI_OK);
    CHECK(ni_connect(ni, blob, ni_address(other, blob, sizeof(blob)), &peer) == NI_OK);
    CHECK(ni_region_memory(other, remote, sizeof(remote), NI_ACCESS_READ, &key) == NI_OK);
    CHECK(ni_region_memory(ni, pairs, (PAIRS + 1) * sizeof(*pairs), NI_ACCESS_ALL, &mine) == NI_OK);
}

int main(int argc, char **argv)
{
    pthread_t movers[2], guest;

    if (argc > 1) {
        requests = (unsigned)strtoul(argv[1], NULL, 0);
    }
    setup();
    atomic_store(&working, PAIRS);
    for (unsigned i = 0; i < PAIRS; i++) {
        create(&pairs[i]);
        CHECK(pthread_create(&pairs[i].poster, NULL, post, &pairs[i]) == 0);
        CHECK(pthread_create(&pairs[i].poller, NULL, poll, &pairs[i]) == 0);
    }
    CHECK(pthread_create(&guest, NULL, come_and_go, &pairs[PAIRS]) == 0);
    for (unsigned i = 0; i < 2; i++) {
        CHECK(pthread_create(&movers[i], NULL, move, NULL) == 0);
    }
    for (unsigned i = 0; i < PAIRS; i++) {
        CHECK(pthread_join(pairs[i].poster, NULL) == 0 && pthread_join(pairs[i].poller, NULL) == 0);
    }
    CHECK(pthread_join(movers[0], NULL) == 0 && pthread_join(movers[1], NULL) == 0);
    CHECK(pthread_join(guest, NULL) == 0);
    for (unsigned i = 0; i < PAIRS; i++) {
        struct ni_qp_result result;

        CHECK(!ni_qp_poll(&pairs[i].qp, &result));
    }
    ni_close(ni);
    ni_close(other);
    ni_fabric_destroy(fabric);
    free(pairs);
    return 0;
}
