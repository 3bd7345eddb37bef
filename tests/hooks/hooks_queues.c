/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Covers: pml_hooks_queues.c
 *
 * Two ranks: for some time there are at least MESSAGES unexpected messages at rank 0, then so many
 * posted receives without a message. Meanwhile short messages go to and fro.
 */
#include <mpi.h>
#include <unistd.h>

enum { MESSAGES = 40, LASTING_MS = 1500 };

static void to_and_fro(int rank)
{
    double end = MPI_Wtime() + LASTING_MS * 1e-3;

    for (int go = 1; go;) {
        if (rank == 0) {
            go = MPI_Wtime() < end;
            MPI_Send(&go, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
            MPI_Recv(&go, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&go, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&go, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        }
        usleep(5000);
    }
}

static void send_all(MPI_Comm comm)
{
    int word = 0;

    for (int i = 0; i < MESSAGES; i++) {
        MPI_Send(&word, 1, MPI_INT, 0, 2, comm);
    }
}

int main(int argc, char **argv)
{
    static int words[MESSAGES];
    MPI_Request requests[MESSAGES];
    MPI_Comm other;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    if (rank == 1) {
        send_all(other);
    }
    to_and_fro(rank);
    for (int i = 0; i < MESSAGES && rank == 0; i++) {
        MPI_Recv(&words[i], 1, MPI_INT, 1, 2, other, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < MESSAGES && rank == 0; i++) {
        MPI_Irecv(&words[i], 1, MPI_INT, 1, 2, other, &requests[i]);
    }
    to_and_fro(rank);
    if (rank == 1) {
        send_all(other);
    } else if (rank == 0) {
        MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Comm_free(&other);
    to_and_fro(rank);
    MPI_Finalize();
    return 0;
}
