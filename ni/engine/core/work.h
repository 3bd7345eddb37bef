/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_WORK_H
#define NI_ENGINE_WORK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "engine/core/lock.h"

/* Things that progress has to look after. Changed under the NI's lock; the count may be read
 * without. */
struct ni_work {
    struct ni_list items;
    _Atomic uint32_t count;
};

static inline void ni_work_init(struct ni_work *work)
{
    ni_list_init(&work->items);
    atomic_init(&work->count, 0);
}

static inline uint32_t ni_work_count(const struct ni_work *work)
{
    return atomic_load_explicit(&work->count, memory_order_relaxed);
}

/* Add what is not there yet, remove what may be there. */
static inline void ni_work_add(struct ni_work *work, struct ni_list *item)
{
    if (!ni_list_linked(item)) {
        ni_list_push_back(&work->items, item);
        atomic_store_explicit(&work->count, ni_work_count(work) + 1, memory_order_relaxed);
    }
}

static inline void ni_work_remove(struct ni_work *work, struct ni_list *item)
{
    if (ni_list_linked(item)) {
        ni_list_remove(item);
        atomic_store_explicit(&work->count, ni_work_count(work) - 1, memory_order_relaxed);
    }
}

/* One piece of work more, or less, that is in no list of this kind. */
static inline void ni_work_raise(struct ni_work *work)
{
    atomic_store_explicit(&work->count, ni_work_count(work) + 1, memory_order_relaxed);
}

static inline void ni_work_lower(struct ni_work *work)
{
    atomic_store_explicit(&work->count, ni_work_count(work) - 1, memory_order_relaxed);
}

/* The first, which moves to the end, so that each gets its turn; NULL if there is none. The lock is
 * the NI's. */
static inline struct ni_list *ni_work_next(struct ni_work *work, struct ni_lock *lock, bool threads)
{
    struct ni_list *item = NULL;

    ni_lock_take(lock, threads);
    if (!ni_list_empty(&work->items)) {
        item = work->items.next;
        ni_list_remove(item);
        ni_list_push_back(&work->items, item);
    }
    ni_lock_give(lock, threads);
    return item;
}

#endif
