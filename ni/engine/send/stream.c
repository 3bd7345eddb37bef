/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/bits.h"
#include "engine/send/fast.h"
#include "engine/core/bulk.h"
#include "engine/core/memory.h"
#include "engine/send/multipath.h"
#include "engine/core/noting.h"
#include "engine/send/send.h"
#include "engine/send/stream.h"
#include "engine/core/stamps.h"
#include "engine/send/waiting.h"

/*
 * Long transfers cut into packets: a Write for which the peer's memory cannot be reached directly,
 * or the answer to a Read. One segment at a time, in turn with the peer's other streams and behind
 * its control packets.
 */

static struct ni_stream *new_stream(const struct ni_stream *model)
{
    struct ni *ni = model->peer->ni;
    struct ni_stream *stream;

    ni_lock_take(&ni->lock, ni->threads);
    stream = ni_pool_get(&ni->send.stream_pool);
    ni_lock_give(&ni->lock, ni->threads);
    if (stream != NULL) {
        *stream = *model;
        stream->posted = ni_stamps_now(model->peer);
        ni_list_init(&stream->list);
    }
    return stream;
}

/* Its operation knows how many wait, so that one of which none does searches nothing when it ends.
 * It is there as long as they are, see ni_stream_end. */
static void count_waiting(const struct ni_stream *stream, uint32_t by)
{
    struct ni_op *op = stream->is_answer ? NULL : ni_op_find(stream->peer, stream->token);

    if (op != NULL) {
        op->bulk->streams += by;
    }
}

/* The peer's lock is held. */
static void free_stream(struct ni_stream *stream)
{
    struct ni *ni = stream->peer->ni;

    if (ni_list_linked(&stream->list)) {
        ni_list_remove(&stream->list);
        count_waiting(stream, UINT32_MAX); /* one less */
        if (ni_list_empty(&stream->peer->send.streams)) {
            ni_source_lower(stream->peer, NI_SOURCE_STREAMS);
        }
    }
    ni_multipath_leave(stream);
    ni_lock_take(&ni->lock, ni->threads);
    ni_pool_put(&ni->send.stream_pool, stream);
    ni_lock_give(&ni->lock, ni->threads);
}

uint64_t ni_stream_segment(const struct ni_peer *peer)
{
    const struct ni_ep *ep = peer->ep;
    bool own = ep != NULL && ep->segment != 0;

    return ni_min_u64(own ? ep->segment : peer->ni->config->segment_size, ni_packet_max(peer) / 2);
}

/* ---- one segment ----------------------------------------------------------------------------- */

static ni_status step_write(struct ni_stream *stream, uint32_t len)
{
    struct ni_packet_remote fields = {
        .addr = stream->where.addr,
        .key = stream->where.key,
        .token = stream->token,
        .operand = stream->sent,
        .compare = stream->len,
    };
    bool last = stream->sent + len == stream->len;
    bool noted = stream->noting != NULL && stream->noting->noted && last;
    uint32_t skip = noted ? sizeof(stream->noting->note) : 0;
    uint8_t *place, *payload;
    ni_status status =
        ni_packet_begin(stream->peer, sizeof(fields), 0, skip + len, &place, &payload);

    if (status != NI_OK) {
        return status;
    }
    memcpy(place, &fields, sizeof(fields));
    if (noted) {
        memcpy(payload, &stream->noting->note, skip);
    }
    (void)ni_stream_copy(stream, payload + skip, len);
    ni_packet_commit(stream->peer, NI_PACKET_WRITE, noted ? NI_WRITE_NOTED : 0, skip + len,
                     stream->where.handle);
    if (last && stream->noting != NULL) {
        ni_noting_depart(stream->peer->ni, stream->noting);
    }
    return NI_OK;
}

/* What comes next of it. An empty one may begin nowhere, from where C counts no bytes. */
static void copy_next(const struct ni_stream *stream, uint8_t *payload, uint32_t len)
{
    if (len != 0) {
        ni_msg_copy(stream->peer, payload, stream->src + stream->sent, len);
    }
}

/* The region that is read may have been deregistered since the last segment. Then nothing is sent
 * of what was in that place before. */
ni_status ni_stream_copy(const struct ni_stream *stream, uint8_t *payload, uint32_t len)
{
    struct ni *ni = stream->peer->ni;
    struct ni_remote where;
    ni_status status;

    if (!stream->is_answer) {
        copy_next(stream, payload, len);
        return NI_OK;
    }
    where = (struct ni_remote){
        .addr = (uintptr_t)stream->src, .key = stream->source_key, .handle = stream->source};
    ni_lock_take(&ni->memory, ni->threads);
    status = ni_memory_judge(ni, &where, stream->len, NI_ACCESS_READ);
    if (status == NI_OK) {
        copy_next(stream, payload, len);
    } else {
        memset(payload, 0, len);
    }
    ni_lock_give(&ni->memory, ni->threads);
    return status;
}

static ni_status step_answer(struct ni_stream *stream, uint32_t len)
{
    struct ni_packet_ack fields = {
        .token = stream->token, .value = stream->len, .offset = stream->sent};
    uint8_t *place, *payload;
    ni_status refused;
    ni_status status = ni_packet_begin(stream->peer, sizeof(fields), 0, len, &place, &payload);

    if (status != NI_OK) {
        return status;
    }
    refused = ni_stream_copy(stream, payload, len);
    memcpy(place, &fields, sizeof(fields));
    /* A refusal carries as many bytes, which are zero: its place is taken already. */
    ni_packet_commit(stream->peer, NI_PACKET_ACK, (uint16_t)refused, len, 0);
    if (refused != NI_OK) {
        stream->sent = stream->len;
    }
    return NI_OK;
}

/* Send one segment; NI_AGAIN: no room. The peer's lock is held. */
static ni_status step_stream(struct ni_stream *stream)
{
    ni_status status = ni_peer_endpoint(stream->peer);
    uint32_t len;

    if (status != NI_OK) {
        return status;
    }
    if (stream->way == NI_STREAM_UNDECIDED) {
        status = ni_multipath_choose(stream);
        if (status != NI_OK) {
            return status;
        }
    }
    if (stream->way != NI_STREAM_ONE_RAIL) {
        return ni_multipath_step(stream);
    }
    len = (uint32_t)ni_min_u64(stream->len - stream->sent, ni_stream_segment(stream->peer));
    ni_stamps_waited(stream->peer, stream->posted);
    status = stream->is_answer ? step_answer(stream, len) : step_write(stream, len);
    ni_stamps_waited(stream->peer, 0);
    if (status == NI_OK) {
        stream->sent += len;
    }
    return status;
}

/* Whether the segment that was just sent was the last. An empty stream is one segment. */
static bool has_stream_ended(const struct ni_stream *stream)
{
    return stream->sent >= stream->len;
}

/* ---- beginning ------------------------------------------------------------------------------- */

/* Have it leave as there is room. The peer's lock is held. */
static ni_status begin_stream(const struct ni_stream *model)
{
    struct ni_stream *stream = new_stream(model);
    struct ni_peer *peer = model->peer;
    ni_status status = NI_AGAIN;

    if (stream == NULL) {
        return NI_ERR_NOMEM;
    }
    if (!ni_peer_waits(peer)) {
        status = step_stream(stream);
    }
    if (status != NI_AGAIN && (status != NI_OK || has_stream_ended(stream))) {
        free_stream(stream);
        return status;
    }
    ni_list_push_back(&peer->send.streams, &stream->list);
    count_waiting(stream, 1);
    ni_source_raise(peer, NI_SOURCE_STREAMS);
    return NI_OK;
}

/* Send what there is room for at once, then leave the rest to progress. What one packet takes needs
 * no more than that. */
static ni_status start_stream(struct ni_stream *stream)
{
    struct ni_peer *peer = stream->peer;
    ni_status status;

    ni_lock_take(&peer->lock, peer->threads);
    status = ni_peer_endpoint(peer);
    if (status == NI_OK && !ni_peer_waits(peer) && stream->len <= ni_stream_segment(peer)) {
        status = step_stream(stream);
        status = status == NI_AGAIN ? begin_stream(stream) : status;
    } else if (status == NI_OK) {
        status = begin_stream(stream);
    }
    ni_lock_give(&peer->lock, peer->threads);
    return status;
}

ni_status ni_stream_write(struct ni_op *op, const void *src)
{
    struct ni_stream stream = {
        .peer = op->peer,
        .src = src,
        .len = op->len,
        .token = ni_op_token(op),
        .where = op->bulk->where,
        .noting = op->bulk->noting,
        .multipath = op->bulk->multipath,
    };

    return start_stream(&stream);
}

ni_status ni_stream_note(struct ni_op *op)
{
    struct ni_stream stream = {
        .peer = op->peer,
        .src = op->local,
        .len = op->len,
        .sent = op->len,
        .token = ni_op_token(op),
        .where = op->bulk->where,
        .noting = op->bulk->noting,
    };

    return start_stream(&stream);
}

ni_status ni_stream_answer(struct ni_peer *peer, const void *src, uint64_t len, uint64_t token,
                           ni_handle source, uint64_t source_key)
{
    struct ni_stream stream = {
        .peer = peer,
        .is_answer = true,
        .src = src,
        .len = len,
        .token = token,
        .source = source,
        .source_key = source_key,
    };

    return start_stream(&stream);
}

/* ---- what waits ------------------------------------------------------------------------------ */

enum {
    NI_STREAMS_COMPARED = 32,
};

/* The stream whose turn it is: the one with the fewest bytes left, so that a short one waits for
 * one segment of a long one, and equal ones end one after the other; each fourth time the oldest,
 * so that none waits for ever. */
static struct ni_stream *next_stream(struct ni_peer *peer)
{
    struct ni_list *node = peer->send.streams.next;
    struct ni_stream *best = ni_container_of(node, struct ni_stream, list);

    if (peer->send.segments++ % 4 == 0) {
        return best;
    }
    for (unsigned i = 1; i < NI_STREAMS_COMPARED && (node = node->next) != &peer->send.streams;
         i++) {
        struct ni_stream *stream = ni_container_of(node, struct ni_stream, list);

        if (stream->len - stream->sent < best->len - best->sent) {
            best = stream;
        }
    }
    return best;
}

/* A segment of the one whose turn it is. */
static bool send_next(struct ni_peer *peer, unsigned *sent)
{
    struct ni_stream *stream = next_stream(peer);

    /* Without room, or with a peer of which the link knows that it is gone. */
    if (step_stream(stream) != NI_OK) {
        return false;
    }
    peer->send.overtake = true;
    if (has_stream_ended(stream)) {
        free_stream(stream);
    }
    (*sent)++;
    return true;
}

static void drop_waiting_streams(struct ni_peer *peer, ni_status status)
{
    (void)status;
    while (!ni_list_empty(&peer->send.streams)) {
        free_stream(ni_container_of(peer->send.streams.next, struct ni_stream, list));
    }
}

void ni_streams_register(struct ni *ni)
{
    static const struct ni_source_ops source = {.send = send_next, .drop = drop_waiting_streams};

    ni_source_register(ni, NI_SOURCE_STREAMS, &source);
}

void ni_stream_end(struct ni_op *op)
{
    struct ni_peer *peer = op->peer;
    uint64_t token = ni_op_token(op);

    ni_lock_take(&peer->lock, peer->threads);
    for (NI_LIST_EACH_SAFE(node, &peer->send.streams)) {
        struct ni_stream *stream = ni_container_of(node, struct ni_stream, list);

        if (op->bulk->streams == 0) {
            break;
        }
        if (!stream->is_answer && stream->token == token) {
            free_stream(stream);
        }
    }
    ni_lock_give(&peer->lock, peer->threads);
}
