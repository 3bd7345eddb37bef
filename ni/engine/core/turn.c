/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/core/engine_thread.h"
#include "engine/core/turn.h"

/* The turn: who polls. */

bool ni_turn_try(struct ni *ni)
{
    if (!ni_lock_try(&ni->turn)) {
        return false;
    }
    atomic_store_explicit(&ni->turn_owner, ni_thread_self(), memory_order_relaxed);
    return true;
}

/* Within what the turn is taken for, an NI may become shared (thread.h). */
static bool need_not_take(const struct ni *ni)
{
    return (!ni->threads && ni->engine == NULL) || ni_turn_is_held(ni);
}

bool ni_turn_take(struct ni *ni)
{
    if (need_not_take(ni)) {
        return false;
    }
    ni_lock_take(&ni->turn, true);
    atomic_store_explicit(&ni->turn_owner, ni_thread_self(), memory_order_relaxed);
    return true;
}

bool ni_turn_now(struct ni *ni, bool *taken)
{
    *taken = false;
    if (need_not_take(ni)) {
        return true;
    }
    *taken = ni_turn_try(ni);
    return *taken;
}

bool ni_turn_is_ours(const struct ni *ni)
{
    return !ni->threads || ni_turn_is_held(ni);
}

void ni_turn_give(struct ni *ni, bool taken)
{
    if (taken) {
        atomic_store_explicit(&ni->turn_owner, 0, memory_order_relaxed);
        ni_lock_give(&ni->turn, true);
    }
}
