/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_TABLE_EXPORT_H
#define NI_TABLE_EXPORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <apeni/region.h>

#include "base/bits.h"
#include "base/compiler.h"

/*
 * The record by which an access is judged. Each entry of a buffer table begins with one, and a
 * table may mirror those of its MEMORY regions into memory that other processes map, so that a
 * peer's engine judges an access by itself before it copies directly. The layout is therefore
 * part of what processes share.
 *
 *   offset  size  field
 *        0     8  word: bits 0-31 handle, 32-39 type, 40-47 access, the rest 0;
 *                 0 as a whole: nothing here
 *        8     8  base, the first address
 *       16     8  len in bytes; base + len <= 2^64 - 1, on which a reader does not rely
 *       24     8  key
 *
 * One thread at a time writes a record, any number read it at any time. A writer makes the word 0,
 * changes the fields, then stores the new word. A reader loads the word, the fields, and the word
 * again; if that is unchanged and names the handle asked for, the fields belong to it. Edges:
 *
 *   W1 store of the word, release      pairs with  R1 first load of the word, acquire:
 *      who sees a handle sees all of its fields
 *   W2 store of each field, release    pairs with  R2 load of each field, acquire:
 *      who sees a field of a later region sees in R3 that the word had become 0 before it
 *   R3 second load of the word, relaxed: R2 keeps it behind the loads of the fields
 *
 * The same word does not come back for the same index before the generations of the handle have
 * been used up (table.h), far longer than a reader stays between R1 and R3.
 */

struct ni_table_export {
    _Atomic uint64_t word;
    _Atomic uint64_t base;
    _Atomic uint64_t len;
    _Atomic uint64_t key;
};

_Static_assert(sizeof(struct ni_table_export) == 32, "shared with other processes");
_Static_assert(offsetof(struct ni_table_export, word) == 0, "shared with other processes");
_Static_assert(offsetof(struct ni_table_export, base) == 8, "shared with other processes");
_Static_assert(offsetof(struct ni_table_export, len) == 16, "shared with other processes");
_Static_assert(offsetof(struct ni_table_export, key) == 24, "shared with other processes");
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "records are read by other processes");

enum {
    NI_WORD_TYPE_SHIFT = 32,
    NI_WORD_ACCESS_SHIFT = 40,
    NI_HANDLE_INDEX_BITS = 20,
    NI_HANDLE_INDEX_MASK = (1 << NI_HANDLE_INDEX_BITS) - 1,
};

/* The place of a handle in the table, and in the mirror. */
static inline uint32_t ni_handle_index(ni_handle handle)
{
    return handle & NI_HANDLE_INDEX_MASK;
}

static inline uint64_t ni_word_make(ni_handle handle, enum ni_region_type type, unsigned access)
{
    return handle | (uint64_t)type << NI_WORD_TYPE_SHIFT | (uint64_t)access << NI_WORD_ACCESS_SHIFT;
}

static inline enum ni_region_type ni_word_type(uint64_t word)
{
    return (enum ni_region_type)(word >> NI_WORD_TYPE_SHIFT & 0xff);
}

static inline unsigned ni_word_access(uint64_t word)
{
    return (unsigned)(word >> NI_WORD_ACCESS_SHIFT & 0xff);
}

/* Whether a word is that of a handle. A word of 0 is nobody's, also not that of handle 0. */
static inline bool ni_word_names(uint64_t word, ni_handle handle)
{
    return (uint32_t)word == handle && word != 0;
}

/* Writer: from now on the record holds nothing. */
static inline void ni_export_withdraw(struct ni_table_export *record)
{
    atomic_store_explicit(&record->word, 0, memory_order_relaxed);
}

/* Writer: fill a record that holds nothing. */
static inline void ni_export_publish(struct ni_table_export *record, uint64_t word, uint64_t base,
                                     uint64_t len, uint64_t key)
{
    atomic_store_explicit(&record->base, base, memory_order_release); /* W2 */
    atomic_store_explicit(&record->len, len, memory_order_release);
    atomic_store_explicit(&record->key, key, memory_order_release);
    atomic_store_explicit(&record->word, word, memory_order_release); /* W1 */
}

/* Whether so many bytes at addr are the record's: of judging, R2. */
static inline bool ni_export_covers(const struct ni_table_export *record, uint64_t addr,
                                    uint64_t len)
{
    uint64_t base = atomic_load_explicit(&record->base, memory_order_acquire);

    /* An address below base gives an offset beyond any size. */
    return ni_range_within(addr - base, len,
                           atomic_load_explicit(&record->len, memory_order_acquire));
}

/*
 * Judge an access of len bytes at addr, which must need only what `access` names. In this order:
 * NI_ERR_REGION  the record is not that of the handle, or changes just now
 * NI_ERR_KEY     wrong key
 * NI_ERR_BOUNDS  some byte lies outside; of an access of no bytes, addr does (the end is inside)
 * NI_ERR_ACCESS  the region does not allow it
 * Any values will do, from a peer too, in the arguments as in the record. Thread-safe.
 */
static inline ni_status ni_export_judge(const struct ni_table_export *record, ni_handle handle,
                                        uint64_t key, uint64_t addr, uint64_t len, unsigned access)
{
    uint64_t word = atomic_load_explicit(&record->word, memory_order_acquire); /* R1 */
    ni_status status = NI_OK;

    if (NI_UNLIKELY(!ni_word_names(word, handle))) {
        return NI_ERR_REGION;
    }
    if (NI_UNLIKELY(atomic_load_explicit(&record->key, memory_order_acquire) != key)) { /* R2 */
        status = NI_ERR_KEY;
    } else if (NI_UNLIKELY(!ni_export_covers(record, addr, len))) {
        status = NI_ERR_BOUNDS;
    } else if (NI_UNLIKELY((access & ~ni_word_access(word)) != 0)) {
        status = NI_ERR_ACCESS;
    }
    /* R3 */
    return NI_LIKELY(atomic_load_explicit(&record->word, memory_order_relaxed) == word)
               ? status
               : NI_ERR_REGION;
}

/*
 * The same for a handle of the peer whose mirror of n records this is. NI_ERR_UNSUPPORTED if only
 * the peer itself can judge: the mirror does not reach as far as the handle's index, or what is
 * there refuses, but has NI_ACCESS_BY_ADDRESS, so that another region may allow it. Regions that
 * are not MEMORY are not mirrored and give NI_ERR_REGION. NI_OK says what the peer's memory
 * claims, and a region may end at any time: the copy itself must bear that the memory is gone, or
 * was never there.
 */
static inline ni_status ni_export_check(const struct ni_table_export *records, size_t n,
                                        ni_handle handle, uint64_t key, uint64_t addr, uint64_t len,
                                        unsigned access)
{
    uint32_t index = ni_handle_index(handle);
    ni_status status;

    if (NI_UNLIKELY(index >= n)) {
        return NI_ERR_UNSUPPORTED;
    }
    status = ni_export_judge(&records[index], handle, key, addr, len, access);
    if (NI_UNLIKELY(status != NI_OK) &&
        (ni_word_access(atomic_load_explicit(&records[index].word, memory_order_relaxed)) &
         NI_ACCESS_BY_ADDRESS) != 0) {
        return NI_ERR_UNSUPPORTED;
    }
    return status;
}

#endif
