/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "engine/arrive.h"
#include "engine/ask.h"
#include "engine/control.h"
#include "engine/direct.h"
#include "engine/fast.h"
#include "engine/help.h"
#include "engine/op.h"
#include "engine/probe.h"
#include "engine/regions.h"
#include "engine/send.h"
#include "engine/stream.h"

/*
 * Packets in: one handler per kind. What a packet does is decided by the type of the region that it
 * names; everything in it is checked here first, against our own table, and a refusal goes back to
 * whoever asked.
 */

struct ni_arrival {
    struct ni *ni;
    struct ni_peer *peer;
    const struct ni_packet *packet;
    const uint8_t *payload;
    struct ni_lane_rx *lane; /* NULL if it came outside of a lane */
    ni_handle region;
    uint32_t len;
    uint16_t tag;
    bool in_bulk;
};

enum {
    NI_REQUESTS = 1 << NI_PACKET_WRITE | 1 << NI_PACKET_READ | 1 << NI_PACKET_ATOMIC |
                  1 << NI_PACKET_JOB | 1 << NI_PACKET_PUT | 1 << NI_PACKET_PUT_LONG |
                  1 << NI_PACKET_GET | 1 << NI_PACKET_COMBINE,
};

typedef ni_status (*ni_arrive_fn)(const struct ni_arrival *arrival);

static ni_status answer(const struct ni_arrival *a, uint64_t token, ni_status status,
                        uint64_t value)
{
    return ni_direct_answer(a->peer, token, status, value, a->ni->threads);
}

/* Whether the packet may do this to its region. */
static ni_status check(const struct ni_arrival *a, const struct ni_packet_remote *fields,
                       uint64_t len, unsigned access)
{
    ni_status status =
        ni_table_check(&a->ni->table, a->region, fields->key, fields->addr, len, access, NULL);

    if (NI_UNLIKELY(status != NI_OK)) {
        ni_stat_add(&a->ni->stats.rx_refused, 1);
    }
    return status;
}

static ni_status refuse(const struct ni_arrival *a, ni_status why)
{
    ni_stat_add(&a->ni->stats.rx_refused, 1);
    return why;
}

static bool fields_fit(const struct ni_arrival *a, const struct ni_packet_remote *fields)
{
    return fields->operand <= fields->compare && a->len <= fields->compare - fields->operand;
}

/* The offset of the payload in its packet: fields must lie before it. */
static bool has_fields(const struct ni_arrival *a, size_t size)
{
    return a->in_bulk
               ? size <= NI_PACKET_BULK_AT - NI_PACKET_HEADER
               : a->len == 0 || a->payload >= (const uint8_t *)a->packet + NI_PACKET_HEADER + size;
}

/* ---- MESSAGE: a Write to a QUEUE, no ack
 * --------------------------------------------------------------------------- */

static ni_status to_queue(const struct ni_arrival *a, ni_consumer_fn consumer, void *arg,
                          struct ni_queue *queue)
{
    if (NI_LIKELY(consumer != NULL)) {
        struct ni_message_info info = {
            .source = a->peer, .data = a->payload, .len = a->len, .tag = a->tag};

        consumer(arg, &info);
        return NI_OK;
    }

    ni_status status = ni_queue_push(queue, a->payload, a->len);

    return status == NI_ERR_BOUNDS ? refuse(a, status) : status;
}

static ni_status on_message(const struct ni_arrival *a)
{
    const struct ni_table_entry *entry = ni_table_get(&a->ni->table, a->region);

    if (NI_UNLIKELY(entry == NULL || ni_entry_type(entry) != NI_REGION_QUEUE)) {
        (void)refuse(a, NI_ERR_REGION);
        return NI_OK;
    }
    /* Nobody asked to be told of a refusal: only a full queue concerns the sender. */
    return to_queue(a, (ni_consumer_fn)(uintptr_t)ni_entry_object(entry, NI_OBJECT_CONSUMER),
                    (void *)(uintptr_t)ni_entry_object(entry, NI_OBJECT_ARGUMENT),
                    (struct ni_queue *)(uintptr_t)ni_entry_object(entry, NI_OBJECT_BODY)) ==
                   NI_AGAIN
               ? NI_AGAIN
               : NI_OK;
}

/* ---- WRITE -----------------------------------------------------------------------------------
 * ---------------------- */

static ni_status write_memory(const struct ni_arrival *a, const struct ni_packet_remote *fields)
{
    bool last = fields->operand + a->len == fields->compare;
    ni_status status;

    ni_lock_take(&a->ni->memory, a->ni->threads);
    status = check(a, fields, fields->compare, NI_ACCESS_WRITE);
    if (status == NI_OK) {
        memcpy((void *)(uintptr_t)(fields->addr + fields->operand), a->payload, a->len);
    }
    ni_lock_give(&a->ni->memory, a->ni->threads);
    /* The first segment is refused for all; the last one reports a region that went away
     * meanwhile. */
    if (last || (status != NI_OK && fields->operand == 0)) {
        return answer(a, fields->token, status, fields->compare);
    }
    return NI_OK;
}

static ni_status write_queue(const struct ni_arrival *a, const struct ni_region_view *region)
{
    return to_queue(a, (ni_consumer_fn)(uintptr_t)region->object[NI_OBJECT_CONSUMER],
                    (void *)(uintptr_t)region->object[NI_OBJECT_ARGUMENT],
                    (struct ni_queue *)(uintptr_t)region->object[NI_OBJECT_BODY]);
}

static ni_status write_counter(const struct ni_arrival *a)
{
    int64_t value;

    if (a->len != sizeof(value)) {
        return refuse(a, NI_ERR_BOUNDS);
    }
    memcpy(&value, a->payload, sizeof(value));
    return ni_counter_add(a->ni, a->region, value);
}

/* A Write to a region that is more than memory: one packet, whole. */
static ni_status write_object(const struct ni_arrival *a, const struct ni_packet_remote *fields,
                              const struct ni_region_view *region)
{
    ni_status status;

    if (region->key != fields->key) {
        status = refuse(a, NI_ERR_KEY);
    } else if (fields->compare != a->len) {
        status = refuse(a, NI_ERR_BOUNDS);
    } else if (region->type == NI_REGION_QUEUE) {
        status = write_queue(a, region);
    } else if (region->type == NI_REGION_COUNTER) {
        status = write_counter(a);
    } else {
        status = refuse(a, NI_ERR_ACCESS); /* descriptors are composed by their owner alone */
    }
    return answer(a, fields->token, status, a->len);
}

static ni_status on_write(const struct ni_arrival *a)
{
    const struct ni_table_entry *entry = ni_table_get(&a->ni->table, a->region);
    struct ni_packet_remote fields;
    struct ni_region_view region;

    memcpy(&fields, a->packet->body, sizeof(fields));
    if (!has_fields(a, sizeof(fields)) || !fields_fit(a, &fields)) {
        return NI_ERR_PROTOCOL;
    }
    if (entry != NULL && ni_entry_read(entry, a->region, &region) &&
        region.type != NI_REGION_MEMORY) {
        return write_object(a, &fields, &region);
    }
    return write_memory(a, &fields);
}

/* ---- READ, ATOMIC ----------------------------------------------------------------------------
 * -------------------- */

static ni_status answer_refusal(const struct ni_arrival *a, uint64_t token, ni_status status)
{
    return status == NI_OK ? NI_OK : answer(a, token, status, 0);
}

/* The answer in one packet, now; false: not now, or not at all. */
static bool answer_read(const struct ni_arrival *a, const struct ni_packet_remote *fields)
{
    struct ni_peer *peer = a->peer;
    struct ni *ni = a->ni;
    uint32_t len = (uint32_t)fields->operand;
    unsigned head = len <= NI_LINE - NI_DIRECT_READ ? NI_DIRECT_READ : NI_LINE;
    uint32_t lines = ni_packet_lines(head, len);
    struct ni_packet *packet;
    bool sent = false;

    ni_lock_take(&peer->lock, ni->threads);
    packet = ni_direct_place(peer, lines);
    if (NI_LIKELY(packet != NULL && lines <= peer->ep->max_lines)) {
        ni_lock_take(&ni->memory, ni->threads);
        if (NI_LIKELY(ni_table_check(&ni->table, a->region, fields->key, fields->addr, len,
                                     NI_ACCESS_READ, NULL) == NI_OK)) {
            ni_direct_copy((uint8_t *)packet + head, (const void *)(uintptr_t)fields->addr, len);
            sent = true;
        }
        ni_lock_give(&ni->memory, ni->threads);
    }
    if (NI_LIKELY(sent)) {
        packet->body[0] = fields->token;
        packet->body[1] = len;
        packet->body[2] = 0;
        ni_direct_send(peer, packet, ni_packet_word0(0, NI_PACKET_ACK, head, NI_OK),
                       ni_packet_word1(len, 0), lines);
    }
    ni_lock_give(&peer->lock, ni->threads);
    return sent;
}

static ni_status on_read(const struct ni_arrival *a)
{
    struct ni_packet_remote fields;
    ni_status status;

    memcpy(&fields, a->packet->body, sizeof(fields));
    if (fields.token == 0 || a->len != 0) {
        return NI_ERR_PROTOCOL;
    }
    if (fields.operand != 0 && fields.operand <= NI_RING_PAYLOAD &&
        fields.operand <= a->ni->config->segment_size && answer_read(a, &fields)) {
        return NI_OK;
    }
    status = check(a, &fields, fields.operand, NI_ACCESS_READ);
    if (status == NI_OK) {
        status = ni_stream_answer(a->peer, (const void *)(uintptr_t)fields.addr, fields.operand,
                                  fields.token, a->region, fields.key);
    }
    return answer_refusal(a, fields.token, status);
}

/* ---- ACK -------------------------------------------------------------------------------------
 * ---------------------- */

static void finish(struct ni_op *op, ni_status status, uint64_t value)
{
    if (!op->plain && op->asked) {
        op->peer->heard_ns = ni_now_ns();
        ni_ask_end(op);
    }
    ni_op_complete(op, status, value);
}

static ni_status on_ack(const struct ni_arrival *a)
{
    struct ni_packet_ack fields;
    ni_status status = ni_direct_status(a->tag);
    struct ni_op *op;
    bool asked;

    memcpy(&fields, a->packet->body, sizeof(fields));
    if (!has_fields(a, sizeof(fields))) {
        return NI_ERR_PROTOCOL;
    }
    op = ni_op_find(a->peer, fields.token);
    if (op == NULL || op->kind == NI_OP_FLUSH || (!op->plain && op->job != NULL && !op->asked)) {
        return NI_OK; /* completed already, with an earlier segment's refusal */
    }
    asked = !op->plain && op->asked;
    if (status == NI_AGAIN && asked && op->got == 0) {
        ni_ask_declined(op);
        return NI_OK;
    }
    if (op->kind != NI_OP_READ || status != NI_OK) {
        uint64_t value = op->kind == NI_OP_ATOMIC ? fields.value : op->len;

        finish(op, status, status == NI_OK ? value : 0);
        return NI_OK;
    }
    /* Segments of an answer come in order. */
    if (fields.value != op->len || fields.offset != op->got || a->len > op->len - op->got) {
        return NI_ERR_PROTOCOL;
    }
    memcpy(op->local + op->got, a->payload, a->len);
    op->got += a->len;
    if (op->got == op->len) {
        finish(op, NI_OK, op->len);
    } else if (asked) {
        a->peer->heard_ns = ni_now_ns();
    }
    return NI_OK;
}

static ni_status on_job(const struct ni_arrival *a)
{
    struct ni_packet_job fields;

    memcpy(&fields, a->packet->body, sizeof(fields));
    if (a->len != 0 || fields.job >= NI_LANE_JOBS) {
        return NI_ERR_PROTOCOL;
    }
    if (a->lane != NULL && fields.ask != 0) {
        return answer_refusal(a, fields.token,
                              ni_ask_arrive(a->ni, a->peer, &fields, a->region, a->lane));
    }
    if (a->lane != NULL) {
        ni_help_arrive(a->ni, a->peer, &fields, a->region, a->lane);
    }
    return NI_OK;
}

static ni_status on_nop(const struct ni_arrival *a)
{
    if (a->tag != 0) {
        ni_probe_arrive(a->peer, a->tag, a->packet->body[0]);
    }
    return NI_OK;
}

/* ---- PUT and its kin: the portals' ------------------------------------------------------------
 */

/* An NI without a portal table drops puts, and says so to whoever asks. */
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

static ni_status on_put(const struct ni_arrival *a)
{
    struct ni_packet_put_more more = {.token = 0};

    if ((a->tag & NI_PUT_MORE) != 0) {
        memcpy(&more, a->packet->body + 2, sizeof(more));
    }
    return drop_put(a, more.token);
}

/* PUT_LONG, GET, COMBINE: the token is at the same place. */
static ni_status on_put_long(const struct ni_arrival *a)
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
    [NI_PACKET_MESSAGE] = on_message,
    [NI_PACKET_WRITE] = on_write,
    [NI_PACKET_READ] = on_read,
    [NI_PACKET_ATOMIC] = on_unknown, /* direct.c */
    [NI_PACKET_ACK] = on_ack,
    [NI_PACKET_JOB] = on_job,
    [NI_PACKET_NOP] = on_nop,
    [NI_PACKET_PUT] = on_put,
    [NI_PACKET_PUT_LONG] = on_put_long,
    [NI_PACKET_PUT_ACK] = on_unknown,
    [NI_PACKET_GET] = on_put_long,
    [NI_PACKET_COMBINE] = on_put_long,
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

    /* A request is not begun whose answer could be lost. */
    if ((1U << (kind % 32) & NI_REQUESTS) != 0 && !ni_send_can_answer(ni)) {
        return NI_AGAIN;
    }
    if (kind >= NI_PACKET_PUT && kind < NI_PACKET_KINDS && ni->portal_ops != NULL) {
        return ni->portal_ops->arrive(ni, peer, packet, word0, word1, payload);
    }
    if (kind == NI_PACKET_ATOMIC) {
        return ni_arrive_atomic(ni, peer, packet, word0, word1);
    }
    return kind < NI_PACKET_KINDS ? handlers[kind](&arrival) : NI_ERR_PROTOCOL;
}
