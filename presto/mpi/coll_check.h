/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_MPI_COLL_CHECK_H
#define PRI_MPI_COLL_CHECK_H

/* What all collective operations share: the checks of their arguments, each an MPI code, and the requests of those that do
 * not block. */

#include "mpi/check.h"

static inline int pri_bad_root(const struct pri_comm *comm, int root)
{
    return NI_LIKELY((unsigned)root < (unsigned)comm->team.size) ? MPI_SUCCESS : MPI_ERR_ROOT;
}

static inline int pri_bad_elements(int count, const struct pri_type *type)
{
    if (NI_LIKELY(!pri_bad_data(count, type)))
        return MPI_SUCCESS;
    return count < 0 ? MPI_ERR_COUNT : MPI_ERR_TYPE;
}

/* Elements in a buffer that may be MPI_IN_PLACE. */
static inline int pri_bad_some(const void *buf, int count, const struct pri_type *type)
{
    return buf == MPI_IN_PLACE ? MPI_SUCCESS : pri_bad_elements(count, type);
}

static inline int pri_bad_reduction(int count, const struct pri_type *type, const struct pri_op *op)
{
    int code = pri_bad_elements(count, type);
    if (code == MPI_SUCCESS && NI_UNLIKELY(op == NULL || !pri_op_accepts(op, type)))
        code = MPI_ERR_OP;
    return code;
}

/* One count for each rank. */
int pri_bad_counts(const struct pri_comm *comm, const int *counts);
int pri_bad_parts(const struct pri_comm *comm, const int *counts, const struct pri_type *type);
int pri_bad_types(const struct pri_comm *comm, const int *counts, struct pri_type *const *types);

/* What only the root's arguments say. */
static inline int pri_at_root(const struct pri_comm *comm, int root, int code)
{
    return comm->team.rank == root ? code : MPI_SUCCESS;
}

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
