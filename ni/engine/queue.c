/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <apeni/region.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "engine/regions.h"

/*
 * QUEUE regions with a body (FORTH-CC 3.2, single reader): a circular buffer of items of a fixed
 * size, or of variable length in 64-byte units, each item headed by its length. Written by whoever
 * has the turn, read by one reader; head and tail are free-running counts of units.
 */

enum { NI_QUEUE_UNIT = 64, NI_QUEUE_MAX = 1 << 26 };

struct ni_queue {
    _Atomic uint64_t tail; /* written (Q1, release) */
    uint32_t item;         /* bytes, 0: variable */
    uint32_t unit;
    uint64_t capacity; /* units, a power of two */
    uint8_t *body;
    NI_LINE_ALIGNED _Atomic uint64_t head; /* read (Q2, release) */
};

static uint64_t units_of(const struct ni_queue *queue, uint64_t len)
{
    return queue->item != 0 ? 1 : ni_div_up(sizeof(uint32_t) + len, queue->unit);
}

/* Copy into or out of the circular buffer. */
static void copy_in(struct ni_queue *queue, uint64_t at, const void *data, size_t len)
{
    uint64_t size = queue->capacity * queue->unit;
    size_t first;

    at &= size - 1;
    first = ni_min_u64(len, size - at);
    memcpy(queue->body + at, data, first);
    memcpy(queue->body, (const uint8_t *)data + first, len - first);
}

static void copy_out(const struct ni_queue *queue, uint64_t at, void *data, size_t len)
{
    uint64_t size = queue->capacity * queue->unit;
    size_t first;

    at &= size - 1;
    first = ni_min_u64(len, size - at);
    memcpy(data, queue->body + at, first);
    memcpy((uint8_t *)data + first, queue->body, len - first);
}

ni_status ni_region_queue(struct ni *ni, size_t item_size, size_t capacity, struct ni_rkey *rkey)
{
    struct ni_region_view view = {.type = NI_REGION_QUEUE, .access = NI_ACCESS_WRITE};
    size_t unit = item_size == 0 ? NI_QUEUE_UNIT : item_size;
    struct ni_queue *queue;
    ni_status status;

    if ((item_size != 0 && (item_size < 4 || item_size > 64 || !ni_is_pow2(item_size))) ||
        capacity == 0 || capacity > NI_QUEUE_MAX / unit) {
        return NI_ERR_INVALID;
    }
    queue = ni_aligned_zero(NI_CACHE_LINE, sizeof(*queue));
    if (queue == NULL) {
        return NI_ERR_NOMEM;
    }
    queue->item = (uint32_t)item_size;
    queue->unit = (uint32_t)unit;
    queue->capacity = ni_round_up_pow2(capacity);
    queue->body = ni_aligned(NI_CACHE_LINE, queue->capacity * unit);
    view.object[NI_OBJECT_BODY] = (uintptr_t)queue;
    status = queue->body == NULL ? NI_ERR_NOMEM : ni_region_insert(ni, &view, rkey);
    if (status != NI_OK) {
        ni_queue_free(queue);
    }
    return status;
}

void ni_queue_free(struct ni_queue *queue)
{
    ni_free(queue->body);
    ni_free(queue);
}

ni_status ni_queue_push(struct ni_queue *queue, const void *item, size_t len)
{
    uint64_t tail = atomic_load_explicit(&queue->tail, memory_order_relaxed);
    /* Pairs with Q2: the reader has left these units. */
    uint64_t head = atomic_load_explicit(&queue->head, memory_order_acquire);
    uint64_t units = units_of(queue, len);
    uint64_t at = tail * queue->unit;

    if (units > queue->capacity || (queue->item != 0 && len != queue->item)) {
        return NI_ERR_BOUNDS;
    }
    if (queue->capacity - (tail - head) < units) {
        return NI_AGAIN;
    }
    if (queue->item == 0) {
        uint32_t length = (uint32_t)len;

        copy_in(queue, at, &length, sizeof(length));
        at += sizeof(length);
    }
    copy_in(queue, at, item, len);
    atomic_store_explicit(&queue->tail, tail + units, memory_order_release); /* Q1 */
    return NI_OK;
}

ni_status ni_queue_pop(struct ni *ni, ni_handle handle, void *item, size_t size, size_t *len)
{
    struct ni_region_view view;
    struct ni_queue *queue;
    uint64_t head, at;
    uint32_t length;

    if (ni_usable(ni) != NI_OK) {
        return ni_usable(ni);
    }
    if (!ni_region_view(ni, handle, NI_REGION_QUEUE, &view) || view.object[NI_OBJECT_BODY] == 0) {
        return NI_ERR_REGION;
    }
    queue = (struct ni_queue *)(uintptr_t)view.object[NI_OBJECT_BODY];
    head = atomic_load_explicit(&queue->head, memory_order_relaxed);
    /* Pairs with Q1. */
    if (atomic_load_explicit(&queue->tail, memory_order_acquire) == head) {
        return NI_AGAIN;
    }
    at = head * queue->unit;
    length = queue->item;
    if (queue->item == 0) {
        copy_out(queue, at, &length, sizeof(length));
        at += sizeof(length);
    }
    *len = length;
    if (length > size) {
        return NI_ERR_TRUNCATED;
    }
    copy_out(queue, at, item, length);
    atomic_store_explicit(&queue->head, head + units_of(queue, length),
                          memory_order_release); /* Q2 */
    return NI_OK;
}
