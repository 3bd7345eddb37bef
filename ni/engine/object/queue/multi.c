/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/alloc.h"
#include "base/bits.h"
#include "engine/core/progress_lock.h"
#include "engine/object/queue/multi.h"
#include "engine/core/op.h"
#include "engine/object/queue/queue.h"

/* Life of multi-reader queues. */

static void free_multi(struct ni_multi *multi)
{
    ni_list_remove(&multi->unfinished);
    ni_pool_fini(&multi->pool);
    ni_free(multi->queue.body);
    ni_free(multi);
}

/* They come and go with the progress lock, which is ours: what the entry says is from one moment.
 */
struct ni_multi *ni_multi_find(const struct ni *ni, ni_handle handle)
{
    const struct ni_table_entry *entry = ni_table_get(&ni->table, handle);

    return entry != NULL && ni_entry_type(entry) == NI_REGION_MULTI_QUEUE
               ? (struct ni_multi *)(uintptr_t)ni_entry_object(entry, NI_OBJECT_BODY)
               : NULL;
}

static struct ni_multi *new_multi(struct ni *ni, size_t item_size, size_t capacity, unsigned flags)
{
    struct ni_multi *multi = ni_aligned_zero(NI_CACHE_LINE, sizeof(*multi));

    if (multi == NULL) {
        return NULL;
    }
    multi->ni = ni;
    ni_list_init(&multi->requests);
    ni_list_init(&multi->unfinished);
    if (ni_queue_init(&multi->queue, item_size, capacity, flags) != NI_OK ||
        ni_pool_init(&multi->pool, sizeof(struct ni_multi_request), 0,
                     (uint32_t)multi->queue.capacity) != NI_OK) {
        ni_free(multi->queue.body);
        ni_free(multi);
        return NULL;
    }
    return multi;
}

ni_status ni_region_multi_queue(struct ni *ni, size_t item_size, size_t capacity, unsigned flags,
                                unsigned access, struct ni_rkey *rkey)
{
    struct ni_region_view view = {.type = NI_REGION_MULTI_QUEUE, .access = access};
    struct ni_multi *multi;
    ni_status status = ni_usable(ni);
    bool taken;

    if (status != NI_OK) {
        return status;
    }
    if (item_size < 4 || item_size > NI_QUEUE_ITEM_MAX || !ni_is_pow2(item_size) || capacity == 0 ||
        capacity > NI_QUEUE_CAPACITY || (flags & ~(unsigned)NI_QUEUE_PUSH_BACK) != 0 ||
        (access & ~(unsigned)(NI_ACCESS_READ | NI_ACCESS_WRITE)) != 0) {
        return NI_ERR_INVALID;
    }
    multi = new_multi(ni, item_size, capacity, flags);
    if (multi == NULL) {
        return NI_ERR_NOMEM;
    }
    view.object[NI_OBJECT_BODY] = (uintptr_t)multi;
    taken = ni_progress_lock_take(ni); /* a peer may guess the handle before the queue knows it */
    status = ni_region_insert(ni, &view, rkey);
    if (status == NI_OK) {
        multi->handle = rkey->handle;
    } else {
        free_multi(multi);
    }
    ni_progress_lock_give(ni, taken);
    return status;
}

/* Our own requests are told at once. */
static void tell_ours(struct ni_multi *multi)
{
    struct ni *ni = multi->ni;
    struct ni_list *node = multi->requests.next;

    while (node != &multi->requests) {
        const struct ni_multi_request *request =
            ni_container_of(node, struct ni_multi_request, list);
        struct ni_ack ack;

        node = node->next;
        if (request->peer == NULL && ni_multi_forget(multi, NULL, request->token, &ack)) {
            ni_ack_deliver(ni, &ack, ni->closing ? NI_ERR_CLOSED : NI_ERR_REGION, 0);
        }
    }
}

void ni_multi_close(struct ni_multi *multi)
{
    if (!multi->gone) {
        multi->gone = true;
        ni_queue_step(&multi->queue, ni_queue_items(&multi->queue));
        ni_list_remove(&multi->unfinished); /* who is told may poll */
        tell_ours(multi);
    }
    if (ni_multi_refuse(multi)) {
        free_multi(multi);
    }
}

/* ---- a type of regions ----------------------------------------------------------------------- */

/* An item may be the answer to a request of ours. */
static bool may_multi_call(const struct ni_region_view *region)
{
    (void)region;
    return true;
}

static void close_multi(struct ni *ni, const struct ni_region_view *region)
{
    (void)ni;
    ni_multi_close((struct ni_multi *)(uintptr_t)region->object[NI_OBJECT_BODY]);
}

void ni_multis_register(struct ni *ni)
{
    static const struct ni_region_ops ops = {
        .may_call = may_multi_call, .close = close_multi, .under_progress_lock = true};

    ni_region_type_register(ni, NI_REGION_MULTI_QUEUE, &ops);
}
