/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/core/deferred.h"

#include "engine/core/engine_thread.h"
#include "engine/core/progress_lock.h"

/* See deferred.h. */

void ni_deferred_call_add_locked(struct ni *ni, struct ni_deferred_call *deferred)
{
    ni_list_push_back(&ni->core.deferred, &deferred->list);
    atomic_store_explicit(&ni->send.busy.count, ni_work_count(&ni->send.busy) + 1,
                          memory_order_relaxed);
}

void ni_deferred_call_add(struct ni *ni, struct ni_deferred_call *deferred)
{
    ni_lock_take(&ni->lock, ni->threads);
    ni_deferred_call_add_locked(ni, deferred);
    ni_lock_give(&ni->lock, ni->threads);
    ni_engine_kick(ni);
}

void ni_deferred_call_do(struct ni *ni, struct ni_deferred_call *deferred)
{
    bool taken;

    if (!ni_progress_lock_now(ni, &taken)) {
        ni_deferred_call_add(ni, deferred);
        return;
    }
    (void)deferred->run(ni, deferred);
    ni_progress_lock_give(ni, taken);
}

/* All that are there now: what they add waits for the next time. */
static void take_all(struct ni *ni, struct ni_list *pass)
{
    uint32_t count;

    ni_list_init(pass);
    ni_lock_take(&ni->lock, ni->threads);
    if (!ni_list_empty(&ni->core.deferred)) {
        count = (uint32_t)ni_list_length(&ni->core.deferred);
        ni_list_splice_back(pass, &ni->core.deferred);
        atomic_store_explicit(&ni->send.busy.count, ni_work_count(&ni->send.busy) - count,
                              memory_order_relaxed);
    }
    ni_lock_give(&ni->lock, ni->threads);
}

unsigned ni_deferred_calls_run(struct ni *ni)
{
    struct ni_list pass, *node;
    unsigned done = 0;

    take_all(ni, &pass);
    while ((node = ni_list_pop_front(&pass)) != NULL) {
        struct ni_deferred_call *deferred = ni_container_of(node, struct ni_deferred_call, list);

        done += deferred->run(ni, deferred);
    }
    return done;
}
