/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/pool.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"

#define ITEM_SIZE_MAX   (1U << 20)
#define CHUNK_BYTES     (64U << 10) /* where the caller leaves the choice */
#define CHUNK_ITEMS_MIN 8
#define CHUNK_BYTES_MAX (1U << 30)

/* The largest power of two whose items take no more than CHUNK_BYTES. */
static uint64_t usual_slots(uint64_t stride)
{
    return (uint64_t)1 << ni_ilog2(ni_max_u64(CHUNK_BYTES / stride, CHUNK_ITEMS_MIN));
}

static ni_status init(struct ni_pool *pool, size_t item_size, uint32_t items_per_chunk,
                      uint32_t limit, uint64_t alignment)
{
    if (item_size == 0 || item_size > ITEM_SIZE_MAX) {
        return NI_ERR_INVALID;
    }

    uint64_t size = ni_max_u64(item_size, sizeof(struct ni_pool_free));
    uint64_t tag_at = ni_align_up(size, sizeof(uint64_t));
    uint64_t stride = ni_align_up(tag_at + sizeof(uint64_t), alignment);
    uint64_t slots = items_per_chunk != 0 ? items_per_chunk : usual_slots(stride);

    if (limit != 0) {
        slots = ni_min_u64(slots, limit);
    }
    slots = ni_round_up_pow2(slots);
    if (slots * stride > CHUNK_BYTES_MAX) {
        return NI_ERR_INVALID;
    }
    memset(pool, 0, sizeof *pool);
    pool->tag_at = tag_at;
    pool->stride = (uint32_t)stride;
    pool->item_size = (uint32_t)size;
    pool->slot_shift = ni_ilog2(slots);
    pool->limit = limit != 0 ? limit : UINT32_MAX;
    return NI_OK;
}

ni_status ni_pool_init(struct ni_pool *pool, size_t item_size, uint32_t items_per_chunk,
                       uint32_t limit)
{
    return init(pool, item_size, items_per_chunk, limit, NI_CACHE_LINE);
}

ni_status ni_pool_init_packed(struct ni_pool *pool, size_t item_size, uint32_t items_per_chunk,
                              uint32_t limit)
{
    return init(pool, item_size, items_per_chunk, limit, sizeof(uint64_t));
}

static size_t chunk_bytes(const struct ni_pool *pool)
{
    return (size_t)pool->stride << pool->slot_shift;
}

uint32_t ni_pool_fini(struct ni_pool *pool)
{
    uint32_t out = pool->out;

    for (uint32_t i = 0; i < pool->chunk_count; i++) {
#if NI_ASAN
        ASAN_UNPOISON_MEMORY_REGION(pool->chunks[i], chunk_bytes(pool));
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
    if (grow_table(pool) != NI_OK) {
        return NI_ERR_NOMEM;
    }

    char *chunk = ni_aligned(NI_CACHE_LINE, chunk_bytes(pool));

    if (chunk == NULL) {
        return NI_ERR_NOMEM;
    }
#if NI_ASAN
    ASAN_POISON_MEMORY_REGION(chunk, chunk_bytes(pool));
#endif
    pool->chunks[pool->chunk_count++] = chunk;
    return NI_OK;
}

ni_status ni_pool_reserve(struct ni_pool *pool)
{
    return pool->chunk_count != 0 ? NI_OK : add_chunk(pool);
}

/* Make an item; NULL at the limit or when out of memory. */
static void *get_new(struct ni_pool *pool)
{
    uint32_t index = pool->made;
    void *item;

    if (index >= pool->limit ||
        (index >> pool->slot_shift == pool->chunk_count && add_chunk(pool) != NI_OK)) {
        return NULL;
    }
    item = ni_pool_slot_item(pool, index);
#if NI_ASAN
    ASAN_UNPOISON_MEMORY_REGION(ni_pool_tag(pool, item), sizeof(uint64_t));
#endif
    *ni_pool_tag(pool, item) = NI_POOL_GENERATION | index;
    pool->made++;
    pool->out++;
    ni_pool_unpoison(pool, item);
    return item;
}

void *ni_pool_get_slow(struct ni_pool *pool)
{
    uint64_t token;

    if (ni_fault(NI_FAULT_ALLOC)) {
        return NULL;
    }
    return pool->free != NULL ? ni_pool_take(pool, &token) : get_new(pool);
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
