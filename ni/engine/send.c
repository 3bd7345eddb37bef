/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/fast.h"
#include "engine/send.h"
#include "engine/stream.h"

/*
 * Packets out. A packet is composed in place, in the lane or where the link says. Small control
 * packets (acks, requests) that find no room wait in order, then go before anything else towards
 * that peer: acks high, streams after them.
 */

ni_status ni_peer_endpoint(struct ni_peer *peer)
{
    if (NI_LIKELY(peer->ep != NULL)) {
        return ni_peer_state(peer);
    }
    if (ni_peer_state(peer) != NI_OK) {
        return ni_peer_state(peer);
    }
    return peer->link->ops->connect(peer->link, peer->blob, peer->blob_len, peer, &peer->ep);
}

size_t ni_packet_max(const struct ni_peer *peer)
{
    const struct ni_ep *ep = peer->ep;
    size_t ring = ep == NULL ? 0 : ep->max_lines * NI_LINE;
    size_t bulk = ep == NULL ? 0 : ep->max_bulk;

    return ring > bulk ? ring - NI_LINE : bulk;
}

void ni_peer_count_sent(struct ni_peer *peer)
{
    struct ni *ni = peer->ni;
    struct ni_lane_tx *tx;

    if (peer->ep == NULL) {
        return;
    }
    tx = &peer->ep->tx;
    ni_lock_take(&ni->lock, ni->threads);
    ni_stat_add(&ni->stats.tx_packets, tx->seq - tx->counted);
    ni_stat_add(&ni->stats.tx_bytes, tx->bytes);
    ni_lock_give(&ni->lock, ni->threads);
    tx->counted = tx->seq;
    tx->bytes = 0;
}

void ni_peers_count_sent(struct ni *ni)
{
    struct ni_list *node;

    ni_lock_take(&ni->lock, ni->threads);
    for (node = ni->peers.next; node != &ni->peers; node = node->next) {
        struct ni_peer *peer = ni_container_of(node, struct ni_peer, all);

        /* Peers stay until the NI closes. */
        ni_lock_give(&ni->lock, ni->threads);
        if (!ni->threads || ni_lock_try(&peer->lock)) {
            ni_peer_count_sent(peer);
            ni_lock_give(&peer->lock, peer->threads);
        }
        ni_lock_take(&ni->lock, ni->threads);
    }
    ni_lock_give(&ni->lock, ni->threads);
}

/* A place of so many lines, in the lane if there is room. */
static ni_status reserve(struct ni_peer *peer, uint32_t lines)
{
    struct ni_ep *ep = peer->ep;
    struct ni_open_message *open = &peer->open;

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
            ni_stat_add(&peer->ni->stats.tx_full, 1);
        }
    }
    return status;
}

/* The lane must exist before its bulk area can be used: ask for a packet that only a lane takes. */
static ni_status need_lane(struct ni_peer *peer)
{
    struct ni_ep *ep = peer->ep;
    ni_status status;

    if (NI_LIKELY(ep->tx.lines != NULL)) {
        return NI_OK;
    }
    status = reserve(peer, (uint32_t)ep->max_lines);
    if (status == NI_OK && !peer->open.in_lane) {
        ep->ops->commit(ep, peer->open.packet,
                        ni_packet_word0(0, NI_PACKET_NOP, NI_PACKET_HEADER, 0), 1);
        status = NI_AGAIN;
    }
    peer->open.packet = NULL;
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
    ni_status status = need_lane(peer);

    if (status != NI_OK) {
        return status;
    }
    if (peer->ep->tx.bulk == NULL) {
        return NI_AGAIN; /* the lane has just been made, without: max_bulk says so from now on */
    }
    if (len > peer->ep->max_bulk) {
        return NI_ERR_LIMIT;
    }
    if (len > peer->ep->tx.bulk_size - NI_LINE) {
        skew = 0; /* fits only at the very beginning of the area */
    }
    status = reserve(peer, 1);
    if (status != NI_OK) {
        return status;
    }
    peer->open.bulk = ni_lane_bulk_reserve(&peer->ep->tx, len, skew);
    if (peer->open.bulk == NULL) {
        peer->open.packet = NULL;
        ni_stat_add(&peer->ni->stats.tx_full, 1);
        return NI_AGAIN;
    }
    return NI_OK;
}

ni_status ni_packet_begin(struct ni_peer *peer, uint32_t fields_len, uint32_t skew, uint32_t len,
                          uint8_t **fields, uint8_t **payload)
{
    struct ni_open_message *open = &peer->open;
    unsigned head = payload_head(fields_len, skew, len);
    ni_status status = ni_peer_endpoint(peer);

    if (NI_UNLIKELY(status != NI_OK)) {
        return status;
    }
    if (ni_packet_lines(head, len) <= peer->ep->max_lines &&
        (len <= NI_RING_PAYLOAD || len > peer->ep->max_bulk)) {
        status = reserve(peer, ni_packet_lines(head, len));
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

void ni_packet_commit(struct ni_peer *peer, unsigned kind, uint16_t tag, uint32_t len,
                      ni_handle region)
{
    struct ni_open_message *open = &peer->open;
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
    atomic_store_explicit(&peer->ni->warm, peer, memory_order_relaxed);
    if (NI_UNLIKELY(atomic_load_explicit(ep->sleeping, memory_order_relaxed) != 0)) {
        ep->ops->wake(ep);
    }
}

/* ---- messages --------------------------------------------------------------------------------
 * ----------------- */

uint8_t *ni_msg_begin_slow(struct ni_peer *peer, uint32_t head_len, uint32_t len)
{
    uint8_t *fields, *payload;

    if (ni_usable(peer->ni) == NI_OK && ni_send_turn(peer) &&
        ni_packet_begin(peer, 0, head_len, head_len + len, &fields, &payload) == NI_OK) {
        peer->overtake = false;
        return payload;
    }
    ni_lock_give(&peer->lock, peer->threads);
    return NULL;
}

NI_COLD void ni_line_wake(struct ni_ep *ep)
{
    ep->ops->wake(ep);
}

void ni_msg_commit_slow(struct ni_peer *peer, ni_handle queue, uint16_t tag, uint32_t total)
{
    ni_packet_commit(peer, NI_PACKET_MESSAGE, tag, total, queue);
    ni_lock_give(&peer->lock, peer->threads);
}

size_t ni_message_max(const struct ni_peer *peer)
{
    struct ni_lock *lock = (struct ni_lock *)(uintptr_t)&peer->lock;
    size_t max;

    ni_lock_take(lock, peer->threads);
    max = ni_packet_max(peer);
    ni_lock_give(lock, peer->threads);
    return max;
}

/* Why a message of so many bytes found no place. */
static NI_COLD ni_status refusal(struct ni_peer *peer, size_t len)
{
    ni_status status = ni_usable(peer->ni);

    if (status == NI_OK) {
        ni_lock_take(&peer->lock, peer->threads);
        status = ni_peer_endpoint(peer);
        if (status == NI_OK) {
            status = len > ni_packet_max(peer) ? NI_ERR_LIMIT : NI_AGAIN;
        }
        ni_lock_give(&peer->lock, peer->threads);
    }
    return status;
}

ni_status ni_message(struct ni *ni, struct ni_peer *peer, ni_handle queue, uint16_t tag,
                     const void *head, size_t head_len, const void *data, size_t len)
{
    uint8_t *place;

    (void)ni;
    if (NI_UNLIKELY(head_len > UINT32_MAX / 4 || len > UINT32_MAX / 4)) {
        return NI_ERR_LIMIT;
    }
    place = ni_msg_begin(peer, (uint32_t)head_len, (uint32_t)len);
    if (NI_UNLIKELY(place == NULL)) {
        return refusal(peer, head_len + len);
    }
    if (head_len != 0) {
        memcpy(place, head, head_len);
    }
    if (len != 0) {
        ni_msg_copy(peer, place + head_len, data, len);
    }
    ni_msg_commit(peer, queue, tag, (uint32_t)(head_len + len));
    return NI_OK;
}

/* ---- what waits ------------------------------------------------------------------------------
 * ------------------- */

static ni_status send_now(struct ni_peer *peer, const struct ni_control *control)
{
    struct ni_open_message *open = &peer->open;
    ni_status status = ni_peer_endpoint(peer);

    if (status == NI_OK) {
        status = reserve(peer, 1);
    }
    if (status != NI_OK) {
        return status;
    }
    open->head = (uint8_t)ni_packet_head(control->word0);
    memcpy(open->packet->body, control->body, sizeof(control->body));
    ni_packet_commit(peer, ni_packet_kind(control->word0), ni_packet_tag(control->word0),
                     ni_packet_len(control->word1), ni_packet_region(control->word1));
    return NI_OK;
}

/* The peer has something that waits: have progress look after it. */
static void now_busy(struct ni_peer *peer)
{
    struct ni *ni = peer->ni;

    peer->waiting++;
    ni_lock_take(&ni->lock, ni->threads);
    ni_work_add(&ni->busy, &peer->busy);
    ni_lock_give(&ni->lock, ni->threads);
}

/* Without memory a request can be refused, an answer cannot: it takes the spare one. */
static struct ni_control *get_control(struct ni *ni, bool answer)
{
    struct ni_control *control;

    ni_lock_take(&ni->lock, ni->threads);
    control = ni_pool_get(&ni->control_pool);
    if (control == NULL && answer) {
        control = ni->spare;
        ni->spare = NULL;
    }
    ni_lock_give(&ni->lock, ni->threads);
    return control;
}

bool ni_send_can_answer(struct ni *ni)
{
    if (NI_UNLIKELY(ni->spare == NULL)) {
        ni->spare = get_control(ni, false);
    }
    return ni->spare != NULL;
}

static ni_status wait_for_room(struct ni_peer *peer, const struct ni_control *control)
{
    unsigned kind = ni_packet_kind(control->word0);
    bool answer = kind == NI_PACKET_ACK || kind == NI_PACKET_PUT_ACK || kind == NI_PACKET_REPLY;
    struct ni_control *waits = get_control(peer->ni, answer);

    if (waits == NULL) {
        return NI_ERR_NOMEM;
    }
    *waits = *control;
    ni_list_push_back(&peer->controls, &waits->list);
    now_busy(peer);
    return NI_OK;
}

ni_status ni_send_control(struct ni_peer *peer, unsigned kind, unsigned head, uint16_t tag,
                          uint32_t len, ni_handle region, const void *body, size_t body_len)
{
    struct ni_control control = {.word0 = ni_packet_word0(0, kind, head, tag),
                                 .word1 = ni_packet_word1(len, region)};
    ni_status status = NI_AGAIN;

    memcpy(control.body, body, body_len);
    ni_lock_take(&peer->lock, peer->threads);
    if (ni_list_empty(&peer->controls)) {
        status = send_now(peer, &control);
    }
    if (status == NI_AGAIN) {
        status = ni_peer_state(peer) != NI_OK ? ni_peer_state(peer) : wait_for_room(peer, &control);
    }
    ni_lock_give(&peer->lock, peer->threads);
    return status;
}

void ni_send_queue_put(struct ni_peer *peer, struct ni_list *put)
{
    ni_list_push_back(&peer->put_queue, put);
    now_busy(peer);
}

void ni_stream_queue(struct ni_stream *stream)
{
    struct ni_peer *peer = stream->peer;

    ni_list_push_back(&peer->streams, &stream->list);
    now_busy(peer);
}

static void control_done(struct ni_peer *peer, struct ni_control *control)
{
    struct ni *ni = peer->ni;

    ni_list_remove(&control->list);
    peer->waiting--;
    ni_lock_take(&ni->lock, ni->threads);
    ni_pool_put(&ni->control_pool, control);
    ni_lock_give(&ni->lock, ni->threads);
}

enum {
    NI_STREAMS_COMPARED = 32,
};

/* The stream whose turn it is: the one with the fewest bytes left, so that a short one waits for
 * one segment of a long one, and equal ones end one after the other; each fourth time the oldest,
 * so that none waits for ever. */
static struct ni_stream *next_stream(struct ni_peer *peer)
{
    struct ni_list *node = peer->streams.next;
    struct ni_stream *best = ni_container_of(node, struct ni_stream, list);

    if (peer->segments++ % 4 == 0) {
        return best;
    }
    for (unsigned i = 1; i < NI_STREAMS_COMPARED && (node = node->next) != &peer->streams; i++) {
        struct ni_stream *stream = ni_container_of(node, struct ni_stream, list);

        if (stream->len - stream->sent < best->len - best->sent) {
            best = stream;
        }
    }
    return best;
}

enum {
    NI_PUTS_IN_A_ROW = 8, /* then a segment of a stream */
};

/* Puts go in the order in which they were made. */
static unsigned send_puts(struct ni_peer *peer)
{
    unsigned sent = 0;

    while (!ni_list_empty(&peer->put_queue) && sent < NI_PUTS_IN_A_ROW &&
           peer->ni->portal_ops->send_first(peer) == NI_OK) {
        sent++;
    }
    return sent;
}

unsigned ni_send_waiting(struct ni_peer *peer)
{
    unsigned sent = 0;

    while (!ni_list_empty(&peer->controls)) {
        struct ni_control *control = ni_container_of(peer->controls.next, struct ni_control, list);

        if (send_now(peer, control) != NI_OK) {
            return sent;
        }
        control_done(peer, control);
        sent++;
    }
    sent += send_puts(peer);
    if (!ni_list_empty(&peer->streams)) {
        struct ni_stream *stream = next_stream(peer);
        bool ended = false;

        /* Without room, or with a peer of which the link knows that it is gone. */
        if (ni_stream_step(stream, &ended) != NI_OK) {
            return sent;
        }
        sent++;
        peer->overtake = true;
        if (ended) {
            peer->waiting--;
            ni_stream_free(stream);
        }
    }
    return sent;
}

/* Control packets go before messages, segments of streams and messages in turn: so a long transfer
 * holds up a message by one segment, and a flood of messages holds up no long transfer. */
bool ni_send_turn(struct ni_peer *peer)
{
    if (peer->waiting == 0) {
        return true;
    }
    (void)ni_send_waiting(peer);
    return ni_list_empty(&peer->controls) && ni_list_empty(&peer->put_queue) &&
           (ni_list_empty(&peer->streams) || peer->overtake);
}

unsigned ni_send_progress(struct ni *ni)
{
    unsigned sent = 0;
    struct ni_list *node;

    ni_lock_take(&ni->lock, ni->threads);
    node = ni->busy.items.next;
    while (node != &ni->busy.items) {
        struct ni_peer *peer = ni_container_of(node, struct ni_peer, busy);

        ni_lock_give(&ni->lock, ni->threads);
        ni_lock_take(&peer->lock, peer->threads);
        sent += ni_send_waiting(peer);
        ni_lock_take(&ni->lock, ni->threads);
        node = node->next;
        if (peer->waiting == 0) {
            ni_work_remove(&ni->busy, &peer->busy);
        }
        ni_lock_give(&peer->lock, peer->threads);
    }
    ni_lock_give(&ni->lock, ni->threads);
    return sent;
}
