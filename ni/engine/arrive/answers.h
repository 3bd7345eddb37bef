/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_ANSWERS_H
#define NI_ENGINE_ANSWERS_H

#include "base/clock.h"
#include "engine/arrive/handlers.h"
#include "engine/bulk/pull_request.h"
#include "engine/core/bulk.h"

/*
 * Answers to what this NI asked for: whether one is awaited, its bytes, the end of its operation.
 * Predicates and bodies, with instances by a constant mode, as in handlers.h.
 */

/* An answer, as its packet says: the fields that matter, each read once. */
struct ni_answer {
    uint64_t token, value, offset;
    const uint8_t *payload;
    uint32_t len;
    ni_status status;
};

NI_ALWAYS_INLINE struct ni_answer ni_answer_of(const struct ni_packet *packet, uint64_t word1,
                                               ni_status status, bool data, enum ni_mode mode)
{
    return (struct ni_answer){
        .token = ni_direct_field(packet, 0),
        .value = data || mode != NI_MODE_LINE ? ni_direct_field(packet, 1) : 0,
        .offset = data ? ni_direct_field(packet, 2) : 0,
        .payload = (const uint8_t *)packet + NI_DIRECT_READ,
        .len = ni_packet_len(word1),
        .status = status,
    };
}

/* Whether an operation, or NULL, waits for answers: it may have ended with a refusal. */
NI_ALWAYS_INLINE bool ni_answer_is_awaited(const struct ni_op *op)
{
    return op != NULL && !ni_op_kind_is_over(op->kind) &&
           (op->bulk == NULL || ni_bulk_awaits(op->bulk));
}

/* Put a segment of what was read in its place. False: the answer is not one of its operation's. */
NI_ALWAYS_INLINE bool ni_read_place(struct ni_op *op, uint64_t total, uint64_t offset,
                                    const uint8_t *from, uint32_t len)
{
    if (NI_UNLIKELY(total != op->len) || NI_UNLIKELY(offset > total) ||
        NI_UNLIKELY(len > total - offset) || NI_UNLIKELY(op->got > total - len)) {
        return false;
    }
    ni_memory_copy(op->local + offset, from, len);
    return true;
}

/* Take one, if it is the next, or may come before others. */
NI_ALWAYS_INLINE ni_status ni_read_segment(struct ni_peer *peer, struct ni_op *op, uint64_t total,
                                           uint64_t offset, const uint8_t *from, uint32_t len)
{
    if (NI_UNLIKELY(!ni_read_place(op, total, offset, from, len))) {
        return NI_ERR_PROTOCOL;
    }
    op->got += len;
    if (op->got == op->len) {
        ni_pull_request_finish(op, NI_OK, op->len);
    } else if (op->bulk != NULL && ni_bulk_is_requested(op->bulk)) {
        peer->bulk.heard_ns = ni_now_ns();
    }
    return NI_OK;
}

/* LINE tells a function at most. */
NI_ALWAYS_INLINE bool ni_answer_may_tell(const struct ni_op *op, enum ni_mode mode)
{
    return mode != NI_MODE_LINE || NI_LIKELY((unsigned)op->ack.kind <= NI_ACK_CALL);
}

/* Whether an answer to this plain operation is all that it waits for; the bytes are put there. */
NI_ALWAYS_INLINE bool ni_answer_is_all(struct ni_op *op, const struct ni_answer *answer, bool data,
                                       enum ni_mode mode)
{
    if (data) {
        return NI_LIKELY(op->kind == NI_OP_READ) && NI_LIKELY(answer->len == answer->value) &&
               NI_LIKELY(answer->offset == 0) && ni_answer_may_tell(op, mode) &&
               ni_read_place(op, answer->len, 0, answer->payload, answer->len);
    }
    if (mode == NI_MODE_LINE ? NI_UNLIKELY(op->kind > NI_OP_UNACKED)
                             : op->kind >= NI_OP_READ && answer->status == NI_OK) {
        return false;
    }
    return NI_LIKELY(ni_direct_ends(op, answer->status)) && ni_answer_may_tell(op, mode);
}

/* An answer without or with data, a constant: end the operation. ack, value: whom to tell
 * what. No lock is held. Not ANY. */
NI_ALWAYS_INLINE bool ni_answer_take(struct ni *ni, struct ni_peer *peer,
                                     const struct ni_answer *answer, bool data, struct ni_ack *ack,
                                     uint64_t *value, enum ni_mode mode)
{
    bool threads = mode == NI_MODE_LOCKED;
    struct ni_op *op;

    ni_lock_take(&ni->lock, threads);
    op = ni_direct_find(ni, peer, answer->token);
    if (NI_UNLIKELY(op == NULL) || NI_UNLIKELY(!ni_answer_is_all(op, answer, data, mode))) {
        ni_lock_give(&ni->lock, threads);
        return false;
    }
    *ack = op->ack;
    if (data) {
        *value = answer->len;
    } else {
        *value = mode != NI_MODE_LINE && op->kind == NI_OP_ATOMIC ? answer->value : op->len;
    }
    ni_direct_free(ni, op);
    ni_lock_give(&ni->lock, threads);
    return true;
}

#endif
