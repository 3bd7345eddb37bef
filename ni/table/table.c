/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/table.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "table/table_inl.h"

/* Ends a chain of indices. */
static const uint32_t NONE = UINT32_MAX;

ni_status ni_table_init(struct ni_table *table)
{
    if ((uintptr_t)table % NI_CACHE_LINE != 0) {
        return NI_ERR_INVALID;
    }
    memset(table, 0, sizeof(*table));
    table->limit = NI_TABLE_LIMIT;
    table->free = NONE;
    table->rest_head = NONE;
    table->rest_tail = NONE;
    table->tree_floor = UINT32_MAX;
    ni_table_set_simd(table, ni_cpu_simd());
    return ni_pool_init(&table->nodes, sizeof(struct ni_range_node), 0, 0);
}

void ni_table_fini(struct ni_table *table)
{
    ni_table_set_export(table, NULL, 0);
    ni_pool_fini(&table->nodes);
    for (unsigned i = 0; i < NI_TABLE_CHUNKS; i++) {
        ni_free(atomic_load_explicit(&table->chunk[i], memory_order_relaxed));
    }
}

void ni_table_set_simd(struct ni_table *table, enum ni_simd simd)
{
    table->match = ni_slots_match_for(simd);
}

/* Whether the entry of an index is there, or can be made. */
static bool index_has_entry(struct ni_table *table, uint32_t index)
{
    unsigned number = ni_ilog2(index + NI_TABLE_CHUNK0) - NI_TABLE_CHUNK0_BITS;
    uint32_t first = ((uint32_t)NI_TABLE_CHUNK0 << number) - NI_TABLE_CHUNK0;
    uint32_t size = first + NI_TABLE_CHUNK0;

    if (atomic_load_explicit(&table->chunk[number], memory_order_relaxed) != NULL) {
        return true;
    }
    /* The last chunk would be twice the table: a peer can name no index beyond the 20 bits. */
    if (size > NI_HANDLE_INDEX_MASK + 1 - first) {
        size = NI_HANDLE_INDEX_MASK + 1 - first;
    }

    struct ni_table_entry *chunk = ni_aligned_zero(NI_CACHE_LINE, size * sizeof(*chunk));

    if (chunk == NULL) {
        return false;
    }
    atomic_store_explicit(&table->chunk[number], chunk, memory_order_release); /* C1 */
    return true;
}

/* Take the oldest index from its rest; there must be one. */
static uint32_t rest_pop(struct ni_table *table)
{
    uint32_t index = table->rest_head;

    table->rest_head = ni_table_at(table, index)->place;
    if (table->rest_head == NONE) {
        table->rest_tail = NONE;
    }
    table->rest_count--;
    return index;
}

static void rest_push(struct ni_table *table, uint32_t index)
{
    ni_table_at(table, index)->place = NONE;
    if (table->rest_tail == NONE) {
        table->rest_head = index;
    } else {
        ni_table_at(table, table->rest_tail)->place = index;
    }
    table->rest_tail = index;
    table->rest_count++;
}

/* An index for a new region, with its entry, which is free and has its generation. */
NI_ALWAYS_INLINE ni_status index_take(struct ni_table *table, uint32_t *index,
                                      struct ni_table_entry **entry)
{
    if (NI_LIKELY(table->free != NONE)) {
        *index = table->free;
        *entry = ni_table_at(table, *index);
        table->free = (*entry)->place;
    } else if (table->fresh < table->limit) {
        if (!index_has_entry(table, table->fresh)) {
            return NI_ERR_NOMEM;
        }
        *index = table->fresh++;
        *entry = ni_table_at(table, *index);
        (*entry)->generation = 1;
    } else if (table->rest_count > 0) {
        *index = rest_pop(table);
        *entry = ni_table_at(table, *index);
    } else {
        return NI_ERR_LIMIT;
    }
    return NI_OK;
}

static void index_push(struct ni_table *table, uint32_t index)
{
    ni_table_at(table, index)->place = table->free;
    table->free = index;
}

/* Give back an index whose handle has been in use. */
static void index_retire(struct ni_table *table, uint32_t index)
{
    struct ni_table_entry *entry = ni_table_at(table, index);

    if (entry->generation < NI_TABLE_GENERATIONS) {
        entry->generation++;
        index_push(table, index);
        return;
    }
    entry->generation = 1;
    rest_push(table, index);
    if (table->rest_count > NI_TABLE_REST) {
        index_push(table, rest_pop(table));
    }
}

static uint64_t shared_key(const struct ni_table *table)
{
    return atomic_load_explicit(&table->shared_key, memory_order_relaxed);
}

uint64_t ni_table_shared_key(struct ni_table *table, uint64_t fresh)
{
    if (shared_key(table) == 0) {
        atomic_store_explicit(&table->shared_key, fresh, memory_order_relaxed);
    }
    return shared_key(table);
}

NI_ALWAYS_INLINE bool region_valid(const struct ni_table *table,
                                   const struct ni_region_view *region)
{
    if (region->type == NI_REGION_FREE || (unsigned)region->type > 0xff ||
        (region->access & ~(unsigned)(NI_ACCESS_ALL | NI_ACCESS_BY_ADDRESS)) != 0 ||
        region->len > UINT64_MAX - region->base) {
        return false;
    }
    if ((region->access & NI_ACCESS_BY_ADDRESS) != 0 &&
        (region->type != NI_REGION_MEMORY || region->key != shared_key(table))) {
        return false;
    }
    return region->type != NI_REGION_MEMORY ||
           (region->len > 0 && (region->access & NI_ACCESS_ALL) != 0);
}

static void tree_changed(struct ni_table *table)
{
    table->tree_floor = table->tree.root != NULL ? table->tree.root->sub.min_index : UINT32_MAX;
}

/* Make a region findable by address. */
NI_ALWAYS_INLINE ni_status search_add(struct ni_table *table, const struct ni_region_view *region,
                                      ni_handle handle, uint32_t *place)
{
    uint64_t end = region->base + region->len;

    if (!ni_slots_full(&table->slots) && ni_slots_fit(region->base, end)) {
        *place = ni_slots_add(&table->slots, region->base, end, handle);
        return NI_OK;
    }

    struct ni_range_node *node = ni_pool_get(&table->nodes);

    if (node == NULL) {
        return NI_ERR_NOMEM;
    }
    node->begin = region->base;
    node->end = end;
    node->index = ni_handle_index(handle);
    ni_range_tree_insert(&table->tree, node);
    tree_changed(table);
    *place = NI_SLOTS + ni_pool_index(&table->nodes, node);
    return NI_OK;
}

static void search_remove(struct ni_table *table, uint32_t place)
{
    if (place < NI_SLOTS) {
        ni_slots_remove(&table->slots, place);
        return;
    }

    struct ni_range_node *node = ni_pool_at(&table->nodes, place - NI_SLOTS);

    ni_range_tree_remove(&table->tree, node);
    ni_pool_put(&table->nodes, node);
    tree_changed(table);
}

/* The record of the mirror for an index, or NULL. */
static struct ni_table_export *mirror_of(const struct ni_table *table, uint32_t index)
{
    return index < table->mirror_count ? &table->mirror[index] : NULL;
}

/* Fill a free entry, and make it valid last of all. */
NI_ALWAYS_INLINE void entry_publish(const struct ni_table *table, uint32_t index,
                                    struct ni_table_entry *entry, uint64_t word,
                                    const struct ni_region_view *region)
{
    struct ni_table_export *mirror = mirror_of(table, index);

    for (unsigned i = 0; i < NI_ENTRY_OBJECTS; i++) {
        /* W2 of export.h */
        atomic_store_explicit(&entry->object[i], region->object[i], memory_order_release);
    }
    if (mirror != NULL && region->type == NI_REGION_MEMORY) {
        ni_export_publish(mirror, word, region->base, region->len, region->key);
    }
    ni_export_publish(&entry->record, word, region->base, region->len, region->key);
}

/* Inline: ni_table_add makes the view of constants and arguments, which never is in memory then. */
NI_ALWAYS_INLINE ni_status insert_range(struct ni_table *table, const struct ni_region_view *region,
                                        ni_handle *handle)
{
    struct ni_table_entry *entry = NULL;
    uint32_t index = 0;

    if (!region_valid(table, region)) {
        return NI_ERR_INVALID;
    }

    ni_status status = index_take(table, &index, &entry);

    if (status != NI_OK) {
        return status;
    }

    ni_handle made = (ni_handle)entry->generation << NI_HANDLE_INDEX_BITS | index;

    if (region->type == NI_REGION_MEMORY) {
        status = search_add(table, region, made, &entry->place);
    }
    if (status != NI_OK) {
        index_push(table, index);
        return status;
    }
    entry_publish(table, index, entry, ni_word_make(made, region->type, region->access), region);
    table->count++;
    *handle = made;
    return NI_OK;
}

ni_status ni_table_insert(struct ni_table *table, const struct ni_region_view *region,
                          ni_handle *handle)
{
    return insert_range(table, region, handle);
}

ni_status ni_table_add(struct ni_table *table, enum ni_region_type type, uint64_t base,
                       uint64_t len, unsigned access, uint64_t key, ni_handle *handle)
{
    struct ni_region_view region = {
        .type = type, .access = access, .base = base, .len = len, .key = key};

    return insert_range(table, &region, handle);
}

ni_status ni_table_remove(struct ni_table *table, ni_handle handle)
{
    uint32_t index = ni_handle_index(handle);

    if (ni_table_get(table, handle) == NULL) {
        return NI_ERR_REGION;
    }

    struct ni_table_entry *entry = ni_table_at(table, index);
    struct ni_table_export *mirror = mirror_of(table, index);
    bool searched = ni_entry_type(entry) == NI_REGION_MEMORY;

    ni_export_withdraw(&entry->record);
    if (mirror != NULL) {
        ni_export_withdraw(mirror);
    }
    if (searched) {
        search_remove(table, entry->place);
    }
    index_retire(table, index);
    table->count--;
    return NI_OK;
}

void ni_table_set_export(struct ni_table *table, struct ni_table_export *records, size_t n)
{
    struct ni_table_entry *entry = NULL;
    struct ni_region_view view;

    for (size_t i = 0; i < table->mirror_count; i++) {
        ni_export_withdraw(&table->mirror[i]);
    }
    table->mirror = records;
    table->mirror_count = records != NULL ? n : 0;
    for (size_t i = 0; i < table->mirror_count; i++) {
        ni_export_withdraw(&records[i]);
    }
    for (uint32_t i = 0; (entry = ni_table_next(table, &i)) != NULL;) {
        ni_handle handle = ni_entry_handle(entry);
        struct ni_table_export *mirror = mirror_of(table, ni_handle_index(handle));

        if (mirror != NULL && ni_entry_read(entry, handle, &view) &&
            view.type == NI_REGION_MEMORY) {
            ni_export_publish(mirror, ni_word_make(handle, view.type, view.access), view.base,
                              view.len, view.key);
        }
    }
}

struct ni_table_entry *ni_table_next(const struct ni_table *table, uint32_t *cursor)
{
    while (*cursor < table->fresh) {
        struct ni_table_entry *entry = ni_table_at(table, (*cursor)++);

        if (atomic_load_explicit(&entry->record.word, memory_order_acquire) != 0) {
            return entry;
        }
    }
    return NULL;
}

/* Whether other regions may stand in for that of a handle: it is gone, or has the bit. */
static bool may_settle(const struct ni_table *table, ni_handle handle, uint64_t key)
{
    const struct ni_table_entry *named = ni_table_get(table, handle);
    uint64_t word =
        named != NULL ? atomic_load_explicit(&named->record.word, memory_order_relaxed) : 0;

    return key != 0 && key == shared_key(table) &&
           (!ni_word_names(word, handle) || (ni_word_access(word) & NI_ACCESS_BY_ADDRESS) != 0);
}

/* Any thread: the search by address is not, so each region is judged under its own handle. */
NI_COLD ni_status ni_table_settle(const struct ni_table *table, ni_status refusal, ni_handle handle,
                                  uint64_t key, uint64_t addr, uint64_t len, unsigned access,
                                  struct ni_table_entry **entry)
{
    struct ni_table_entry *found;

    if (!may_settle(table, handle, key)) {
        return refusal;
    }
    for (uint32_t i = 0; i < NI_TABLE_LIMIT && (found = ni_table_at(table, i)) != NULL; i++) {
        if (ni_export_judge(&found->record, ni_entry_handle(found), key, addr, len,
                            access | NI_ACCESS_BY_ADDRESS) == NI_OK) {
            if (entry != NULL) {
                *entry = found;
            }
            return NI_OK;
        }
    }
    return refusal;
}

ni_handle ni_table_find_rest(const struct ni_table *table, uint64_t begin, uint64_t end,
                             uint32_t hits)
{
    uint32_t best = UINT32_MAX;

    if (end <= begin) {
        return 0;
    }
    for (; hits != 0; hits &= hits - 1) {
        uint32_t index = ni_handle_index(table->slots.handle[__builtin_ctz(hits)]);

        best = index < best ? index : best;
    }
    if (table->tree_floor < best) {
        best = ni_range_tree_min_index(&table->tree, begin, end, best);
    }
    return best != UINT32_MAX ? ni_entry_handle(ni_table_at(table, best)) : 0;
}
