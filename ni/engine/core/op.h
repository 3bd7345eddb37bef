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

/*
 * An operation under way at its initiator. It is accepted once (ni_op_new, or ni_direct_op for a
 * plain one), and ends once: ni_op_complete delivers its ack, or ni_op_undo takes it back before
 * the caller is told that it was accepted. Between the two it is in its peer's list, under the NI's
 * lock.
 */

/* From NI_OP_READ on, success comes with bytes. QUIET: Writes of which only the last is answered,
 * and each refusal (stores.h, unacked.h). DONE: it has ended, and its ack waits for a caller
 * (thread.h): `failure` and `got` hold its result, `copying` is in the engine's list. */
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
    struct ni_list list;  /* in peer->ops; flushes in ni->flushes */
    struct ni_peer *peer; /* FLUSH: NULL for all */
    uint64_t serial;      /* order of acceptance */
    struct ni_ack ack;
    enum ni_op_kind kind;
    bool plain;     /* asked for by one packet (direct.h); what follows `got` is not set then, but
                       for the failure of UNACKED */
    uint8_t *local; /* READ, DEQUEUE: where it goes; WRITE: where it comes from */
    uint64_t len;
    uint64_t got; /* READ: bytes that came; FLUSH: operations still waited for */
    struct ni_remote where;
    /* copy.c, shared_copy.c */
    struct ni_list copying;        /* in ni->copying while chunks are left or helpers are out */
    struct ni_shared_copy *shared; /* shared description, or NULL: chunks are all ours */
    uint64_t chunk;
    uint32_t chunks;
    uint32_t own;    /* chunks that we claimed */
    uint32_t others; /* once closed: chunks that the target claimed */
    uint32_t generation;
    uint64_t at, until; /* of the chunk that we copy: offsets of what is left; equal: none */
    bool requested;     /* READ: the target may answer; WRITE: it may take it (pull_request.c) */
    uint64_t requested_ns;
    bool timed;                  /* READ: one of ni->copy_tuners */
    bool alone;                  /* the target cannot help, or is not to */
    bool both_busy;              /* it has others to copy, and helps when it has no more */
    bool closed;                 /* no chunk can be claimed any more */
    ni_status failure;           /* of our own copies; FLUSH: of the first operation that failed;
                                    UNACKED: the first refusal; progress lock */
    struct ni_noting *noting;    /* WRITE: noting.h; NULL: nothing of the kind */
    enum ni_multipath multipath; /* WRITE: as its caller wants it */
    uint32_t streams;            /* WRITE: in peer->streams; under the peer's lock */
};

/* What the ways of long transfers have of an operation, one that is not plain. */
struct ni_transfer_ops {
    /* It is about to be completed: its bytes are not touched any more. No lock is held. */
    void (*ending)(struct ni_op *op);
    /* One that was `timed` has ended. The NI's lock is held. */
    void (*measured)(struct ni *ni, const struct ni_op *op);
};

/* A new operation to the peer, counted and listed; NULL when out of memory. */
struct ni_op *ni_op_new(struct ni_peer *peer, enum ni_op_kind kind, const struct ni_ack *ack);
/* The same with its bytes; under the lock that the thread that finds it takes. */
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
    uint32_t out = ni_pool_out(&ni->op_pool);

    ni_stat_set(&ni->stats.pending_ops, out);
    ni_stat_max(&ni->stats.pending_max, out);
}

#endif
