/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/send/fast.h"
#include "portals/portals.h"

/* Packets of gets and atomics. The peer's lock is held. */

/* Let the peer write the answer to a get or atomic, where it may be too long for a packet of its
 * own. */
static ni_status expose_answer_place(struct ni_put *put)
{
    return put->header.length > NI_REPLY_INLINE
               ? ni_put_expose(put, put->extra->dst, NI_ACCESS_WRITE)
               : NI_OK;
}

static ni_status send_get(struct ni_put *put)
{
    const struct ni_put_header *header = &put->header;
    bool with_more = header->remote_offset != 0 || header->length > UINT32_MAX;
    const struct ni_packet_put_long fields = {
        .match_bits = header->match_bits,
        .token = header->token,
        .addr = put->rkey.handle != 0 ? (uintptr_t)put->extra->dst : 0,
        .key = put->rkey.key,
        .handle = put->rkey.handle,
        .length = (uint32_t)header->length,
    };
    const struct ni_packet_put_long_more more = {header->remote_offset, header->length};
    uint32_t len = with_more ? sizeof(more) : 0;
    uint16_t tag = (uint16_t)(header->pt_index | (with_more ? NI_PUT_MORE : 0));
    uint8_t *place, *payload;
    ni_status status = ni_packet_begin(put->peer, sizeof(fields), 0, len, &place, &payload);

    if (status != NI_OK) {
        return status;
    }
    memcpy(place, &fields, sizeof(fields));
    memcpy(payload, &more, len);
    ni_put_ask(put);
    ni_packet_commit(put->peer, NI_PACKET_GET, tag, len, NI_HANDLE_PORTAL);
    return NI_OK;
}

/* The payload of an atomic. */
static void fill_combine_payload(uint8_t *payload, const struct ni_put *put)
{
    const struct ni_packet_combine_reply reply = {(uintptr_t)put->extra->dst, put->rkey.key};
    const struct ni_combination *what = &put->extra->what;

    if (put->rkey.handle != 0) {
        memcpy(payload, &reply, sizeof(reply));
        payload += sizeof(reply);
    }
    if (ni_op_has_operand(what->op)) {
        memcpy(payload, what->operand_bytes, ni_operand_size(what));
        payload += ni_operand_size(what);
    }
    if (put->header.length != 0) {
        memcpy(payload, put->header.src, put->header.length);
    }
}

static ni_status send_combine(struct ni_put *put, struct ni_put *open)
{
    const struct ni_put_header *header = &put->header;
    const struct ni_combination *what = &put->extra->what;
    const struct ni_packet_combine fields = {
        .match_bits = header->match_bits,
        .hdr_data = header->hdr_data,
        .token = open != NULL ? header->token : 0,
        .remote_offset = header->remote_offset,
        .op = (uint8_t)what->op,
        .type = (uint8_t)what->type,
        .fetch = put->extra->verb == NI_VERB_FETCH,
        .handle = put->rkey.handle,
    };
    uint32_t len = (uint32_t)header->length +
                   (put->rkey.handle != 0 ? sizeof(struct ni_packet_combine_reply) : 0U) +
                   ni_operand_size(what);
    uint16_t tag = header->pt_index;
    struct ni_peer *peer = put->peer;
    uint8_t *place, *payload;
    ni_status status = ni_packet_begin(peer, sizeof(fields), 0, len, &place, &payload);

    if (status != NI_OK) {
        return status;
    }
    memcpy(place, &fields, sizeof(fields));
    fill_combine_payload(payload, put);
    if (open != NULL) {
        ni_put_ask(open);
    }
    ni_packet_commit(peer, NI_PACKET_COMBINE, tag, len, NI_HANDLE_PORTAL);
    return NI_OK;
}

ni_status ni_request_send(struct ni_put *put, struct ni_put *open)
{
    ni_status status = ni_put_fetches(put) ? expose_answer_place(put) : NI_OK;

    if (status == NI_OK) {
        status = put->extra->verb == NI_VERB_GET ? send_get(put) : send_combine(put, open);
    }
    /* All rings and slots have packets as long as these, once they are there. */
    return status == NI_ERR_LIMIT ? NI_AGAIN : status;
}
