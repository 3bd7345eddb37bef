/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/alloc.h"
#include "engine/core/lanes.h"
#include "link/lane_inl.h"

/* The lanes that progress polls. A removed one leaves a gap, as long as somebody may be walking
 * over them. Those that the link has parked are in a list; the array has places for them, too, so
 * that they come back without fail. */

enum { NI_LANES_MIN = 8 }; /* places, at first */

ni_status ni_lane_add(void *core, struct ni_lane_rx *lane)
{
    struct ni *ni = core;

    if (ni->core.lane_count + ni->core.parked_count >= ni->core.lane_capacity) {
        uint32_t capacity = ni->core.lane_capacity == 0 ? NI_LANES_MIN : 2 * ni->core.lane_capacity;
        struct ni_lane_rx **lanes = ni_realloc(ni->core.lanes, capacity * sizeof(*lanes));

        if (lanes == NULL) {
            return NI_ERR_NOMEM;
        }
        ni->core.lanes = lanes;
        ni->core.lane_capacity = capacity;
    }
    ni->core.lanes[ni->core.lane_count++] = lane;
    if (lane->peer->lane == NULL) {
        lane->peer->lane = lane; /* those that come later are its rails */
    }
    ni_stat_add(&ni->stats.rings, 1);
    ni_stat_add(&ni->stats.rings_polled, 1);
    return NI_OK;
}

bool ni_lane_park(void *core, struct ni_lane_rx *lane)
{
    struct ni *ni = core;

    /* Within a callback somebody walks over the lanes. */
    if (ni->depth > 1) {
        return false;
    }
    for (uint32_t i = 0; i < ni->core.lane_count; i++) {
        if (ni->core.lanes[i] == lane) {
            ni->core.lanes[i] = ni->core.lanes[--ni->core.lane_count];
            ni_list_push_back(&ni->core.parked, &lane->parked);
            ni->core.parked_count++;
            ni_stat_sub(&ni->stats.rings_polled, 1);
            return true;
        }
    }
    return false;
}

/* Take a lane out of the list. false: it is not there. */
static bool leave_parked(struct ni *ni, struct ni_lane_rx *lane)
{
    if (ni_list_empty(&lane->parked)) {
        return false;
    }
    ni_list_remove(&lane->parked);
    ni->core.parked_count--;
    return true;
}

void ni_lane_unpark(void *core, struct ni_lane_rx *lane)
{
    struct ni *ni = core;

    if (leave_parked(ni, lane)) {
        lane->most = 1;
        ni->core.lanes[ni->core.lane_count++] = lane;
        ni_stat_add(&ni->stats.rings_polled, 1);
    }
}

bool ni_lanes_have(const struct ni *ni)
{
    for (uint32_t i = 0; i < ni->core.lane_count; i++) {
        if (ni->core.lanes[i] != NULL && ni_lane_has_packet(ni->core.lanes[i])) {
            return true;
        }
    }
    return false;
}

bool ni_lanes_name(const struct ni *ni, const struct ni_peer *peer)
{
    for (uint32_t i = 0; i < ni->core.lane_count; i++) {
        if (ni->core.lanes[i] != NULL && ni->core.lanes[i]->peer == peer) {
            return true;
        }
    }
    for (NI_LIST_EACH(node, &ni->core.parked)) {
        if (ni_container_of(node, struct ni_lane_rx, parked)->peer == peer) {
            return true;
        }
    }
    return false;
}

void ni_lanes_compact(struct ni *ni)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < ni->core.lane_count; i++) {
        if (ni->core.lanes[i] != NULL) {
            ni->core.lanes[left++] = ni->core.lanes[i];
        }
    }
    ni->core.lane_count = left;
    ni->untidy &= ~(uint32_t)NI_UNTIDY_LANES;
}

void ni_lane_remove(struct ni *ni, struct ni_lane_rx *lane)
{
    /* Peers go before links do. */
    if (!ni->closing && lane->peer->lane == lane) {
        lane->peer->lane = NULL;
    }
    if (leave_parked(ni, lane)) {
        ni_stat_sub(&ni->stats.rings, 1);
    }
    for (uint32_t i = 0; i < ni->core.lane_count; i++) {
        if (ni->core.lanes[i] == lane) {
            ni->core.lanes[i] = NULL;
            ni->untidy |= NI_UNTIDY_LANES;
            ni_stat_sub(&ni->stats.rings, 1);
            ni_stat_sub(&ni->stats.rings_polled, 1);
        }
    }
    if (ni->depth == 0) {
        ni_lanes_compact(ni);
    }
}

void ni_lanes_review(void *core, uint64_t now)
{
    struct ni *ni = core;

    for (struct ni_peer *peer = ni_peer_after(ni, NULL); peer != NULL;
         peer = ni_peer_after(ni, peer)) {
        struct ni_ep *ep;

        if (ni->threads && !ni_lock_try(&peer->lock)) {
            continue;
        }
        ep = peer->ep;
        if (ep != NULL && ep->ops->review != NULL && ni_peer_state(peer) == NI_OK &&
            !ni_peer_waits(peer) && peer->send.open.packet == NULL) {
            ep->ops->review(ep, now);
        }
        ni_lock_give(&peer->lock, ni->threads);
    }
}
