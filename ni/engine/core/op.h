/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_OP_H
#define NI_ENGINE_OP_H

#include <stdbool.h>
#include <stdint.h>

#include <apeni/transfer.h>

#include "base/list.h"
#include "base/pool.h"
#include "base/stats.h"
#include "engine/core/ni.h"
#include "engine/core/peer.h"
#include "link/lane.h"

struct ni_bulk;

/*
 * An operation under way at its initiator. It is accepted once (ni_op_new, ni_op_new_transfer, or
 * ni_direct_op for one that leaves at once), and ends once: ni_op_complete delivers its ack, or
 * ni_op_undo takes it back before the caller is told that it was accepted. Between the two it is in
 * its peer's list, under the NI's lock.
 */

/* From NI_OP_READ on, success comes with bytes. UNACKED: Writes of which only the last is answered,
 * and each refusal (stores.h, unacked.h). DONE: it has ended, and its ack waits for a caller
 * (thread.h): `failure` and `got` hold its result. */
enum ni_op_kind {
    NI_OP_WRITE,
    NI_OP_UNACKED,
    NI_OP_ATOMIC,
    NI_OP_FLUSH,
    NI_OP_DONE,
    NI_OP_DEQUEUE_TO,
    NI_OP_READ,
    NI_OP_DEQUEUE,
};

/* FLUSH or DONE: nothing that a peer may answer. */
static inline bool ni_op_kind_is_over(enum ni_op_kind kind)
{
    return (unsigned)kind - NI_OP_FLUSH <= NI_OP_DONE - NI_OP_FLUSH;
}

/* The token of its pool item names it on the wire. */
struct ni_op {
    struct ni_list list;  /* in peer->ops; flushes in ni->core.flushes */
    struct ni_peer *peer; /* FLUSH: NULL for all */
    uint64_t serial;      /* order of acceptance */
    struct ni_ack ack;
    enum ni_op_kind kind;
    ni_status failure;    /* FLUSH: of the first operation that failed; UNACKED: the first refusal;
                             DONE: its status. Progress lock */
    struct ni_bulk *bulk; /* what else it has: bulk.h; NULL: one packet has asked for it */
    uint8_t *local;       /* READ, DEQUEUE: where it goes; WRITE: where it comes from */
    uint64_t len;
    uint64_t got;        /* READ: bytes that came; FLUSH: operations still waited for */
    struct ni_list done; /* DONE: in the engine's list */
};

/* Whom the end of an operation tells besides, and of what. */
struct ni_end {
    struct ni_ack ack;
    ni_status status;
    uint64_t value;
};

/* A new operation to the peer, counted and listed; NULL when out of memory. */
struct ni_op *ni_op_new(struct ni_peer *peer, enum ni_op_kind kind, const struct ni_ack *ack);
/* A Write or Read of any length, with what that needs (op->bulk); under the lock that the thread
 * that finds it takes. */
struct ni_op *ni_op_new_transfer(struct ni_peer *peer, enum ni_op_kind kind,
                                 const struct ni_ack *ack, uint8_t *local, uint64_t len,
                                 const struct ni_remote *where);
/* What names it on the wire. */
uint64_t ni_op_token(struct ni_op *op);
/* The operation of this peer that a token names, or NULL. */
struct ni_op *ni_op_find(struct ni_peer *peer, uint64_t token);
/* Complete, deliver the ack, free. No lock is held. */
void ni_op_complete(struct ni_op *op, ni_status status, uint64_t value);
/* Whether delivering its ack calls nothing of the program's. */
bool ni_op_calls_nobody(const struct ni *ni, const struct ni_op *op);
/* Deliver the acks of those that the engine thread has ended; returns events. The progress lock is
 * ours, and this is not that thread. */
unsigned ni_ops_deliver(struct ni *ni);
/* Take an operation back that was never accepted. */
void ni_op_undo(struct ni_op *op);
/* An operation that ends with those that are under way to the peer, or to all (NULL): INPROGRESS.
 * NI_OK: none are, and its ack is not delivered; NI_ERR_NOMEM. */
ni_status ni_op_flush(struct ni *ni, struct ni_peer *peer, const struct ni_ack *ack);
/* Deliver an ack of this NI. */
void ni_ack_deliver(struct ni *ni, const struct ni_ack *ack, ni_status status, uint64_t value);

/* The number of operations has changed. The NI's lock is held. */
static inline void ni_op_count(struct ni *ni)
{
    uint32_t out = ni_pool_out(&ni->core.op_pool);

    ni_stat_set(&ni->stats.pending_ops, out);
    ni_stat_max(&ni->stats.pending_max, out);
}

#endif
