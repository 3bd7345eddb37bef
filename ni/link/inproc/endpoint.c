/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "link/inproc/inproc.h"
#include "link/lane_inl.h"

/*
 * Towards one peer. Its lane is made at the first packet, so that an endpoint that is never used
 * costs nothing on the other side.
 */

static const char *const copy_names[] = {
    [NI_FABRIC_SAME_MEMORY] = "same memory",
    [NI_FABRIC_BY_CALL] = "copies by call",
    [NI_FABRIC_BY_PACKETS] = "copies by packets",
};

ni_status ni_inproc_connect(struct ni_link *base, const void *bytes, size_t len,
                            struct ni_peer *peer, struct ni_ep **connected)
{
    struct ni_inproc_link *link = ni_inproc_link_of(base);
    struct ni_fabric *fabric = link->fabric;
    struct ni_inproc_blob blob;
    struct ni_inproc_ep *ep;

    if (len != sizeof(blob)) {
        return NI_ERR_PROTOCOL;
    }
    memcpy(&blob, bytes, sizeof(blob));
    ep = ni_aligned_zero(NI_CACHE_LINE, sizeof(*ep));
    if (ep == NULL) {
        return NI_ERR_NOMEM;
    }
    ep->to = ni_inproc_find(fabric, &blob);
    if (ep->to == NULL) {
        ni_free(ep);
        return NI_ERR_UNREACHABLE;
    }
    ep->base.ops = &ni_link_inproc;
    ep->base.link = base;
    ep->base.peer = peer;
    ep->base.same_memory = fabric->copy == NI_FABRIC_SAME_MEMORY;
    ep->base.copy = fabric->copy != NI_FABRIC_BY_PACKETS;
    ep->base.max_lines = ni_lane_max_lines(fabric->lines);
    ep->base.max_bulk = fabric->bulk;
    ep->base.rails = NI_RAILS_MAX;
    if (ep->base.copy) {
        ep->base.exported = (const struct ni_table_export *)(const void *)ep->to->records;
        ep->base.exported_count = NI_INPROC_RECORDS;
    }
    ep->base.sleeping = &ep->to->sleeping;
    ep->base.unpolled = &ep->to->sleeping;
    ep->base.wishes = &ep->to->wishes;
    pthread_mutex_lock(&link->lock);
    ep->connection = ++link->connections;
    ni_list_push_back(&link->eps, &ep->list);
    pthread_mutex_unlock(&link->lock);
    *connected = &ep->base;
    return NI_OK;
}

/* The engine forgets this peer: what it sent and we have not read is lost. */
static void end_its_lanes(struct ni_inproc_link *link, const struct ni_inproc_ep *ep)
{
    for (NI_LIST_EACH_SAFE(node, &link->lanes)) {
        struct ni_inproc_lane *lane = ni_container_of(node, struct ni_inproc_lane, list);

        if (lane->from == ep->to && lane->rx.peer == ep->base.peer) {
            ni_inproc_lane_end(link, lane, NI_ERR_PEER_CLOSED);
        }
    }
}

static void leave_lane(struct ni_inproc_lane *lane)
{
    /* G1 */
    atomic_store_explicit(&lane->tx_gone, true, memory_order_release);
    ni_inproc_lane_drop(lane);
}

void ni_inproc_disconnect(struct ni_ep *base)
{
    struct ni_inproc_ep *ep = ni_inproc_ep_of(base);
    struct ni_inproc_link *link = ni_inproc_link_of(base->link);
    struct ni_inproc_lane *lane = atomic_load_explicit(&ep->lane, memory_order_relaxed);

    pthread_mutex_lock(&link->lock);
    ni_list_remove(&ep->list);
    pthread_mutex_unlock(&link->lock);
    end_its_lanes(link, ep);
    for (unsigned i = 0; i < NI_RAILS_MAX - 1 && ep->rails[i] != NULL; i++) {
        leave_lane(ep->rails[i]);
    }
    if (lane != NULL) {
        leave_lane(lane);
        ni_inproc_port_alert(ep->to);
    }
    ni_inproc_port_drop(ep->to);
    ni_free(ep);
}

/* Make a lane, held for the endpoint, and leave it at the peer's, which is to be alerted. */
static ni_status inproc_lane_make(struct ni_inproc_ep *ep, struct ni_lane_tx *tx,
                                  struct ni_inproc_lane **made)
{
    struct ni_inproc_link *link = ni_inproc_link_of(ep->base.link);
    struct ni_inproc_lane *lane = ni_inproc_lane_new(link->port, tx);
    ni_status status;

    if (lane == NULL) {
        return NI_ERR_NOMEM;
    }
    lane->connection = ep->connection;
    ni_inproc_lane_hold(lane);
    pthread_mutex_lock(&ep->to->lock);
    status = ni_inproc_port_status(ep->to);
    if (status == NI_OK) {
        ni_list_push_back(&ep->to->inbox, &lane->list);
    }
    pthread_mutex_unlock(&ep->to->lock);
    if (status != NI_OK) {
        ni_inproc_lane_drop(lane);
        ni_inproc_lane_drop(lane);
        return status;
    }
    *made = lane;
    return NI_OK;
}

static ni_status make_first_lane(struct ni_inproc_ep *ep)
{
    struct ni_inproc_lane *lane;
    struct ni_lane_tx tx;
    ni_status status = inproc_lane_make(ep, &tx, &lane);

    if (status != NI_OK) {
        return status == NI_ERR_NOMEM ? NI_AGAIN : status;
    }
    ep->base.tx = tx;
    /* Release: pairs with the acquire in settle.c, which may run in another thread of ours. */
    atomic_store_explicit(&ep->lane, lane, memory_order_release);
    ni_inproc_port_alert(ep->to);
    return NI_OK;
}

/* Why nothing more can be sent, or NI_OK. */
static ni_status sendable(const struct ni_inproc_ep *ep)
{
    const struct ni_inproc_lane *lane = atomic_load_explicit(&ep->lane, memory_order_relaxed);
    ni_status status = (ni_status)atomic_load_explicit(&ep->fate, memory_order_relaxed);

    if (status != NI_OK) {
        return status;
    }
    /* G4 */
    if (lane != NULL && atomic_load_explicit(&lane->rx_gone, memory_order_acquire)) {
        return lane->verdict;
    }
    return ni_inproc_port_status(ep->to);
}

/* Its credits are impossible. */
static ni_status break_off(struct ni_inproc_ep *ep)
{
    atomic_store_explicit(&ep->fate, NI_ERR_PROTOCOL, memory_order_relaxed);
    ni_inproc_port_alert(ni_inproc_link_of(ep->base.link)->port);
    return NI_ERR_PROTOCOL;
}

ni_status ni_inproc_reserve(struct ni_ep *base, uint32_t lines, struct ni_packet **packet,
                            bool *in_lane)
{
    struct ni_inproc_ep *ep = ni_inproc_ep_of(base);
    struct ni_lane_tx *tx = &base->tx;
    ni_status status = sendable(ep);

    if (status != NI_OK) {
        return status;
    }
    if (atomic_load_explicit(&ep->lane, memory_order_relaxed) == NULL) {
        status = make_first_lane(ep);
        if (status != NI_OK) {
            return status;
        }
    } else if (tx->limit - tx->head > lines) {
        return NI_AGAIN; /* there is room, but the engine was told otherwise: a fault */
    }
    if (!ni_lane_refresh(tx)) {
        return break_off(ep);
    }
    if (tx->limit - tx->head <= lines) {
        return NI_AGAIN;
    }
    *packet = ni_lane_at(tx);
    *in_lane = true;
    return NI_OK;
}

ni_status ni_inproc_rail(struct ni_ep *base, unsigned rail, struct ni_lane_tx *tx)
{
    struct ni_inproc_ep *ep = ni_inproc_ep_of(base);
    ni_status status = sendable(ep);

    if (status != NI_OK) {
        return status;
    }
    if (tx->lines != NULL) {
        return ni_lane_refresh(tx) ? NI_AGAIN : break_off(ep);
    }
    status = inproc_lane_make(ep, tx, &ep->rails[rail - 1]);
    if (status == NI_OK) {
        ni_inproc_port_alert(ep->to);
    }
    return status;
}

/* Never called: all packets go through lanes. */
void ni_inproc_commit(struct ni_ep *ep, struct ni_packet *packet, uint64_t word0, uint32_t lines)
{
    (void)ep;
    (void)packet;
    (void)word0;
    (void)lines;
    NI_ASSERT(!"inproc gives no places outside of lanes");
}

ni_status ni_inproc_copy(struct ni_ep *base, enum ni_copy_direction direction, void *local,
                         uint64_t remote, size_t len)
{
    const struct ni_inproc_ep *ep = ni_inproc_ep_of(base);
    ni_status status = ni_inproc_port_status(ep->to);

    if (status != NI_OK) {
        return status;
    }
    if (!base->copy) {
        return NI_ERR_UNSUPPORTED;
    }
    if (direction == NI_COPY_FROM_PEER) {
        memcpy(local, (const void *)(uintptr_t)remote, len);
    } else {
        memcpy((void *)(uintptr_t)remote, local, len);
    }
    return NI_OK;
}

int ni_inproc_describe(const struct ni_ep *base, char *text, size_t size)
{
    const struct ni_inproc_ep *ep = ni_container_of(base, const struct ni_inproc_ep, base);
    enum ni_fabric_copy copy = base->same_memory ? NI_FABRIC_SAME_MEMORY
                               : base->copy      ? NI_FABRIC_BY_CALL
                                                 : NI_FABRIC_BY_PACKETS;

    return snprintf(text, size, "inproc: interface %u of this process, %s, %s", ep->to->number,
                    copy_names[copy], ni_status_text(sendable(ep)));
}

struct ni_long_way ni_inproc_way(const struct ni_ep *base)
{
    return (struct ni_long_way){base->same_memory ? "by plain copies within the process"
                                : base->copy      ? "by copies that are calls"
                                                  : "by packets",
                                NULL};
}
