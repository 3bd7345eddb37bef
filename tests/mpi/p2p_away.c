/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Long messages whose receives are posted, and whose sender calls nothing more once it has started
 * them: it computes until the receivers have all of their data. They say so by removing a file,
 * since any call of MPI would be one too many.
 *
 *   -threads        with MPI_THREAD_MULTIPLE
 *   -call           the sender does call MPI while it waits: the contrary, to try the test itself
 */
#include "mt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAG = 17, MESSAGES = 3, ROUNDS = 2, MOST_MS = 20000, PAUSE_MS = 5, NAME = 64 };

/* Where the hosts of apelink-hosts see it, too: each has its own TMPDIR. */
static void make_file(char *name)
{
    if (mt_rank == 0) {
        int fd;

        strcpy(name, "/tmp/p2p_away-XXXXXX");
        fd = mkstemp(name);
        mt_check(fd >= 0, "mkstemp: %s", strerror(errno));
        close(fd);
    }
    mt_ok(MPI_Bcast(name, NAME, MPI_CHAR, 0, MPI_COMM_WORLD));
}

/* Anything but a call of MPI. */
static bool compute(const char *name, bool calls)
{
    for (int ms = 0; ms < MOST_MS; ms += PAUSE_MS) {
        int flag;

        if (access(name, F_OK) != 0) {
            return true;
        }
        if (calls) {
            mt_ok(
                MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        }
        mt_sleep(PAUSE_MS);
    }
    unlink(name);
    return false;
}

/* Every second element of twice as many. */
static MPI_Datatype scattered(size_t n)
{
    MPI_Datatype type;

    mt_ok(MPI_Type_vector((int)(n / 16), 8, 16, MPI_BYTE, &type));
    mt_ok(MPI_Type_commit(&type));
    return type;
}

static void send_all(const char *name, uint64_t seed, bool calls)
{
    MPI_Datatype type = scattered(2 * MT_BIG);
    MPI_Request requests[MESSAGES];
    uint8_t *data[MESSAGES];

    for (int i = 0; i < MESSAGES; i++) {
        data[i] = mt_alloc(2 * MT_BIG);
        mt_fill(data[i], 2 * MT_BIG, seed + (uint64_t)i);
    }
    mt_ok(MPI_Barrier(MPI_COMM_WORLD));
    mt_ok(MPI_Isend(data[0], (int)MT_BIG, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, &requests[0]));
    mt_ok(MPI_Issend(data[1], (int)MT_BIG, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, &requests[1]));
    mt_ok(MPI_Isend(data[2], 1, type, 1, TAG, MPI_COMM_WORLD, &requests[2]));
    mt_check(compute(name, calls), "the data has not come without a call of the sender");
    mt_ok(MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < MESSAGES; i++) {
        mt_free(data[i]);
    }
    mt_ok(MPI_Type_free(&type));
}

static void receive_all(const char *name, uint64_t seed)
{
    MPI_Request requests[MESSAGES];
    uint8_t *data[MESSAGES], *expected = mt_alloc(2 * MT_BIG);

    for (int i = 0; i < MESSAGES; i++) {
        data[i] = mt_alloc(MT_BIG);
        mt_ok(MPI_Irecv(data[i], (int)MT_BIG, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &requests[i]));
    }
    mt_ok(MPI_Barrier(MPI_COMM_WORLD));
    mt_ok(MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE));
    unlink(name);
    mt_verify(data[0], MT_BIG, seed, "standard");
    mt_verify(data[1], MT_BIG, seed + 1, "synchronous");
    mt_fill(expected, 2 * MT_BIG, seed + 2);
    for (size_t at = 0; at < MT_BIG; at += 8) {
        mt_check(memcmp(data[2] + at, expected + 2 * at, 8) == 0, "scattered, byte %zu", at);
    }
    for (int i = 0; i < MESSAGES; i++) {
        mt_free(data[i]);
    }
    mt_free(expected);
}

int main(int argc, char **argv)
{
    char name[NAME] = "";

    mt_init_thread(&argc, &argv,
                   mt_flag(argc, argv, "-threads") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
    mt_need(2);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        make_file(name);
        if (mt_rank == 0) {
            send_all(name, 10 * round + 1, mt_flag(argc, argv, "-call"));
        } else if (mt_rank == 1) {
            receive_all(name, 10 * round + 1);
        } else {
            mt_ok(MPI_Barrier(MPI_COMM_WORLD));
        }
    }
    return mt_finish();
}
