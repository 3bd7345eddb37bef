/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_DIRECT_H
#define NI_ENGINE_DIRECT_H

#include "engine/core/memory.h"
#include "engine/core/op.h"
#include "engine/core/peer.h"
#include "engine/send/fast.h"
#include "link/lane_inl.h"

/*
 * The direct path of requests and answers: composed in the lane, in place, when nothing waits
 * before them. Where there is no place, the detour over ni_send_control and streams has the same
 * result.
 *
 * The functions of this path are compiled twice, with and without locks: `threads` is a constant,
 * that of the NI.
 */

enum {
    NI_DIRECT_HEAD = NI_PACKET_HEADER + (int)sizeof(struct ni_packet_remote), /* of a Write */
    NI_DIRECT_READ = NI_PACKET_HEADER + (int)sizeof(struct ni_packet_ack),    /* of what was read */
};

/* Where the payload of a whole Write of so many bytes begins: in the first line if it fits
 * there. */
NI_ALWAYS_INLINE unsigned ni_direct_write_head(size_t len)
{
    if (NI_LIKELY(len <= NI_LINE - NI_DIRECT_HEAD)) {
        return NI_DIRECT_HEAD;
    }
    return len <= NI_LINE - NI_WRITE_WHOLE_HEAD ? NI_WRITE_WHOLE_HEAD : NI_LINE;
}

/* Where a packet of so many lines goes now; NULL: take the detour. The peer's lock is held until it
 * is sent. */
NI_ALWAYS_INLINE struct ni_packet *ni_direct_place(struct ni_peer *peer, uint32_t lines)
{
    struct ni_ep *ep = peer->ep;

    if (NI_UNLIKELY(peer->waiting != 0) || NI_UNLIKELY(ep == NULL) ||
        NI_UNLIKELY(!ni_lane_room(&ep->tx, lines))) {
        return NULL;
    }
    return ni_lane_at(&ep->tx);
}

/* Publish the packet at that place. word0 without sequence number. */
NI_ALWAYS_INLINE void ni_direct_send(struct ni_peer *peer, struct ni_packet *packet, uint64_t word0,
                                     uint64_t word1, uint32_t lines)
{
    struct ni_ep *ep = peer->ep;

    packet->word1 = word1;
    ep->tx.bytes += ni_packet_len(word1);
    ni_lane_commit_at(&ep->tx, packet, word0, lines);
    ni_published(peer, ep);
}

/* A field of a packet that arrived, loaded once: its sender may change it at any time. */
NI_ALWAYS_INLINE uint64_t ni_direct_field(const struct ni_packet *packet, unsigned i)
{
    return __atomic_load_n(&packet->body[i], __ATOMIC_RELAXED);
}

/* What a WRITE, READ or ATOMIC names. */
NI_ALWAYS_INLINE struct ni_remote ni_direct_remote(const struct ni_packet *packet, uint64_t word1)
{
    return (struct ni_remote){.addr = ni_direct_field(packet, 0),
                              .key = ni_direct_field(packet, 1),
                              .handle = ni_packet_region(word1)};
}

/* Make what came from the pool a plain operation, see struct ni_op. The NI's lock is held. */
NI_ALWAYS_INLINE void ni_direct_begin(struct ni_peer *peer, struct ni_op *op, enum ni_op_kind kind,
                                      uint64_t len, void *local, const struct ni_ack *ack)
{
    struct ni *ni = peer->ni;

    if (ack != NULL) {
        op->ack = *ack;
    } else {
        op->ack.kind = NI_ACK_NONE;
    }
    op->peer = peer;
    op->serial = ni->core.serial++;
    op->kind = kind;
    op->failure = NI_OK;
    op->bulk = NULL;
    op->len = len;
    if (kind >= NI_OP_READ) {
        op->local = local;
        op->got = 0;
    }
    ni_list_push_back(&peer->ops, &op->list);
    ni_op_count(ni);
}

/* A plain operation and its token; NULL when out of memory. */
NI_ALWAYS_INLINE struct ni_op *ni_direct_op(struct ni_peer *peer, enum ni_op_kind kind,
                                            uint64_t len, void *local, const struct ni_ack *ack,
                                            uint64_t *token, bool threads)
{
    struct ni *ni = peer->ni;
    struct ni_op *op;

    ni_lock_take(&ni->lock, threads);
    op = ni_pool_get_token(&ni->core.op_pool, token);
    if (NI_LIKELY(op != NULL)) {
        ni_direct_begin(peer, op, kind, len, local, ack);
    }
    ni_lock_give(&ni->lock, threads);
    return op;
}

/* Free a plain operation. The NI's lock is held. */
NI_ALWAYS_INLINE void ni_direct_free(struct ni *ni, struct ni_op *op)
{
    ni_list_remove(&op->list);
    ni_pool_put(&ni->core.op_pool, op);
    ni_stat_set(&ni->stats.pending_ops, ni_pool_out(&ni->core.op_pool));
}

/* The plain operation of this peer that the token names, if its end is that of a plain one: nobody
 * waits for all operations. The NI's lock is held. */
NI_ALWAYS_INLINE struct ni_op *ni_direct_find(struct ni *ni, const struct ni_peer *peer,
                                              uint64_t token)
{
    struct ni_op *op = ni_pool_from_token(&ni->core.op_pool, token);

    if (NI_UNLIKELY(op == NULL) || NI_UNLIKELY(op->peer != peer) || NI_UNLIKELY(op->bulk != NULL) ||
        NI_UNLIKELY(ni_work_count(&ni->core.flushes) != 0)) {
        return NULL;
    }
    return op;
}

/* Whether an answer ends it with what the answer says: of Writes of which only the last is
 * answered, one may have been refused before. */
NI_ALWAYS_INLINE bool ni_direct_ends(const struct ni_op *op, ni_status status)
{
    return op->kind != NI_OP_UNACKED || (status == NI_OK && op->failure == NI_OK);
}

/* Tell whom it concerns. No lock is held. */
NI_ALWAYS_INLINE void ni_direct_tell(struct ni *ni, const struct ni_ack *ack, ni_status status,
                                     uint64_t value)
{
    if (NI_LIKELY(ack->kind == NI_ACK_CALL)) {
        ack->fn(ack->arg, status, value);
    } else if (ack->kind != NI_ACK_NONE) {
        ni_ack_deliver(ni, ack, status, value);
    }
}

/* ni_direct_answer by the detour. No lock is held. */
void ni_direct_answer_later(struct ni_peer *peer, uint64_t token, ni_status status, uint64_t value);

/* Answer a request that wants an answer. No lock is held. */
NI_ALWAYS_INLINE ni_status ni_direct_answer(struct ni_peer *peer, uint64_t token, ni_status status,
                                            uint64_t value, bool threads)
{
    struct ni_packet *packet = NULL;

    ni_lock_take(&peer->lock, threads);
    if (NI_LIKELY(token != 0)) {
        packet = ni_direct_place(peer, 1);
    }
    if (NI_LIKELY(packet != NULL)) {
        packet->body[0] = token;
        packet->body[1] = value;
        packet->body[2] = 0;
        ni_direct_send(peer, packet, ni_packet_word0(0, NI_PACKET_ACK, NI_LINE, (uint16_t)status),
                       0, 1);
    }
    ni_lock_give(&peer->lock, threads);
    if (NI_UNLIKELY(packet == NULL)) {
        ni_direct_answer_later(peer, token, status, value);
    }
    return NI_OK;
}

/* A status as it came in a tag: only what a target may report. */
static inline ni_status ni_direct_status(uint16_t tag)
{
    int16_t status = (int16_t)tag;

    return status == NI_OK || status == NI_AGAIN ||
                   (status <= NI_ERR_INVALID && status >= NI_ERR_ALIGN)
               ? (ni_status)status
               : NI_ERR_PROTOCOL;
}

#endif
