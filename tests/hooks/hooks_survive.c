/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Covers: pml_hooks_survive.c pml_hooks_dead.c pml_hooks_abandon.c pml_hooks_btl.c
 * Covers: pml_hooks_under.c pml_hooks_arrivals.c
 *
 * Rank 1 is killed while rank 0 waits for it, or has not begun to, in each way that there is. What
 * it has sent before is received, each operation with it returns an error, and ranks 0 and 2 then
 * exchange messages as before. Prints "told NAME CLASS" for each error. With the argument "few"
 * without a nonblocking collective operation; with "threads" as a program whose threads call MPI,
 * of which two wait at once.
 *
 * With "living": what rank 2 has begun to send to a receive from any source when rank 1 dies comes
 * whole, however long it takes; and such a receive of what rank 1 has begun to send ends.
 */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG = 1 << 20, THREAD = 8, TAGS = 20, SENT_BEFORE = 30, LONG_BEFORE, LONG_AFTER };

static int rank, size, failures, few, threads;
static char outgoing[LONG], incoming[6][LONG];

static void fail(const char *what, int number)
{
    printf("FAILED: rank %d: %s %d\n", rank, what, number);
    failures++;
}

static void told(const char *name, int code)
{
    int class = MPI_SUCCESS;

    MPI_Error_class(code, &class);
    printf("told %s %d\n", name, class);
    fflush(stdout);
}

static void exchange(int with, int round)
{
    int word = -1;

    MPI_Sendrecv(&round, 1, MPI_INT, with, 9, &word, 1, MPI_INT, with, 9, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (word != round) {
        fail("the others exchange", word);
    }
}

/* ---- begun before it dies ---------------------------------------------------------------------
 */

static const char *const names[] = {"irecv", "any source", "issend", "long isend", "persistent"};
enum { BEGUN = sizeof(names) / sizeof(names[0]) };
static MPI_Request begun[BEGUN];

/* Nobody waits for these: they are not in the record in the end. */
static void begin_and_free(void)
{
    static char word[4];
    MPI_Request freed;

    MPI_Irecv(word, 4, MPI_BYTE, 1, TAGS + 6, MPI_COMM_WORLD, &freed);
    MPI_Request_free(&freed);
    MPI_Issend(outgoing, 4, MPI_BYTE, 1, TAGS + 7, MPI_COMM_WORLD, &freed);
    MPI_Request_free(&freed);
}

static void begin(void)
{
    begin_and_free();
    MPI_Irecv(incoming[0], 4, MPI_BYTE, 1, TAGS, MPI_COMM_WORLD, &begun[0]);
    MPI_Irecv(incoming[1], 4, MPI_BYTE, MPI_ANY_SOURCE, TAGS + 1, MPI_COMM_WORLD, &begun[1]);
    MPI_Issend(outgoing, 4, MPI_BYTE, 1, TAGS + 2, MPI_COMM_WORLD, &begun[2]);
    MPI_Isend(outgoing, LONG, MPI_BYTE, 1, TAGS + 3, MPI_COMM_WORLD, &begun[3]);
    MPI_Recv_init(incoming[2], 4, MPI_BYTE, 1, TAGS + 4, MPI_COMM_WORLD, &begun[4]);
    MPI_Start(&begun[4]);
}

/* Each for itself: Open MPI frees all that have errors where it returns one. */
static void end(void)
{
    for (int i = 0; i < BEGUN; i++) {
        int code = MPI_SUCCESS, done = i % 2 == 0;

        while (code == MPI_SUCCESS && !done) {
            code = MPI_Test(&begun[i], &done, MPI_STATUS_IGNORE);
        }
        told(names[i], i % 2 == 0 ? MPI_Wait(&begun[i], MPI_STATUS_IGNORE) : code);
        if (begun[i] != MPI_REQUEST_NULL) {
            MPI_Request_free(&begun[i]);
        }
    }
}

/* ---- when it is dead --------------------------------------------------------------------------
 */

/* What it has sent is there, whole, also where the receive begins when it is dead. */
static void inherit(void)
{
    MPI_Status status;
    int code, count = 0;

    memset(incoming[3], 0, LONG);
    code = MPI_Recv(incoming[3], 8, MPI_BYTE, 1, SENT_BEFORE, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    if (code != MPI_SUCCESS || count != 8 || incoming[3][7] != 1) {
        fail("what has been sent before is not received:", code);
    }
}

static void wait_any(void)
{
    MPI_Request requests[2];
    int code, index = -1, indices[2];

    MPI_Irecv(incoming[4], 4, MPI_BYTE, 1, TAGS, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(incoming[5], 4, MPI_BYTE, 2, TAGS + 5, MPI_COMM_WORLD, &requests[1]);
    told("waitany", MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE));
    if (index != 0) {
        fail("MPI_Waitany says", index);
    }
    MPI_Irecv(incoming[4], 4, MPI_BYTE, 1, TAGS, MPI_COMM_WORLD, &requests[0]);
    code = MPI_Waitsome(2, requests, &index, indices, MPI_STATUSES_IGNORE);
    told("waitsome", code == MPI_ERR_IN_STATUS ? MPI_ERR_OTHER : code);
    exchange(2, 3);
    code = MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) {
        fail("the other one of MPI_Waitany:", code);
    }
}

static void wait_all(void)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int code;

    MPI_Irecv(incoming[4], 4, MPI_BYTE, 1, TAGS, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(incoming[5], 4, MPI_BYTE, 2, TAGS, MPI_COMM_WORLD, &requests[1]);
    code = MPI_Waitall(2, requests, statuses);
    told("waitall", code == MPI_ERR_IN_STATUS ? statuses[0].MPI_ERROR : code);
    if (requests[1] != MPI_REQUEST_NULL) {
        code = MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS) {
            fail("the other one of MPI_Waitall:", code);
        }
    }
}

static void begin_after(void)
{
    MPI_Message message;
    MPI_Request request;
    int flag, code;

    told("recv", MPI_Recv(incoming[0], 4, MPI_BYTE, 1, TAGS, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    told("send", MPI_Send(outgoing, 4, MPI_BYTE, 1, TAGS, MPI_COMM_WORLD));
    told("ssend", MPI_Ssend(outgoing, 4, MPI_BYTE, 1, TAGS, MPI_COMM_WORLD));
    told("probe", MPI_Probe(1, TAGS, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    told("mprobe", MPI_Mprobe(1, TAGS, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
    told("iprobe", MPI_Iprobe(1, TAGS, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    told("sendrecv", MPI_Sendrecv(outgoing, 4, MPI_BYTE, 2, TAGS + 1, incoming[0], 4, MPI_BYTE, 1,
                                  TAGS, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    if (few) {
        return;
    }
    code = MPI_Ibarrier(MPI_COMM_WORLD, &request);
    told("ibarrier", code != MPI_SUCCESS ? code : MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* Waits in a thread of its own. */
static void *wait_beside(void *unused)
{
    MPI_Request request;
    char word[4];

    MPI_Irecv(word, 4, MPI_BYTE, 1, THREAD, MPI_COMM_WORLD, &request);
    told("wait of a thread", MPI_Wait(&request, MPI_STATUS_IGNORE));
    return unused;
}

/* ---- ranks ------------------------------------------------------------------------------------
 */

static void wait_for_it(void)
{
    pthread_t beside;

    if (threads && pthread_create(&beside, NULL, wait_beside, NULL) != 0) {
        fail("no thread", threads);
        threads = 0;
    }
    begin();
    MPI_Send(outgoing, 1, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    end();
    if (threads) {
        (void)pthread_join(beside, NULL);
    }
    inherit();
    exchange(2, 1);
    wait_all();
    wait_any();
    begin_after();
    exchange(2, 2);
    if (size > 3) {
        exchange(3, 4);
    }
}

/* A rank beyond those lives on, and sees who dies on its host. */
static void live(void)
{
    exchange(0, 4);
}

/* A long message of which it has told rank 2 alone, which begins to receive when it is dead. */
static void wait_for_rest(void)
{
    MPI_Message message;
    int code;

    MPI_Send(outgoing, 1, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    MPI_Mprobe(1, LONG_BEFORE, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    told("any source, blocking", MPI_Recv(incoming[0], 4, MPI_BYTE, MPI_ANY_SOURCE, TAGS,
                                          MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    told("long mrecv", MPI_Mrecv(incoming[0], LONG, MPI_BYTE, &message, MPI_STATUS_IGNORE));
    told("long recv",
         MPI_Recv(incoming[0], LONG, MPI_BYTE, 1, LONG_AFTER, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    exchange(0, 1);
    MPI_Send(outgoing, 4, MPI_BYTE, 0, TAGS, MPI_COMM_WORLD);
    exchange(0, 3);
    MPI_Send(outgoing, 4, MPI_BYTE, 0, TAGS + 5, MPI_COMM_WORLD);
    code = MPI_Recv(incoming[0], 4, MPI_BYTE, 0, TAGS + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) {
        fail("the message of MPI_Sendrecv:", code);
    }
    exchange(0, 2);
}

static void die(void)
{
    MPI_Request requests[2];
    char word[8] = {1, 1, 1, 1, 1, 1, 1, 1};

    MPI_Send(word, 8, MPI_BYTE, 0, SENT_BEFORE, MPI_COMM_WORLD);
    MPI_Isend(outgoing, LONG, MPI_BYTE, 2, LONG_BEFORE, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(outgoing, LONG, MPI_BYTE, 2, LONG_AFTER, MPI_COMM_WORLD, &requests[1]);
    MPI_Recv(word, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(word, 1, MPI_BYTE, 2, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    usleep(500000);
    (void)raise(SIGKILL);
}

/* ---- receives from any source -----------------------------------------------------------------
 */

static void receive_any(void)
{
    MPI_Request request;
    MPI_Status status;
    int code;

    MPI_Irecv(incoming[0], LONG, MPI_BYTE, MPI_ANY_SOURCE, TAGS, MPI_COMM_WORLD, &request);
    MPI_Send(outgoing, 1, MPI_BYTE, 2, 1, MPI_COMM_WORLD);
    MPI_Send(outgoing, 1, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    told("recv", MPI_Recv(incoming[1], 4, MPI_BYTE, 1, TAGS + 1, MPI_COMM_WORLD, &status));
    code = MPI_Wait(&request, &status);
    if (code != MPI_SUCCESS || status.MPI_SOURCE != 2) {
        fail("what a living rank sends ends with", code);
    }
    for (int i = 0; i < LONG; i++) {
        if (incoming[0][i] != (char)(i % 101)) {
            fail("what a living rank sends is wrong at", i);
            break;
        }
    }
    told("any source, of the dead", MPI_Recv(incoming[2], LONG, MPI_BYTE, MPI_ANY_SOURCE,
                                             LONG_BEFORE, MPI_COMM_WORLD, &status));
    exchange(2, 1);
}

static void send_slowly(void)
{
    enum { LONGER_THAN_ANY_PATIENCE = 4 };
    MPI_Request request;

    for (int i = 0; i < LONG; i++) {
        outgoing[i] = (char)(i % 101);
    }
    MPI_Recv(incoming[0], 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Isend(outgoing, LONG, MPI_BYTE, 0, TAGS, MPI_COMM_WORLD, &request);
    sleep(LONGER_THAN_ANY_PATIENCE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    exchange(0, 1);
}

static void begin_and_die(void)
{
    MPI_Request request;

    MPI_Isend(outgoing, LONG, MPI_BYTE, 0, LONG_BEFORE, MPI_COMM_WORLD, &request);
    MPI_Recv(incoming[0], 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    usleep(500000);
    (void)raise(SIGKILL);
}

static void (*const all[])(void) = {wait_for_it, die, wait_for_rest};
static void (*const living[])(void) = {receive_any, begin_and_die, send_slowly};

int main(int argc, char **argv)
{
    int provided;

    threads = argc > 1 && strcmp(argv[1], "threads") == 0;
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    few = argc > 1 && strcmp(argv[1], "few") == 0;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank < 3) {
        (argc > 1 && strcmp(argv[1], "living") == 0 ? living : all)[rank]();
    } else {
        live();
    }
    printf("goes on %d\n", rank);
    fflush(stdout);
    MPI_Finalize();
    return failures > 0;
}
