/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <apeni/transfer.h>

#include "engine/core/op.h"
#include "engine/send/send.h"
#include "engine/bulk/states.h"
#include "engine/bulk/transfer.h"
#include "engine/send/waiting.h"

/* Writes to regions that are more than memory: one packet each, whole. */

/* A Write of one packet, now or not at all. The peer's lock is held. */
static ni_status store_now(struct ni_op *op, uint16_t tag, const void *data, uint32_t len)
{
    struct ni_packet_remote fields = {
        .key = op->bulk->where.key, .token = ni_op_token(op), .compare = len};
    uint8_t *place, *payload;
    ni_status status = NI_AGAIN;

    if (ni_send_turn(op->peer)) {
        status = ni_packet_begin(op->peer, sizeof(fields), 0, len, &place, &payload);
    }
    if (status == NI_OK) {
        op->peer->send.overtake = false;
        memcpy(place, &fields, sizeof(fields));
        if (len != 0) { /* callers may say NULL, memcpy may not be given that */
            memcpy(payload, data, len);
        }
        ni_packet_commit(op->peer, NI_PACKET_WRITE, tag, len, op->bulk->where.handle);
    }
    return status;
}

static ni_status store_object(struct ni *ni, struct ni_peer *peer, const struct ni_rkey *rkey,
                              uint16_t tag, const void *data, size_t len, const struct ni_ack *ack)
{
    const struct ni_remote where = {.key = rkey->key, .handle = rkey->handle};
    ni_status status = ni_transfer_enter(ni, peer);
    struct ni_op *op = NULL;

    if (status == NI_OK && len > ni_message_max(peer)) {
        status = NI_ERR_LIMIT;
    }
    if (status == NI_OK &&
        (op = ni_op_new_transfer(peer, NI_OP_WRITE, ack, NULL, len, &where)) == NULL) {
        status = NI_ERR_NOMEM;
    }
    if (status == NI_OK) {
        ni_bulk_go(op, NI_BULK_SEND);
        ni_lock_take(&peer->lock, peer->threads);
        status = store_now(op, tag, data, (uint32_t)len);
        ni_lock_give(&peer->lock, peer->threads);
        if (status != NI_OK) {
            ni_op_undo(op);
        }
    }
    return ni_transfer_leave(peer, status);
}

ni_status ni_store_object(struct ni *ni, struct ni_peer *peer, const struct ni_rkey *rkey,
                          const void *data, size_t len, const struct ni_ack *ack)
{
    return store_object(ni, peer, rkey, 0, data, len, ack);
}

/* Without an ack nobody would know that there was no room. */
ni_status ni_enqueue(struct ni *ni, struct ni_peer *peer, const struct ni_rkey *queue,
                     const void *data, size_t len, const struct ni_ack *ack)
{
    bool told = ack != NULL && ack->kind != NI_ACK_NONE;

    return store_object(ni, peer, queue, told ? 0 : NI_WRITE_HOLD, data, len, ack);
}
