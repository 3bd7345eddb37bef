/* SPDX-License-Identifier: BSD-3-Clause */
#include <sched.h>

#include "engine/bulk/unlocked_copy.h"
#include "engine/core/engine_thread.h"
#include "engine/core/progress_lock.h"
#include "link/link.h"

static void *what_now(const struct ni_unlocked_copy *unlocked_copy)
{
    return atomic_load_explicit(&unlocked_copy->what, memory_order_relaxed);
}

static bool is_unlocked_copy_over(const struct ni_unlocked_copy *unlocked_copy)
{
    /* Pairs with E1. */
    return atomic_load_explicit(&unlocked_copy->over, memory_order_acquire) != 0;
}

/* Account for a copy that has ended. The progress lock is ours. */
static void reap(struct ni *ni)
{
    struct ni_unlocked_copy *unlocked_copy = &ni->drive.engine->unlocked_copy;
    void *what = what_now(unlocked_copy);

    if (what != NULL && is_unlocked_copy_over(unlocked_copy)) {
        atomic_store_explicit(&unlocked_copy->what, NULL, memory_order_relaxed);
        unlocked_copy->done(ni, what, unlocked_copy->status, unlocked_copy->len);
    }
}

static ni_status copy_now(const struct ni_copy_args *copy)
{
    return copy->ep->ops->copy(copy->ep, copy->direction, copy->local, copy->remote, copy->len);
}

bool ni_unlocked_copy_run(struct ni *ni, void *what, const struct ni_copy_args *copy,
                          ni_unlocked_copy_fn done)
{
    struct ni_unlocked_copy *unlocked_copy;

    if (NI_LIKELY(!ni_has_back_end(ni)) || ni->depth != 0 || !ni_engine_is_self(ni)) {
        done(ni, what, copy_now(copy), copy->len);
        return false;
    }
    unlocked_copy = &ni->drive.engine->unlocked_copy;
    unlocked_copy->len = copy->len;
    unlocked_copy->done = done;
    atomic_store_explicit(&unlocked_copy->over, 0, memory_order_relaxed);
    atomic_store_explicit(&unlocked_copy->what, what, memory_order_relaxed);
    ni_progress_lock_give(ni, true);
    unlocked_copy->status = copy_now(copy);
    atomic_store_explicit(&unlocked_copy->over, 1, memory_order_release); /* E1 */
    /* The holder of the progress lock may account for it meanwhile, in a callback that waits for
     * this. */
    (void)ni_progress_lock_take(ni);
    reap(ni);
    return true;
}

bool ni_unlocked_copy_busy(struct ni *ni, const void *what)
{
    if (NI_LIKELY(ni->drive.engine == NULL) || what_now(&ni->drive.engine->unlocked_copy) != what) {
        return false;
    }
    if (!is_unlocked_copy_over(&ni->drive.engine->unlocked_copy)) {
        return true;
    }
    reap(ni);
    return false;
}

void ni_unlocked_copy_leave(struct ni *ni, const void *what)
{
    struct ni_unlocked_copy *unlocked_copy;

    if (NI_LIKELY(ni->drive.engine == NULL)) {
        return;
    }
    unlocked_copy = &ni->drive.engine->unlocked_copy;
    if (what_now(unlocked_copy) != what) {
        return;
    }
    for (unsigned looks = 0; !is_unlocked_copy_over(unlocked_copy); looks++) {
        if (looks > 100) {
            sched_yield();
        }
        ni_pause();
    }
    atomic_store_explicit(&unlocked_copy->what, NULL, memory_order_relaxed);
}
