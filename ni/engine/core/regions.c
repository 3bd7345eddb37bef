/* SPDX-License-Identifier: BSD-3-Clause */
#include <apeni/region.h>

#include "base/random.h"
#include "engine/core/progress_lock.h"
#include "engine/core/regions.h"

/* ni_region_*: the public side of the buffer table. */

/* A random key, never 0. Keys of regions come from a generator seeded by the kernel: registration
 * is on the path of each long message, a system call for each would cost more than the rest. */
static uint64_t next_key(struct ni *ni)
{
    uint64_t key;

    ni_lock_take(&ni->lock, ni->threads);
    if (!ni->core.keys_seeded) {
        for (unsigned i = 0; i < 4; i++) {
            ni->core.keys.state[i] = ni_random_key();
        }
        ni->core.keys_seeded = true;
    }
    key = ni_rng_next(&ni->core.keys);
    ni_lock_give(&ni->lock, ni->threads);
    return key != 0 ? key : 1;
}

ni_status ni_region_insert(struct ni *ni, struct ni_region_view *view, struct ni_rkey *rkey)
{
    ni_handle handle = 0;
    ni_status status = ni_usable(ni);

    if (status != NI_OK) {
        return status;
    }
    if (view->key == 0) {
        view->key = next_key(ni);
    }
    ni_lock_take(&ni->lock, ni->threads);
    if ((view->access & NI_ACCESS_BY_ADDRESS) != 0) {
        view->key = ni_table_shared_key(&ni->table, view->key);
    }
    status = ni_table_insert(&ni->table, view, &handle);
    ni_stat_add(&ni->stats.regions, status == NI_OK);
    ni_lock_give(&ni->lock, ni->threads);
    if (status == NI_OK) {
        *rkey = (struct ni_rkey){.handle = handle, .access = view->access, .key = view->key};
    }
    return status;
}

ni_status ni_region_memory(struct ni *ni, void *base, size_t len, unsigned access,
                           struct ni_rkey *rkey)
{
    struct ni_region_view view = {
        .type = NI_REGION_MEMORY, .access = access, .base = (uintptr_t)base, .len = len};

    return ni_region_insert(ni, &view, rkey);
}

ni_status ni_region_consumer(struct ni *ni, ni_consumer_fn consumer, void *arg, uint64_t key,
                             struct ni_rkey *rkey)
{
    struct ni_region_view view = {
        .type = NI_REGION_QUEUE,
        .key = key,
        .object =
            {[NI_OBJECT_CONSUMER] = (uintptr_t)consumer, [NI_OBJECT_ARGUMENT] = (uintptr_t)arg},
    };

    return consumer == NULL ? NI_ERR_INVALID : ni_region_insert(ni, &view, rkey);
}

bool ni_region_view(const struct ni *ni, ni_handle handle, enum ni_region_type type,
                    struct ni_region_view *view)
{
    const struct ni_table_entry *entry = ni_table_get(&ni->table, handle);

    return entry != NULL && ni_entry_read(entry, handle, view) && view->type == type;
}

ni_status ni_region_deregister(struct ni *ni, ni_handle handle)
{
    struct ni_region_view view;
    const struct ni_table_entry *entry;
    ni_status status = ni_usable(ni);
    const struct ni_region_ops *ops;
    bool taken = false;

    if (status != NI_OK) {
        return status;
    }
    entry = ni_table_get(&ni->table, handle);
    if (entry == NULL || !ni_entry_read(entry, handle, &view)) {
        return NI_ERR_REGION;
    }
    ops = ni_region_ops_of(ni, &view);
    if (ops->under_progress_lock) {
        taken = ni_progress_lock_take(ni);
    }
    ni_lock_take(&ni->lock, ni->threads);
    status = ni_table_remove(&ni->table, handle);
    if (status == NI_OK) {
        /* Only the holder of the progress lock may look at it. */
        if (ops->under_progress_lock && ni->arrive.last.queue == handle) {
            ni->arrive.last.queue = NI_NO_QUEUE;
        }
        if (ops->under_progress_lock) {
            ni_last_queue_forget(ni, handle);
        }
        ni_stat_sub(&ni->stats.regions, 1);
        ops->release(ni, &view);
    }
    ni_lock_give(&ni->lock, ni->threads);
    /* The thread that found the region has left it then. */
    ni_lock_take(&ni->memory, ni->threads);
    ni_lock_give(&ni->memory, ni->threads);
    if (status == NI_OK) {
        ops->close(ni, &view);
    }
    ni_progress_lock_give(ni, taken);
    return status;
}

ni_status ni_region_search(struct ni *ni, const void *start, size_t len, struct ni_rkey *rkey)
{
    struct ni_region_view view;
    ni_handle handle;
    ni_status status = ni_usable(ni);

    if (status != NI_OK) {
        return status;
    }
    ni_lock_take(&ni->lock, ni->threads);
    status = ni_table_search(&ni->table, (uintptr_t)start, len, &handle);
    if (status == NI_OK && ni_region_view(ni, handle, NI_REGION_MEMORY, &view)) {
        *rkey = (struct ni_rkey){.handle = handle, .access = view.access, .key = view.key};
    }
    ni_lock_give(&ni->lock, ni->threads);
    return status;
}

void ni_regions_close(struct ni *ni)
{
    uint32_t cursor = 0;
    const struct ni_table_entry *entry;

    while ((entry = ni_table_next(&ni->table, &cursor)) != NULL) {
        (void)ni_region_deregister(ni, ni_entry_handle(entry));
    }
}
