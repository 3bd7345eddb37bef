/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_STORE_H
#define APENI_STORE_H

#include <stdint.h>

#include <apeni/region.h>
#include <apeni/status.h>
#include <apeni/transfer.h>

/*
 * Remote stores and loads (FORTH-CC 2.3, 3.2): words of a peer's memory, without a descriptor.
 *
 * Stores go to a line of at most 64 bytes for each peer. One that continues where the last one
 * ended joins it; the line leaves as one Write packet
 *
 *   - when it is full: its end is the end of a 64-byte line at the peer,
 *   - when a store goes elsewhere,
 *   - before any other operation to the same peer,
 *   - in ni_progress, ni_wait, ni_store_flush and ni_store_fence.
 *
 * Nobody is told of a single store. The NI counts, for each peer, the bytes that were stored and
 * are not known to have arrived; a fence waits until the count is zero. The peer answers only what
 * it refuses, until it is asked: by a fence, by ni_flush, for which lines that have left are
 * operations, and by ni_store_outstanding. What nobody has asked about is given up by
 * ni_disconnect, and the next fence says so (NI_ERR_CANCELED).
 *
 * Order, towards one peer: stores become visible there in the order of the calls, each of them
 * whole. Messages, writes, reads, loads, atomics and additions to counters come after the stores
 * that were called before them, but for writes and reads of 4 KiB and more, which may be copied
 * directly: fence first. Between two peers there is no order without a fence.
 *
 * What may be stored to and loaded from is judged as for ni_write and ni_read. A refused store
 * changes nothing; the next fence reports it.
 *
 * Threads: as in ni.h. The lines are of the NI, not of a thread: stores of two threads to one peer
 * interleave.
 */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ni;
struct ni_peer;

/* Store the low width bytes (1, 2, 4 or 8) of value at dst->addr, which is a multiple of width.
 * NI_AGAIN: the last line found no room yet. Errors: INVALID (width), ALIGN, NOMEM, the peer's. */
ni_status ni_store(struct ni *ni, struct ni_peer *peer, const struct ni_remote *dst, uint64_t value,
                   unsigned width);

/* Have the line of a peer (all peers if NULL) leave now. NI_AGAIN: there is no room, ni_progress
 * sends it. */
ni_status ni_store_flush(struct ni *ni, struct ni_peer *peer);

/* Flush, and complete when all stores to the peer (all peers if NULL) that were called before have
 * arrived: with NI_OK, or with the reason of the first that failed since the last fence of that
 * peer. Later stores do not hold it up. Errors: NOMEM; NI_ERR_FORKED. */
ni_status ni_store_fence(struct ni *ni, struct ni_peer *peer, const struct ni_ack *ack);

/* The same, waiting for it; makes progress. Returns what the fence completes with. In a callback as
 * ni_progress there: not for a peer whose acks lie behind the packet of that callback. */
ni_status ni_store_fence_wait(struct ni *ni, struct ni_peer *peer);

/* The outstanding-store counter: bytes that were stored to the peer and are not known to have
 * arrived. A look at it asks the peer about those that have left, so that it falls, with progress,
 * to zero. */
uint64_t ni_store_outstanding(struct ni *ni, struct ni_peer *peer);

/* Load width bytes (1, 2, 4 or 8) from src->addr, a multiple of width, into *value, zero extended;
 * waits, making progress. In a callback as ni_store_fence_wait. Errors: INVALID, ALIGN, those of
 * ni_read. */
ni_status ni_load(struct ni *ni, struct ni_peer *peer, const struct ni_remote *src, unsigned width,
                  uint64_t *value);

/* A load under way; the caller's, who keeps it until ni_load_test is no longer NI_INPROGRESS. */
struct ni_loading {
    uint64_t value; /* when ni_load_test says NI_OK */
#ifdef __cplusplus
    int status;
#else
    _Atomic int status; /* ni_status */
#endif
};

/* Start one, to be asked for by ni_load_test; errors as above, then nothing is under way. */
ni_status ni_load_start(struct ni *ni, struct ni_peer *peer, const struct ni_remote *src,
                        unsigned width, struct ni_loading *loading);

/* NI_INPROGRESS, or how the load ended. Makes no progress. */
ni_status ni_load_test(const struct ni_loading *loading);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
