/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite_queues.h"

/* Items that are messages, without acks, so that nobody is told of a refusal. */

enum { ITEMS = 8 };

struct queue {
    struct ni_rkey rkey;
    size_t item;
    uint8_t out[NI_QUEUE_ITEM_MAX + 1]; /* what is sent */
    size_t out_len;
    uint8_t data[NI_QUEUE_ITEM_MAX]; /* what a pop gave */
    size_t len;
    ni_status status;
    uint64_t refused;
};

static void open_queue(struct suite_ni *ni, void *arg)
{
    struct queue *queue = arg;

    CHECK(ni_region_queue(ni->ni, queue->item, ITEMS, &queue->rkey) == NI_OK);
}

static void close_queue(struct suite_ni *ni, void *arg)
{
    CHECK(ni_region_deregister(ni->ni, ((struct queue *)arg)->rkey.handle) == NI_OK);
}

static struct queue *new_queue(struct suite *suite, size_t item)
{
    struct queue *queue = suite_alloc(suite, sizeof(*queue));

    queue->item = item;
    suite_call(suite, 1, open_queue, queue);
    return queue;
}

static void send_here(struct suite_ni *ni, void *arg)
{
    struct queue *queue = arg;

    CHECK(suite_message(ni, 1, queue->rkey.handle, 0, queue->out, queue->out_len) == NI_OK);
}

static void send(struct suite *suite, struct queue *queue, size_t len, uint64_t seed)
{
    queue->out_len = len;
    suite_fill(queue->out, len, seed);
    suite_call(suite, 0, send_here, queue);
}

static void await_here(struct suite_ni *ni, void *arg)
{
    struct queue *queue = arg;

    while ((queue->status = ni_queue_pop(ni->ni, queue->rkey.handle, queue->data,
                                         sizeof(queue->data), &queue->len)) == NI_AGAIN) {
        suite_turn(ni);
    }
}

static void await(struct suite *suite, struct queue *queue, uint64_t seed)
{
    suite_call(suite, 1, await_here, queue);
    CHECK(queue->status == NI_OK && queue->len == queue->item);
    CHECK(suite_filled(queue->data, queue->len, seed));
}

static void count_refused(struct suite_ni *ni, void *arg)
{
    ((struct queue *)arg)->refused = suite_stat(ni, "rx_refused");
}

static uint64_t refused(struct suite *suite, struct queue *queue)
{
    suite_call(suite, 1, count_refused, queue);
    return queue->refused;
}

/* The queue of the last one is remembered: what is no item of it, or comes when it is gone, is
 * refused all the same, and what is for another gets there. */
void queues_items_by_message(struct suite *suite)
{
    for (size_t item = 4; item <= 64; item *= 2) {
        struct queue *one = new_queue(suite, item), *other = new_queue(suite, item);
        uint64_t before = refused(suite, one);

        for (uint64_t seed = 0; seed < 3; seed++) {
            send(suite, one, item, seed);
        }
        send(suite, one, item - 1, 99);
        send(suite, one, item + 1, 99);
        send(suite, one, 0, 99);
        send(suite, other, item, 3);
        send(suite, one, item, 4);
        await(suite, other, 3);
        for (uint64_t seed = 0; seed < 3; seed++) {
            await(suite, one, seed);
        }
        await(suite, one, 4);
        CHECK(refused(suite, one) == before + 3);
        suite_call(suite, 1, close_queue, one);
        send(suite, one, item, 5);
        send(suite, other, item, 6);
        await(suite, other, 6);
        CHECK(refused(suite, one) == before + 4);
        suite_call(suite, 1, close_queue, other);
    }
}
