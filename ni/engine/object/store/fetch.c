/* SPDX-License-Identifier: BSD-3-Clause */
#include <apeni/transfer.h>

#include "engine/send/control.h"
#include "engine/send/direct.h"
#include "engine/core/op.h"
#include "engine/bulk/transfer.h"

/* ni_fetch_op: at once if there is room, otherwise by a control packet that waits. */

/* All of it, or nothing: then NI_AGAIN. */
NI_ALWAYS_INLINE ni_status fetch_now(struct ni_peer *peer, uint16_t tag, uint64_t operand,
                                     uint64_t compare, const struct ni_remote *dst,
                                     const struct ni_ack *ack, bool threads)
{
    struct ni_packet *packet;
    ni_status status = NI_AGAIN;
    uint64_t token;

    ni_lock_take(&peer->lock, threads);
    packet = ni_direct_place(peer, 1);
    if (NI_LIKELY(packet != NULL)) {
        status = ni_direct_op(peer, NI_OP_ATOMIC, tag >> 8, NULL, ack, &token, threads) != NULL
                     ? NI_OK
                     : NI_ERR_NOMEM;
    }
    if (NI_LIKELY(status == NI_OK)) {
        packet->body[0] = dst->addr;
        packet->body[1] = dst->key;
        packet->body[2] = token;
        packet->body[3] = operand;
        packet->body[4] = compare;
        ni_direct_send(peer, packet, ni_packet_word0(0, NI_PACKET_ATOMIC, NI_LINE, tag),
                       ni_packet_word1(0, dst->handle), 1);
    }
    ni_lock_give(&peer->lock, threads);
    return status;
}

static NI_NOINLINE ni_status fetch_later(struct ni_peer *peer, uint16_t tag, uint64_t operand,
                                         uint64_t compare, const struct ni_remote *dst,
                                         const struct ni_ack *ack)
{
    struct ni_packet_remote fields = {
        .addr = dst->addr, .key = dst->key, .operand = operand, .compare = compare};
    ni_status status = ni_transfer_enter(peer->ni, peer);
    struct ni_op *op = NULL;

    if (status == NI_OK && (op = ni_op_new(peer, NI_OP_ATOMIC, ack)) == NULL) {
        status = NI_ERR_NOMEM;
    }
    if (status == NI_OK) {
        fields.token = ni_op_token(op);
        status = ni_send_control(peer, NI_PACKET_ATOMIC, NI_LINE, tag, 0, dst->handle, &fields,
                                 sizeof(fields));
        if (status != NI_OK) {
            ni_op_undo(op);
        }
    }
    return ni_transfer_leave(peer, status);
}

ni_status ni_fetch_op(struct ni *ni, struct ni_peer *peer, enum ni_atomic_op what, unsigned width,
                      uint64_t operand, uint64_t compare, const struct ni_remote *dst,
                      const struct ni_ack *ack)
{
    uint16_t tag = (uint16_t)(what | width << 8);
    ni_status status;

    (void)ni;
    if (NI_UNLIKELY(width != 4 && width != 8) || NI_UNLIKELY((unsigned)what >= NI_ATOMIC_OPS)) {
        return NI_ERR_INVALID;
    }
    status = NI_LIKELY(!peer->threads) ? fetch_now(peer, tag, operand, compare, dst, ack, false)
                                       : fetch_now(peer, tag, operand, compare, dst, ack, true);
    return NI_LIKELY(status != NI_AGAIN) ? status
                                         : fetch_later(peer, tag, operand, compare, dst, ack);
}
