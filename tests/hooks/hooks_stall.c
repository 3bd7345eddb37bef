/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Covers: record/calls.c record/watch.c record/process.c pml_hooks/pml_hooks_progress.c
 *
 * Stops in the way that is named, with three ranks; or is slow, for so many seconds, and healthy.
 */
#include "way.h"

#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, size;
static int big[1 << 20];

static void receive(int from, int tag, MPI_Comm comm)
{
    int word;

    MPI_Recv(&word, 1, MPI_INT, from, tag, comm, MPI_STATUS_IGNORE);
}

static void send(int to, int tag, MPI_Comm comm)
{
    MPI_Send(&rank, 1, MPI_INT, to, tag, comm);
}

static void compute(void)
{
    for (volatile double x = 0;; x++) {
    }
}

static void circle(void)
{
    receive((rank + 1) % size, 3, MPI_COMM_WORLD);
}

static void sends(void) /* long ones, each before its receive */
{
    if (rank < 2) {
        MPI_Send(big, 1 << 20, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
        MPI_Recv(big, 1 << 20, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void tag(void)
{
    if (rank == 0) {
        receive(1, 3, MPI_COMM_WORLD);
    } else if (rank == 1) {
        send(0, 4, MPI_COMM_WORLD);
    }
}

static void comm(void)
{
    MPI_Comm other;

    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    if (rank == 0) {
        receive(1, 3, other);
    } else if (rank == 1) {
        send(0, 3, MPI_COMM_WORLD);
    }
}

static void nobody(void)
{
    if (rank == 0) {
        receive(1, 3, MPI_COMM_WORLD);
    }
}

static void any(void)
{
    if (rank == 0) {
        receive(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD);
    }
}

static void collectives(void)
{
    if (rank == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        MPI_Bcast(big, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    MPI_Bcast(big, 1, MPI_INT, 1, MPI_COMM_WORLD);
}

static void absent(void) /* one does not come to the collective */
{
    if (rank != 2) {
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        compute();
    }
}

static void computes(void)
{
    if (rank == 0) {
        receive(1, 3, MPI_COMM_WORLD);
    } else if (rank == 1) {
        compute();
    }
}

static void made(void) /* a communicator that one does not make */
{
    MPI_Comm other;

    if (rank == 0) {
        MPI_Comm_dup(MPI_COMM_WORLD, &other);
    } else if (rank == 1) {
        compute();
    }
}

static void probe(void)
{
    if (rank == 0) {
        MPI_Probe(1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void requests(void)
{
    MPI_Request all[4];
    int words[4];

    for (int i = 0; i < 4 && rank == 0; i++) {
        MPI_Irecv(&words[i], 1, MPI_INT, 1 + i % 2, 40 + i, MPI_COMM_WORLD, &all[i]);
    }
    if (rank == 0) {
        MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
    } else {
        send(0, 39 + rank, MPI_COMM_WORLD); /* the first two of four */
    }
}

static void synchronous(void)
{
    if (rank == 0) {
        MPI_Ssend(&rank, 1, MPI_INT, 1, 8, MPI_COMM_WORLD);
    }
}

static void stopped(void)
{
    if (rank == 0) {
        receive(1, 3, MPI_COMM_WORLD);
    } else if (rank == 1) {
        raise(SIGSTOP);
    }
}

static void killed(void)
{
    if (rank == 0) {
        receive(1, 3, MPI_COMM_WORLD);
    } else if (rank == 1) {
        sleep(1);
        raise(SIGKILL);
    } else {
        circle();
    }
}

/* Healthy ones: something moves all the time, or nobody waits. */

static double end;

static void trickle(void)
{
    int more = 1;

    while (more) {
        more = MPI_Wtime() < end;
        if (rank == 0) {
            usleep(300000);
        }
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

static void late(void) /* rank 1 sends twenty times, each 50 ms after its receive began */
{
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 20; i++) {
        if (rank == 0) {
            receive(1, 1, MPI_COMM_WORLD);
            send(1, 2, MPI_COMM_WORLD);
        } else if (rank == 1) {
            usleep(50000);
            send(0, 1, MPI_COMM_WORLD);
            receive(0, 2, MPI_COMM_WORLD);
        }
    }
}

static void peers(void) /* rank 0 exchanges messages with all others, and dies */
{
    for (int i = 1; i < size; i++) {
        if (rank == 0) {
            receive(i, 1, MPI_COMM_WORLD);
            send(i, 2, MPI_COMM_WORLD);
        } else if (rank == i) {
            send(0, 1, MPI_COMM_WORLD);
            receive(0, 2, MPI_COMM_WORLD);
        }
    }
    if (rank == 0) {
        (void)kill(getpid(), SIGKILL);
    }
    receive(0, 3, MPI_COMM_WORLD);
}

static void begun(
    void) /* rank 1 receives twenty times, 50 ms after the send; the next one is begun before */
{
    int words[2];

    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 20; i++) {
        if (rank == 0) {
            MPI_Ssend(&i, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
            MPI_Ssend(&i, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
        } else if (rank == 1) {
            MPI_Request requests[2];

            usleep(50000);
            MPI_Irecv(&words[1], 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &requests[1]);
            MPI_Irecv(&words[0], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[0]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
    }
}

static void ahead(
    void) /* rank 0 begins four receives, works for 50 ms, and waits for 150 ms more */
{
    int words[4];
    MPI_Request requests[4];

    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        for (int i = 0; i < 4; i++) {
            MPI_Irecv(&words[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);
        }
        usleep(50000);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    } else if (rank == 1) {
        usleep(200000);
        for (int i = 0; i < 4; i++) {
            send(0, i, MPI_COMM_WORLD);
        }
    }
}

static void alone(void)
{
    while (MPI_Wtime() < end) {
        usleep(1000);
    }
}

static void pair(void) /* two talk, the third waits for them at the end */
{
    for (int go = 1; go && rank < 2;) {
        go = MPI_Wtime() < end;
        usleep(20000);
        if (rank == 0) {
            MPI_Send(&go, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
        } else {
            MPI_Recv(&go, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Those with even ranks talk, or those with odd ones; the others wait for them. */
static void talk(int which)
{
    for (int go = 1; go && rank % 2 == which;) {
        go = MPI_Wtime() < end;
        usleep(20000);
        if (rank < 2) {
            MPI_Send(&go, 1, MPI_INT, rank + 2, 2, MPI_COMM_WORLD);
        } else {
            MPI_Recv(&go, 1, MPI_INT, rank - 2, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void even(void)
{
    talk(0);
}

static void odd(void)
{
    talk(1);
}

static void early(void) /* rank 0 is in MPI_Finalize when the others stop */
{
    if (rank != 0) {
        receive(3 - rank, 3, MPI_COMM_WORLD);
    }
}

static void finished(void) /* those with odd ranks are in MPI_Finalize when the others stop */
{
    if (rank % 2 == 0) {
        receive(rank + 1, 3, MPI_COMM_WORLD);
    }
}

static void later(void) /* those with odd ranks compute, and then stop; the others are not in MPI */
{
    if (rank % 2 == 0) {
        (void)pause();
    }
    alone();
    receive((rank + 2) % size, 3, MPI_COMM_WORLD);
}

static void tests(void) /* asks whether a message has come, and computes meanwhile */
{
    MPI_Request request;
    int word, done = 0;

    if (rank == 0) {
        MPI_Irecv(&word, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
        while (!done) {
            usleep(1000);
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        }
    } else if (rank == 1) {
        alone();
        send(0, 1, MPI_COMM_WORLD);
    } else {
        alone();
    }
}

static const struct way ways[] = {
    {"circle", circle},
    {"sends", sends},
    {"tag", tag},
    {"comm", comm},
    {"nobody", nobody},
    {"any", any},
    {"absent", absent},
    {"collectives", collectives},
    {"computes", computes},
    {"made", made},
    {"probe", probe},
    {"requests", requests},
    {"synchronous", synchronous},
    {"stopped", stopped},
    {"trickle", trickle},
    {"alone", alone},
    {"pair", pair},
    {"tests", tests},
    {"killed", killed},
    {"late", late},
    {"begun", begun},
    {"ahead", ahead},
    {"peers", peers},
    {"even", even},
    {"odd", odd},
    {"early", early},
    {"finished", finished},
    {"later", later},
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    end = MPI_Wtime() + (argc > 2 ? atof(argv[2]) : 0);
    find_way(ways, sizeof(ways) / sizeof(ways[0]), argv[1])->run();
    MPI_Finalize();
    return 0;
}
