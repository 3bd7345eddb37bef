/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: mpi/coll_persistent.c coll/state.c */
/* Threads of a rank start persistent collective operations of one communicator, each its own, in no
 * order, while the main thread calls operations that block. A plain MPI program for two or more
 * ranks. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, ROUNDS = 2000, COUNT = 5 };

static int rank, size;

struct worker {
    pthread_t thread;
    int number, checks;
    int root, in[COUNT], out[COUNT], told[COUNT];
    MPI_Request sum, tell, meet;
};

static void check(int line, long got, long want)
{
    if (got != want) {
        fprintf(stderr, "mpi_starts.c:%d: rank %d: %ld instead of %ld\n", line, rank, got, want);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void prepare(struct worker *w, int number, MPI_Comm comm)
{
    w->number = number;
    w->root = number % size;
    MPI_Allreduce_init(w->in, w->out, COUNT, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &w->sum);
    MPI_Bcast_init(w->told, COUNT, MPI_INT, w->root, comm, MPI_INFO_NULL, &w->tell);
    MPI_Barrier_init(comm, MPI_INFO_NULL, &w->meet);
}

static void round_of(struct worker *w, int round)
{
    int seed = round * THREADS + w->number;
    MPI_Request *order[3] = {&w->sum, &w->tell, &w->meet};

    for (int i = 0; i < COUNT; i++) {
        w->in[i] = seed + i + rank;
        w->told[i] = rank == w->root ? seed * 3 + i : -1;
    }
    for (int i = 0; i < 3; i++) {
        MPI_Start(order[(i + round + rank) % 3]);
    }
    for (int i = 0; i < 3; i++) {
        MPI_Wait(order[i], MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < COUNT; i++) {
        check(__LINE__, w->out[i], (long)size * (seed + i) + (long)size * (size - 1) / 2);
        check(__LINE__, w->told[i], seed * 3 + i);
        w->checks += 2;
    }
}

static void *work(void *arg)
{
    struct worker *w = arg;

    for (int round = 0; round < ROUNDS; round++) {
        round_of(w, round);
    }
    return NULL;
}

/* Operations that block, of the same communicator. */
static int block(MPI_Comm comm)
{
    int checks = 0;

    for (int round = 0; round < ROUNDS; round++) {
        int mine = round + rank, sum, most[4] = {mine, -mine, 2 * mine, 7};

        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
        check(__LINE__, sum, (long)size * round + (long)size * (size - 1) / 2);
        MPI_Allreduce(MPI_IN_PLACE, most, 4, MPI_INT, MPI_MAX, comm);
        check(__LINE__, most[0], round + size - 1);
        check(__LINE__, most[1], -round);
        checks += 3;
    }
    return checks;
}

static int all_threads(MPI_Comm comm)
{
    struct worker *workers = calloc(THREADS, sizeof(*workers));
    int checks;

    if (workers == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int i = 0; i < THREADS; i++) {
        prepare(&workers[i], i, comm);
    }
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    checks = block(comm);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        checks += workers[i].checks;
        MPI_Request_free(&workers[i].sum);
        MPI_Request_free(&workers[i].tell);
        MPI_Request_free(&workers[i].meet);
    }
    free(workers);
    return checks;
}

int main(int argc, char **argv)
{
    int provided, checks;
    MPI_Comm comm;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    check(__LINE__, provided, MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    checks = all_threads(comm);
    MPI_Comm_free(&comm);
    if (rank == 0) {
        printf("MT-OK mpi_starts checks=%d\n", checks);
    }
    MPI_Finalize();
    return 0;
}
