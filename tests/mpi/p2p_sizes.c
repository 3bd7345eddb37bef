/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every size around every protocol switch, at odd alignments: ping-pong, both ways at once, and
 * unexpected. Ranks work in pairs; a rank without a partner works with itself.
 */
#include "mt.h"

enum { SLACK = 64, TAG = 5 };

static unsigned char *send_area;
static unsigned char *recv_area;
static int partner;

/* Where the n bytes of a message start: another alignment for each size and direction. */
static size_t offset_of(size_t n, int who)
{
    return (n * 7 + (size_t)who * 3) % SLACK;
}

static void prepare(size_t n, unsigned char **out, unsigned char **in, uint64_t round)
{
    *out = send_area + offset_of(n, mt_rank);
    *in = recv_area + offset_of(n, mt_rank + 1);
    mt_fill(*out, n, mt_seed((uint64_t)mt_rank, (uint64_t)partner, n, round));
    memset(recv_area, 0xdd, n + 2 * SLACK);
}

static void arrived(size_t n, const unsigned char *in, const MPI_Status *st, uint64_t round)
{
    size_t tail = (size_t)(recv_area + n + 2 * SLACK - (in + n));
    int count = -1;

    MPI_Get_count(st, MPI_BYTE, &count);
    mt_equal(count, (long long)n, "count of a message from %d", partner);
    mt_equal(st->MPI_SOURCE, partner, "source of a message of %zu bytes", n);
    mt_equal(st->MPI_TAG, TAG, "tag of a message of %zu bytes", n);
    mt_verify(in, n, mt_seed((uint64_t)partner, (uint64_t)mt_rank, n, round),
              "message of %zu bytes from %d", n, partner);
    for (size_t i = 0; i < tail; ++i) {
        mt_check(0xdd == in[n + i], "byte %zu after a message of %zu is 0x%02x", i, n, in[n + i]);
    }
}

static void ping_pong(size_t n)
{
    unsigned char *out, *in;
    MPI_Status st;

    prepare(n, &out, &in, 1);
    if (mt_rank < partner) {
        MPI_Send(out, (int)n, MPI_BYTE, partner, TAG, MPI_COMM_WORLD);
        MPI_Recv(in, (int)n + SLACK, MPI_BYTE, partner, TAG, MPI_COMM_WORLD, &st);
    } else {
        MPI_Recv(in, (int)n + SLACK, MPI_BYTE, partner, TAG, MPI_COMM_WORLD, &st);
        MPI_Send(out, (int)n, MPI_BYTE, partner, TAG, MPI_COMM_WORLD);
    }
    arrived(n, in, &st, 1);
}

static void both_ways(size_t n)
{
    unsigned char *out, *in;
    MPI_Request rq[2];
    MPI_Status st[2];

    prepare(n, &out, &in, 2);
    MPI_Irecv(in, (int)n, MPI_BYTE, partner, TAG, MPI_COMM_WORLD, &rq[0]);
    MPI_Isend(out, (int)n, MPI_BYTE, partner, TAG, MPI_COMM_WORLD, &rq[1]);
    MPI_Waitall(2, rq, st);
    arrived(n, in, &st[0], 2);
}

/* The message is there, or announced, before its receive is posted. */
static void unexpected(size_t n)
{
    unsigned char *out, *in;
    MPI_Request rq;
    MPI_Status st;
    char token = 'x';

    prepare(n, &out, &in, 3);
    MPI_Isend(out, (int)n, MPI_BYTE, partner, TAG, MPI_COMM_WORLD, &rq);
    MPI_Sendrecv_replace(&token, 1, MPI_CHAR, partner, TAG + 1, partner, TAG + 1, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    MPI_Recv(in, (int)n + 1, MPI_BYTE, partner, TAG, MPI_COMM_WORLD, &st);
    MPI_Wait(&rq, MPI_STATUS_IGNORE);
    arrived(n, in, &st, 3);
}

int main(int argc, char **argv)
{
    size_t sizes[256], count;

    mt_init(&argc, &argv);
    count = mt_sizes(sizes, 256, (size_t)mt_option(argc, argv, "-m", (long)MT_BIG) + 1);
    partner = mt_rank ^ 1;
    if (partner >= mt_size) {
        partner = mt_rank;
    }
    send_area = mt_alloc(MT_BIG + 4 * SLACK);
    recv_area = mt_alloc(MT_BIG + 4 * SLACK);
    for (size_t i = 0; i < count; ++i) {
        if (partner != mt_rank) {
            ping_pong(sizes[i]);
        }
        both_ways(sizes[i]);
        unexpected(sizes[i]);
    }
    mt_free(send_area);
    mt_free(recv_area);
    return mt_finish();
}
