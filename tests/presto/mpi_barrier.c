/* SPDX-License-Identifier: BSD-3-Clause */
/* Barriers, more than it takes to go over to counters: nobody leaves before all have come, in
 * several communicators, with nonblocking ones between, and after communicators have gone. A plain
 * MPI program for any number of ranks. */
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 40 };

static int rank, size, checks;
static _Atomic int *rounds; /* of each rank of the world, in memory of all */

/* Each says that it has come; behind the barrier all have. members: world ranks of the
 * communicator. */
static void meet(MPI_Comm comm, const int *members, int n, int round, int later)
{
    MPI_Request request;
    atomic_store_explicit(&rounds[rank], round, memory_order_release);
    if (later) {
        MPI_Ibarrier(comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Barrier(comm);
    }
    for (int i = 0; i < n; i++) {
        checks++;
        int seen = atomic_load_explicit(&rounds[members[i]], memory_order_acquire);
        if (seen < round) {
            fprintf(stderr, "mpi_barrier: rank %d: round %d, and rank %d is in round %d\n", rank,
                    round, members[i], seen);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

int main(int argc, char **argv)
{
    MPI_Comm half, copy;
    MPI_Win win;
    MPI_Aint bytes;
    void *mine;
    int unit, round = 0, n = 0, members[64], all[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate_shared(rank == 0 ? size * (MPI_Aint)sizeof(int) : 0, sizeof(int),
                            MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    MPI_Win_shared_query(win, 0, &bytes, &unit, &mine);
    rounds = mine;
    for (int i = 0; i < size; i++) {
        all[i] = i;
        if (i % 2 == rank % 2) {
            members[n++] = i;
        }
    }
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    for (int i = 0; i < ROUNDS; i++) {
        meet(MPI_COMM_WORLD, all, size, ++round, i % 7 == 3);
        meet(half, members, n, ++round, i % 5 == 2);
    }
    /* New ones take the places of those that are gone. */
    for (int i = 0; i < 4; i++) {
        MPI_Comm_dup(i % 2 ? half : MPI_COMM_WORLD, &copy);
        for (int k = 0; k < 8; k++) {
            meet(copy, i % 2 ? members : all, i % 2 ? n : size, ++round, 0);
        }
        MPI_Comm_free(&copy);
    }
    MPI_Comm_free(&half);
    MPI_Win_free(&win);
    if (rank == 0) {
        printf("MT-OK mpi_barrier checks=%d\n", checks);
    }
    MPI_Finalize();
    return 0;
}
