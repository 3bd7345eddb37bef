/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of an application that knows nothing of Presto but for the name that it prints. */
#include <mpi.h>
#include <stdio.h>

int sum_of_ranks(MPI_Comm comm);

int main(int argc, char **argv)
{
    int rank, size, sum;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    sum = sum_of_ranks(MPI_COMM_WORLD);
    if (rank == 0) {
#ifdef PRESTO_MPI
        printf("%d ranks, sum %d, Presto\n", size, sum);
#else
        printf("%d ranks, sum %d\n", size, sum);
#endif
    }
    MPI_Finalize();
    return 0;
}
