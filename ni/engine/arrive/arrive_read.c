/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "engine/arrive/arrival.h"
#include "engine/arrive/arrive.h"
#include "engine/bulk/pull_request.h"
#include "engine/arrive/answers.h"
#include "engine/core/op.h"
#include "engine/send/stream.h"

/* Reads: the request at its target, and the answers, of all operations, at their initiator. */

ni_status ni_on_read(const struct ni_arrival *a)
{
    struct ni_packet_remote fields;
    struct ni_remote where;
    ni_status status;

    memcpy(&fields, a->packet->body, sizeof(fields));
    if (fields.token == 0 || a->len != 0) {
        return NI_ERR_PROTOCOL;
    }
    if (a->tag == NI_READ_NOTHING) {
        return ni_arrival_answer(a, fields.token, NI_OK, 0);
    }
    if (NI_UNLIKELY(a->tag != NI_READ_MEMORY)) {
        return ni_on_dequeue(a, &fields);
    }
    if (ni_direct_read(a->ni, a->peer, a->packet, ni_packet_word1(0, a->region))) {
        return NI_OK;
    }
    if (ni_arrival_reads_queue(a)) {
        return ni_on_dequeue(a, &fields);
    }
    where = ni_arrival_remote(a, &fields);
    status = ni_memory_judge(a->ni, &where, fields.operand, NI_ACCESS_READ);
    if (status != NI_OK) {
        (void)ni_arrival_refuse(a, status);
    } else {
        status = ni_stream_answer(a->peer, (const void *)(uintptr_t)fields.addr, fields.operand,
                                  fields.token, a->region, fields.key);
    }
    return ni_arrival_answer_refusal(a, fields.token, status);
}

/* An item for a request, or why there is none. */
static ni_status take_dequeued_item(const struct ni_arrival *a, struct ni_op *op)
{
    ni_status status = ni_direct_status(a->tag);

    if (status == NI_OK && a->len != op->len) {
        return NI_ERR_PROTOCOL;
    }
    if (status == NI_OK) {
        memcpy(op->local, a->payload, a->len);
    }
    ni_op_complete(op, status, status == NI_OK ? op->len : 0);
    return NI_OK;
}

/* An answer with payload where others have fields: only an item is such. */
static NI_NOINLINE ni_status on_item(const struct ni_arrival *a)
{
    uint64_t token = ni_direct_field(a->packet, 0);
    struct ni_op *op;

    if (!ni_arrival_has_fields(a, sizeof(token))) {
        return NI_ERR_PROTOCOL;
    }
    op = ni_op_find(a->peer, token);
    if (op == NULL) {
        return NI_OK; /* its request was given up with the peer */
    }
    return op->kind == NI_OP_DEQUEUE ? take_dequeued_item(a, op) : NI_ERR_PROTOCOL;
}

/* A message of ours, which no operation knows. */
static ni_status note_refused(const struct ni_arrival *a, uint64_t queue, ni_status status)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(10);

    ni_stat_add(&a->ni->stats.tx_refused, 1);
    ni_log_limited(&limit, NI_LOG_INFO, "a peer refused a message to its queue 0x%llx: %s",
                   (unsigned long long)queue, ni_status_text(status));
    return NI_OK;
}

ni_status ni_on_ack(const struct ni_arrival *a)
{
    struct ni_packet_ack fields;
    ni_status status = ni_direct_status(a->tag);
    struct ni_op *op;

    memcpy(&fields, a->packet->body, sizeof(fields));
    if (!ni_arrival_has_fields(a, sizeof(fields))) {
        return on_item(a);
    }
    if (fields.token == 0 && status != NI_OK) {
        return note_refused(a, fields.value, status);
    }
    op = ni_op_find(a->peer, fields.token);
    if (op != NULL && op->kind == NI_OP_DEQUEUE) {
        return take_dequeued_item(a, op);
    }
    if (!ni_answer_is_awaited(op)) {
        return NI_OK;
    }
    if (op->kind == NI_OP_UNACKED && status != NI_OK && fields.offset != 0) {
        op->failure = op->failure == NI_OK ? status : op->failure;
        return NI_OK;
    }
    if (status == NI_AGAIN && op->bulk != NULL && ni_bulk_is_requested(op->bulk) && op->got == 0) {
        ni_pull_request_declined(op);
        return NI_OK;
    }
    if (op->kind != NI_OP_READ || status != NI_OK) {
        uint64_t value = op->kind == NI_OP_ATOMIC ? fields.value : op->len;

        ni_pull_request_finish(op, status, status == NI_OK ? value : 0);
        return NI_OK;
    }
    /* Segments of an answer come in order. */
    return fields.offset == op->got
               ? ni_read_segment(a->peer, op, fields.value, fields.offset, a->payload, a->len)
               : NI_ERR_PROTOCOL;
}
