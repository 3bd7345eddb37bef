/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 1 sends a great many messages to rank 0, which sleeps at first, then listens only to
 * something else until all of them have been announced: all are unexpected. Rank 0's memory stays
 * bounded meanwhile, and then all arrive, in order and whole.
 *
 * -n N: how many messages; -bytes N: of which size; -most N: by how many MiB rank 0 may grow.
 * -blocking 1: each send waits until it is over, so that those that do not fit wait for rank 0,
 * which looks for a while for what never comes.
 */
#include "mt.h"

enum { TAG_MARK = 7, TAG0 = 1000, SOURCE_BYTES = 1 << 20, STEP = 64 };

static int count, bytes;
static bool blocking;
static unsigned char *source; /* the same in both ranks */

/* Message k is a part of the source. */
static const unsigned char *message(int k)
{
    size_t places = (SOURCE_BYTES - (size_t)bytes) / STEP;

    return source + mt_seed((uint64_t)k, 1, 2, 3) % places * STEP;
}

static void send_all(void)
{
    MPI_Request *rq = NULL;

    for (int k = 0; blocking && k < count; ++k) {
        MPI_Send(message(k), bytes, MPI_BYTE, 0, TAG0 + k, MPI_COMM_WORLD);
    }
    if (blocking) {
        return;
    }
    rq = malloc(((size_t)count + 1) * sizeof *rq);
    if (!rq) {
        mt_fail("no memory for %d requests", count);
    }
    for (int k = 0; k < count; ++k) {
        MPI_Isend(message(k), bytes, MPI_BYTE, 0, TAG0 + k, MPI_COMM_WORLD, &rq[k]);
    }
    MPI_Isend(NULL, 0, MPI_BYTE, 0, TAG_MARK, MPI_COMM_WORLD, &rq[count]);
    MPI_Waitall(count + 1, rq, MPI_STATUSES_IGNORE);
    free(rq);
}

/* Outside of the library, then inside until the last message is there. */
static void sleep_and_listen(void)
{
    double start;
    int there = 0;

    mt_sleep(blocking ? 200 : 1500);
    start = MPI_Wtime();
    while (blocking && MPI_Wtime() - start < 1.5) {
        MPI_Iprobe(1, TAG_MARK, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        mt_check(!there, "a message that nobody has sent");
    }
    while (!blocking && !there) {
        MPI_Iprobe(1, TAG_MARK, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    }
    if (!blocking) {
        MPI_Recv(NULL, 0, MPI_BYTE, 1, TAG_MARK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void receive_all(void)
{
    unsigned char *in = mt_alloc((size_t)bytes);
    MPI_Status st;
    int got;

    for (int k = 0; k < count; ++k) {
        MPI_Recv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &st);
        mt_equal(st.MPI_TAG, TAG0 + k, "tag of message %d", k);
        MPI_Get_count(&st, MPI_BYTE, &got);
        mt_equal(got, bytes, "size of message %d", k);
        mt_check(0 == memcmp(in, message(k), (size_t)bytes), "message %d has wrong data", k);
    }
    mt_free(in);
}

static void check_memory(long before, long now, long most, const char *when)
{
    printf("%s: %ld MiB more than before %d messages of %d bytes (%ld MiB in all)\n", when,
           (now - before) >> 10, count, bytes, (long)count * bytes >> 20);
    mt_check((now - before) >> 10 <= most, "%s: memory grew by %ld MiB, %ld are allowed", when,
             (now - before) >> 10, most);
}

int main(int argc, char **argv)
{
    long most = mt_option(argc, argv, "-most", 160);

    count = (int)mt_option(argc, argv, "-n", 100000);
    bytes = (int)mt_option(argc, argv, "-bytes", 4096);
    blocking = mt_option(argc, argv, "-blocking", 0) != 0;
    mt_init(&argc, &argv);
    mt_need(2);
    source = mt_alloc(SOURCE_BYTES);
    mt_fill(source, SOURCE_BYTES, 42);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == mt_rank) {
        long before = mt_memory("VmRSS:");

        sleep_and_listen();
        check_memory(before, mt_memory("VmRSS:"), most, "all unexpected");
        receive_all();
        check_memory(before, mt_memory("VmHWM:"), most, "at most");
    } else if (1 == mt_rank) {
        send_all();
    }
    mt_free(source);
    return mt_finish();
}
