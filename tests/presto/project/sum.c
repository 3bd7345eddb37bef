/* SPDX-License-Identifier: BSD-3-Clause */
/* A part that knows of Presto's own functions, too. */
#include <mpi.h>
#include <presto.h>

int sum_of_ranks(MPI_Comm comm);

int sum_of_ranks(MPI_Comm comm)
{
    int rank, sum;

    MPI_Comm_rank(comm, &rank);
    if (pr_error_string(PR_OK)[0] == '\0') {
        return -1;
    }
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    return sum;
}
