/* SPDX-License-Identifier: BSD-3-Clause */
/* In C and in C++: says how many ranks there are, and of which MPI. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#ifdef PRESTO_MPI
    if (rank == 0) {
        printf("%d ranks, Presto\n", size);
    }
#endif
    return MPI_Finalize();
}
