/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/core/engine_thread.h"
#include "engine/core/progress_lock.h"

/* The progress lock: who polls. */

bool ni_progress_lock_try(struct ni *ni)
{
    if (!ni_lock_try(&ni->progress_lock)) {
        return false;
    }
    atomic_store_explicit(&ni->progress_owner, ni_thread_self(), memory_order_relaxed);
    return true;
}

/* Within what the progress lock is taken for, an NI may become shared (thread.h). */
static bool need_not_take(const struct ni *ni)
{
    return (!ni->threads && ni->drive.engine == NULL) || ni_progress_lock_is_held(ni);
}

bool ni_progress_lock_take(struct ni *ni)
{
    if (need_not_take(ni)) {
        return false;
    }
    ni_lock_take(&ni->progress_lock, true);
    atomic_store_explicit(&ni->progress_owner, ni_thread_self(), memory_order_relaxed);
    return true;
}

bool ni_progress_lock_now(struct ni *ni, bool *taken)
{
    *taken = false;
    if (need_not_take(ni)) {
        return true;
    }
    *taken = ni_progress_lock_try(ni);
    return *taken;
}

bool ni_progress_lock_is_ours(const struct ni *ni)
{
    return !ni->threads || ni_progress_lock_is_held(ni);
}

void ni_progress_lock_give(struct ni *ni, bool taken)
{
    if (taken) {
        atomic_store_explicit(&ni->progress_owner, 0, memory_order_relaxed);
        ni_lock_give(&ni->progress_lock, true);
    }
}
