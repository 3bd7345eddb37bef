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
 * Packets out, until there is a lane: into slots that all senders share. After some packets, or
 * with the first that no slot can hold, a lane is made; where there is no memory for one, slots go
 * on being used.
 *
 * A sender has at most so many packets in slots at a time that others find some free: a quarter of
 * them.
 */

enum {
    SEAT_PATIENCE = 256,  /* calls of reserve between two searches for a free seat */
    LANE_PATIENCE = 1024, /* packets between two attempts to make a lane */
};

/* ---- slots ----------------------------------------------------------------------------------- */

static uint32_t seat_of(const struct ni_shm_peer *peer)
{
    return (uint32_t)atomic_load_explicit(&peer->out_seat, memory_order_relaxed) - 1;
}

static struct ni_shm_segment *sender_segment(const struct ni_shm_peer *peer)
{
    return atomic_load_explicit(&peer->segment, memory_order_relaxed);
}

static uint32_t segment_share(const struct ni_shm_segment *segment)
{
    uint32_t quarter = segment->geometry.counts.slots / 4;

    return quarter == 0 ? 1 : quarter < NI_SHM_INFLIGHT ? quarter : NI_SHM_INFLIGHT;
}

/* Whether we have fewer packets in slots than our share. */
static bool below_share(struct ni_shm_peer *peer, const struct ni_shm_segment *segment)
{
    uint32_t seat = seat_of(peer);

    while (peer->out_taken != peer->out_number) {
        uint32_t slot = peer->out_slots[peer->out_taken % NI_SHM_INFLIGHT];
        uint64_t word = atomic_load_explicit(&segment->slot_words[slot], memory_order_relaxed);

        if (ni_shm_slot_state(word) != NI_SHM_SLOT_FREE && ni_shm_slot_seat(word) == seat &&
            ni_shm_slot_number(word) == peer->out_taken) {
            break;
        }
        peer->out_taken++;
    }
    return peer->out_number - peer->out_taken < segment_share(segment);
}

/* Claim a slot for the next packet: true, and peer->out_slot is set. */
static bool claim_slot(struct ni_shm_peer *peer)
{
    struct ni_shm_segment *segment = sender_segment(peer);
    uint64_t mine = ni_shm_slot_word(NI_SHM_SLOT_CLAIMED, seat_of(peer), peer->out_number);

    if (peer->out_slot != 0) {
        return true;
    }
    if (ni_fault(NI_FAULT_FULL) || !below_share(peer, segment)) {
        return false;
    }
    for (uint32_t i = 0; i < segment->geometry.counts.slots; i++) {
        uint64_t seen = atomic_load_explicit(&segment->slot_words[i], memory_order_relaxed);

        /* Acquire: pairs with Q2, the packet before has been read. */
        if (ni_shm_slot_state(seen) == NI_SHM_SLOT_FREE &&
            atomic_compare_exchange_strong_explicit(&segment->slot_words[i], &seen, mine,
                                                    memory_order_acquire, memory_order_relaxed)) {
            peer->out_slot = i + 1;
            return true;
        }
    }
    return false;
}

static struct ni_packet *slot_packet(const struct ni_shm_segment *segment, uint32_t slot)
{
    return (struct ni_packet *)(void *)(segment->slots + (size_t)slot * NI_SHM_SLOT_SIZE);
}

/* Publish the claimed slot. */
static void post_slot(struct ni_shm_peer *peer, enum ni_shm_slot_state state)
{
    struct ni_shm_segment *segment = sender_segment(peer);
    uint32_t slot = peer->out_slot - 1;

    /* Q1 */
    atomic_store_explicit(&segment->slot_words[slot],
                          ni_shm_slot_word(state, seat_of(peer), peer->out_number),
                          memory_order_release);
    /* Q3 */
    atomic_fetch_or_explicit(&segment->header->posted, UINT64_C(1) << slot % 64,
                             memory_order_release);
    peer->out_slots[peer->out_number % NI_SHM_INFLIGHT] = slot;
    peer->out_number++;
    peer->out_slot = 0;
}

/* ---- the lane -------------------------------------------------------------------------------- */

/* Allocate and map it; the receiver does not know it yet. */
static ni_status shm_lane_make(struct ni_shm_peer *peer)
{
    struct ni_shm_segment *segment = sender_segment(peer);
    uint32_t lines = segment->geometry.counts.first / NI_LINE;
    bool with_bulk = true;
    ni_status status;

    if (peer->out_area != NULL) {
        return NI_OK;
    }
    peer->payload_map = ni_calloc(lines, 1);
    status = peer->payload_map == NULL
                 ? NI_ERR_NOMEM
                 : ni_shm_area_get(segment, seat_of(peer), &with_bulk, &peer->out_area);
    if (status != NI_OK) {
        ni_free(peer->payload_map);
        peer->payload_map = NULL;
        peer->out_area = NULL;
        return status;
    }
    peer->out_bulk = with_bulk;
    /* The first packet wakes a receiver that sleeps now. Relaxed: Q1 follows. */
    atomic_store_explicit(&peer->out_area->page->unpolled, 1, memory_order_relaxed);
    return NI_OK;
}

/* Make the lane and tell the receiver. NI_AGAIN: there is no slot for that now. */
static ni_status open_lane(struct ni_shm_peer *peer)
{
    const struct ni_shm_counts *counts = &sender_segment(peer)->geometry.counts;
    const struct ni_shm_area *area;
    ni_status status = shm_lane_make(peer);

    if (status != NI_OK) {
        return status;
    }
    if (!claim_slot(peer)) {
        return NI_AGAIN;
    }
    post_slot(peer, peer->out_bulk ? NI_SHM_SLOT_LANE : NI_SHM_SLOT_LANE_ONLY);
    area = peer->out_area;
    peer->ep.max_lines = ni_lane_max_lines(counts->first / NI_LINE);
    peer->ep.max_bulk = peer->out_bulk ? ni_shm_max_bulk(counts->bulk) : 0;
    ni_lane_tx_init(&peer->ep.tx, area->page, area->first, counts->first / NI_LINE,
                    peer->out_bulk ? area->bulk : NULL, 0, peer->payload_map);
    peer->ep.tx.bulk_most = peer->out_bulk ? counts->bulk : 0;
    peer->ep.tx.grow = ni_shm_more_bulk_out;
    peer->ep.tx.wire = true;
    peer->ep.tx.rides = (uint32_t)peer->link->config->shm_riders;
    ni_shm_lane_begins(peer);
    peer->ep.unpolled = &area->page->unpolled;
    peer->ep.rails = peer->out_bulk ? ni_shm_rails(&sender_segment(peer)->geometry) : 1;
    return NI_OK;
}

/* Make it and tell the receiver. NI_AGAIN: there is no slot for that now. */
static ni_status open_rail(struct ni_shm_peer *peer, unsigned number, struct ni_shm_rail *rail)
{
    ni_status status = ni_shm_rail_make(peer, number, rail);

    if (status != NI_OK) {
        return status;
    }
    if (!claim_slot(peer)) {
        return NI_AGAIN;
    }
    post_slot(peer, NI_SHM_SLOT_RAIL);
    return NI_OK;
}

ni_status ni_shm_rail(struct ni_ep *ep, unsigned number, struct ni_lane_tx *tx)
{
    struct ni_shm_peer *peer = ni_shm_peer_of(ep);
    const struct ni_shm_counts *counts = &sender_segment(peer)->geometry.counts;
    struct ni_shm_rail *rail = &peer->out_rails[number - 1];
    ni_status status =
        (ni_status)atomic_load_explicit(&peer->status, memory_order_acquire); /* E1 */

    if (status == NI_OK) {
        status = (ni_status)atomic_load_explicit(&peer->broken, memory_order_relaxed);
    }
    if (status == NI_OK && tx->lines != NULL) {
        return ni_lane_refresh(tx) ? NI_AGAIN : ni_shm_break(peer, NI_ERR_PROTOCOL);
    }
    if (status == NI_OK) {
        status = open_rail(peer, number, rail);
    }
    if (status != NI_OK) {
        return status;
    }
    ni_lane_tx_init(tx, rail->area->page, rail->area->ring, counts->ring / NI_LINE,
                    rail->area->bulk, counts->bulk, rail->payload_map);
    tx->wire = true;
    return NI_OK;
}

/* There is no memory for a lane: only what fits a slot can be sent, until there is. */
static void without_lane(struct ni_shm_peer *peer)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(1);

    peer->ep.max_lines = NI_SHM_SLOT_LINES;
    peer->ep.max_bulk = 0;
    peer->lane_from = peer->out_number + LANE_PATIENCE;
    ni_log_limited(&limit, NI_LOG_WARN,
                   "no memory for a ring to process %u: going on slowly, without packets of more "
                   "than %d bytes. Free memory or raise the memory limit of this container or user",
                   peer->process, NI_SHM_SLOT_SIZE);
}

/* ---- reserve, commit ------------------------------------------------------------------------- */

/* The peer takes nothing from us until one of those leaves from which it does. They may stay for
 * ever: after a while that is an error. */
static NI_COLD ni_status no_seat(struct ni_shm_peer *peer)
{
    static struct ni_log_limit warnings = NI_LOG_LIMIT(1), errors = NI_LOG_LIMIT(4);
    uint64_t now = ni_now_ns(), most = peer->link->config->shm_peers_wait_ms;
    uint32_t seats = sender_segment(peer)->geometry.counts.seats;
    char name[96], wait[96];

    peer->patience = SEAT_PATIENCE;
    ni_config_name("shm_max_peers", name, sizeof(name));
    if (peer->no_seat == 0) {
        peer->no_seat = now;
        ni_log_limited(&warnings, NI_LOG_WARN,
                       "process %u receives from %u others already and takes no more until one "
                       "leaves; raise %s for it",
                       peer->process, seats, name);
    }
    if (now - peer->no_seat < most * UINT64_C(1000000)) {
        return NI_AGAIN;
    }
    if (!ni_shm_seats_held(sender_segment(peer))) {
        peer->no_seat = now;
        return NI_AGAIN;
    }
    ni_config_name("shm_peers_wait_ms", wait, sizeof(wait));
    ni_log_limited(&errors, NI_LOG_ERROR,
                   "process %u receives from %u others, as many as its %s = %u allows, and none of "
                   "them has left for %s = %llu ms: it cannot be reached. Raise %s",
                   peer->process, seats, name, seats, wait, (unsigned long long)most, name);
    return ni_shm_break(peer, NI_ERR_UNREACHABLE);
}

static ni_status take_seat(struct ni_shm_peer *peer)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(1);
    struct ni_shm_link *link = peer->link;
    struct ni_shm_segment *segment = sender_segment(peer);
    uint32_t seat, generation;
    ni_status status;
    int error;

    if (peer->patience != 0) {
        peer->patience--;
        return NI_AGAIN;
    }
    status = ni_shm_seat_take(segment, &link->blob, sizeof(link->blob), &seat, &generation);
    error = errno;
    switch (status) {
    case NI_OK:
        peer->no_seat = 0;
        /* E4 */
        atomic_store_explicit(&peer->out_seat, (uint64_t)generation << 32 | (seat + 1),
                              memory_order_release);
        return NI_OK;
    case NI_AGAIN:
        return no_seat(peer);
    default:
        ni_log_limited(&limit, NI_LOG_ERROR, "cannot send to process %u: %s: %s%s", peer->process,
                       status == NI_ERR_NOMEM ? "cannot allocate shared memory (fallocate)"
                                              : "record locks on shared memory do not work (fcntl)",
                       strerror(error), ni_remedy(error));
        return ni_shm_break(peer, status);
    }
}

/* From blob to seat, as far as that is possible now. */
static ni_status get_ready(struct ni_shm_peer *peer)
{
    if (peer->stage == NI_SHM_CONNECTING) {
        ni_status status;

        if (atomic_load_explicit(&peer->segment, memory_order_acquire) == NULL) { /* E3 */
            return NI_AGAIN;
        }
        status = ni_shm_attach(peer);
        if (status != NI_OK) {
            return ni_shm_break(peer, status);
        }
    }
    if (atomic_load_explicit(&peer->out_seat, memory_order_relaxed) == 0) {
        return take_seat(peer);
    }
    return NI_OK;
}

static ni_status reserve_early(struct ni_shm_peer *peer, uint32_t lines, struct ni_packet **packet,
                               bool *in_lane)
{
    ni_status status = get_ready(peer);

    if (status != NI_OK) {
        return status;
    }
    if (peer->out_slot == 0 && (lines > NI_SHM_SLOT_LINES || peer->out_number >= peer->lane_from)) {
        status = open_lane(peer);
        if (status == NI_OK) {
            *in_lane = true;
            *packet = ni_lane_at(&peer->ep.tx);
            return lines <= peer->ep.max_lines ? NI_OK : NI_AGAIN;
        }
        if (status == NI_AGAIN) {
            return NI_AGAIN;
        }
        without_lane(peer);
    }
    /* Limits may have changed: the caller cuts its packet anew. */
    if (lines > NI_SHM_SLOT_LINES || !claim_slot(peer)) {
        return NI_AGAIN;
    }
    *in_lane = false;
    *packet = slot_packet(sender_segment(peer), peer->out_slot - 1);
    return NI_OK;
}

ni_status ni_shm_reserve(struct ni_ep *ep, uint32_t lines, struct ni_packet **packet, bool *in_lane)
{
    struct ni_shm_peer *peer = ni_shm_peer_of(ep);
    /* Acquire: pairs with E1. */
    int status = atomic_load_explicit(&peer->status, memory_order_acquire);

    if (status == NI_OK) {
        status = atomic_load_explicit(&peer->broken, memory_order_relaxed);
    }
    if (status != NI_OK) {
        return (ni_status)status;
    }
    if (lines > ep->max_lines) {
        return NI_ERR_LIMIT;
    }
    if (ep->tx.lines == NULL) {
        return reserve_early(peer, lines, packet, in_lane);
    }
    if (ni_lane_room(&ep->tx, lines)) {
        *in_lane = true;
        *packet = ni_lane_at(&ep->tx);
        return NI_OK;
    }
    peer->out_full = true;
    peer->out_full_lately = true;
    return ni_lane_refresh(&ep->tx) ? NI_AGAIN : ni_shm_break(peer, NI_ERR_PROTOCOL);
}

void ni_shm_commit(struct ni_ep *ep, struct ni_packet *packet, uint64_t word0, uint32_t lines)
{
    (void)lines; /* the receiver finds it in the packet */
    if (ni_fault(NI_FAULT_CORRUPT)) {
        ni_packet_damage(packet);
    }
    atomic_store_explicit(&packet->word0, word0, memory_order_relaxed);
    post_slot(ni_shm_peer_of(ep), NI_SHM_SLOT_PACKET);
}
