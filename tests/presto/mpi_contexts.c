/* SPDX-License-Identifier: BSD-3-Clause */
/* More communicators than there are numbers for, one after the other, each freed while requests of
 * it are under way: the numbers are used again. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = (1 << 17) + 1000, ROUNDS_OF_MANY = 300 };

static void must(int code, const char *what)
{
    if (code != MPI_SUCCESS) {
        fprintf(stderr, "%s fails\n", what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int main(int argc, char **argv)
{
    int rank, size, rounds;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    rounds = size == 1 ? ROUNDS : ROUNDS_OF_MANY;
    for (int i = 0; i < rounds; i++) {
        int out = i + rank, in = -1;
        MPI_Request requests[2];
        MPI_Comm comm;

        must(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "MPI_Comm_dup");
        must(MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, 0, comm, &requests[0]),
             "MPI_Irecv");
        must(MPI_Isend(&out, 1, MPI_INT, (rank + 1) % size, 0, comm, &requests[1]), "MPI_Isend");
        must(MPI_Comm_free(&comm), "MPI_Comm_free");
        must(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
        must(in == i + (rank + size - 1) % size ? MPI_SUCCESS : MPI_ERR_OTHER, "the message");
    }
    MPI_Finalize();
    if (rank == 0) {
        printf("MT-OK contexts checks=%d\n", rounds);
    }
    return 0;
}
