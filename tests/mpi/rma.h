/* SPDX-License-Identifier: BSD-3-Clause */
/* What the one-sided programs share: windows of each kind and epochs of each kind. */
#ifndef TESTS_MPI_RMA_H
#define TESTS_MPI_RMA_H

#include "mt.h"

enum rma_kind { RMA_CREATE, RMA_ALLOCATE, RMA_DYNAMIC, RMA_KINDS };
enum rma_sync { RMA_FENCE, RMA_PSCW, RMA_LOCK, RMA_LOCK_ALL, RMA_SYNCS };

struct rma {
    MPI_Win win;
    enum rma_kind kind;
    unsigned char *base; /* my part */
    size_t bytes;
    MPI_Aint *start; /* per rank: displacement of the first byte of its part */
};

extern const char *const rma_kind_name[];
extern const char *const rma_sync_name[];

/* Kinds that a program goes through: those before this one. All, unless the environment variable
 * APELINK_MT_NO_DYNAMIC is set: between hosts, osc/rdma of Open MPI 4.1 cannot do dynamic windows
 * (a put takes the lock of the target's list of regions, and then waits for it again). */
int rma_kinds(void);

/* Opens a window of `bytes` on each rank of the world; displacement unit 1. Collective. */
void rma_open(struct rma *w, enum rma_kind kind, size_t bytes);
void rma_close(struct rma *w);

/* Displacement of byte `at` in the part of `rank`. */
MPI_Aint rma_at(const struct rma *w, int rank, size_t at);

/* An epoch in which every rank may access every other. rma_end returns when all accesses of all
 * ranks are complete at their targets and the local part may be read. Collective. */
void rma_begin(struct rma *w, enum rma_sync sync);
void rma_end(struct rma *w, enum rma_sync sync);

/* Between the two, in the passive kinds: completes my accesses to `rank`. Otherwise nothing. */
void rma_flush(struct rma *w, enum rma_sync sync, int rank);

#endif
