/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>

int sum_of_ranks(MPI_Comm comm);

int sum_of_ranks(MPI_Comm comm)
{
    int rank, sum;

    MPI_Comm_rank(comm, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    return sum;
}
