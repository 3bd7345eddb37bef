/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Covers: pml_hooks_switch.c pml_hooks_number.c
 *
 * Switches recording off and on, by the variable of MPI_T or by the signal USR1 as it is told, and
 * counts itself what has to be recorded: prints lines as hooks_count does. Three ranks. What begins
 * while it is on counts, wherever it ends; what begins while it is off does not.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 3, ROUNDS = 10, LATE_ROUNDS = 20 };

static struct count {
    long long sent, sent_bytes, received, received_bytes;
} counts[RANKS];

static int me, on, by_signal;
static char bytes[100];

static void check(int good, const char *text)
{
    if (!good) {
        fprintf(stderr, "wrong: %s\n", text);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void write_variable(int value, int expected)
{
    MPI_T_cvar_handle handle;
    int index, number, found = -1;

    check(MPI_T_cvar_get_index("pml_hooks_record", &index) == MPI_SUCCESS, "no variable");
    check(MPI_T_cvar_handle_alloc(index, NULL, &handle, &number) == MPI_SUCCESS, "no handle");
    check((MPI_T_cvar_write(handle, &value) == MPI_SUCCESS) == expected, "what a write returns");
    check(MPI_T_cvar_read(handle, &found) == MPI_SUCCESS, "it cannot be read");
    check(!expected || found == value, "it has not changed");
    MPI_T_cvar_handle_free(&handle);
}

static void record(int value)
{
    if (by_signal) {
        raise(SIGUSR1);
    } else {
        write_variable(value, 1);
    }
    on = value;
}

static void count_sent(int to, int size)
{
    counts[to].sent += on;
    counts[to].sent_bytes += (long long)on * size;
}

static void count_received(int from, int size)
{
    counts[from].received += on;
    counts[from].received_bytes += (long long)on * size;
}

static void send(int to, int tag, int size)
{
    count_sent(to, size);
    MPI_Send(bytes, size, MPI_BYTE, to, tag, MPI_COMM_WORLD);
}

static void receive(int from, int tag, int size)
{
    count_received(from, size);
    MPI_Recv(bytes, size, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static MPI_Request begin(int from, int tag, int size)
{
    static char space[RANKS][sizeof(bytes)];
    MPI_Request request;

    count_received(from, size);
    MPI_Irecv(space[from], size, MPI_BYTE, from, tag, MPI_COMM_WORLD, &request);
    return request;
}

/* Each rank to the next one, in several ways. */
static void around(int size)
{
    int next = (me + 1) % RANKS, before = (me + RANKS - 1) % RANKS;

    for (int i = 0; i < ROUNDS; i++) {
        MPI_Request request = begin(before, 1, size);

        send(next, 1, size);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        count_sent(next, size);
        MPI_Isend(bytes, size, MPI_BYTE, next, 2, MPI_COMM_WORLD, &request);
        if (i % 2) {
            MPI_Message message;

            MPI_Mprobe(before, 2, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
            count_received(before, size);
            MPI_Mrecv(bytes, size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        } else {
            count_received(before, size);
            MPI_Recv(bytes, size, MPI_BYTE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* Receives that begin before a switch, of messages that are sent after it. */
static void across(int value)
{
    int next = (me + 1) % RANKS, before = (me + RANKS - 1) % RANKS;
    MPI_Request request = begin(before, 3, 8);

    MPI_Barrier(MPI_COMM_WORLD);
    record(value);
    send(next, 3, 8);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void start_all(MPI_Request *requests)
{
    count_sent((me + 1) % RANKS, 16);
    count_received((me + RANKS - 1) % RANKS, 16);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* Requests that are made while it is on or off, and started either way. */
static void again(void)
{
    static char in[16], out[16];
    MPI_Request requests[2];

    for (int made = 0; made < 2; made++) {
        int value = on;

        MPI_Send_init(out, 16, MPI_BYTE, (me + 1) % RANKS, 4, MPI_COMM_WORLD, &requests[0]);
        MPI_Recv_init(in, 16, MPI_BYTE, (me + RANKS - 1) % RANKS, 4, MPI_COMM_WORLD, &requests[1]);
        start_all(requests);
        record(!value);
        start_all(requests);
        record(value);
        start_all(requests);
        MPI_Request_free(&requests[0]);
        MPI_Request_free(&requests[1]);
        record(!value);
    }
}

/* Rank 0 has missed messages that rank 1 has recorded, and knows all the same which one comes late.
 */
static void late(void)
{
    if (me == 0) {
        record(0);
    }
    for (int i = 0; i < 3; i++) {
        if (me == 1) {
            send(0, 5, 8);
        } else if (me == 0) {
            receive(1, 5, 8);
        }
    }
    if (me == 0) {
        record(1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < LATE_ROUNDS; i++) {
        if (me == 0) {
            receive(1, 5, 8);
            send(1, 6, 8);
        } else if (me == 1) {
            usleep(50000);
            send(0, 5, 8);
            receive(0, 6, 8);
        }
    }
}

int main(int argc, char **argv)
{
    int given, begun;

    by_signal = argc > 1 && strcmp(argv[1], "signal") == 0;
    on = !(argc > 2 && strcmp(argv[2], "off") == 0);
    begun = on;
    MPI_Init_thread(&argc, &argv, argc > 3 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &given);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    around(10);
    across(!begun);
    around(20);
    across(begun);
    around(30);
    again();
    if (!on) {
        record(1);
    }
    late();
    if (!by_signal) {
        write_variable(2, 0);
    }
    for (int peer = 0; peer < RANKS; peer++) {
        const struct count *count = &counts[peer];

        printf("count %d %d %lld %lld %lld %lld\n", me, peer, count->sent, count->sent_bytes,
               count->received, count->received_bytes);
    }
    MPI_Finalize();
    return 0;
}
