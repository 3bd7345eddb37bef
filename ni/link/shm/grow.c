/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/compiler.h"
#include "base/config.h"
#include "base/log.h"
#include "base/remedy.h"
#include "link/lane_inl.h"
#include "link/shm/shm.h"

/*
 * Lanes that get more memory as they are used: bulk areas, and the larger ring. The sender decides:
 * it asks for more of a bulk area when nothing of what there is is free, and for the larger ring
 * when its packets have gone round the first some times between two reviews (shrink.c), and either
 * found it full or found many times that credits take long: in a small ring a burst has to wait,
 * and the two sides need each other's lines more often. The latter is little each time, and the
 * first touch of a page dear. It allocates what it asks for and says so with the next
 * packet. The receiver allocates the same before it reads there, so that a sender that lies makes
 * nobody touch a hole.
 *
 * The lanes of a receiver may have so much in all (shm_lanes_size), by what the kernel says that
 * its segment has: a pool, from which each takes as it needs. Beyond that, and where there is no
 * memory, a lane goes on with what it has, and tells all others in the segment's header that it
 * wants more: they give back what they do not use sooner (shrink.c).
 */

enum {
    RING_LAPS = 10,    /* times that packets go round a ring before its lane gets the larger one */
    RING_RETRY = 1024, /* more such times, where it could not be had */
    RING_SLOW = 512, /* credits that took long behind the first laps, of a ring that was not full */
};

/* ---- the sender ------------------------------------------------------------------------------ */

static struct ni_shm_segment *grower_segment(const struct ni_shm_peer *peer)
{
    return atomic_load_explicit(&peer->segment, memory_order_relaxed);
}

/* Whether the receiver's lanes may have so much more. */
static bool may_have(struct ni_shm_peer *peer, uint32_t more)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(1);
    char name[96];

    if (ni_shm_areas_may_have(grower_segment(peer), more)) {
        return true;
    }
    ni_shm_want_more(peer);
    ni_config_name("shm_lanes_size", name, sizeof(name));
    ni_log_limited(
        &limit, NI_LOG_INFO,
        "the lanes to process %u have %llu MiB in all, as its %s allows: those that need "
        "more go on with what they have",
        peer->process, (unsigned long long)(grower_segment(peer)->header->lanes_size >> 20), name);
    return false;
}

/* What there is has to do from now on. */
static bool no_more_bulk(struct ni_lane_tx *tx, struct ni_shm_peer *peer)
{
    tx->bulk_most = tx->bulk_size;
    tx->bulk = tx->bulk_size == 0 ? NULL : tx->bulk;
    peer->ep.max_bulk = ni_shm_max_bulk(tx->bulk_size);
    ni_stat_add(&peer->link->stats->lanes_limited, 1);
    return false;
}

bool ni_shm_more_bulk_out(struct ni_lane_tx *tx, uint32_t end)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(1);
    struct ni_shm_peer *peer = ni_shm_peer_of(ni_container_of(tx, struct ni_ep, tx));
    uint32_t size = ni_shm_bulk_step(tx->bulk_size, end, tx->bulk_most);
    int error;

    if (!may_have(peer, size - tx->bulk_size)) {
        return no_more_bulk(tx, peer);
    }
    if (ni_shm_area_grow(grower_segment(peer), peer->out_area, size) == NI_OK) {
        tx->bulk_size = size;
        return true;
    }
    error = errno;
    ni_log_limited(&limit, NI_LOG_WARN,
                   "cannot allocate %u KiB of shared memory for long packets to process %u: "
                   "fallocate: %s; going on without%s, or lower APENI_SHM_BULK_SIZE",
                   size >> 10, peer->process, strerror(error), ni_remedy(error));
    return no_more_bulk(tx, peer);
}

static bool widen(struct ni_shm_peer *peer, uint32_t ring)
{
    struct ni_lane_tx *tx = &peer->ep.tx;
    uint8_t *map = NULL;

    if (may_have(peer, ring)) {
        map = ni_calloc(ring / NI_LINE, 1);
    }
    if (map == NULL || ni_shm_area_widen(grower_segment(peer), peer->out_area) != NI_OK) {
        ni_free(map);
        return false;
    }
    ni_lane_tx_move(tx, NI_NOP_RING, peer->out_area->ring, ring / NI_LINE, map);
    tx->busy = NULL;
    ni_free(peer->payload_map);
    peer->payload_map = map;
    peer->ep.max_lines = ni_lane_max_lines(ring / NI_LINE);
    return true;
}

static void count_laps(struct ni_shm_peer *peer, uint32_t laps)
{
    struct ni_lane_tx *tx = &peer->ep.tx;

    tx->busy_at = tx->head + laps * (tx->mask + 1);
    peer->out_full = false;
    peer->out_slow = 0;
}

/* Whether the larger ring will be worth the first touch of its pages. */
static bool wants_room(struct ni_shm_peer *peer, uint64_t credits_ns)
{
    return peer->out_full ||
           (credits_ns >= peer->link->config->far_ns && ++peer->out_slow >= RING_SLOW);
}

/* See struct ni_lane_tx. */
static void lane_is_busy(struct ni_lane_tx *tx, uint64_t credits_ns)
{
    struct ni_shm_peer *peer = ni_shm_peer_of(ni_container_of(tx, struct ni_ep, tx));

    if (!wants_room(peer, credits_ns) || !ni_shm_ring_is_free(peer)) {
        return;
    }
    if (!widen(peer, grower_segment(peer)->geometry.counts.ring)) {
        peer->out_narrow = true;
        count_laps(peer, RING_RETRY);
        ni_stat_add(&peer->link->stats->lanes_limited, 1);
    }
}

void ni_shm_lane_begins(struct ni_shm_peer *peer)
{
    const struct ni_shm_geometry *geometry = &grower_segment(peer)->geometry;

    peer->out_narrow = false;
    peer->ep.tx.busy = ni_shm_larger_ring(geometry) == 0 ? NULL : lane_is_busy;
    count_laps(peer, RING_LAPS);
}

void ni_shm_lane_reviewed(struct ni_shm_peer *peer)
{
    uint32_t head = peer->ep.tx.head;

    if (!peer->out_narrow && !peer->out_full_lately && head != peer->out_reviewed) {
        count_laps(peer, RING_LAPS);
    }
    peer->out_full_lately = false;
    peer->out_reviewed = head;
}

/* ---- the receiver ---------------------------------------------------------------------------- */

bool ni_shm_no_memory(struct ni_shm_peer *peer)
{
    const struct ni_shm_counts *counts = &peer->link->segment->geometry.counts;
    size_t size = counts->page + 2 * ((size_t)counts->first + counts->ring) + counts->bulk;
    uint64_t most = peer->link->config->memory_wait_ms, now = ni_now_ns();

    if (peer->no_memory == 0) {
        peer->no_memory = now;
    }
    if (now - peer->no_memory < most * UINT64_C(1000000)) {
        return false;
    }
    ni_log(NI_LOG_ERROR,
           "cannot map %zu KiB to receive from process %u, for %llu ms now: giving it up; free "
           "memory, or raise the limit of address space (ulimit -v) or the memory limit of this "
           "container or user",
           size >> 10, peer->process, (unsigned long long)most);
    ni_shm_end(peer, NI_ERR_NOMEM);
    return true;
}

/* Whether a lane got what it asked for. */
static bool got(struct ni_shm_peer *peer, ni_status status)
{
    if (status == NI_OK) {
        peer->no_memory = 0;
    } else if (peer->ending == NI_OK) {
        (void)ni_shm_no_memory(peer);
    }
    return status == NI_OK;
}

bool ni_shm_more_bulk_in(struct ni_lane_rx *rx, uint32_t end)
{
    struct ni_shm_peer *peer = rx->link_data;
    uint32_t size = ni_shm_bulk_step(rx->bulk_size, end, rx->bulk_most);

    if (!got(peer, ni_shm_area_grow(peer->link->segment, peer->in_area, size))) {
        return false;
    }
    rx->bulk_size = size;
    ni_shm_count_memory(peer->link);
    return true;
}

static ni_status larger_ring_in(struct ni_lane_rx *rx)
{
    struct ni_shm_peer *peer = rx->link_data;
    struct ni_shm_link *link = peer->link;
    uint32_t lines = link->segment->geometry.counts.ring / NI_LINE;

    if (rx->mask + 1 == lines) {
        return NI_ERR_PROTOCOL; /* it is in that */
    }
    if (!got(peer, ni_shm_area_widen(link->segment, peer->in_area))) {
        return NI_AGAIN;
    }
    ni_lane_rx_move(rx, peer->in_area->ring, lines);
    ni_stat_add(&link->stats->rings_grown, 1);
    ni_shm_count_memory(link);
    return NI_OK;
}

ni_status ni_shm_lane_changes(struct ni_lane_rx *rx, unsigned tag)
{
    switch (tag) {
    case NI_NOP_RING:
        return larger_ring_in(rx);
    case NI_NOP_FIRST:
        return ni_shm_first_ring_in(rx);
    case NI_NOP_BULK:
        return ni_shm_no_bulk_in(rx);
    default:
        return NI_ERR_PROTOCOL;
    }
}
