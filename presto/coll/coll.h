/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_COLL_COLL_H
#define PRI_COLL_COLL_H

/*
 * Collective operations of a team, the ranks of one communicator. Every operation is a schedule:
 * steps (send, receive, reduce, copy) in rounds, written down from the team's size, this rank, the
 * counts and the types, and carried out by the thread that makes progress. A blocking call carries
 * it out itself; the shortest ones (barrier, short broadcast, reduce and allreduce) go without a
 * schedule. docs/collectives.md says which algorithm when.
 *
 * The last argument of each function is a request. NULL: the call blocks. Else it returns at once,
 * and the request is complete when the operation is; status.error has its result. Types and
 * operations are held until then, counts and displacements are read before the call returns.
 *
 * All ranks of a team must call the same operations in the same order, blocking or not; any number
 * may be under way. One thread of a rank at a time may call functions for one team. What is started
 * again and again has a copy of the team (struct pri_persistent in coll/inter.h).
 *
 * Callers check arguments: counts are not negative, roots are ranks, types are committed, the
 * operation accepts the type. Where only the root's arguments matter, others may pass anything. Of
 * a part whose count is 0 neither type nor place is looked at.
 * Functions return 0 or an enum pri_error: PRI_ERR_NOMEM (nothing was started); in blocking calls
 * also what went wrong on the way, first error first. An operation goes on after an error as well
 * as it can, so that the other ranks do not hang.
 */

#include "core/core.h"
#include "type/op.h"
#include "type/type.h"

/* As a send buffer (gather and scatter: what is not significant at the root), MPI's
 * MPI_IN_PLACE. */
#define PRI_IN_PLACE ((void *)-1)

struct pri_inter;
struct pri_counters;

/* The ranks of a communicator, as seen by one of them. Made by pri_team_init; members must stay. */
struct pri_team {
    struct pri_rank *self;
    int rank, size;
    const int *members; /* [size]: ranks in the job; NULL: rank i is the job's rank i */
    uint32_t context;   /* the plane of collectives: with PRI_COLL */
    uint32_t next_tag;  /* of the next operation; all ranks call these in the same order */
    uint32_t kind;      /* of the operation of now: a class of record/names.h */
    bool persistent;    /* the operation of now is */
    uint32_t barriers;  /* by messages, that have blocked */
    struct pri_counters *counters; /* of later ones, or NULL */
    /* NULL, or this is the other group of an intercommunicator (coll/inter.h), and rank is this
     * one's in its own; not for scans, neighbours, and in place. */
    struct pri_inter *inter;
};

/* Also makes what all teams of the rank share (pools and thresholds), the first time; it is freed
 * by pri_stop. context is the communicator's. PRI_ERR_NOMEM. The first call of a rank must be its
 * only one at the time. */
int pri_team_init(struct pri_team *team, struct pri_rank *self, uint32_t context, int rank,
                  int size, const int *members);

/* All ranks have ended the team, or the job ends. */
void pri_team_fini(struct pri_team *team);

static inline int pri_team_member(const struct pri_team *team, int rank)
{
    return team->members == NULL ? rank : team->members[rank];
}

/* Some elements in memory: what MPI spreads over three arguments. */
struct pri_some {
    void *buf; /* not written to where it is sent from */
    size_t count;
    struct pri_type *type;
};

/* A part for each rank: rank i's is counts[i] elements, displs[i] extents behind buf; with `types`
 * (the functions with a w) they are of types[i], displs[i] or places[i] bytes behind buf. */
struct pri_parts {
    void *buf;
    const int *counts;
    const int *displs;
    struct pri_type *type;
    struct pri_type *const *types; /* NULL: all are of `type` */
    const ptrdiff_t *places;       /* instead of displs, which is NULL then: neighbor_alltoallw */
    const long long *large_counts; /* instead of counts, which is NULL then */
};

int pri_coll_barrier(struct pri_team *team, struct pri_request *request);

int pri_coll_bcast(struct pri_team *team, void *buf, size_t count, struct pri_type *type, int root,
                   struct pri_request *request);

/* in may be PRI_IN_PLACE at the root (reduce) or everywhere (the others). out matters at the root
 * only. */
int pri_coll_reduce(struct pri_team *team, const void *in, void *out, size_t count,
                    struct pri_type *type, struct pri_op *op, int root,
                    struct pri_request *request);
int pri_coll_allreduce(struct pri_team *team, const void *in, void *out, size_t count,
                       struct pri_type *type, struct pri_op *op, struct pri_request *request);
int pri_coll_scan(struct pri_team *team, const void *in, void *out, size_t count,
                  struct pri_type *type, struct pri_op *op, struct pri_request *request);
/* out of rank 0 is left as it is. */
int pri_coll_exscan(struct pri_team *team, const void *in, void *out, size_t count,
                    struct pri_type *type, struct pri_op *op, struct pri_request *request);
/* Rank i gets as many elements as its part in out has, which lies at out->buf; displacements do not
 * matter. With PRI_IN_PLACE all the data is at out->buf. */
int pri_coll_reduce_scatter(struct pri_team *team, const void *in, const struct pri_parts *out,
                            struct pri_op *op, struct pri_request *request);
int pri_coll_reduce_scatter_block(struct pri_team *team, const void *in, void *out, size_t count,
                                  struct pri_type *type, struct pri_op *op,
                                  struct pri_request *request);

/* `out` of gather, allgather and alltoall, and `in` of scatter and alltoall: count elements for
 * EACH rank. In place: buf of the other side (gather: in.buf at the root; scatter: out.buf at the
 * root; allgather and alltoall: in.buf everywhere) is PRI_IN_PLACE. */
int pri_coll_gather(struct pri_team *team, struct pri_some in, struct pri_some out, int root,
                    struct pri_request *request);
int pri_coll_gatherv(struct pri_team *team, struct pri_some in, const struct pri_parts *out,
                     int root, struct pri_request *request);
int pri_coll_scatter(struct pri_team *team, struct pri_some in, struct pri_some out, int root,
                     struct pri_request *request);
int pri_coll_scatterv(struct pri_team *team, const struct pri_parts *in, struct pri_some out,
                      int root, struct pri_request *request);
int pri_coll_allgather(struct pri_team *team, struct pri_some in, struct pri_some out,
                       struct pri_request *request);
int pri_coll_allgatherv(struct pri_team *team, struct pri_some in, const struct pri_parts *out,
                        struct pri_request *request);
int pri_coll_alltoall(struct pri_team *team, struct pri_some in, struct pri_some out,
                      struct pri_request *request);
/* alltoallv, and alltoallw if `types` is set: in both, or in out alone when in.buf is
 * PRI_IN_PLACE. */
int pri_coll_alltoallv(struct pri_team *team, const struct pri_parts *in,
                       const struct pri_parts *out, struct pri_request *request);

/* Neighbours in a topology: ranks of the team or PRI_PROC_NULL, in the order of the parts. cart:
 * they are those of a Cartesian grid, below and above in each dimension; then what is sent down
 * arrives from above, also where both are the same rank. */
struct pri_neighbors {
    int sources, dests;
    const int *source, *dest;
    bool cart;
};

/* in goes to each destination; from source i comes out's part i. */
int pri_coll_neighbor_allgather(struct pri_team *team, const struct pri_neighbors *neighbors,
                                struct pri_some in, struct pri_some out,
                                struct pri_request *request);
int pri_coll_neighbor_allgatherv(struct pri_team *team, const struct pri_neighbors *neighbors,
                                 struct pri_some in, const struct pri_parts *out,
                                 struct pri_request *request);
int pri_coll_neighbor_alltoall(struct pri_team *team, const struct pri_neighbors *neighbors,
                               struct pri_some in, struct pri_some out,
                               struct pri_request *request);
int pri_coll_neighbor_alltoallv(struct pri_team *team, const struct pri_neighbors *neighbors,
                                const struct pri_parts *in, const struct pri_parts *out,
                                struct pri_request *request);

#endif
