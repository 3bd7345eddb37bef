/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For a runner that cuts the network, or calls their sockets: two ranks print "ready" and then
 *
 *   -mode idle    wait for each other for ever, while nothing is under way
 *   -mode busy    send each other messages without end
 *   -mode unread  rank 1 makes no call for -ms N, while rank 0 sends it more than fits anywhere;
 *                 after that it receives all, and the data is as it should be
 *   -mode until   send each other messages, whose data is as it should be, until there is a file
 *                 -file NAME
 */
#include <unistd.h>

#include "mt.h"

enum { TAG = 4, BYTES = 8000, BUSY_BYTES = 100000, MESSAGES = 600, BEFORE = 20 };

static unsigned char *mine, *theirs;
static int other;

static void exchange(int n)
{
    mt_ok(MPI_Sendrecv(mine, n, MPI_BYTE, other, TAG, theirs, n, MPI_BYTE, other, TAG,
                       MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void send_all(void)
{
    MPI_Request *requests = calloc(MESSAGES, sizeof(*requests));
    unsigned char *data = mt_alloc((size_t)MESSAGES * BYTES);

    for (int i = 0; i < MESSAGES; ++i) {
        mt_fill(data + (size_t)i * BYTES, BYTES, mt_seed(1, 2, TAG, (uint64_t)i));
        mt_ok(MPI_Isend(data + (size_t)i * BYTES, BYTES, MPI_BYTE, other, TAG, MPI_COMM_WORLD,
                        &requests[i]));
    }
    mt_ok(MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE));
    mt_free(data);
    free(requests);
}

static void receive_all(int ms)
{
    mt_sleep(ms);
    for (int i = 0; i < MESSAGES; ++i) {
        mt_ok(MPI_Recv(theirs, BYTES, MPI_BYTE, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        mt_verify(theirs, BYTES, mt_seed(1, 2, TAG, (uint64_t)i), "message %d", i);
    }
}

/* The first byte of a message tells that it is the last. */
static void exchange_until(const char *file)
{
    const unsigned char *said = 0 == mt_rank ? mine : theirs;
    int round = 0;

    do {
        mine[0] = 0 == mt_rank && 0 == access(file, F_OK);
        mt_fill(mine + 1, BYTES - 1, mt_seed((uint64_t)mt_rank, 3, TAG, (uint64_t)round));
        exchange(BYTES);
        mt_verify(theirs + 1, BYTES - 1, mt_seed((uint64_t)other, 3, TAG, (uint64_t)round),
                  "message %d", round);
        ++round;
    } while (0 == said[0]);
}

int main(int argc, char **argv)
{
    const char *mode;

    mt_init(&argc, &argv);
    mode = mt_text(argc, argv, "-mode");
    if (mt_size != 2 || NULL == mode) {
        mt_fail("takes two ranks and -mode");
    }
    other = 1 - mt_rank;
    mine = mt_alloc(BUSY_BYTES);
    theirs = mt_alloc(BUSY_BYTES);
    memset(mine, mt_rank, BUSY_BYTES);
    for (int round = 0; round < BEFORE; ++round) {
        exchange(round % 2 ? BYTES : BUSY_BYTES);
    }
    if (0 == mt_rank) {
        printf("ready\n");
        fflush(stdout);
    }
    if (0 == strcmp(mode, "unread") && 0 == mt_rank) {
        send_all();
    } else if (0 == strcmp(mode, "unread")) {
        receive_all((int)mt_option(argc, argv, "-ms", 0));
    } else if (0 == strcmp(mode, "until")) {
        exchange_until(mt_text(argc, argv, "-file"));
    } else if (0 == strcmp(mode, "busy")) {
        for (int round = 0;; ++round) {
            exchange(round % 4 ? BYTES : BUSY_BYTES);
        }
    } else {
        MPI_Recv(theirs, 1, MPI_BYTE, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    mt_free(mine);
    mt_free(theirs);
    return mt_finish();
}
