/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/incoming.h"

/*
 * Gets, atomics and their answers from peers. What no correct peer sends ends the peer; an answer
 * that names nothing is late, or invented.
 */

/* Whether an answer of so many bytes has somewhere to go. */
static bool has_way_back(uint64_t length, ni_handle handle)
{
    return length <= NI_REPLY_INLINE || handle != 0;
}

ni_status ni_on_get(const struct ni_packet_in *in)
{
    struct ni_packet_put_long fields;
    struct ni_packet_put_long_more more = {.remote_offset = 0};
    struct ni_request request = {.data = NULL};

    memcpy(&fields, in->packet->body, sizeof(fields));
    more.length = fields.length;
    if (fields.token == 0 || fields.hdr_data != 0 || in->in_bulk ||
        in->len != ((in->tag & NI_PUT_MORE) != 0 ? sizeof(more) : 0) ||
        !ni_packet_in_has(in, sizeof(fields))) {
        return NI_ERR_PROTOCOL;
    }
    if (in->len != 0) {
        memcpy(&more, in->payload, sizeof(more));
    }
    if (more.length > INT64_MAX || !has_way_back(more.length, fields.handle)) {
        return NI_ERR_PROTOCOL;
    }
    if (!ni_send_can_answer(in->ni)) {
        return NI_ERR_NOMEM;
    }
    request.from = (struct ni_arriving){
        .peer = in->peer,
        .initiator = in->peer->core.initiator,
        .match_bits = fields.match_bits,
        .rlength = more.length,
        .remote_offset = more.remote_offset,
        .token = fields.token,
        .verb = NI_VERB_GET,
    };
    request.to =
        (struct ni_remote){.addr = fields.addr, .key = fields.key, .handle = fields.handle};
    return ni_request_serve(in->ni, &request, in->tag & NI_PUT_INDEX);
}

/* ---- COMBINE --------------------------------------------------------------------------------- */

/* Take what precedes the data from the payload; false if it is not there, or makes no sense. */
static bool take_apart(const struct ni_packet_in *in, const struct ni_packet_combine *fields,
                       struct ni_request *request)
{
    struct ni_packet_combine_reply reply = {0, 0};
    const uint8_t *at = in->payload;
    size_t before, left = in->len;

    request->what = (struct ni_combination){.op = (enum ni_ptl_op)fields->op,
                                            .type = (enum ni_ptl_datatype)fields->type};
    before = (fields->handle != 0 ? sizeof(reply) : 0U) + ni_operand_size(&request->what);
    if (left < before || left - before > NI_ATOMIC_MOST ||
        !ni_combination_valid(&request->what, left - before)) {
        return false;
    }
    if (fields->handle != 0) {
        memcpy(&reply, at, sizeof(reply));
        at += sizeof(reply);
    }
    if (ni_op_has_operand(request->what.op)) {
        memcpy(request->what.operand_bytes, at, ni_operand_size(&request->what));
        at += ni_operand_size(&request->what);
    }
    request->to =
        (struct ni_remote){.addr = reply.addr, .key = reply.key, .handle = fields->handle};
    request->data = at;
    request->from.rlength = left - before;
    return true;
}

/* Swaps fetch; what fetches can be answered, what does not has no place for it. */
static bool is_combine_sound(const struct ni_packet_combine *fields, uint64_t length)
{
    if (fields->fetch > 1 || fields->zero != 0) {
        return false;
    }
    return fields->fetch != 0 ? fields->token != 0 && has_way_back(length, fields->handle)
                              : fields->handle == 0 && fields->op < NI_SWAP;
}

ni_status ni_on_combine(const struct ni_packet_in *in)
{
    struct ni_packet_combine fields;
    struct ni_request request;

    memcpy(&fields, in->packet->body, sizeof(fields));
    if (!ni_packet_in_has(in, sizeof(fields)) || (in->tag & NI_PUT_MORE) != 0) {
        return NI_ERR_PROTOCOL;
    }
    request.from = (struct ni_arriving){
        .peer = in->peer,
        .initiator = in->peer->core.initiator,
        .match_bits = fields.match_bits,
        .hdr_data = fields.hdr_data,
        .remote_offset = fields.remote_offset,
        .token = fields.token,
        .verb = fields.fetch != 0 ? NI_VERB_FETCH : NI_VERB_ATOMIC,
    };
    if (!take_apart(in, &fields, &request) || !is_combine_sound(&fields, request.from.rlength)) {
        return NI_ERR_PROTOCOL;
    }
    if (fields.token != 0 && !ni_send_can_answer(in->ni)) {
        return NI_ERR_NOMEM;
    }
    return ni_request_serve(in->ni, &request, in->tag & NI_PUT_INDEX);
}

/* ---- REPLY ----------------------------------------------------------------------------------- */

ni_status ni_on_reply(const struct ni_packet_in *in)
{
    struct ni_packet_ack fields;
    struct ni_put *put;

    memcpy(&fields, in->packet->body, sizeof(fields));
    if (in->tag != 0 || !ni_packet_in_has(in, sizeof(fields))) {
        return NI_ERR_PROTOCOL;
    }
    put = ni_put_find(in->ni, in->peer, fields.token);
    if (put == NULL) {
        return NI_OK;
    }
    if (!ni_put_fetches(put) || fields.value > put->header.length ||
        (in->len != 0 && in->len != fields.value) ||
        (in->len == 0 && fields.value != 0 && put->rkey.handle == 0)) {
        return NI_ERR_PROTOCOL;
    }
    if (in->len != 0) {
        memcpy(put->extra->dst, in->payload, in->len);
    }
    ni_put_finish(in->ni, put, NI_NI_OK, fields.value, fields.offset);
    return NI_OK;
}
