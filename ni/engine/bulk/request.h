/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_REQUEST_H
#define NI_ENGINE_REQUEST_H

#include "engine/core/op.h"
#include "engine/send/direct.h"

/*
 * Requests of one line that begin an operation: short Reads, atomics, what multi-reader queues are
 * asked for. Each leaves at once if there is room, otherwise as a control packet that waits.
 */
struct ni_request {
    struct ni_remote what;
    unsigned packet; /* its kind */
    uint16_t tag;
    enum ni_op_kind kind;
    uint64_t operand, compare;
    uint64_t len;   /* of its operation */
    uint8_t *local; /* READ, DEQUEUE: where it goes */
};

/* All of it, or nothing: then NI_AGAIN. In a forked child no lane has room, so that what is done
 * now need not ask. *name: its token. */
NI_ALWAYS_INLINE ni_status ni_request_now(struct ni_peer *peer, const struct ni_request *request,
                                          const struct ni_ack *ack, uint64_t *name, bool threads)
{
    struct ni_packet *packet;
    ni_status status = NI_AGAIN;
    uint64_t token;

    ni_lock_take(&peer->lock, threads);
    packet = ni_direct_place(peer, 1);
    if (NI_LIKELY(packet != NULL && !(request->kind == NI_OP_READ && peer->ep->same_memory))) {
        status = ni_direct_op(peer, request->kind, request->len, request->local, ack, &token,
                              threads) != NULL
                     ? NI_OK
                     : NI_ERR_NOMEM;
    }
    if (NI_LIKELY(status == NI_OK)) {
        *name = token;
        packet->body[0] = request->what.addr;
        packet->body[1] = request->what.key;
        packet->body[2] = token;
        packet->body[3] = request->operand;
        packet->body[4] = request->compare;
        ni_direct_send(peer, packet, ni_packet_word0(0, request->packet, NI_LINE, request->tag),
                       ni_packet_word1(0, request->what.handle), 1);
    }
    ni_lock_give(&peer->lock, threads);
    return status;
}

/* As a control packet. No lock is held. */
ni_status ni_request_later(struct ni_peer *peer, const struct ni_request *request,
                           const struct ni_ack *ack, uint64_t *name);

/* One way or the other. */
NI_ALWAYS_INLINE ni_status ni_request_send(struct ni_peer *peer, const struct ni_request *request,
                                           const struct ni_ack *ack, uint64_t *name)
{
    ni_status status = NI_LIKELY(!peer->threads) ? ni_request_now(peer, request, ack, name, false)
                                                 : ni_request_now(peer, request, ack, name, true);

    if (NI_UNLIKELY(status == NI_AGAIN)) {
        struct ni_request waits = *request; /* so that only this one is in memory */

        status = ni_request_later(peer, &waits, ack, name);
    }
    return status;
}

#endif
