/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All send to one, many rounds: long messages, which rank 0 fetches or is sent in parts, each
 * announced by a control message and acknowledged by one, with short ones between them. Control
 * messages then find no room and wait; nothing may be left waiting at the tail.
 */
#include "mt.h"

enum { LONG = 96 * 1024, SHORT = 64, PER_ROUND = 4, TAG_LONG = 1, TAG_SHORT = 2 };

static int bytes_of(int k)
{
    return k % 2 == 0 ? LONG - k * 1000 : 20000 + k;
}

static uint64_t seed_of(int rank, long round, int k)
{
    return mt_seed((uint64_t)rank, (uint64_t)round, (uint64_t)k, 7);
}

static void send_round(unsigned char *out, long round)
{
    MPI_Request rq[2 * PER_ROUND];
    unsigned char little[PER_ROUND][SHORT];

    for (int k = 0; k < PER_ROUND; ++k) {
        unsigned char *one = out + (size_t)k * LONG;

        mt_fill(one, (size_t)bytes_of(k), seed_of(mt_rank, round, k));
        mt_fill(little[k], SHORT, seed_of(mt_rank, round, -k - 1));
        MPI_Isend(one, bytes_of(k), MPI_BYTE, 0, TAG_LONG, MPI_COMM_WORLD, &rq[2 * k]);
        MPI_Isend(little[k], SHORT, MPI_BYTE, 0, TAG_SHORT, MPI_COMM_WORLD, &rq[2 * k + 1]);
    }
    MPI_Waitall(2 * PER_ROUND, rq, MPI_STATUSES_IGNORE);
}

/* The receives of all at once, so that all are fetched at once. */
static void receive_round(unsigned char *in, MPI_Request *rq, long round)
{
    unsigned char little[SHORT];
    int n = 0;

    for (int src = 1; src < mt_size; ++src) {
        for (int k = 0; k < PER_ROUND; ++k, ++n) {
            MPI_Irecv(in + (size_t)n * LONG, bytes_of(k), MPI_BYTE, src, TAG_LONG, MPI_COMM_WORLD,
                      &rq[n]);
        }
    }
    for (int k = 0; k < PER_ROUND; ++k) {
        for (int src = 1; src < mt_size; ++src) {
            MPI_Recv(little, SHORT, MPI_BYTE, src, TAG_SHORT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            mt_verify(little, SHORT, seed_of(src, round, -k - 1), "short %d of %d", k, src);
        }
    }
    MPI_Waitall(n, rq, MPI_STATUSES_IGNORE);
    n = 0;
    for (int src = 1; src < mt_size; ++src) {
        for (int k = 0; k < PER_ROUND; ++k, ++n) {
            mt_verify(in + (size_t)n * LONG, (size_t)bytes_of(k), seed_of(src, round, k),
                      "long %d of %d", k, src);
        }
    }
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv);
    mt_need(2);
    long rounds = mt_option(argc, argv, "-n", 60);
    size_t count = (size_t)(mt_rank == 0 ? mt_size - 1 : 1) * PER_ROUND;
    unsigned char *bytes = mt_alloc(count * LONG);
    MPI_Request *rq = mt_alloc(count * sizeof(*rq));

    for (long round = 0; round < rounds; ++round) {
        if (mt_rank == 0) {
            receive_round(bytes, rq, round);
        } else {
            send_round(bytes, round);
        }
    }
    mt_free(rq);
    mt_free(bytes);
    return mt_finish();
}
