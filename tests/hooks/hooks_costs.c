/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Covers: record/account.c pml_hooks_peers.c
 *
 * Loses time in the way that is named, with four ranks, and measures itself where: each message
 * carries the time at which it was sent, each answer that at which its receive began. Who is late
 * works for so many milliseconds at a time, 20 unless told otherwise. Prints "truth RANK PEER
 * SECONDS" for what a rank has lost by a peer, "within RANK SECONDS" for what it has waited in
 * collectives, "took RANK SECONDS" for the time that its receives took, and "held RANK SECONDS" for
 * that of its sends, which wait for nobody: so far may the times that it knows be from those at
 * which it sent.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 20, LONG = 1 << 20, MANY = 20000, EARLY = 500, EARLY_BYTES = 2048 };

static int rank, size;
static double delay = 20e-3, lost[16], within, took, held;
static char buffer[LONG];

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t); /* that of all hosts here */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void compute(double seconds)
{
    struct timespec t = {.tv_nsec = (long)(1e9 * seconds)};

    nanosleep(&t, NULL);
}

/* Of a wait from begin to end, the part before a time. */
static double part_until(double time, double begin, double end)
{
    double until = time < end ? time : end;

    return until > begin ? until - begin : 0;
}

static void send_stamp(int to)
{
    double stamp = now();

    MPI_Send(&stamp, 1, MPI_DOUBLE, to, 1, MPI_COMM_WORLD);
    held += now() - stamp;
}

/* Receive a message that says when it was sent. */
static void receive_stamp(int from)
{
    double begin = now(), sent;

    MPI_Recv(&sent, 1, MPI_DOUBLE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    lost[from] += part_until(sent, begin, now());
}

static void late_sender(void) /* rank 2 sends late to rank 0 */
{
    for (int i = 0; i < STEPS; i++) {
        if (rank == 2) {
            compute(delay);
            send_stamp(0);
        } else if (rank == 0) {
            receive_stamp(2);
        }
    }
}

static void late_receiver(void) /* rank 3 receives late what rank 1 sends */
{
    double begin, end, began;

    for (int i = 0; i < STEPS; i++) {
        if (rank == 1) {
            begin = now();
            MPI_Ssend(buffer, LONG, MPI_BYTE, 3, 2, MPI_COMM_WORLD);
            end = now();
            MPI_Recv(&began, 1, MPI_DOUBLE, 3, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            lost[3] += part_until(began, begin, end);
        } else if (rank == 3) {
            compute(delay);
            began = now();
            MPI_Recv(buffer, LONG, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&began, 1, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD);
        }
    }
}

static void imbalance(void) /* rank 3 comes late to each reduction */
{
    int one = 1, sum;

    for (int i = 0; i < STEPS; i++) {
        double begin;

        if (rank == 3) {
            compute(delay);
        }
        begin = now();
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        within += now() - begin;
    }
}

static void small(void) /* ranks 0 and 1 throw a ball */
{
    double begin = now();

    for (int i = 0; i < MANY && rank < 2; i++) {
        if (rank == i % 2) {
            MPI_Send(buffer, 8, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD);
        } else {
            MPI_Recv(buffer, 8, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    took = rank < 2 ? now() - begin : 0;
}

static void unexpected(void) /* rank 1 begins to receive when all has come */
{
    MPI_Request request;

    if (rank == 0) {
        for (int i = 0; i < EARLY; i++) {
            MPI_Send(buffer, EARLY_BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < EARLY && rank == 1; i++) {
        MPI_Irecv(buffer, EARLY_BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void serial(void) /* rank 0 works for the others, for one after another */
{
    for (int i = 0; i < STEPS / 2; i++) {
        if (rank != 0) {
            receive_stamp(0);
        }
        for (int to = 1; to < size && rank == 0; to++) {
            compute(delay);
            send_stamp(to);
        }
    }
}

static void chain(void) /* rank 0 is late, the others pass on what they get */
{
    for (int i = 0; i < STEPS; i++) {
        if (rank == 0) {
            compute(delay);
        } else {
            receive_stamp(rank - 1);
        }
        if (rank + 1 < size) {
            send_stamp(rank + 1);
        }
    }
}

static const struct way {
    const char *name;
    void (*run)(void);
} ways[] = {
    {"late_sender", late_sender},
    {"late_receiver", late_receiver},
    {"imbalance", imbalance},
    {"small", small},
    {"unexpected", unexpected},
    {"serial", serial},
    {"chain", chain},
};

static void print_truth(void)
{
    for (int peer = 0; peer < size; peer++) {
        if (lost[peer] > 0) {
            printf("truth %d %d %.9f\n", rank, peer, lost[peer]);
        }
    }
    printf("within %d %.9f\n", rank, within);
    printf("took %d %.9f\n", rank, took);
    printf("held %d %.9f\n", rank, held);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    delay = argc > 2 ? 1e-3 * atof(argv[2]) : delay;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]) && size == 4; i++) {
        if (argc > 1 && strcmp(argv[1], ways[i].name) == 0) {
            MPI_Barrier(MPI_COMM_WORLD);
            ways[i].run();
            print_truth();
            MPI_Finalize();
            return 0;
        }
    }
    fprintf(stderr, "four ranks, and one of the ways in the source\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 2;
}
