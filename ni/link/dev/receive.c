/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/fault_inl.h"
#include "link/dev/dev.h"
#include "link/lane_inl.h"

/*
 * From events to the lane. The card says from whom and to where; whether its lines are those that
 * come next is checked here, and the engine checks the packets as it does those of any lane.
 *
 * Lines behind one whose payload has yet to be fetched are filled, but invisible: the engine does
 * not look behind a line that has no header.
 */

void ni_dev_broken(struct ni_dev_peer *peer)
{
    ni_stat_add(&peer->link->stats->rx_malformed, 1);
    ni_dev_end(peer, NI_ERR_PROTOCOL);
}

static struct ni_packet *line_at(const struct ni_dev_peer *peer, uint32_t position)
{
    size_t line = position & (peer->blob.ring - 1);

    return (struct ni_packet *)(void *)(peer->ring + line * NI_LINE);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* A line in the lane whose payload is with the sender. False: it cannot be. */
static bool note_payload(struct ni_dev_peer *peer, uint32_t position)
{
    struct ni_packet *packet = line_at(peer, position);
    struct ni_dev_fetch *fetch = &peer->fetches[peer->fetch_head % NI_LANE_BULK_RECORDS];
    struct ni_packet_bulk where;
    const uint8_t *payload;

    memcpy(&where, (const uint8_t *)packet + NI_PACKET_BULK_AT, sizeof(where));
    if (peer->fetch_head - peer->fetch_tail == NI_LANE_BULK_RECORDS ||
        ni_lane_check(&peer->rx, packet, packet->word0, packet->word1, &payload) != 1) {
        return false;
    }
    *fetch = (struct ni_dev_fetch){.position = position,
                                   .offset = where.offset,
                                   .len = ni_packet_len(packet->word1),
                                   .word0 = packet->word0};
    fetch->there = fetch->len == 0;
    atomic_store_explicit(&packet->word0, 0, memory_order_relaxed);
    peer->fetch_head++;
    return true;
}

/* Look at the packets of lines that are in the lane now. */
static bool take_packets(struct ni_dev_peer *peer, uint32_t position, uint32_t end)
{
    while (position != end) {
        const struct ni_packet *packet = line_at(peer, position);
        uint64_t word0 = packet->word0, word1 = packet->word1;
        uint32_t lines = 1;

        if (!ni_packet_in_bulk(word0)) {
            lines = ni_packet_lines(ni_packet_head(word0), ni_packet_len(word1));
        } else if (!note_payload(peer, position)) {
            return false;
        }
        if (lines == 0 || lines > end - position) {
            return false;
        }
        position += lines;
    }
    return true;
}

/* Whether lines may be filled: they are free, and lie in the lane. */
static bool is_free(const struct ni_dev_peer *peer, uint32_t position, uint32_t lines)
{
    uint32_t ring = peer->blob.ring, used = position - peer->cleared;

    return lines != 0 && used < ring && lines <= ring - used &&
           (position & (ring - 1)) + lines <= ni_lane_ring_lines(ring);
}

static void take_lines(struct ni_dev_peer *peer, uint32_t position, uint32_t lines)
{
    size_t offset = (size_t)(position & (peer->blob.ring - 1)) * NI_LINE;
    struct ni_packet *first = line_at(peer, position);

    ni_dev_wipe(peer);
    if (!is_free(peer, position, lines)) {
        ni_dev_broken(peer);
        return;
    }
    memcpy(first, ni_dev_in_stage(peer) + offset, (size_t)lines * NI_LINE);
    if (ni_fault_armed() && ni_fault(NI_FAULT_CORRUPT)) {
        ni_packet_damage(first);
    }
    if (!take_packets(peer, position, position + lines)) {
        ni_dev_broken(peer);
        return;
    }
    peer->high = position + lines;
    peer->missing = false;
    ni_dev_moved(peer);
    ni_dev_fetched(peer);
}

/* Not the lines that come next. */
static void out_of_order(struct ni_dev_peer *peer, uint32_t position)
{
    if (ni_dev_before(position, peer->high)) {
        return; /* it was sent again in vain */
    }
    if (!peer->missing) {
        peer->missing = true;
        peer->out->state.gaps++;
        peer->dirty = true;
    }
}

static void on_lines(struct ni_dev_peer *peer, const struct apelink_header *header, uint32_t tag)
{
    uintptr_t stage = (uintptr_t)ni_dev_in_stage(peer);
    size_t offset = (size_t)(tag & (peer->blob.ring - 1)) * NI_LINE;

    if (header->address != stage + offset || header->len % NI_LINE != 0) {
        ni_dev_broken(peer);
        return;
    }
    if (tag == peer->high) {
        take_lines(peer, tag, header->len / NI_LINE);
    } else {
        out_of_order(peer, tag);
    }
    if (header->last) {
        peer->dirty = true;
    }
    ni_dev_moved(peer);
}

void ni_dev_fetched(struct ni_dev_peer *peer)
{
    while (peer->fetch_tail != peer->fetch_head) {
        struct ni_dev_fetch *fetch = &peer->fetches[peer->fetch_tail % NI_LANE_BULK_RECORDS];

        if (!fetch->there) {
            return;
        }
        /* As L1 of lane.h. */
        atomic_store_explicit(&line_at(peer, fetch->position)->word0, fetch->word0,
                              memory_order_release);
        peer->bulk_bytes += fetch->len;
        peer->bulk_count++;
        peer->fetch_tail++;
    }
}

/* ---- what the engine has consumed ------------------------------------------------------------ */

void ni_dev_wipe(struct ni_dev_peer *peer)
{
    uint32_t to;

    if (peer->in == NULL) {
        return;
    }
    to = atomic_load_explicit(&peer->in_page.consumed, memory_order_acquire); /* L2 of lane.h */
    while (peer->cleared != to) {
        atomic_store_explicit(&line_at(peer, peer->cleared)->word0, 0, memory_order_relaxed);
        peer->cleared++;
    }
}

/* ---- PUTs ------------------------------------------------------------------------------------ */

bool ni_dev_is_in(const struct ni_dev_peer *peer, uint64_t address)
{
    return peer->in != NULL && address - (uintptr_t)peer->in < peer->in_bytes;
}

static void on_told(struct ni_dev_peer *peer, const struct apelink_header *header)
{
    struct ni_dev_state state;

    memcpy(&state, &peer->in->told, sizeof(state));
    if (header->len != sizeof(state)) {
        ni_dev_broken(peer);
        return;
    }
    if (state.key != peer->blob.key) { /* late, of a process that had the peer's channel before */
        ni_dev_stranger(peer->link, "a state without the key of the peer");
        return;
    }
    if (state.serial == peer->theirs) {
        ni_dev_on_state(peer, &state);
    }
}

/* Whether lines of the peer are taken: what it sent before it said bye may come behind that. */
static bool are_lines_taken(const struct ni_dev_peer *peer)
{
    ni_status ending = ni_far_ending(&peer->far);

    return !peer->far.down && (ending == NI_OK || ending == NI_ERR_PEER_CLOSED);
}

void ni_dev_on_put(struct ni_dev_peer *peer, const struct apelink_header *header, uint32_t tag)
{
    if (header->address == (uintptr_t)&peer->in->told) {
        on_told(peer, header);
    } else if (are_lines_taken(peer)) {
        on_lines(peer, header, tag);
    }
}
