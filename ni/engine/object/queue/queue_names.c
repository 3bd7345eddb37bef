/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "engine/core/progress_lock.h"
#include "engine/object/queue/multi.h"
#include "engine/core/op.h"
#include "engine/object/queue/queue.h"

/*
 * The queue translation table (FORTH-PCI III-B): 256 entries at first, as in the paper, more when a
 * larger number is used. Entries of our own queues hold their handle, generation included, so that
 * one whose queue is gone leads nowhere.
 */

enum { NI_NAMES_MIN = 256 };

struct ni_queue_names {
    uint32_t count;
    struct ni_queue_name *entries;
};

const struct ni_queue_name *ni_queue_named(const struct ni *ni, uint32_t number)
{
    const struct ni_queue_names *names = ni->object.queue_names;

    return names != NULL && number < names->count && names->entries[number].used
               ? &names->entries[number]
               : NULL;
}

void ni_queue_names_free(struct ni *ni)
{
    if (ni->object.queue_names != NULL) {
        ni_free(ni->object.queue_names->entries);
        ni_free(ni->object.queue_names);
        ni->object.queue_names = NULL;
    }
}

/* Have an entry for a number. */
static ni_status grow_names(struct ni *ni, uint32_t number)
{
    uint32_t count = (uint32_t)ni_round_up_pow2(number < NI_NAMES_MIN ? NI_NAMES_MIN : number + 1U);
    struct ni_queue_name *entries;

    if (ni->object.queue_names == NULL) {
        ni->object.queue_names = ni_calloc(1, sizeof(*ni->object.queue_names));
    }
    if (ni->object.queue_names == NULL) {
        return NI_ERR_NOMEM;
    }
    if (number < ni->object.queue_names->count) {
        return NI_OK;
    }
    entries = ni_realloc(ni->object.queue_names->entries, count * sizeof(*entries));
    if (entries == NULL) {
        return NI_ERR_NOMEM;
    }
    memset(entries + ni->object.queue_names->count, 0,
           (count - ni->object.queue_names->count) * sizeof(*entries));
    ni->object.queue_names->entries = entries;
    ni->object.queue_names->count = count;
    return NI_OK;
}

static bool is_queue(const struct ni *ni, ni_handle handle)
{
    struct ni_region_view view;

    return ni_region_view(ni, handle, NI_REGION_QUEUE, &view) ||
           ni_region_view(ni, handle, NI_REGION_MULTI_QUEUE, &view);
}

/* The progress lock is ours. */
static ni_status add_name(struct ni *ni, uint32_t number, const struct ni_queue_name *name)
{
    ni_status status;

    if (ni_queue_named(ni, number) != NULL) {
        return NI_ERR_EXISTS;
    }
    if (name->peer == NULL && !is_queue(ni, name->queue.handle)) {
        return NI_ERR_REGION;
    }
    status = grow_names(ni, number);
    if (status == NI_OK) {
        ni->object.queue_names->entries[number] = *name;
    }
    return status;
}

ni_status ni_queue_name(struct ni *ni, uint32_t number, struct ni_peer *peer,
                        const struct ni_rkey *queue, unsigned access, uint64_t key)
{
    struct ni_queue_name name = {.peer = peer, .key = key, .access = access, .used = true};
    ni_status status = ni_usable(ni);
    bool taken;

    if (status != NI_OK) {
        return status;
    }
    if (number >= NI_QUEUE_NUMBERS || queue == NULL ||
        (access & ~(unsigned)(NI_ACCESS_READ | NI_ACCESS_WRITE)) != 0) {
        return NI_ERR_INVALID;
    }
    name.queue = *queue;
    ni_peer_name(peer);
    taken = ni_progress_lock_take(ni);
    status = add_name(ni, number, &name);
    ni_progress_lock_give(ni, taken);
    return status;
}

ni_status ni_queue_unname(struct ni *ni, uint32_t number)
{
    ni_status status = ni_usable(ni);
    bool taken;

    if (status != NI_OK) {
        return status;
    }
    taken = ni_progress_lock_take(ni);
    if (ni_queue_named(ni, number) != NULL) {
        ni->object.queue_names->entries[number].used = false;
    } else {
        status = NI_ERR_NOTFOUND;
    }
    ni_progress_lock_give(ni, taken);
    return status;
}

ni_status ni_queue_find(struct ni *ni, uint32_t number, struct ni_peer **peer,
                        struct ni_rkey *queue)
{
    const struct ni_queue_name *name;
    ni_status status = ni_usable(ni);
    bool taken;

    if (status != NI_OK) {
        return status;
    }
    taken = ni_progress_lock_take(ni);
    name = ni_queue_named(ni, number);
    if (name != NULL) {
        *peer = name->peer;
        *queue = name->queue;
    }
    ni_progress_lock_give(ni, taken);
    return name != NULL ? NI_OK : NI_ERR_NOTFOUND;
}

static ni_status send_here(struct ni *ni, ni_handle queue, const void *item, size_t len,
                           const struct ni_ack *ack)
{
    ni_status status = ni_queue_push(ni, queue, item, len);

    if (ack == NULL || status == NI_ERR_FORKED) {
        return status;
    }
    ni_ack_deliver(ni, ack, status, status == NI_OK ? len : 0);
    return NI_OK;
}

ni_status ni_queue_send(struct ni *ni, uint32_t number, const void *item, size_t len,
                        const struct ni_ack *ack)
{
    struct ni_peer *peer;
    struct ni_rkey queue;
    ni_status status = ni_queue_find(ni, number, &peer, &queue);

    if (status != NI_OK) {
        return status;
    }
    if (peer == NULL) {
        return send_here(ni, queue.handle, item, len, ack);
    }
    return ack == NULL ? ni_message(ni, peer, queue.handle, 0, NULL, 0, item, len)
                       : ni_enqueue(ni, peer, &queue, item, len, ack);
}

ni_status ni_queue_ask(struct ni *ni, uint32_t number, void *dst, size_t len,
                       const struct ni_ack *ack, uint64_t *request)
{
    struct ni_peer *peer;
    struct ni_rkey queue;
    ni_status status = ni_queue_find(ni, number, &peer, &queue);

    return status == NI_OK ? ni_dequeue(ni, peer, &queue, dst, len, ack, request) : status;
}
