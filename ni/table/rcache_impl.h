/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_TABLE_RCACHE_IMPL_H
#define NI_TABLE_RCACHE_IMPL_H

#include <pthread.h>
#include <stdbool.h>

#include <apeni/rcache.h>

#include "base/list.h"
#include "table/range_tree.h"

/*
 * The states of an entry. Its registration lasts from the first to the end.
 *
 *                    acquire                     last release
 *    (register) ---> served, held  <----------->  served, unheld, in lru ---> (deregister)
 *                        |            acquire                       evicted, superseded,
 *                        | superseded,                              invalidated
 *                        | invalidated
 *                        v             last release
 *                    not served, held ------------> (deregister)
 *
 * Served entries are in the tree. Superseded: another registration covers it and what was asked
 * for in addition. Ranges in the tree mostly do not overlap; they do after a merged range could
 * not be registered and the one asked for was registered on its own.
 */

struct ni_rcache_entry {
    struct ni_range_node node; /* the range, whole pages */
    struct ni_list lru;        /* linked while served and unheld */
    struct ni_list all;
    struct ni_rcache *cache;
    void *registration;
    unsigned access;
    unsigned holders;
    bool served;
};

struct ni_rcache {
    pthread_mutex_t lock; /* for everything below and for entries; ops are called with it held */
    struct ni_range_tree tree;
    struct ni_list lru; /* least recently used last */
    struct ni_list all; /* every entry */
    size_t unheld_entries;
    size_t unheld_bytes;
    struct ni_rcache_counts stats;

    /* constant */
    const struct ni_rcache_ops *ops;
    void *arg;
    size_t max_entries;
    size_t max_bytes;
    uint64_t page;
};

/* Registers MEMORY regions of the NI that is its argument; the registration is a struct ni_rkey. */
extern const struct ni_rcache_ops ni_rcache_region_ops;

#endif
