/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/alloc.h"
#include "link/inproc/inproc.h"
#include "link/lane_inl.h"

/*
 * The memory of a lane, one block on the heap and a bulk area beside it, which is not touched
 * before it is used:
 *
 *   | struct ni_inproc_lane | lane page | ring, half as long again | payload map |
 */

enum { RIDES = 8 }; /* packets in a row of which some may ride */

struct layout {
    size_t page, ring, map, size;
};

static struct layout lay_out(uint32_t lines)
{
    struct layout layout = {.page = ni_align_up(sizeof(struct ni_inproc_lane), NI_LINE)};

    layout.ring = layout.page + sizeof(struct ni_lane_page);
    layout.map = layout.ring + (size_t)ni_lane_ring_lines(lines) * NI_LINE;
    layout.size = layout.map + lines;
    return layout;
}

struct ni_inproc_lane *ni_inproc_lane_new(struct ni_inproc_port *from, struct ni_lane_tx *tx)
{
    uint32_t lines = from->fabric->lines;
    uint32_t bulk = from->fabric->bulk;
    struct layout layout = lay_out(lines);
    struct ni_inproc_lane *lane = ni_aligned_zero(NI_LINE, layout.size);

    if (lane == NULL) {
        return NULL;
    }
    lane->bulk = ni_aligned(NI_LINE, bulk);
    if (lane->bulk == NULL) {
        ni_free(lane);
        return NULL;
    }
    lane->page = (struct ni_lane_page *)(void *)((uint8_t *)lane + layout.page);
    lane->ring = (uint8_t *)lane + layout.ring;
    lane->payload_map = (uint8_t *)lane + layout.map;
    atomic_init(&lane->refs, 1);
    ni_list_init(&lane->list);
    ni_inproc_port_hold(from);
    lane->from = from;
    ni_lane_tx_init(tx, lane->page, lane->ring, lines, lane->bulk, bulk, lane->payload_map);
    ni_lane_rx_init(&lane->rx, lane->page, lane->ring, lines, lane->bulk, bulk);
    tx->rides = RIDES;
    lane->rx.rides = 1;
    lane->rx.link_data = lane;
    return lane;
}

void ni_inproc_lane_hold(struct ni_inproc_lane *lane)
{
    atomic_fetch_add_explicit(&lane->refs, 1, memory_order_relaxed);
}

void ni_inproc_lane_drop(struct ni_inproc_lane *lane)
{
    /* As in ni_inproc_port_drop. */
    if (atomic_fetch_sub_explicit(&lane->refs, 1, memory_order_acq_rel) == 1) {
        ni_inproc_port_drop(lane->from);
        ni_free(lane->bulk);
        ni_free(lane);
    }
}

ni_status ni_inproc_lane_take(struct ni_inproc_link *link, struct ni_inproc_lane *lane)
{
    const struct ni_inproc_port *from = lane->from;
    struct ni_inproc_blob blob = ni_inproc_blob_of(from);
    ni_status status = NI_OK;

    lane->rx.peer = link->core_ops->accept(link->core, &link->base, &blob, sizeof(blob));
    if (lane->rx.peer == NULL) {
        ni_inproc_lane_end(link, lane, NI_ERR_UNREACHABLE);
        return NI_OK;
    }
    if (link->fabric->seed != 0 || ni_inproc_faults_armed()) {
        ni_inproc_wire_start(link, lane);
    } else {
        status = link->core_ops->lane_add(link->core, &lane->rx);
        lane->announced = status == NI_OK;
    }
    if (status == NI_OK) {
        ni_list_push_back(&link->lanes, &lane->list);
    }
    return status;
}

void ni_inproc_lane_end(struct ni_inproc_link *link, struct ni_inproc_lane *lane, ni_status verdict)
{
    ni_list_remove(&lane->list);
    if (lane->announced) {
        link->core_ops->lane_remove(link->core, &lane->rx);
        lane->announced = false;
    }
    if (lane->wired) {
        ni_inproc_wire_stop(link, lane);
    }
    lane->verdict = verdict;
    /* G3 */
    atomic_store_explicit(&lane->rx_gone, true, memory_order_release);
    ni_inproc_port_alert(lane->from);
    ni_inproc_lane_drop(lane);
}
