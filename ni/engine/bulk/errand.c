/* SPDX-License-Identifier: BSD-3-Clause */
#include <sched.h>

#include "engine/bulk/errand.h"
#include "engine/core/engine_thread.h"
#include "engine/core/progress_lock.h"
#include "link/link.h"

static void *what_now(const struct ni_errand *errand)
{
    return atomic_load_explicit(&errand->what, memory_order_relaxed);
}

static bool is_over(const struct ni_errand *errand)
{
    /* Pairs with E1. */
    return atomic_load_explicit(&errand->over, memory_order_acquire) != 0;
}

/* Account for a copy that has ended. The progress lock is ours. */
static void reap(struct ni *ni)
{
    struct ni_errand *errand = &ni->engine->errand;
    void *what = what_now(errand);

    if (what != NULL && is_over(errand)) {
        atomic_store_explicit(&errand->what, NULL, memory_order_relaxed);
        errand->done(ni, what, errand->status, errand->len);
    }
}

static ni_status copy_now(const struct ni_errand_copy *copy)
{
    return copy->ep->ops->copy(copy->ep, copy->direction, copy->local, copy->remote, copy->len);
}

bool ni_errand_run(struct ni *ni, void *what, const struct ni_errand_copy *copy, ni_errand_fn done)
{
    struct ni_errand *errand;

    if (NI_LIKELY(!ni_has_back_end(ni)) || ni->depth != 0 || !ni_engine_is_self(ni)) {
        done(ni, what, copy_now(copy), copy->len);
        return false;
    }
    errand = &ni->engine->errand;
    errand->len = copy->len;
    errand->done = done;
    atomic_store_explicit(&errand->over, 0, memory_order_relaxed);
    atomic_store_explicit(&errand->what, what, memory_order_relaxed);
    ni_progress_lock_give(ni, true);
    errand->status = copy_now(copy);
    atomic_store_explicit(&errand->over, 1, memory_order_release); /* E1 */
    /* Whoever holds the progress lock, in a callback that waits for this, may account for it
     * meanwhile. */
    (void)ni_progress_lock_take(ni);
    reap(ni);
    return true;
}

bool ni_errand_busy(struct ni *ni, const void *what)
{
    if (NI_LIKELY(ni->engine == NULL) || what_now(&ni->engine->errand) != what) {
        return false;
    }
    if (!is_over(&ni->engine->errand)) {
        return true;
    }
    reap(ni);
    return false;
}

void ni_errand_leave(struct ni *ni, const void *what)
{
    struct ni_errand *errand;

    if (NI_LIKELY(ni->engine == NULL)) {
        return;
    }
    errand = &ni->engine->errand;
    if (what_now(errand) != what) {
        return;
    }
    for (unsigned looks = 0; !is_over(errand); looks++) {
        if (looks > 100) {
            sched_yield();
        }
        ni_pause();
    }
    atomic_store_explicit(&errand->what, NULL, memory_order_relaxed);
}
