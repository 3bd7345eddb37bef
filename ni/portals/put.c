/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/send/direct.h"
#include "engine/send/fast.h"
#include "engine/core/stamps.h"
#include "engine/drive/thread.h"
#include "portals/portals.h"

/*
 * Puts at their initiator.
 *
 *   up to 32 bytes, room in the lane   composed here, inline; nothing remains
 *   in the lane's ring, room there     composed here; nothing remains
 *   eager                              one packet with the data; remains if an ACK is wanted
 *   long                               one packet with a region of the data; remains until the
 *                                      target's answer, which ends the region
 *   held                               short, to a target that wants no more: remains until it has
 *                                      matched, if its descriptor says so
 *   no room                            waits in peer->put_queue
 */

/* Send now, or make it wait. *sent: the data has left. The peer's lock is held. */
static ni_status begin_put(struct ni_put *put, bool *sent, struct ni_put **waits)
{
    struct ni_peer *peer = put->peer;
    bool turn = ni_send_turn(peer);
    ni_status status = ni_peer_endpoint(peer);
    bool is_long = false;

    *sent = false;
    *waits = NULL;
    if (status != NI_OK) {
        return status;
    }
    put->is_long = put->extra == NULL && ni_put_goes_long(peer, put->header.length);
    put->told = !put->is_long;
    ni_put_hold(put);
    if (turn && !put->is_long && !put->ack) {
        status = put->extra == NULL ? ni_put_send_eager(peer, &put->header, NULL)
                                    : ni_request_send(put, NULL);
        *sent = status == NI_OK;
        peer->send.overtake = peer->send.overtake && !*sent;
        if (status != NI_AGAIN && status != NI_ERR_LIMIT) {
            return status;
        }
    }
    *waits = ni_put_new(peer->ni, put);
    if (*waits == NULL) {
        return NI_ERR_NOMEM;
    }
    status = turn ? ni_put_send_open(*waits, &is_long) : NI_AGAIN;
    if (status == NI_OK) {
        peer->send.overtake = false;
        *sent = !is_long && !put->held;
    } else if (status == NI_AGAIN) {
        (*waits)->told = false;
        if ((*waits)->is_long) {
            ni_put_progress_async(*waits);
        }
        (*waits)->posted = ni_stamps_now(peer);
        ni_put_wait(*waits);
        status = NI_OK;
    }
    return status;
}

int ni_put_start(struct ni_put *put)
{
    struct ni_peer *peer = put->peer;
    struct ni *ni = peer->ni;
    struct ni_put *waits = NULL;
    bool sent = false;
    ni_status status;

    if (ni->forked) {
        return NI_ERR_FORKED;
    }
    ni_peer_enter(peer);
    ni_lock_take(&peer->lock, peer->threads);
    status = begin_put(put, &sent, &waits);
    ni_lock_give(&peer->lock, peer->threads);
    if (status != NI_OK && waits != NULL) {
        if (waits->rkey.handle != 0) {
            (void)ni_region_deregister(ni, waits->rkey.handle);
        }
        ni_put_free(ni, waits);
    }
    ni_peer_leave(peer);
    if (status != NI_OK) {
        return status == NI_ERR_NOMEM ? (int)NI_PTL_NO_SPACE : (int)status;
    }
    ni_async_progress_begin(ni);
    return sent ? ni_put_left(put) : NI_OK;
}

enum { NI_PUT_HEAD = NI_PACKET_HEADER + (int)sizeof(struct ni_packet_put) };

/* In the line of the put before it, which goes to the same portal table with the same hdr_data;
 * false: it may not. There is room for a line. */
NI_ALWAYS_INLINE bool put_ride(struct ni_peer *peer, const void *src, uint64_t length,
                               uint32_t pt_index, uint64_t match_bits, uint64_t hdr_data)
{
    uint8_t *rest;

    if (length > NI_RIDER_PUT) {
        return false;
    }
    rest = ni_line_rider(peer, NI_HANDLE_PORTAL, hdr_data);
    if (rest == NULL) {
        return false;
    }
    memcpy(rest, &match_bits, sizeof(match_bits));
    if (length != 0) {
        memcpy(rest + sizeof(match_bits), src, length);
    }
    ni_line_ride(peer, rest, NI_PACKET_PUT, (uint16_t)pt_index, (uint32_t)length);
    return true;
}

/* One line, in the lane, now, in an NI without threads; false: another way. */
NI_ALWAYS_INLINE bool put_line(struct ni_peer *peer, const void *src, uint64_t length,
                               uint32_t pt_index, uint64_t match_bits, uint64_t hdr_data)
{
    uint64_t word0 = ni_packet_word0(0, NI_PACKET_PUT, NI_PUT_HEAD, (uint16_t)pt_index);
    uint64_t word1 = ni_packet_word1((uint32_t)length, NI_HANDLE_PORTAL);
    struct ni_line line;

    if (NI_UNLIKELY(ni_line_begin(peer, &line) == NULL) || NI_UNLIKELY(ni_put_unwanted(peer))) {
        return false;
    }
    if (put_ride(peer, src, length, pt_index, match_bits, hdr_data)) {
        return true;
    }
    line.packet->body[0] = match_bits;
    line.packet->body[1] = hdr_data;
    if (NI_LIKELY(length == 8)) {
        memcpy(&line.packet->body[2], src, 8);
    } else if (length != 0) {
        memcpy(&line.packet->body[2], src, length);
    }
    if (NI_LIKELY(length <= NI_RIDER_PUT)) {
        ni_line_publish_ridden(peer, &line, word0, word1, hdr_data);
    } else {
        ni_line_publish(peer, &line, word0, word1);
    }
    return true;
}

/* One line or several, likewise, in any NI. always: also where the target wants no more. */
static NI_NOINLINE bool put_lines(struct ni_peer *peer, const void *src, uint64_t length,
                                  uint32_t pt_index, uint64_t match_bits, uint64_t hdr_data,
                                  bool always)
{
    unsigned head = length <= NI_PUT_INLINE ? NI_PUT_HEAD : NI_LINE;
    uint32_t lines = ni_packet_lines(head, (uint32_t)length);
    struct ni_packet *packet = NULL;

    ni_lock_take(&peer->lock, peer->threads);
    if (NI_LIKELY(peer->ep != NULL && lines <= peer->ep->max_lines &&
                  !ni_put_goes_long(peer, length) && (always || !ni_put_unwanted(peer)))) {
        packet = ni_direct_place(peer, lines);
    }
    if (NI_LIKELY(packet != NULL)) {
        if (length != 0) {
            memcpy((uint8_t *)packet + head, src, length);
        }
        /* Last: the peer polls this line, and takes it back from us at any time. */
        packet->body[0] = match_bits;
        packet->body[1] = hdr_data;
        ni_direct_send(peer, packet, ni_packet_word0(0, NI_PACKET_PUT, head, (uint16_t)pt_index),
                       ni_packet_word1((uint32_t)length, NI_HANDLE_PORTAL), lines);
    }
    ni_lock_give(&peer->lock, peer->threads);
    return packet != NULL;
}

/* Whether it is a put of the common kind, and right. */
static bool is_common_put(const struct ni *ni, const struct ni_md *md, uint64_t local_offset,
                          uint64_t length, enum ni_ack_req ack, uint32_t pt_index)
{
    return (md->options & (NI_MD_IOVEC | NI_MD_VOLATILE)) == 0 && length <= md->length &&
           local_offset <= md->length - length && pt_index < NI_PT_COUNT &&
           length <= ni->portals->limits.max_msg_size && (unsigned)ack <= NI_ACK_REQ;
}

/* What all puts of this descriptor that want no more than to leave ask for. */
static bool sent_by_result(const struct ni_md *md)
{
    return (md->options & (NI_MD_SENT_BY_RESULT | NI_MD_EVENT_CT_SEND)) == NI_MD_SENT_BY_RESULT;
}

/* Any put that the first lines of ni_put have let pass. sent: its data has left. */
static int put_otherwise(struct ni *ni, const struct ni_md *md, uint64_t local_offset,
                         uint64_t length, enum ni_ack_req ack, struct ni_peer *target,
                         uint32_t pt_index, uint64_t match_bits, uint64_t remote_offset,
                         void *user_ptr, uint64_t hdr_data, bool sent)
{
    struct ni_put put = {
        .peer = target,
        .header =
            {
                .src = (const uint8_t *)((uintptr_t)md->start + local_offset),
                .length = length,
                .match_bits = match_bits,
                .hdr_data = hdr_data,
                .remote_offset = remote_offset,
                .pt_index = (uint16_t)pt_index,
            },
        .eq = md->eq,
        .ct = md->ct,
        .user_ptr = user_ptr,
        .options = md->options,
        .ack = ack != NI_NO_ACK_REQ,
    };

    if (sent) {
        return ni_put_left(&put);
    }
    return target != NULL ? ni_put_start(&put) : ni_put_self(ni, &put);
}

/* All but the fastest. */
static NI_NOINLINE int put_any(struct ni *ni, const struct ni_md *md, uint64_t local_offset,
                               uint64_t length, enum ni_ack_req ack, struct ni_peer *target,
                               uint32_t pt_index, uint64_t match_bits, uint64_t remote_offset,
                               void *user_ptr, uint64_t hdr_data)
{
    bool sent = false;

    if (ni->portals == NULL) {
        return NI_PTL_NO_INIT;
    }
    if (!is_common_put(ni, md, local_offset, length, ack, pt_index)) {
        return ni_put_vector(ni, md, local_offset, length, ack, target, pt_index, match_bits,
                             remote_offset, user_ptr, hdr_data);
    }
    if (target != NULL && length <= NI_RING_PAYLOAD && ack == NI_NO_ACK_REQ && remote_offset == 0) {
        sent = put_lines(target, (const uint8_t *)((uintptr_t)md->start + local_offset), length,
                         pt_index, match_bits, hdr_data, (md->options & NI_MD_UNTIL_MATCHED) == 0);
    }
    if (NI_LIKELY(sent && sent_by_result(md))) {
        return NI_PTL_SENT;
    }
    return put_otherwise(ni, md, local_offset, length, ack, target, pt_index, match_bits,
                         remote_offset, user_ptr, hdr_data, sent);
}

int ni_put(struct ni *ni, const struct ni_md *md, uint64_t local_offset, uint64_t length,
           enum ni_ack_req ack, struct ni_peer *target, uint32_t pt_index, uint64_t match_bits,
           uint64_t remote_offset, void *user_ptr, uint64_t hdr_data)
{
    bool usual = target != NULL && length <= NI_PUT_INLINE && length <= md->length &&
                 local_offset <= md->length - length && ack == NI_NO_ACK_REQ &&
                 remote_offset == 0 && pt_index < NI_PT_COUNT && sent_by_result(md) &&
                 (md->options & NI_MD_IOVEC) == 0 && ni->portals != NULL &&
                 length <= ni->portals->limits.max_msg_size;

    if (NI_LIKELY(usual && put_line(target, (const uint8_t *)((uintptr_t)md->start + local_offset),
                                    length, pt_index, match_bits, hdr_data))) {
        return NI_PTL_SENT;
    }
    return put_any(ni, md, local_offset, length, ack, target, pt_index, match_bits, remote_offset,
                   user_ptr, hdr_data);
}

_Static_assert((int)NI_PUT_SHORT <= (int)NI_RING_PAYLOAD, "what lanes take");

bool ni_put_short(struct ni_peer *target, const void *data, uint64_t length, uint32_t pt_index,
                  uint64_t match_bits, uint64_t hdr_data)
{
    if (NI_UNLIKELY(target == NULL || length > NI_PUT_SHORT || pt_index >= NI_PT_COUNT)) {
        return false;
    }
    return (length <= NI_PUT_INLINE &&
            NI_LIKELY(put_line(target, data, length, pt_index, match_bits, hdr_data))) ||
           put_lines(target, data, length, pt_index, match_bits, hdr_data, false);
}

ni_initiator ni_peer_initiator(const struct ni_peer *peer)
{
    return peer->core.initiator;
}
