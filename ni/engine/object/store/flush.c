/* SPDX-License-Identifier: BSD-3-Clause */
#include <apeni/transfer.h>

#include "engine/core/op.h"
#include "engine/object/store/stores.h"
#include "engine/send/unacked.h"

/* A flush waits for the operations that are under way. Some of those end only when they are asked
 * to: stores, and Writes without an ack. */

static void ask_peer_for_flush(struct ni_peer *peer)
{
    ni_lock_take(&peer->lock, peer->threads);
    if (peer->object.stores != NULL) {
        ni_stores_ask(peer);
    }
    ni_unacked_ask(peer);
    ni_lock_give(&peer->lock, peer->threads);
}

ni_status ni_flush(struct ni *ni, struct ni_peer *peer, const struct ni_ack *ack)
{
    ni_status status = ni_usable(ni);
    struct ni_peer *at;

    if (status != NI_OK) {
        return status;
    }
    status = ni_op_flush(ni, peer, ack);
    if (status == NI_OK) {
        ni_ack_deliver(ni, ack, NI_OK, 0);
    }
    if (status != NI_INPROGRESS) {
        return status;
    }
    ni_peers_walk(ni);
    at = peer != NULL ? peer : ni_peer_after(ni, NULL);
    while (at != NULL) {
        ask_peer_for_flush(at);
        at = peer != NULL ? NULL : ni_peer_after(ni, at);
    }
    ni_peers_walked(ni);
    return NI_OK;
}
