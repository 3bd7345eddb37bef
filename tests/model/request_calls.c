/* SPDX-License-Identifier: BSD-3-Clause */
#include "request_calls.h"

#include <stdlib.h>
#include <string.h>

#include "portal_model.h"

uint8_t *random_bytes(uint64_t length, struct ni_rng *rng)
{
    uint8_t *bytes = malloc(length + 8);

    if (bytes == NULL) {
        abort();
    }
    for (uint64_t i = 0; i < length; i += 8) {
        uint64_t some = ni_rng_next(rng);

        memcpy(bytes + i, &some, sizeof(some));
    }
    return bytes;
}

bool request_fetches(const struct request *request)
{
    return request->what.verb != MODEL_PUT && request->what.verb != MODEL_ATOMIC;
}

enum ni_event_kind request_kind(const struct request *request)
{
    return request->what.verb == MODEL_SWAP
               ? NI_EVENT_FETCH_ATOMIC
               : (enum ni_event_kind)((unsigned)NI_EVENT_PUT + (unsigned)request->what.verb);
}

static struct ni_md md_of(struct buffer *buffer, struct ni_eq *eq)
{
    struct ni_md md = {.start = buffer_at(buffer, 0), .length = buffer->length, .eq = eq};

    if (buffer->pieces != 0) {
        md = (struct ni_md){
            .start = buffer->piece, .length = buffer->pieces, .options = NI_MD_IOVEC, .eq = eq};
    }
    return md;
}

static void draw_atomic(struct request *request, uint64_t most, struct ni_rng *rng)
{
    bool swaps = request->what.verb == MODEL_SWAP;
    uint64_t size;

    /* Integers: what becomes of others is another test's. */
    do {
        request->what.type = (enum ni_ptl_datatype)ni_rng_below(rng, NI_DOUBLE);
    } while (request->what.type == NI_FLOAT);
    request->what.op = (enum ni_ptl_op)(swaps ? NI_SWAP + ni_rng_below(rng, NI_MSWAP - NI_SWAP + 1)
                                              : ni_rng_below(rng, NI_SWAP));
    size = model_size(request->what.type);
    request->what.length =
        request->what.op > NI_SWAP ? size : size * ni_rng_below(rng, most / size + 1);
    for (unsigned i = 0; i < sizeof(request->what.operand); i++) {
        request->what.operand[i] = (uint8_t)ni_rng_below(rng, 2);
    }
}

void request_draw(struct request *request, uint32_t number, const struct request_end *end,
                  bool is_short, struct ni_rng *rng)
{
    static const uint64_t lengths[] = {0, 8, 25, 32, 33, 100, 1000, 3000, 9000, REQUEST_LONGEST};
    uint64_t length =
        is_short ? ni_rng_below(rng, REQUEST_SHORT + 1) : lengths[ni_rng_below(rng, 10)];

    *request = (struct request){.end = end, .ack = ni_rng_below(rng, 2) != 0};
    request->what.verb = (enum model_verb)ni_rng_below(rng, MODEL_SWAP + 1);
    request->what.who =
        (struct model_item){.bits = ni_rng_below(rng, 4), .initiator = end->id, .number = number};
    request->what.length = length;
    request->what.offset = ni_rng_below(rng, 2) == 0 ? 0 : ni_rng_below(rng, is_short ? 40 : 400);
    if (request->what.verb >= MODEL_ATOMIC) {
        draw_atomic(request, is_short ? REQUEST_SHORT : 1024, rng);
    }
    length = request->what.length;
    buffer_make(&request->data, length, ni_rng_below(rng, 3) == 0, rng);
    buffer_make(&request->reply, length, ni_rng_below(rng, 3) == 0, rng);
    request->flat = random_bytes(length, rng);
    request->answer = random_bytes(length, rng);
    buffer_write(&request->data, 0, request->flat, length);
    buffer_write(&request->reply, 0, request->answer, length);
    request->what.data = request->flat;
    request->from = md_of(&request->data, end->eq);
    request->to = md_of(&request->reply, end->eq);
}

void request_free(struct request *request)
{
    buffer_free(&request->data);
    buffer_free(&request->reply);
    free(request->flat);
    free(request->answer);
}

int request_call(struct request *request)
{
    const struct model_op *what = &request->what;
    struct ni *ni = request->end->ni;
    struct ni_peer *to = request->end->target;
    enum ni_ack_req ack = request->ack ? NI_ACK_REQ : NI_NO_ACK_REQ;
    void *user = (void *)(uintptr_t)what->who.number;

    switch (what->verb) {
    case MODEL_PUT:
        return ni_put(ni, &request->from, 0, what->length, ack, to, REQUEST_PT, what->who.bits,
                      what->offset, user, what->who.number);
    case MODEL_GET:
        return ni_get(ni, &request->to, 0, what->length, to, REQUEST_PT, what->who.bits,
                      what->offset, user);
    case MODEL_ATOMIC:
        return ni_atomic(ni, &request->from, 0, what->length, ack, to, REQUEST_PT, what->who.bits,
                         what->offset, user, what->who.number, what->op, what->type);
    case MODEL_FETCH:
        return ni_fetch_atomic(ni, &request->to, 0, &request->from, 0, what->length, to, REQUEST_PT,
                               what->who.bits, what->offset, user, what->who.number, what->op,
                               what->type);
    case MODEL_SWAP:
        return ni_swap(ni, &request->to, 0, &request->from, 0, what->length, to, REQUEST_PT,
                       what->who.bits, what->offset, user, what->who.number, what->operand,
                       what->op, what->type);
    }
    return NI_PTL_ARG_INVALID;
}

int request_arm(struct request *request, uint64_t at)
{
    const struct model_op *what = &request->what;
    struct ni *ni = request->end->ni;
    struct ni_ct *ct = request->end->ct;
    struct ni_peer *to = request->end->target;
    enum ni_ack_req ack = request->ack ? NI_ACK_REQ : NI_NO_ACK_REQ;
    void *user = (void *)(uintptr_t)what->who.number;

    switch (what->verb) {
    case MODEL_PUT:
        return ni_triggered_put(ni, &request->from, 0, what->length, ack, to, REQUEST_PT,
                                what->who.bits, what->offset, user, what->who.number, ct, at);
    case MODEL_GET:
        return ni_triggered_get(ni, &request->to, 0, what->length, to, REQUEST_PT, what->who.bits,
                                what->offset, user, ct, at);
    case MODEL_ATOMIC:
        return ni_triggered_atomic(ni, &request->from, 0, what->length, ack, to, REQUEST_PT,
                                   what->who.bits, what->offset, user, what->who.number, what->op,
                                   what->type, ct, at);
    case MODEL_FETCH:
        return ni_triggered_fetch_atomic(ni, &request->to, 0, &request->from, 0, what->length, to,
                                         REQUEST_PT, what->who.bits, what->offset, user,
                                         what->who.number, what->op, what->type, ct, at);
    case MODEL_SWAP:
        return ni_triggered_swap(ni, &request->to, 0, &request->from, 0, what->length, to,
                                 REQUEST_PT, what->who.bits, what->offset, user, what->who.number,
                                 what->operand, what->op, what->type, ct, at);
    }
    return NI_PTL_ARG_INVALID;
}

/* ---- entries --------------------------------------------------------------------------------- */

struct model_entry request_entry(uint32_t number, bool for_all, const ni_initiator *ids,
                                 unsigned count, struct ni_rng *rng)
{
    static const uint64_t ignored[] = {0, 0, 0, 0, 0, 1, 3, UINT64_MAX};
    static const uint64_t lengths[] = {0, 8, 24, 64, 200, 1000, 5000, REQUEST_LONGEST};
    struct model_entry entry = {.what = {.bits = ni_rng_below(rng, 4),
                                         .ignore = ignored[ni_rng_below(rng, 8)],
                                         .initiator = MODEL_ANY}};

    entry.what.number = number;
    entry.what.initiator = ni_rng_below(rng, 2) == 0 ? ids[ni_rng_below(rng, count)] : MODEL_ANY;
    entry.length = lengths[ni_rng_below(rng, 8)];
    entry.options = (ni_rng_below(rng, 8) != 0 ? NI_ME_OP_PUT : NI_ME_OP_GET) |
                    (ni_rng_below(rng, 2) != 0 ? NI_ME_OP_GET : 0U) |
                    (ni_rng_below(rng, 6) != 0 ? NI_ME_USE_ONCE : 0U) |
                    (ni_rng_below(rng, 4) == 0 ? NI_ME_MANAGE_LOCAL : 0U) |
                    (ni_rng_below(rng, 6) == 0 ? NI_ME_NO_TRUNCATE : 0U) |
                    (ni_rng_below(rng, 2) == 0 ? NI_ME_EVENT_UNLINK_DISABLE : 0U);
    if ((entry.options & NI_ME_MANAGE_LOCAL) != 0) {
        entry.min_free = ni_rng_below(rng, entry.length / 2 + 1);
    }
    if (for_all) {
        entry.what.ignore = UINT64_MAX;
        entry.what.initiator = MODEL_ANY;
        entry.options = NI_ME_OP_PUT | NI_ME_USE_ONCE;
    }
    return entry;
}

struct ni_me request_me(const struct model_entry *entry, struct buffer *buffer)
{
    struct ni_me me = {.start = buffer_at(buffer, 0),
                       .length = entry->length,
                       .match_bits = entry->what.bits,
                       .ignore_bits = entry->what.ignore,
                       .match_id = entry->what.initiator,
                       .options = entry->options,
                       .min_free = entry->min_free};

    if (buffer->pieces != 0) {
        me.start = buffer->piece;
        me.length = buffer->pieces;
        me.options |= NI_ME_IOVEC;
    }
    return me;
}
