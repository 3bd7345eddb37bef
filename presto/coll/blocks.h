/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_COLL_BLOCKS_H
#define PRI_COLL_BLOCKS_H

/* What reductions of long data share: ranks folded to a power of two, data cut into blocks. */

#include "coll/private.h"

/*
 * Ranks are folded to a power of two: of the first 2 * extra ones, each odd rank gives its data to
 * the even rank below and gets the result from it. What is left is numbered in the same order, so
 * that neighbours' data stays next to each other and an operation need not commute.
 */
struct pri_folded {
    int whole, extra; /* the power of two; ranks above it */
    int me;           /* number among the ranks left; -1: this one is not */
};

struct pri_folded pri_folded_of(const struct pri_team *team);

static inline int pri_folded_rank(const struct pri_folded *f, int number)
{
    return number < f->extra ? 2 * number : number + f->extra;
}

/* Whether this rank, which is left, stands for the one above it as well. */
static inline bool pri_folded_has_other(const struct pri_folded *f, const struct pri_team *team)
{
    return team->rank < 2 * f->extra;
}

/* A reduction that cuts the data into n blocks. The operation commutes. */
struct pri_blocks {
    struct pri_sched *s;
    const char *in; /* == out: in place, or `out` has been written already */
    char *out, *temp;
    size_t count;
    int n;
};

/* Blocks from..to-1 of a buffer laid out like `out`. */
struct pri_data pri_blocks_data(const struct pri_blocks *b, const char *buf, int from, int to);

/* Where blocks that come in go: to their place in `out`, if what is there is not needed. */
struct pri_data pri_blocks_landing(const struct pri_blocks *b, int from, int to);

/* Blocks that came in, reduced with this rank's own to their place in `out`. */
void pri_write_blocks_reduce(struct pri_blocks *b, int from, int to);

/* What folded ranks do first: those that stay get the data of those that go. */
void pri_write_fold(struct pri_blocks *b, const struct pri_folded *f);

/* Recursive halving: exchanges the half that the other one keeps, until one block is left, number
 * f->me. */
void pri_write_halving(struct pri_blocks *b, const struct pri_folded *f);

#endif
