/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apeni/apeni.h>

#include "base/random.h"

/*
 * One multi-reader queue at the first of two NIs, several threads on each, and each thread puts
 * items and takes items in every way there is, with waits that are given up and requests that are
 * canceled; another queue comes and goes under a number that all use. Each item comes once.
 *
 *   queues_threads [ITEMS]   of each thread
 */

enum { THREADS = 2, SIDES = 2, ITEMS = 150, ITEMS_MAX = 100000, NUMBER = 5, CAPACITY = 8 };

#define CHECK(condition) ((condition) ? (void)0 : failed(__LINE__, #condition))

static const char *mode;
static unsigned items = ITEMS;
static _Atomic unsigned total;
static _Atomic uint8_t *came; /* by thread and number */
static _Atomic unsigned working;

static _Noreturn void failed(int line, const char *what)
{
    fprintf(stderr, "queues_threads: line %d: %s (%s)\n", line, what, mode);
    abort();
}

struct side {
    struct ni *ni;
    struct ni_peer *peer;
    struct ni_rkey *queue; /* that of the first side */
};

struct worker {
    struct side *side;
    unsigned index, number; /* of all; next item */
    bool owner;
    struct ni_rng rng;
    pthread_t thread;
};

static void note(uint64_t item)
{
    uint64_t thread = item >> 32, number = item & UINT32_MAX;

    CHECK(thread < THREADS * SIDES && number < items);
    CHECK(atomic_exchange(&came[thread * items + number], 1) == 0);
    atomic_fetch_add(&total, 1);
}

static void turn(const struct worker *worker)
{
    if (ni_progress(worker->side->ni) == 0) {
        sched_yield();
    }
}

static uint64_t await(const struct worker *worker, ni_word *word)
{
    uint64_t value;

    while ((value = atomic_load_explicit(word, memory_order_acquire)) == 0) {
        turn(worker);
    }
    return value;
}

/* ---- putting --------------------------------------------------------------------------------- */

static void put(struct worker *worker)
{
    struct side *side = worker->side;
    uint64_t item = (uint64_t)worker->index << 32 | worker->number;
    ni_status status;

    if (worker->number == items) {
        return;
    }
    if (worker->owner) {
        status = ni_queue_push(side->ni, side->queue->handle, &item, sizeof(item));
    } else {
        ni_word word = 0;
        struct ni_ack ack = {.kind = NI_ACK_WORD, .word = &word};

        status = ni_enqueue(side->ni, side->peer, side->queue, &item, sizeof(item), &ack);
        if (status == NI_OK) {
            status = ni_ack_status(await(worker, &word));
        }
    }
    CHECK(status == NI_OK || status == NI_AGAIN);
    worker->number += status == NI_OK;
}

/* ---- taking ---------------------------------------------------------------------------------- */

static void take_waiting(struct worker *worker)
{
    struct side *side = worker->side;
    uint64_t item;
    ni_status status = ni_dequeue_wait(side->ni, worker->owner ? NULL : side->peer, side->queue,
                                       &item, sizeof(item), ni_rng_below(&worker->rng, 200));

    CHECK(status == NI_OK || status == NI_ERR_TIMEOUT || status == NI_AGAIN);
    if (status == NI_OK) {
        note(item);
    }
}

static void take_or_cancel(struct worker *worker)
{
    struct side *side = worker->side;
    struct ni_peer *peer = worker->owner ? NULL : side->peer;
    uint64_t item, request, word_value;
    ni_word word = 0;
    struct ni_ack ack = {.kind = NI_ACK_WORD, .word = &word};
    ni_status status = ni_dequeue(side->ni, peer, side->queue, &item, sizeof(item), &ack, &request);

    CHECK(status == NI_OK || status == NI_AGAIN);
    if (status != NI_OK) {
        return;
    }
    for (uint64_t turns = ni_rng_below(&worker->rng, 20); turns != 0; turns--) {
        turn(worker);
    }
    CHECK(ni_dequeue_cancel(side->ni, peer, side->queue, request) == NI_OK);
    word_value = await(worker, &word);
    status = ni_ack_status(word_value);
    CHECK(status == NI_OK || status == NI_ERR_CANCELED || status == NI_AGAIN);
    if (status == NI_OK) {
        note(item);
    }
}

static void pop(struct worker *worker)
{
    uint64_t item;
    size_t len;

    if (worker->owner &&
        ni_queue_pop(worker->side->ni, worker->side->queue->handle, &item, 8, &len) == NI_OK) {
        note(item);
    }
}

/* Many at once, to a queue that is made for them. */
static void take_many(struct worker *worker)
{
    struct side *side = worker->side;
    ni_word word = 0;
    struct ni_ack ack = {.kind = NI_ACK_WORD, .word = &word};
    uint64_t item, request;
    struct ni_rkey own;
    ni_status status;
    size_t len;

    if (worker->owner) {
        return;
    }
    CHECK(ni_region_queue(side->ni, 8, 4, &own) == NI_OK);
    CHECK(ni_dequeue_to(side->ni, side->peer, side->queue, 8, own.handle, 3, &ack, &request) ==
          NI_OK);
    for (uint64_t turns = ni_rng_below(&worker->rng, 20); turns != 0; turns--) {
        turn(worker);
    }
    CHECK(ni_dequeue_cancel(side->ni, side->peer, side->queue, request) == NI_OK);
    status = ni_ack_status(await(worker, &word));
    CHECK(status == NI_OK || status == NI_ERR_CANCELED || status == NI_AGAIN);
    while (ni_queue_pop(side->ni, own.handle, &item, 8, &len) == NI_OK) {
        note(item);
    }
    CHECK(ni_region_deregister(side->ni, own.handle) == NI_OK);
}

/* ---- a queue that comes and goes ------------------------------------------------------------- */

static void come_and_go(struct worker *worker)
{
    struct side *side = worker->side;
    struct ni_rkey rkey;

    if (worker->index != 0) {
        return;
    }
    CHECK(ni_region_multi_queue(side->ni, 8, 2, 0, 3, &rkey) == NI_OK);
    CHECK(ni_queue_name(side->ni, NUMBER, NULL, &rkey, 3, 0) == NI_OK);
    for (uint64_t turns = ni_rng_below(&worker->rng, 10); turns != 0; turns--) {
        turn(worker);
    }
    CHECK(ni_region_deregister(side->ni, rkey.handle) == NI_OK);
    CHECK(ni_queue_unname(side->ni, NUMBER) == NI_OK);
}

/* Its requests end, whatever becomes of it. */
static void use_number(struct worker *worker)
{
    struct side *side = worker->side;
    struct ni_rkey rkey = {.handle = ni_queue_handle(NUMBER)};
    ni_word put_word = 0, take_word = 0;
    struct ni_ack put_ack = {.kind = NI_ACK_WORD, .word = &put_word};
    struct ni_ack take_ack = {.kind = NI_ACK_WORD, .word = &take_word};
    uint64_t item = 77, got = 0, request;

    if (worker->owner) {
        return;
    }
    CHECK(ni_dequeue(side->ni, side->peer, &rkey, &got, sizeof(got), &take_ack, &request) == NI_OK);
    if (ni_enqueue(side->ni, side->peer, &rkey, &item, sizeof(item), &put_ack) == NI_OK) {
        (void)await(worker, &put_word);
    }
    CHECK(ni_dequeue_cancel(side->ni, side->peer, &rkey, request) == NI_OK);
    if (ni_ack_status(await(worker, &take_word)) == NI_OK) {
        CHECK(got == 77);
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void *work(void *arg)
{
    static void (*const steps[])(struct worker *) = {
        put, put, put, take_waiting, take_or_cancel, pop, take_many, come_and_go, use_number};
    struct worker *worker = arg;

    while (atomic_load(&total) < items * THREADS * SIDES) {
        steps[ni_rng_below(&worker->rng, sizeof(steps) / sizeof(steps[0]))](worker);
        turn(worker);
    }
    /* Others still want answers of ours. */
    atomic_fetch_sub(&working, 1);
    while (atomic_load(&working) != 0) {
        turn(worker);
    }
    return NULL;
}

static void connect_sides(struct side *from, const struct side *to)
{
    uint8_t blob[NI_BLOB_MAX];
    size_t len = ni_address(to->ni, blob, sizeof(blob));

    CHECK(ni_connect(from->ni, blob, len, &from->peer) == NI_OK);
}

static void run(const char *name, bool inproc)
{
    static const struct ni_fabric_attr defaults;
    struct ni_fabric *fabric = NULL;
    struct worker workers[THREADS * SIDES];
    struct side sides[SIDES];
    struct ni_rkey queue;

    mode = name;
    atomic_store(&total, 0);
    atomic_store(&working, THREADS * SIDES);
    memset((void *)came, 0, (size_t)items * THREADS * SIDES);
    CHECK(!inproc || ni_fabric_create(&defaults, &fabric) == NI_OK);
    for (unsigned s = 0; s < SIDES; s++) {
        struct ni_open_attr attr = {.flags = NI_THREADS, .fabric = fabric, .host_processes = 8};

        sides[s] = (struct side){.queue = &queue};
        CHECK(ni_open(&attr, &sides[s].ni) == NI_OK);
    }
    connect_sides(&sides[0], &sides[1]);
    connect_sides(&sides[1], &sides[0]);
    CHECK(ni_region_multi_queue(sides[0].ni, 8, CAPACITY, 0, 3, &queue) == NI_OK);
    for (unsigned i = 0; i < THREADS * SIDES; i++) {
        workers[i] = (struct worker){.side = &sides[i / THREADS], .index = i, .owner = i < THREADS};
        ni_rng_seed(&workers[i].rng, i + 1);
        CHECK(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0);
    }
    for (unsigned i = 0; i < THREADS * SIDES; i++) {
        CHECK(pthread_join(workers[i].thread, NULL) == 0);
    }
    CHECK(atomic_load(&total) == items * THREADS * SIDES);
    CHECK(ni_stat_read(sides[0].ni, ni_stat_find("queue_requests")) == 0);
    CHECK(ni_stat_read(sides[1].ni, ni_stat_find("pending_ops")) == 0);
    ni_close(sides[0].ni);
    ni_close(sides[1].ni);
    ni_fabric_destroy(fabric);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        items = (unsigned)atoi(argv[1]);
        if (items == 0 || items > ITEMS_MAX) {
            fprintf(stderr, "queues_threads: '%s': wanted is a number from 1 to %d\n", argv[1],
                    ITEMS_MAX);
            return 1;
        }
    }
    came = malloc((size_t)items * THREADS * SIDES);
    CHECK(came != NULL);
    run("inproc", true);
    run("shm", false);
    free((void *)came);
    return 0;
}
