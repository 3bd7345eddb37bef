/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What no MPI call leads to: rank 0 sends rank 1 messages with a tag that nobody takes there, then
 * all print the state of what they communicate through. btl_inside.sh reads it.
 */
#include "ompi_glue/inside.h"

#include <mpi.h>

enum { TAG = 0x9d, MESSAGES = 3, BYTES = 16 };

int main(int argc, char **argv)
{
    bool good = true;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < MESSAGES && rank == 0; i++) {
        good &= ompi_glue_send_raw(1, TAG, BYTES);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* comes after them */
    good &= ompi_glue_dump();
    MPI_Finalize();
    return good ? 0 : 1;
}
