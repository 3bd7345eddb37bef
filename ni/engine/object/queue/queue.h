/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_QUEUE_H
#define NI_ENGINE_QUEUE_H

/*
 * The folder object/queue: regions that are queues, of one reader or many. It knows what is below
 * it: core, send, bulk, stores. Called by the program and by what delivers Writes.
 */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <apeni/queue.h>

#include "engine/core/memory.h"
#include "engine/core/ni.h"
#include "engine/core/regions.h"

/* The body of a QUEUE (queue.c). NI_AGAIN: it is full; NI_ERR_BOUNDS: the item never fits. The
 * caller that has the progress lock. A circular buffer: head and tail are free-running counts of
 * units. */
struct ni_queue {
    _Atomic uint64_t tail; /* written (Q1, release) */
    uint32_t item;         /* bytes, 0: variable */
    uint32_t unit;
    uint64_t capacity; /* units, a power of two */
    uint8_t *body;
    bool push_back; /* a Write with an ack waits where there is no room for it */
    NI_LINE_ALIGNED _Atomic uint64_t head; /* read (Q2, release) */
};

/* Of items of one size. */
NI_ALWAYS_INLINE uint8_t *ni_queue_place(const struct ni_queue *queue, uint64_t count)
{
    return queue->body + (count & (queue->capacity - 1)) * queue->item;
}

/* One of that size; false: it is full. */
NI_ALWAYS_INLINE bool ni_queue_push_item(struct ni_queue *queue, const void *item)
{
    uint64_t tail = atomic_load_explicit(&queue->tail, memory_order_relaxed);

    /* Pairs with Q2. */
    if (NI_UNLIKELY(tail - atomic_load_explicit(&queue->head, memory_order_acquire) ==
                    queue->capacity)) {
        return false;
    }
    ni_item_copy(ni_queue_place(queue, tail), item, queue->item);
    atomic_store_explicit(&queue->tail, tail + 1, memory_order_release); /* Q1 */
    return true;
}

/* Items of one size that are there. */
NI_ALWAYS_INLINE uint64_t ni_queue_items(const struct ni_queue *queue)
{
    /* The first pairs with Q1. */
    return atomic_load_explicit(&queue->tail, memory_order_acquire) -
           atomic_load_explicit(&queue->head, memory_order_relaxed);
}

/* The oldest of them; there is one. */
NI_ALWAYS_INLINE const uint8_t *ni_queue_first(const struct ni_queue *queue)
{
    return ni_queue_place(queue, atomic_load_explicit(&queue->head, memory_order_relaxed));
}

/* Leave so many units to the writer. */
NI_ALWAYS_INLINE void ni_queue_step(struct ni_queue *queue, uint64_t units)
{
    uint64_t head = atomic_load_explicit(&queue->head, memory_order_relaxed);

    atomic_store_explicit(&queue->head, head + units, memory_order_release); /* Q2 */
}

/* QUEUE is a type of regions. The NI opens. */
void ni_queues_register(struct ni *ni);

/* Memory for items; NI_ERR_NOMEM. item_size 0: of any length. All else of the queue is 0. */
ni_status ni_queue_init(struct ni_queue *queue, size_t item_size, size_t capacity, unsigned flags);
ni_status ni_queue_body_push(struct ni_queue *queue, const void *item, size_t len);

/* The queue translation table (queue_names.c): an entry by number, NULL if that is not in use.
 * The progress lock is held. */
struct ni_queue_name {
    struct ni_peer *peer; /* NULL: ours */
    struct ni_rkey queue;
    uint64_t key; /* 0: no matter which */
    unsigned access;
    bool used;
};

const struct ni_queue_name *ni_queue_named(const struct ni *ni, uint32_t number);
void ni_queue_names_free(struct ni *ni);

/* Whether a handle in a packet is a number; no region has such a generation. */
static inline bool ni_queue_is_number(ni_handle handle)
{
    return handle - NI_QUEUE_FIRST_HANDLE < NI_QUEUE_NUMBERS;
}

#endif
