/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_TABLE_TABLE_H
#define NI_TABLE_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <apeni/region.h>
#include <apeni/status.h>

#include "base/compiler.h"
#include "base/cpu.h"
#include "base/pool.h"
#include "table/export.h"
#include "table/range_tree.h"
#include "table/slots.h"

/*
 * The buffer table of an NI (APEnet+ 4.3): every region that a packet may name.
 *
 *   init -> (add -> get, check, search ... -> remove)* -> fini
 *
 * A handle is the index of an entry in its low 20 bits and the entry's generation in its upper 12:
 *
 *   31          20 19                     0
 *   | generation  |         index         |     generation 1..4095, so no handle is 0
 *
 * Entries lie in chunks of growing size and never move:
 *
 *   chunk    0        1          2        ...      14
 *   index  0..63   64..191   192..447     ...   the last 64
 *
 * so index + 64 written in binary names the chunk by its top bit and the place by the others.
 *
 * Generations. An index that becomes free is the next to be used (its entry is in the cache), so
 * it may pass through its 4095 generations within a millisecond. Retiring it then would end every
 * long-lived program after 4 * 10^9 registrations. Instead it rests: it waits behind the
 * NI_TABLE_REST indices that came to rest before it. So a program that registers and deregisters
 * all the time sees a handle again after 4095 * 256, a million, registrations at the earliest, and
 * the price is 256 entries of 64 bytes. What a handle still lacks to be unique the 64-bit key has.
 * Only when all 2^20 - 1 indices are in use do resting ones come back earlier.
 *
 * Search by address (search_persistent_buf_by_range): a MEMORY region is in one of 32 slots, which
 * are all compared at once, if there is a free one when it is added (and it does not cross 2^63,
 * which none of user space does), and otherwise in a tree.
 *
 * Threads. add, remove, set_export and search are for one thread at a time (the engine's lock).
 * get, check and the functions on entries may run in any thread at the same time; they see a
 * region wholly or not at all (the edges are in export.h; C1/C2 below for chunks). What they do
 * not do is hold it: a region found by one thread may be removed by another one before the first
 * has used what it found. Memory and objects must outlive such uses; the engine sees to that, by
 * making use of an entry only where it also could remove one, or by waiting after removal until
 * no thread is in the middle of a packet.
 */

enum {
    NI_TABLE_LIMIT = NI_HANDLE_INDEX_MASK, /* regions at one time: 2^20 - 1 */
    NI_TABLE_GENERATIONS = 4095,
    NI_TABLE_REST = 256, /* indices that wait after their last generation */
    NI_TABLE_CHUNK0_BITS = 6,
    NI_TABLE_CHUNK0 = 1 << NI_TABLE_CHUNK0_BITS,
    NI_TABLE_CHUNKS = 15,
    NI_ENTRY_OBJECTS = 3,
};

/* Hot part first: a check reads `record` alone. One cache line. */
struct ni_table_entry {
    NI_LINE_ALIGNED struct ni_table_export record;
    /* The type's own, such as a consumer and its argument. W2/R2 like the fields of record. */
    _Atomic uint64_t object[NI_ENTRY_OBJECTS];
    /* From here on touched by add, remove and search only. */
    uint32_t
        place; /* in use and MEMORY: slot, or NI_SLOTS + number of tree node; free: next index */
    uint16_t generation; /* of the handle, or of the next one while free */
    uint16_t reserved;
};

_Static_assert(sizeof(struct ni_table_entry) == 64, "one cache line");

/* A consistent copy of an entry. */
struct ni_region_view {
    enum ni_region_type type;
    unsigned access; /* enum ni_access */
    uint64_t base;
    uint64_t len; /* bytes */
    uint64_t key;
    uint64_t object[NI_ENTRY_OBJECTS];
};

struct ni_table {
    /* hot */
    ni_slots_match_fn match;
    uint32_t tree_floor; /* no region in the tree has a smaller index; UINT32_MAX: none there */
    uint32_t count;      /* regions */
    /* C1 store of a chunk, release, pairs with C2 load of a chunk, acquire: who sees the pointer
     * sees entries that are free. */
    struct ni_table_entry *_Atomic chunk[NI_TABLE_CHUNKS];
    struct ni_slots slots;

    /* cold */
    struct ni_range_tree tree; /* of struct tree_node */
    struct ni_pool nodes;
    /* Of the regions with NI_ACCESS_BY_ADDRESS; 0: there has been none. Relaxed: it is set once,
     * before a peer can know it. */
    _Atomic uint64_t shared_key;
    struct ni_table_export *mirror;
    size_t mirror_count;
    uint32_t limit;     /* NI_TABLE_LIMIT; tests make it smaller */
    uint32_t fresh;     /* smallest index never used */
    uint32_t free;      /* last index that became free, chained through place; UINT32_MAX: none */
    uint32_t rest_head; /* longest resting index, chained through place */
    uint32_t rest_tail;
    uint32_t rest_count;
};

/* An empty table, which allocates nothing yet; its vector code is that of ni_cpu_simd. The table
 * must lie on a cache line, as its type says: NI_ERR_INVALID if memory from malloc does not. */
ni_status ni_table_init(struct ni_table *table);

/* Regions still there are forgotten; what their objects name is not touched. */
void ni_table_fini(struct ni_table *table);

/* Search with this kind of vector code from now on; the processor must have it. */
void ni_table_set_simd(struct ni_table *table, enum ni_simd simd);

/*
 * Add a region of any type but FREE. base and len may be 0 but for MEMORY. O(1) with up to 32
 * MEMORY regions, O(log n) beyond. On success its handle is valid, also for peers that guess it.
 * NI_ERR_INVALID: type FREE or not of 8 bits, access not of enum ni_access, base + len beyond
 * 2^64 - 1, MEMORY with len 0 or no access, NI_ACCESS_BY_ADDRESS with another type or with a key
 * that is not ni_table_shared_key.
 * NI_ERR_LIMIT: 2^20 - 1 regions. NI_ERR_NOMEM. On failure nothing has changed.
 */
ni_status ni_table_insert(struct ni_table *table, const struct ni_region_view *region,
                          ni_handle *handle);

/* The same with all objects 0. */
ni_status ni_table_add(struct ni_table *table, enum ni_region_type type, uint64_t base,
                       uint64_t len, unsigned access, uint64_t key, ni_handle *handle);

/* The key of all regions with NI_ACCESS_BY_ADDRESS, which the first call chooses: fresh, not 0. */
uint64_t ni_table_shared_key(struct ni_table *table, uint64_t fresh);

/* Forget a region. NI_ERR_REGION if the handle is stale. O(1) for those in slots and those that
 * are not MEMORY, O(log n) for those in the tree. */
ni_status ni_table_remove(struct ni_table *table, ni_handle handle);

/*
 * Mirror the MEMORY regions whose index is below n into records, which peers may read, now and from
 * now on; the other records become empty. Replaces an earlier mirror, which must still be there and
 * is emptied. NULL or n = 0 ends mirroring. The records must stay until then or until fini, which
 * empties them.
 */
void ni_table_set_export(struct ni_table *table, struct ni_table_export *records, size_t n);

/* The regions in order of index: for (uint32_t i = 0; (entry = ni_table_next(table, &i)) != NULL;).
 * Regions may be removed meanwhile. */
struct ni_table_entry *ni_table_next(const struct ni_table *table, uint32_t *cursor);

/* The part of ni_table_check behind a refusal. */
ni_status ni_table_settle(const struct ni_table *table, ni_status refusal, ni_handle handle,
                          uint64_t key, uint64_t addr, uint64_t len, unsigned access,
                          struct ni_table_entry **entry);

/* The part of ni_table_find behind the slots: hits are the slots that match. For any range. */
ni_handle ni_table_find_rest(const struct ni_table *table, uint64_t begin, uint64_t end,
                             uint32_t hits);

/* Regions in the table. */
static inline uint32_t ni_table_count(const struct ni_table *table)
{
    return table->count;
}

#endif
