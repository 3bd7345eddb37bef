/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_RMA_RMA_H
#define PRI_RMA_RMA_H

/*
 * One-sided communication: windows, that is parts of the memories of a team's ranks which all of
 * them may read, write and update, while their owners need not take part (MPI 3.1, chapter 11).
 *
 * How a rank reaches the memory of another:
 *
 *   directly    by loads and stores: ranks that are threads of one process; memory that the window
 *               itself has allocated, which lies in one file that all ranks map. Nothing needs
 *               anybody's progress.
 *   by the NI   everything else: ni_write, ni_read and the NI's atomics. The short ones, and all
 *               atomics, are carried out when the target's interface makes progress.
 *
 * Locks, counters of exposures and of arrivals lie in each rank's control block. The blocks of a
 * window are in that same file as well, so that locks and notes need nobody's progress either, also
 * where the data is reached by the NI.
 *
 * Accumulates are atomic for each element. Integers of 4 and 8 bytes that are aligned are updated
 * by atomic instructions, of the CPU or of the NI, everything else under a lock of the target's:
 * which of the two depends on the type and the address alone, so that all ranks do the same. Long
 * runs of words are fetched and put back while no rank updates words of that target.
 *
 * Threads: with PRI_THREAD_MULTIPLE any thread may call any function, but for those that are
 * collective.
 *
 * Errors: functions return 0, an enum pri_error, or an enum pri_rma_error. An operation that fails
 * on its way is told by the next function that completes it.
 */

#include "coll/coll.h"

enum pri_rma_error {
    PRI_RMA_SYNC = 64, /* no epoch that allows it, or one that forbids it */
    PRI_RMA_RANGE,     /* outside of the window */
    PRI_RMA_ATTACH,    /* cannot be attached, or is not */
    PRI_RMA_SHARED,    /* the ranks cannot share memory */
    PRI_RMA_TYPE       /* accumulates: not one and the same basic type */
};

/* The values are MPI's. */
enum pri_rma_flavor {
    PRI_RMA_CREATE = 1,
    PRI_RMA_ALLOCATE = 2,
    PRI_RMA_DYNAMIC = 3,
    PRI_RMA_SHARED_MEMORY = 4
};

enum {
    PRI_RMA_PIECES = 4096 /* pieces of memory that a rank may have attached to a dynamic window */
};

struct pri_rma_control;

/* A rank of a window, as this rank sees it. */
struct pri_rma_target {
    struct pri_rma *rma;
    bool direct;      /* its memory is reached by loads and stores */
    uintptr_t base;   /* direct: where its part is here; 0 in dynamic windows */
    uint64_t bytes;   /* of its part */
    uint64_t unit;    /* bytes of one displacement */
    uintptr_t remote; /* where its part is there */
    uint64_t key;     /* of the region that its part is in */
    ni_handle handle;
    int peer;                        /* in the job */
    struct ni_peer *ni;              /* NULL: this rank itself, or a rank of its process */
    struct pri_rma_control *control; /* NULL: by the NI, at control_at */
    struct ni_remote control_at;
    _Atomic unsigned access;    /* enum pri_rma_access: what this rank may do there now */
    _Atomic unsigned pending;   /* operations of the NI under way */
    _Atomic unsigned combining; /* packets of pri_rma_combine under way */
    _Atomic int error;     /* the first that has failed, and nobody was told of; enum pri_error */
    _Atomic unsigned hint; /* the attached piece that was used last */
    _Atomic unsigned updates; /* enum pri_rma_updates */
};

/* Whether this rank is counted among those that update words one by one (alone.c). */
enum pri_rma_updates {
    PRI_RMA_NO_COUNT, /* nobody is */
    PRI_RMA_NOT_COUNTED,
    PRI_RMA_COUNTED
};

enum pri_rma_access {
    PRI_RMA_NO_ACCESS,
    PRI_RMA_STARTED, /* by pri_rma_start */
    PRI_RMA_LOCKED,
    PRI_RMA_LOCKED_EXCLUSIVELY,
    PRI_RMA_LOCKED_UNCHECKED, /* the program said that nobody else has it locked */
    PRI_RMA_LOCKING           /* a thread waits for it */
};

enum pri_rma_fence { PRI_RMA_NO_FENCE, PRI_RMA_FENCED, PRI_RMA_FENCE_USED };

/* One window, as one rank has it: memory of the caller's. */
struct pri_rma {
    struct pri_rank *self;
    struct pri_team *team;
    enum pri_rma_flavor flavor;
    struct pri_rma_target *target; /* [team->size] */
    struct pri_rma_control *own;   /* this rank's control block */
    void *part;                    /* this rank's memory */
    void *segment; /* what all ranks map; NULL: they have memory of their own each */
    size_t segment_bytes;
    size_t control_bytes; /* of each rank's block */
    bool owns_segment;
    bool registers;               /* others reach this rank's memory by the NI */
    bool owns_part, owns_control; /* they were allocated for this rank alone */
    ni_handle region, control_region;
    ni_me_handle entry;       /* of the region of `part` */
    struct ni_eq *combined;   /* ends of pri_rma_combine's packets */
    struct ni_md combines[2]; /* their data: that stays, that does not */
    uint64_t meets;           /* in which this rank took part */
    _Atomic unsigned fence;   /* enum pri_rma_fence */
    _Atomic bool all;         /* pri_rma_lock_all */
    _Atomic unsigned locks;   /* of single targets */
    bool exposed;             /* pri_rma_post, until pri_rma_wait */
    uint64_t completions;     /* that this rank will have got when the exposure ends */
    int *started;             /* ranks of pri_rma_start, until pri_rma_complete */
    int started_count;
    uint64_t *posts; /* [size] exposures of each rank that this one has used */
    _Atomic uint64_t order;
};

/* Elements in memory. Of the target, buf is not used. */
struct pri_rma_data {
    void *buf;
    size_t count;
    struct pri_type *type;
};

/* Where at the target. */
struct pri_rma_at {
    int target; /* in the team */
    ptrdiff_t disp;
    size_t count;
    struct pri_type *type;
};

/* ---- windows: collective --------------------------------------------------------------------- */

/* Open a window of a team of its own, which stays. *base: of this rank's part; read with
 * PRI_RMA_CREATE, set otherwise. spread: with PRI_RMA_SHARED_MEMORY the parts need not follow each
 * other. Nothing is left if it fails: PRI_ERR_NOMEM, PRI_ERR_PEER, PRI_RMA_SHARED. */
int pri_rma_open(struct pri_rma *rma, struct pri_team *team, enum pri_rma_flavor flavor,
                 size_t bytes, size_t unit, bool spread, void **base);
/* Whether this rank is in an epoch that has to be ended first. */
bool pri_rma_busy(const struct pri_rma *rma);
/* PRI_RMA_SYNC, and nothing is done, if this rank is in an epoch. Waits for all ranks. */
int pri_rma_close(struct pri_rma *rma);

/* ---- dynamic windows ------------------------------------------------------------------------- */

int pri_rma_attach(struct pri_rma *rma, void *base, size_t bytes);
int pri_rma_detach(struct pri_rma *rma, const void *base);

/* ---- operations ------------------------------------------------------------------------------ */

/* With a request (not NULL) only in a passive epoch; it is complete when the origin's buffers may
 * be used. */
int pri_rma_put(struct pri_rma *rma, struct pri_rma_data from, struct pri_rma_at to,
                struct pri_request *request);
int pri_rma_get(struct pri_rma *rma, struct pri_rma_data to, struct pri_rma_at from,
                struct pri_request *request);
/* The target's elements become `from op target's`; what they were goes to result, unless result.buf
 * is NULL and its count 0. from is not looked at with PRI_OP_NO_OP. */
int pri_rma_accumulate(struct pri_rma *rma, struct pri_rma_data from, struct pri_rma_data result,
                       struct pri_rma_at to, const struct pri_op *op, struct pri_request *request);
/* One element of a predefined integer type. */
int pri_rma_compare_and_swap(struct pri_rma *rma, const void *from, const void *compare,
                             void *result, struct pri_rma_at to);

/* ---- epochs ---------------------------------------------------------------------------------- */

/* Collective. before, after: whether accesses of this rank may precede, and follow. */
int pri_rma_fence(struct pri_rma *rma, bool before, bool after);

/* ranks: in the team; each once. */
int pri_rma_post(struct pri_rma *rma, const int *ranks, int count);
int pri_rma_start(struct pri_rma *rma, const int *ranks, int count);
int pri_rma_complete(struct pri_rma *rma);
/* NULL: wait. Otherwise looks once. */
int pri_rma_wait(struct pri_rma *rma, bool *there);

/* check: false if the program says that nobody else has it, or wants to have it. */
int pri_rma_lock(struct pri_rma *rma, int target, bool exclusive, bool check);
int pri_rma_unlock(struct pri_rma *rma, int target);
int pri_rma_lock_all(struct pri_rma *rma, bool check);
int pri_rma_unlock_all(struct pri_rma *rma);

/* Completes what was started to a target, -1: to all. Only in passive epochs. */
int pri_rma_flush(struct pri_rma *rma, int target);
/* What others have written can be loaded, what was stored can be read by others. Makes progress. */
void pri_rma_sync(struct pri_rma *rma);

/* A part as this rank sees it, in windows of PRI_RMA_SHARED_MEMORY. */
static inline void *pri_rma_part(const struct pri_rma *rma, int rank)
{
    return (void *)rma->target[rank].base;
}

#endif
