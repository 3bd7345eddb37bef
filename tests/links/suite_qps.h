/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LINKS_SUITE_QPS_H
#define TESTS_LINKS_SUITE_QPS_H

#include "base/bits.h"
#include "suite.h"

/*
 * Queue pairs of NI 0, towards NI 1. The controller posts and polls: where the NIs have threads or
 * processes of their own, that is another thread or process than the one that serves.
 */

enum {
    QP_SLICE = 4096, /* bytes of memory that one request uses */
    QP_SLICES = 256,
    QP_MEMORY = 0, /* targets: NI 1's memory, */
    QP_SECRET = 1, /* the same with a wrong key, */
    QP_STALE = 2,  /* and one that was taken back */
};

struct qp_world {
    struct suite *suite;
    uint8_t *local, *remote; /* QP_SLICES slices each, at NI 0 and at NI 1 */
    struct ni_rkey local_key, remote_key;
};

struct qp_pair {
    struct qp_world *world;
    struct ni_qp_attr attr;
    ni_handle handle;
    struct ni_qp qp; /* as its owner knows it */
    struct ni_qp_result result;
    uint64_t stat; /* the last one asked for */
    const char *stat_name;
};

struct qp_world *qp_world_new(struct suite *suite);
struct qp_pair *qp_pair_new(struct qp_world *world, uint32_t requests, uint32_t completions,
                            uint32_t unroll);
void qp_pair_end(struct qp_pair *pair);

/* A copy between a slice here and the same one there, whose source is filled by a seed. */
struct ni_qp_work qp_copy(struct qp_world *world, enum ni_qp_op op, size_t slice, uint32_t len,
                          uint32_t seed);
/* That it was done. */
bool qp_copied(const struct qp_world *world, const struct ni_qp_work *work, size_t slice);

/* Wait until the engine has said that entries may be written again, which it may do after some
 * completions. */
void qp_await_room(struct qp_pair *pair);
/* Post when there is room, and wait for the next completion. */
void qp_post(struct qp_pair *pair, const struct ni_qp_work *work);
struct ni_qp_result qp_next(struct qp_pair *pair);
/* Both, for the only request under way. */
struct ni_qp_result qp_run(struct qp_pair *pair, const struct ni_qp_work *work);
/* A statistic of NI 0. */
uint64_t qp_stat(struct qp_pair *pair, const char *name);

#endif
