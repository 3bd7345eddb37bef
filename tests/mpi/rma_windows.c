/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many windows: made and freed in a row, alive at once, over overlapping memory, of unequal size
 * (also none), with different displacement units, attached and detached again.
 */
#include "rma.h"

enum { PART = 8192 };

static int right(void)
{
    return (mt_rank + 1) % mt_size;
}

static int left(void)
{
    return (mt_rank + mt_size - 1) % mt_size;
}

static void churn(int count)
{
    for (int i = 0; i < count; ++i) {
        struct rma w;
        int v = mt_rank * 1000 + i, got;
        rma_open(&w, i % rma_kinds(), 64 + (size_t)(i % 5) * 4096);
        rma_begin(&w, RMA_FENCE);
        MPI_Put(&v, 1, MPI_INT, right(), rma_at(&w, right(), 8), 1, MPI_INT, w.win);
        rma_end(&w, RMA_FENCE);
        memcpy(&got, w.base + 8, sizeof got);
        mt_equal(got, left() * 1000 + i, "value in window %d of a row", i);
        rma_close(&w);
    }
}

static void alive_at_once(void)
{
    enum { N = 24 };
    struct rma w[N];
    int v[N], got;

    for (int i = 0; i < N; ++i) {
        rma_open(&w[i], i % rma_kinds(), 256);
    }
    for (int i = 0; i < N; ++i) {
        v[i] = mt_rank * 100 + i;
        MPI_Win_lock(MPI_LOCK_SHARED, right(), 0, w[i].win);
        MPI_Put(&v[i], 1, MPI_INT, right(), rma_at(&w[i], right(), 16), 1, MPI_INT, w[i].win);
    }
    for (int i = N - 1; i >= 0; --i) {
        MPI_Win_unlock(right(), w[i].win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < N; ++i) {
        MPI_Win_lock(MPI_LOCK_SHARED, mt_rank, 0, w[i].win);
        memcpy(&got, w[i].base + 16, sizeof got);
        MPI_Win_unlock(mt_rank, w[i].win);
        mt_equal(got, left() * 100 + i, "value in window %d of many", i);
    }
    for (int i = 0; i < N; ++i) {
        rma_close(&w[i * 5 % N]);
    }
}

/* Window a covers all of the memory, b its middle: what goes in through one is seen through
 * both. */
static void overlapping(void)
{
    unsigned char *mem = mt_alloc(PART), *buf = mt_alloc(PART);
    MPI_Win a, b;

    MPI_Win_create(mem, PART, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &a);
    MPI_Win_create(mem + PART / 4, PART / 2, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &b);
    for (int round = 0; round < 10; ++round) {
        uint64_t seed = mt_seed((uint64_t)mt_rank, (uint64_t)round, 1, 1);
        uint64_t theirs = mt_seed((uint64_t)left(), (uint64_t)round, 1, 1);
        MPI_Win put_by = round % 2 ? a : b, get_by = round % 2 ? b : a;
        MPI_Aint put_at = round % 2 ? PART / 4 : 0, get_at = round % 2 ? 0 : PART / 4;
        mt_fill(buf, PART / 2, seed);
        MPI_Win_fence(0, put_by);
        MPI_Put(buf, PART / 2, MPI_BYTE, right(), put_at, PART / 2, MPI_BYTE, put_by);
        MPI_Win_fence(0, put_by);
        mt_verify(mem + PART / 4, PART / 2, theirs, "round %d of overlapping windows", round);
        MPI_Win_fence(0, get_by);
        MPI_Get(buf, PART / 2, MPI_BYTE, right(), get_at, PART / 2, MPI_BYTE, get_by);
        MPI_Win_fence(0, get_by);
        mt_verify(buf, PART / 2, seed, "get through the other window, round %d", round);
    }
    MPI_Win_free(&a);
    MPI_Win_free(&b);
    mt_free(mem);
    mt_free(buf);
}

/* Rank r exposes r times 1000 ints, rank 0 nothing; units differ. */
static void unequal(void)
{
    int unit = mt_rank % 2 ? 4 : 8, *mem = mt_alloc((size_t)mt_rank * 1000 * sizeof *mem + 8);
    MPI_Win w;

    memset(mem, 0, (size_t)mt_rank * 1000 * sizeof *mem);
    MPI_Win_create(0 == mt_rank ? NULL : mem, (MPI_Aint)mt_rank * 1000 * 4, unit, MPI_INFO_NULL,
                   MPI_COMM_WORLD, &w);
    MPI_Win_fence(0, w);
    for (int t = 1; t < mt_size; ++t) {
        int v = mt_rank * 10 + t, target_unit = t % 2 ? 4 : 8;
        /* int number 2 (rank + 1) of the target */
        MPI_Aint at = 8 * (mt_rank + 1) / target_unit;
        MPI_Put(&v, 1, MPI_INT, t, at, 1, MPI_INT, w);
        MPI_Win_fence(0, w);
    }
    for (int o = 0; mt_rank > 0 && o < mt_size; ++o) {
        mt_equal(mem[2 * (o + 1)], o * 10 + mt_rank, "int put by %d in units of its target", o);
    }
    MPI_Win_free(&w);
    mt_free(mem);
}

/* Several pieces in one dynamic window; detached ones are replaced by others. */
static void attached(void)
{
    enum { N = 6 };
    unsigned char *piece[N];
    MPI_Aint mine[N], *all = malloc((size_t)mt_size * N * sizeof *all);
    MPI_Win w;

    if (!all) {
        mt_fail("no memory");
    }
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    for (int round = 0; round < 8; ++round) {
        for (int i = 0; i < N; ++i) {
            if (0 == round || i % 2 == round % 2) {
                piece[i] = mt_alloc(1000 + (size_t)i * 3000);
                memset(piece[i], 0, 1000);
                MPI_Win_attach(w, piece[i], 1000 + i * 3000);
            }
            MPI_Get_address(piece[i], &mine[i]);
        }
        MPI_Allgather(mine, N, MPI_AINT, all, N, MPI_AINT, MPI_COMM_WORLD);
        MPI_Win_lock_all(0, w);
        for (int i = 0; i < N; ++i) {
            int v = round * 100 + mt_rank * 10 + i;
            MPI_Put(&v, 1, MPI_INT, right(), MPI_Aint_add(all[right() * N + i], 40), 1, MPI_INT, w);
            MPI_Win_flush(right(), w);
        }
        MPI_Win_unlock_all(w);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < N; ++i) {
            int got;
            memcpy(&got, piece[i] + 40, sizeof got);
            mt_equal(got, round * 100 + left() * 10 + i, "piece %d of a dynamic window", i);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < N; ++i) {
            if (7 == round || i % 2 == (round + 1) % 2) {
                MPI_Win_detach(w, piece[i]);
                mt_free(piece[i]);
            }
        }
    }
    MPI_Win_free(&w);
    free(all);
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv);
    churn((int)mt_option(argc, argv, "-n", 150));
    alive_at_once();
    overlapping();
    unequal();
    if (rma_kinds() == RMA_KINDS) {
        attached();
    }
    return mt_finish();
}
