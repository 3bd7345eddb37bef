/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_TRANSFER_H
#define NI_ENGINE_TRANSFER_H

#include <stddef.h>

#include <apeni/transfer.h>

#include "engine/op.h"

/* A Write of one packet to a region that is more than memory. data is used before the call
 * returns. */
ni_status ni_store_object(struct ni *ni, struct ni_peer *peer, const struct ni_rkey *rkey,
                          const void *data, size_t len, const struct ni_ack *ack);

/* The kernel refuses to copy, after all. */
void ni_transfer_by_packets(struct ni_op *op);

#endif
