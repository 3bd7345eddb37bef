/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_STREAM_H
#define NI_ENGINE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "engine/op.h"
#include "engine/peer.h"

/* A long run of bytes leaving in packets: a Write, or the answer to a Read. */
struct ni_stream {
    struct ni_list list; /* in peer->streams */
    struct ni_peer *peer;
    bool is_answer;
    const uint8_t *src;
    uint64_t len, sent;
    uint64_t token;
    struct ni_remote where;   /* WRITE */
    struct ni_noting *noting; /* WRITE: its operation's, or NULL */
    ni_handle source;         /* answer: the region read, to be there still at each segment */
    uint64_t source_key;
};

/* Begin one, for an operation or for a peer that asked with a token. What there is room for leaves
 * at once. No lock is held. */
ni_status ni_stream_write(struct ni_op *op, const void *src);
ni_status ni_stream_answer(struct ni_peer *peer, const void *src, uint64_t len, uint64_t token,
                           ni_handle source, uint64_t source_key);
/* The note of a Write whose bytes are there already. */
ni_status ni_stream_note(struct ni_op *op);
/* Send a segment of the one whose turn it is. Returns packets sent. The peer's lock is held. */
unsigned ni_stream_send_next(struct ni_peer *peer);
/* Forget a stream. The peer's lock is held. */
void ni_stream_free(struct ni_stream *stream);
/* A Write completes: its stream, if there is one still, reads its source no more. No lock is
 * held. */
void ni_stream_end(struct ni_op *op);

#endif
