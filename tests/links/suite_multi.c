/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/bulk/request.c ni/engine/object/queue/multi_send.c
 * ni/engine/object/queue/multi_serve.c. */
#include "suite_multi.h"

/*
 * Multi-reader queues: items before requests and requests before items, the order of both, full
 * queues, what is taken back, and waiting.
 * Covers: ni/engine/drive/await.c ni/engine/object/queue/dequeue.c ni/engine/object/queue/multi.c
 */

enum { CAPACITY = 8 };

/* ---- matching -------------------------------------------------------------------------------- */

static void items_first(struct suite *suite)
{
    for (size_t item = 4; item <= 64; item *= 2) {
        struct multi_queue *queue = multi_new(suite, item, CAPACITY - 1, 0); /* rounded up */

        for (uint64_t round = 0; round < (item == 16 ? 2 : 1); round++) {
            for (uint64_t i = 0; i < CAPACITY; i++) {
                CHECK(multi_enqueue(queue, (unsigned)(i % suite->n), round * 100 + i) == NI_OK);
            }
            CHECK(multi_enqueue(queue, 0, 99) == NI_AGAIN);
            for (uint64_t i = 0; i < CAPACITY; i++) {
                multi_check_item(multi_ask(queue, (unsigned)((i + 1) % suite->n)), round * 100 + i);
            }
        }
        multi_deregister(queue);
    }
}

static void requests_first(struct suite *suite)
{
    for (size_t item = 4; item <= 64; item *= 2) {
        struct multi_queue *queue = multi_new(suite, item, CAPACITY, 0);
        uint64_t early = multi_stat(queue, "queue_early");

        for (uint64_t round = 0; round < (item == 16 ? 2 : 1); round++) {
            struct multi_step *asked[CAPACITY], *refused;

            for (unsigned i = 0; i < CAPACITY; i++) {
                asked[i] = multi_ask(queue, i % suite->n);
                CHECK(!multi_is_over(asked[i]));
            }
            refused = multi_ask(queue, 0);
            multi_check_status(refused, NI_AGAIN);
            for (unsigned i = 0; i < CAPACITY; i++) {
                CHECK(multi_enqueue(queue, (i + 2) % suite->n, round * 100 + i) == NI_OK);
                multi_check_item(asked[i], round * 100 + i);
            }
        }
        CHECK(multi_stat(queue, "queue_early") == early + (item == 16 ? 2 : 1) * CAPACITY);
        CHECK(multi_stat(queue, "queue_requests") == 0);
        multi_deregister(queue);
    }
}

/* The owner's own functions see the same items. */
static void pop_here(struct suite_ni *ni, void *arg)
{
    struct multi_step *step = arg;
    size_t len = 0;

    step->status =
        ni_queue_pop(ni->ni, step->queue->rkey.handle, step->item, sizeof(step->item), &len);
    CHECK(step->status != NI_OK || len == step->queue->item);
    if (step->status == NI_OK) {
        CHECK(ni_queue_pop(ni->ni, step->queue->rkey.handle, step->item, 3, &len) != NI_OK);
    }
}

static void owner_pops(struct suite *suite)
{
    struct multi_queue *queue = multi_new(suite, 16, CAPACITY, 0);
    struct multi_step *step = suite_alloc(suite, sizeof(*step)), *waits;

    step->queue = queue;
    suite_call(suite, MULTI_OWNER, pop_here, step);
    CHECK(step->status == NI_AGAIN);
    CHECK(multi_enqueue(queue, 0, 1) == NI_OK);
    CHECK(multi_enqueue(queue, 1, 2) == NI_OK);
    for (uint64_t i = 1; i <= 2; i++) {
        suite_call(suite, MULTI_OWNER, pop_here, step);
        CHECK(step->status == NI_OK && suite_filled(step->item, 16, i));
    }
    /* A request that waits comes before a pop. */
    waits = multi_ask(queue, 2);
    CHECK(multi_enqueue(queue, 1, 3) == NI_OK);
    suite_call(suite, MULTI_OWNER, pop_here, step);
    CHECK(step->status == NI_AGAIN);
    multi_check_item(waits, 3);
}

/* ---- full ------------------------------------------------------------------------------------ */

static void pushes_back(struct suite *suite)
{
    struct multi_queue *queue = multi_new(suite, 8, CAPACITY, NI_QUEUE_PUSH_BACK);
    struct multi_step *waits;

    for (uint64_t i = 0; i < CAPACITY; i++) {
        CHECK(multi_enqueue(queue, 0, i) == NI_OK);
    }
    waits = multi_send(queue, 0, CAPACITY);
    suite_rest(suite);
    CHECK(!multi_is_over(waits));
    CHECK(multi_stat(queue, "queue_held") > 0 && multi_stat(queue, "queue_refused") == 0);
    for (uint64_t i = 0; i <= CAPACITY; i++) {
        multi_check_item(multi_ask(queue, 2), i);
    }
    multi_check_status(waits, NI_OK);
}

struct burst {
    struct multi_queue *queue;
    _Atomic uint64_t sent;
};

/* Messages: no ack, so they wait. */
static void send_burst(struct suite_ni *ni, void *arg)
{
    struct burst *burst = arg;

    for (int tries = 0; tries < 50 && burst->sent < 150; tries++) {
        uint64_t number = atomic_load(&burst->sent);
        ni_status status = ni_message(ni->ni, ni->peers[MULTI_OWNER], burst->queue->rkey.handle, 0,
                                      &number, sizeof(number), NULL, 0);

        CHECK(status == NI_OK || status == NI_AGAIN);
        atomic_fetch_add(&burst->sent, status == NI_OK);
    }
}

static void messages_wait(struct suite *suite)
{
    struct burst *burst = suite_alloc(suite, sizeof(*burst));
    uint64_t got = 0;

    burst->queue = multi_new(suite, 8, CAPACITY, 0);
    while (got < 150) {
        suite_call(suite, 0, send_burst, burst);
        for (unsigned i = 0; i < 10 && got < atomic_load(&burst->sent); i++) {
            struct multi_step *step = multi_ask(burst->queue, 2);

            suite_until_count(suite, &step->done.count, 1);
            CHECK(memcmp(step->item, &got, sizeof(got)) == 0);
            got++;
        }
    }
}

/* A message of one line, without an ack. */
static void send_message(struct suite_ni *ni, void *arg)
{
    const struct multi_step *step = arg;

    CHECK(suite_message(ni, MULTI_OWNER, step->queue->rkey.handle, 0, step->item,
                        step->queue->item) == NI_OK);
}

static void message(struct multi_queue *queue, uint64_t seed)
{
    struct multi_step *step = suite_alloc(queue->suite, sizeof(*step));

    step->queue = queue;
    suite_fill(step->item, queue->item, seed);
    suite_call(queue->suite, 0, send_message, step);
}

/* The owner has it. */
static void await_here(struct suite_ni *ni, void *arg)
{
    struct multi_step *step = arg;
    size_t len = 0;

    while ((step->status = ni_queue_pop(ni->ni, step->queue->rkey.handle, step->item,
                                        sizeof(step->item), &len)) == NI_AGAIN) {
        suite_turn(ni);
    }
    CHECK(step->status == NI_OK && len == step->queue->item);
}

static void await(struct multi_queue *queue, uint64_t seed)
{
    struct multi_step *step = suite_alloc(queue->suite, sizeof(*step));

    step->queue = queue;
    suite_call(queue->suite, MULTI_OWNER, await_here, step);
    CHECK(suite_filled(step->item, queue->item, seed));
}

static void turn_here(struct suite_ni *ni, void *arg)
{
    (void)arg;
    suite_turn(ni);
}

/* The queue of the last item is remembered, but a reader that waits there comes first; what comes
 * when it is gone is refused. */
static void messages_in_a_row(struct suite *suite)
{
    for (size_t item = 4; item <= 64; item *= 2) {
        struct multi_queue *queue = multi_new(suite, item, CAPACITY, 0);
        uint64_t before = multi_stat(queue, "rx_refused"), seed = 1;

        for (unsigned reader = 1; reader < 3; reader++) {
            struct multi_step *waits;

            for (unsigned i = 0; i < 3; i++) {
                message(queue, seed + i);
            }
            for (unsigned i = 0; i < 3; i++) {
                await(queue, seed + i);
            }
            waits = multi_ask(queue, reader);
            CHECK(!multi_is_over(waits));
            message(queue, seed + 3);
            multi_check_item(waits, seed + 3);
            seed += 4;
        }
        message(queue, seed);
        await(queue, seed);
        multi_deregister(queue);
        message(queue, seed);
        while (multi_stat(queue, "rx_refused") == before) {
            suite_call(suite, MULTI_OWNER, turn_here, NULL);
        }
    }
}

/* ---- taken back ------------------------------------------------------------------------------ */

static void canceled(struct suite *suite)
{
    struct multi_queue *queue = multi_new(suite, 32, CAPACITY, 0);
    struct multi_step *asked[4];

    for (unsigned i = 0; i < 4; i++) {
        asked[i] = multi_ask(queue, i % suite->n);
    }
    multi_cancel(asked[1], 1); /* the owner's own */
    multi_check_status(asked[1], NI_ERR_CANCELED);
    multi_cancel(asked[2], 2);
    multi_check_status(asked[2], NI_ERR_CANCELED);
    CHECK(multi_enqueue(queue, 0, 1) == NI_OK);
    CHECK(multi_enqueue(queue, 0, 2) == NI_OK);
    multi_check_item(asked[0], 1);
    multi_check_item(asked[3], 2);
    CHECK(multi_stat(queue, "queue_requests") == 0);
    /* What is over stays so, and nobody else's request goes with it. */
    asked[0] = multi_ask(queue, 0);
    multi_cancel(asked[3], 3 % suite->n);
    multi_cancel(asked[2], 2);
    CHECK(multi_enqueue(queue, 1, 3) == NI_OK);
    multi_check_item(asked[0], 3);
}

/* ---- waiting --------------------------------------------------------------------------------- */

static void wait_here(struct suite_ni *ni, void *arg)
{
    struct ni_rkey rkey;
    uint64_t item = 0, out = 7;
    size_t len;

    (void)arg;
    CHECK(ni_region_multi_queue(ni->ni, 8, 8, 0, 3, &rkey) == NI_OK);
    CHECK(ni_dequeue_wait(ni->ni, NULL, &rkey, &item, 8, 0) == NI_ERR_TIMEOUT);
    CHECK(ni_dequeue_wait(ni->ni, NULL, &rkey, &item, 8, 1000) == NI_ERR_TIMEOUT);
    CHECK(ni_queue_pop_wait(ni->ni, rkey.handle, &item, 8, &len, 1000) == NI_ERR_TIMEOUT);
    CHECK(ni_queue_push(ni->ni, rkey.handle, &out, 8) == NI_OK);
    CHECK(ni_dequeue_wait(ni->ni, NULL, &rkey, &item, 8, 1000) == NI_OK && item == 7);
    CHECK(ni_queue_push(ni->ni, rkey.handle, &out, 8) == NI_OK);
    CHECK(ni_queue_pop_wait(ni->ni, rkey.handle, &item, 8, &len, 1000) == NI_OK && len == 8);
    CHECK(ni_region_deregister(ni->ni, rkey.handle) == NI_OK);
    CHECK(ni_queue_pop_wait(ni->ni, rkey.handle, &item, 8, &len, 1000) == NI_ERR_REGION);
    CHECK(ni_queue_push(ni->ni, rkey.handle, &out, 8) == NI_ERR_REGION);
    CHECK(ni_dequeue_wait(ni->ni, NULL, &rkey, &item, 8, 1000) == NI_ERR_REGION);

    CHECK(ni_region_queue(ni->ni, 8, 1, &rkey) == NI_OK);
    CHECK(ni_queue_push(ni->ni, rkey.handle, &out, 7) == NI_ERR_BOUNDS);
    CHECK(ni_queue_push(ni->ni, rkey.handle, &out, 8) == NI_OK);
    CHECK(ni_queue_push(ni->ni, rkey.handle, &out, 8) == NI_AGAIN);
    CHECK(ni_queue_pop_wait(ni->ni, rkey.handle, &item, 8, &len, 1000) == NI_OK && item == 7);
    CHECK(ni_queue_pop_wait(ni->ni, rkey.handle, &item, 8, &len, 1000) == NI_ERR_TIMEOUT);
}

static void waiting(struct suite *suite)
{
    suite_call(suite, 0, wait_here, NULL);
}

static void wait_there(struct suite_ni *ni, void *arg)
{
    struct multi_queue *queue = arg;
    struct ni_peer *peer = ni->peers[MULTI_OWNER];
    uint64_t item = 0, out = 11;

    CHECK(ni_dequeue_wait(ni->ni, peer, &queue->rkey, &item, 8, 0) == NI_ERR_TIMEOUT);
    CHECK(ni_dequeue_wait(ni->ni, peer, &queue->rkey, &item, 8, 2000) == NI_ERR_TIMEOUT);
    CHECK(suite_message(ni, MULTI_OWNER, queue->rkey.handle, 0, &out, 8) == NI_OK);
    CHECK(ni_dequeue_wait(ni->ni, peer, &queue->rkey, &item, 8, UINT64_MAX) == NI_OK);
    CHECK(item == 11);
    CHECK(ni_dequeue_wait(ni->ni, peer, &queue->rkey, &item, 16, UINT64_MAX) == NI_ERR_BOUNDS);
}

static void waiting_for_peers(struct suite *suite)
{
    suite_call(suite, 0, wait_there, multi_new(suite, 8, CAPACITY, 0));
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"items_first", 3, 0, items_first},
        {"requests_first", 3, 0, requests_first},
        {"owner_pops", 3, 0, owner_pops},
        {"pushes_back", 3, 0, pushes_back},
        {"messages_wait", 3, 0, messages_wait},
        {"messages_in_a_row", 3, 0, messages_in_a_row},
        {"canceled", 3, 0, canceled},
        {"waiting", 1, 0, waiting},
        {"waiting_for_peers", 2, SUITE_NEEDS_APART, waiting_for_peers},
    };

    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
