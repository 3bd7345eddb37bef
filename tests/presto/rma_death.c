/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 1 is killed while it has locked the parts of the others, who wait for it in different ways:
 * each gets an error, and nobody waits for good. Run with prestorun --keep-going and four ranks or
 * more. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, size;

static void expect(int ok, const char *what)
{
    if (ok) {
        return;
    }
    fprintf(stderr, "rma_death: rank %d: %s\n", rank, what);
    exit(1);
}

static int is_death(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class == MPIX_ERR_PROC_FAILED;
}

/* To the dead rank by the interface: the window is of memory that this process has not. */
static int access_it(MPI_Win win, int *value)
{
    int code = MPI_Win_lock(MPI_LOCK_SHARED, 1, MPI_MODE_NOCHECK, win);
    for (int i = 0; code == MPI_SUCCESS && i < 1000000; i++) {
        code = i % 2 ? MPI_Put(value, 1, MPI_INT, 1, 0, 1, MPI_INT, win)
                     : MPI_Accumulate(value, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win);
        if (code == MPI_SUCCESS) {
            code = MPI_Win_flush(1, win);
        }
    }
    MPI_Win_unlock(1, win);
    return code;
}

static int wait_in_vain(MPI_Win win, int *value)
{
    MPI_Group world, dead;
    int one = 1;
    switch (rank % 4) {
    case 0:
        return MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    case 2:
        return MPI_Win_fence(0, win);
    case 3:
        MPI_Comm_group(MPI_COMM_WORLD, &world);
        MPI_Group_incl(world, 1, &one, &dead);
        int code = MPI_Win_start(dead, 0, win);
        MPI_Group_free(&dead);
        MPI_Group_free(&world);
        return code;
    default:
        return access_it(win, value);
    }
}

int main(int argc, char **argv)
{
    int part = 0, value = 1;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    expect(size >= 4, "at least four ranks");
    MPI_Win_create(&part, sizeof(part), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    if (rank == 1) {
        for (int r = 0; r < size; r++) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, r, 0, win);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        usleep(20000);
        raise(SIGKILL);
    }
    expect(is_death(wait_in_vain(win, &value)), "the death of rank 1 is no error");
    /* Once it is known, it stays so. */
    expect(rank % 4 == 1 || is_death(MPI_Win_fence(0, win)), "a fence without rank 1");
    /* It goes all the same. */
    MPI_Win_free(&win);
    expect(win == MPI_WIN_NULL, "the window is still there");
    MPI_Finalize();
    return 0;
}
