/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/send/direct.h"
#include "engine/send/fast.h"
#include "engine/object/queue/multi.h"
#include "engine/object/queue/queue.h"
#include "engine/send/send.h"
#include "engine/send/waiting.h"

/* Multi-reader queues: packets to readers. */

/* What goes to a reader: an answer to its request, or a message to its queue. */
struct outgoing {
    unsigned kind;
    uint16_t tag;
    ni_handle queue;
    uint32_t fields; /* bytes of ack: its token, all of it, or 0 */
    struct ni_packet_ack ack;
    const void *item;
    uint32_t len;
};

static void compose(uint8_t *fields, uint8_t *payload, const struct outgoing *out)
{
    memcpy(fields, &out->ack, out->fields);
    if (out->len != 0) {
        memcpy(payload, out->item, out->len);
    }
}

/* Where the lane has no room, or is not made yet, but the link knows a place. */
static bool send_elsewhere(struct ni_peer *peer, const struct outgoing *out)
{
    uint8_t *fields, *payload;

    if (!ni_send_turn(peer) ||
        ni_packet_begin(peer, out->fields, 0, out->len, &fields, &payload) != NI_OK) {
        return false;
    }
    peer->send.overtake = false;
    compose(fields, payload, out);
    ni_packet_commit(peer, out->kind, out->tag, out->len, out->queue);
    return true;
}

/* Send it now, or not at all: nothing is kept. */
static bool send(struct ni_peer *peer, const struct outgoing *out)
{
    unsigned first = NI_PACKET_HEADER + out->fields;
    unsigned head = first + out->len <= NI_LINE ? first : NI_LINE;
    uint32_t lines = ni_packet_lines(head, out->len);
    struct ni_packet *packet;
    bool sent = true;

    ni_lock_take(&peer->lock, peer->threads);
    packet = ni_direct_place(peer, lines);
    if (NI_LIKELY(packet != NULL)) {
        compose((uint8_t *)packet->body, (uint8_t *)packet + head, out);
        ni_direct_send(peer, packet, ni_packet_word0(0, out->kind, head, out->tag),
                       ni_packet_word1(out->len, out->queue), lines);
    } else {
        sent = send_elsewhere(peer, out);
    }
    ni_lock_give(&peer->lock, peer->threads);
    return sent;
}

/* The shortest way (fast.h); false: not now. */
static bool answer_in_line(const struct ni_multi_request *request, ni_status status,
                           const void *item, uint32_t len)
{
    unsigned head = NI_PACKET_HEADER + sizeof(request->token);
    struct ni_line line;

    if (NI_UNLIKELY(head + len > NI_LINE) || NI_UNLIKELY(request->read) ||
        NI_UNLIKELY(ni_line_begin(request->peer, &line) == NULL)) {
        return false;
    }
    line.packet->body[0] = request->token;
    if (len != 0) {
        ni_item_copy(&line.packet->body[1], item, len);
    }
    ni_line_publish(request->peer, &line, ni_packet_word0(0, NI_PACKET_ACK, head, (uint16_t)status),
                    ni_packet_word1(len, 0));
    return true;
}

static bool send_on_in_line(const struct ni_multi_request *request, const void *item, uint32_t len)
{
    struct ni_line line;
    uint8_t *place;

    if (NI_UNLIKELY(len > NI_PACKET_INLINE)) {
        return false;
    }
    place = ni_line_begin(request->peer, &line);
    if (NI_UNLIKELY(place == NULL)) {
        return false;
    }
    ni_item_copy(place, item, len);
    ni_line_commit(request->peer, &line, request->to, 0, len);
    return true;
}

bool ni_multi_answer(const struct ni_multi_request *request, ni_status status, const void *item,
                     uint32_t len)
{
    struct outgoing out = {.kind = NI_PACKET_ACK,
                           .tag = (uint16_t)status,
                           .fields = request->read ? sizeof(out.ack) : sizeof(out.ack.token),
                           .ack = {.token = request->token, .value = len},
                           .item = item,
                           .len = len};

    return NI_LIKELY(answer_in_line(request, status, item, len)) || send(request->peer, &out);
}

bool ni_multi_send_on(const struct ni_multi_request *request, const void *item, uint32_t len)
{
    struct outgoing out = {
        .kind = NI_PACKET_MESSAGE, .queue = request->to, .item = item, .len = len};

    return NI_LIKELY(send_on_in_line(request, item, len)) || send(request->peer, &out);
}
