/* SPDX-License-Identifier: BSD-3-Clause */
#include <apeni/stats.h>

#include "engine/core/counts.h"
#include "engine/core/portal_ops.h"

/* Statistics that are not kept where things happen, but added up when somebody looks. */

void ni_peer_count_sent(struct ni_peer *peer)
{
    struct ni *ni = peer->ni;
    struct ni_lane_tx *tx;

    if (peer->ep == NULL) {
        return;
    }
    tx = &peer->ep->tx;
    ni_lock_take(&ni->lock, ni->threads);
    ni_stat_add(&ni->stats.tx_packets, tx->seq - tx->counted);
    ni_stat_add(&ni->stats.tx_bytes, tx->bytes);
    ni_lock_give(&ni->lock, ni->threads);
    tx->counted = tx->seq;
    tx->bytes = 0;
}

void ni_peers_count_sent(struct ni *ni)
{
    struct ni_list *node;

    ni_peers_walk(ni);
    ni_lock_take(&ni->lock, ni->threads);
    for (node = ni->core.peers.next; node != &ni->core.peers; node = node->next) {
        struct ni_peer *peer = ni_container_of(node, struct ni_peer, core.all);

        ni_lock_give(&ni->lock, ni->threads);
        if (!ni->threads || ni_lock_try(&peer->lock)) {
            ni_peer_count_sent(peer);
            ni_lock_give(&peer->lock, peer->threads);
        }
        ni_lock_take(&ni->lock, ni->threads);
    }
    ni_lock_give(&ni->lock, ni->threads);
    ni_peers_walked(ni);
}

uint64_t ni_stat_read(const struct ni *ni, size_t index)
{
    if (ni->threads && !ni->forked) {
        ni_peers_count_sent((struct ni *)(uintptr_t)ni);
    }
    if (ni->portal_ops != NULL) {
        ni->portal_ops->add_up((struct ni *)(uintptr_t)ni);
    }
    return ni_stats_value(&ni->stats, index);
}
