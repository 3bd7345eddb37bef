/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/pool.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"

#define ITEM_SIZE_MAX   (1U << 20)
#define CHUNK_BYTES     (64U << 10) /* where the caller leaves the choice */
#define CHUNK_ITEMS_MIN 8
#define CHUNK_BYTES_MAX (1U << 30) /* keeps offsets within what ni_pool_slot divides exactly */

/* Where item 0 of a chunk with that many slots lies. */
static uint64_t items_offset(uint64_t slots)
{
    return ni_align_up(sizeof(struct ni_pool_chunk) + slots * sizeof(uint32_t), NI_CACHE_LINE);
}

/* Use the room that rounding the chunk up to a power of two has made. */
static uint32_t slots_in(uint64_t chunk_bytes, uint64_t stride, uint64_t at_least)
{
    uint64_t slots = at_least;

    while (items_offset(slots + 1) + (slots + 1) * stride <= chunk_bytes) {
        slots++;
    }
    return (uint32_t)slots;
}

ni_status ni_pool_init(struct ni_pool *pool, size_t item_size, uint32_t items_per_chunk,
                       uint32_t limit)
{
    if (item_size == 0 || item_size > ITEM_SIZE_MAX) {
        return NI_ERR_INVALID;
    }

    uint64_t size = ni_max_u64(item_size, sizeof(struct ni_pool_free));
    uint64_t stride = ni_align_up(size, NI_CACHE_LINE);
    uint64_t wanted = items_per_chunk;

    if (wanted == 0) {
        wanted = ni_max_u64(CHUNK_BYTES / (stride + sizeof(uint32_t)), CHUNK_ITEMS_MIN + 1) - 1;
    }
    if (limit != 0) {
        wanted = ni_min_u64(wanted, limit);
    }

    uint64_t chunk_bytes = ni_round_up_pow2(items_offset(wanted) + wanted * stride);

    if (chunk_bytes > CHUNK_BYTES_MAX) {
        return NI_ERR_INVALID;
    }
    memset(pool, 0, sizeof *pool);
    pool->slots = slots_in(chunk_bytes, stride, wanted);
    pool->chunk_mask = chunk_bytes - 1;
    pool->items_offset = (uint32_t)items_offset(pool->slots);
    pool->reciprocal = (uint32_t)(((uint64_t)1 << 32) / stride + 1);
    pool->stride = (uint32_t)stride;
    pool->item_size = (uint32_t)size;
    pool->slot_shift = ni_ilog2(ni_round_up_pow2(pool->slots));
    pool->limit = limit != 0 ? limit : UINT32_MAX;
    return NI_OK;
}

uint32_t ni_pool_fini(struct ni_pool *pool)
{
    uint32_t out = pool->out;

    for (uint32_t i = 0; i < pool->chunk_count; i++) {
#if NI_ASAN
        ASAN_UNPOISON_MEMORY_REGION(pool->chunks[i], pool->chunk_mask + 1);
#endif
        ni_free(pool->chunks[i]);
    }
    ni_free(pool->chunks);
    memset(pool, 0, sizeof *pool);
    return out;
}

/* Make room for one more entry in the array of chunks. */
static ni_status grow_table(struct ni_pool *pool)
{
    if (pool->chunk_count < pool->chunk_capacity) {
        return NI_OK;
    }

    uint32_t capacity = pool->chunk_capacity == 0 ? 4 : pool->chunk_capacity * 2;
    void *table = ni_realloc(pool->chunks, (size_t)capacity * sizeof(void *));

    if (table == NULL) {
        return NI_ERR_NOMEM;
    }
    pool->chunks = table;
    pool->chunk_capacity = capacity;
    return NI_OK;
}

static ni_status add_chunk(struct ni_pool *pool)
{
    /* indices are 32 bits wide */
    if (pool->chunk_count >= (UINT32_MAX >> pool->slot_shift)) {
        return NI_ERR_LIMIT;
    }
    if (grow_table(pool) != NI_OK) {
        return NI_ERR_NOMEM;
    }

    size_t bytes = pool->chunk_mask + 1;
    struct ni_pool_chunk *chunk = ni_aligned(bytes, bytes);

    if (chunk == NULL) {
        return NI_ERR_NOMEM;
    }
    memset(chunk, 0, pool->items_offset); /* the items stay untouched */
    chunk->first = pool->chunk_count << pool->slot_shift;
#if NI_ASAN
    ASAN_POISON_MEMORY_REGION((char *)chunk + pool->items_offset, bytes - pool->items_offset);
#endif
    pool->chunks[pool->chunk_count++] = chunk;
    pool->fresh = 0;
    return NI_OK;
}

/* Make an item; NULL at the limit or when out of memory. */
static void *get_new(struct ni_pool *pool)
{
    if (pool->made >= pool->limit) {
        return NULL;
    }
    if (pool->chunk_count == 0 || pool->fresh == pool->slots) {
        if (add_chunk(pool) != NI_OK) {
            return NULL;
        }
    }

    struct ni_pool_chunk *chunk = pool->chunks[pool->chunk_count - 1];
    void *item = ni_pool_slot_item(pool, chunk, pool->fresh);

    chunk->generation[pool->fresh]++;
    pool->fresh++;
    pool->made++;
    pool->out++;
    ni_pool_unpoison(pool, item);
    return item;
}

void *ni_pool_get_slow(struct ni_pool *pool)
{
    if (ni_fault(NI_FAULT_ALLOC)) {
        return NULL;
    }
    return pool->free != NULL ? ni_pool_take(pool) : get_new(pool);
}

void *ni_pool_next(const struct ni_pool *pool, uint32_t *cursor)
{
    while (*cursor < ni_pool_index_end(pool)) {
        void *item = ni_pool_at(pool, (*cursor)++);

        if (item != NULL) {
            return item;
        }
    }
    return NULL;
}
