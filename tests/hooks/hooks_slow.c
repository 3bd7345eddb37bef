/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Covers: record/watch.c
 *
 * Is slow in the way that is named, for so many seconds, and healthy, with three ranks: something
 * moves now and then, or nobody waits in MPI. "pause" is one of which a verdict may be said: rank 1
 * computes for all of the time, and rank 0 waits for it; it ends well, too.
 */
#include "way.h"

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 3, STEP_US = 300000, LONG = 1 << 20, MANY = 8 };

static int rank, words[MANY];
static double length, end;
static int big[LONG];

static int more(void)
{
    return MPI_Wtime() < end;
}

/* Whether rank 0 wants to go on: all ask at the same time. */
static int all_more(void)
{
    int go = more();

    MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return go;
}

static void step(void)
{
    (void)usleep(STEP_US);
}

static void compute(void)
{
    (void)usleep((useconds_t)(1e6 * length));
}

static void send(int to, int word)
{
    MPI_Send(&word, 1, MPI_INT, to, 1, MPI_COMM_WORLD);
}

static int receive(int from, MPI_Status *status)
{
    int word;

    MPI_Recv(&word, 1, MPI_INT, from, 1, MPI_COMM_WORLD, status);
    return word;
}

static void ring(void) /* a token goes round, and each keeps it for a while */
{
    for (int go = 1; go;) {
        if (rank != 0) {
            go = receive(rank - 1, MPI_STATUS_IGNORE);
        } else {
            go = more();
        }
        step();
        send((rank + 1) % RANKS, go);
        if (rank == 0) {
            (void)receive(RANKS - 1, MPI_STATUS_IGNORE);
        }
    }
}

static void turns(void) /* another rank comes late to each reduction */
{
    for (int i = 0, sum; all_more(); i++) {
        if (i % RANKS == rank) {
            step();
        }
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
}

static void farm(void) /* rank 0 gives work to who asks, and waits for any */
{
    MPI_Status status;
    int left = RANKS - 1;

    while (rank == 0 && left > 0) {
        int go = more();

        (void)receive(MPI_ANY_SOURCE, &status);
        send(status.MPI_SOURCE, go);
        left -= !go;
    }
    while (rank != 0) {
        send(0, 0);
        if (!receive(0, MPI_STATUS_IGNORE)) {
            break;
        }
        step();
        step();
    }
}

static void polled(void) /* one comes late to a barrier by all of the time, the others ask */
{
    MPI_Request request;
    int done = 0;

    if (rank == 0) {
        compute();
    }
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (!done) {
        (void)usleep(1000);
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
}

static void probed(void) /* looks for a message that comes late by all of the time */
{
    int found = 0;

    if (rank == 1) {
        compute();
        send(0, 0);
    }
    while (rank == 0 && !found) {
        (void)usleep(1000);
        MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    }
    if (rank == 0) {
        (void)receive(1, MPI_STATUS_IGNORE);
    }
}

static void taken_late(void) /* each synchronous send waits for its receive */
{
    for (int go = 1; go && rank < 2;) {
        if (rank == 0) {
            go = more();
            MPI_Ssend(&go, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        } else {
            step();
            go = receive(0, MPI_STATUS_IGNORE);
        }
    }
}

static void again(void) /* the same requests, started now and then */
{
    MPI_Request requests[2];

    MPI_Send_init(&rank, 1, MPI_INT, (rank + 1) % RANKS, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(words, 1, MPI_INT, (rank + 2) % RANKS, 2, MPI_COMM_WORLD, &requests[1]);
    while (all_more()) {
        if (rank == 1) {
            step();
        }
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void drop_by_drop(void) /* a call waits for many messages, which come one by one */
{
    MPI_Request requests[MANY];

    while (all_more()) {
        for (int i = 0; i < MANY && rank == 0; i++) {
            MPI_Irecv(&words[i], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[i]);
        }
        for (int i = 0; i < MANY && rank == 1; i++) {
            step();
            send(0, i);
        }
        if (rank == 0) {
            MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
        }
    }
}

static void bulk(void) /* long messages, one after another */
{
    for (int go = 1; go && rank < 2;) {
        big[0] = more();
        if (rank == 0) {
            step();
            MPI_Send(big, LONG, MPI_INT, 1, 1, MPI_COMM_WORLD);
        } else {
            MPI_Recv(big, LONG, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        go = big[0];
    }
}

static void *wait_for_last(void *unused)
{
    MPI_Recv(words, 1, MPI_INT, (rank + 1) % RANKS, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return unused;
}

static void threads(void) /* a thread of each rank waits for all of the time */
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, wait_for_last, NULL) != 0) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    ring();
    MPI_Send(&rank, 1, MPI_INT, (rank + 2) % RANKS, 3, MPI_COMM_WORLD);
    (void)pthread_join(thread, NULL);
}

static void split(void) /* two meet now and then, in a communicator of theirs; the third waits */
{
    MPI_Comm two;

    MPI_Comm_split(MPI_COMM_WORLD, rank == 2, 0, &two);
    for (int go = 1; go && rank < 2;) {
        go = more();
        step();
        MPI_Bcast(&go, 1, MPI_INT, 0, two);
    }
    MPI_Comm_free(&two);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void last(void) /* rank 0 writes its results, the others have ended */
{
    if (rank == 0) {
        compute();
    }
}

static void stop_and_go(void) /* all compute for half of the time, and meet */
{
    length /= 2;
    compute();
    MPI_Barrier(MPI_COMM_WORLD);
    compute();
    MPI_Barrier(MPI_COMM_WORLD);
}

static void pause_(void)
{
    if (rank == 1) {
        compute();
        MPI_Send(words, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    } else if (rank == 0) {
        MPI_Recv(words, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static const struct way ways[] = {
    {"ring", ring},
    {"turns", turns},
    {"farm", farm},
    {"polled", polled},
    {"probed", probed},
    {"taken-late", taken_late},
    {"again", again},
    {"drop-by-drop", drop_by_drop},
    {"bulk", bulk},
    {"threads", threads},
    {"split", split},
    {"last", last},
    {"stop-and-go", stop_and_go},
    {"pause", pause_},
};

int main(int argc, char **argv)
{
    size_t count = sizeof(ways) / sizeof(ways[0]);
    int wanted, given;

    wanted = argc > 1 && strcmp(argv[1], "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, wanted, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    length = argc > 2 ? atof(argv[2]) : 0;
    end = MPI_Wtime() + length;
    find_way(ways, given >= wanted ? count : 0, argv[1])->run();
    MPI_Finalize();
    return 0;
}
