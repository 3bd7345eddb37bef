/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_STREAM_H
#define NI_ENGINE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "engine/core/op.h"
#include "engine/core/peer.h"

/* How its packets travel. */
enum ni_stream_way {
    NI_STREAM_UNDECIDED,
    NI_STREAM_ONE_RAIL,
    NI_STREAM_COUNTED, /* parts, multipath.h */
    NI_STREAM_ORDERED,
};

/* A long run of bytes leaving in packets: a Write, or the answer to a Read. */
struct ni_stream {
    struct ni_list list; /* in peer->send.streams */
    struct ni_peer *peer;
    bool is_answer;
    const uint8_t *src;
    uint64_t len, sent;
    uint64_t token;
    struct ni_remote where;   /* WRITE */
    struct ni_noting *noting; /* WRITE: its operation's, or NULL */
    ni_handle source;         /* answer: the region read, to be there still at each segment */
    uint64_t source_key;
    enum ni_multipath multipath; /* what its caller wants */
    enum ni_stream_way way;
    uint64_t posted;  /* see stamps.h */
    uint16_t counter; /* COUNTED, WRITE: of the peer's, until the stream is freed */
};

/* Begin one, for an operation or for a peer that asked with a token. What there is room for leaves
 * at once. No lock is held. */
ni_status ni_stream_write(struct ni_op *op, const void *src);
ni_status ni_stream_answer(struct ni_peer *peer, const void *src, uint64_t len, uint64_t token,
                           ni_handle source, uint64_t source_key);
/* The note of a Write whose bytes are there already. */
ni_status ni_stream_note(struct ni_op *op);
/* Copy the next len bytes to where they leave from. Of an answer: if its region is still there. */
ni_status ni_stream_copy(const struct ni_stream *stream, uint8_t *payload, uint32_t len);
/* Bytes of a packet towards the peer, which has an endpoint. */
uint64_t ni_stream_segment(const struct ni_peer *peer);
/* Those that wait are a send source. The NI opens. */
void ni_streams_register(struct ni *ni);
/* A Write completes: its stream, if there is one still, reads its source no more. No lock is
 * held. */
void ni_stream_end(struct ni_op *op);

#endif
