/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows of all flavours with fixed memory in one job, as a transport's own choice of components
 * makes them: shared memory of a host by load and store, allocated and created ones by put and get.
 */
#include "mt.h"

enum { WORDS = 1000 };

static int right, left;

static int value(int rank, int i)
{
    return rank * WORDS + i;
}

/* Each rank writes its own part and reads that of its neighbour. */
static void shared(void)
{
    int *own, *other, unit;
    MPI_Aint size;
    MPI_Win win;

    mt_ok(MPI_Win_allocate_shared(WORDS * sizeof *own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD,
                                  &own, &win));
    MPI_Win_shared_query(win, left, &size, &unit, &other);
    mt_equal(size, WORDS * (long long)sizeof *own, "size of the neighbour's part");
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    for (int i = 0; i < WORDS; ++i) {
        own[i] = value(mt_rank, i);
    }
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(win);
    for (int i = 0; i < WORDS; ++i) {
        mt_equal(other[i], value(left, i), "word %d of the neighbour", i);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

/* Each rank puts into its neighbour, which looks. */
static void by_messages(MPI_Win win, const volatile int *own)
{
    int out[WORDS];

    for (int i = 0; i < WORDS; ++i) {
        out[i] = value(mt_rank, i);
    }
    MPI_Win_fence(0, win);
    MPI_Put(out, WORDS, MPI_INT, right, 0, WORDS, MPI_INT, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < WORDS; ++i) {
        mt_equal(own[i], value(left, i), "word %d that was put", i);
    }
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    int *own, memory[WORDS];
    MPI_Win win;

    mt_init(&argc, &argv);
    right = (mt_rank + 1) % mt_size;
    left = (mt_rank + mt_size - 1) % mt_size;
    shared();
    mt_ok(MPI_Win_allocate(WORDS * sizeof *own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &own,
                           &win));
    by_messages(win, own);
    mt_ok(MPI_Win_create(memory, WORDS * sizeof *own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD,
                         &win));
    by_messages(win, memory);
    return mt_finish();
}
