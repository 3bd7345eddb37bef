/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_MPI_COLL_CHECK_H
#define PRI_MPI_COLL_CHECK_H

/* What all collective operations share: the checks of their arguments, each an MPI code, and the
 * requests of those that do not block. */

#include "mpi/check.h"
#include "mpi/request.h"

static inline int pri_bad_root(const struct pri_comm *comm, int root)
{
    if (NI_LIKELY((unsigned)root < (unsigned)comm->team.size))
        return MPI_SUCCESS;
    if (comm->inter != NULL && (root == MPI_ROOT || root == MPI_PROC_NULL))
        return MPI_SUCCESS;
    return pri_blame_value(MPI_ERR_ROOT, "the root", root, 0, comm->team.size - 1);
}

static inline int pri_bad_elements(int count, const struct pri_type *type)
{
    return NI_LIKELY(!pri_bad_data(count, type)) ? MPI_SUCCESS : pri_data_class(count, type);
}

/* Elements in a buffer that may be MPI_IN_PLACE. */
static inline int pri_bad_some(const void *buf, int count, const struct pri_type *type)
{
    return buf == MPI_IN_PLACE ? MPI_SUCCESS : pri_bad_elements(count, type);
}

static inline int pri_bad_reduction(int count, const struct pri_type *type, const struct pri_op *op)
{
    int code = pri_bad_elements(count, type);
    if (NI_LIKELY(code == MPI_SUCCESS) && NI_UNLIKELY(op == NULL || !pri_op_accepts(op, type)))
        code = pri_blame(MPI_ERR_OP, op == NULL ? "it is MPI_OP_NULL"
                                                : "the datatype does not have this operation");
    return code;
}

/* Both buffers are the same memory. */
NI_COLD int pri_blame_alias(void);

/* A count for each of n ranks; for each of the ranks that data goes to or comes from. */
int pri_bad_counts(int n, const int *counts);
int pri_bad_parts(const struct pri_comm *comm, const int *counts, const struct pri_type *type);
int pri_bad_types(const struct pri_comm *comm, const int *counts, struct pri_type *const *types);

/* What a code that does not matter here has left is forgotten. */
static inline int pri_pardon(int code)
{
    return NI_LIKELY(code == MPI_SUCCESS) ? code : pri_blame(MPI_SUCCESS, NULL);
}

/* What only the root's arguments say. */
static inline int pri_at_root(const struct pri_comm *comm, int root, int code)
{
    if (NI_UNLIKELY(comm->inter != NULL))
        return root == MPI_ROOT ? code : pri_pardon(code);
    return comm->team.rank == root ? code : pri_pardon(code);
}

/* What all say but, between groups, those beside the root; and what all but the whole group of the
 * root say. */
static inline int pri_but_idle(int root, int code)
{
    return NI_UNLIKELY(root == MPI_PROC_NULL) ? pri_pardon(code) : code;
}

static inline int pri_but_root(int root, int code)
{
    return NI_UNLIKELY(root < 0) ? pri_pardon(code) : code;
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
static inline int pri_bad_same(const void *in, const void *out, int count)
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
        if (NI_LIKELY(error == 0))
            *out = request;
        else
            pri_request_end(request);
    }
    return pri_result(comm, function, error);
}

#endif
