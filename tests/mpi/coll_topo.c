/* SPDX-License-Identifier: BSD-3-Clause */
/* Cartesian and distributed graph topologies, halo exchange and neighbourhood collectives. */
#include "mt.h"

enum { N = 2000, TAG = 8 };

static int value(int from, int slot, int i)
{
    return from * 100000 + slot * 10000 + i;
}

static MPI_Comm grid(int *dims)
{
    int wrap[2] = {1, 0};
    MPI_Comm c;

    dims[0] = dims[1] = 0;
    MPI_Dims_create(mt_size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, wrap, 0, &c);
    return c;
}

/* A halo exchange by Cart_shift: from both neighbours in both dimensions. */
static void halo(MPI_Comm c)
{
    int rank, low, high, *out = mt_alloc(N * sizeof *out), *in = mt_alloc(N * sizeof *in);

    MPI_Comm_rank(c, &rank);
    for (int dim = 0; dim < 2; ++dim) {
        MPI_Cart_shift(c, dim, 1, &low, &high);
        for (int i = 0; i < N; ++i) {
            out[i] = value(rank, dim, i);
            in[i] = -1;
        }
        MPI_Sendrecv(out, N, MPI_INT, high, TAG, in, N, MPI_INT, low, TAG, c, MPI_STATUS_IGNORE);
        for (int i = 0; i < N; ++i) {
            mt_equal(in[i], MPI_PROC_NULL == low ? -1 : value(low, dim, i), "halo, dimension %d",
                     dim);
        }
    }
    mt_free(out);
    mt_free(in);
}

/* What each neighbour of the grid gives to all of its own. */
static void cart_neighbours(MPI_Comm c, bool nb)
{
    int rank, at[4], *out = mt_alloc(4 * N * sizeof *out), *in = mt_alloc(4 * N * sizeof *in);
    MPI_Request rq;

    MPI_Comm_rank(c, &rank);
    for (int dim = 0; dim < 2; ++dim) {
        MPI_Cart_shift(c, dim, 1, &at[2 * dim], &at[2 * dim + 1]);
    }
    for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < N; ++i) {
            out[k * N + i] = value(rank, k, i);
            in[k * N + i] = -1;
        }
    }
    if (nb) {
        MPI_Ineighbor_allgather(out, N, MPI_INT, in, N, MPI_INT, c, &rq);
        MPI_Wait(&rq, MPI_STATUS_IGNORE);
    } else {
        MPI_Neighbor_allgather(out, N, MPI_INT, in, N, MPI_INT, c);
    }
    for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < N; ++i) {
            mt_equal(in[k * N + i], MPI_PROC_NULL == at[k] ? -1 : value(at[k], 0, i),
                     "Neighbor_allgather, slot %d", k);
        }
    }
    mt_free(out);
    mt_free(in);
}

/* Each rank sends to the next three, so it hears from the three before. */
static void graph(bool nb)
{
    enum { D = 3 };
    int from[D], to[D], *out = mt_alloc(D * N * sizeof *out), *in = mt_alloc(D * N * sizeof *in);
    static const int weights[D] = {1, 1, 1};
    int counts[D], sdisp[D], rdisp[D];
    MPI_Comm c;
    MPI_Request rq;

    for (int k = 0; k < D; ++k) {
        to[k] = (mt_rank + k + 1) % mt_size;
        from[k] = (mt_rank + D * mt_size - k - 1) % mt_size;
        counts[k] = N / (k + 1);
        sdisp[k] = rdisp[k] = k * N;
        for (int i = 0; i < N; ++i) {
            out[k * N + i] = value(mt_rank, k, i);
            in[k * N + i] = -1;
        }
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, D, from, weights, D, to, weights, MPI_INFO_NULL,
                                   0, &c);
    if (nb) {
        MPI_Ineighbor_alltoallv(out, counts, sdisp, MPI_INT, in, counts, rdisp, MPI_INT, c, &rq);
        MPI_Wait(&rq, MPI_STATUS_IGNORE);
    } else {
        MPI_Neighbor_alltoallv(out, counts, sdisp, MPI_INT, in, counts, rdisp, MPI_INT, c);
    }
    for (int k = 0; k < D; ++k) {
        for (int i = 0; i < N; ++i) {
            mt_equal(in[k * N + i], i < counts[k] ? value(from[k], k, i) : -1,
                     "Neighbor_alltoallv from %d", from[k]);
        }
    }
    MPI_Comm_free(&c);
    mt_free(out);
    mt_free(in);
}

/* Rows and columns of the grid, each a communicator. */
static void slices(MPI_Comm c, const int *dims)
{
    for (int dim = 0; dim < 2; ++dim) {
        int keep[2] = {0 == dim, 1 == dim}, size, sum = 0;
        MPI_Comm line;
        MPI_Cart_sub(c, keep, &line);
        MPI_Comm_size(line, &size);
        mt_equal(size, dims[dim], "size of a line of the grid");
        int one = 1;
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, line);
        mt_equal(sum, dims[dim], "ranks on a line of the grid");
        MPI_Comm_free(&line);
    }
}

int main(int argc, char **argv)
{
    int dims[2];
    MPI_Comm c;

    mt_init(&argc, &argv);
    /* with fewer ranks a neighbour would appear twice in the graph */
    mt_need(4);
    c = grid(dims);
    for (int round = 0; round < 4; ++round) {
        halo(c);
        cart_neighbours(c, round % 2);
        graph(round % 2);
    }
    slices(c, dims);
    MPI_Comm_free(&c);
    return mt_finish();
}
