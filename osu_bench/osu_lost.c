/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When a process that waits in MPI comes to know that its peer is lost: all ranks but the last wait
 * for a message of the last rank, which sends none. Rank 0 prints the time of its error, in ns of
 * CLOCK_MONOTONIC, and the error's text. For fault_hosts, which makes the last rank's host fail.
 *
 *   osu_lost      two ranks or more
 */
#include "clock.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, value = 0, code, length = 0;
    char text[MPI_MAX_ERROR_STRING] = "";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2) {
        fprintf(stderr, "osu_lost: one rank waits for nobody; start two or more\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("ready\n");
    fflush(stdout);
    code = MPI_Recv(&value, 1, MPI_INT, rank == size - 1 ? 0 : size - 1, 1, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS) {
        return 1;
    }
    if (rank == 0) {
        const unsigned long long now = osu_clock();
        MPI_Error_string(code, text, &length);
        printf("lost %llu %s\n", now, text);
        fflush(stdout);
    }
    _Exit(0); /* MPI_Finalize would wait for the lost one */
}
