/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/coll_check.h"

#include <limits.h>

int pri_bad_counts(int n, const int *counts)
{
    if (counts == NULL)
        return pri_blame(MPI_ERR_ARG, "the array of counts is NULL");
    for (int i = 0; i < n; i++)
        if (counts[i] < 0)
            return pri_blame_value(MPI_ERR_COUNT, "one of the counts", counts[i], 0, INT_MAX);
    return MPI_SUCCESS;
}

int pri_bad_parts(const struct pri_comm *comm, const int *counts, const struct pri_type *type)
{
    int code = pri_bad_counts(comm->team.size, counts);
    return code != MPI_SUCCESS ? code : pri_bad_elements(0, type);
}

int pri_bad_types(const struct pri_comm *comm, const int *counts, struct pri_type *const *types)
{
    int code = pri_bad_counts(comm->team.size, counts);
    for (int i = 0; code == MPI_SUCCESS && i < comm->team.size; i++)
        if (counts[i] > 0)
            code = pri_bad_elements(0, types[i]);
    return code;
}

int pri_coll_begin(struct pri_comm *comm, struct pri_mpi_request **request)
{
    *request = pri_request_new(comm, PRI_MPI_OPERATION);
    return *request == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}
