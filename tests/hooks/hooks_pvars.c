/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: pml_hooks_pvars.c
 *
 * The variables of pml_hooks: there before MPI_Init, right while it runs, there after MPI_Finalize;
 * each session has its own sums, which are started, stopped and reset. Prints "variable NAME" for
 * each on rank 0, and "good", or what is wrong. Two ranks. With the argument "off" nothing is
 * recorded, and they are there all the same; with "early" MPI_T is finalised in the middle. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CLASSES = 21, BARRIER = 7, SLICES = 200, MODES = 5 };

static int wrong;

static void expect(int condition, const char *text)
{
    if (!condition) {
        printf("wrong: %s\n", text);
        wrong = 1;
    }
}

/* The index of a variable, or -1; all of them are printed if it is NULL. */
static int find(const char *wanted)
{
    int count = 0;

    MPI_T_pvar_get_num(&count);
    for (int i = 0; i < count; i++) {
        char name[256];
        int length = sizeof(name), zero = 0, level, class, bind, readonly, continuous, atomic;
        MPI_Datatype type;
        MPI_T_enum values;

        if (MPI_T_pvar_get_info(i, name, &length, &level, &class, &type, &values, NULL, &zero,
                                &bind, &readonly, &continuous, &atomic) != MPI_SUCCESS ||
            strncmp(name, "pml_hooks_", 10) != 0) {
            continue;
        }
        if (wanted == NULL) {
            printf("variable %s\n", name);
        } else if (strcmp(name, wanted) == 0) {
            return i;
        }
    }
    return -1;
}

static unsigned long long value_of(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    unsigned long long value = 12345;

    expect(MPI_T_pvar_read(session, handle, &value) == MPI_SUCCESS, "it cannot be read");
    return value;
}

static MPI_T_pvar_handle handle_of(MPI_T_pvar_session session, const char *name, void *object,
                                   int count)
{
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    int index = find(name), number = 0;

    expect(index >= 0, name);
    expect(MPI_T_pvar_handle_alloc(session, index, object, &handle, &number) == MPI_SUCCESS,
           "it has no handle");
    expect(number == count, "so many values");
    return handle;
}

/* Rank 0 sends so many messages of four bytes to rank 1. */
static void send(int rank, int messages)
{
    int word = 0;

    for (int i = 0; i < messages; i++) {
        if (rank == 0) {
            MPI_Send(&word, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        } else {
            MPI_Recv(&word, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}

/* Two sessions, one of which is reset and stopped while the other goes on. */
static void sessions(int rank)
{
    MPI_T_pvar_session first, second;
    MPI_T_pvar_handle a, b;
    unsigned sends = rank == 0 ? 1 : 0;

    MPI_T_pvar_session_create(&first);
    MPI_T_pvar_session_create(&second);
    a = handle_of(first, "pml_hooks_sends_blocking", NULL, 1);
    b = handle_of(second, "pml_hooks_sends_blocking", NULL, 1);
    send(rank, 3);
    expect(value_of(first, a) == 0, "it counts before it is started");
    expect(MPI_T_pvar_start(first, a) == MPI_SUCCESS, "it cannot be started");
    send(rank, 4);
    expect(MPI_T_pvar_start(second, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS,
           "all cannot be started");
    send(rank, 5);
    expect(value_of(first, a) == 9 * sends, "the first session's sum");
    expect(value_of(second, b) == 5 * sends, "the second session's sum");
    expect(MPI_T_pvar_reset(first, a) == MPI_SUCCESS, "it cannot be reset");
    expect(value_of(first, a) == 0, "it is not 0 when it has been reset");
    expect(value_of(second, b) == 5 * sends, "a reset reaches another session");
    send(rank, 6);
    expect(MPI_T_pvar_stop(second, b) == MPI_SUCCESS, "it cannot be stopped");
    send(rank, 7);
    expect(value_of(first, a) == 13 * sends, "the sum after a reset");
    expect(value_of(second, b) == 11 * sends, "the sum of what is stopped");
    MPI_T_pvar_handle_free(first, &a);
    MPI_T_pvar_session_free(&first);
    expect(value_of(second, b) == 11 * sends, "the end of a session reaches another one");
    MPI_T_pvar_session_free(&second);
}

/* What is bound to a communicator has a value for each of its ranks. */
static void of_ranks(int rank)
{
    MPI_T_pvar_session session;
    MPI_T_pvar_handle sent, bytes, waited;
    MPI_Comm turned;
    unsigned long long values[2] = {7, 7};
    double seconds = -1;

    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
    MPI_T_pvar_session_create(&session);
    sent = handle_of(session, "pml_hooks_peers_sent", &turned, 2);
    bytes = handle_of(session, "pml_hooks_peers_received_bytes", &turned, 2);
    waited = handle_of(session, "pml_hooks_wait_time", NULL, 1);
    expect(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS, "all start");
    if (rank == 0) {
        usleep(300000);
    }
    send(rank, 3);
    expect(MPI_T_pvar_read(session, sent, values) == MPI_SUCCESS, "messages by rank");
    expect(values[0] == (rank == 0 ? 3 : 0) && values[1] == 0,
           "messages to rank 1, which is 0 there");
    expect(MPI_T_pvar_read(session, bytes, values) == MPI_SUCCESS, "bytes by rank");
    expect(values[0] == 0 && values[1] == (rank == 1 ? 12 : 0),
           "bytes of rank 0, which is 1 there");
    expect(MPI_T_pvar_read(session, waited, &seconds) == MPI_SUCCESS, "time");
    expect(seconds >= (rank == 1 ? 0.02 : 0), "rank 1 has waited");
    MPI_T_pvar_session_free(&session);
    MPI_Comm_free(&turned);
}

/* The sum of all values of a variable that has so many. */
static unsigned long long sum_of(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int count)
{
    unsigned long long values[CLASSES + SLICES], sum = 0;

    expect(MPI_T_pvar_read(session, handle, values) == MPI_SUCCESS, "an array cannot be read");
    for (int i = 0; i < count; i++) {
        sum += values[i];
    }
    return sum;
}

/* Arrays: by class of messages, by slice of time, by mode; who was late for whom. */
static void of_kinds(int rank)
{
    MPI_T_pvar_session session;
    MPI_T_pvar_handle classes, slices, modes, late, internal;
    MPI_Comm world = MPI_COMM_WORLD;
    unsigned long long values[CLASSES], before;
    double seconds[2] = {-1, -1};

    MPI_T_pvar_session_create(&session);
    classes = handle_of(session, "pml_hooks_classes_sent", NULL, CLASSES);
    slices = handle_of(session, "pml_hooks_slices_sent", NULL, SLICES);
    modes = handle_of(session, "pml_hooks_sends", NULL, MODES);
    late = handle_of(session, "pml_hooks_peers_late_sender_time", &world, 2);
    internal = handle_of(session, "pml_hooks_peers_sent_internal", &world, 2);
    MPI_Barrier(MPI_COMM_WORLD);
    before = sum_of(session, slices, SLICES);
    expect(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS, "all start");
    if (rank == 0) {
        usleep(300000);
    }
    send(rank, 4);
    MPI_Barrier(MPI_COMM_WORLD);
    expect(MPI_T_pvar_read(session, classes, values) == MPI_SUCCESS, "messages by class");
    expect(values[0] == (rank == 0 ? 4 : 0), "the program's own");
    expect(values[BARRIER] > 0 && sum_of(session, classes, CLASSES) == values[0] + values[BARRIER],
           "those of the barrier");
    /* The slice of now is written when it has ended, or at times. */
    expect(sum_of(session, slices, SLICES) >= before, "messages by slice");
    expect(sum_of(session, modes, MODES) >= values[0], "messages by mode");
    expect(MPI_T_pvar_read(session, late, seconds) == MPI_SUCCESS, "who was late");
    expect(seconds[1 - rank] >= (rank == 1 ? 0.02 : 0) && seconds[rank] == 0, "rank 0 was");
    expect(MPI_T_pvar_read(session, internal, values) == MPI_SUCCESS, "messages of collectives");
    expect(values[1 - rank] > 0 && values[rank] == 0, "those to the other rank");
    MPI_T_pvar_session_free(&session);
}

/* Nothing is recorded: they are there, and 0. */
static void off(int *argc, char ***argv)
{
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    int rank, index, number;

    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    index = find("pml_hooks_sends_blocking");
    MPI_T_pvar_session_create(&session);
    expect(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &number) == MPI_SUCCESS,
           "it has no handle");
    expect(MPI_T_pvar_start(session, handle) == MPI_SUCCESS, "it cannot be started");
    send(rank, 10);
    expect(value_of(session, handle) == 0, "it counts");
    MPI_Finalize();
    expect(find("pml_hooks_sends_blocking") == index, "no variable after MPI_Finalize");
}

/* Components that do not carry the messages go when MPI_T is finalised; the queues are looked at
 * twice a second. */
static void early(int rank)
{
    MPI_T_finalize();
    for (int i = 0; i < 20; i++) {
        usleep(50000);
        send(rank, 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    if (!wrong) {
        puts("good");
    }
}

int main(int argc, char **argv)
{
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    int given, rank, index, number;
    unsigned long long before;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &given);
    expect(find("pml_hooks_sends_blocking") >= 0, "no variable before MPI_Init");
    if (argc > 1 && strcmp(argv[1], "off") == 0) {
        off(&argc, &argv);
        if (!wrong) {
            puts("good");
        }
        return wrong;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        (void)find(NULL);
    }
    index = find("pml_hooks_sends_blocking");
    expect(index >= 0, "no variable after MPI_Init");
    MPI_T_pvar_session_create(&session);
    expect(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &number) == MPI_SUCCESS,
           "it has no handle");
    expect(MPI_T_pvar_start(session, handle) == MPI_SUCCESS, "it cannot be started");
    before = value_of(session, handle);
    send(rank, 10);
    expect(value_of(session, handle) == before + (rank == 0 ? 10 : 0), "it has not counted");
    sessions(rank);
    if (argc > 1) {
        early(rank);
        return wrong;
    }
    of_ranks(rank);
    of_kinds(rank);
    before = value_of(session, handle);
    MPI_Finalize();
    expect(find("pml_hooks_sends_blocking") == index, "no variable after MPI_Finalize");
    expect(value_of(session, handle) == before, "another value after MPI_Finalize");
    MPI_T_pvar_handle_free(session, &handle);
    MPI_T_pvar_session_free(&session);
    /* MPI_T_finalize after MPI_Finalize crashes in Open MPI 4.1's vader, with or without us. */
    if (!wrong) {
        puts("good");
    }
    return wrong;
}
