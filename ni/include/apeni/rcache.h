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
 *
 * Life: ni_rcache_create; for each use ni_rcache_acquire, then ni_rcache_release;
 * ni_rcache_invalidate whenever memory goes away; ni_rcache_destroy, before ni_close.
 *
 * Threads: any may call all functions but ni_rcache_destroy; with the NI's own regions, if that has
 * NI_THREADS. They take the cache's lock, and call ops with it held.
 */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ni_rcache;
struct ni_rcache_entry;

/* What the cache calls, with arg, to make and end registrations: of whole pages, reg with the
 * access that is wanted (enum ni_access). They may not call the cache. A result of reg other than
 * NI_OK goes to the caller that acquires; after NOMEM and LIMIT unheld entries are given back, and
 * it is called again. */
struct ni_rcache_ops {
    ni_status (*reg)(void *arg, void *base, size_t len, unsigned access, void **registration);
    void (*dereg)(void *arg, void *registration);
};

struct ni_rcache_attr {
    struct ni *ni; /* whose regions; not used with ops */
    /* Stays the caller's, and in place; NULL: MEMORY regions of the NI. */
    const struct ni_rcache_ops *ops;
    void *arg;          /* of ops */
    size_t max_entries; /* unheld entries kept, 0 = 1024 */
    size_t max_bytes;   /* of unheld entries, 0 = no limit */
};

/* Make a cache. Errors: INVALID (neither ni nor ops, or half of ops), NOMEM. */
ni_status ni_rcache_create(const struct ni_rcache_attr *attr, struct ni_rcache **cache);

/* End all registrations. All entries must have been released: otherwise a warning is logged, and
 * they are no more. NULL is allowed. */
void ni_rcache_destroy(struct ni_rcache *cache);

/* Hold a registration that covers the range with at least this access. Page-aligned outwards.
 * *entry is the cache's, and the caller's to use until ni_rcache_release; as often held, as often
 * released. Errors: INVALID (len 0, the range wraps), NOMEM, those of reg. */
ni_status ni_rcache_acquire(struct ni_rcache *cache, void *base, size_t len, unsigned access,
                            struct ni_rcache_entry **entry);
void ni_rcache_release(struct ni_rcache *cache, struct ni_rcache_entry *entry);

/* The registration of an entry that is held: what ops->reg gave; or the rkey of the NI's region,
 * NULL in a cache with ops. */
void *ni_rcache_registration(const struct ni_rcache_entry *entry);
const struct ni_rkey *ni_rcache_rkey(const struct ni_rcache_entry *entry);

/* The memory in the range is going away (munmap, free): forget what overlaps it. Before it has
 * gone. */
void ni_rcache_invalidate(struct ni_rcache *cache, const void *base, size_t len);

struct ni_rcache_counts {
    uint64_t hits, misses; /* ni_rcache_acquire found a registration, had to make one */
    uint64_t merges;       /* registrations that replaced those they overlapped */
    uint64_t evictions; /* unheld entries given back for max_entries, max_bytes or want of room */
    uint64_t invalidations; /* entries that ni_rcache_invalidate ended */
    size_t entries, bytes;  /* registered now */
};
void ni_rcache_stats(const struct ni_rcache *cache, struct ni_rcache_counts *stats);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
