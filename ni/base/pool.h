/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_BASE_POOL_H
#define NI_BASE_POOL_H

#include <stddef.h>
#include <stdint.h>

#include <apeni/status.h>

#include "base/assert.h"
#include "base/compiler.h"
#include "base/fault_inl.h"

#if NI_ASAN
#include <sanitizer/asan_interface.h>
#endif

/*
 * A pool of items of one size, for descriptors that the data path takes and gives back.
 *
 *   init -> (get -> put)* -> fini
 *
 * Items lie in chunks. A chunk is aligned to its size, a power of two, so the chunk of an item is
 * found by masking the item's address:
 *
 *   | struct ni_pool_chunk | generation[slots] | pad | item 0 | item 1 | ... | item slots-1 |
 *   ^ aligned to chunk_bytes                         ^ items_offset, aligned to a cache line
 *
 * Nothing is kept inside an item while it is out, so its user may clear all of it. While it is
 * free, its first word links the free list. The list is last in, first out: the item that is
 * handed out next is the one most likely still in the cache. New chunks are touched item by item,
 * when the free list is empty.
 *
 * Index: chunk number and slot, (chunk << slot_shift) | slot; stable for the life of the pool, and
 * dense enough for arrays. Generation: 0 at first, plus one at each get and at each put, so it is
 * odd exactly while the item is out. Token: generation << 32 | index. A token made while an item
 * is out is worthless as soon as that item is put back: a peer that echoes an old or an invented
 * token gets NULL, not somebody else's item. (Equal generations come back only after 2^31 uses of
 * the same item.)
 *
 * Not thread-safe: whoever shares a pool locks it.
 */

struct ni_pool_chunk {
    uint32_t first; /* index of slot 0 */
    uint32_t reserved;
    uint32_t generation[]; /* by slot */
};

struct ni_pool_free {
    struct ni_pool_free *next;
};

struct ni_pool {
    /* hot: read or written by every get and put; one cache line */
    struct ni_pool_free *free; /* last item given back */
    uintptr_t chunk_mask;      /* chunk_bytes - 1 */
    uint32_t items_offset;     /* of item 0 in a chunk */
    uint32_t reciprocal;       /* 2^32 / stride, rounded up */
    uint32_t out;              /* items handed out */
    uint32_t stride;           /* bytes from item to item */
    struct ni_pool_chunk **chunks;
    uint32_t chunk_count;
    uint32_t slot_shift; /* index >> slot_shift is the chunk number */
    uint32_t slots;      /* items in a chunk */

    /* cold: growing */
    uint32_t fresh;          /* slots of the last chunk that were handed out at least once */
    uint32_t chunk_capacity; /* of the array chunks */
    uint32_t made;           /* items that were handed out at least once */
    uint32_t limit;          /* most items */
    uint32_t item_size;      /* as asked for */
};

/* Make an empty pool; allocates nothing yet. item_size in bytes, 1 to 1 MiB; items_per_chunk 0
 * chooses about 64 KiB per chunk; limit is the largest number of items, 0 for no limit.
 * NI_ERR_INVALID if out of range. */
ni_status ni_pool_init(struct ni_pool *pool, size_t item_size, uint32_t items_per_chunk,
                       uint32_t limit);

/* Free all memory and return how many items were still out: 0 if the caller has no leak. Those
 * items are gone too. */
uint32_t ni_pool_fini(struct ni_pool *pool);

/* ni_pool_get where faults are armed or the free list is empty. */
NI_COLD void *ni_pool_get_slow(struct ni_pool *pool);

/* The items that are out, in order of index: for (uint32_t i = 0; (item = ni_pool_next(pool, &i))
 * != NULL;). Items may be put back meanwhile. O(items) in all. */
void *ni_pool_next(const struct ni_pool *pool, uint32_t *cursor);

static inline struct ni_pool_chunk *ni_pool_chunk_of(const struct ni_pool *pool, const void *item)
{
    return (struct ni_pool_chunk *)((uintptr_t)item & ~pool->chunk_mask);
}

/* Multiplying by the rounded-up reciprocal divides exactly, because offsets are multiples of
 * stride below 2^31. */
static inline uint32_t ni_pool_slot(const struct ni_pool *pool, const void *item)
{
    uint64_t offset = ((uintptr_t)item & pool->chunk_mask) - pool->items_offset;

    return (uint32_t)((offset * pool->reciprocal) >> 32);
}

static inline void *ni_pool_slot_item(const struct ni_pool *pool, struct ni_pool_chunk *chunk,
                                      uint32_t slot)
{
    return (char *)chunk + pool->items_offset + (size_t)slot * pool->stride;
}

/* Under AddressSanitizer a free item, and what lies between two items, must not be touched. */
static inline void ni_pool_poison(const struct ni_pool *pool, void *item)
{
#if NI_ASAN
    ASAN_POISON_MEMORY_REGION(item, pool->stride);
#else
    (void)pool;
    (void)item;
#endif
}

static inline void ni_pool_unpoison(const struct ni_pool *pool, void *item)
{
#if NI_ASAN
    ASAN_UNPOISON_MEMORY_REGION(item, pool->item_size);
#else
    (void)pool;
    (void)item;
#endif
}

/* Hand out the first item of the free list, which is not empty. */
static inline void *ni_pool_take(struct ni_pool *pool)
{
    struct ni_pool_free *item = pool->free;

    ni_pool_unpoison(pool, item);
    pool->free = item->next;
    pool->out++;
    ni_pool_chunk_of(pool, item)->generation[ni_pool_slot(pool, item)]++;
    return item;
}

/* The same, with its token. */
static inline void *ni_pool_take_token(struct ni_pool *pool, uint64_t *token)
{
    struct ni_pool_free *item = pool->free;
    struct ni_pool_chunk *chunk = ni_pool_chunk_of(pool, item);
    uint32_t slot = ni_pool_slot(pool, item);
    uint32_t generation = chunk->generation[slot] + 1;

    ni_pool_unpoison(pool, item);
    pool->free = item->next;
    pool->out++;
    chunk->generation[slot] = generation;
    *token = (uint64_t)generation << 32 | (chunk->first + slot);
    return item;
}

/* An item of undefined contents, aligned to a cache line; NULL at the limit or when memory is short
 * (a fault point). The caller owns it until ni_pool_put. */
static inline void *ni_pool_get(struct ni_pool *pool)
{
    if (NI_UNLIKELY(pool->free == NULL || ni_fault_armed())) {
        return ni_pool_get_slow(pool);
    }
    return ni_pool_take(pool);
}

/* Give back the item that ni_pool_find has just found. */
static inline void ni_pool_put_found(struct ni_pool *pool, void *item, uint32_t *generation)
{
    struct ni_pool_free *first = item;

    NI_ASSERT((*generation & 1) == 1);
    (*generation)++;
    first->next = pool->free;
    pool->free = first;
    pool->out--;
    ni_pool_poison(pool, item);
}

/* Give back an item of this pool that is out. Its tokens are stale from now on. */
static inline void ni_pool_put(struct ni_pool *pool, void *item)
{
    ni_pool_put_found(pool, item,
                      &ni_pool_chunk_of(pool, item)->generation[ni_pool_slot(pool, item)]);
}

/* The number of an item, below ni_pool_index_end. */
static inline uint32_t ni_pool_index(const struct ni_pool *pool, const void *item)
{
    return ni_pool_chunk_of(pool, item)->first + ni_pool_slot(pool, item);
}

/* One more than the largest index so far. */
static inline uint32_t ni_pool_index_end(const struct ni_pool *pool)
{
    return pool->chunk_count << pool->slot_shift;
}

/* The item of an index that may come from anywhere; NULL if there is none or it is not out. */
static inline void *ni_pool_at(const struct ni_pool *pool, uint32_t index)
{
    uint32_t slot = index & ((1U << pool->slot_shift) - 1);
    uint32_t number = index >> pool->slot_shift;

    if (NI_UNLIKELY(number >= pool->chunk_count || slot >= pool->slots)) {
        return NULL;
    }

    struct ni_pool_chunk *chunk = pool->chunks[number];

    if (NI_UNLIKELY((chunk->generation[slot] & 1) == 0)) {
        return NULL;
    }
    return ni_pool_slot_item(pool, chunk, slot);
}

/* The token of an item that is out; never 0. */
static inline uint64_t ni_pool_token(const struct ni_pool *pool, const void *item)
{
    uint32_t slot = ni_pool_slot(pool, item);
    const struct ni_pool_chunk *chunk = ni_pool_chunk_of(pool, item);

    return (uint64_t)chunk->generation[slot] << 32 | (chunk->first + slot);
}

/* ni_pool_get and ni_pool_token in one. */
static inline void *ni_pool_get_token(struct ni_pool *pool, uint64_t *token)
{
    void *item;

    if (NI_LIKELY(pool->free != NULL && !ni_fault_armed())) {
        return ni_pool_take_token(pool, token);
    }
    item = ni_pool_get_slow(pool);
    if (item != NULL) {
        *token = ni_pool_token(pool, item);
    }
    return item;
}

/* The item of a token that may come from anywhere, and where its generation is kept; NULL if the
 * token is stale, invented or names a free item. */
static inline void *ni_pool_find(const struct ni_pool *pool, uint64_t token,
                                 uint32_t **generation_at)
{
    uint32_t slot = (uint32_t)token & ((1U << pool->slot_shift) - 1);
    uint32_t number = (uint32_t)token >> pool->slot_shift;
    uint32_t generation = (uint32_t)(token >> 32);

    if (NI_UNLIKELY(number >= pool->chunk_count || slot >= pool->slots)) {
        return NULL;
    }

    struct ni_pool_chunk *chunk = pool->chunks[number];

    *generation_at = &chunk->generation[slot];
    if (NI_UNLIKELY((generation & 1) == 0 || chunk->generation[slot] != generation)) {
        return NULL;
    }
    return ni_pool_slot_item(pool, chunk, slot);
}

static inline void *ni_pool_from_token(const struct ni_pool *pool, uint64_t token)
{
    uint32_t *generation;

    return ni_pool_find(pool, token, &generation);
}

/* Items handed out now. */
static inline uint32_t ni_pool_out(const struct ni_pool *pool)
{
    return pool->out;
}

#endif
