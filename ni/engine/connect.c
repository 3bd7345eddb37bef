/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include <apeni/log.h>
#include <apeni/ni.h>

#include "engine/links.h"
#include "engine/ni.h"
#include "engine/peer.h"
#include "engine/progress.h"
#include "engine/quiet.h"

/* From an address blob to a peer. */

bool ni_reachable(const struct ni *ni, const void *blob, size_t len, char *reason,
                  size_t reason_size)
{
    char unused[1];
    struct ni_route route;

    if (reason == NULL || reason_size == 0) {
        reason = unused;
        reason_size = sizeof(unused);
    }
    if (ni->forked) {
        snprintf(reason, reason_size, "%s", ni_status_text(NI_ERR_FORKED));
        return false;
    }
    return ni_links_route(ni, blob, len, &route, reason, reason_size) == NI_OK;
}

ni_status ni_connect(struct ni *ni, const void *blob, size_t len, struct ni_peer **connected)
{
    char reason[256] = "";
    struct ni_peer *peer;
    struct ni_route route;
    ni_status status = ni->closing ? NI_ERR_CLOSED : ni_usable(ni);
    bool taken;

    if (status != NI_OK) {
        return status;
    }
    status = ni_links_route(ni, blob, len, &route, reason, sizeof(reason));
    if (status != NI_OK) {
        ni_log(NI_LOG_INFO, "cannot connect: %s", reason);
        return status;
    }
    taken = ni_turn_take(ni);
    status = ni_peer_get(ni, route.link, route.part, route.len, &peer);
    if (status == NI_OK) {
        ni_lock_take(&peer->lock, ni->threads);
        status = ni_peer_endpoint(peer);
        ni_lock_give(&peer->lock, ni->threads);
    }
    if (status == NI_ERR_PEER_DEAD) {
        ni_peer_down(ni, peer, status);
    }
    if (status == NI_OK || status == NI_ERR_PEER_DEAD) {
        peer->references++;
        *connected = peer;
    }
    ni_turn_give(ni, taken);
    return status;
}

void ni_disconnect(struct ni *ni, struct ni_peer *peer)
{
    bool taken;

    if (ni_usable(ni) != NI_OK) {
        return;
    }
    taken = ni_turn_take(ni);
    if (peer->references != 0 && --peer->references == 0) {
        /* The peer may go on sending to us: what it sends is still understood and answered, so the
         * struct stays until ni_close, and what waits for it is still sent. */
        ni_lock_take(&peer->lock, peer->threads);
        ni_quiet_forget(peer);
        ni_lock_give(&peer->lock, peer->threads);
        ni_peer_complete_all(peer, NI_ERR_CANCELED);
    }
    ni_turn_give(ni, taken);
}
