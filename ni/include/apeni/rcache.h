/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_RCACHE_H
#define APENI_RCACHE_H

#include <stddef.h>
#include <stdint.h>

#include <apeni/region.h>

/*
 * Registration cache, the pin-down cache of the APEnet+ driver: remembers registered ranges so that
 * registering the same or a smaller range again costs a look-up. Overlapping and nested ranges are
 * served by one registration that covers them; entries that nobody holds stay until the cache is
 * full (least recently used goes first) or their memory is invalidated. An entry that is
 * invalidated while held is served no more and goes when its last holder releases it.
 */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ni_rcache;
struct ni_rcache_entry;

/* What the cache calls to make and end registrations; a NULL pair registers MEMORY regions of
 * the NI. */
struct ni_rcache_ops {
    ni_status (*reg)(void *arg, void *base, size_t len, unsigned access, void **registration);
    void (*dereg)(void *arg, void *registration);
};

struct ni_rcache_attr {
    struct ni *ni;
    const struct ni_rcache_ops *ops;
    void *arg;
    size_t max_entries; /* unheld entries kept, 0 = 1024 */
    size_t max_bytes;   /* of unheld entries, 0 = no limit */
};

ni_status ni_rcache_create(const struct ni_rcache_attr *attr, struct ni_rcache **cache);

/* All entries must have been released. */
void ni_rcache_destroy(struct ni_rcache *cache);

/* Hold a registration that covers the range with at least this access. Page-aligned outwards. */
ni_status ni_rcache_acquire(struct ni_rcache *cache, void *base, size_t len, unsigned access,
                            struct ni_rcache_entry **entry);
void ni_rcache_release(struct ni_rcache *cache, struct ni_rcache_entry *entry);

/* The registration of an entry: what ops->reg returned, or for NI regions the rkey. */
void *ni_rcache_registration(const struct ni_rcache_entry *entry);
const struct ni_rkey *ni_rcache_rkey(const struct ni_rcache_entry *entry);

/* The memory in the range is going away (munmap, free): forget what overlaps it. */
void ni_rcache_invalidate(struct ni_rcache *cache, const void *base, size_t len);

struct ni_rcache_stats {
    uint64_t hits, misses, merges, evictions, invalidations;
    size_t entries, bytes;
};
void ni_rcache_stats(const struct ni_rcache *cache, struct ni_rcache_stats *stats);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
