/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "engine/bulk/pull_request.h"
#include "engine/send/control.h"
#include "engine/arrive/answers.h"
#include "engine/send/multipath.h"
#include "engine/object/notify/note.h"
#include "engine/core/engine_thread.h"
#include "engine/core/peer_ops.h"

/* Parts in: each is marked in the window, put in its place, and accounted for. */

/* A part, as its packet says. */
struct part {
    struct ni_packet_part head;
    bool ordered, answer, noted, last;
    uint64_t offset;
    struct ni_packet_note note;
    const uint8_t *data;
    uint32_t len;
};

/* ---- the window ------------------------------------------------------------------------------ */

static bool tell_now(struct ni_multipath_in *in)
{
    uint64_t seq = in->base;

    /* The failure of a peer that is going away is noticed elsewhere. */
    if (ni_send_control(in->peer, NI_PACKET_NOP, NI_LINE, NI_NOP_TAKEN, 0, 0, &seq, sizeof(seq)) ==
        NI_ERR_NOMEM) {
        return false;
    }
    in->told = (uint32_t)seq;
    return true;
}

static bool tell_later(struct ni *ni, struct ni_deferred_call *deferred)
{
    struct ni_multipath_in *in = ni_container_of(deferred, struct ni_multipath_in, tell);

    if (tell_now(in) || ni->closing) {
        return true;
    }
    ni_deferred_call_add(ni, deferred);
    return false;
}

static void tell_sender(struct ni_multipath_in *in)
{
    if (in->base - in->told >= NI_PARTS_TELL && !ni_list_linked(&in->tell.list) && !tell_now(in)) {
        ni_deferred_call_add(in->peer->ni, &in->tell);
    }
}

static struct ni_multipath_in *get_multipath_in(struct ni_peer *peer)
{
    struct ni_multipath_in *in = peer->arrive.parts;

    if (in == NULL) {
        in = ni_calloc(1, sizeof(*in));
        if (in != NULL) {
            in->peer = peer;
            in->tell.run = tell_later;
            ni_list_init(&in->tell.list);
            peer->arrive.parts = in;
        }
    }
    return in;
}

static void free_parts(struct ni_peer *peer)
{
    ni_free(peer->arrive.parts);
}

void ni_parts_register(struct ni *ni)
{
    static const struct ni_peer_ops ops = {.free = free_parts};

    ni_peer_ops_register(ni, NI_FOLDER_ARRIVE, &ops);
}

/* The bit of a part that may come now; 0: it was there already, or is too far ahead. */
static uint64_t bit_of(const struct ni_multipath_in *in, uint32_t seq)
{
    uint32_t ahead = seq - in->base;
    uint64_t bit = ahead < NI_PARTS_WINDOW ? UINT64_C(1) << ahead : 0;

    return (in->taken & bit) == 0 ? bit : 0;
}

static void advance(struct ni_multipath_in *in)
{
    while ((in->taken & 1) != 0) {
        in->taken >>= 1;
        in->base++;
    }
}

/* ---- what becomes of a transfer -------------------------------------------------------------- */

/* All bytes are there: the note, and the answer. NI_AGAIN: not now; nobody was called. */
static ni_status complete_spread(const struct ni_arrival *a, const struct ni_packet_remote *fields,
                                 const struct ni_packet_note *note)
{
    ni_status status = note != NULL ? ni_note_carry_out(a, note) : NI_OK;

    if (status == NI_AGAIN) {
        return NI_AGAIN;
    }
    if (status != NI_OK) {
        (void)ni_arrival_refuse(a, status);
    }
    return ni_arrival_answer(a, fields->token, status, fields->compare);
}

/* The last one completes, others do nothing more. The first is refused for all. */
static ni_status take_ordered(const struct ni_arrival *a, const struct ni_packet_remote *fields,
                              const struct part *part)
{
    ni_status status = ni_arrival_write(a, fields, part->offset, part->data, part->len);

    if (status != NI_OK) {
        return part->last || part->offset == 0 ? ni_arrival_answer(a, fields->token, status, 0)
                                               : NI_OK;
    }
    return part->last ? complete_spread(a, fields, part->noted ? &part->note : NULL) : NI_OK;
}

/* Closed first: a note may call the program, which may poll. */
static ni_status close_count(const struct ni_arrival *a, const struct ni_packet_remote *fields,
                             struct ni_part_count *count)
{
    struct ni_packet_note note = count->note;
    ni_status status;

    count->open = false;
    if (count->failure != NI_OK) {
        return NI_OK; /* its initiator knows */
    }
    status = complete_spread(a, fields, count->noted ? &note : NULL);
    count->open |= status == NI_AGAIN;
    return status;
}

static ni_status take_counted_part(const struct ni_arrival *a,
                                   const struct ni_packet_remote *fields, const struct part *part,
                                   struct ni_part_count *count)
{
    ni_status status;

    if (!count->open || count->token != fields->token) {
        *count =
            (struct ni_part_count){.open = true, .token = fields->token, .total = fields->compare};
    }
    if (fields->compare != count->total || part->len > count->total - count->got) {
        ni_stat_add(&a->ni->stats.parts_refused, 1);
        return NI_ERR_PROTOCOL;
    }
    status = ni_arrival_write(a, fields, part->offset, part->data, part->len);
    if (status != NI_OK && count->failure == NI_OK) {
        count->failure = status;
        (void)ni_arrival_answer(a, fields->token, status, 0);
    }
    if (part->noted) {
        count->noted = true;
        count->note = part->note;
    }
    if (part->len == count->total - count->got) {
        return close_count(a, fields, count);
    }
    count->got += part->len;
    return NI_OK;
}

/* Of a Read: as ni_on_ack, but in any order. */
static ni_status take_answer_part(const struct ni_arrival *a, const struct ni_packet_remote *fields,
                                  const struct part *part)
{
    ni_status status = ni_direct_status((uint16_t)fields->key);
    struct ni_op *op = ni_op_find(a->peer, fields->token);

    if (!ni_answer_is_awaited(op)) {
        return NI_OK;
    }
    if (op->kind != NI_OP_READ || status == NI_AGAIN) {
        return NI_ERR_PROTOCOL;
    }
    if (status != NI_OK) {
        ni_pull_request_finish(op, status, 0);
        return NI_OK;
    }
    return ni_read_segment(a->peer, op, fields->compare, part->offset, part->data, part->len);
}

/* ---- a part ---------------------------------------------------------------------------------- */

static bool parse_part(const struct ni_arrival *a, const struct ni_packet_remote *fields,
                       struct part *part)
{
    const uint8_t *at = a->payload;
    uint32_t skip = sizeof(part->head);

    part->ordered = (fields->operand & NI_PART_ORDERED) != 0;
    part->answer = (fields->operand & NI_PART_ANSWER) != 0;
    part->noted = (fields->operand & NI_PART_NOTED) != 0;
    part->offset = fields->operand & NI_PART_OFFSET;
    skip += part->noted ? (uint32_t)sizeof(part->note) : 0;
    if (a->len < skip) {
        return false;
    }
    memcpy(&part->head, at, sizeof(part->head));
    if (part->noted) {
        memcpy(&part->note, at + sizeof(part->head), sizeof(part->note));
    }
    part->data = at + skip;
    part->len = a->len - skip;
    if (part->offset > fields->compare || part->len > fields->compare - part->offset) {
        return false;
    }
    part->last = part->offset + part->len == fields->compare;
    return part->head.counter < NI_PARTS_COUNTERS && part->head.zero == 0 &&
           (!part->noted || (part->last && !part->answer));
}

static ni_status take_part(const struct ni_arrival *a, const struct ni_packet_remote *fields,
                           const struct part *part, struct ni_multipath_in *in)
{
    if (part->answer) {
        return take_answer_part(a, fields, part);
    }
    return part->ordered ? take_ordered(a, fields, part)
                         : take_counted_part(a, fields, part, &in->counts[part->head.counter]);
}

/* The last part of an ordered transfer, for which others are missing. */
static ni_status hold_part(struct ni *ni, struct ni_multipath_in *in)
{
    if (!in->held) {
        ni_stat_add(&ni->stats.parts_held, 1);
        in->held = true;
    }
    if (++in->looks > NI_PARTS_LOOKS) {
        ni_stat_add(&ni->stats.parts_refused, 1);
        return NI_ERR_PROTOCOL;
    }
    return NI_AGAIN;
}

ni_status ni_on_part(const struct ni_arrival *a, const struct ni_packet_remote *fields)
{
    struct ni_multipath_in *in = get_multipath_in(a->peer);
    struct part part;
    uint64_t bit;
    uint32_t seq;
    ni_status status;

    if (in == NULL) {
        return NI_ERR_NOMEM;
    }
    if (!parse_part(a, fields, &part)) {
        return NI_ERR_PROTOCOL;
    }
    advance(in); /* over the one that has called the program, which polls now */
    seq = part.head.seq;
    bit = bit_of(in, seq);
    if (bit == 0) {
        ni_stat_add(&a->ni->stats.parts_refused, 1);
        return NI_ERR_PROTOCOL;
    }
    if (part.ordered && part.last && seq != in->base) {
        return hold_part(a->ni, in);
    }
    in->looks = 0;
    in->held = in->held && seq != in->base;
    ni_stat_add(&a->ni->stats.parts_early, seq != in->base);
    /* Marked first: what is called may poll, and take others. */
    in->taken |= bit;
    status = take_part(a, fields, &part, in);
    if (status != NI_OK) {
        in->taken &= ~bit; /* nothing was called, so nothing has moved */
        return status;
    }
    advance(in);
    tell_sender(in);
    return NI_OK;
}
