/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/send/fast.h"
#include "engine/send/send.h"
#include "engine/core/stamps.h"
#include "engine/send/waiting.h"

/*
 * Packets out: composed in the lane if it has room, otherwise where the link says, if it knows a
 * place.
 */

size_t ni_packet_max(const struct ni_peer *peer)
{
    const struct ni_ep *ep = peer->ep;
    size_t ring = ep == NULL ? 0 : ep->max_lines * NI_LINE;
    size_t bulk = ep == NULL ? 0 : ep->max_bulk;

    return ring > bulk ? ring - NI_LINE : bulk;
}

ni_status ni_packet_reserve(struct ni_peer *peer, uint32_t lines)
{
    struct ni_ep *ep = peer->ep;
    struct ni_open_message *open = &peer->send.open;

    if (NI_UNLIKELY(peer->stamps != NULL)) {
        ni_stamps_begin(peer->stamps);
    }
    open->bulk = NULL;
    open->lines = lines;
    if (ni_lane_room(&ep->tx, lines)) {
        open->in_lane = true;
        open->packet = ni_lane_at(&ep->tx);
        return NI_OK;
    }
    if (lines > ep->max_lines) {
        return NI_ERR_LIMIT;
    }

    ni_status status = ep->ops->reserve(ep, lines, &open->packet, &open->in_lane);

    if (status != NI_OK) {
        open->packet = NULL;
        if (status == NI_AGAIN) {
            ep->tx.asked_at = ep->tx.head;
            ni_stat_add(&peer->ni->stats.tx_full, 1);
        }
    }
    return status;
}

/* Ask for a packet that only a lane takes. */
ni_status ni_packet_need_lane(struct ni_peer *peer)
{
    struct ni_ep *ep = peer->ep;
    ni_status status;

    if (NI_LIKELY(ep->tx.lines != NULL)) {
        return NI_OK;
    }
    status = ni_packet_reserve(peer, (uint32_t)ep->max_lines);
    if (status == NI_OK && !peer->send.open.in_lane) {
        ep->ops->commit(ep, peer->send.open.packet,
                        ni_packet_word0(0, NI_PACKET_NOP, NI_PACKET_HEADER, 0), 1);
        status = NI_AGAIN;
    }
    peer->send.open.packet = NULL;
    return status;
}

/* Where in its packet a payload starts: so that its byte number skew begins a line, if that is
 * possible. */
static unsigned payload_head(uint32_t fields_len, uint32_t skew, uint32_t len)
{
    unsigned first = NI_PACKET_HEADER + fields_len;
    unsigned aligned = NI_LINE - skew % NI_LINE;

    if (first + len <= NI_LINE || aligned < first) {
        return first;
    }
    return aligned;
}

static ni_status begin_in_bulk(struct ni_peer *peer, uint32_t skew, uint32_t len)
{
    ni_status status = ni_packet_need_lane(peer); /* for its bulk area */

    if (status != NI_OK) {
        return status;
    }
    if (peer->ep->tx.bulk == NULL) {
        return NI_AGAIN; /* the lane has just been made, without: max_bulk says so from now on */
    }
    if (len > peer->ep->max_bulk) {
        return NI_ERR_LIMIT;
    }
    if (len > peer->ep->tx.bulk_most - NI_LINE) {
        skew = 0; /* fits only at the very beginning of the area */
    }
    status = ni_packet_reserve(peer, 1);
    if (status != NI_OK) {
        return status;
    }
    peer->send.open.bulk = ni_lane_bulk_reserve(&peer->ep->tx, len, skew);
    if (peer->send.open.bulk == NULL) {
        peer->send.open.packet = NULL;
        ni_stat_add(&peer->ni->stats.tx_full, 1);
        return NI_AGAIN;
    }
    return NI_OK;
}

/* Where a payload in the ring can leave together with others, longer ones go there, too. */
static uint32_t ring_payload(const struct ni_ep *ep)
{
    return ep->ring_payload != 0 ? ep->ring_payload : NI_RING_PAYLOAD;
}

ni_status ni_packet_begin(struct ni_peer *peer, uint32_t fields_len, uint32_t skew, uint32_t len,
                          uint8_t **fields, uint8_t **payload)
{
    struct ni_open_message *open = &peer->send.open;
    unsigned head = payload_head(fields_len, skew, len);
    ni_status status = ni_peer_endpoint(peer);

    if (NI_UNLIKELY(status != NI_OK)) {
        return status;
    }
    if (ni_packet_lines(head, len) <= peer->ep->max_lines &&
        (len <= ring_payload(peer->ep) || len > peer->ep->max_bulk)) {
        status = ni_packet_reserve(peer, ni_packet_lines(head, len));
    } else {
        /* Fields and the bulk offset share the line: 48 - 8 bytes of fields fit. */
        status = begin_in_bulk(peer, skew, len);
        head = NI_PACKET_HEADER;
    }
    if (NI_UNLIKELY(status != NI_OK)) {
        return status;
    }
    open->head = (uint8_t)head;
    *fields = (uint8_t *)open->packet + NI_PACKET_HEADER;
    *payload = open->bulk != NULL ? open->bulk : (uint8_t *)open->packet + head;
    return NI_OK;
}

NI_ALWAYS_INLINE void commit_packet(struct ni_peer *peer, unsigned kind, uint16_t tag, uint32_t len,
                                    ni_handle region)
{
    struct ni_open_message *open = &peer->send.open;
    struct ni_packet *packet = open->packet;
    struct ni_ep *ep = peer->ep;
    uint64_t word0 = ni_packet_word0(0, kind, open->head, tag);

    packet->word1 = ni_packet_word1(len, region);
    open->packet = NULL;
    if (open->bulk != NULL) {
        ni_lane_commit_bulk(&ep->tx, word0, 1, open->bulk, len);
    } else if (open->in_lane) {
        ni_lane_commit(&ep->tx, word0, open->lines);
    } else {
        ep->ops->commit(ep, packet, word0, open->lines);
        ni_stat_add(&peer->ni->stats.tx_packets, 1);
        ni_stat_add(&peer->ni->stats.tx_bytes, len);
        len = 0;
    }
    ep->tx.bytes += len;
    ni_published(peer, ep);
}

/* What says when it was posted and departed follows at once. */
static NI_COLD void commit_stamped(struct ni_peer *peer, unsigned kind, uint16_t tag, uint32_t len,
                                   ni_handle region)
{
    const struct ni_open_message *open = &peer->send.open;
    bool in_lane = open->in_lane || open->bulk != NULL;
    struct ni_packet_stamp stamp = ni_stamps_depart(peer, in_lane ? peer->ep->tx.seq : 0);

    commit_packet(peer, kind, tag, len, region);
    if (ni_packet_reserve(peer, 1) != NI_OK) {
        ni_stat_add(&peer->ni->stats.stamps_lost, 1);
        return;
    }
    peer->send.open.head = NI_LINE;
    memcpy(peer->send.open.packet->body, &stamp, sizeof(stamp));
    commit_packet(peer, NI_PACKET_NOP, NI_NOP_STAMP, 0, 0);
}

void ni_packet_commit(struct ni_peer *peer, unsigned kind, uint16_t tag, uint32_t len,
                      ni_handle region)
{
    if (NI_UNLIKELY(ni_source_pending(peer, NI_SOURCE_REQUESTS))) {
        peer->send.passed++;
    }
    if (NI_UNLIKELY(peer->stamps != NULL) && ni_stamps_kind(kind)) {
        commit_stamped(peer, kind, tag, len, region);
    } else {
        commit_packet(peer, kind, tag, len, region);
    }
}
