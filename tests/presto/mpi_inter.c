/* SPDX-License-Identifier: BSD-3-Clause */
/* Intercommunicators beyond tests/mpi/coll_inter.c: every collective operation, blocking and not,
 * against what can be computed; copies, comparison, groups, merging in both orders, errors. A plain
 * MPI program for two or more ranks. Under Open MPI 4.1 three ranks or more never get out of
 * MPI_Iallreduce, over vader too; MPICH's do. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, checks; /* in the world */
static MPI_Comm local, inter;
static int me, here, there, side; /* in the own group; sizes of both; which group */
static int cut;                   /* the first world rank of the second group */

#define EQUAL(got, want)                                                                           \
    do {                                                                                           \
        long long g = (got), w = (want);                                                           \
        checks++;                                                                                  \
        if (g != w) {                                                                              \
            fprintf(stderr, "mpi_inter.c:%d: rank %d of %d: %s: %lld instead of %lld\n", __LINE__, \
                    rank, size, #got, g, w);                                                       \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                          \
        }                                                                                          \
    } while (0)

/* Number i that a rank of a group gives in a round. */
static int give(int group, int r, int i, int round)
{
    return group * 100003 + r * 1009 + i * 7 + round * 31 + 1;
}

/* The root of a round: of group `of`, its rank `who`; what this rank has to say. */
static int root_here(int of, int who)
{
    return side != of ? who : (me == who ? MPI_ROOT : MPI_PROC_NULL);
}

enum { MOST = 64, N = 5 };

static void finish(MPI_Request *request)
{
    if (*request != MPI_REQUEST_NULL) {
        MPI_Wait(request, MPI_STATUS_IGNORE);
    }
}

static void fill(int *buf, int n, int round)
{
    for (int i = 0; i < n; i++) {
        buf[i] = give(side, me, i, round);
    }
}

static void broadcast(int of, int who, int later, int round)
{
    int in[N], root = root_here(of, who), count = root == MPI_PROC_NULL ? 0 : N;
    MPI_Request r = MPI_REQUEST_NULL;
    fill(in, N, round);
    if (later) {
        MPI_Ibcast(count == 0 ? NULL : in, count, MPI_INT, root, inter, &r);
    } else {
        MPI_Bcast(in, N, MPI_INT, root, inter);
    }
    finish(&r);
    for (int i = 0; i < N && root >= 0; i++) {
        EQUAL(in[i], give(of, who, i, round));
    }
}

static void gather_and_scatter(int of, int who, int later, int round)
{
    int in[MOST], out[N * MOST], root = root_here(of, who), other = 1 - of;
    int counts[MOST], places[MOST], members = of == 0 ? size - cut : cut;
    MPI_Request r = MPI_REQUEST_NULL;
    fill(in, N, round);
    if (later) {
        MPI_Igather(in, N, MPI_INT, out, N, MPI_INT, root, inter, &r);
    } else {
        MPI_Gather(in, N, MPI_INT, out, N, MPI_INT, root, inter);
    }
    finish(&r);
    for (int i = 0; root == MPI_ROOT && i < N * members; i++) {
        EQUAL(out[i], give(other, i / N, i % N, round));
    }
    for (int i = 0; i < members; i++) {
        counts[i] = i % 3;
        places[i] = i * N + 1;
    }
    memset(out, 0, sizeof(out));
    if (later) {
        MPI_Igatherv(in, me % 3, MPI_INT, out, counts, places, MPI_INT, root, inter, &r);
    } else {
        MPI_Gatherv(in, me % 3, MPI_INT, out, counts, places, MPI_INT, root, inter);
    }
    finish(&r);
    for (int i = 0; root == MPI_ROOT && i < members; i++) {
        for (int k = 0; k < N - 1; k++) {
            EQUAL(out[i * N + 1 + k], k < i % 3 ? give(other, i, k, round) : 0);
        }
    }
    for (int i = 0; root == MPI_ROOT && i < members * N; i++) {
        out[i] = give(of, who, i, round);
    }
    if (later) {
        MPI_Iscatter(out, N, MPI_INT, in, N, MPI_INT, root, inter, &r);
    } else {
        MPI_Scatter(out, N, MPI_INT, in, N, MPI_INT, root, inter);
    }
    finish(&r);
    for (int i = 0; root >= 0 && i < N; i++) {
        EQUAL(in[i], give(of, who, me * N + i, round));
    }
    if (later) {
        MPI_Iscatterv(out, counts, places, MPI_INT, in, me % 3, MPI_INT, root, inter, &r);
    } else {
        MPI_Scatterv(out, counts, places, MPI_INT, in, me % 3, MPI_INT, root, inter);
    }
    finish(&r);
    for (int i = 0; root >= 0 && i < me % 3; i++) {
        EQUAL(in[i], give(of, who, me * N + 1 + i, round));
    }
}

/* Products of matrices with two rows: they are associative, and do not commute. */
static void multiply(void *in, void *inout, int *n, MPI_Datatype *type)
{
    unsigned *a = in, *b = inout;
    (void)type;
    for (int i = 0; i < *n; i++, a += 4, b += 4) {
        unsigned c[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
                         a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
        memcpy(b, c, sizeof(c));
    }
}

static void product(int group, int members, int i, int round, unsigned want[4])
{
    unsigned next[4];
    int one = 1;
    memcpy(want, (unsigned[]){1, 0, 0, 1}, sizeof(next));
    for (int r = members - 1; r >= 0; r--) {
        for (int k = 0; k < 4; k++) {
            next[k] = (unsigned)give(group, r, i * 4 + k, round);
        }
        multiply(next, want, &one, NULL);
    }
}

static void reductions(int of, int who, int later, int round)
{
    int in[4 * MOST], out[4 * MOST], counts[MOST], root = root_here(of, who), other = 1 - of;
    int total = here * there, sum;
    unsigned want[4];
    MPI_Op op;
    MPI_Datatype matrix;
    MPI_Request r = MPI_REQUEST_NULL;
    MPI_Op_create(multiply, 0, &op);
    MPI_Type_contiguous(4, MPI_INT, &matrix);
    MPI_Type_commit(&matrix);
    fill(in, 8, round);
    if (later) {
        MPI_Ireduce(in, out, 2, matrix, op, root, inter, &r);
    } else {
        MPI_Reduce(in, out, 2, matrix, op, root, inter);
    }
    finish(&r);
    for (int i = 0; root == MPI_ROOT && i < 8; i++) {
        product(other, there, i / 4, round, want);
        EQUAL((unsigned)out[i], want[i % 4]);
    }
    if (later) {
        MPI_Iallreduce(in, out, 2, matrix, op, inter, &r);
    } else {
        MPI_Allreduce(in, out, 2, matrix, op, inter);
    }
    finish(&r);
    for (int i = 0; i < 8; i++) {
        product(1 - side, there, i / 4, round, want);
        EQUAL((unsigned)out[i], want[i % 4]);
    }
    /* As many elements in both groups: each rank gets `there` of them, then unequal parts. */
    fill(in, total, round);
    if (later) {
        MPI_Ireduce_scatter_block(in, out, there, MPI_INT, MPI_SUM, inter, &r);
    } else {
        MPI_Reduce_scatter_block(in, out, there, MPI_INT, MPI_SUM, inter);
    }
    finish(&r);
    for (int i = 0; i < there; i++) {
        sum = 0;
        for (int k = 0; k < there; k++) {
            sum += give(1 - side, k, me * there + i, round);
        }
        EQUAL(out[i], sum);
    }
    for (int i = 0; i < here; i++) {
        counts[i] = i == 0 ? total : 0;
    }
    if (later) {
        MPI_Ireduce_scatter(in, out, counts, MPI_INT, MPI_MAX, inter, &r);
    } else {
        MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_MAX, inter);
    }
    finish(&r);
    for (int i = 0; me == 0 && i < total; i++) {
        EQUAL(out[i], give(1 - side, there - 1, i, round));
    }
    MPI_Type_free(&matrix);
    MPI_Op_free(&op);
}

static void all_alike(int later, int round)
{
    int in[N * MOST], out[N * MOST], counts[MOST], places[MOST], ones[MOST];
    MPI_Request r = MPI_REQUEST_NULL;
    fill(in, N * there, round);
    if (later) {
        MPI_Iallgather(in, N, MPI_INT, out, N, MPI_INT, inter, &r);
    } else {
        MPI_Allgather(in, N, MPI_INT, out, N, MPI_INT, inter);
    }
    finish(&r);
    for (int i = 0; i < N * there; i++) {
        EQUAL(out[i], give(1 - side, i / N, i % N, round));
    }
    if (later) {
        MPI_Ialltoall(in, N, MPI_INT, out, N, MPI_INT, inter, &r);
    } else {
        MPI_Alltoall(in, N, MPI_INT, out, N, MPI_INT, inter);
    }
    finish(&r);
    for (int i = 0; i < N * there; i++) {
        EQUAL(out[i], give(1 - side, i / N, me * N + i % N, round));
    }
    for (int i = 0; i < there; i++) {
        counts[i] = 1 + i % 2;
        places[i] = i * N;
        ones[i] = 1 + me % 2;
    }
    if (later) {
        MPI_Iallgatherv(in, ones[0], MPI_INT, out, counts, places, MPI_INT, inter, &r);
    } else {
        MPI_Allgatherv(in, ones[0], MPI_INT, out, counts, places, MPI_INT, inter);
    }
    finish(&r);
    for (int i = 0; i < there; i++) {
        for (int k = 0; k < counts[i]; k++) {
            EQUAL(out[i * N + k], give(1 - side, i, k, round));
        }
    }
    if (later) {
        MPI_Ialltoallv(in, ones, places, MPI_INT, out, counts, places, MPI_INT, inter, &r);
    } else {
        MPI_Alltoallv(in, ones, places, MPI_INT, out, counts, places, MPI_INT, inter);
    }
    finish(&r);
    for (int i = 0; i < there; i++) {
        for (int k = 0; k < counts[i]; k++) {
            EQUAL(out[i * N + k], give(1 - side, i, me * N + k, round));
        }
    }
    if (later) {
        MPI_Ibarrier(inter, &r);
    } else {
        MPI_Barrier(inter);
    }
    finish(&r);
}

/* A message to the rank opposite, in an intercommunicator. */
static void opposite(MPI_Comm comm, int tag)
{
    int out = rank + tag, in = -1;
    MPI_Status status;
    if (me >= there) {
        return;
    }
    MPI_Sendrecv(&out, 1, MPI_INT, me, tag, &in, 1, MPI_INT, me, tag, comm, &status);
    EQUAL(in, (side == 0 ? cut + me : me) + tag);
    EQUAL(status.MPI_SOURCE, me);
}

static void looks(void)
{
    MPI_Comm copy, later, merged;
    MPI_Group group, world, want;
    MPI_Request request;
    int flag, r, n, remote[MOST], index;
    MPI_Comm_test_inter(inter, &flag);
    EQUAL(flag, 1);
    MPI_Comm_test_inter(local, &flag);
    EQUAL(flag, 0);
    MPI_Comm_remote_group(inter, &group);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int i = 0; i < there; i++) {
        remote[i] = side == 0 ? cut + i : i;
    }
    MPI_Group_incl(world, there, remote, &want);
    MPI_Group_compare(group, want, &flag);
    EQUAL(flag, MPI_IDENT);
    MPI_Group_free(&group);
    MPI_Group_free(&want);
    MPI_Comm_dup(inter, &copy);
    MPI_Comm_idup(inter, &later, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_compare(inter, copy, &flag);
    EQUAL(flag, MPI_CONGRUENT);
    MPI_Comm_compare(inter, local, &flag);
    EQUAL(flag, MPI_UNEQUAL);
    opposite(copy, 3);
    opposite(later, 4);
    for (int high = 0; high < 4; high++) {
        MPI_Intercomm_merge(high % 2 ? copy : inter, (high >> side) & 1, &merged);
        MPI_Comm_rank(merged, &r);
        MPI_Comm_size(merged, &n);
        EQUAL(n, size);
        if (high == 1) {
            EQUAL(r, side == 0 ? there + me : me);
        }
        if (high == 2) {
            EQUAL(r, side == 0 ? me : there + me);
        }
        MPI_Allreduce(&rank, &index, 1, MPI_INT, MPI_SUM, merged);
        EQUAL(index, size * (size - 1) / 2);
        MPI_Comm_free(&merged);
    }
    MPI_Group_free(&world);
    MPI_Comm_free(&copy);
    MPI_Comm_disconnect(&later);
}

#ifdef PRESTO_MPI
static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

static void errors(void)
{
    int a = 0, b;
    MPI_Comm other;
    MPI_Group group;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(local, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    EQUAL(class_of(MPI_Send(&a, 1, MPI_INT, there, 0, inter)), MPI_ERR_RANK);
    EQUAL(class_of(MPI_Bcast(&a, 1, MPI_INT, there, inter)), MPI_ERR_ROOT);
    EQUAL(class_of(MPI_Bcast(&a, 1, MPI_INT, MPI_ROOT, local)), MPI_ERR_ROOT);
    EQUAL(class_of(MPI_Scan(&a, &b, 1, MPI_INT, MPI_SUM, inter)), MPI_ERR_COMM);
    EQUAL(class_of(MPI_Cart_create(inter, 1, &here, &a, 0, &other)), MPI_ERR_COMM);
    EQUAL(class_of(MPI_Comm_remote_size(local, &b)), MPI_ERR_COMM);
    EQUAL(class_of(MPI_Comm_remote_group(local, &group)), MPI_ERR_COMM);
    EQUAL(class_of(MPI_Intercomm_merge(local, 0, &other)), MPI_ERR_COMM);
    EQUAL(class_of(MPI_Intercomm_create(local, here, MPI_COMM_WORLD, 0, 1, &other)), MPI_ERR_RANK);
}
#endif

int main(int argc, char **argv)
{
    int round = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    cut = (size + 2) / 3;
    side = rank >= cut;
    /* The leader of each group is its last rank. */
    MPI_Comm_split(MPI_COMM_WORLD, side, rank, &local);
    MPI_Comm_rank(local, &me);
    MPI_Comm_size(local, &here);
    MPI_Intercomm_create(local, here - 1, MPI_COMM_WORLD, side == 0 ? size - 1 : cut - 1, 12,
                         &inter);
    MPI_Comm_remote_size(inter, &there);
    EQUAL(here + there, size);
    for (int later = 0; later < 2; later++) {
        for (int of = 0; of < 2; of++) {
            int members = of == 0 ? cut : size - cut;
            for (int who = 0; who < members; who++, round++) {
                broadcast(of, who, later, round);
                gather_and_scatter(of, who, later, round);
                reductions(of, who, later, round);
            }
        }
        all_alike(later, round++);
        opposite(inter, 9);
    }
    looks();
#ifdef PRESTO_MPI
    errors();
#endif
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
    if (rank == 0) {
        printf("MT-OK mpi_inter checks=%d\n", checks);
    }
    MPI_Finalize();
    return 0;
}
