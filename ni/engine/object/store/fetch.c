/* SPDX-License-Identifier: BSD-3-Clause */
#include <apeni/transfer.h>

#include "engine/bulk/request.h"

ni_status ni_fetch_op(struct ni *ni, struct ni_peer *peer, enum ni_atomic_op what, unsigned width,
                      uint64_t operand, uint64_t compare, const struct ni_remote *dst,
                      const struct ni_ack *ack)
{
    struct ni_request request = {.what = *dst,
                                 .packet = NI_PACKET_ATOMIC,
                                 .tag = (uint16_t)(what | width << 8),
                                 .kind = NI_OP_ATOMIC,
                                 .operand = operand,
                                 .compare = compare,
                                 .len = width};
    uint64_t token;

    (void)ni;
    if (NI_UNLIKELY(width != 4 && width != 8) || NI_UNLIKELY((unsigned)what >= NI_ATOMIC_OPS)) {
        return NI_ERR_INVALID;
    }
    return ni_request_send(peer, &request, ack, &token);
}
