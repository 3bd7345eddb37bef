/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_MPI_COLL_CHECK_H
#define PRI_MPI_COLL_CHECK_H

/* What all collective operations share: the checks of their arguments, each an MPI code, and the
 * requests of those that do not block or are persistent. */

#include "coll/inter.h"
#include "mpi/check.h"
#include "mpi/request.h"

static inline int pri_bad_root(const struct pri_comm *comm, int root)
{
    if (NI_LIKELY((unsigned)root < (unsigned)comm->team.size)) {
        return MPI_SUCCESS;
    }
    if (comm->inter != NULL && (root == MPI_ROOT || root == MPI_PROC_NULL)) {
        return MPI_SUCCESS;
    }
    return pri_blame_value(MPI_ERR_ROOT, "the root", root, 0, comm->team.size - 1);
}

/* A collective operation looks at neither type nor buffer of what has no elements. Where all parts
 * are of one type, that type is here made one that may be looked at; where each part has its own,
 * only those with elements are asked for (coll/sched.h). */
static inline struct pri_type *pri_some_type(MPI_Count count, struct pri_type *type)
{
    return NI_LIKELY(count != 0) ? type : MPI_BYTE;
}

static inline struct pri_some pri_some_of(const void *buf, MPI_Count count, struct pri_type *type)
{
    return (struct pri_some){(void *)buf, (size_t)count, pri_some_type(count, type)};
}

/* MPI_IN_PLACE where it means nothing. */
NI_COLD int pri_blame_place(void);

static inline int pri_bad_buffer(const void *buf, MPI_Count count)
{
    return NI_LIKELY(buf != MPI_IN_PLACE) || count == 0 ? MPI_SUCCESS : pri_blame_place();
}

static inline int pri_bad_elements(MPI_Count count, const struct pri_type *type)
{
    return NI_LIKELY(!pri_bad_data(count, type)) ? MPI_SUCCESS : pri_data_class(count, type);
}

static inline int pri_bad_some(struct pri_some some)
{
    int code = pri_bad_elements((MPI_Count)some.count, some.type);
    return NI_LIKELY(code == MPI_SUCCESS) ? pri_bad_buffer(some.buf, (MPI_Count)some.count) : code;
}

/* The same, unless they may be in place, and are. */
static inline int pri_bad_some_or(bool in_place, struct pri_some some)
{
    return in_place && some.buf == MPI_IN_PLACE ? MPI_SUCCESS : pri_bad_some(some);
}

/* in_place: whether `in` may be. `out` is NULL where nothing comes out. */
static inline int pri_bad_reduction(bool in_place, const void *in, const void *out, MPI_Count count,
                                    const struct pri_type *type, const struct pri_op *op)
{
    int code = pri_bad_elements(count, type);
    if (NI_LIKELY(code == MPI_SUCCESS) &&
        NI_UNLIKELY(op == NULL || (count > 0 && !pri_op_accepts(op, type)))) {
        code = pri_blame(MPI_ERR_OP, op == NULL ? "it is MPI_OP_NULL"
                                                : "the datatype does not have this operation");
    }
    if (NI_LIKELY(code == MPI_SUCCESS) && !in_place) {
        code = pri_bad_buffer(in, count);
    }
    return NI_LIKELY(code == MPI_SUCCESS) ? pri_bad_buffer(out, count) : code;
}

/* Both buffers are the same memory. */
NI_COLD int pri_blame_alias(void);

/* What an application gives of the parts: a count and a displacement for each, and one type, or one
 * for each (the functions with a w, whose displacements are bytes). */
static inline struct pri_parts pri_parts_of(const void *buf, const pri_count *counts,
                                            const pri_disp *displs, struct pri_type *type,
                                            struct pri_type *const *types)
{
#ifdef PRI_LARGE
    return (struct pri_parts){
        .buf = (void *)buf, .large_counts = counts, .places = displs, .type = type, .types = types};
#else
    return (struct pri_parts){
        .buf = (void *)buf, .counts = counts, .displs = displs, .type = type, .types = types};
#endif
}

/* A count for each of n ranks, of which the largest is *most; a part for each of n ranks; the same
 * unless it may be in place, and is. */
int pri_bad_counts(int n, const struct pri_parts *parts, MPI_Count *most);
int pri_bad_parts(int n, const struct pri_parts *parts);

static inline int pri_bad_parts_or(bool in_place, int n, const struct pri_parts *parts)
{
    return in_place && parts->buf == MPI_IN_PLACE ? MPI_SUCCESS : pri_bad_parts(n, parts);
}

/* Whether this rank is the root; whether its part of what the others give or get matters, which
 * between groups is not so in the whole group of the root. */
static inline bool pri_is_root(const struct pri_comm *comm, int root)
{
    return NI_UNLIKELY(comm->inter != NULL) ? root == MPI_ROOT : comm->team.rank == root;
}

static inline bool pri_is_leaf(int root)
{
    return root >= 0;
}

/* Whether data may be in place: within a group. */
static inline bool pri_within(const struct pri_comm *comm)
{
    return NI_LIKELY(comm->inter == NULL);
}

/* Whether this rank is the root of an operation within a group. */
static inline bool pri_here(const struct pri_comm *comm, int root)
{
    return comm->inter == NULL && comm->team.rank == root;
}

/* What is sent and what is received must not overlap. Refused is data of which the first byte is
 * the same, if there is any; other overlaps are not looked for. The arguments are good otherwise.
 *
 * Of a reduction: `count` elements of one type in either buffer. */
static inline int pri_bad_same(const void *in, const void *out, MPI_Count count)
{
    return NI_LIKELY(in != out) || count == 0 ? MPI_SUCCESS : pri_blame_alias();
}

/* What this rank has for all, or gets from all, which may be in place, and its own part of what is
 * for each rank (between groups the first part). */
int pri_bad_own(const struct pri_comm *comm, struct pri_some one, struct pri_some all);
int pri_bad_own_part(const struct pri_comm *comm, struct pri_some one, const struct pri_parts *all);

/* What goes to each rank, unless it is in place, and what comes from it. */
int pri_bad_both(struct pri_some in, struct pri_some out);
int pri_bad_both_parts(const struct pri_comm *comm, const struct pri_parts *in,
                       const struct pri_parts *out);

/* A persistent operation: what its function does when it is started, and the arguments that count
 * in this rank; the others are 0. */
struct pri_call {
    int (*start)(struct pri_team *team, const struct pri_call *call, struct pri_request *request);
    struct pri_some in, out;
    struct pri_parts ins, outs;
    int sends, receives; /* parts of ins, of outs */
    struct pri_neighbors neighbors;
    struct pri_op *op;
    int root;
    struct pri_persistent persistent; /* of one that is kept */
};

static const struct pri_some pri_none = {0};

/* The request of a persistent operation, which has what it needs of the call: types and operations
 * are held, arrays copied. */
int pri_coll_keep(struct pri_comm *comm, const char *function, const struct pri_call *call,
                  MPI_Request *out);

/* Start such a request; 0, or an error of the core. */
int pri_coll_start(struct pri_mpi_request *request);

/* The request of an operation that does not block. */
int pri_coll_begin(struct pri_comm *comm, struct pri_mpi_request **request);

static inline struct pri_request *pri_coll_core(struct pri_mpi_request *request)
{
    return request == NULL ? NULL : &request->core;
}

/* The operation has been started with an error of the core, or is done if there is no request. */
static inline int pri_coll_end(struct pri_comm *comm, const char *function,
                               struct pri_mpi_request *request, int error, MPI_Request *out)
{
    if (request != NULL) {
        if (NI_LIKELY(error == 0)) {
            *out = request;
        } else {
            pri_request_end(request);
        }
    }
    return pri_result(comm, function, error);
}

#endif
