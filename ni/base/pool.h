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
 * Items lie in chunks, whose number of items is a power of two. Behind each item lies its tag:
 *
 *   | item | tag | pad | item | tag | pad | ...
 *   ^ a cache line     ^ stride bytes further: whole cache lines, unless the pool is packed
 *
 * Nothing is kept inside an item while it is out, so its user may clear all of it. While it is
 * free, its first word links the free list. The list is last in, first out: the item that is
 * handed out next is the one most likely still in the cache. New chunks are touched item by item,
 * when the free list is empty; a tag is valid from then on.
 *
 * Tag: generation << 32 | index. The index is stable for the life of the pool, and dense enough for
 * arrays. The generation is 0 at first, plus one at each get and at each put, so it is odd exactly
 * while the item is out: then the tag is the item's token. A token is worthless as soon as its item
 * is put back: a peer that echoes an old or an invented token gets NULL, not somebody else's item.
 * (Equal generations come back only after 2^31 uses of the same item.)
 *
 * Not thread-safe: code that shares a pool locks it.
 */

struct ni_pool_free {
    struct ni_pool_free *next;
};

struct ni_pool {
    /* hot: read or written by every get and put; one cache line */
    struct ni_pool_free *free; /* last item given back */
    size_t tag_at;             /* bytes from an item to its tag */
    char **chunks;
    uint32_t out;        /* items handed out */
    uint32_t made;       /* items that were handed out at least once: what is below has a tag */
    uint32_t slot_shift; /* index >> slot_shift is the chunk number */
    uint32_t stride;     /* bytes from item to item */

    /* cold: growing */
    uint32_t chunk_count;
    uint32_t chunk_capacity; /* of the array chunks */
    uint32_t limit;          /* most items */
    uint32_t item_size;      /* as asked for */
};

/* Make an empty pool; allocates nothing yet. item_size in bytes, 1 to 1 MiB; items_per_chunk 0
 * chooses about 64 KiB per chunk; limit is the largest number of items, 0 for no limit.
 * NI_ERR_INVALID if out of range. */
ni_status ni_pool_init(struct ni_pool *pool, size_t item_size, uint32_t items_per_chunk,
                       uint32_t limit);

/* The same for very many items: an item and its tag take no more than they need, and are aligned to
 * 8 bytes instead of a cache line. */
ni_status ni_pool_init_packed(struct ni_pool *pool, size_t item_size, uint32_t items_per_chunk,
                              uint32_t limit);

/* Have the first chunk now: from then on a get fails only while as many items as it holds are out.
 * NI_ERR_NOMEM. */
ni_status ni_pool_reserve(struct ni_pool *pool);

/* Free all memory and return how many items were still out: 0 if the caller has no leak. Those
 * items are gone too. */
uint32_t ni_pool_fini(struct ni_pool *pool);

/* ni_pool_get where faults are armed or the free list is empty. */
NI_COLD void *ni_pool_get_slow(struct ni_pool *pool);

/* The items that are out, in order of index: for (uint32_t i = 0; (item = ni_pool_next(pool, &i))
 * != NULL;). Items may be put back meanwhile. O(items) in all. */
void *ni_pool_next(const struct ni_pool *pool, uint32_t *cursor);

enum { NI_POOL_GENERATION_SHIFT = 32 };
#define NI_POOL_GENERATION (UINT64_C(1) << NI_POOL_GENERATION_SHIFT) /* one more of it in a tag */

static inline uint64_t *ni_pool_tag(const struct ni_pool *pool, const void *item)
{
    return (uint64_t *)(void *)((char *)(uintptr_t)item + pool->tag_at);
}

/* The place of an index below pool->made. */
static inline void *ni_pool_slot_item(const struct ni_pool *pool, uint32_t index)
{
    uint32_t slot = index & ((UINT32_C(1) << pool->slot_shift) - 1);

    return pool->chunks[index >> pool->slot_shift] + (size_t)slot * pool->stride;
}

/* Under AddressSanitizer a free item, and what lies between two items, must not be touched but for
 * the tag. */
static inline void ni_pool_poison(const struct ni_pool *pool, void *item)
{
#if NI_ASAN
    ASAN_POISON_MEMORY_REGION(item, pool->item_size);
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
static inline void *ni_pool_take(struct ni_pool *pool, uint64_t *token)
{
    struct ni_pool_free *item = pool->free;

    ni_pool_unpoison(pool, item);
    pool->free = item->next;
    pool->out++;
    *token = *ni_pool_tag(pool, item) += NI_POOL_GENERATION;
    return item;
}

/* An item of undefined contents, aligned as the pool's are; NULL at the limit or when memory is
 * short (a fault point). The caller owns it until ni_pool_put. */
static inline void *ni_pool_get(struct ni_pool *pool)
{
    uint64_t token;

    if (NI_UNLIKELY(pool->free == NULL || ni_fault_armed())) {
        return ni_pool_get_slow(pool);
    }
    return ni_pool_take(pool, &token);
}

/* Give back an item of this pool that is out. Its token is stale from now on. */
static inline void ni_pool_put(struct ni_pool *pool, void *item)
{
    struct ni_pool_free *first = item;

    NI_ASSERT((*ni_pool_tag(pool, item) & NI_POOL_GENERATION) != 0);
    *ni_pool_tag(pool, item) += NI_POOL_GENERATION;
    first->next = pool->free;
    pool->free = first;
    pool->out--;
    ni_pool_poison(pool, item);
}

/* The number of an item, below ni_pool_index_end. */
static inline uint32_t ni_pool_index(const struct ni_pool *pool, const void *item)
{
    return (uint32_t)*ni_pool_tag(pool, item);
}

/* One more than the largest index so far. */
static inline uint32_t ni_pool_index_end(const struct ni_pool *pool)
{
    return pool->made;
}

/* The item of an index that may come from anywhere; NULL if there is none or it is not out. */
static inline void *ni_pool_at(const struct ni_pool *pool, uint32_t index)
{
    void *item;

    if (NI_UNLIKELY(index >= pool->made)) {
        return NULL;
    }
    item = ni_pool_slot_item(pool, index);
    return (*ni_pool_tag(pool, item) & NI_POOL_GENERATION) != 0 ? item : NULL;
}

/* The token of an item that is out; never 0. */
static inline uint64_t ni_pool_token(const struct ni_pool *pool, const void *item)
{
    return *ni_pool_tag(pool, item);
}

/* ni_pool_get and ni_pool_token in one. */
static inline void *ni_pool_get_token(struct ni_pool *pool, uint64_t *token)
{
    void *item;

    if (NI_LIKELY(pool->free != NULL && !ni_fault_armed())) {
        return ni_pool_take(pool, token);
    }
    item = ni_pool_get_slow(pool);
    if (item != NULL) {
        *token = ni_pool_token(pool, item);
    }
    return item;
}

/* The item of a token that may come from anywhere; NULL if the token is stale, invented or names a
 * free item. */
static inline void *ni_pool_from_token(const struct ni_pool *pool, uint64_t token)
{
    void *item;

    if (NI_UNLIKELY((uint32_t)token >= pool->made || (token & NI_POOL_GENERATION) == 0)) {
        return NULL;
    }
    item = ni_pool_slot_item(pool, (uint32_t)token);
    return NI_LIKELY(*ni_pool_tag(pool, item) == token) ? item : NULL;
}

/* Items handed out now. */
static inline uint32_t ni_pool_out(const struct ni_pool *pool)
{
    return pool->out;
}

#endif
