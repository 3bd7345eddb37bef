/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Covers: pml_hooks/pml_hooks_windows.c pml_hooks/pml_hooks_window.c
 *
 * Stops in a call of one-sided communication in the way that is named, with three ranks; or is
 * healthy for so many seconds.
 */
#include "way.h"

#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, size;
static double end;
static MPI_Win first, win; /* the second is that of which something is wanted */

static void compute(void)
{
    for (;;) {
        (void)pause();
    }
}

static void fence(void) /* rank 2 does not come */
{
    MPI_Win_fence(0, first);
    if (rank == 2) {
        compute();
    }
    MPI_Win_fence(0, win);
}

static void put(int target)
{
    MPI_Put(&rank, 1, MPI_INT, target, 0, 1, MPI_INT, win);
}

static void lock(void) /* rank 2 keeps what rank 0 wants */
{
    if (rank == 2) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        put(1);
        MPI_Win_flush(1, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2) {
        compute();
    } else if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        put(1);
        MPI_Win_unlock(1, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Hold a target of a window, which is so when something has been written there. */
static void hold(int target, MPI_Win window)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window);
    MPI_Put(&rank, 1, MPI_INT, target, 0, 1, MPI_INT, window);
    MPI_Win_flush(target, window);
}

static void cross(void) /* ranks 0 and 1 each hold the window that the other wants */
{
    if (rank < 2) {
        hold(2, rank == 0 ? first : win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank < 2) {
        hold(2, rank == 0 ? win : first);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void wait_for(void) /* rank 1 may write, and does not say that it has */
{
    MPI_Group all, one;
    int which = 1;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &which, &one);
    if (rank == 1) {
        compute();
    } else if (rank == 0) {
        MPI_Win_post(one, 0, win);
        MPI_Win_wait(win);
    }
    MPI_Group_free(&one);
    MPI_Group_free(&all);
}

static void keep(void) /* rank 1 does not free it */
{
    if (rank == 1) {
        compute();
    }
}

/* Two take turns in writing to the third, which waits for them for longer than a hang lasts; then
 * all meet, rank 1 late. */
static void healthy(void)
{
    for (int go = 1; go && rank < 2;) {
        go = MPI_Wtime() < end;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, win);
        put(2);
        MPI_Win_unlock(2, win);
        usleep(20000);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_fence(0, win);
    put((rank + 1) % size);
    if (rank == 1) {
        usleep(300000);
    }
    MPI_Win_fence(0, win);
    MPI_Win_lock_all(0, win);
    put((rank + 1) % size);
    MPI_Win_flush_local((rank + 1) % size, win);
    MPI_Win_flush_all(win);
    MPI_Win_unlock_all(win);
}

static const struct way ways[] = {
    {"fence", fence},   {"lock", lock}, {"cross", cross},
    {"wait", wait_for}, {"free", keep}, {"healthy", healthy},
};

int main(int argc, char **argv)
{
    int *memory;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    end = MPI_Wtime() + (argc > 2 ? atof(argv[2]) : 0);
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &first);
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    find_way(ways, sizeof(ways) / sizeof(ways[0]), argv[1])->run();
    MPI_Win_free(&win);
    MPI_Win_free(&first);
    MPI_Finalize();
    return 0;
}
