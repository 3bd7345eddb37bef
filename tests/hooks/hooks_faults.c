/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Covers: pml_hooks_inject.c pml_hooks_hold.c pml_hooks_end.c record/deaths.c record/ended.c
 * Covers: record/others.c
 *
 * A program that takes errors: what fails is told and tried again, and in the end each message has
 * come, whole and in the order of its pair.
 *
 *   ring         twenty messages round a ring, blocking, nonblocking and persistent in turns
 *   overtaken    says from whom rank 1 hears first: of rank 0, or of rank 2, which rank 0 told
 * later
 *   ends HOW     rank 1 ends as is named; rank 0 waits for it, and rank 2 for any rank; they go on
 *   unreceived   rank 0 sends rank 1 a long message that rank 1 does not receive
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROUNDS = 20, WORDS = 64 };

static int rank, size, failures;

static void fail(const char *what, int number)
{
    printf("FAILED: rank %d: %s %d\n", rank, what, number);
    failures++;
}

/* Tell what a call returned; whether it is to be tried again. */
static int failed(const char *call, int round, int code)
{
    int class = MPI_SUCCESS;

    if (code == MPI_SUCCESS) {
        return 0;
    }
    MPI_Error_class(code, &class);
    printf("error %d %s %d %d\n", rank, call, round, class);
    fflush(stdout);
    return class != MPI_ERR_TRUNCATE;
}

static int send_by(int way, const int *words, int to, MPI_Request *request)
{
    switch (way) {
    case 0:
        return MPI_Send(words, WORDS, MPI_INT, to, 5, MPI_COMM_WORLD);
    case 1:
        return MPI_Isend(words, WORDS, MPI_INT, to, 5, MPI_COMM_WORLD, request);
    default:
        if (*request == MPI_REQUEST_NULL) {
            MPI_Send_init(words, WORDS, MPI_INT, to, 5, MPI_COMM_WORLD, request);
        }
        return MPI_Start(request);
    }
}

static int receive_by(int way, int *words, int from)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Message message;
    int code;

    switch (way) {
    case 0:
        return MPI_Recv(words, WORDS, MPI_INT, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    case 1:
        code = MPI_Irecv(words, WORDS, MPI_INT, from, 5, MPI_COMM_WORLD, &request);
        return code != MPI_SUCCESS ? code : MPI_Wait(&request, MPI_STATUS_IGNORE);
    default:
        MPI_Mprobe(from, 5, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        do {
            code = MPI_Mrecv(words, WORDS, MPI_INT, &message, MPI_STATUS_IGNORE);
        } while (failed("mrecv", 0, code));
        return MPI_SUCCESS;
    }
}

static void ring(void)
{
    static int sent[ROUNDS][WORDS], received[WORDS];

    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request request = MPI_REQUEST_NULL;
        int code;

        for (int i = 0; i < WORDS; i++) {
            sent[round][i] = rank * 1000 + round;
            received[i] = -1;
        }
        while (
            failed("send", round, send_by(round % 3, sent[round], (rank + 1) % size, &request))) {
        }
        do {
            code = receive_by(round % 3, received, (rank + size - 1) % size);
        } while (failed("recv", round, code));
        if (code == MPI_SUCCESS && (received[0] != (rank + size - 1) % size * 1000 + round ||
                                    received[WORDS - 1] != received[0])) {
            fail("wrong message in round", round);
        }
        if (request != MPI_REQUEST_NULL) {
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        if (request != MPI_REQUEST_NULL) {
            MPI_Request_free(&request);
        }
    }
}

/* Rank 0 does not call MPI between its sends and what rank 1 then does: `path` comes to be. */
static void overtaken(const char *path)
{
    int word = 1;
    MPI_Status status;
    FILE *file;

    if (rank == 0) {
        MPI_Send(&word, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Send(&word, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);
        while (access(path, F_OK) != 0) {
            usleep(1000);
        }
        MPI_Send(&word, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        printf("first %d\n", status.MPI_SOURCE);
        file = fopen(path, "w");
        if (file == NULL || fclose(file) != 0) {
            fail("cannot write the file", 0);
        }
        MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        MPI_Recv(&word, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &status);
    } else if (rank == 2) {
        MPI_Recv(&word, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &status);
        MPI_Send(&word, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    }
}

/* The others talk to each other as before. */
static void go_on(void)
{
    int word = -1;

    MPI_Sendrecv(&rank, 1, MPI_INT, 2 - rank, 3, &word, 1, MPI_INT, 2 - rank, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (word != 2 - rank) {
        fail("goes on, and has received", word);
    }
}

/* The others wait when it ends: rank 1 has heard of both, and gives them time. */
static void ends(const char *how)
{
    volatile int *forbidden;
    int word = 0;

    if (rank != 1) {
        MPI_Send(&rank, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        (void)failed("recv", 0,
                     MPI_Recv(&word, 1, MPI_INT, rank == 0 ? 1 : MPI_ANY_SOURCE, 2, MPI_COMM_WORLD,
                              MPI_STATUS_IGNORE));
        go_on();
        return;
    }
    MPI_Recv(&word, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&word, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    usleep(500000);
    if (strcmp(how, "kill") == 0) {
        (void)raise(SIGKILL);
    } else if (strcmp(how, "fault") == 0) {
        forbidden = mmap(NULL, sizeof(*forbidden), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        *forbidden = 1;
    } else if (strcmp(how, "exit") == 0) {
        exit(3);
    } else {
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

static void unreceived(void)
{
    static char bytes[60000];

    if (rank == 0) {
        MPI_Send(bytes, sizeof(bytes), MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 2 || strcmp(argv[argc - 1], "fatal") != 0) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    }
    if (argc > 1 && strcmp(argv[1], "ring") == 0) {
        ring();
    } else if (argc > 2 && strcmp(argv[1], "overtaken") == 0) {
        overtaken(argv[2]);
    } else if (argc > 2 && strcmp(argv[1], "ends") == 0) {
        ends(argv[2]);
        MPI_Finalize();
        return failures > 0;
    } else if (argc > 1 && strcmp(argv[1], "unreceived") == 0) {
        unreceived();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return failures > 0;
}
