/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_PRESTO_COLL_CASES_H
#define TESTS_PRESTO_COLL_CASES_H

/*
 * Random collective operations with what must come out of them, for tests which have all ranks in
 * one process. What each rank's memory must look like afterwards is worked out element by element
 * from all ranks' input, including that nothing beside the results was touched.
 *
 *     coll_case_make(&c, &seed, n);
 *     for each rank (any order, any thread): coll_case_start(&c, rank, &team, request or NULL)
 *     when all are complete: coll_case_check(&c)
 *     coll_case_free(&c)
 */

#include "coll/coll.h"

enum { COLL_CASE_RANKS = 16 };

enum coll_kind {
    COLL_BARRIER,
    COLL_BCAST,
    COLL_REDUCE,
    COLL_ALLREDUCE,
    COLL_SCAN,
    COLL_EXSCAN,
    COLL_REDUCE_SCATTER,
    COLL_REDUCE_SCATTER_BLOCK,
    COLL_GATHER,
    COLL_GATHERV,
    COLL_SCATTER,
    COLL_SCATTERV,
    COLL_ALLGATHER,
    COLL_ALLGATHERV,
    COLL_ALLTOALL,
    COLL_ALLTOALLV,
    COLL_ALLTOALLW,
    COLL_NEIGHBOR_ALLGATHER,
    COLL_NEIGHBOR_ALLGATHERV,
    COLL_NEIGHBOR_ALLTOALL,
    COLL_NEIGHBOR_ALLTOALLV,
    COLL_KINDS
};

/* One rank's memory on one side, and what must be in it in the end. */
struct coll_memory {
    char *mem, *want;
    size_t bytes;
    char *buf; /* the buffer's address: MPI's, which may lie before or within mem */
};

struct coll_rank {
    struct coll_memory in, out;
    int counts[2][COLL_CASE_RANKS]; /* of the parts of in and out */
    int displs[2][COLL_CASE_RANKS];
    struct pri_type *types[2][COLL_CASE_RANKS];
    struct pri_parts parts[2];
    int sources[COLL_CASE_RANKS], dests[COLL_CASE_RANKS];
    struct pri_neighbors neighbors;
};

struct coll_case {
    enum coll_kind kind;
    int n, root;
    bool in_place;
    size_t count;
    struct pri_type *type, *out_type; /* equal data, perhaps laid out differently */
    struct pri_op *op;
    int op_number;
    struct coll_rank rank[COLL_CASE_RANKS];
};

/* The types and operations of the cases, once. False: no memory. */
bool coll_cases_begin(void);
void coll_cases_end(void);

void coll_case_make(struct coll_case *c, uint64_t *seed, int n);
int coll_case_start(struct coll_case *c, int rank, struct pri_team *team,
                    struct pri_request *request);
/* Prints what is wrong. The memory of ranks whose bit is set in `but` may have anything. */
bool coll_case_check(const struct coll_case *c, uint32_t but);
void coll_case_free(struct coll_case *c);

/* xorshift: a number below `below`. */
static inline unsigned coll_random(uint64_t *seed, unsigned below)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (unsigned)((*seed >> 11) % below);
}

#endif
