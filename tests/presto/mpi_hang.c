/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 does what the argument says, which lasts for ever or for long; tests/presto/hang.sh looks
 * at what is told of it. For two ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG_WORDS = 1000000, SLICES = 25, SLICE_US = 200000 };

static MPI_Comm comm;
static MPI_Win win;
static int data[LONG_WORDS], word;
static MPI_Request request[2];

/* ---- waits of rank 0 for what rank 1 never does ---- */

static void wait_any(void)
{
    int index;
    MPI_Irecv(&word, 1, MPI_INT, 1, 7, comm, &request[0]);
    MPI_Irecv(&word, 1, MPI_INT, 1, 8, comm, &request[1]);
    MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE);
}

static void message(const char *what)
{
    if (strcmp(what, "recv") == 0) {
        MPI_Recv(&word, 1, MPI_INT, 1, 7, comm, MPI_STATUS_IGNORE);
    }
    if (strcmp(what, "any") == 0) {
        MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
    }
    if (strcmp(what, "send") == 0) {
        MPI_Send(data, LONG_WORDS, MPI_INT, 1, 7, comm);
    }
    if (strcmp(what, "ssend") == 0) {
        MPI_Ssend(&word, 1, MPI_INT, 1, 7, comm);
    }
    if (strcmp(what, "probe") == 0) {
        MPI_Probe(1, 7, comm, MPI_STATUS_IGNORE);
    }
    if (strcmp(what, "waitany") == 0) {
        wait_any();
    }
}

static void collective(const char *what)
{
    MPI_Win made;
    int *base;
    if (strcmp(what, "bcast") == 0) {
        MPI_Bcast(data, LONG_WORDS, MPI_INT, 1, comm);
    }
    if (strcmp(what, "ibarrier") == 0) {
        MPI_Ibarrier(comm, request);
        MPI_Wait(request, MPI_STATUS_IGNORE);
    }
    if (strcmp(what, "window") == 0) {
        MPI_Win_allocate(sizeof(int), 4, MPI_INFO_NULL, comm, &base, &made);
    }
    if (strcmp(what, "finalize") == 0) {
        MPI_Finalize();
    }
}

static void window(const char *what, MPI_Group other)
{
    if (strcmp(what, "fence") == 0) {
        MPI_Win_fence(0, win);
    }
    if (strcmp(what, "start") == 0) {
        MPI_Win_start(other, 0, win);
    }
    if (strcmp(what, "expose") == 0) {
        MPI_Win_post(other, 0, win);
        MPI_Win_wait(win);
    }
    if (strcmp(what, "lock") == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    }
    if (strcmp(what, "answer") == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    }
}

/* Rank 1 calls nothing, or nothing but what makes progress. */
static void idle(int polls)
{
    int flag;
    if (polls) {
        MPI_Iprobe(0, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
    usleep(1000);
}

static void wait_for_ever(const char *what, int rank)
{
    MPI_Group all, other;
    const int one = 1;
    int *base;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &one, &other);
    MPI_Win_allocate(sizeof(int), 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1 && strcmp(what, "lock") != 0) {
        MPI_Win_unlock(1, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    while (rank == 1) {
        idle(strcmp(what, "lock") == 0);
    }
    message(what);
    collective(what);
    window(what, other);
    fprintf(stderr, "mpi_hang: %s has ended\n", what);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

/* ---- what rank 0 leaves behind ---- */

static void leave_behind(const char *what)
{
    static MPI_Request q;
    if (strstr(what, "recv") != NULL) {
        MPI_Irecv(&word, 1, MPI_INT, 1, 7, comm, &q);
    }
    if (strstr(what, "ssend") != NULL) {
        MPI_Issend(&word, 1, MPI_INT, 1, 7, comm, &q);
    }
    if (strstr(what, "send-long") != NULL) {
        MPI_Isend(data, LONG_WORDS, MPI_INT, 1, 7, comm, &q);
    }
    if (strstr(what, "send-self") != NULL) {
        MPI_Isend(data, LONG_WORDS, MPI_INT, 0, 7, comm, &q);
    }
    if (strstr(what, "barrier") != NULL) {
        MPI_Ibarrier(comm, &q);
    }
    if (strncmp(what, "freed-", 6) == 0) {
        MPI_Request_free(&q);
    }
}

/* ---- what takes long, and goes on ---- */

/* Rank 0 waits for one message, and others come; then it is long before rank 1 leaves. */
static void move(int rank)
{
    MPI_Request q;
    if (rank == 0) {
        MPI_Recv(&word, 1, MPI_INT, 1, 9, comm, MPI_STATUS_IGNORE);
        for (int i = 0; i < SLICES; i++) {
            MPI_Recv(&word, 1, MPI_INT, 1, 1, comm, MPI_STATUS_IGNORE);
        }
        MPI_Irecv(&word, 1, MPI_INT, 1, 2, comm, &q);
        MPI_Request_free(&q);
        return;
    }
    for (int i = 0; i < SLICES; i++) {
        MPI_Send(&word, 1, MPI_INT, 0, 1, comm);
        usleep(SLICE_US);
    }
    MPI_Send(&word, 1, MPI_INT, 0, 9, comm);
    sleep(3);
    MPI_Send(&word, 1, MPI_INT, 0, 2, comm);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "fluid");
    MPI_Comm_rank(comm, &rank);
    if (strcmp(what, "move") == 0) {
        move(rank);
    } else if (strncmp(what, "freed-", 6) == 0 || strncmp(what, "kept-", 5) == 0) {
        if (rank == 0) {
            leave_behind(what);
        }
    } else {
        wait_for_ever(what, rank);
    }
    MPI_Finalize();
    return 0;
}
