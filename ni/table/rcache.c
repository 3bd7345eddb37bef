/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/rcache_impl.h"

#include <unistd.h>

#include <apeni/log.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/bits.h"

enum { MAX_ENTRIES_DEFAULT = 1024 };

/* Whole pages. */
struct range {
    uint64_t begin;
    uint64_t end;
};

ni_status ni_rcache_create(const struct ni_rcache_attr *attr, struct ni_rcache **cache)
{
    const struct ni_rcache_ops *ops = attr->ops != NULL ? attr->ops : &ni_rcache_region_ops;

    if ((attr->ops == NULL && attr->ni == NULL) || ops->reg == NULL || ops->dereg == NULL) {
        return NI_ERR_INVALID;
    }

    struct ni_rcache *made = ni_calloc(1, sizeof(*made));

    if (made == NULL) {
        return NI_ERR_NOMEM;
    }
    if (pthread_mutex_init(&made->lock, NULL) != 0) {
        ni_free(made);
        return NI_ERR_NOMEM;
    }
    made->ops = ops;
    made->arg = attr->ops != NULL ? attr->arg : attr->ni;
    made->max_entries = attr->max_entries != 0 ? attr->max_entries : MAX_ENTRIES_DEFAULT;
    made->max_bytes = attr->max_bytes != 0 ? attr->max_bytes : SIZE_MAX;
    made->page = (uint64_t)sysconf(_SC_PAGESIZE);
    ni_list_init(&made->lru);
    ni_list_init(&made->all);
    *cache = made;
    return NI_OK;
}

static struct ni_rcache_entry *entry_of_node(struct ni_range_node *node)
{
    return ni_container_of(node, struct ni_rcache_entry, node);
}

static struct ni_rcache_entry *entry_of_lru(struct ni_list *link)
{
    return ni_container_of(link, struct ni_rcache_entry, lru);
}

static size_t entry_bytes(const struct ni_rcache_entry *entry)
{
    return entry->node.end - entry->node.begin;
}

/* The next served entry behind `after` that shares a page with the range. */
static struct ni_rcache_entry *overlapping(struct ni_rcache *cache,
                                           const struct ni_rcache_entry *after, struct range range)
{
    struct ni_range_node *node = ni_range_tree_overlap(
        &cache->tree, after != NULL ? &after->node : NULL, range.begin, range.end);

    return node != NULL ? entry_of_node(node) : NULL;
}

/* Register a range; the new entry is held once and not yet served. */
static ni_status entry_make(struct ni_rcache *cache, struct range range, unsigned access,
                            struct ni_rcache_entry **entry)
{
    struct ni_rcache_entry *made = ni_calloc(1, sizeof(*made));
    ni_status status = NI_ERR_NOMEM;

    if (made == NULL) {
        return NI_ERR_NOMEM;
    }
    status = cache->ops->reg(cache->arg, (void *)(uintptr_t)range.begin,
                             (size_t)(range.end - range.begin), access, &made->registration);
    if (status != NI_OK) {
        ni_free(made);
        return status;
    }
    made->node.begin = range.begin;
    made->node.end = range.end;
    made->cache = cache;
    made->access = access;
    made->holders = 1;
    ni_list_init(&made->lru);
    ni_list_push_back(&cache->all, &made->all);
    cache->stats.entries++;
    cache->stats.bytes += entry_bytes(made);
    *entry = made;
    return NI_OK;
}

/* Deregister an entry that is neither served nor held. */
static void entry_end(struct ni_rcache_entry *entry)
{
    struct ni_rcache *cache = entry->cache;

    ni_list_remove(&entry->all);
    cache->stats.entries--;
    cache->stats.bytes -= entry_bytes(entry);
    cache->ops->dereg(cache->arg, entry->registration);
    ni_free(entry);
}

static void lru_add(struct ni_rcache_entry *entry)
{
    struct ni_rcache *cache = entry->cache;

    ni_list_push_front(&cache->lru, &entry->lru);
    cache->unheld_entries++;
    cache->unheld_bytes += entry_bytes(entry);
}

/* Does nothing if the entry is held. */
static void lru_remove(struct ni_rcache_entry *entry)
{
    struct ni_rcache *cache = entry->cache;

    if (ni_list_linked(&entry->lru)) {
        ni_list_remove(&entry->lru);
        cache->unheld_entries--;
        cache->unheld_bytes -= entry_bytes(entry);
    }
}

static void entry_serve(struct ni_rcache_entry *entry)
{
    ni_range_tree_insert(&entry->cache->tree, &entry->node);
    entry->served = true;
}

/* Serve an entry no more, and end it unless somebody holds it. */
static void entry_withdraw(struct ni_rcache_entry *entry)
{
    ni_range_tree_remove(&entry->cache->tree, &entry->node);
    entry->served = false;
    lru_remove(entry);
    if (entry->holders == 0) {
        entry_end(entry);
    }
}

/* Keep at most so many entries and bytes that nobody holds. */
static void trim(struct ni_rcache *cache, size_t max_entries, size_t max_bytes)
{
    while (cache->unheld_entries > max_entries || cache->unheld_bytes > max_bytes) {
        entry_withdraw(entry_of_lru(cache->lru.prev));
        cache->stats.evictions++;
    }
}

static struct ni_rcache_entry *find_covering(struct ni_rcache *cache, struct range range,
                                             unsigned access)
{
    struct ni_rcache_entry *entry = NULL;

    while ((entry = overlapping(cache, entry, range)) != NULL) {
        if (entry->node.begin <= range.begin && entry->node.end >= range.end &&
            (access & ~entry->access) == 0) {
            return entry;
        }
    }
    return NULL;
}

/* Serve an entry instead of those that were merged into it. */
static void serve_instead(struct ni_rcache_entry *merged, struct range range)
{
    struct ni_rcache *cache = merged->cache;
    struct ni_rcache_entry *entry = NULL;

    while ((entry = overlapping(cache, NULL, range)) != NULL) {
        entry_withdraw(entry);
    }
    entry_serve(merged);
    cache->stats.merges++;
}

/* Register the range together with all entries that it overlaps. NI_AGAIN if there are none. */
static ni_status admit_merged(struct ni_rcache *cache, struct range range, unsigned access,
                              struct ni_rcache_entry **entry)
{
    struct ni_rcache_entry *old = overlapping(cache, NULL, range);
    struct range hull = range;

    if (old == NULL) {
        return NI_AGAIN;
    }
    for (; old != NULL; old = overlapping(cache, old, range)) {
        hull.begin = ni_min_u64(hull.begin, old->node.begin);
        hull.end = ni_max_u64(hull.end, old->node.end);
        access |= old->access;
    }

    ni_status status = entry_make(cache, hull, access, entry);

    if (status == NI_OK) {
        serve_instead(*entry, range);
    }
    return status;
}

/* Register the range alone. When that fails for want of resources, those of entries that nobody
 * holds are given back. */
static ni_status admit_plain(struct ni_rcache *cache, struct range range, unsigned access,
                             struct ni_rcache_entry **entry)
{
    ni_status status = entry_make(cache, range, access, entry);

    if ((status == NI_ERR_LIMIT || status == NI_ERR_NOMEM) && cache->unheld_entries > 0) {
        trim(cache, 0, 0);
        status = entry_make(cache, range, access, entry);
    }
    if (status == NI_OK) {
        entry_serve(*entry);
    }
    return status;
}

static ni_status acquire_locked(struct ni_rcache *cache, struct range range, unsigned access,
                                struct ni_rcache_entry **entry)
{
    struct ni_rcache_entry *found = find_covering(cache, range, access);

    if (found != NULL) {
        cache->stats.hits++;
        lru_remove(found);
        found->holders++;
        *entry = found;
        return NI_OK;
    }
    cache->stats.misses++;
    if (admit_merged(cache, range, access, entry) == NI_OK) {
        return NI_OK;
    }
    return admit_plain(cache, range, access, entry);
}

ni_status ni_rcache_acquire(struct ni_rcache *cache, void *base, size_t len, unsigned access,
                            struct ni_rcache_entry **entry)
{
    uint64_t first = (uintptr_t)base;
    struct range range = {.begin = ni_align_down(first, cache->page),
                          .end = ni_align_up(first + len, cache->page)};
    struct ni_rcache_entry *got = NULL;

    if (len == 0 || len > UINT64_MAX - first || range.end <= range.begin) {
        return NI_ERR_INVALID;
    }
    pthread_mutex_lock(&cache->lock);
    ni_status status = acquire_locked(cache, range, access, &got);
    pthread_mutex_unlock(&cache->lock);

    if (status == NI_OK) {
        *entry = got;
    }
    return status;
}

void ni_rcache_release(struct ni_rcache *cache, struct ni_rcache_entry *entry)
{
    pthread_mutex_lock(&cache->lock);
    NI_ASSERT(entry->cache == cache && entry->holders > 0);
    entry->holders--;
    if (entry->holders == 0 && entry->served) {
        lru_add(entry);
        trim(cache, cache->max_entries, cache->max_bytes);
    } else if (entry->holders == 0) {
        entry_end(entry);
    }
    pthread_mutex_unlock(&cache->lock);
}

void ni_rcache_invalidate(struct ni_rcache *cache, const void *base, size_t len)
{
    uint64_t begin = (uintptr_t)base;
    struct range range = {.begin = begin,
                          .end = len > UINT64_MAX - begin ? UINT64_MAX : begin + len};
    struct ni_rcache_entry *entry = NULL;

    pthread_mutex_lock(&cache->lock);
    while (len > 0 && (entry = overlapping(cache, NULL, range)) != NULL) {
        entry_withdraw(entry);
        cache->stats.invalidations++;
    }
    pthread_mutex_unlock(&cache->lock);
}

void *ni_rcache_registration(const struct ni_rcache_entry *entry)
{
    return entry->registration;
}

const struct ni_rkey *ni_rcache_rkey(const struct ni_rcache_entry *entry)
{
    return entry->cache->ops == &ni_rcache_region_ops ? entry->registration : NULL;
}

void ni_rcache_stats(const struct ni_rcache *cache, struct ni_rcache_counts *stats)
{
    pthread_mutex_t *lock = (pthread_mutex_t *)&cache->lock;

    pthread_mutex_lock(lock);
    *stats = cache->stats;
    pthread_mutex_unlock(lock);
}

void ni_rcache_destroy(struct ni_rcache *cache)
{
    unsigned held = 0;

    if (cache == NULL) {
        return;
    }
    while (!ni_list_empty(&cache->all)) {
        struct ni_rcache_entry *entry =
            ni_container_of(cache->all.next, struct ni_rcache_entry, all);

        held += entry->holders > 0;
        entry_end(entry);
    }
    if (held > 0) {
        ni_log(NI_LOG_WARN,
               "registration cache destroyed while %u entries are held: release them before", held);
    }
    pthread_mutex_destroy(&cache->lock);
    ni_free(cache);
}
