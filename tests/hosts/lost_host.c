/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 waits for the last rank, until that is lost, says why, and goes on with the others. */
#include <mpi.h>
#include <mpi-ext.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, value = 0, code, sum = 0, length;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Comm less;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("ready\n");
    fflush(stdout);
    code = MPI_Recv(&value, 1, MPI_INT, rank == size - 1 ? 0 : size - 1, 1, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS || rank == size - 1) {
        return 1;
    }
    MPI_Error_string(code, text, &length);
    printf("rank %d: %s\n", rank, text);
    MPIX_Comm_revoke(MPI_COMM_WORLD);
    MPIX_Comm_shrink(MPI_COMM_WORLD, &less);
    code = MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, less);
    printf("rank %d goes on: %d, %d\n", rank, code, sum);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
