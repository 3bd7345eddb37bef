/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/core/chore.h"

#include "engine/core/engine_thread.h"
#include "engine/core/progress_lock.h"

/* See chore.h. */

void ni_chore_add_locked(struct ni *ni, struct ni_chore *chore)
{
    ni_list_push_back(&ni->chores, &chore->list);
    atomic_store_explicit(&ni->busy.count, ni_work_count(&ni->busy) + 1, memory_order_relaxed);
}

void ni_chore_add(struct ni *ni, struct ni_chore *chore)
{
    ni_lock_take(&ni->lock, ni->threads);
    ni_chore_add_locked(ni, chore);
    ni_lock_give(&ni->lock, ni->threads);
    ni_engine_kick(ni);
}

void ni_chore_do(struct ni *ni, struct ni_chore *chore)
{
    bool taken;

    if (!ni_progress_lock_now(ni, &taken)) {
        ni_chore_add(ni, chore);
        return;
    }
    (void)chore->run(ni, chore);
    ni_progress_lock_give(ni, taken);
}

/* All that are there now: what they add waits for the next time. */
static void take_all(struct ni *ni, struct ni_list *pass)
{
    uint32_t count;

    ni_list_init(pass);
    ni_lock_take(&ni->lock, ni->threads);
    if (!ni_list_empty(&ni->chores)) {
        count = (uint32_t)ni_list_length(&ni->chores);
        ni_list_splice_back(pass, &ni->chores);
        atomic_store_explicit(&ni->busy.count, ni_work_count(&ni->busy) - count,
                              memory_order_relaxed);
    }
    ni_lock_give(&ni->lock, ni->threads);
}

unsigned ni_chores_run(struct ni *ni)
{
    struct ni_list pass, *node;
    unsigned done = 0;

    take_all(ni, &pass);
    while ((node = ni_list_pop_front(&pass)) != NULL) {
        struct ni_chore *chore = ni_container_of(node, struct ni_chore, list);

        done += chore->run(ni, chore);
    }
    return done;
}
