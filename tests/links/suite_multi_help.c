/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite_multi.h"

static void open_queue(struct suite_ni *ni, void *arg)
{
    struct multi_queue *queue = arg;

    CHECK(ni_region_multi_queue(ni->ni, queue->item, queue->capacity, queue->flags, queue->access,
                                &queue->rkey) == NI_OK);
}

struct multi_queue *multi_new(struct suite *suite, size_t item, size_t capacity, unsigned flags)
{
    struct multi_queue *queue = suite_alloc(suite, sizeof(*queue));

    queue->suite = suite;
    queue->item = item;
    queue->capacity = capacity;
    queue->flags = flags;
    queue->access = NI_ACCESS_READ | NI_ACCESS_WRITE;
    suite_call(suite, MULTI_OWNER, open_queue, queue);
    return queue;
}

static void deregister_here(struct suite_ni *ni, void *arg)
{
    CHECK(ni_region_deregister(ni->ni, ((struct multi_queue *)arg)->rkey.handle) == NI_OK);
}

void multi_deregister(struct multi_queue *queue)
{
    suite_call(queue->suite, MULTI_OWNER, deregister_here, queue);
}

static struct multi_step *new_step(struct multi_queue *queue)
{
    struct multi_step *step = &queue->steps[queue->used++];

    CHECK(queue->used <= MULTI_STEPS);
    step->queue = queue;
    return step;
}

/* ---- items ----------------------------------------------------------------------------------- */

static void send_here(struct suite_ni *ni, void *arg)
{
    struct multi_step *step = arg;
    struct multi_queue *queue = step->queue;
    struct ni_ack ack = suite_ack(&step->done);

    if (ni->index == MULTI_OWNER) {
        step->status = ni_queue_push(ni->ni, queue->rkey.handle, step->item, queue->item);
        ack.fn(ack.arg, step->status, 0);
        return;
    }
    while ((step->status = ni_enqueue(ni->ni, ni->peers[MULTI_OWNER], &queue->rkey, step->item,
                                      queue->item, &ack)) == NI_AGAIN) {
        suite_turn(ni);
    }
    CHECK(step->status == NI_OK);
}

struct multi_step *multi_send(struct multi_queue *queue, unsigned i, uint64_t seed)
{
    struct multi_step *step = new_step(queue);

    suite_fill(step->item, queue->item, seed);
    suite_call(queue->suite, i, send_here, step);
    return step;
}

ni_status multi_enqueue(struct multi_queue *queue, unsigned i, uint64_t seed)
{
    struct multi_step *step = multi_send(queue, i, seed);

    suite_until_count(queue->suite, &step->done.count, 1);
    return (ni_status)atomic_load(&step->done.status);
}

/* ---- requests -------------------------------------------------------------------------------- */

static void ask_here(struct suite_ni *ni, void *arg)
{
    struct multi_step *step = arg;
    struct multi_queue *queue = step->queue;
    struct ni_ack ack = suite_ack(&step->done);

    step->status = ni_dequeue(ni->ni, ni->index == MULTI_OWNER ? NULL : ni->peers[MULTI_OWNER],
                              &queue->rkey, step->item, queue->item, &ack, &step->request);
}

static void move_all(struct suite_ni *ni, void *arg)
{
    (void)arg;
    suite_turn(ni);
}

struct multi_step *multi_ask(struct multi_queue *queue, unsigned i)
{
    struct multi_step *step = new_step(queue);
    uint64_t before = multi_stat(queue, "queue_requests");

    suite_call(queue->suite, i, ask_here, step);
    if (step->status != NI_OK) {
        return step;
    }
    while (!multi_is_over(step) && multi_stat(queue, "queue_requests") == before) {
        suite_call(queue->suite, MULTI_OWNER, move_all, NULL);
    }
    return step;
}

static void cancel_here(struct suite_ni *ni, void *arg)
{
    struct multi_step *step = arg;

    CHECK(ni_dequeue_cancel(ni->ni, ni->index == MULTI_OWNER ? NULL : ni->peers[MULTI_OWNER],
                            &step->queue->rkey, step->request) == NI_OK);
}

void multi_cancel(struct multi_step *step, unsigned i)
{
    suite_call(step->queue->suite, i, cancel_here, step);
    suite_until_count(step->queue->suite, &step->done.count, 1);
}

/* ---- looking --------------------------------------------------------------------------------- */

bool multi_is_over(const struct multi_step *step)
{
    return atomic_load(&step->done.count) != 0;
}

void multi_check_item(struct multi_step *step, uint64_t seed)
{
    struct multi_queue *queue = step->queue;

    CHECK(step->status == NI_OK);
    suite_until_count(queue->suite, &step->done.count, 1);
    CHECK(atomic_load(&step->done.status) == NI_OK);
    CHECK(atomic_load(&step->done.value) == queue->item);
    CHECK(suite_filled(step->item, queue->item, seed));
}

void multi_check_status(struct multi_step *step, ni_status status)
{
    suite_until_count(step->queue->suite, &step->done.count, 1);
    CHECK(atomic_load(&step->done.status) == status);
}

static void read_stat(struct suite_ni *ni, void *arg)
{
    struct multi_queue *queue = arg;

    queue->stat = suite_stat(ni, queue->stat_name);
}

uint64_t multi_stat(struct multi_queue *queue, const char *name)
{
    queue->stat_name = name;
    suite_call(queue->suite, MULTI_OWNER, read_stat, queue);
    return queue->stat;
}

void multi_until_waiting(struct multi_queue *queue, uint64_t requests)
{
    while (multi_stat(queue, "queue_requests") != requests) {
        suite_call(queue->suite, MULTI_OWNER, move_all, NULL);
    }
}
