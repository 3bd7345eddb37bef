/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A message in steps, for instructions to be counted: rank 0 sends when the receive of rank 1 is
 * posted, and rank 1 waits for it when the data has left, so that nobody polls in vain. A blocking
 * receive begins then. Late ones begin when four have left, with the last of these. The ranks take
 * turns by a word in shared memory, not by MPI. Run by "instructions".
 */
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAG  1
#define MOST (1 << 20)
#define LATE 4 /* messages sent before the first is received */

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

/* Which calls are made. */
enum way { POSTED, NONBLOCKING, BLOCKING, PERSISTENT, UNEXPECTED, WAYS };
static const char *const ways[WAYS] = {"posted", "nonblocking", "blocking", "persistent", "late"};

static void send_one(enum way way, int bytes, MPI_Request *request)
{
    if (way == NONBLOCKING) {
        MPI_Isend(data, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, request);
    } else if (way == PERSISTENT) {
        MPI_Start(request);
    } else {
        MPI_Send(data, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
    }
}

static void sends(_Atomic int *turn, int messages, int bytes, enum way way)
{
    MPI_Request request = MPI_REQUEST_NULL;

    if (way == PERSISTENT) {
        MPI_Send_init(data, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, &request);
    }
    for (int i = 0; i < messages; i++) {
        await(turn, 2 * i + 1);
        send_one(way, bytes, &request);
        pass(turn, 2 * i + 2);
        if (way == NONBLOCKING || way == PERSISTENT) { /* it may need the receiver */
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    if (way == PERSISTENT) {
        MPI_Request_free(&request);
    }
}

static void sends_late(_Atomic int *turn, int messages, int bytes)
{
    for (int i = 0; i < messages / LATE; i++) {
        await(turn, 2 * i + 1);
        for (int number = 0; number < LATE; number++) {
            MPI_Send(data, bytes, MPI_BYTE, 1, TAG + number, MPI_COMM_WORLD);
        }
        pass(turn, 2 * i + 2);
    }
}

static void receives_late(_Atomic int *turn, int messages, int bytes)
{
    for (int i = 0; i < messages / LATE; i++) {
        pass(turn, 2 * i + 1);
        await(turn, 2 * i + 2);
        for (int number = LATE - 1; number >= 0; number--) {
            MPI_Recv(data, bytes, MPI_BYTE, 0, TAG + number, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}

static void receives(_Atomic int *turn, int messages, int bytes, enum way way)
{
    MPI_Request request = MPI_REQUEST_NULL;

    if (way == PERSISTENT) {
        MPI_Recv_init(data, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &request);
    }
    for (int i = 0; i < messages; i++) {
        if (way == PERSISTENT) {
            MPI_Start(&request);
        } else if (way != BLOCKING) {
            MPI_Irecv(data, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &request);
        }
        pass(turn, 2 * i + 1);
        await(turn, 2 * i + 2);
        if (way == BLOCKING) {
            MPI_Recv(data, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    if (way == PERSISTENT) {
        MPI_Request_free(&request);
    }
}

/* A whole number, -1 if there is none. */
static int argument(int argc, char **argv, int which)
{
    char *end = NULL;
    long value = which < argc ? strtol(argv[which], &end, 10) : -1;

    return end != NULL && *end == '\0' && end != argv[which] && value <= 1 << 30 ? (int)value : -1;
}

/* The way of that name; POSTED if there is none, WAYS if it is unknown. */
static enum way way_of(const char *name)
{
    int way = POSTED;

    while (name != NULL && way < WAYS && strcmp(name, ways[way]) != 0) {
        way++;
    }
    return (enum way)way;
}

static const char usage[] = "Usage: osu_steps MESSAGES BYTES "
                            "[posted|nonblocking|blocking|persistent|late], of two ranks, at most "
                            "1048576 bytes\n"
                            "Sends messages; osu_bench/instructions counts what they take.";

int main(int argc, char **argv)
{
    int rank, size, messages, bytes, unit;
    _Atomic int *turn;
    MPI_Aint length;
    MPI_Win window;
    enum way way;

    if (argc > 1 && (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0)) {
        printf("%s\n", usage);
        return 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    messages = argument(argc, argv, 1);
    bytes = argument(argc, argv, 2);
    way = way_of(argc > 3 ? argv[3] : NULL);
    if (size != 2) {
        return fail("it needs exactly two ranks (mpirun -n 2)");
    }
    if (argc < 3 || argc > 4 || way == WAYS || messages < 1 || bytes < 0 || bytes > MOST) {
        return fail(usage);
    }
    MPI_Win_allocate_shared(rank == 0 ? sizeof(*turn) : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &turn,
                            &window);
    MPI_Win_shared_query(window, 0, &length, &unit, &turn);
    if (rank == 0) {
        atomic_store_explicit(turn, 0, memory_order_relaxed);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (way == UNEXPECTED) {
        (rank == 0 ? sends_late : receives_late)(turn, messages, bytes);
    } else if (rank == 0) {
        sends(turn, messages, bytes, way);
    } else {
        receives(turn, messages, bytes, way);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
