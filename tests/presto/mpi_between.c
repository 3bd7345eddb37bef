/* SPDX-License-Identifier: BSD-3-Clause */
/* Between two groups: reductions of long messages, and communicators of parts of both. A plain MPI
 * program for two or more ranks; with five or more both groups have several ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size, checks; /* in the world */
static MPI_Comm local, inter;
static int me, here, there, side,
    cut; /* in the own group; sizes; which group; where the second begins */

#define EQUAL(got, want)                                                                   \
    do {                                                                                   \
        long long g = (got), w = (want);                                                   \
        checks++;                                                                          \
        if (g != w) {                                                                      \
            fprintf(stderr, "mpi_between.c:%d: rank %d of %d: %s: %lld instead of %lld\n", \
                    __LINE__, rank, size, #got, g, w);                                     \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                  \
        }                                                                                  \
    } while (0)

/* Element i of what rank r of a group gives. */
static int give(int group, int r, int i)
{
    return group * 1000003 + r * 1009 + i * 7 + 1;
}

static int sum(int group, int members, int i)
{
    int all = 0;
    for (int r = 0; r < members; r++) {
        all += give(group, r, i);
    }
    return all;
}

/* ---- long reductions ------------------------------------------------------------------------- */

/* Each rank of either group gives n elements, n being a multiple of what both groups divide by. */
static void reductions(int n)
{
    int *in = malloc((size_t)n * sizeof(*in)), *out = malloc((size_t)n * sizeof(*out));
    int *counts = malloc((size_t)here * sizeof(*counts)), each = n / here;
    MPI_Request request;
    for (int i = 0; i < n; i++) {
        in[i] = give(side, me, i);
    }
    for (int i = 0; i < here; i++) {
        counts[i] = each;
    }
    for (int later = 0; later < 2; later++) {
        if (later) {
            MPI_Iallreduce(in, out, n, MPI_INT, MPI_SUM, inter, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, inter);
        }
        for (int i = 0; i < n; i++) {
            EQUAL(out[i], sum(1 - side, there, i));
        }
        if (later) {
            MPI_Ireduce_scatter(in, out, counts, MPI_INT, MPI_SUM, inter, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, inter);
        }
        for (int i = 0; i < each; i++) {
            EQUAL(out[i], sum(1 - side, there, me * each + i));
        }
        if (later) {
            MPI_Ireduce_scatter_block(in, out, each, MPI_INT, MPI_SUM, inter, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            MPI_Reduce_scatter_block(in, out, each, MPI_INT, MPI_SUM, inter);
        }
        for (int i = 0; i < each; i++) {
            EQUAL(out[i], sum(1 - side, there, me * each + i));
        }
    }
    free(counts);
    free(out);
    free(in);
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* The ranks in the world of a group of the communicator, in its order. */
static void members_of(MPI_Comm comm, int remote, int n, int *ranks)
{
    MPI_Group group, world;
    int *all = malloc((size_t)n * sizeof(*all));
    if (remote) {
        MPI_Comm_remote_group(comm, &group);
    } else {
        MPI_Comm_group(comm, &group);
    }
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int i = 0; i < n; i++) {
        all[i] = i;
    }
    MPI_Group_translate_ranks(group, n, all, world, ranks);
    MPI_Group_free(&world);
    MPI_Group_free(&group);
    free(all);
}

/* The first and the last world rank of a group. */
static int first_of(int group)
{
    return group == 0 ? 0 : cut;
}

static int end_of(int group)
{
    return group == 0 ? cut : size;
}

/* The ranks of a group that are of a color, from the highest to the lowest. */
static int expect(int group, int colors, int color, int *ranks)
{
    int n = 0;
    for (int r = end_of(group) - 1; r >= first_of(group); r--) {
        if ((r - first_of(group)) % colors == color) {
            ranks[n++] = r;
        }
    }
    return n;
}

/* It has these groups, and carries messages and a reduction. */
static void check_part(MPI_Comm part, const int *own, int n, const int *other, int others)
{
    int got, flag, at, all = 0, *ranks = malloc((size_t)size * sizeof(*ranks));
    MPI_Comm_test_inter(part, &flag);
    EQUAL(flag, 1);
    MPI_Comm_size(part, &got);
    EQUAL(got, n);
    MPI_Comm_remote_size(part, &got);
    EQUAL(got, others);
    MPI_Comm_rank(part, &at);
    EQUAL(own[at], rank);
    members_of(part, 0, n, ranks);
    for (int i = 0; i < n; i++) {
        EQUAL(ranks[i], own[i]);
    }
    members_of(part, 1, others, ranks);
    for (int i = 0; i < others; i++) {
        EQUAL(ranks[i], other[i]);
    }
    MPI_Allreduce(&rank, &got, 1, MPI_INT, MPI_SUM, part);
    for (int i = 0; i < others; i++) {
        all += other[i];
    }
    EQUAL(got, all);
    if (at < others) {
        MPI_Sendrecv(&rank, 1, MPI_INT, at, 3, &got, 1, MPI_INT, at, 3, part, MPI_STATUS_IGNORE);
    }
    EQUAL(at < others ? got : other[0], at < others ? other[at] : other[0]);
    free(ranks);
}

static void splits(void)
{
    int *own = malloc((size_t)size * sizeof(*own)), *other = malloc((size_t)size * sizeof(*other));
    MPI_Comm part;
    for (int colors = 1; colors <= 3; colors++) {
        int color = me % colors, n = expect(side, colors, color, own);
        int others = expect(1 - side, colors, color, other);
        MPI_Comm_split(inter, color, -me, &part);
        EQUAL(part == MPI_COMM_NULL, others == 0);
        if (part != MPI_COMM_NULL) {
            check_part(part, own, n, other, others);
            MPI_Comm_free(&part);
        }
    }
    /* All of one group but none of the other; then a rank of each. */
    MPI_Comm_split(inter, side == 0 ? 4 : MPI_UNDEFINED, 0, &part);
    EQUAL(part == MPI_COMM_NULL, 1);
    MPI_Comm_split(inter, me == here - 1 ? 5 : MPI_UNDEFINED, 0, &part);
    EQUAL(part != MPI_COMM_NULL, me == here - 1);
    if (part != MPI_COMM_NULL) {
        own[0] = rank;
        other[0] = end_of(1 - side) - 1;
        check_part(part, own, 1, other, 1);
        MPI_Comm_free(&part);
    }
    free(other);
    free(own);
}

static void created(void)
{
    int *own = malloc((size_t)size * sizeof(*own)), *other = malloc((size_t)size * sizeof(*other));
    int n = (here + 1) / 2, others = (there + 1) / 2, range[3] = {here - 1, here - n, -1};
    MPI_Group group, some;
    MPI_Comm part, parts;
    MPI_Comm_group(inter, &group);
    MPI_Group_range_incl(group, 1, &range, &some);
    MPI_Comm_create(inter, some, &part);
    EQUAL(part != MPI_COMM_NULL, me >= here - n);
    for (int i = 0; i < n; i++) {
        own[i] = end_of(side) - 1 - i;
    }
    for (int i = 0; i < others; i++) {
        other[i] = end_of(1 - side) - 1 - i;
    }
    if (part != MPI_COMM_NULL) {
        check_part(part, own, n, other, others);
        /* What was made of a part can be divided again. */
        MPI_Comm_split(part, 0, 0, &parts);
        check_part(parts, own, n, other, others);
        MPI_Comm_free(&parts);
        MPI_Comm_free(&part);
    }
    MPI_Comm_create(inter, side == 0 ? some : MPI_GROUP_EMPTY, &part);
    EQUAL(part == MPI_COMM_NULL, 1);
    MPI_Comm_split_type(inter, MPI_UNDEFINED, 0, MPI_INFO_NULL, &part);
    EQUAL(part == MPI_COMM_NULL, 1);
    MPI_Group_free(&some);
    MPI_Group_free(&group);
    free(other);
    free(own);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    cut = size / 2;
    side = rank >= cut;
    MPI_Comm_split(MPI_COMM_WORLD, side, rank, &local);
    MPI_Comm_rank(local, &me);
    MPI_Comm_size(local, &here);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, side == 0 ? cut : 0, 12, &inter);
    MPI_Comm_remote_size(inter, &there);
    splits();
    created();
    reductions(here * there);
    reductions(here * there * 8192);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
    if (rank == 0) {
        printf("MT-OK mpi_between checks=%d\n", checks);
    }
    MPI_Finalize();
    return 0;
}
