/* SPDX-License-Identifier: BSD-3-Clause */
/* The part in C of fortran_latency.f90. */
#include <mpi.h>

void ping_c_(const int *rank, const int *loops);

void ping_c_(const int *rank, const int *loops)
{
    double word = 0;
    MPI_Status status;
    for (int i = 0; i < *loops; i++) {
        if (*rank == 0) {
            MPI_Send(&word, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
            MPI_Recv(&word, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &status);
        } else {
            MPI_Recv(&word, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &status);
            MPI_Send(&word, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
        }
    }
}
