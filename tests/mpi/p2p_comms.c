/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ompi_match/comms.c. */
/*
 * Communicators keep traffic apart: thousands made and freed one after the other, hundreds alive at
 * once with crossing messages of the same tag, splits, groups, and messages that arrive before the
 * receiver has finished making the communicator.
 *
 *   -dup            only make and free communicators: no message but those of the library
 */
#include "mt.h"

enum { TAG = 71 };

/* Round the ring on each new communicator; freed before the next. */
static void one_after_the_other(int count)
{
    int to = (mt_rank + 1) % mt_size, from = (mt_rank + mt_size - 1) % mt_size;
    MPI_Comm c;

    for (int i = 0; i < count; ++i) {
        int out[2] = {mt_rank, i}, in[2] = {-1, -1};
        MPI_Comm_dup(MPI_COMM_WORLD, &c);
        MPI_Sendrecv(out, 2, MPI_INT, to, TAG, in, 2, MPI_INT, from, TAG, c, MPI_STATUS_IGNORE);
        mt_equal(in[0], from, "rank in the message on communicator %d", i);
        mt_equal(in[1], i, "number in the message on communicator %d", i);
        MPI_Comm_free(&c);
    }
}

static void only_made(int count)
{
    MPI_Comm c;

    for (int i = 0; i < count; ++i) {
        mt_ok(MPI_Comm_dup(MPI_COMM_WORLD, &c));
        mt_ok(MPI_Comm_free(&c));
    }
}

/* Sends go out over all communicators before a receive, which go in the reverse order. */
static void all_at_once(int count)
{
    int to = (mt_rank + 1) % mt_size, from = (mt_rank + mt_size - 1) % mt_size;
    MPI_Comm *c = malloc((size_t)count * sizeof *c);
    MPI_Request *rq = malloc((size_t)count * sizeof *rq);
    int *out = malloc((size_t)count * sizeof *out);

    if (!c || !rq || !out) {
        mt_fail("no memory");
    }
    for (int i = 0; i < count; ++i) {
        MPI_Comm_dup(i % 2 ? c[i - 1] : MPI_COMM_WORLD, &c[i]);
    }
    for (int i = 0; i < count; ++i) {
        out[i] = mt_rank * count + i;
        MPI_Isend(&out[i], 1, MPI_INT, to, TAG, c[i], &rq[i]);
    }
    for (int i = count - 1; i >= 0; --i) {
        int v = -1;
        MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, c[i], MPI_STATUS_IGNORE);
        mt_equal(v, from * count + i, "message on communicator %d of many", i);
    }
    MPI_Waitall(count, rq, MPI_STATUSES_IGNORE);
    for (int k = 0; k < count; ++k) {
        MPI_Comm_free(&c[k * 7 % count]);
    }
    free(out);
    free(rq);
    free(c);
}

/* Odd and even ranks apart, numbered backwards. */
static void splits(int rounds)
{
    MPI_Comm c;

    for (int i = 0; i < rounds; ++i) {
        int rank, size, color = (mt_rank + i) % 2, sum = 0, want = 0;
        MPI_Comm_split(MPI_COMM_WORLD, color, -mt_rank, &c);
        MPI_Comm_rank(c, &rank);
        MPI_Comm_size(c, &size);
        MPI_Allreduce(&mt_rank, &sum, 1, MPI_INT, MPI_SUM, c);
        for (int r = 0; r < mt_size; ++r) {
            want += (r + i) % 2 == color ? r : 0;
        }
        mt_equal(sum, want, "sum of the world ranks of colour %d", color);
        int v = mt_rank, from = (rank + size - 1) % size;
        MPI_Sendrecv_replace(&v, 1, MPI_INT, (rank + 1) % size, TAG, from, TAG, c,
                             MPI_STATUS_IGNORE);
        int largest = (mt_size - 1 + i) % 2 == color ? mt_size - 1 : mt_size - 2;
        mt_equal(v, largest - 2 * from, "world rank of the neighbour in a split");
        MPI_Comm_free(&c);
    }
}

/* Made by the members alone. */
static void by_group(void)
{
    MPI_Group world, some;
    MPI_Comm c;
    int range[3] = {0, mt_size - 1, 2}, rank, v;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, &range, &some);
    for (int i = 0; i < 50; ++i) {
        if (0 == mt_rank % 2) {
            MPI_Comm_create_group(MPI_COMM_WORLD, some, i, &c);
            MPI_Comm_rank(c, &rank);
            mt_equal(rank, mt_rank / 2, "rank in a group of the even ones");
            v = 0 == rank ? i : -1;
            MPI_Bcast(&v, 1, MPI_INT, 0, c);
            mt_equal(v, i, "broadcast in a group");
            MPI_Comm_free(&c);
        }
    }
    MPI_Group_free(&some);
    MPI_Group_free(&world);
}

/* Rank 0 sends as soon as it has the communicator; the others come later. */
static void early_messages(int rounds)
{
    MPI_Comm c;
    MPI_Request rq;

    for (int i = 0; i < rounds; ++i) {
        MPI_Comm_idup(MPI_COMM_WORLD, &c, &rq);
        if (0 != mt_rank && 0 == i % 10) {
            mt_sleep(1);
        }
        MPI_Wait(&rq, MPI_STATUS_IGNORE);
        if (0 == mt_rank) {
            for (int r = 1; r < mt_size; ++r) {
                MPI_Send(&i, 1, MPI_INT, r, TAG, c);
            }
        } else {
            int v = -1;
            MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, c, MPI_STATUS_IGNORE);
            mt_equal(v, i, "early message on communicator %d", i);
        }
        MPI_Comm_free(&c);
    }
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv);
    if (mt_flag(argc, argv, "-dup")) {
        only_made(500);
        return mt_finish();
    }
    one_after_the_other((int)mt_option(argc, argv, "-n", 2000));
    all_at_once(200);
    splits(100);
    by_group();
    early_messages(200);
    return mt_finish();
}
