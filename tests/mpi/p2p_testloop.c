/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that look for messages between pieces of work: hundreds of thousands of calls of Test,
 * Testany and Iprobe while nothing comes, by more ranks than cores. None of these calls may wait:
 * a transport that sleeps in them for even a part of a millisecond does not get to the end in time.
 */
#include "mt.h"

enum { TAG = 17, N = 4 };

static long calls;

/* Receives that are only matched at the end. */
static void tests(void)
{
    int to = (mt_rank + 1) % mt_size, from = (mt_rank + mt_size - 1) % mt_size;
    int in[N] = {0}, index, flag;
    MPI_Request rq[N];

    for (int i = 0; i < N; ++i) {
        MPI_Irecv(&in[i], 1, MPI_INT, from, TAG + i, MPI_COMM_WORLD, &rq[i]);
    }
    /* nobody sends before all have got here */
    MPI_Barrier(MPI_COMM_WORLD);
    for (long k = 0; k < calls; ++k) {
        MPI_Testany(N, rq, &index, &flag, MPI_STATUS_IGNORE);
        mt_check(!flag, "Testany finds receive %d complete, nothing was sent", index);
        MPI_Test(&rq[k % N], &flag, MPI_STATUS_IGNORE);
        mt_check(!flag, "Test finds receive %ld complete, nothing was sent", k % N);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < N; ++i) {
        int v = mt_rank * 10 + i;
        MPI_Send(&v, 1, MPI_INT, to, TAG + i, MPI_COMM_WORLD);
    }
    MPI_Waitall(N, rq, MPI_STATUSES_IGNORE);
    for (int i = 0; i < N; ++i) {
        mt_equal(in[i], from * 10 + i, "receive after many tests");
    }
}

static void probes(void)
{
    int flag;

    for (long k = 0; k < calls; ++k) {
        MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        mt_check(!flag, "Iprobe sees a message, nothing was sent");
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Like a program of random accesses: each piece of work sends a little and looks for what came. */
static void work(void)
{
    long sent = 0, got = 0, want = calls / 10;
    int in = 0, out = 0, flag;
    uint64_t dice = mt_seed(5, (uint64_t)mt_rank, 0, 0);
    long *to = calloc((size_t)mt_size, sizeof *to), *from = calloc((size_t)mt_size, sizeof *from);
    MPI_Request r, s = MPI_REQUEST_NULL;

    if (!to || !from) {
        mt_fail("no memory");
    }
    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &r);
    while (sent < want) {
        int dst = (int)mt_below(&dice, (uint64_t)mt_size);
        MPI_Test(&s, &flag, MPI_STATUS_IGNORE);
        if (flag) {
            out = mt_rank;
            MPI_Isend(&out, 1, MPI_INT, dst, TAG, MPI_COMM_WORLD, &s);
            ++sent;
            ++to[dst];
        }
        MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
        if (flag) {
            ++got;
            MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &r);
        }
    }
    MPI_Alltoall(to, 1, MPI_LONG, from, 1, MPI_LONG, MPI_COMM_WORLD);
    for (int i = 0; i < mt_size; ++i) {
        got -= from[i];
    }
    for (; got < 0; ++got) {
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &r);
    }
    mt_equal(got, 0, "messages taken that were not sent");
    MPI_Wait(&s, MPI_STATUS_IGNORE);
    MPI_Cancel(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    free(to);
    free(from);
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv);
    calls = mt_option(argc, argv, "-n", 100000);
    tests();
    probes();
    work();
    return mt_finish();
}
