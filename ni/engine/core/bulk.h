/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_CORE_BULK_H
#define NI_ENGINE_CORE_BULK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "engine/core/op.h"

/*
 * What an operation has besides if it is a Write or a Read that may be a long transfer, behind
 * op->bulk. Where it stands is one of these states, which bulk/states.c alone changes, by its table
 * of transitions. The holder of the progress lock, or the caller that has just begun it.
 */
enum ni_bulk_state {
    NI_BULK_NEVER,     /* no state: what the table has for what does not happen */
    NI_BULK_ACCEPTED,  /* nothing of it has begun, or nothing is under way any more */
    NI_BULK_REQUESTED, /* READ: the target may answer; WRITE: it may take it (pull_request.c) */
    NI_BULK_ANSWERED,  /* it does */
    NI_BULK_COPYING,   /* the kernel copies: chunks can be claimed (copy.c) */
    NI_BULK_CLOSED,    /* no chunk can be claimed any more; the target may still have some */
    NI_BULK_PACKETS,   /* its bytes, or the question for them, are packets */
    NI_BULK_NOTING,    /* its bytes are there, and its note follows */
    NI_BULK_LOST,      /* its target is gone, of which the link tells next */
    NI_BULK_ENDED,
    NI_BULK_STATES,
};

/* How it ends, see ni_op_complete: what the folder does that knows more of it than core. */
struct ni_op_ops {
    /* It is about to end: its bytes are not touched any more, and no list but its peer's has it.
     * What has been called for it once does nothing. No lock is held. */
    void (*ending)(struct ni_op *op);
    /* It has ended with this status: free op->bulk. Whether somebody else is to be told, too, of
     * what is in *also. The NI's lock is held. */
    bool (*ended)(struct ni_op *op, ni_status status, struct ni_end *also);
    /* Whether that tells the program. The NI's lock is held. */
    bool (*tells)(const struct ni_op *op);
};

struct ni_bulk {
    const struct ni_op_ops *ops;
    enum ni_bulk_state state;
    bool timed;     /* one of the NI's copy tuners measures it */
    bool alone;     /* the target cannot help, or is not to */
    bool both_busy; /* it has others to copy, and helps when it has no more */
    struct ni_remote where;
    struct ni_noting *noting;    /* WRITE: noting.h; NULL: nothing of the kind */
    enum ni_multipath multipath; /* WRITE: as its caller wants it */
    uint32_t streams;            /* WRITE: in peer->send.streams; under the peer's lock */
    struct ni_list list;         /* by its state, of those that the target may answer, or of those
                                    that the kernel copies */
    struct ni_op *op;
    uint64_t requested_ns;
    /* copy.c, shared_copy.c */
    struct ni_shared_copy *shared; /* shared description, or NULL: chunks are all ours */
    uint64_t chunk;
    uint32_t chunks;
    uint32_t own;    /* chunks that we claimed */
    uint32_t others; /* once closed: chunks that the target claimed */
    uint32_t generation;
    uint64_t at, until; /* of the chunk that we copy: offsets of what is left; equal: none */
    ni_status failure;  /* of our own copies; progress lock */
};

/* Whether the target may answer it, or take it. */
static inline bool ni_bulk_is_requested(const struct ni_bulk *bulk)
{
    return bulk->state == NI_BULK_REQUESTED || bulk->state == NI_BULK_ANSWERED;
}

/* Whether an answer from the target is one to it. */
static inline bool ni_bulk_awaits(const struct ni_bulk *bulk)
{
    return ni_bulk_is_requested(bulk) || bulk->state == NI_BULK_PACKETS ||
           bulk->state == NI_BULK_NOTING;
}

#endif
