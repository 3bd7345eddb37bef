/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <apeni/queue.h>

#include "base/bits.h"
#include "engine/core/progress_lock.h"
#include "engine/send/control.h"
#include "engine/send/direct.h"
#include "engine/object/queue/multi.h"
#include "engine/core/op.h"
#include "engine/bulk/transfer.h"

/* Read requests of multi-reader queues, at the reader: one packet at once if there is room,
 * otherwise a control packet that waits. The answer is taken in arrive_read.c. */

/* ---- of a peer's queue ----------------------------------------------------------------------- */

struct request {
    const struct ni_rkey *queue;
    uint16_t tag;
    enum ni_op_kind kind;
    uint64_t addr;
    uint64_t item; /* bytes */
    uint64_t len;  /* value of its completion */
    void *dst;
};

/* All of it, or nothing: then NI_AGAIN. */
NI_ALWAYS_INLINE ni_status ask_owner_now(struct ni_peer *peer, const struct request *request,
                                         const struct ni_ack *ack, uint64_t *name, bool threads)
{
    struct ni_packet *packet;
    struct ni_op *op;
    ni_status status = NI_AGAIN;
    uint64_t token;

    ni_lock_take(&peer->lock, threads);
    packet = ni_direct_place(peer, 1);
    if (NI_LIKELY(packet != NULL)) {
        op = ni_direct_op(peer, request->kind, request->len, request->dst, ack, &token, threads);
        status = NI_ERR_NOMEM;
        if (NI_LIKELY(op != NULL)) {
            op->local = request->dst;
            *name = token;
            packet->body[0] = request->addr;
            packet->body[1] = request->queue->key;
            packet->body[2] = token;
            packet->body[3] = request->item;
            packet->body[4] = 0;
            ni_direct_send(peer, packet, ni_packet_word0(0, NI_PACKET_READ, NI_LINE, request->tag),
                           ni_packet_word1(0, request->queue->handle), 1);
            status = NI_OK;
        }
    }
    ni_lock_give(&peer->lock, threads);
    return status;
}

static ni_status send_dequeue(struct ni_peer *peer, const struct request *request, uint64_t token)
{
    struct ni_packet_remote fields = {.addr = request->addr,
                                      .key = request->queue->key,
                                      .token = token,
                                      .operand = request->item};

    return ni_send_control(peer, NI_PACKET_READ, NI_LINE, request->tag, 0, request->queue->handle,
                           &fields, sizeof(fields));
}

static NI_NOINLINE ni_status ask_later(struct ni_peer *peer, const struct request *request,
                                       const struct ni_ack *ack, uint64_t *name)
{
    ni_status status = ni_transfer_enter(peer->ni, peer);
    struct ni_op *op = NULL;

    if (status == NI_OK && (op = ni_op_new(peer, request->kind, ack)) == NULL) {
        status = NI_ERR_NOMEM;
    }
    if (status == NI_OK) {
        op->local = request->dst;
        op->len = request->len;
        *name = ni_op_token(op);
        status = send_dequeue(peer, request, *name);
        if (status != NI_OK) {
            ni_op_undo(op);
        }
    }
    return ni_transfer_leave(peer, status);
}

/* In a forked child no lane has room, so that what is done now need not ask. */
static ni_status ask_peer_for_item(struct ni_peer *peer, const struct request *request,
                                   const struct ni_ack *ack, uint64_t *name)
{
    ni_status status = NI_LIKELY(!peer->threads) ? ask_owner_now(peer, request, ack, name, false)
                                                 : ask_owner_now(peer, request, ack, name, true);

    return NI_LIKELY(status != NI_AGAIN) ? status : ask_later(peer, request, ack, name);
}

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
    struct request request = {.queue = queue,
                              .tag = NI_READ_DEQUEUE,
                              .kind = NI_OP_DEQUEUE,
                              .item = len,
                              .len = len,
                              .dst = dst};
    uint64_t unused;

    if (!is_item_size(len) || dst == NULL) {
        return NI_ERR_INVALID;
    }
    name = name != NULL ? name : &unused;
    if (peer != NULL) {
        return ask_peer_for_item(peer, &request, ack, name);
    }
    return ni_usable(ni) == NI_OK ? ask_here(ni, queue->handle, dst, len, ack, name)
                                  : ni_usable(ni);
}

ni_status ni_dequeue_to(struct ni *ni, struct ni_peer *peer, const struct ni_rkey *queue,
                        size_t len, ni_handle to, uint32_t count, const struct ni_ack *ack,
                        uint64_t *name)
{
    struct request request = {.queue = queue,
                              .tag = NI_READ_DEQUEUE_TO,
                              .kind = NI_OP_DEQUEUE_TO,
                              .addr = to | (uint64_t)count << 32,
                              .item = len,
                              .len = count};
    uint64_t unused;

    (void)ni;
    if (!is_item_size(len) || peer == NULL || to == 0 || count == 0) {
        return NI_ERR_INVALID;
    }
    return ask_peer_for_item(peer, &request, ack, name != NULL ? name : &unused);
}

ni_status ni_dequeue_cancel(struct ni *ni, struct ni_peer *peer, const struct ni_rkey *queue,
                            uint64_t request)
{
    struct request cancel = {.queue = queue, .tag = NI_READ_CANCEL};
    ni_status status = ni_usable(ni);

    if (status != NI_OK || request == 0) {
        return status;
    }
    if (peer == NULL) {
        return cancel_here(ni, queue->handle, request);
    }
    status = ni_transfer_enter(ni, peer);
    if (status == NI_OK) {
        status = send_dequeue(peer, &cancel, request);
    }
    return ni_transfer_leave(peer, status);
}
