/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <apeni/transfer.h>

#include "base/clock.h"
#include "engine/bulk/copy_tuner.h"
#include "engine/bulk/unlocked_copy.h"
#include "engine/bulk/pull_request.h"
#include "engine/bulk/request.h"
#include "engine/send/control.h"
#include "engine/bulk/copy.h"
#include "engine/send/fast.h"
#include "engine/core/noting.h"
#include "engine/core/op.h"
#include "engine/core/peer_ops.h"
#include "engine/send/unacked.h"
#include "engine/send/send.h"
#include "engine/send/short.h"
#include "engine/send/stream.h"
#include "engine/bulk/shared_copy_in.h"
#include "engine/bulk/states.h"
#include "engine/bulk/transfer.h"
#include "table/table.h"

/*
 * ni_write, ni_read: choose how the bytes travel.
 *
 *   the peer's memory is ours too      check its exported table, copy, done
 *   short                              one packet, direct.h
 *   long, or peers are away, and the kernel copies
 *                                      check its exported table, pull_request.c and copy.c
 *   otherwise                          packets, stream.c
 */

/* Where no bytes are: callers may say NULL, memcpy may not be given that. */
static uint8_t nothing[1];

ni_status ni_transfer_exported(const struct ni_ep *ep, const struct ni_remote *where, size_t len,
                               unsigned access)
{
    if (ep->exported == NULL || ni_handle_index(where->handle) >= ep->exported_count) {
        return NI_ERR_UNSUPPORTED;
    }
    return ni_export_check(ep->exported, ep->exported_count, where->handle, where->key, where->addr,
                           len, access);
}

ni_status ni_transfer_check(const struct ni_ep *ep, const struct ni_remote *where, size_t len,
                            unsigned access)
{
    ni_status status = ni_transfer_exported(ep, where, len, access);

    /* Only MEMORY regions are exported: what is not there the target may still know. */
    return status == NI_ERR_REGION ? NI_ERR_UNSUPPORTED : status;
}

static void copy_same_memory(void *local, uint64_t remote, size_t len, bool is_read)
{
    if (is_read) {
        memcpy(local, (const void *)(uintptr_t)remote, len);
    } else {
        memcpy((void *)(uintptr_t)remote, local, len);
    }
}

/* ---- one packet ------------------------------------------------------------------------------ */

/* Each of these does all of it, or nothing: then NI_AGAIN. */

/* The operation of a Write: its own, or that of all of which nobody wants to hear. */
NI_ALWAYS_INLINE ni_status write_token(struct ni_peer *peer, size_t len, const struct ni_ack *ack,
                                       uint64_t *token, bool threads)
{
    if (ni_ack_tells(ack)) {
        return ni_direct_op(peer, NI_OP_WRITE, len, NULL, ack, token, threads) != NULL
                   ? NI_OK
                   : NI_ERR_NOMEM;
    }
    if (NI_UNLIKELY(peer->send.unacked == 0) && !ni_unacked_begin(peer)) {
        return NI_ERR_NOMEM;
    }
    *token = peer->send.unacked;
    return NI_OK;
}

NI_ALWAYS_INLINE ni_status write_now(struct ni_peer *peer, const void *src, size_t len,
                                     const struct ni_remote *dst, const struct ni_ack *ack,
                                     bool threads)
{
    unsigned head = ni_direct_write_head(len);
    uint32_t lines = ni_packet_lines(head, (uint32_t)len);
    struct ni_packet *packet;
    ni_status status = NI_AGAIN;
    uint64_t token;

    ni_lock_take(&peer->lock, threads);
    packet = ni_direct_place(peer, lines);
    if (NI_LIKELY(packet != NULL && lines <= peer->ep->max_lines && !peer->ep->same_memory)) {
        status = write_token(peer, len, ack, &token, threads);
    }
    if (NI_LIKELY(status == NI_OK)) {
        packet->body[0] = dst->addr;
        packet->body[1] = dst->key;
        packet->body[2] = token;
        packet->body[3] = 0;
        packet->body[4] = len;
        ni_memory_copy((uint8_t *)packet + head, len != 0 ? src : nothing, len);
        ni_direct_send(
            peer, packet,
            ni_packet_word0(0, NI_PACKET_WRITE, head, ni_ack_tells(ack) ? 0 : NI_WRITE_UNACKED),
            ni_packet_word1((uint32_t)len, dst->handle), lines);
    }
    ni_lock_give(&peer->lock, threads);
    return status;
}

NI_ALWAYS_INLINE ni_status read_now(struct ni_peer *peer, void *dst, size_t len,
                                    const struct ni_remote *src, const struct ni_ack *ack,
                                    bool threads)
{
    struct ni_request request = {.what = *src,
                                 .packet = NI_PACKET_READ,
                                 .kind = NI_OP_READ,
                                 .operand = len,
                                 .len = len,
                                 .local = len != 0 ? dst : nothing};
    uint64_t token;

    return ni_request_now(peer, &request, ack, &token, threads);
}

/* A Write of which nobody wants to hear, where write_now does not go: in the first packets to a
 * peer, and of an NI that stamps. */
static ni_status write_unacked(struct ni_peer *peer, const void *src, size_t len,
                               const struct ni_remote *dst)
{
    struct ni_packet_remote fields = {.addr = dst->addr, .key = dst->key, .compare = len};
    ni_status status = NI_AGAIN;
    uint8_t *place, *payload;

    ni_lock_take(&peer->lock, peer->threads);
    if (!ni_peer_waits(peer)) {
        status = write_token(peer, len, NULL, &fields.token, peer->threads);
    }
    if (status == NI_OK) {
        status = ni_packet_begin(peer, sizeof(fields), 0, (uint32_t)len, &place, &payload);
    }
    if (status == NI_OK) {
        memcpy(place, &fields, sizeof(fields));
        memcpy(payload, src, len);
        ni_packet_commit(peer, NI_PACKET_WRITE, NI_WRITE_UNACKED, (uint32_t)len, dst->handle);
    }
    ni_lock_give(&peer->lock, peer->threads);
    return status;
}

/* ---- several, or later ----------------------------------------------------------------------- */

static ni_status send_read_request(struct ni_op *op)
{
    struct ni_packet_remote fields = {.addr = op->bulk->where.addr,
                                      .key = op->bulk->where.key,
                                      .token = ni_op_token(op),
                                      .operand = op->len};

    return ni_send_control(op->peer, NI_PACKET_READ, NI_LINE, 0, 0, op->bulk->where.handle, &fields,
                           sizeof(fields));
}

static ni_status by_packets(struct ni_op *op)
{
    ni_bulk_go(op, NI_BULK_SEND);
    return op->kind == NI_OP_READ ? send_read_request(op) : ni_stream_write(op, op->local);
}

void ni_transfer_by_packets(struct ni_op *op)
{
    ni_status status;

    ni_stat_add(&op->peer->ni->stats.bulk_fallback, 1);
    status = by_packets(op);
    if (status != NI_OK) {
        ni_op_complete(op, status, 0);
    }
}

/* Try without packets. NI_OK: done, or refused, and told. */
static ni_status try_direct(struct ni_peer *peer, uint8_t *local, size_t len,
                            const struct ni_remote *where, const struct ni_ack *ack, bool is_read,
                            bool *by_kernel)
{
    struct ni_ep *ep = peer->ep;
    ni_status status;

    *by_kernel = false;
    if (!ep->same_memory && (len < peer->ni->bulk.direct_min || !ni_peer_copies(peer))) {
        return NI_ERR_UNSUPPORTED;
    }
    if (len < NI_DIRECT_MIN && peer->ni->send.sources[NI_SOURCE_STORES]->under_way(peer)) {
        return NI_ERR_UNSUPPORTED; /* it comes after them */
    }
    status = ni_transfer_check(ep, where, len, is_read ? NI_ACCESS_READ : NI_ACCESS_WRITE);
    if (status != NI_OK && !ep->same_memory && len < NI_DIRECT_MIN && !is_read &&
        !ni_ack_tells(ack)) {
        return NI_ERR_UNSUPPORTED; /* of the packet's refusal a flush tells */
    }
    if (status == NI_ERR_UNSUPPORTED || (status == NI_OK && !ep->same_memory)) {
        *by_kernel = status == NI_OK;
        return NI_ERR_UNSUPPORTED;
    }
    if (status == NI_OK) {
        copy_same_memory(local, where->addr, len, is_read);
    }
    ni_ack_deliver(peer->ni, ack, status, status == NI_OK ? len : 0);
    return NI_OK;
}

/* What the kernel does not copy, though it is long enough for that, is a packet as it is elsewhere.
 */
static NI_NOINLINE ni_status as_packet(struct ni_peer *peer, uint8_t *local, size_t len,
                                       const struct ni_remote *where, const struct ni_ack *ack,
                                       bool is_read)
{
    if (is_read) {
        return read_now(peer, local, len, where, ack, peer->threads);
    }
    return ni_is_one_packet(peer->ni, len) ? write_now(peer, local, len, where, ack, peer->threads)
                                           : NI_AGAIN;
}

static ni_status transfer(struct ni_peer *peer, uint8_t *local, size_t len,
                          const struct ni_remote *where, const struct ni_ack *ack, bool is_read)
{
    bool by_kernel, with_peer;
    struct ni_op *op;
    ni_status status;

    local = len != 0 ? local : nothing;
    if (try_direct(peer, local, len, where, ack, is_read, &by_kernel) == NI_OK) {
        return NI_OK;
    }
    if (!by_kernel && len >= peer->ni->bulk.direct_min && len < NI_DIRECT_MIN) {
        status = as_packet(peer, local, len, where, ack, is_read);
        if (status != NI_AGAIN) {
            return status;
        }
    }
    with_peer =
        by_kernel && len >= NI_DIRECT_MIN && (is_read || ni_push_offer_is_wanted(peer, len));
    if (by_kernel && !with_peer) {
        status = ni_copy_at_once(peer, is_read ? NI_COPY_FROM_PEER : NI_COPY_TO_PEER, local,
                                 where->addr, len);
        if (status != NI_AGAIN) {
            ni_ack_deliver(peer->ni, ack, status, status == NI_OK ? len : 0);
            return NI_OK;
        }
    }
    if (!is_read && !by_kernel && !ni_ack_tells(ack) && ni_is_one_packet(peer->ni, len) &&
        write_unacked(peer, local, len, where) == NI_OK) {
        return NI_OK;
    }
    op = ni_op_new_transfer(peer, is_read ? NI_OP_READ : NI_OP_WRITE, ack, local, len, where);
    if (op == NULL) {
        return NI_ERR_NOMEM;
    }
    if (len >= NI_DIRECT_MIN && !by_kernel) {
        ni_stat_add(&peer->ni->stats.bulk_fallback, 1);
    }
    if (by_kernel) {
        if (!with_peer || !(is_read ? ni_pull_request_start(op) : ni_push_offer_start(op))) {
            ni_copy_start(op);
        }
        return NI_OK;
    }
    status = by_packets(op);
    if (status != NI_OK) {
        ni_op_undo(op);
    }
    return status;
}

static NI_NOINLINE ni_status transfer_later(struct ni *ni, struct ni_peer *peer, void *local,
                                            size_t len, const struct ni_remote *where,
                                            const struct ni_ack *ack, bool is_read)
{
    ni_status status = ni_transfer_enter(ni, peer);

    if (status == NI_OK) {
        status = transfer(peer, local, len, where, ack, is_read);
    }
    return ni_transfer_leave(peer, status);
}

/* In a forked child no lane has room, so that what is done now need not ask. */
ni_status ni_write(struct ni *ni, struct ni_peer *peer, const void *src, size_t len,
                   const struct ni_remote *dst, const struct ni_ack *ack)
{
    ni_status status = NI_AGAIN;

    if (ni_short_is_word(len) &&
        NI_LIKELY(ni_ack_tells(ack) ? ni_short_post(peer, src, (uint32_t)len, dst, ack)
                                    : ni_short_post_unacked(peer, src, (uint32_t)len, dst))) {
        return NI_OK;
    }
    if (len < ni->bulk.direct_min && ni_is_one_packet(ni, len)) {
        status = NI_LIKELY(!peer->threads) ? write_now(peer, src, len, dst, ack, false)
                                           : write_now(peer, src, len, dst, ack, true);
    }
    return NI_LIKELY(status != NI_AGAIN)
               ? status
               : transfer_later(ni, peer, (void *)(uintptr_t)src, len, dst, ack, false);
}

ni_status ni_read(struct ni *ni, struct ni_peer *peer, void *dst, size_t len,
                  const struct ni_remote *src, const struct ni_ack *ack)
{
    ni_status status = NI_AGAIN;

    if (ni_short_is_word(len) &&
        NI_LIKELY(ni_short_post_read(peer, dst, (uint32_t)len, src, ack))) {
        return NI_OK;
    }
    if (len < ni->bulk.direct_min) {
        status = NI_LIKELY(!peer->threads) ? read_now(peer, dst, len, src, ack, false)
                                           : read_now(peer, dst, len, src, ack, true);
    }
    return NI_LIKELY(status != NI_AGAIN) ? status
                                         : transfer_later(ni, peer, dst, len, src, ack, true);
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void transfer_ending(struct ni_op *op)
{
    if (op->bulk->state == NI_BULK_ENDED) {
        return;
    }
    ni_unlocked_copy_leave(op->peer->ni, op);
    if (ni_bulk_is_requested(op->bulk)) {
        ni_pull_request_end(op);
    }
    ni_copy_forget(op);
    if (op->kind == NI_OP_WRITE) {
        ni_stream_end(op);
    }
    ni_bulk_go(op, NI_BULK_END);
}

static bool transfer_ended(struct ni_op *op, ni_status status, struct ni_end *also)
{
    struct ni *ni = op->peer->ni;
    struct ni_bulk *bulk = op->bulk;
    bool tell = bulk->noting != NULL && ni_noting_end(ni, bulk->noting, status, also);

    if (bulk->timed) {
        ni_copy_tuner_end(ni_pull_request_tuner(op), ni_now_ns(), op->len);
    }
    ni_pool_put(&ni->bulk.pool, bulk);
    return tell;
}

static bool tells(const struct ni_op *op)
{
    return op->bulk->noting != NULL && op->bulk->noting->departs;
}

static void stop_shared_copies(struct ni_peer *peer)
{
    ni_shared_copy_in_stop(peer->ni, peer, NULL);
}

void ni_transfers_register(struct ni *ni)
{
    static const struct ni_peer_ops peer_ops = {.down = stop_shared_copies};
    static const struct ni_op_ops ops = {
        .ending = transfer_ending, .ended = transfer_ended, .tells = tells};

    ni->bulk.ops = &ops;
    ni_peer_ops_register(ni, NI_FOLDER_BULK, &peer_ops);
}
