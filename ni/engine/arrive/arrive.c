/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/arrive/arrival.h"
#include "engine/arrive/arrive.h"
#include "engine/bulk/pull_request.h"
#include "engine/send/control.h"
#include "engine/send/direct.h"
#include "engine/bulk/shared_copy_in.h"
#include "engine/core/memory.h"
#include "engine/send/multipath.h"
#include "engine/core/portal_ops.h"
#include "engine/send/probe.h"
#include "engine/core/stamps.h"

/*
 * Packets in: one handler per kind. What a packet does is decided by the type of the region that it
 * names; everything in it is checked here first, against our own table, and a refusal goes back to
 * the peer that asked.
 */

enum {
    NI_REQUESTS = 1 << NI_PACKET_WRITE | 1 << NI_PACKET_READ | 1 << NI_PACKET_ATOMIC |
                  1 << NI_PACKET_COPY | 1 << NI_PACKET_PUT | 1 << NI_PACKET_PUT_LONG |
                  1 << NI_PACKET_GET | 1 << NI_PACKET_COMBINE,
};

/* It does not end what the token names. */
void ni_answer_unacked(struct ni_peer *peer, uint64_t token, ni_status status)
{
    struct ni_packet_ack fields = {.token = token, .offset = 1};

    if (token != 0) {
        (void)ni_send_control(peer, NI_PACKET_ACK, NI_LINE, (uint16_t)status, 0, 0, &fields,
                              sizeof(fields));
    }
}

ni_status ni_arrival_answer(const struct ni_arrival *a, uint64_t token, ni_status status,
                            uint64_t value)
{
    if (a->unacked) {
        if (status != NI_OK) {
            ni_answer_unacked(a->peer, token, status);
        }
        return NI_OK;
    }
    return ni_direct_answer(a->peer, token, status, value, a->ni->threads);
}

ni_status ni_arrival_write(const struct ni_arrival *a, const struct ni_packet_remote *fields,
                           uint64_t offset, const void *from, uint32_t len)
{
    const struct ni_remote where = ni_arrival_remote(a, fields);
    ni_status status =
        ni_memory_write(a->ni, &where, fields->compare, offset, from, len, a->ni->threads);

    return NI_LIKELY(status == NI_OK) ? NI_OK : ni_arrival_refuse(a, status);
}

ni_status ni_arrival_refuse(const struct ni_arrival *a, ni_status why)
{
    ni_stat_add(&a->ni->stats.rx_refused, 1);
    return why;
}

ni_status ni_arrival_answer_refusal(const struct ni_arrival *a, uint64_t token, ni_status status)
{
    return status == NI_OK ? NI_OK : ni_arrival_answer(a, token, status, 0);
}

static ni_status on_copy_request(const struct ni_arrival *a)
{
    struct ni_packet_copy fields;
    ni_status status;

    memcpy(&fields, a->packet->body, sizeof(fields));
    if ((a->len != 0) != (fields.what == NI_COPY_REQUEST_PUSH) ||
        fields.index >= NI_LANE_SHARED_COPIES) {
        return NI_ERR_PROTOCOL;
    }
    if (a->lane == NULL) {
        return NI_OK;
    }
    switch (fields.what) {
    case NI_COPY_REQUEST_SHARE:
        ni_shared_copy_in_arrive(a->ni, a->peer, &fields, a->region, a->lane);
        return NI_OK;
    case NI_COPY_REQUEST_PULL:
        return ni_arrival_answer_refusal(
            a, fields.token, ni_pull_request_arrive(a->ni, a->peer, &fields, a->region, a->lane));
    case NI_COPY_REQUEST_PUSH:
        return ni_push_offer_arrive(a->ni, &fields, a->region, a->lane, a->payload, a->len, &status)
                   ? ni_arrival_answer(a, fields.token, status, a->len)
                   : NI_OK;
    default:
        return NI_ERR_PROTOCOL;
    }
}

static ni_status on_nop(const struct ni_arrival *a)
{
    if (a->tag == NI_NOP_TAKEN) {
        return ni_multipath_taken(a->peer, ni_direct_field(a->packet, 0));
    }
    if (a->tag == NI_NOP_STAMP) {
        struct ni_packet_stamp told;

        memcpy(&told, a->packet->body, sizeof(told));
        ni_stamps_told(a->ni, a->peer, &told);
        return NI_OK;
    }
    if (a->tag >= NI_NOP_RING && a->tag <= NI_NOP_BULK) {
        return a->lane != NULL && a->lane->move != NULL ? a->lane->move(a->lane, a->tag)
                                                        : NI_ERR_PROTOCOL;
    }
    if (a->tag != 0) {
        ni_probe_arrive(a->peer, a->tag, a->packet->body[0]);
    }
    return NI_OK;
}

/* ---- PUT and its kin: the portals' ----------------------------------------------------------- */

/* An NI without a portal table drops puts, and says so to the peer that asks. */
static ni_status drop_put(const struct ni_arrival *a, uint64_t token)
{
    struct ni_packet_ack fields = {.token = token};

    ni_stat_add(&a->ni->stats.rx_refused, 1);
    if (token != 0) {
        (void)ni_send_control(a->peer, NI_PACKET_PUT_ACK, NI_LINE, NI_PUT_DROPPED, 0,
                              NI_HANDLE_PORTAL, &fields, sizeof(fields));
    }
    return NI_OK;
}

static ni_status on_put_packet(const struct ni_arrival *a)
{
    struct ni_packet_put_more more = {.token = 0};

    if ((a->tag & NI_PUT_MORE) != 0) {
        memcpy(&more, a->packet->body + 2, sizeof(more));
    }
    return drop_put(a, more.token);
}

/* PUT_LONG, GET, COMBINE: the token is at the same place. */
static ni_status on_put_long_packet(const struct ni_arrival *a)
{
    return drop_put(a, a->packet->body[2]);
}

static ni_status on_unknown(const struct ni_arrival *a)
{
    (void)a;
    return NI_ERR_PROTOCOL;
}

static const ni_arrive_fn handlers[NI_PACKET_KINDS] = {
    [0] = on_unknown,
    [NI_PACKET_MESSAGE] = ni_on_message,
    [NI_PACKET_WRITE] = ni_on_write,
    [NI_PACKET_READ] = ni_on_read,
    [NI_PACKET_ATOMIC] = on_unknown, /* direct.c */
    [NI_PACKET_ACK] = ni_on_ack,
    [NI_PACKET_COPY] = on_copy_request,
    [NI_PACKET_NOP] = on_nop,
    [NI_PACKET_PUT] = on_put_packet,
    [NI_PACKET_PUT_LONG] = on_put_long_packet,
    [NI_PACKET_PUT_ACK] = on_unknown,
    [NI_PACKET_GET] = on_put_long_packet,
    [NI_PACKET_COMBINE] = on_put_long_packet,
    [NI_PACKET_REPLY] = on_unknown,
};

ni_status ni_arrive_any(struct ni *ni, struct ni_peer *peer, const struct ni_packet *packet,
                        uint64_t word0, uint64_t word1, const uint8_t *payload,
                        struct ni_lane_rx *lane)
{
    struct ni_arrival arrival = {
        .ni = ni,
        .peer = peer,
        .packet = packet,
        .payload = payload,
        .lane = lane,
        .region = ni_packet_region(word1),
        .len = ni_packet_len(word1),
        .tag = ni_packet_tag(word0),
        .in_bulk = ni_packet_in_bulk(word0),
    };
    unsigned kind = ni_packet_kind(word0);

    arrival.unacked = kind == NI_PACKET_WRITE && (arrival.tag & NI_WRITE_UNACKED) != 0;

    /* A request is not begun whose answer could be lost. */
    if ((1U << (kind % 32) & NI_REQUESTS) != 0 && !ni_send_can_answer(ni)) {
        return NI_ERR_NOMEM;
    }
    if (kind >= NI_PACKET_PUT && kind < NI_PACKET_KINDS && ni->portal_ops != NULL) {
        return ni->portal_ops->arrive(ni, peer, packet, word0, word1, payload);
    }
    if (kind == NI_PACKET_ATOMIC) {
        return ni_arrive_atomic(ni, peer, packet, word0, word1);
    }
    return kind < NI_PACKET_KINDS ? handlers[kind](&arrival) : NI_ERR_PROTOCOL;
}
