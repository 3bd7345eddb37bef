/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/bulk/request.h"

#include "engine/bulk/transfer.h"
#include "engine/send/control.h"

NI_NOINLINE ni_status ni_request_later(struct ni_peer *peer, const struct ni_request *request,
                                       const struct ni_ack *ack, uint64_t *name)
{
    struct ni_packet_remote fields = {.addr = request->what.addr,
                                      .key = request->what.key,
                                      .operand = request->operand,
                                      .compare = request->compare};
    ni_status status = ni_transfer_enter(peer->ni, peer);
    struct ni_op *op = NULL;

    if (status == NI_OK && (op = ni_op_new(peer, request->kind, ack)) == NULL) {
        status = NI_ERR_NOMEM;
    }
    if (status == NI_OK) {
        op->local = request->local;
        op->len = request->len;
        *name = fields.token = ni_op_token(op);
        status = ni_send_control(peer, request->packet, NI_LINE, request->tag, 0,
                                 request->what.handle, &fields, sizeof(fields));
        if (status != NI_OK) {
            ni_op_undo(op);
        }
    }
    return ni_transfer_leave(peer, status);
}
