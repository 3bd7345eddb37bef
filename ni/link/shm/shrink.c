/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/alloc.h"
#include "base/config.h"
#include "link/lane_inl.h"
#include "link/shm/shm.h"

/*
 * Lanes that give back what they have grown to. The sender decides, as it does when they grow: when
 * no payload has left through the bulk area for shm_keep_ms, and the receiver has taken all of
 * them, it gives that area's memory back to the kernel and says so with a packet. When nothing at
 * all has left for so long, and all was taken, the lane goes on in its first ring. The larger one
 * is given back when the receiver has taken the packet that says so, since it looks there until
 * then. What was given back is free for all lanes of the receiver (shm_lanes_size), and the lane
 * gets more again when it needs it.
 *
 * The receiver only forgets that the memory is there, so that it asks for it anew before it reads.
 * It gives nothing back itself: the sender may have allocated it again by then.
 *
 * A lane that could not grow asks again at each review, when others may have given something back.
 * As long as it sends it says each time that it wants more, and all others of that receiver keep
 * what they do not use for a part of shm_keep_ms only. It says so by counting, so that nobody
 * compares the clock of another, and what was said long ago is not heard again.
 */

enum { WANTED_PART = 8 }; /* of shm_keep_ms, where another lane wants what this one keeps */

/* ---- the sender ------------------------------------------------------------------------------ */

static struct ni_shm_segment *shrinker_segment(const struct ni_shm_peer *peer)
{
    return atomic_load_explicit(&peer->segment, memory_order_relaxed);
}

/* Whether the area is ours still: the owner of the seat may have taken us for dead, and another
 * have it by now, whose lane would be lost. What follows from that is the watch's (watch.c). */
static bool is_ours(const struct ni_shm_peer *peer)
{
    uint64_t seat = atomic_load_explicit(&peer->out_seat, memory_order_relaxed);
    const struct ni_shm_segment *segment = shrinker_segment(peer);

    return seat != 0 && ni_shm_seat_generation(atomic_load_explicit(
                            &segment->seat_words[(uint32_t)seat - 1], memory_order_relaxed)) ==
                            (uint32_t)(seat >> 32);
}

static bool in_larger_ring(const struct ni_shm_peer *peer)
{
    return peer->ep.tx.mask + 1 > shrinker_segment(peer)->geometry.counts.first / NI_LINE;
}

/* Whether all that was sent has been taken, as far as the credits say that are known. */
static bool is_all_taken(const struct ni_lane_tx *tx)
{
    return tx->limit - tx->head == tx->mask + 1;
}

void ni_shm_want_more(const struct ni_shm_peer *peer)
{
    /* Relaxed: says nothing about other memory. */
    (void)atomic_fetch_add_explicit(&shrinker_segment(peer)->header->wanted, 1,
                                    memory_order_relaxed);
}

static void look_for_unused(struct ni_shm_peer *peer, uint64_t now)
{
    const struct ni_lane_tx *tx = &peer->ep.tx;
    struct ni_shm_quiet *quiet = &peer->out_quiet;
    uint64_t wanted =
        atomic_load_explicit(&shrinker_segment(peer)->header->wanted, memory_order_relaxed);

    if (wanted != quiet->wanted) {
        quiet->wanted_at = quiet->packets_at == 0 ? 0 : now;
        quiet->wanted = wanted;
    }
    if (quiet->packets_at == 0 || tx->seq - tx->empty != quiet->packets) {
        quiet->packets = tx->seq - tx->empty;
        quiet->packets_at = now;
    }
    if (quiet->payloads_at == 0 || tx->record_head != quiet->payloads) {
        quiet->payloads = tx->record_head;
        quiet->payloads_at = now;
    }
}

/* Its bulk area may have memory again, as when it was new. */
static void allow_bulk(struct ni_shm_peer *peer)
{
    uint32_t bulk = shrinker_segment(peer)->geometry.counts.bulk;

    peer->ep.tx.bulk = peer->out_area->bulk;
    peer->ep.tx.bulk_most = bulk;
    peer->ep.max_bulk = ni_shm_max_bulk(bulk);
}

/* It may have more again, or has been used lately and still may not. */
static void offer_growth(struct ni_shm_peer *peer, bool used)
{
    const struct ni_shm_segment *segment = shrinker_segment(peer);
    uint32_t ring = segment->geometry.counts.ring;
    uint32_t bulk = segment->geometry.counts.bulk;
    const struct ni_lane_tx *tx = &peer->ep.tx;
    bool refused = false;

    if (peer->out_bulk && tx->bulk_most < bulk) {
        if (ni_shm_areas_may_have(segment,
                                  ni_shm_bulk_step(tx->bulk_size, 1, bulk) - tx->bulk_size)) {
            allow_bulk(peer);
        } else {
            refused = true;
        }
    }
    if (!in_larger_ring(peer) && peer->out_narrow) {
        if (ni_shm_areas_may_have(segment, ring)) {
            ni_shm_lane_begins(peer);
        } else {
            refused = true;
        }
    }
    if (refused && used) {
        ni_shm_want_more(peer);
    }
}

static void give_bulk(struct ni_shm_peer *peer)
{
    struct ni_lane_tx *tx = &peer->ep.tx;

    if (tx->record_head != tx->record_tail || !ni_lane_room(tx, 1)) {
        return;
    }
    ni_shm_area_shrink(shrinker_segment(peer), peer->out_area);
    ni_lane_bulk_drop(tx);
    ni_stat_add(&peer->link->stats->lanes_shrunk, 1);
}

/* What needs more room than the first ring has gets it in the bulk area: where others have left no
 * memory for that, the larger ring leaves some. */
static void leave_ring(struct ni_shm_peer *peer)
{
    uint32_t first = shrinker_segment(peer)->geometry.counts.first;
    struct ni_lane_tx *tx = &peer->ep.tx;
    uint8_t *map;

    if (!is_all_taken(tx) || !peer->out_bulk) {
        return;
    }
    map = ni_calloc(first / NI_LINE, 1);
    if (map == NULL) {
        return;
    }
    memset(peer->out_area->first, 0, first);
    ni_lane_tx_move(tx, NI_NOP_FIRST, peer->out_area->first, first / NI_LINE, map);
    ni_free(peer->payload_map);
    peer->payload_map = map;
    peer->ep.max_lines = ni_lane_max_lines(first / NI_LINE);
    if (tx->bulk == NULL) {
        allow_bulk(peer);
    }
    peer->out_quiet.leaving = true;
    peer->out_quiet.left_at = tx->head;
    ni_shm_lane_begins(peer);
    ni_stat_add(&peer->link->stats->lanes_shrunk, 1);
}

bool ni_shm_ring_is_free(struct ni_shm_peer *peer)
{
    const struct ni_lane_tx *tx = &peer->ep.tx;
    struct ni_shm_quiet *quiet = &peer->out_quiet;
    uint32_t consumed = tx->limit - (tx->mask + 1);

    if (quiet->leaving && (int32_t)(consumed - quiet->left_at) >= 0) {
        ni_shm_area_narrow(shrinker_segment(peer), peer->out_area);
        quiet->leaving = false;
    }
    return !quiet->leaving;
}

void ni_shm_review(struct ni_ep *ep, uint64_t now)
{
    struct ni_shm_peer *peer = ni_shm_peer_of(ep);
    uint64_t keep = peer->link->config->shm_keep_ms * UINT64_C(1000000);
    const struct ni_shm_quiet *quiet = &peer->out_quiet;
    struct ni_lane_tx *tx = &ep->tx;

    /* Acquire: pairs with E1. */
    if (tx->lines == NULL || atomic_load_explicit(&peer->status, memory_order_acquire) != NI_OK ||
        atomic_load_explicit(&peer->broken, memory_order_relaxed) != NI_OK || !is_ours(peer)) {
        return;
    }
    look_for_unused(peer, now);
    ni_shm_lane_reviewed(peer);
    offer_growth(peer, now - quiet->packets_at < keep);
    if (quiet->wanted_at != 0 && now - quiet->wanted_at < keep) {
        keep /= WANTED_PART;
    }
    if (tx->bulk_size == 0 && !in_larger_ring(peer) && !quiet->leaving) {
        return;
    }
    if (!ni_lane_refresh(tx)) {
        (void)ni_shm_break(peer, NI_ERR_PROTOCOL);
        return;
    }
    (void)ni_shm_ring_is_free(peer);
    if (tx->bulk_size != 0 && now - quiet->payloads_at >= keep) {
        give_bulk(peer);
    }
    if (in_larger_ring(peer) && now - quiet->packets_at >= keep) {
        leave_ring(peer);
    }
}

/* ---- the receiver ---------------------------------------------------------------------------- */

ni_status ni_shm_first_ring_in(struct ni_lane_rx *rx)
{
    struct ni_shm_peer *peer = rx->link_data;
    uint32_t lines = peer->link->segment->geometry.counts.first / NI_LINE;

    if (rx->mask + 1 == lines) {
        return NI_ERR_PROTOCOL; /* it is in that */
    }
    ni_lane_rx_move(rx, peer->in_area->first, lines);
    ni_shm_area_forget_ring(peer->in_area);
    return NI_OK;
}

ni_status ni_shm_no_bulk_in(struct ni_lane_rx *rx)
{
    struct ni_shm_peer *peer = rx->link_data;

    rx->bulk_size = 0;
    ni_shm_area_forget_bulk(peer->in_area);
    ni_shm_count_memory(peer->link);
    return NI_OK;
}
