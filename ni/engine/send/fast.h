/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_FAST_H
#define NI_ENGINE_FAST_H

#include <string.h>

#include "base/copy.h"
#include "engine/core/ni.h"
#include "engine/core/peer.h"
#include "link/lane_inl.h"

/*
 * The inline path of a message: compose it in the lane, in place. Between begin and commit no other
 * call for the peer; in a threaded NI begin takes the peer's lock and commit or abort releases it.
 */

enum {
    NI_COPY_PAST_MIN = 4096, /* shorter payloads stay in the caches in any case */
    /* Longer ones go to the bulk area: 2 KiB of a program, and what is sent before them. */
    NI_RING_PAYLOAD = 2048 + NI_LINE,
    NI_PREFETCH_LINES = 32, /* of an arriving payload, before its consumer is called */
};

/* Whether a transfer of len bytes is one packet, in the lane. */
NI_ALWAYS_INLINE bool ni_is_one_packet(const struct ni *ni, uint64_t len)
{
    return len <= NI_RING_PAYLOAD && len <= ni->config->segment_size;
}

/* Its receiver has some work to do before it looks at the payload: fetch that meanwhile. */
NI_ALWAYS_INLINE void ni_fetch_ahead(const uint8_t *payload, uint32_t len)
{
    uint32_t lines = (uint32_t)ni_min_u64(len / NI_LINE + 1, NI_PREFETCH_LINES);

    for (uint32_t i = 0; i < lines; i++) {
        __builtin_prefetch(payload + (size_t)i * NI_LINE);
    }
}

uint8_t *ni_msg_begin_slow(struct ni_peer *peer, uint32_t head_len, uint32_t len);
void ni_msg_commit_slow(struct ni_peer *peer, ni_handle queue, uint16_t tag, uint32_t total);

/* Wake the peer, which sleeps or does not poll the lane. */
void ni_wake(struct ni_ep *ep);

/* A packet to the peer, in its lane or on a rail, can be seen: who does not look is woken, and
 * the lane is kept warm. ep: the peer's. */
NI_ALWAYS_INLINE void ni_published(struct ni_peer *peer, struct ni_ep *ep)
{
    atomic_store_explicit(&peer->ni->send.warm, peer, memory_order_relaxed);
    if (NI_UNLIKELY(atomic_load_explicit(ep->unpolled, memory_order_relaxed) != 0)) {
        ni_wake(ep);
    }
}

/* Where the payload starts in a packet of the ring. */
NI_ALWAYS_INLINE unsigned ni_msg_head(uint32_t head_len)
{
    unsigned aligned = NI_LINE - head_len % NI_LINE;

    return aligned >= NI_PACKET_HEADER ? aligned : NI_PACKET_HEADER;
}

/* A place for head_len bytes followed by len bytes, which start a cache line when they don't fit
 * the first. NULL: no room now, or the peer is gone (ni_peer_status tells). */
NI_ALWAYS_INLINE uint8_t *ni_msg_begin(struct ni_peer *peer, uint32_t head_len, uint32_t len)
{
    struct ni_ep *ep;

    ni_lock_take(&peer->lock, peer->threads);
    ep = peer->ep;
    if (NI_UNLIKELY(peer->waiting != 0 || ep == NULL)) {
        return ni_msg_begin_slow(peer, head_len, len);
    }
    if (NI_LIKELY(head_len + len <= NI_PACKET_INLINE)) {
        if (NI_LIKELY(ni_lane_room(&ep->tx, 1))) {
            return (uint8_t *)ni_lane_at(&ep->tx) + NI_PACKET_HEADER;
        }
    } else if (NI_LIKELY(head_len + len <= NI_RING_PAYLOAD)) {
        unsigned head = ni_msg_head(head_len);
        uint32_t lines = ni_packet_lines(head, head_len + len);

        if (NI_LIKELY(lines <= ep->max_lines && ni_lane_room(&ep->tx, lines))) {
            peer->send.open.head = (uint8_t)head;
            peer->send.open.lines = lines;
            return (uint8_t *)ni_lane_at(&ep->tx) + head;
        }
    }
    return ni_msg_begin_slow(peer, head_len, len);
}

/* Copy a part of a message to where ni_msg_begin said, the best way for this peer. */
NI_ALWAYS_INLINE void ni_msg_copy(const struct ni_peer *peer, uint8_t *place, const void *data,
                                  size_t len)
{
    if (NI_UNLIKELY(len >= NI_COPY_PAST_MIN &&
                    atomic_load_explicit(&peer->send.far, memory_order_relaxed))) {
        ni_copy_past_caches(place, data, len);
    } else {
        memcpy(place, data, len);
    }
}

/* Send it. total is head_len + len. */
NI_ALWAYS_INLINE void ni_msg_commit(struct ni_peer *peer, ni_handle queue, uint16_t tag,
                                    uint32_t total)
{
    struct ni_ep *ep = peer->ep;

    if (NI_UNLIKELY(peer->send.open.packet != NULL)) {
        ni_msg_commit_slow(peer, queue, tag, total);
        return;
    }
    ni_lane_at(&ep->tx)->word1 = ni_packet_word1(total, queue);
    ep->tx.bytes += total;
    if (NI_LIKELY(total <= NI_PACKET_INLINE)) {
        ni_lane_commit(&ep->tx, ni_packet_word0(0, NI_PACKET_MESSAGE, NI_PACKET_HEADER, tag), 1);
    } else {
        ni_lane_commit(&ep->tx, ni_packet_word0(0, NI_PACKET_MESSAGE, peer->send.open.head, tag),
                       peer->send.open.lines);
    }
    ni_published(peer, ep);
    ni_lock_give(&peer->lock, peer->threads);
}

/*
 * The shortest way out: a packet of one line, in an NI without threads, composed while all that it
 * takes to publish it stays in registers, and without a call. NULL: not this way now, ni_msg_begin
 * may know another. Otherwise ni_line_publish comes next, ni_line_commit for a message.
 */
struct ni_line {
    struct ni_packet *packet;
    uint32_t head, seq;
};

/* Nothing waits but what the sources of `own` have, a bit for each. */
NI_ALWAYS_INLINE uint8_t *ni_line_begin_behind(const struct ni_peer *peer, uint32_t own,
                                               struct ni_line *line)
{
    const struct ni_lane_tx *tx;

    if (NI_UNLIKELY(peer->threads || peer->waiting != own || peer->ep == NULL ||
                    ni_fault_armed())) {
        return NULL;
    }
    tx = &peer->ep->tx;
    line->head = tx->head;
    line->seq = tx->seq;
    /* With room for a marker behind it, where none is due. */
    if (NI_UNLIKELY(tx->limit - line->head <= 1 ||
                    (tx->payload_map[(line->head + 1) & tx->mask] & NI_LANE_PAYLOAD) != 0)) {
        return NULL;
    }
    line->packet = ni_lane_at(tx);
    return (uint8_t *)line->packet + NI_PACKET_HEADER;
}

NI_ALWAYS_INLINE uint8_t *ni_line_begin(const struct ni_peer *peer, struct ni_line *line)
{
    return ni_line_begin_behind(peer, 0, line);
}

/* word0 comes without its sequence number. */
NI_ALWAYS_INLINE void ni_line_publish(struct ni_peer *peer, const struct ni_line *line,
                                      uint64_t word0, uint64_t word1)
{
    struct ni_ep *ep = peer->ep;

    line->packet->word1 = word1;
    ep->tx.bytes += ni_packet_len(word1);
    ep->tx.payload_map[line->head & ep->tx.mask] = 0;
    ep->tx.head = line->head + 1;
    ep->tx.seq = ni_lane_next_seq(line->seq);
    ep->tx.last_lines = 1;
    /* L1 of lane.h */
    atomic_store_explicit(&line->packet->word0, word0 | line->seq, memory_order_release);
    ni_lane_ahead(&ep->tx);
    ni_published(peer, ep);
}

/* The same for a packet in whose line another may ride: ni_packet_is_rideable. common: see struct
 * ni_packet_rider. */
NI_ALWAYS_INLINE void ni_line_publish_ridden(struct ni_peer *peer, const struct ni_line *line,
                                             uint64_t word0, uint64_t word1, uint64_t common)
{
    ni_lane_invite(&peer->ep->tx, line->packet, ni_packet_region(word1), common);
    ni_line_publish(peer, line, word0, word1);
}

/* Behind ni_line_begin, in place of its line: see ni_lane_rider_place. ni_line_ride comes next. */
NI_ALWAYS_INLINE uint8_t *ni_line_rider(const struct ni_peer *peer, uint32_t region,
                                        uint64_t common)
{
    return ni_lane_rider_place(&peer->ep->tx, region, common,
                               peer->lane != NULL ? peer->lane->seq : 0);
}

NI_ALWAYS_INLINE void ni_line_ride(struct ni_peer *peer, uint8_t *rest, unsigned kind, uint16_t tag,
                                   uint32_t len)
{
    struct ni_ep *ep = peer->ep;

    ep->tx.bytes += len;
    ni_lane_ride(&ep->tx, rest, kind, tag, len);
    ni_published(peer, ep);
}

NI_ALWAYS_INLINE void ni_line_commit(struct ni_peer *peer, const struct ni_line *line,
                                     ni_handle queue, uint16_t tag, uint32_t total)
{
    uint64_t word0 = ni_packet_word0(0, NI_PACKET_MESSAGE, NI_PACKET_HEADER, tag);
    uint64_t word1 = ni_packet_word1(total, queue);

    if (total <= NI_RIDER_MESSAGE) {
        ni_line_publish_ridden(peer, line, word0, word1, line->packet->body[0]);
    } else {
        ni_line_publish(peer, line, word0, word1);
    }
}

/*
 * The same for a message of several lines: head_len bytes of its own end the first, and its user's
 * bytes begin the second. ni_lines_begin gives the place of the latter, which are written first:
 * the receiver polls the line that the former are in, and takes it back at any time. NULL: not this
 * way now.
 */
NI_ALWAYS_INLINE uint8_t *ni_lines_begin(const struct ni_peer *peer, uint32_t lines)
{
    const struct ni_lane_tx *tx;

    if (NI_UNLIKELY(peer->threads || peer->waiting != 0 || peer->ep == NULL || ni_fault_armed())) {
        return NULL;
    }
    tx = &peer->ep->tx;
    /* With room for a marker behind it. */
    if (NI_UNLIKELY(tx->limit - tx->head <= lines || lines > peer->ep->max_lines)) {
        return NULL;
    }
    return (uint8_t *)ni_lane_at(tx) + NI_LINE;
}

NI_ALWAYS_INLINE void ni_lines_commit(struct ni_peer *peer, uint32_t lines, uint32_t head_len,
                                      ni_handle queue, uint16_t tag, uint32_t total)
{
    struct ni_ep *ep = peer->ep;
    struct ni_packet *packet = ni_lane_at(&ep->tx);

    packet->word1 = ni_packet_word1(total, queue);
    ep->tx.bytes += total;
    ni_lane_commit_at(&ep->tx, packet,
                      ni_packet_word0(0, NI_PACKET_MESSAGE, NI_LINE - head_len, tag), lines);
    ni_published(peer, ep);
}

/* Do not send it. */
static inline void ni_msg_abort(struct ni_peer *peer)
{
    /* Nothing was published: the place is simply used again. A place outside of the lane is
     * closed by an empty packet. */
    if (peer->send.open.packet != NULL && !peer->send.open.in_lane) {
        peer->ep->ops->commit(peer->ep, peer->send.open.packet,
                              ni_packet_word0(0, NI_PACKET_NOP, NI_PACKET_HEADER, 0), 1);
    }
    peer->send.open.packet = NULL;
    ni_lock_give(&peer->lock, peer->threads);
}

#endif
