/* SPDX-License-Identifier: BSD-3-Clause */
#include <apeni/queue.h>

#include "base/bits.h"
#include "engine/core/progress_lock.h"
#include "engine/send/control.h"
#include "engine/object/queue/multi.h"
#include "engine/bulk/request.h"
#include "engine/bulk/transfer.h"

/* Read requests of multi-reader queues, at the reader. The answer is taken in arrive_read.c. */

/* ---- of our own ------------------------------------------------------------------------------ */

static ni_status ask_here(struct ni *ni, ni_handle queue, void *dst, size_t len,
                          const struct ni_ack *ack, uint64_t *request)
{
    bool taken = ni_progress_lock_take_shared(ni);
    struct ni_multi *multi = ni_multi_find(ni, queue);
    ni_status status = NI_ERR_REGION;

    if (multi != NULL) {
        status =
            len == multi->queue.item ? ni_multi_ask_here(multi, dst, ack, request) : NI_ERR_BOUNDS;
    }
    ni_progress_lock_give(ni, taken);
    return status;
}

static ni_status cancel_here(struct ni *ni, ni_handle queue, uint64_t request)
{
    bool taken = ni_progress_lock_take(ni);
    struct ni_multi *multi = ni_multi_find(ni, queue);
    struct ni_ack ack;

    if (multi != NULL && ni_multi_forget(multi, NULL, request, &ack)) {
        ni_ack_deliver(ni, &ack, NI_ERR_CANCELED, 0);
    }
    ni_progress_lock_give(ni, taken);
    return NI_OK;
}

/* ---- public ---------------------------------------------------------------------------------- */

static bool is_item_size(size_t len)
{
    return len >= 4 && len <= NI_QUEUE_ITEM_MAX && ni_is_pow2(len);
}

ni_status ni_dequeue(struct ni *ni, struct ni_peer *peer, const struct ni_rkey *queue, void *dst,
                     size_t len, const struct ni_ack *ack, uint64_t *name)
{
    struct ni_request request = {.what = {.handle = queue->handle, .key = queue->key},
                                 .packet = NI_PACKET_READ,
                                 .tag = NI_READ_DEQUEUE,
                                 .kind = NI_OP_DEQUEUE,
                                 .operand = len,
                                 .len = len,
                                 .local = dst};
    uint64_t unused;

    if (!is_item_size(len) || dst == NULL) {
        return NI_ERR_INVALID;
    }
    name = name != NULL ? name : &unused;
    if (peer != NULL) {
        return ni_request_send(peer, &request, ack, name);
    }
    return ni_usable(ni) == NI_OK ? ask_here(ni, queue->handle, dst, len, ack, name)
                                  : ni_usable(ni);
}

ni_status ni_dequeue_to(struct ni *ni, struct ni_peer *peer, const struct ni_rkey *queue,
                        size_t len, ni_handle to, uint32_t count, const struct ni_ack *ack,
                        uint64_t *name)
{
    struct ni_request request = {
        .what = {.handle = queue->handle, .addr = to | (uint64_t)count << 32, .key = queue->key},
        .packet = NI_PACKET_READ,
        .tag = NI_READ_DEQUEUE_TO,
        .kind = NI_OP_DEQUEUE_TO,
        .operand = len,
        .len = count};
    uint64_t unused;

    (void)ni;
    if (!is_item_size(len) || peer == NULL || to == 0 || count == 0) {
        return NI_ERR_INVALID;
    }
    return ni_request_send(peer, &request, ack, name != NULL ? name : &unused);
}

ni_status ni_dequeue_cancel(struct ni *ni, struct ni_peer *peer, const struct ni_rkey *queue,
                            uint64_t request)
{
    struct ni_packet_remote fields = {.key = queue->key, .token = request};
    ni_status status = ni_usable(ni);

    if (status != NI_OK || request == 0) {
        return status;
    }
    if (peer == NULL) {
        return cancel_here(ni, queue->handle, request);
    }
    status = ni_transfer_enter(ni, peer);
    if (status == NI_OK) {
        status = ni_send_control(peer, NI_PACKET_READ, NI_LINE, NI_READ_CANCEL, 0, queue->handle,
                                 &fields, sizeof(fields));
    }
    return ni_transfer_leave(peer, status);
}
