/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/alloc.h"
#include "engine/object/counter/counter.h"
#include "engine/core/op.h"
#include "engine/bulk/transfer.h"

/* Operations that wait until a counter has reached a threshold. */

void ni_armed_reach(struct ni_counter *counter, int64_t value, struct ni_list *reached)
{
    while (!ni_list_empty(&counter->armed)) {
        struct ni_armed *armed =
            ni_container_of(counter->armed.next, struct ni_armed, deferred.list);

        if (armed->threshold > value) {
            return;
        }
        ni_list_remove(&armed->deferred.list);
        ni_list_push_back(reached, &armed->deferred.list);
    }
}

static ni_status start_deferred_op(struct ni *ni, const struct ni_deferred *op)
{
    const struct ni_rkey rkey = {.handle = op->where.handle, .key = op->where.key};

    return op->op == NI_DEFERRED_WRITE
               ? ni_write(ni, op->peer, op->src, op->len, &op->where, &op->ack)
               : ni_store_object(ni, op->peer, &rkey, op->src, op->len, &op->ack);
}

static bool run_deferred_ops(struct ni *ni, struct ni_deferred_call *deferred)
{
    struct ni_armed *armed = ni_container_of(deferred, struct ni_armed, deferred);
    ni_status status =
        armed->canceled || ni->closing ? NI_ERR_CANCELED : start_deferred_op(ni, &armed->op);

    if (status == NI_AGAIN) {
        ni_deferred_call_add(ni, deferred);
        return false;
    }
    if (status != NI_OK) {
        ni_ack_deliver(ni, &armed->op.ack, status, 0);
    }
    ni_free(armed);
    return true;
}

void ni_armed_start(struct ni *ni, struct ni_list *reached)
{
    struct ni_list *node;

    while ((node = ni_list_pop_front(reached)) != NULL) {
        (void)run_deferred_ops(ni, ni_container_of(node, struct ni_deferred_call, list));
    }
}

void ni_armed_cancel(struct ni *ni, struct ni_counter *counter)
{
    struct ni_list *node;

    while ((node = ni_list_pop_front(&counter->armed)) != NULL) {
        struct ni_armed *armed = ni_container_of(node, struct ni_armed, deferred.list);

        armed->canceled = true;
        ni_deferred_call_add_locked(ni, &armed->deferred);
    }
}

/* In order of thresholds, behind its equals. */
static void insert_armed(struct ni_counter *counter, struct ni_armed *armed)
{
    struct ni_list *node = counter->armed.prev;

    while (node != &counter->armed &&
           ni_container_of(node, struct ni_armed, deferred.list)->threshold > armed->threshold) {
        node = node->prev;
    }
    ni_list_insert_after(node, &armed->deferred.list);
}

/* The NI's lock is held. */
static ni_status arm_counter(struct ni *ni, ni_handle handle, struct ni_armed *armed,
                             struct ni_list *reached)
{
    struct ni_counter *counter;
    ni_status status = ni_counter_find(ni, handle, &counter);

    if (status == NI_OK && armed->threshold > counter->value) {
        insert_armed(counter, armed);
    } else if (status == NI_OK) {
        ni_list_push_back(reached, &armed->deferred.list);
    }
    return status;
}

ni_status ni_counter_trigger(struct ni *ni, ni_handle handle, int64_t threshold,
                             const struct ni_deferred *operation)
{
    struct ni_armed *armed;
    struct ni_list reached;
    ni_status status;

    if (operation == NULL || operation->peer == NULL || operation->op > NI_DEFERRED_ENQUEUE) {
        return NI_ERR_INVALID;
    }
    armed = ni_calloc(1, sizeof(*armed));
    if (armed == NULL) {
        return NI_ERR_NOMEM;
    }
    armed->deferred.run = run_deferred_ops;
    armed->threshold = threshold;
    armed->op = *operation;
    ni_list_init(&armed->deferred.list);
    ni_list_init(&reached);
    ni_lock_take(&ni->lock, ni->threads);
    status = arm_counter(ni, handle, armed, &reached);
    ni_lock_give(&ni->lock, ni->threads);
    if (status != NI_OK) {
        ni_free(armed);
        return status;
    }
    ni_armed_start(ni, &reached);
    return NI_OK;
}
