/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_TRANSFER_H
#define NI_ENGINE_TRANSFER_H

/*
 * The folder bulk: Writes and Reads, and the ways of long ones: packets, copies by us, by the
 * kernel, by both sides, over several lanes. It knows core and send. Called by the program, and by
 * the folders above.
 */

#include <stdatomic.h>
#include <stddef.h>

#include <apeni/transfer.h>

#include "engine/core/ni.h"
#include "engine/core/op.h"
#include "engine/core/peer.h"
#include "engine/send/waiting.h"

enum {
    NI_DIRECT_MIN = 4096,     /* below, a packet is faster than a copy by the kernel, */
    NI_DIRECT_MIN_AWAY = 128, /* unless nobody polls; a word is copied by a packet in any case */
};

/* May we touch the peer's memory ourselves? NI_ERR_UNSUPPORTED: it has to be asked by packets. */
ni_status ni_transfer_exported(const struct ni_ep *ep, const struct ni_remote *where, size_t len,
                               unsigned access);

/* Operations end as long transfers want it. The NI opens. */
void ni_transfers_register(struct ni *ni);

/* A Write of one packet to a region that is more than memory. data is used before the call
 * returns. */
ni_status ni_store_object(struct ni *ni, struct ni_peer *peer, const struct ni_rkey *rkey,
                          const void *data, size_t len, const struct ni_ack *ack);

/* Whether we may touch the peer's memory ourselves, where it is ours too; NI_ERR_UNSUPPORTED: it
 * has to be asked by packets. */
ni_status ni_transfer_check(const struct ni_ep *ep, const struct ni_remote *where, size_t len,
                            unsigned access);

/* The kernel refuses to copy, after all. */
void ni_transfer_by_packets(struct ni_op *op);

/* What a transfer call begins with: the endpoint, and that no other thread completes the operation
 * under us. */
static inline ni_status ni_transfer_enter(struct ni *ni, struct ni_peer *peer)
{
    ni_status status = ni_usable(ni);

    ni_peer_enter(peer);
    if (NI_UNLIKELY(status != NI_OK)) {
        return status;
    }
    ni_lock_take(&peer->lock, peer->threads);
    if (NI_UNLIKELY(ni_source_pending(peer, NI_SOURCE_STORES))) {
        (void)ni_send_before(peer, NI_SOURCE_STORES_QUESTION);
    }
    status = ni_peer_endpoint(peer);
    ni_lock_give(&peer->lock, peer->threads);
    return status;
}

/* What it ends with, in any case. Returns status. */
static inline ni_status ni_transfer_leave(struct ni_peer *peer, ni_status status)
{
    ni_peer_leave(peer);
    return status;
}

#endif
