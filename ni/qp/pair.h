/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_QP_PAIR_H
#define NI_QP_PAIR_H

#include <apeni/notify.h>
#include <apeni/qp.h>

#include "engine/engine.h"
#include "engine/core/targets.h"

/*
 * Queue pairs inside. The rings are memory of the owner, in which anything may happen at any time:
 * an entry is copied once, when its toggle bit says that it is there, and only the copy is judged
 * and used. What is under way is in flights of our own, as many as the completion queue has
 * entries.
 *
 *   take.c   the next entry, if there is one and its completion will find room
 *   judge.c  what it may name
 *   serve.c  its units, one operation each, and its completion
 *   life.c   pairs made and removed, and their targets
 *
 * Everything here belongs to the holder of the progress lock. A pair that is deregistered while
 * operations are out is freed by the last of them, and its rings are not touched any more.
 */

enum {
    NI_QP_WORDS = 6,      /* of a request that mean something */
    NI_QP_UNITS_OUT = 64, /* most of one pair that are under way */
    NI_QP_BUDGET = 32,    /* units of one pair before the others get their turn */
};

struct ni_qpair;

/* A request, from taken to completed. */
struct ni_qp_flight {
    struct ni_qpair *pair;
    struct ni_qp_flight *next; /* while it is free */
    uint64_t word[NI_QP_WORDS];
    bool begun;
    bool issuing; /* not all units have left */
    uint32_t units;
    struct ni_peer *peer;
    struct ni_rkey target;
    struct ni_note note;   /* NI_QP_NOTE */
    struct ni_rkey memory; /* the local range's region */
    uint64_t issued;       /* bytes */
    uint64_t value;
    ni_status status;
    enum ni_qp_reason reason;
};

struct ni_qpair {
    struct ni_list all; /* in qps->pairs */
    struct ni *ni;
    struct ni_qp_attr attr;
    uint64_t taken;     /* requests */
    uint64_t published; /* of them the owner knows */
    uint64_t completed; /* completions written */
    uint64_t polled;    /* of them read, when it was last looked at */
    uint32_t out;       /* flights in use */
    uint32_t units;     /* operations under way */
    bool serving;
    bool held;                    /* for want of room in the completion queue */
    bool gone;                    /* deregistered: the rings are not touched any more */
    struct ni_qp_flight *current; /* taken, and not all of it has left */
    struct ni_qp_flight *free;
    struct ni_targets targets;
    struct ni_qp_flight flights[];
};

struct ni_qps {
    struct ni_list pairs;
};

static inline enum ni_qp_op ni_qp_op_of(uint64_t head)
{
    return (enum ni_qp_op)(head >> 1 & 0x7f);
}

static inline unsigned ni_qp_flags_of(uint64_t head)
{
    return head >> 8 & 0xff;
}

static inline uint32_t ni_qp_target_of(uint64_t head)
{
    return head >> 16 & 0xffff;
}

static inline uint64_t ni_qp_len_of(uint64_t head)
{
    return head >> 32;
}

/* ---- take.c ---------------------------------------------------------------------------------- */

/* The next request becomes the pair's current one; false: there is none, or no room to complete
 * it. */
bool ni_qp_take(struct ni_qpair *pair);

/* ---- judge.c --------------------------------------------------------------------------------- */

/* Sets what the flight knows of its target and its memory. */
enum ni_qp_reason ni_qp_judge(struct ni_qp_flight *flight);

/* Whether the local memory of the next unit is still the owner's. */
bool ni_qp_is_owners(const struct ni_qp_flight *flight, uint64_t len);

/* ---- serve.c --------------------------------------------------------------------------------- */

/* Returns events. */
unsigned ni_qp_serve(struct ni_qpair *pair);

/* ---- life.c ---------------------------------------------------------------------------------- */

/* Free a pair that is gone, if nothing of it is under way. */
void ni_qp_settle(struct ni_qpair *pair);

#endif
