/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/alloc.h"
#include "link/inproc/inproc.h"
#include "link/lane_inl.h"

/*
 * The wire: packets are taken out of lanes and arrive one by one, in an order between senders that
 * is drawn from the fabric's seed, and faults strike them in between.
 *
 *   DELAY      asked once for each packet: this one and all behind it wait for DELAY_STEPS steps
 *   DROP       the packet's place in the lane is given back, the packet goes nowhere
 *   TRUNCATE   the packet arrives short
 *   CORRUPT    the packet's header is damaged
 *   DUP        the packet arrives twice
 *
 * The order of one sender's packets stays. The receiving end checks their sequence numbers: one
 * that has passed is discarded; one that comes too early, a packet that is still missing after
 * SILENCE steps in which nothing else came, or one that is cut, ends the connection with
 * NI_ERR_PROTOCOL on both sides. So nothing that a fault does can go unnoticed.
 *
 * With a seed, each step of a receiver moves a random number of packets from random senders,
 * sometimes none. Without one, it moves what there is, sender by sender.
 */

enum {
    DELAY_STEPS = 16,
    SILENCE = 32,
    BURST = 32,      /* packets of one sender in one step */
    MOVES_MAX = 256, /* packets in one step */
};

void ni_inproc_wire_start(struct ni_inproc_link *link, struct ni_inproc_lane *lane)
{
    lane->wired = true;
    lane->expected = lane->rx.seq;
    link->wired++;
}

static void free_held(struct ni_inproc_packet *held)
{
    ni_free(held->packet);
    *held = (struct ni_inproc_packet){0};
}

void ni_inproc_wire_stop(struct ni_inproc_link *link, struct ni_inproc_lane *lane)
{
    free_held(&lane->held);
    lane->wired = false;
    link->wired--;
}

static bool inproc_lane_has_packet(const struct ni_inproc_lane *lane)
{
    return lane->held.packet != NULL || ni_lane_has_packet(&lane->rx);
}

bool ni_inproc_wire_empty(const struct ni_inproc_lane *lane)
{
    return !inproc_lane_has_packet(lane);
}

bool ni_inproc_wire_missing(const struct ni_inproc_lane *lane)
{
    return !inproc_lane_has_packet(lane) && lane->expected != lane->rx.seq;
}

bool ni_inproc_wire_ready(const struct ni_inproc_link *link)
{
    for (NI_LIST_EACH(node, &link->lanes)) {
        const struct ni_inproc_lane *lane = ni_container_of(node, struct ni_inproc_lane, list);

        if (lane->wired && (inproc_lane_has_packet(lane) || ni_inproc_wire_missing(lane))) {
            return true;
        }
    }
    return false;
}

/* ---- onto the wire ------------------------------------------------------------------------- */

/* A copy of the packet in a block of its own, with the payload behind the header also if it lies
 * in the bulk area. NULL when out of memory. */
static struct ni_packet *copy_packet(const struct ni_packet *packet, uint64_t word0,
                                     const uint8_t *payload, uint32_t len, size_t *room)
{
    uint64_t bulk = (uint64_t)NI_PACKET_IN_BULK << 32;
    unsigned head = ni_packet_in_bulk(word0) ? NI_LINE : ni_packet_head(word0);
    struct ni_packet *copy;

    *room = ni_max_u64((uint64_t)head + len, NI_LINE);
    copy = ni_malloc(*room);
    if (copy == NULL) {
        return NULL;
    }
    memcpy((uint8_t *)copy + sizeof(word0), (const uint8_t *)packet + sizeof(word0),
           NI_LINE - sizeof(word0));
    memcpy((uint8_t *)copy + head, payload, len);
    if (ni_packet_in_bulk(word0)) {
        word0 = (word0 & ~bulk & ~((uint64_t)0xff << 40)) | (uint64_t)NI_LINE << 40;
    }
    atomic_init(&copy->word0, word0);
    return copy;
}

/* Cut a packet off somewhere before the end of its payload, or of its header. */
static void truncate(struct ni_inproc_packet *held)
{
    uint64_t word0 = atomic_load_explicit(&held->packet->word0, memory_order_relaxed);
    size_t size = ni_packet_head(word0) + (size_t)ni_packet_len(held->packet->word1);
    /* Any place, but the same one each time. */
    size_t room = (uint32_t)(ni_packet_seq(word0) * 2654435761U) % size;
    struct ni_packet *shorter = ni_malloc(room + (room == 0));

    if (shorter != NULL) {
        memcpy(shorter, held->packet, room);
        ni_free(held->packet);
        held->packet = shorter;
        held->room = room;
    }
}

/* The packet has left the lane: what happens to it on its way? */
static void strike(struct ni_fabric *fabric, struct ni_inproc_packet *held)
{
    if (ni_fault(NI_FAULT_DROP)) {
        ni_inproc_count(&fabric->counts.dropped);
        free_held(held);
        return;
    }
    if (ni_fault(NI_FAULT_DUP)) {
        ni_inproc_count(&fabric->counts.duplicated);
        held->copies = 2;
    }
    if (ni_fault(NI_FAULT_TRUNCATE)) {
        ni_inproc_count(&fabric->counts.truncated);
        truncate(held);
    }
    if (ni_fault(NI_FAULT_CORRUPT) && held->room >= NI_LINE) {
        ni_inproc_count(&fabric->counts.corrupted);
        ni_packet_damage(held->packet);
    }
}

/* Whether the first packet of the lane may leave it now. */
static bool delayed(struct ni_inproc_link *link, struct ni_inproc_lane *lane)
{
    if (lane->delay == 0 && lane->asked != lane->rx.seq) {
        lane->asked = lane->rx.seq;
        if (ni_fault(NI_FAULT_DELAY)) {
            ni_inproc_count(&link->fabric->counts.delayed);
            lane->delay = DELAY_STEPS;
        }
    }
    return lane->delay != 0;
}

/* Take the first packet out of the lane. false if it cannot leave now. */
static bool take_lane(struct ni_inproc_link *link, struct ni_inproc_lane *lane)
{
    struct ni_lane_rx *rx = &lane->rx;
    const uint8_t *payload;
    uint64_t word0, word1;
    const struct ni_packet *packet = ni_lane_peek(rx, &word0);
    uint32_t lines;

    if (packet == NULL || delayed(link, lane)) {
        return false;
    }
    word1 = packet->word1;
    lines = ni_lane_check(rx, packet, word0, word1, &payload);
    if (lines == 0) {
        ni_stat_add(&link->stats->rx_malformed, 1);
        ni_inproc_fail(link, lane, NI_ERR_PROTOCOL);
        return true;
    }
    lane->held.packet = copy_packet(packet, word0, payload, ni_packet_len(word1), &lane->held.room);
    if (lane->held.packet == NULL) {
        return false;
    }
    lane->held.copies = 1;
    lane->held.seq = ni_packet_seq(word0);
    ni_lane_advance(rx, lines);
    ni_lane_publish(rx);
    strike(link->fabric, &lane->held);
    return true;
}

/* ---- off the wire -------------------------------------------------------------------------- */

/* A packet arrives. NI_OK: it is done with; NI_AGAIN: it has to arrive again. The lane may have
 * ended on return. */
static ni_status arrive(struct ni_inproc_link *link, struct ni_inproc_lane *lane,
                        const struct ni_inproc_packet *held)
{
    ni_status status = NI_ERR_PROTOCOL;

    if ((int32_t)(held->seq - lane->expected) < 0) {
        ni_inproc_count(&link->fabric->counts.discarded);
        return NI_OK;
    }
    if (held->seq != lane->expected) {
        ni_inproc_count(&link->fabric->counts.gaps);
    } else if (held->room < NI_LINE) {
        ni_stat_add(&link->stats->rx_malformed, 1);
    } else {
        /* Stepped over first: a callback may make progress, and then the next one arrives. */
        lane->expected = ni_lane_next_seq(held->seq);
        lane->silent = 0;
        status = link->core_ops->deliver(link->core, lane->rx.peer, held->packet, held->room);
    }
    if (status == NI_AGAIN) {
        lane->expected = held->seq;
    } else if (status != NI_OK && lane->wired) {
        ni_inproc_fail(link, lane, status);
    }
    return status == NI_AGAIN ? NI_AGAIN : NI_OK;
}

/* Move one packet of a lane. false if there was none to move. The caller holds the lane. */
static bool move_packet(struct ni_inproc_link *link, struct ni_inproc_lane *lane)
{
    struct ni_inproc_packet packet;
    ni_status status = NI_OK;

    if (lane->held.packet == NULL && !take_lane(link, lane)) {
        return false;
    }
    packet = lane->held;
    lane->held = (struct ni_inproc_packet){0};
    while (status == NI_OK && lane->wired && packet.packet != NULL && packet.copies > 0) {
        status = arrive(link, lane, &packet);
        packet.copies -= status == NI_OK;
    }
    if (status == NI_AGAIN && lane->wired) {
        lane->held = packet;
        return false;
    }
    free_held(&packet);
    return true;
}

static unsigned move_packets(struct ni_inproc_link *link, struct ni_inproc_lane *lane,
                             unsigned most)
{
    unsigned moved = 0;

    ni_inproc_lane_hold(lane);
    while (moved < most && lane->wired && move_packet(link, lane)) {
        moved++;
    }
    ni_inproc_lane_drop(lane);
    return moved;
}

/* ---- steps --------------------------------------------------------------------------------- */

/* Sender by sender. Lanes may come and go meanwhile, so the list is turned instead of walked. */
static unsigned step_in_order(struct ni_inproc_link *link)
{
    unsigned moved = 0;

    for (size_t n = ni_list_length(&link->lanes); n > 0 && !ni_list_empty(&link->lanes); n--) {
        struct ni_list *node = ni_list_pop_front(&link->lanes);
        struct ni_inproc_lane *lane = ni_container_of(node, struct ni_inproc_lane, list);

        ni_list_push_back(&link->lanes, node);
        if (lane->wired) {
            moved += move_packets(link, lane, BURST);
        }
    }
    return moved;
}

/* Some lane that has something to move, random senders being equally likely; NULL if none has. */
static struct ni_inproc_lane *draw_lane(struct ni_inproc_link *link)
{
    size_t n = ni_list_length(&link->lanes);
    struct ni_list *node = &link->lanes;

    for (uint64_t i = n == 0 ? 0 : ni_rng_below(&link->rng, n); i > 0; i--) {
        node = node->next;
    }
    for (size_t i = 0; i < n; i++) {
        struct ni_inproc_lane *lane;

        node = node->next == &link->lanes ? link->lanes.next : node->next;
        lane = ni_container_of(node, struct ni_inproc_lane, list);
        if (lane->wired && lane->delay == 0 && inproc_lane_has_packet(lane)) {
            return lane;
        }
    }
    return NULL;
}

static unsigned step_at_random(struct ni_inproc_link *link)
{
    uint64_t most = ni_rng_below(&link->rng, 2 * (uint64_t)link->wired + 2);
    unsigned moved = 0;

    for (uint64_t i = ni_min_u64(most, MOVES_MAX); i > 0; i--) {
        struct ni_inproc_lane *lane = draw_lane(link);

        if (lane == NULL) {
            break;
        }
        moved += move_packets(link, lane, 1);
    }
    return moved;
}

/* Time passes. */
static void tick(struct ni_inproc_link *link)
{
    for (NI_LIST_EACH(node, &link->lanes)) {
        struct ni_inproc_lane *lane = ni_container_of(node, struct ni_inproc_lane, list);

        lane->delay -= lane->delay != 0;
        lane->silent += lane->wired && ni_inproc_wire_missing(lane);
    }
}

/* End one connection in which a packet stayed away. */
static bool end_a_silent_one(struct ni_inproc_link *link)
{
    for (NI_LIST_EACH(node, &link->lanes)) {
        struct ni_inproc_lane *lane = ni_container_of(node, struct ni_inproc_lane, list);

        if (lane->wired && lane->silent > SILENCE) {
            ni_inproc_count(&link->fabric->counts.gaps);
            ni_inproc_fail(link, lane, NI_ERR_PROTOCOL);
            return true;
        }
    }
    return false;
}

unsigned ni_inproc_wire_step(struct ni_inproc_link *link)
{
    unsigned moved;

    tick(link);
    moved = link->fabric->seed != 0 ? step_at_random(link) : step_in_order(link);
    while (end_a_silent_one(link)) {
        moved++;
    }
    return moved;
}
