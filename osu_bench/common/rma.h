/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OSU_COMMON_RMA_H
#define OSU_COMMON_RMA_H

/*
 * One-sided tests. A test is one operation (struct osu_rma_op); latency tests do one per round and
 * synchronise after each, bandwidth tests do a window of them. In the active modes of a latency
 * test both sides take turns, and the figure is half a round, as in the OSU suite.
 */

#include "common/bench.h"
#include "common/window.h"

struct osu_rma;

struct osu_rma_op {
    bool typed; /* works on elements of options->type */
    /* Start operation number slot of a round. */
    void (*issue)(struct osu_rma *rma, int slot);
    /* -c: write what origin and target have before the operation. */
    void (*prepare_origin)(struct osu_rma *rma, int slot);
    void (*prepare_target)(struct osu_rma *rma, int slot);
    /* -c: count the wrong bytes or elements afterwards. */
    size_t (*verify_origin)(struct osu_rma *rma, int slot);
    size_t (*verify_target)(struct osu_rma *rma, int slot);
};

struct osu_rma {
    const struct osu_rma_op *op;
    const struct osu_run *run;
    struct osu_window window;
    unsigned char *local; /* origin buffers; a slot each, like the window */
    size_t stride;        /* bytes from slot to slot, in window and local */
    int slots;
    int round; /* whose data prepare and verify are about */
    int count; /* elements of an operation */
    MPI_Datatype datatype;
    /* Operands of fetch-and-op and compare-and-swap; [0] is the result. */
    long long operand[3];
};

/* The operations. */
extern const struct osu_rma_op osu_rma_put;
extern const struct osu_rma_op osu_rma_get;
extern const struct osu_rma_op osu_rma_accumulate;
extern const struct osu_rma_op osu_rma_fetch_and_op;
extern const struct osu_rma_op osu_rma_compare_and_swap;

/* Complete programs. bench needs only names, letters, defaults and adjust. Return the exit
 * status. */
int osu_rma_latency_main(const struct osu_bench *bench, const struct osu_rma_op *op, int argc,
                         char **argv);
int osu_rma_bandwidth_main(const struct osu_bench *bench, const struct osu_rma_op *op, int argc,
                           char **argv);

/* For osu_bench.adjust: one size only, that of an element. */
void osu_rma_adjust_single(struct osu_options *options);

/* The seed of what rank sends in a slot of the current round. */
uint64_t osu_rma_seed(const struct osu_rma *rma, int rank, int slot);

/* Memory of a slot: in the local buffer, in this rank's part of the window, and its displacement in
 * the peer's. */
static inline unsigned char *osu_rma_local(const struct osu_rma *rma, int slot)
{
    return rma->local + (size_t)slot * rma->stride;
}

static inline unsigned char *osu_rma_own(const struct osu_rma *rma, int slot)
{
    return rma->window.base + (size_t)slot * rma->stride;
}

static inline MPI_Aint osu_rma_displacement(const struct osu_rma *rma, int slot)
{
    return rma->window.remote + (MPI_Aint)((size_t)slot * rma->stride);
}

#endif
