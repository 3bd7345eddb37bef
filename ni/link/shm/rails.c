/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "link/lane_inl.h"
#include "link/shm/shm.h"

/*
 * Rails: further lanes of one sender. A rail is announced through a slot like the first lane, and
 * ends with it.
 */

/* ---- the sender ------------------------------------------------------------------------------ */

ni_status ni_shm_rail_make(struct ni_shm_peer *peer, unsigned number, struct ni_shm_rail *rail)
{
    struct ni_shm_segment *segment = atomic_load_explicit(&peer->segment, memory_order_relaxed);
    uint64_t seat = atomic_load_explicit(&peer->out_seat, memory_order_relaxed);
    const struct ni_shm_counts *counts = &segment->geometry.counts;
    struct ni_shm_area *area = NULL;
    bool with_bulk = true;
    ni_status status;

    if (rail->area != NULL) {
        return NI_OK;
    }
    if (!ni_shm_areas_may_have(segment, segment->geometry.area_size)) {
        return NI_ERR_UNSUPPORTED;
    }
    rail->payload_map = ni_calloc(counts->ring / NI_LINE, 1);
    status = rail->payload_map == NULL
                 ? NI_ERR_NOMEM
                 : ni_shm_area_get(segment,
                                   ni_shm_area_of(&segment->geometry, (uint32_t)seat - 1, number),
                                   &with_bulk, &area);
    if (status == NI_OK && (!with_bulk || ni_shm_area_widen(segment, area) != NI_OK ||
                            ni_shm_area_grow(segment, area, counts->bulk) != NI_OK)) {
        ni_shm_area_put(area);
        status = NI_ERR_UNSUPPORTED;
    }
    if (status != NI_OK) {
        ni_free(rail->payload_map);
        rail->payload_map = NULL;
        return status;
    }
    rail->area = area;
    return NI_OK;
}

/* ---- the receiver ---------------------------------------------------------------------------- */

ni_status ni_shm_rail_start(struct ni_shm_link *link, struct ni_shm_peer *peer)
{
    const struct ni_shm_geometry *geometry = &link->segment->geometry;
    struct ni_shm_in_rail *rail;
    bool with_bulk = true;
    uint32_t area;
    ni_status status;

    if (!peer->in_lane || peer->in_rails + 1 >= ni_shm_rails(geometry)) {
        return NI_ERR_PROTOCOL;
    }
    area = ni_shm_area_of(geometry, (uint32_t)peer->in_seat, peer->in_rails + 1);
    rail = ni_aligned_zero(NI_CACHE_LINE, sizeof(*rail));
    if (rail == NULL) {
        return NI_AGAIN;
    }
    status = ni_shm_area_get(link->segment, area, &with_bulk, &rail->area);
    if (status == NI_OK && with_bulk) {
        status = ni_shm_area_widen(link->segment, rail->area);
    }
    if (status == NI_OK && with_bulk) {
        status = ni_shm_area_grow(link->segment, rail->area, geometry->counts.bulk);
    } else if (status == NI_OK) {
        status = NI_ERR_NOMEM;
    }
    if (status == NI_OK) {
        ni_lane_rx_init(&rail->rx, rail->area->page, rail->area->ring,
                        geometry->counts.ring / NI_LINE, rail->area->bulk, geometry->counts.bulk);
        rail->rx.peer = peer->in_peer;
        rail->rx.link_data = peer;
        status = link->core_ops->lane_add(link->core, &rail->rx);
    }
    if (status != NI_OK) {
        if (rail->area != NULL) {
            ni_shm_area_put(rail->area);
        }
        ni_free(rail);
        return NI_AGAIN;
    }
    peer->in_rail[peer->in_rails++] = rail;
    ni_shm_count_memory(link);
    return NI_OK;
}

static bool lane_drained(struct ni_lane_rx *rx)
{
    const uint8_t *payload;
    uint64_t word0;
    const struct ni_packet *packet = ni_lane_peek(rx, &word0);

    /* What cannot be read is never taken. */
    return packet == NULL || ni_lane_check(rx, packet, word0, packet->word1, &payload) == 0;
}

bool ni_shm_lanes_drained(struct ni_shm_peer *peer)
{
    for (unsigned i = 0; i < peer->in_rails; i++) {
        if (!lane_drained(&peer->in_rail[i]->rx)) {
            return false;
        }
    }
    return !peer->in_lane || lane_drained(&peer->rx);
}

bool ni_shm_reading(const struct ni_shm_peer *peer)
{
    bool reading = peer->rx.depth != 0 || peer->delivering != 0;

    for (unsigned i = 0; i < peer->in_rails; i++) {
        reading |= peer->in_rail[i]->rx.depth != 0;
    }
    return reading;
}

uint32_t ni_shm_tails(const struct ni_shm_peer *peer)
{
    uint32_t tails = peer->rx.tail;

    for (unsigned i = 0; i < peer->in_rails; i++) {
        tails += peer->in_rail[i]->rx.tail;
    }
    return tails;
}

void ni_shm_bury(struct ni_shm_link *link, struct ni_shm_area *area, struct ni_shm_in_rail *rail)
{
    struct ni_shm_grave *grave = malloc(sizeof(*grave));

    if (grave != NULL) {
        grave->area = area;
        grave->rail = rail;
        ni_list_init(&grave->list);
        ni_list_push_back(&link->graves, &grave->list);
    }
}

void ni_shm_rails_stop(struct ni_shm_peer *peer)
{
    struct ni_shm_link *link = peer->link;

    while (peer->in_rails != 0) {
        struct ni_shm_in_rail *rail = peer->in_rail[--peer->in_rails];
        bool reading = rail->rx.depth != 0;

        link->core_ops->lane_remove(link->core, &rail->rx);
        if (reading) {
            ni_shm_bury(link, rail->area, rail);
        } else {
            ni_shm_area_put(rail->area);
            ni_free(rail);
        }
    }
}
