/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job of several commands: mpi_apps WHICH SIZE, in each of them with its place, from 0, and with
 * the ranks that the job has. Each rank compares MPI_APPNUM with that, and all see their places
 * come in order of their ranks.
 */
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

static void demand(int is, const char *what, int rank)
{
    if (!is) {
        fprintf(stderr, "mpi_apps: rank %d: %s\n", rank, what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int main(int argc, char **argv)
{
    int mine = argc > 1 ? atoi(argv[1]) : 0, wanted = argc > 2 ? atoi(argv[2]) : 1;
    int rank, size, found, *number, *all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    demand(size == wanted, "the job has another number of ranks", rank);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &found);
    demand(found, "there is no MPI_APPNUM", rank);
    demand(*number == mine, "MPI_APPNUM is another", rank);
    all = malloc((size_t)size * sizeof(*all));
    demand(all != NULL, "no memory", rank);
    MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 1; i < size; i++) {
        demand(all[i] >= all[i - 1], "ranks are not in the order of their commands", rank);
    }
    free(all);
    MPI_Finalize();
    if (rank == 0) {
        printf("MT-OK mpi_apps checks=%d\n", size + 2);
    }
    return 0;
}
