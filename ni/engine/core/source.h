/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_SOURCE_H
#define NI_ENGINE_SOURCE_H

#include <stdbool.h>

#include <apeni/ni.h>

/*
 * Send sources: what may have something that waits for room towards a peer. They are listed in the
 * order in which they send. An open line of remote stores goes first, since all that comes after it
 * in the program comes after it at the peer. Then questions about what has left, and control
 * packets, since others wait for them; then puts, so that they stay in order; then a segment of a
 * stream, in turn with messages. Read requests go last (FORTH-CC 3.2: acks before Writes before
 * Reads), but wait for a bounded number of packets only (waiting.h).
 *
 * Each topic registers its own with the NI. Which of them have something to send is a bit mask of
 * each peer's, which peer.h alone writes, by waiting.h.
 */
enum ni_source {
    NI_SOURCE_STORES,           /* the open line of remote stores */
    NI_SOURCE_STORES_QUESTION,  /* a question about stores */
    NI_SOURCE_UNACKED_QUESTION, /* a question about Writes without an ack */
    NI_SOURCE_CONTROLS,
    NI_SOURCE_PUTS,
    NI_SOURCE_STREAMS,
    NI_SOURCE_REQUESTS, /* Reads: of memory, and of queues */
    NI_SOURCES,
};

/* The peer's lock is held. */
struct ni_source_ops {
    /* Send what waits and finds room, and say so (ni_source_lower) when nothing is left. Adds the
     * packets sent to *sent. False: nothing that comes later in the order may go now. */
    bool (*send)(struct ni_peer *peer, unsigned *sent);
    /* The peer is down with this status: forget what waits. */
    void (*drop)(struct ni_peer *peer, ni_status status);
    /* Whether something has left that the peer may not have taken yet; have it end then. NULL: what
     * comes after that need not know. The peer's lock is not held. */
    bool (*under_way)(struct ni_peer *peer);
};

#endif
