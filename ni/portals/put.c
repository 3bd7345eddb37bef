/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/fast.h"
#include "portals/portals.h"

/*
 * Puts at their initiator.
 *
 *   up to 32 bytes, room in the lane   composed here, inline; nothing remains
 *   eager                              one packet with the data; remains if an ACK is wanted
 *   long                               one packet with a region of the data; remains until the
 *                                      target's answer, which ends the region
 *   no room                            waits in peer->put_queue
 */

/* ---- events ---------------------------------------------------------------------------------- */

static void tell(const struct ni_eq *eq, enum ni_event_kind type, const struct ni_put *put,
                 enum ni_ni_fail fail, uint64_t mlength, uint64_t remote_offset)
{
    struct ni_event event = {
        .type = type,
        .ni_fail_type = fail,
        .user_ptr = put->user_ptr,
        .start = (void *)(uintptr_t)put->header.src,
        .match_bits = put->header.match_bits,
        .hdr_data = put->header.hdr_data,
        .rlength = put->header.length,
        .mlength = mlength,
        .remote_offset = remote_offset,
        .pt_index = put->header.pt_index,
        .peer = put->peer,
    };

    ni_event_tell(eq, &event);
}

void ni_put_tell_sent(const struct ni_put *put, enum ni_ni_fail fail)
{
    if (put->eq != NULL && (put->options & NI_MD_EVENT_SEND_DISABLE) == 0 &&
        (fail != NI_NI_OK || (put->options & NI_MD_EVENT_SUCCESS_DISABLE) == 0)) {
        tell(put->eq, NI_EVENT_SEND, put, fail, fail == NI_NI_OK ? put->header.length : 0,
             put->header.remote_offset);
    }
}

static void tell_ack(const struct ni_put *put, enum ni_ni_fail fail, uint64_t mlength,
                     uint64_t remote_offset)
{
    if (put->ack && put->eq != NULL &&
        (fail != NI_NI_OK || (put->options & NI_MD_EVENT_SUCCESS_DISABLE) == 0)) {
        tell(put->eq, NI_EVENT_ACK, put, fail, mlength, remote_offset);
    }
}

/* ---- the struct ------------------------------------------------------------------------------ */

struct ni_put *ni_put_new(struct ni *ni, const struct ni_put *from)
{
    struct ni_put *put;

    ni_lock_take(&ni->lock, ni->threads);
    put = ni_pool_get(&ni->portals->puts);
    if (put != NULL) {
        *put = *from;
        put->header.token = ni_pool_token(&ni->portals->puts, put);
        ni_list_init(&put->all);
        ni_list_init(&put->queue);
        ni_list_init(&put->task.list);
        ni_list_push_back(put->peer != NULL ? &put->peer->puts : &ni->portals->own_puts, &put->all);
    }
    ni_lock_give(&ni->lock, ni->threads);
    return put;
}

struct ni_put *ni_put_find(struct ni *ni, const struct ni_peer *peer, uint64_t token)
{
    struct ni_put *put;

    ni_lock_take(&ni->lock, ni->threads);
    put = ni_pool_from_token(&ni->portals->puts, token);
    /* A peer may only answer what it was asked. */
    if (put != NULL && (put->peer != peer || (peer != NULL && !put->asked))) {
        put = NULL;
    }
    ni_lock_give(&ni->lock, ni->threads);
    return put;
}

void ni_put_free(struct ni *ni, struct ni_put *put)
{
    ni_lock_take(&ni->lock, ni->threads);
    ni_list_remove(&put->all);
    ni_work_remove(&ni->portal_work, &put->task.list);
    ni_pool_put(&ni->portals->puts, put);
    ni_lock_give(&ni->lock, ni->threads);
}

void ni_put_finish(struct ni *ni, struct ni_put *put, enum ni_ni_fail fail, uint64_t mlength,
                   uint64_t remote_offset)
{
    struct ni_put ended = *put;

    ni_put_free(ni, put);
    if (ended.rkey.handle != 0) {
        (void)ni_region_deregister(ni, ended.rkey.handle);
    }
    if (!ended.told) {
        ni_put_tell_sent(&ended, fail);
    }
    tell_ack(&ended, fail, mlength, remote_offset);
}

/* ---- packets: the peer's lock is held --------------------------------------------------------- */

/* From now on an answer may end the put, in another thread: called when nothing can keep its packet
 * from being sent any more, and afterwards the put is not touched. */
static void ask(struct ni_put *put)
{
    struct ni *ni = put->peer->ni;

    ni_lock_take(&ni->lock, ni->threads);
    put->asked = true;
    ni_lock_give(&ni->lock, ni->threads);
}

/* open: the put's struct if it wants an answer, else NULL. */
static ni_status send_eager(struct ni_peer *peer, const struct ni_put_header *header,
                            struct ni_put *open)
{
    bool ack = open != NULL;
    uint32_t len = (uint32_t)header->length;
    const struct ni_packet_put put = {header->match_bits, header->hdr_data};
    const struct ni_packet_put_more more = {ack ? header->token : 0, header->remote_offset};
    bool with_more = ack || header->remote_offset != 0;
    uint16_t tag = (uint16_t)(header->pt_index | (with_more ? NI_PUT_MORE : 0));
    uint8_t *fields, *payload;
    ni_status status = ni_packet_begin(peer, sizeof(put) + (with_more ? sizeof(more) : 0), 0, len,
                                       &fields, &payload);

    if (status != NI_OK) {
        return status;
    }
    memcpy(fields, &put, sizeof(put));
    if (with_more) {
        memcpy(fields + sizeof(put), &more, sizeof(more));
    }
    if (len != 0) {
        ni_msg_copy(peer, payload, header->src, len);
    }
    if (open != NULL) {
        ask(open);
    }
    ni_packet_commit(peer, NI_PACKET_PUT, tag, len, NI_HANDLE_PORTAL);
    return NI_OK;
}

static ni_status expose(struct ni_put *put)
{
    ni_status status = NI_OK;

    if (put->rkey.handle == 0) {
        status = ni_region_memory(put->peer->ni, (void *)(uintptr_t)put->header.src,
                                  put->header.length, NI_ACCESS_READ, &put->rkey);
    }
    /* Others that end make room for it. */
    return status == NI_ERR_LIMIT || status == NI_ERR_NOMEM ? NI_AGAIN : status;
}

static ni_status send_long(struct ni_put *put)
{
    const struct ni_put_header *header = &put->header;
    struct ni_peer *peer = put->peer;
    uint16_t tag;
    bool with_more = header->remote_offset != 0 || header->length > UINT32_MAX;
    struct ni_packet_put_long fields = {.match_bits = header->match_bits,
                                        .hdr_data = header->hdr_data,
                                        .token = header->token,
                                        .addr = (uintptr_t)header->src,
                                        .length = (uint32_t)header->length};
    const struct ni_packet_put_long_more more = {header->remote_offset, header->length};
    uint32_t len = with_more ? sizeof(more) : 0;
    uint8_t *place, *payload;
    ni_status status = expose(put);

    if (status == NI_OK) {
        status = ni_packet_begin(peer, sizeof(fields), 0, len, &place, &payload);
    }
    if (status != NI_OK) {
        return status;
    }
    fields.key = put->rkey.key;
    fields.handle = put->rkey.handle;
    memcpy(place, &fields, sizeof(fields));
    memcpy(payload, &more, len);
    tag = (uint16_t)(header->pt_index | (with_more ? NI_PUT_MORE : 0));
    ask(put);
    ni_packet_commit(peer, NI_PACKET_PUT_LONG, tag, len, NI_HANDLE_PORTAL);
    return NI_OK;
}

/* Whether a put goes without its data. */
static bool goes_long(struct ni_peer *peer, uint64_t length)
{
    if (length <= NI_PUT_INLINE) {
        return false;
    }
    return length > peer->ni->config->match_eager || length > ni_packet_max(peer) ||
           (atomic_load_explicit(peer->ep->wishes, memory_order_relaxed) & NI_WISH_HEADERS_ONLY) !=
               0;
}

/* ---- waiting for room ------------------------------------------------------------------------- */

/* An eager put that waited has left, and wants no answer. */
static void sent_late(struct ni *ni, struct ni_portal_task *task)
{
    ni_put_finish(ni, ni_container_of(task, struct ni_put, task), NI_NI_OK, 0, 0);
}

/* Send a put that has a struct; see ask. *is_long tells how it went. */
static ni_status send_open(struct ni_put *put, bool *is_long)
{
    ni_status status = NI_ERR_LIMIT;

    *is_long = put->is_long || goes_long(put->peer, put->header.length);
    if (!*is_long) {
        status = send_eager(put->peer, &put->header, put->ack ? put : NULL);
    }
    if (status != NI_ERR_LIMIT) {
        return status;
    }
    *is_long = true;
    put->is_long = true;
    put->told = false;
    return send_long(put);
}

ni_status ni_put_send_first(struct ni_peer *peer)
{
    struct ni_put *put = ni_container_of(peer->put_queue.next, struct ni_put, queue);
    ni_status status = ni_peer_endpoint(peer);
    bool is_long, wants_answer;

    if (status != NI_OK) {
        return status;
    }
    /* Out of the queue first: see ask. */
    ni_list_remove(&put->queue);
    wants_answer = put->ack;
    status = send_open(put, &is_long);
    if (status != NI_OK) {
        ni_list_push_front(&peer->put_queue, &put->queue);
        return status;
    }
    peer->waiting--;
    if (!is_long && !wants_answer) {
        ni_task_add(peer->ni, &put->task, sent_late);
    }
    return NI_OK;
}

static void unqueue(struct ni_put *put)
{
    struct ni_peer *peer = put->peer;

    ni_lock_take(&peer->lock, peer->threads);
    if (ni_list_linked(&put->queue)) {
        ni_list_remove(&put->queue);
        peer->waiting--;
    }
    ni_lock_give(&peer->lock, peer->threads);
}

void ni_put_complete_all(struct ni_peer *peer, ni_status status)
{
    struct ni *ni = peer->ni;
    size_t count;

    /* Those that events start meanwhile are not meant. */
    ni_lock_take(&ni->lock, ni->threads);
    count = ni_list_length(&peer->puts);
    ni_lock_give(&ni->lock, ni->threads);
    while (count-- != 0) {
        struct ni_put *put = NULL;

        ni_lock_take(&ni->lock, ni->threads);
        if (!ni_list_empty(&peer->puts)) {
            put = ni_container_of(peer->puts.next, struct ni_put, all);
        }
        ni_lock_give(&ni->lock, ni->threads);
        if (put == NULL) {
            return;
        }
        unqueue(put);
        ni_put_finish(ni, put, ni_fail_of(status), 0, 0);
    }
}

/* ---- ni_put ----------------------------------------------------------------------------------- */

/* Send now, or make it wait. *sent: the data has left. The peer's lock is held. */
static ni_status begin(struct ni_put *put, bool *sent, struct ni_put **waits)
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
    put->is_long = goes_long(peer, put->header.length);
    put->told = !put->is_long;
    if (turn && !put->is_long && !put->ack) {
        status = send_eager(peer, &put->header, NULL);
        *sent = status == NI_OK;
        peer->overtake = peer->overtake && !*sent;
        if (status != NI_AGAIN && status != NI_ERR_LIMIT) {
            return status;
        }
    }
    *waits = ni_put_new(peer->ni, put);
    if (*waits == NULL) {
        return NI_ERR_NOMEM;
    }
    status = turn ? send_open(*waits, &is_long) : NI_AGAIN;
    if (status == NI_OK) {
        peer->overtake = false;
        *sent = !is_long;
    } else if (status == NI_AGAIN) {
        (*waits)->told = false;
        ni_send_queue_put(peer, &(*waits)->queue);
        status = NI_OK;
    }
    return status;
}

static int put_slowly(struct ni_put *put)
{
    struct ni_peer *peer = put->peer;
    struct ni *ni = peer->ni;
    struct ni_put *waits = NULL;
    bool sent = false;
    ni_status status;

    if (ni->forked) {
        return NI_ERR_FORKED;
    }
    if (peer->threads) {
        atomic_fetch_add_explicit(&peer->callers, 1, memory_order_acquire);
    }
    ni_lock_take(&peer->lock, peer->threads);
    status = begin(put, &sent, &waits);
    ni_lock_give(&peer->lock, peer->threads);
    if (status != NI_OK && waits != NULL) {
        if (waits->rkey.handle != 0) {
            (void)ni_region_deregister(ni, waits->rkey.handle);
        }
        ni_put_free(ni, waits);
    }
    if (peer->threads) {
        /* Pairs with the acquire load in peer.c, settle. */
        atomic_fetch_sub_explicit(&peer->callers, 1, memory_order_release);
    }
    if (status != NI_OK) {
        return status == NI_ERR_NOMEM ? (int)NI_PTL_NO_SPACE : (int)status;
    }
    if (sent && (put->options & NI_MD_SENT_BY_RESULT) != 0) {
        return NI_PTL_SENT;
    }
    if (sent) {
        ni_put_tell_sent(put, NI_NI_OK);
    }
    return NI_OK;
}

/* One line, in the lane, now; false: the long way. */
NI_ALWAYS_INLINE bool put_at_once(struct ni_peer *peer, const void *src, uint64_t length,
                                  uint32_t pt_index, uint64_t match_bits, uint64_t hdr_data)
{
    const unsigned head = NI_PACKET_HEADER + sizeof(struct ni_packet_put);
    struct ni_packet *packet;
    struct ni_ep *ep;

    ni_lock_take(&peer->lock, peer->threads);
    ep = peer->ep;
    if (NI_UNLIKELY(peer->waiting != 0 || ep == NULL || !ni_lane_room(&ep->tx, 1))) {
        ni_lock_give(&peer->lock, peer->threads);
        return false;
    }
    packet = ni_lane_at(&ep->tx);
    packet->word1 = ni_packet_word1((uint32_t)length, NI_HANDLE_PORTAL);
    packet->body[0] = match_bits;
    packet->body[1] = hdr_data;
    if (NI_LIKELY(length == 8)) {
        memcpy(&packet->body[2], src, 8);
    } else if (length != 0) {
        memcpy(&packet->body[2], src, length);
    }
    ni_lane_commit(&ep->tx, ni_packet_word0(0, NI_PACKET_PUT, head, (uint16_t)pt_index), 1);
    atomic_store_explicit(&peer->ni->warm, peer, memory_order_relaxed);
    if (NI_UNLIKELY(atomic_load_explicit(ep->sleeping, memory_order_relaxed) != 0)) {
        ep->ops->wake(ep);
    }
    ni_lock_give(&peer->lock, peer->threads);
    return true;
}

static NI_COLD int put_otherwise(struct ni_put *put, struct ni *ni, bool sent)
{
    if (sent) {
        ni_put_tell_sent(put, NI_NI_OK);
        return NI_OK;
    }
    return put->peer != NULL ? put_slowly(put) : ni_put_self(ni, put);
}

int ni_put(struct ni *ni, const struct ni_md *md, uint64_t local_offset, uint64_t length,
           enum ni_ack_req ack, struct ni_peer *target, uint32_t pt_index, uint64_t match_bits,
           uint64_t remote_offset, void *user_ptr, uint64_t hdr_data)
{
    const uint8_t *src = (const uint8_t *)((uintptr_t)md->start + local_offset);
    bool sent = false;

    if (NI_UNLIKELY(ni->portals == NULL)) {
        return NI_PTL_NO_INIT;
    }
    if (NI_UNLIKELY(length > md->length || local_offset > md->length - length ||
                    pt_index >= NI_PT_COUNT || length > ni->portals->limits.max_msg_size ||
                    (unsigned)ack > NI_ACK_REQ)) {
        return NI_PTL_ARG_INVALID;
    }
    if (NI_LIKELY(target != NULL && length <= NI_PUT_INLINE && ack == NI_NO_ACK_REQ &&
                  remote_offset == 0)) {
        sent = put_at_once(target, src, length, pt_index, match_bits, hdr_data);
        if (NI_LIKELY(sent && (md->options & NI_MD_SENT_BY_RESULT) != 0)) {
            return NI_PTL_SENT;
        }
    }

    struct ni_put put = {
        .peer = target,
        .header =
            {
                .src = src,
                .length = length,
                .match_bits = match_bits,
                .hdr_data = hdr_data,
                .remote_offset = remote_offset,
                .pt_index = (uint16_t)pt_index,
            },
        .eq = md->eq,
        .user_ptr = user_ptr,
        .options = md->options,
        .ack = ack != NI_NO_ACK_REQ,
    };

    return put_otherwise(&put, ni, sent);
}

ni_initiator ni_peer_initiator(const struct ni_peer *peer)
{
    return peer->initiator;
}
