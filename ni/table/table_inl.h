/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_TABLE_TABLE_INL_H
#define NI_TABLE_TABLE_INL_H

#include "table/table.h"

/*
 * What the data path does with the buffer table. All arguments may come from a peer.
 */

/* The entry at any index up to 2^20 - 1, in use or not; NULL if the table never grew so far. */
static inline struct ni_table_entry *ni_table_at(const struct ni_table *table, uint32_t index)
{
    uint32_t shifted = index + NI_TABLE_CHUNK0;
    unsigned top = 31U ^ (unsigned)__builtin_clz(shifted); /* one instruction, unlike 31 - clz */
    /* C2 */
    struct ni_table_entry *chunk =
        atomic_load_explicit(&table->chunk[top - NI_TABLE_CHUNK0_BITS], memory_order_acquire);

    return NI_LIKELY(chunk != NULL) ? &chunk[shifted ^ 1U << top] : NULL;
}

/* The region of a handle, or NULL if it is stale or invented. Any thread. */
static inline struct ni_table_entry *ni_table_get(const struct ni_table *table, ni_handle handle)
{
    struct ni_table_entry *entry = ni_table_at(table, ni_handle_index(handle));

    if (NI_UNLIKELY(entry == NULL)) {
        return NULL;
    }
    /* R1 of export.h */
    uint64_t word = atomic_load_explicit(&entry->record.word, memory_order_acquire);

    return NI_LIKELY(ni_word_names(word, handle)) ? entry : NULL;
}

/*
 * Judge an access of a peer to [addr, addr + len), addr an address of this process. Returns the
 * first that applies of
 *   NI_ERR_REGION  stale or invented handle
 *   NI_ERR_KEY     wrong key
 *   NI_ERR_BOUNDS  not wholly inside; an access of no bytes may be anywhere from base to the end
 *   NI_ERR_ACCESS  more in `access` (enum ni_access) than the region allows
 * or NI_OK and, if entry is not NULL, the entry. Any thread. The type is not judged: what a QUEUE
 * or COUNTER region allows in its own [base, base + len) is what it was added with.
 *
 * What a region with NI_ACCESS_BY_ADDRESS refuses, or one that is gone, another one with this bit
 * may allow. That takes time with the number of regions, and is looked for only with the key of
 * these.
 */
static inline ni_status ni_table_check(const struct ni_table *table, ni_handle handle, uint64_t key,
                                       uint64_t addr, uint64_t len, unsigned access,
                                       struct ni_table_entry **entry)
{
    struct ni_table_entry *found = ni_table_at(table, ni_handle_index(handle));
    ni_status status = NI_LIKELY(found != NULL)
                           ? ni_export_judge(&found->record, handle, key, addr, len, access)
                           : NI_ERR_REGION;

    if (NI_UNLIKELY(status != NI_OK)) {
        return ni_table_settle(table, status, handle, key, addr, len, access, entry);
    }
    if (entry != NULL) {
        *entry = found;
    }
    return NI_OK;
}

/*
 * Members of an entry that ni_table_get returned. Each is right only while nobody removes the
 * region; where somebody may, ni_entry_read gives all of them from one moment.
 */
static inline ni_handle ni_entry_handle(const struct ni_table_entry *entry)
{
    return (ni_handle)atomic_load_explicit(&entry->record.word, memory_order_acquire);
}

static inline enum ni_region_type ni_entry_type(const struct ni_table_entry *entry)
{
    return ni_word_type(atomic_load_explicit(&entry->record.word, memory_order_acquire));
}

static inline uint64_t ni_entry_key(const struct ni_table_entry *entry)
{
    return atomic_load_explicit(&entry->record.key, memory_order_acquire);
}

static inline uint64_t ni_entry_object(const struct ni_table_entry *entry, unsigned which)
{
    return atomic_load_explicit(&entry->object[which], memory_order_acquire);
}

/* Copy an entry if it is still that of the handle; false, and view is undefined, if it is not. Any
 * thread. */
static inline bool ni_entry_read(const struct ni_table_entry *entry, ni_handle handle,
                                 struct ni_region_view *view)
{
    const struct ni_table_export *record = &entry->record;
    uint64_t word = atomic_load_explicit(&record->word, memory_order_acquire); /* R1 */

    view->type = ni_word_type(word);
    view->access = ni_word_access(word);
    view->base = atomic_load_explicit(&record->base, memory_order_acquire); /* R2 */
    view->len = atomic_load_explicit(&record->len, memory_order_acquire);
    view->key = atomic_load_explicit(&record->key, memory_order_acquire);
    for (unsigned i = 0; i < NI_ENTRY_OBJECTS; i++) {
        view->object[i] = atomic_load_explicit(&entry->object[i], memory_order_acquire);
    }
    return ni_word_names(word, handle) &&
           atomic_load_explicit(&record->word, memory_order_relaxed) == word; /* R3 */
}

/*
 * The MEMORY region that contains [start, start + len), of several the one with the smallest
 * index; 0 if none does, if len is 0 or the range wraps. One vector comparison while there are up
 * to 32 MEMORY regions, O(log n) beyond (range_tree.h).
 */
static inline ni_handle ni_table_find(const struct ni_table *table, uint64_t start, uint64_t len)
{
    uint64_t end = start + len;

    if (NI_UNLIKELY(!ni_slots_fit(start, end))) {
        return ni_table_find_rest(table, start, end, 0);
    }

    uint32_t hits = table->match(&table->slots, start, end);

    if (NI_LIKELY(ni_is_pow2(hits))) {
        ni_handle found = table->slots.handle[__builtin_ctz(hits)];

        if (NI_LIKELY(ni_handle_index(found) < table->tree_floor)) {
            return found;
        }
    }
    return ni_table_find_rest(table, start, end, hits);
}

/* The same with a status, NI_ERR_NOTFOUND instead of 0. */
static inline ni_status ni_table_search(const struct ni_table *table, uint64_t start, uint64_t len,
                                        ni_handle *handle)
{
    ni_handle found = ni_table_find(table, start, len);

    if (found == 0) {
        return NI_ERR_NOTFOUND;
    }
    *handle = found;
    return NI_OK;
}

#endif
