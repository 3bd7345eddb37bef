/* SPDX-License-Identifier: BSD-3-Clause */
/* Intercommunicators: the world in two parts of unequal size; point-to-point, collectives,
 * merge. */
#include "mt.h"

enum { N = 3000, TAG = 6 };

static MPI_Comm inter;
static int here, there, me; /* size of my part, of the other, my rank in mine */
static int side;            /* 0: the first part */

static int value(int part, int rank, int i)
{
    return part * 1000000 + rank * 10000 + i;
}

static void make(MPI_Comm *local)
{
    int cut = (mt_size + 2) / 3;

    side = mt_rank >= cut;
    MPI_Comm_split(MPI_COMM_WORLD, side, mt_rank, local);
    MPI_Intercomm_create(*local, 0, MPI_COMM_WORLD, side ? 0 : cut, TAG, &inter);
    MPI_Comm_rank(inter, &me);
    MPI_Comm_size(inter, &here);
    MPI_Comm_remote_size(inter, &there);
    mt_equal(here + there, mt_size, "ranks on both sides");
}

/* The tag tells the calls apart: a fast rank may already be in the next one. */
static void to_everyone(int n, int tag)
{
    MPI_Request *rq = malloc((size_t)there * sizeof *rq);
    int *out = mt_alloc((size_t)n * sizeof *out), *in = mt_alloc((size_t)n * sizeof *in);
    MPI_Status st;

    if (!rq) {
        mt_fail("no memory");
    }
    for (int i = 0; i < n; ++i) {
        out[i] = value(side, me, i);
    }
    for (int r = 0; r < there; ++r) {
        MPI_Isend(out, n, MPI_INT, r, tag, inter, &rq[r]);
    }
    for (int k = 0; k < there; ++k) {
        MPI_Recv(in, n, MPI_INT, MPI_ANY_SOURCE, tag, inter, &st);
        for (int i = 0; i < n; ++i) {
            if (in[i] != value(!side, st.MPI_SOURCE, i)) {
                mt_fail("int %d of %d from remote rank %d is %d", i, n, st.MPI_SOURCE, in[i]);
            }
        }
        mt_check(true, "remote message");
    }
    MPI_Waitall(there, rq, MPI_STATUSES_IGNORE);
    free(rq);
    mt_free(out);
    mt_free(in);
}

static void bcasts(void)
{
    int *v = mt_alloc(N * sizeof *v);

    for (int part = 0; part < 2; ++part) {
        int roots = side == part ? here : there;
        for (int root = 0; root < roots; ++root) {
            int arg = side != part ? root : me == root ? MPI_ROOT : MPI_PROC_NULL;
            for (int i = 0; i < N; ++i) {
                v[i] = me == root && side == part ? value(part, root, i) : -1;
            }
            MPI_Bcast(v, N, MPI_INT, arg, inter);
            for (int i = 0; side != part && i < N; ++i) {
                mt_equal(v[i], value(part, root, i), "Bcast from side %d root %d", part, root);
            }
        }
    }
    mt_free(v);
}

static void gathers(void)
{
    int mine[3] = {value(side, me, 0), value(side, me, 1), value(side, me, 2)};
    int *all = mt_alloc((size_t)there * 3 * sizeof *all);

    MPI_Allgather(mine, 3, MPI_INT, all, 3, MPI_INT, inter);
    for (int r = 0; r < there; ++r) {
        for (int i = 0; i < 3; ++i) {
            mt_equal(all[3 * r + i], value(!side, r, i), "Allgather from remote rank %d", r);
        }
    }
    mt_free(all);
}

static void reductions(void)
{
    int *mine = mt_alloc(N * sizeof *mine), *sum = mt_alloc(N * sizeof *sum);

    for (int i = 0; i < N; ++i) {
        mine[i] = value(side, me, i);
    }
    MPI_Allreduce(mine, sum, N, MPI_INT, MPI_SUM, inter);
    for (int i = 0; i < N; ++i) {
        int want = 0;
        for (int r = 0; r < there; ++r) {
            want += value(!side, r, i);
        }
        mt_equal(sum[i], want, "Allreduce over the remote side, element %d", i);
    }
    mt_free(mine);
    mt_free(sum);
}

static void alltoall(void)
{
    int *out = mt_alloc((size_t)there * sizeof *out), *in = mt_alloc((size_t)there * sizeof *in);

    for (int r = 0; r < there; ++r) {
        out[r] = value(side, me, r);
    }
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, inter);
    for (int r = 0; r < there; ++r) {
        mt_equal(in[r], value(!side, r, me), "Alltoall from remote rank %d", r);
    }
    mt_free(out);
    mt_free(in);
}

static void merged(void)
{
    MPI_Comm both;
    int rank, size, sum, want;

    MPI_Intercomm_merge(inter, side, &both);
    MPI_Comm_rank(both, &rank);
    MPI_Comm_size(both, &size);
    mt_equal(size, mt_size, "size after a merge");
    mt_equal(rank, mt_rank, "rank after a merge");
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, both);
    want = size * (size - 1) / 2;
    mt_equal(sum, want, "sum of ranks after a merge");
    MPI_Comm_free(&both);
}

int main(int argc, char **argv)
{
    MPI_Comm local;

    mt_init(&argc, &argv);
    mt_need(2);
    for (int round = 0; round < 5; ++round) {
        make(&local);
        to_everyone(1, TAG + 1);
        to_everyone(900, TAG + 2);
        to_everyone(100000, TAG + 3);
        bcasts();
        gathers();
        reductions();
        alltoall();
        MPI_Barrier(inter);
        merged();
        MPI_Comm_free(&inter);
        MPI_Comm_free(&local);
    }
    return mt_finish();
}
