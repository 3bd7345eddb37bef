/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_LINK_LANE_INL_H
#define NI_LINK_LANE_INL_H

#include <string.h>

#include "base/compiler.h"
#include "base/fault_inl.h"
#include "link/lane.h"

/*
 * The hot path of a lane. Sender: room, at, write, commit. Receiver: peek, check, read, advance,
 * publish. One thread at a time on each side.
 */

/* ---- both sides ------------------------------------------------------------------------------ */

static inline uint32_t ni_lane_next_seq(uint32_t seq)
{
    uint32_t next = seq + 1;

    return next + (next == 0); /* an addition with carry, where ?: is a jump or a move */
}

/* Lines of the longest packet that a ring of so many lines carries with any head. */
static inline uint32_t ni_lane_max_lines(uint32_t lines)
{
    return lines / 2;
}

/* Lines of memory for a ring that is not mapped twice. Behind its last line fits the rest of the
 * longest packet that ni_lane_check lets pass: max_lines of payload behind one line of header. */
static inline uint32_t ni_lane_ring_lines(uint32_t lines)
{
    return lines + ni_lane_max_lines(lines);
}

/* ---- sender ---------------------------------------------------------------------------------- */

/* Load the receiver's credits. false if they are impossible: the peer is broken. */
bool ni_lane_refresh(struct ni_lane_tx *tx);

/* Load the receiver's credits, tell the link of a lane that is busy, and say whether the lane takes
 * a packet of so many lines then. Nothing is reserved. */
bool ni_lane_make_room(struct ni_lane_tx *tx, uint32_t lines);

/* A place in the bulk area for len bytes, up to its size, whose byte number skew starts a line
 * (unless there is no room for that even in an empty area); NULL if there is none now. The packet
 * that refers to it must be committed next, by ni_lane_commit_bulk. */
uint8_t *ni_lane_bulk_reserve(struct ni_lane_tx *tx, uint32_t len, uint32_t skew);

/* Called while nothing else is to do: bring the lines that the next packet will need into this
 * core's cache. */
void ni_lane_warm(struct ni_lane_tx *tx);

/* What the faults say that are armed: whether it has room for a packet of so many lines. */
bool ni_lane_spared(struct ni_lane_tx *tx, uint32_t lines);

/* Whether the lane takes a packet of so many lines; one more must be free, for the marker. */
NI_ALWAYS_INLINE bool ni_lane_room(struct ni_lane_tx *tx, uint32_t lines)
{
    if (NI_UNLIKELY(tx->limit - tx->head <= lines)) {
        return tx->lines != NULL && ni_lane_make_room(tx, lines);
    }
    return NI_LIKELY(!ni_fault_armed()) || ni_lane_spared(tx, lines);
}

/* Whether it is full, which its link has been told, and its reader has not gone on since the last
 * look. */
NI_ALWAYS_INLINE bool ni_lane_full(const struct ni_lane_tx *tx)
{
    return tx->limit - tx->head <= 1 && tx->asked_at == tx->head && tx->lines != NULL &&
           atomic_load_explicit(&tx->page->consumed, memory_order_relaxed) + tx->mask + 1 ==
               tx->limit;
}

/* Where the next packet goes. */
NI_ALWAYS_INLINE struct ni_packet *ni_lane_at(const struct ni_lane_tx *tx)
{
    return (struct ni_packet *)(void *)(tx->lines + (size_t)(tx->head & tx->mask) * NI_LINE);
}

/* Have lines behind the head in this core's cache, to be written, as far as they are known to be
 * free. */
void ni_lane_claim_more(struct ni_lane_tx *tx);

/* A short packet was published. Where it followed others at once, more like it may come, and
 * the receiver's cache still has the lines for them, from the lap before: claimed by several stores
 * in a row they come together, where by each packet's own stores they come one after the other, as
 * few packets' stores fit the core's store buffer. (Those of longer packets do come together.) An
 * answer and a packet behind it are no stream. */
NI_ALWAYS_INLINE void ni_lane_ahead(struct ni_lane_tx *tx)
{
    if (tx->run++ >= NI_LANE_STREAM && (int32_t)(tx->warm_to - tx->head) < NI_LANE_AHEAD) {
        ni_lane_claim_more(tx);
    }
}

/* Keep the invariant of lane.h where the line behind the packet held payload in the previous lap;
 * damage the packet where ni_lane_spared has said so. */
void ni_lane_mark(struct ni_lane_tx *tx, uint32_t lines);

/* Remember that all lines of the packet but the first hold payload. */
void ni_lane_note_many(struct ni_lane_tx *tx, uint32_t lines);

/* Up to 8 of them by one word, in which, as on the wire, the first byte is the lowest. */
NI_ALWAYS_INLINE void ni_lane_note(struct ni_lane_tx *tx, uint32_t lines)
{
    uint32_t at = (tx->head + 1) & tx->mask, payload = lines - 1;
    uint64_t notes;

    if (NI_UNLIKELY(payload > sizeof(notes) || at + sizeof(notes) > tx->mask + 1)) {
        ni_lane_note_many(tx, lines);
        return;
    }
    memcpy(&notes, tx->payload_map + at, sizeof(notes));
    notes |= UINT64_C(0x0101010101010101) >> (64 - 8 * payload);
    memcpy(tx->payload_map + at, &notes, sizeof(notes));
}

/* Nothing rides in the packet's line, as far as its receiver would look. */
NI_ALWAYS_INLINE void ni_lane_unridden(struct ni_packet *packet, uint64_t word0)
{
    if (ni_packet_is_rideable(word0, packet->word1)) {
        packet->body[NI_RIDER_BODY] = 0;
    }
}

/* Publish the packet at the head, which is at `packet`. word0 comes without its sequence number. */
NI_ALWAYS_INLINE void ni_lane_commit_at(struct ni_lane_tx *tx, struct ni_packet *packet,
                                        uint64_t word0, uint32_t lines)
{
    uint32_t seq = tx->seq;

    if (lines > 1) {
        ni_lane_note(tx, lines);
    } else {
        ni_lane_unridden(packet, word0);
    }
    if (NI_UNLIKELY((tx->payload_map[(tx->head + lines) & tx->mask] & NI_LANE_PAYLOAD) != 0)) {
        ni_lane_mark(tx, lines);
    }
    tx->payload_map[tx->head & tx->mask] = 0;
    tx->head += lines;
    tx->seq = ni_lane_next_seq(seq);
    tx->last_lines = lines;
    /* L1: pairs with the acquire in ni_lane_peek. */
    atomic_store_explicit(&packet->word0, word0 | seq, memory_order_release);
    if (lines <= NI_LANE_SHORT) {
        ni_lane_ahead(tx);
    }
}

/* The packet at the head, which is published next, has a place for a rider that goes to the same
 * region and has this word in common with it (struct ni_packet_rider). */
NI_ALWAYS_INLINE void ni_lane_invite(struct ni_lane_tx *tx, struct ni_packet *packet,
                                     uint32_t region, uint64_t common)
{
    packet->body[NI_RIDER_BODY] = 0;
    tx->ride.seq = ni_lane_next_seq(tx->seq);
    tx->ride.region = region;
    tx->ride.common = common;
}

/* Where the rest of a packet goes, there being room for a line (ni_lane_room), if it may ride in
 * the line of the one before; otherwise NULL. That has invited it, its line is not known to be free
 * again, so that it is neither claimed nor marked, and nothing was polled since in vain, so that
 * the two leave together. heard: changes when something has come back; where nothing has for some
 * packets they are a stream, whose lines are claimed. ni_lane_ride comes next. */
NI_ALWAYS_INLINE uint8_t *ni_lane_rider_place(struct ni_lane_tx *tx, uint32_t region,
                                              uint64_t common, uint32_t heard)
{
    if (tx->run == 0) {
        return NULL;
    }
    if (tx->ride.heard != heard) {
        tx->ride.heard = heard;
        tx->ride.from = tx->head;
    }
    if (tx->head - tx->ride.from >= tx->rides || tx->ride.seq != tx->seq ||
        tx->ride.region != region || tx->ride.common != common || tx->limit - tx->head > tx->mask) {
        return NULL;
    }
    return tx->lines + (size_t)((tx->head - 1) & tx->mask) * NI_LINE + NI_RIDER_AT +
           offsetof(struct ni_packet_rider, rest);
}

/* Publish it. len: of its payload, NI_RIDER_PUT or NI_RIDER_MESSAGE at most. */
NI_ALWAYS_INLINE void ni_lane_ride(struct ni_lane_tx *tx, uint8_t *rest, unsigned kind,
                                   uint16_t tag, uint32_t len)
{
    struct ni_packet_rider *rider =
        (struct ni_packet_rider *)(void *)(rest - offsetof(struct ni_packet_rider, rest));
    uint32_t seq = tx->seq;

    if (NI_UNLIKELY((tx->payload_map[(tx->head + 1) & tx->mask] & NI_LANE_PAYLOAD) != 0)) {
        ni_lane_mark(tx, 1);
    }
    tx->payload_map[tx->head & tx->mask] = NI_LANE_RIDDEN;
    tx->head++;
    tx->seq = ni_lane_next_seq(seq);
    tx->last_lines = 1;
    /* L3: pairs with the acquire in ni_lane_peek_rider. */
    atomic_store_explicit(&rider->word0, ni_packet_word0(seq, kind, len, tag),
                          memory_order_release);
    tx->run++;
}

NI_ALWAYS_INLINE void ni_lane_commit(struct ni_lane_tx *tx, uint64_t word0, uint32_t lines)
{
    ni_lane_commit_at(tx, ni_lane_at(tx), word0, lines);
}

/* The same for a packet of one line whose payload of len bytes is at `payload`, reserved before. */
void ni_lane_commit_bulk(struct ni_lane_tx *tx, uint64_t word0, uint32_t lines,
                         const uint8_t *payload, uint32_t len);

/* ---- receiver -------------------------------------------------------------------------------- */

/* A line by its number. */
NI_ALWAYS_INLINE uint8_t *ni_lane_line(const struct ni_lane_rx *rx, uint32_t number)
{
    return rx->lines + (size_t)(number & rx->mask) * NI_LINE;
}

/* The place of a rider in the line before the tail. */
NI_ALWAYS_INLINE struct ni_packet_rider *ni_lane_rider(const struct ni_lane_rx *rx)
{
    return (struct ni_packet_rider *)(void *)(ni_lane_line(rx, rx->tail - 1) + NI_RIDER_AT);
}

/* What is in a rider's place has the right number: the rider as a packet of one line, or NULL if
 * it is none. That stays until the next one is looked for by who is in no callback of this lane. */
struct ni_packet *ni_lane_take_rider(struct ni_lane_rx *rx, uint64_t *word0);

/* Whether there is a rider, if the packet before took one line. */
bool ni_lane_is_ridden(const struct ni_lane_rx *rx);

/* The next packet if it rides in the line before the tail, of which the receiver has a copy; or
 * NULL. */
NI_ALWAYS_INLINE struct ni_packet *ni_lane_peek_rider(struct ni_lane_rx *rx, uint64_t *word0)
{
    if (rx->behind < rx->rides) {
        /* Pairs with L3. */
        *word0 = atomic_load_explicit(&ni_lane_rider(rx)->word0, memory_order_acquire);
        if (ni_packet_seq(*word0) == rx->seq) {
            return ni_lane_take_rider(rx, word0);
        }
    }
    return NULL;
}

/* The next packet if it is in the line at the tail, or NULL. */
NI_ALWAYS_INLINE struct ni_packet *ni_lane_peek_line(struct ni_lane_rx *rx, uint64_t *word0)
{
    struct ni_packet *packet = (struct ni_packet *)(void *)ni_lane_line(rx, rx->tail);

    /* Pairs with L1. */
    *word0 = atomic_load_explicit(&packet->word0, memory_order_acquire);
    return ni_packet_seq(*word0) == rx->seq ? packet : NULL;
}

/* The next packet, or NULL if it is not there yet. Where some ride, the line at the tail is not
 * asked for before it is written. */
NI_ALWAYS_INLINE struct ni_packet *ni_lane_peek(struct ni_lane_rx *rx, uint64_t *word0)
{
    struct ni_packet *packet;

    if (NI_LIKELY(rx->rode == 0)) {
        packet = ni_lane_peek_line(rx, word0);
        return NI_LIKELY(packet != NULL) ? packet : ni_lane_peek_rider(rx, word0);
    }
    packet = ni_lane_peek_rider(rx, word0);
    if (packet == NULL) {
        packet = ni_lane_peek_line(rx, word0);
        rx->rode -= packet != NULL;
    }
    return packet;
}

/* Whether ni_lane_peek would find a packet. */
static inline bool ni_lane_has_packet(const struct ni_lane_rx *rx)
{
    const struct ni_packet *packet =
        (const struct ni_packet *)(const void *)ni_lane_line(rx, rx->tail);
    /* Pairs with L1. */
    uint64_t word = atomic_load_explicit(&packet->word0, memory_order_acquire);

    return ni_packet_seq(word) == rx->seq || (rx->behind < rx->rides && ni_lane_is_ridden(rx));
}

/* Whether these bytes of the bulk area are there, or can be had now; if not, rx->starved says
 * whether they can be had later. */
bool ni_lane_bulk_there(struct ni_lane_rx *rx, uint32_t offset, uint32_t len);

/* The lines that a packet takes, and its payload, all of which may be read. 0 if that cannot be:
 * see ni_lane_refusal. */
NI_ALWAYS_INLINE uint32_t ni_lane_check(struct ni_lane_rx *rx, const struct ni_packet *packet,
                                        uint64_t word0, uint64_t word1, const uint8_t **payload)
{
    unsigned head = ni_packet_head(word0);
    uint32_t len = ni_packet_len(word1);

    *payload = (const uint8_t *)packet + head;
    if (NI_UNLIKELY(ni_packet_in_bulk(word0))) {
        /* Loaded once: the sender could change it between the check and its use. */
        const uint8_t *at = (const uint8_t *)packet + NI_PACKET_BULK_AT;
        uint32_t offset =
            atomic_load_explicit((const _Atomic uint32_t *)(const void *)at, memory_order_relaxed);

        if (NI_UNLIKELY(offset >= rx->bulk_size || len > rx->bulk_size - offset) &&
            !ni_lane_bulk_there(rx, offset, len)) {
            return 0;
        }
        *payload = rx->bulk + offset;
        return 1;
    }
    if (NI_LIKELY(head >= NI_PACKET_HEADER && head + (uint64_t)len <= NI_LINE)) {
        return 1;
    }
    if (head < NI_PACKET_HEADER || head > NI_LINE ||
        len > ni_lane_max_lines(rx->mask + 1) * NI_LINE) {
        rx->starved = false;
        return 0;
    }
    return ni_packet_lines(head, len);
}

/* Why ni_lane_check has just returned 0. NI_AGAIN: there is no memory, now, to read the packet. */
static inline ni_status ni_lane_refusal(const struct ni_lane_rx *rx)
{
    return rx->starved ? NI_AGAIN : NI_ERR_PROTOCOL;
}

/* Step over a packet; its lines stay ours until published. */
NI_ALWAYS_INLINE void ni_lane_advance(struct ni_lane_rx *rx, uint32_t lines)
{
    rx->tail += lines;
    rx->behind = lines - 1;
    rx->seq = ni_lane_next_seq(rx->seq);
}

/* Undo the last advance: the packet cannot be taken now. */
NI_ALWAYS_INLINE void ni_lane_step_back(struct ni_lane_rx *rx, uint32_t lines)
{
    rx->tail -= lines;
    rx->seq = rx->seq - 1 != 0 ? rx->seq - 1 : UINT32_MAX;
}

/* Packets were taken: give the lines up to the tail back to the sender. */
NI_ALWAYS_INLINE void ni_lane_publish(struct ni_lane_rx *rx)
{
    if (NI_LIKELY(rx->depth == 0)) {
        /* L2: pairs with the acquire in ni_lane_refresh. */
        atomic_store_explicit(&rx->page->consumed, rx->tail, memory_order_release);
    }
}

/* ---- going on in another ring, without bulk area (links) ------------------------------------- */

/* Tell the receiver by a NOP with this tag, and publish what follows in that ring. It and
 * payload_map, of `lines` lines, are zero. A line must be free (tx->limit), and no place reserved;
 * if the ring is smaller the receiver has taken all that was sent. */
void ni_lane_tx_move(struct ni_lane_tx *tx, uint16_t tag, uint8_t *ring, uint32_t lines,
                     uint8_t *payload_map);
/* The same at the receiver, from the handler of the packet that says so. */
void ni_lane_rx_move(struct ni_lane_rx *rx, uint8_t *ring, uint32_t lines);
/* Nothing of the bulk area is there any more, and nothing of it in use: tell the receiver. There
 * must be room for a line (ni_lane_room), and no place reserved. */
void ni_lane_bulk_drop(struct ni_lane_tx *tx);

/* ---- making lanes (links) -------------------------------------------------------------------- */

/* lines is a power of two, 8 or more. The page and the ring (laid out as lane.h says) are zero when
 * both sides begin; payload_map has one byte per line, zero, private to the sender. bulk is NULL
 * or `bulk_size` bytes, aligned to a line. All memory stays the caller's. */
void ni_lane_tx_init(struct ni_lane_tx *tx, struct ni_lane_page *page, uint8_t *ring,
                     uint32_t lines, uint8_t *bulk, uint32_t bulk_size, uint8_t *payload_map);
void ni_lane_rx_init(struct ni_lane_rx *rx, struct ni_lane_page *page, uint8_t *ring,
                     uint32_t lines, const uint8_t *bulk, uint32_t bulk_size);

#endif
