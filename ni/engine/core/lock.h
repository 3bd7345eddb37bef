/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_LOCK_H
#define NI_ENGINE_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

/*
 * Locks of an NI. With NI_THREADS there are three kinds, taken in this order: the progress lock
 * (who polls; waited for by few calls: docs/architecture.md), a peer's lock (its lane and what
 * waits for it), the NI's lock (table, pools, lists, peers) or that of memory which packets touch.
 * Callbacks run with the progress lock and no other lock, so that they may do anything. Without
 * NI_THREADS no lock but the progress lock is touched, unless the NI is shared (thread.h).
 */

/* A lock that costs nothing when the NI is single-threaded. */
struct ni_lock {
    _Atomic uint32_t held;
};

/* K1, acquire: pairs with the release K2 of the previous holder. */
static inline bool ni_lock_try(struct ni_lock *lock)
{
    return atomic_load_explicit(&lock->held, memory_order_relaxed) == 0 &&
           atomic_exchange_explicit(&lock->held, 1, memory_order_acquire) == 0;
}

/* Until the lock is ours. Out of line (lock.c): the hot path takes locks in many places. */
NI_COLD void ni_lock_wait(struct ni_lock *lock);

static inline void ni_lock_take(struct ni_lock *lock, bool threads)
{
    if (threads && NI_UNLIKELY(!ni_lock_try(lock))) {
        ni_lock_wait(lock);
    }
}

/* K2 */
static inline void ni_lock_give(struct ni_lock *lock, bool threads)
{
    if (threads) {
        atomic_store_explicit(&lock->held, 0, memory_order_release);
    }
}

#endif
