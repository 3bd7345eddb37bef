/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Covers: pml_hooks_stage.c
 *
 * Messages from and to memory that a stand-in for libcuda, the argument, takes for that of a GPU,
 * which pml_hooks stages: by each way to send and to receive. Two ranks. Prints "good", or what is
 * wrong.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BYTES = 200000, OTHER_BITS = 0x55, EMPTY = 0x33, SHORT = 1000 };

static char device[BYTES], host[BYTES];
static int rank, wrong;

/* Set memory as one who is on the GPU does, to what depends on the message's number. */
static void fill(char *memory, int bytes, int number)
{
    int bits = memory == device ? OTHER_BITS : 0;

    for (int i = 0; i < bytes; i++) {
        memory[i] = (char)((i * 7 + number) ^ bits);
    }
}

static void expect(int condition, const char *what, int number)
{
    if (!condition) {
        printf("wrong: rank %d: %s %d\n", rank, what, number);
        wrong = 1;
    }
}

/* Whether the message is there, and behind it nothing. */
static void expect_message(const char *memory, int bytes, int number)
{
    static char expected[BYTES];
    int bits = memory == device ? OTHER_BITS : 0;

    fill(expected, bytes, number);
    for (int i = 0; i < bytes; i++) {
        expected[i] = (char)(expected[i] ^ bits);
    }
    expect(memcmp(memory, expected, (size_t)bytes) == 0, "bytes of message", number);
    for (int i = bytes; i < BYTES; i++) {
        if (memory[i] != EMPTY) {
            expect(0, "bytes behind message", number);
            break;
        }
    }
}

static void wait_for(MPI_Request *request, int by_test)
{
    int done = 0;

    if (!by_test) {
        MPI_Wait(request, MPI_STATUS_IGNORE);
    }
    while (by_test && !done) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
    }
}

static void send_by(int way, const char *from, int bytes, int number)
{
    MPI_Request request;

    switch (way) {
    case 0:
        MPI_Send(from, bytes, MPI_BYTE, 1, number, MPI_COMM_WORLD);
        return;
    case 1:
        MPI_Ssend(from, bytes, MPI_BYTE, 1, number, MPI_COMM_WORLD);
        return;
    default:
        MPI_Isend(from, bytes, MPI_BYTE, 1, number, MPI_COMM_WORLD, &request);
        wait_for(&request, way == 3);
    }
}

static void receive_by(int way, char *to, int number)
{
    MPI_Request request;
    MPI_Message message;

    switch (way) {
    case 0:
        MPI_Recv(to, BYTES, MPI_BYTE, 0, number, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    case 1:
        MPI_Mprobe(MPI_ANY_SOURCE, number, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(to, BYTES, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        return;
    case 2:
        MPI_Mprobe(0, number, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Imrecv(to, BYTES, MPI_BYTE, &message, &request);
        break;
    default:
        MPI_Irecv(to, BYTES, MPI_BYTE, MPI_ANY_SOURCE, number, MPI_COMM_WORLD, &request);
    }
    wait_for(&request, way == 3);
}

static void one_by_one(void)
{
    static const int sizes[] = {1, SHORT, BYTES};

    for (int number = 0; number < 3 * 5 * 4; number++) {
        int bytes = sizes[number % 3], way = number / 12;
        char *from = number % 4 < 2 ? device : host, *to = number % 4 % 2 == 0 ? device : host;

        if (rank == 0) {
            fill(from, bytes, number);
            send_by(way % 4, from, bytes, number);
        } else {
            memset(to, EMPTY, BYTES);
            receive_by(way, to, number);
            expect_message(to, bytes, number);
        }
    }
}

/* The same request for several messages, in calls that take one and many. */
static void persistent(void)
{
    MPI_Request request;

    if (rank == 0) {
        MPI_Send_init(device, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
    } else {
        MPI_Recv_init(device, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
    }
    for (int number = 0; number < 6; number++) {
        int index, done = 0;

        if (rank == 0) {
            fill(device, BYTES, number);
        } else {
            memset(device, EMPTY, BYTES);
        }
        MPI_Start(&request);
        switch (number % 3) {
        case 0:
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            break;
        case 1:
            MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
            break;
        default:
            while (!done) {
                MPI_Testany(1, &request, &index, &done, MPI_STATUS_IGNORE);
            }
        }
        if (rank == 1) {
            expect_message(device, BYTES, number);
        }
    }
    MPI_Request_free(&request);
}

/* Every other word of an array: what lies between stays as it was. */
static void gaps(void)
{
    MPI_Datatype words;

    MPI_Type_vector(100, 4, 8, MPI_BYTE, &words);
    MPI_Type_commit(&words);
    memset(device, rank == 0 ? 1 ^ OTHER_BITS : EMPTY, BYTES);
    if (rank == 0) {
        MPI_Send(device, 1, words, 1, 1, MPI_COMM_WORLD);
    } else {
        MPI_Recv(device, 1, words, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int i = 0; rank == 1 && i < 1000; i++) {
        int is_word = i < 8 * 100 && i % 8 < 4;

        expect(device[i] == (is_word ? 1 ^ OTHER_BITS : EMPTY), "with gaps, byte", i);
    }
    MPI_Type_free(&words);
}

static void others(void)
{
    MPI_Request request;

    memset(device, EMPTY, BYTES);
    if (rank == 0) {
        fill(device, BYTES, 5);
    }
    MPI_Bcast(device, BYTES, MPI_BYTE, 0, MPI_COMM_WORLD);
    expect_message(device, BYTES, 5);
    memset(device, EMPTY, BYTES);
    MPI_Irecv(device, BYTES, MPI_BYTE, 1 - rank, 99, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(device[0] == EMPTY, "cancelled", 0);
}

int main(int argc, char **argv)
{
    void (*mark)(const void *, uint64_t, unsigned) = NULL;
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (library != NULL) {
        mark = (void (*)(const void *, uint64_t, unsigned))dlsym(library, "cuda_like_mark");
    }
    if (mark == NULL) {
        fprintf(stderr, "usage: hooks_staged LIBRARY\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    mark(device, sizeof(device), 0);
    one_by_one();
    persistent();
    gaps();
    others();
    MPI_Finalize();
    if (!wrong) {
        puts("good");
    }
    return wrong;
}
