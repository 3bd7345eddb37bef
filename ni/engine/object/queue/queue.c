/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "engine/core/progress_lock.h"
#include "engine/object/queue/multi.h"
#include "engine/object/queue/queue.h"

/*
 * QUEUE regions with a body (FORTH-CC 3.2, single reader): a circular buffer of items of a fixed
 * size, or of variable length in 64-byte units, each item headed by its length. Written by the one
 * that has the progress lock, read by one reader; head and tail are free-running counts of units.
 */

enum {
    NI_QUEUE_UNIT = 64,
    NI_QUEUE_MAX = 1 << 26,
};

/* Of an item of variable length. */
static uint64_t units_of(const struct ni_queue *queue, uint64_t len)
{
    return ni_div_up(sizeof(uint32_t) + len, queue->unit);
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

ni_status ni_queue_init(struct ni_queue *queue, size_t item_size, size_t capacity, unsigned flags)
{
    size_t unit = item_size == 0 ? NI_QUEUE_UNIT : item_size;

    queue->item = (uint32_t)item_size;
    queue->unit = (uint32_t)unit;
    queue->capacity = ni_round_up_pow2(capacity);
    queue->push_back = (flags & NI_QUEUE_PUSH_BACK) != 0;
    queue->body = ni_aligned(NI_CACHE_LINE, queue->capacity * unit);
    return queue->body != NULL ? NI_OK : NI_ERR_NOMEM;
}

static struct ni_queue *new_queue(size_t item_size, size_t capacity, unsigned flags)
{
    struct ni_queue *queue = ni_aligned_zero(NI_CACHE_LINE, sizeof(*queue));

    if (queue == NULL || ni_queue_init(queue, item_size, capacity, flags) != NI_OK) {
        ni_free(queue);
        return NULL;
    }
    return queue;
}

static void free_queue(struct ni_queue *queue)
{
    ni_free(queue->body);
    ni_free(queue);
}

ni_status ni_region_single_queue(struct ni *ni, size_t item_size, size_t capacity, unsigned flags,
                                 struct ni_rkey *rkey)
{
    struct ni_region_view view = {.type = NI_REGION_QUEUE, .access = NI_ACCESS_WRITE};
    size_t unit = item_size == 0 ? NI_QUEUE_UNIT : item_size;
    struct ni_queue *queue;
    ni_status status;

    if ((item_size != 0 && (item_size < 4 || item_size > 64 || !ni_is_pow2(item_size))) ||
        capacity == 0 || capacity > NI_QUEUE_MAX / unit ||
        (flags & ~(unsigned)NI_QUEUE_PUSH_BACK) != 0) {
        return NI_ERR_INVALID;
    }
    queue = new_queue(item_size, capacity, flags);
    if (queue == NULL) {
        return NI_ERR_NOMEM;
    }
    view.object[NI_OBJECT_BODY] = (uintptr_t)queue;
    status = ni_region_insert(ni, &view, rkey);
    if (status != NI_OK) {
        free_queue(queue);
    }
    return status;
}

ni_status ni_region_queue(struct ni *ni, size_t item_size, size_t capacity, struct ni_rkey *rkey)
{
    return ni_region_single_queue(ni, item_size, capacity, 0, rkey);
}

static ni_status push_variable(struct ni_queue *queue, const void *item, size_t len)
{
    uint64_t tail = atomic_load_explicit(&queue->tail, memory_order_relaxed);
    /* Pairs with Q2: the reader has left these units. */
    uint64_t head = atomic_load_explicit(&queue->head, memory_order_acquire);
    uint64_t units = units_of(queue, len);
    uint64_t at = tail * queue->unit;
    uint32_t length = (uint32_t)len;

    if (units > queue->capacity) {
        return NI_ERR_BOUNDS;
    }
    if (queue->capacity - (tail - head) < units) {
        return NI_AGAIN;
    }
    copy_in(queue, at, &length, sizeof(length));
    copy_in(queue, at + sizeof(length), item, len);
    atomic_store_explicit(&queue->tail, tail + units, memory_order_release); /* Q1 */
    return NI_OK;
}

ni_status ni_queue_body_push(struct ni_queue *queue, const void *item, size_t len)
{
    if (NI_UNLIKELY(queue->item == 0)) {
        return push_variable(queue, item, len);
    }
    if (NI_UNLIKELY(len != queue->item)) {
        return NI_ERR_BOUNDS;
    }
    return ni_queue_push_item(queue, item) ? NI_OK : NI_AGAIN;
}

/* ---- the owner ------------------------------------------------------------------------------- */

static ni_status pop_variable(struct ni_queue *queue, void *item, size_t size, size_t *len)
{
    uint64_t at = atomic_load_explicit(&queue->head, memory_order_relaxed) * queue->unit;
    uint32_t length;

    copy_out(queue, at, &length, sizeof(length));
    *len = length;
    if (length > size) {
        return NI_ERR_TRUNCATED;
    }
    copy_out(queue, at + sizeof(length), item, length);
    ni_queue_step(queue, units_of(queue, length));
    return NI_OK;
}

NI_ALWAYS_INLINE ni_status body_pop(struct ni_queue *queue, void *item, size_t size, size_t *len)
{
    if (ni_queue_items(queue) == 0) {
        return NI_AGAIN;
    }
    if (NI_UNLIKELY(queue->item == 0)) {
        return pop_variable(queue, item, size, len);
    }
    *len = queue->item;
    if (NI_UNLIKELY(queue->item > size)) {
        return NI_ERR_TRUNCATED;
    }
    ni_item_copy(item, ni_queue_first(queue), queue->item);
    ni_queue_step(queue, 1);
    return NI_OK;
}

/* The items of a queue of ours; of one with many readers only if the progress lock is ours. NULL:
 * there is no such queue. */
NI_ALWAYS_INLINE struct ni_queue *find(const struct ni *ni, ni_handle handle, bool locked)
{
    const struct ni_table_entry *entry = ni_table_get(&ni->table, handle);
    uintptr_t body;

    if (NI_UNLIKELY(entry == NULL)) {
        return NULL;
    }
    body = (uintptr_t)ni_entry_object(entry, NI_OBJECT_BODY);
    if (ni_entry_type(entry) == NI_REGION_QUEUE) {
        return (struct ni_queue *)body;
    }
    return locked && ni_entry_type(entry) == NI_REGION_MULTI_QUEUE
               ? &((struct ni_multi *)body)->queue
               : NULL;
}

static NI_NOINLINE ni_status pop_locked(struct ni *ni, ni_handle handle, void *item, size_t size,
                                        size_t *len)
{
    bool taken = ni_progress_lock_take(ni);
    struct ni_queue *queue = find(ni, handle, true);
    ni_status status = queue != NULL ? body_pop(queue, item, size, len) : NI_ERR_REGION;

    ni_progress_lock_give(ni, taken);
    return status;
}

ni_status ni_queue_pop(struct ni *ni, ni_handle handle, void *item, size_t size, size_t *len)
{
    struct ni_queue *queue;

    if (ni_usable(ni) != NI_OK) {
        return ni_usable(ni);
    }
    queue = find(ni, handle, !ni->threads);
    return NI_LIKELY(queue != NULL) ? body_pop(queue, item, size, len)
                                    : pop_locked(ni, handle, item, size, len);
}

ni_status ni_queue_push(struct ni *ni, ni_handle handle, const void *item, size_t len)
{
    ni_status status = ni_usable(ni);
    struct ni_queue *queue;
    struct ni_multi *multi;
    bool taken;

    if (status != NI_OK) {
        return status;
    }
    taken = ni_progress_lock_take_shared(ni);
    multi = ni_multi_find(ni, handle);
    if (multi != NULL) {
        status = ni_multi_push(multi, item, len);
    } else {
        queue = find(ni, handle, false);
        status = queue != NULL ? ni_queue_body_push(queue, item, len) : NI_ERR_REGION;
    }
    ni_progress_lock_give(ni, taken);
    return status;
}

/* ---- a type of regions ----------------------------------------------------------------------- */

static bool may_queue_call(const struct ni_region_view *region)
{
    return region->object[NI_OBJECT_CONSUMER] != 0;
}

static ni_status notify_queue(struct ni *ni, struct ni_peer *writer, ni_handle handle,
                              const struct ni_region_view *region, uint64_t value)
{
    ni_consumer_fn consumer = (ni_consumer_fn)(uintptr_t)region->object[NI_OBJECT_CONSUMER];
    struct ni_message_info info = {.source = writer, .data = &value, .len = sizeof(value)};

    (void)ni;
    (void)handle;
    if (consumer != NULL) {
        consumer((void *)(uintptr_t)region->object[NI_OBJECT_ARGUMENT], &info);
        return NI_OK;
    }
    return ni_queue_body_push((struct ni_queue *)(uintptr_t)region->object[NI_OBJECT_BODY], &value,
                              sizeof(value));
}

static void release_queue(struct ni *ni, const struct ni_region_view *region)
{
    (void)ni;
    if (region->object[NI_OBJECT_BODY] != 0) {
        free_queue((struct ni_queue *)(uintptr_t)region->object[NI_OBJECT_BODY]);
    }
}

void ni_queues_register(struct ni *ni)
{
    static const struct ni_region_ops ops = {.notify = notify_queue,
                                             .may_call = may_queue_call,
                                             .release = release_queue,
                                             .under_progress_lock = true};

    ni_region_type_register(ni, NI_REGION_QUEUE, &ops);
}
