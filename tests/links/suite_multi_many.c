/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite_multi.h"

/*
 * Multi-reader queues: requests for many items.
 */

enum { CAPACITY = 8 };

/* A reader with a queue of its own, to which items are sent. */
struct reader {
    struct multi_queue *queue;
    struct ni_rkey own;
    struct suite_done done;
    uint64_t request;
    uint32_t count;
    unsigned popped;
    uint64_t items[64];
};

static void open_reader(struct suite_ni *ni, void *arg)
{
    CHECK(ni_region_queue(ni->ni, 8, 64, &((struct reader *)arg)->own) == NI_OK);
}

static void ask_many(struct suite_ni *ni, void *arg)
{
    struct reader *reader = arg;
    struct ni_ack ack = suite_ack(&reader->done);
    struct ni_peer *peer = ni->peers[MULTI_OWNER];
    const struct ni_rkey *rkey = &reader->queue->rkey;

    CHECK(ni_dequeue_to(ni->ni, peer, rkey, 8, 0, 1, &ack, NULL) == NI_ERR_INVALID);
    CHECK(ni_dequeue_to(ni->ni, peer, rkey, 8, reader->own.handle, 0, &ack, NULL) ==
          NI_ERR_INVALID);
    CHECK(ni_dequeue_to(ni->ni, NULL, rkey, 8, reader->own.handle, 1, &ack, NULL) ==
          NI_ERR_INVALID);
    CHECK(ni_dequeue_to(ni->ni, peer, rkey, 8, reader->own.handle, reader->count, &ack,
                        &reader->request) == NI_OK);
}

static void pop_all(struct suite_ni *ni, void *arg)
{
    struct reader *reader = arg;
    size_t len;

    while (reader->popped < 64 && ni_queue_pop(ni->ni, reader->own.handle,
                                               &reader->items[reader->popped], 8, &len) == NI_OK) {
        reader->popped++;
    }
}

static void cancel_many(struct suite_ni *ni, void *arg)
{
    struct reader *reader = arg;

    CHECK(ni_dequeue_cancel(ni->ni, ni->peers[MULTI_OWNER], &reader->queue->rkey,
                            reader->request) == NI_OK);
}

static struct reader *new_reader(struct multi_queue *queue, unsigned i, uint32_t count)
{
    struct reader *reader = suite_alloc(queue->suite, sizeof(*reader));
    uint64_t before = multi_stat(queue, "queue_requests");

    reader->queue = queue;
    reader->count = count;
    suite_call(queue->suite, i, open_reader, reader);
    suite_call(queue->suite, i, ask_many, reader);
    if (count < 64) {
        multi_until_waiting(queue, before + 1);
    }
    return reader;
}

static void check_over(struct suite *suite, struct reader *reader, unsigned i, ni_status status,
                       unsigned items)
{
    suite_until_count(suite, &reader->done.count, 1);
    CHECK(atomic_load(&reader->done.status) == status);
    CHECK(status != NI_OK || atomic_load(&reader->done.value) == reader->count);
    suite_call(suite, i, pop_all, reader); /* they are there before the ack */
    CHECK(reader->popped == items);
}

/* Requests for many take turns, and with one for one. */
static void many(struct suite *suite)
{
    struct multi_queue *queue = multi_new(suite, 8, 64, 0);
    struct reader *first = new_reader(queue, 0, 3), *second = new_reader(queue, 2, 5), *third;
    struct multi_step *one = multi_ask(queue, 2);

    for (uint64_t i = 0; i < 7; i++) {
        CHECK(multi_enqueue(queue, (unsigned)(i % suite->n), i) == NI_OK);
    }
    multi_check_item(one, 2);
    check_over(suite, first, 0, NI_OK, 3);
    CHECK(suite_filled(&first->items[0], 8, 0) && suite_filled(&first->items[1], 8, 3) &&
          suite_filled(&first->items[2], 8, 5));
    suite_call(suite, 2, cancel_many, second);
    check_over(suite, second, 2, NI_ERR_CANCELED, 3);
    CHECK(suite_filled(&second->items[0], 8, 1) && suite_filled(&second->items[1], 8, 4) &&
          suite_filled(&second->items[2], 8, 6));
    /* Items that are there come at once. */
    for (uint64_t i = 0; i < 64; i++) {
        CHECK(multi_enqueue(queue, 0, i) == NI_OK);
    }
    third = new_reader(queue, 0, 64);
    check_over(suite, third, 0, NI_OK, 64);
    for (uint64_t i = 0; i < 64; i++) {
        CHECK(suite_filled(&third->items[i], 8, i));
    }
    CHECK(multi_stat(queue, "queue_requests") == 0);
    first = new_reader(queue, 0, 3);
    multi_deregister(queue);
    check_over(suite, first, 0, NI_ERR_REGION, 0);
}

static void many_die(struct suite *suite)
{
    struct multi_queue *queue = multi_new(suite, 8, CAPACITY, 0);
    struct multi_step *asked;

    (void)new_reader(queue, 2, 60);
    CHECK(multi_enqueue(queue, 0, 1) == NI_OK);
    suite_kill(suite, 2);
    while (atomic_load(&suite->nis[MULTI_OWNER].downs[2]) == 0) {
        suite_rest(suite);
    }
    asked = multi_ask(queue, 0);
    CHECK(multi_enqueue(queue, 0, 2) == NI_OK);
    multi_check_item(asked, 2);
    CHECK(multi_stat(queue, "queue_requests") == 0);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"many", 3, 0, many},
        {"many_die", 3, SUITE_NEEDS_KILL, many_die},
    };

    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
