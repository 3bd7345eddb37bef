/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A message in steps, for instructions to be counted: rank 0 sends when the receive of rank 1 is
 * posted, and rank 1 waits for it when MPI_Send has returned, so that nobody polls in vain. The
 * ranks take turns by a word in shared memory, not by MPI. Run by "instructions".
 */
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAG  1
#define MOST (1 << 20)

static char data[MOST];

static int fail(const char *what)
{
    fprintf(stderr, "osu_steps: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
}

/* Wait for the other rank. Acquire pairs with the release in pass. */
static void await(const _Atomic int *turn, int value)
{
    while (atomic_load_explicit(turn, memory_order_acquire) != value) {
        sched_yield();
    }
}

static void pass(_Atomic int *turn, int value)
{
    atomic_store_explicit(turn, value, memory_order_release);
}

static void sends(_Atomic int *turn, int messages, int bytes)
{
    for (int i = 0; i < messages; i++) {
        await(turn, 2 * i + 1);
        MPI_Send(data, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
        pass(turn, 2 * i + 2);
    }
}

static void receives(_Atomic int *turn, int messages, int bytes)
{
    MPI_Request request;

    for (int i = 0; i < messages; i++) {
        MPI_Irecv(data, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &request);
        pass(turn, 2 * i + 1);
        await(turn, 2 * i + 2);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* A whole number, -1 if there is none. */
static int argument(int argc, char **argv, int which)
{
    char *end = NULL;
    long value = which < argc ? strtol(argv[which], &end, 10) : -1;

    return end != NULL && *end == '\0' && end != argv[which] && value <= 1 << 30 ? (int)value : -1;
}

static const char usage[] = "Usage: osu_steps MESSAGES BYTES, of two ranks, at most 1048576 bytes\n"
                            "Sends messages; osu_bench/instructions counts what they take.";

int main(int argc, char **argv)
{
    int rank, size, messages, bytes, unit;
    _Atomic int *turn;
    MPI_Aint length;
    MPI_Win window;

    if (argc > 1 && (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0)) {
        printf("%s\n", usage);
        return 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    messages = argument(argc, argv, 1);
    bytes = argument(argc, argv, 2);
    if (size != 2) {
        return fail("it needs exactly two ranks (mpirun -n 2)");
    }
    if (argc != 3 || messages < 1 || bytes < 0 || bytes > MOST) {
        return fail(usage);
    }
    MPI_Win_allocate_shared(rank == 0 ? sizeof(*turn) : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &turn,
                            &window);
    MPI_Win_shared_query(window, 0, &length, &unit, &turn);
    if (rank == 0) {
        atomic_store_explicit(turn, 0, memory_order_relaxed);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        sends(turn, messages, bytes);
    } else {
        receives(turn, messages, bytes);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
