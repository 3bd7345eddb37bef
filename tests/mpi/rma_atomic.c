/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: btl_apelink/btl_apelink_atomic.c. */
/*
 * Concurrent atomics come out exact: sums in 32 and 64 bits and doubles, tickets by Fetch_and_op,
 * increments by Compare_and_swap, the other operations, on one's own part and on the others' at
 * once.
 *
 * Two things are left out unless an option asks for them, because osc/rdma of Open MPI 4.1 does
 * them wrong whatever the BTL: -self also compares and swaps on one's own part (it is given to the
 * BTL, and without an endpoint if the BTL does not reach its own process); -allocated also compares
 * and swaps in allocated windows (the BTL gets an address that is valid in the origin only).
 */
#include "rma.h"

static bool swap_self, swap_allocated;

enum { ROUNDS = 200, PART = 4096 };

/* Layout of each part. */
enum {
    AT_I32 = 0,
    AT_I64 = 64,
    AT_F64 = 128,
    AT_TICKET = 192,
    AT_CAS = 256,
    AT_MIX = 320,
    AT_VEC = 512
};

static void lock_all(struct rma *w)
{
    MPI_Win_lock_all(0, w->win);
}

/* Ends the epoch of all ranks, so that what they did can be looked at. */
static void unlock_all(struct rma *w)
{
    MPI_Win_unlock_all(w->win);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void fetch(struct rma *w, int target, size_t at, MPI_Datatype type, void *into)
{
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, w->win);
    MPI_Get(into, 1, type, target, rma_at(w, target, at), 1, type, w->win);
    MPI_Win_unlock(target, w->win);
}

static void clear(struct rma *w)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, mt_rank, 0, w->win);
    memset(w->base, 0, w->bytes);
    MPI_Win_unlock(mt_rank, w->win);
    MPI_Barrier(MPI_COMM_WORLD);
}

static int target_of(int i)
{
    return (mt_rank + i) % mt_size;
}

/* Everyone adds to all three sums of everyone. */
static void sums(struct rma *w)
{
    int32_t i32 = mt_rank + 1;
    int64_t i64 = (int64_t)(mt_rank + 1) << 31, got64;
    double f64 = 0.5 * (mt_rank + 1), got_f;
    int64_t total = (int64_t)mt_size * (mt_size + 1) / 2 * ROUNDS;
    int32_t got32;

    clear(w);
    lock_all(w);
    for (int i = 0; i < ROUNDS * mt_size; ++i) {
        int t = target_of(i);
        MPI_Accumulate(&i32, 1, MPI_INT32_T, t, rma_at(w, t, AT_I32), 1, MPI_INT32_T, MPI_SUM,
                       w->win);
        MPI_Accumulate(&i64, 1, MPI_INT64_T, t, rma_at(w, t, AT_I64), 1, MPI_INT64_T, MPI_SUM,
                       w->win);
        MPI_Accumulate(&f64, 1, MPI_DOUBLE, t, rma_at(w, t, AT_F64), 1, MPI_DOUBLE, MPI_SUM,
                       w->win);
        if (0 == i % 16) {
            MPI_Win_flush(t, w->win);
        }
    }
    unlock_all(w);
    for (int t = 0; t < mt_size; ++t) {
        fetch(w, t, AT_I32, MPI_INT32_T, &got32);
        fetch(w, t, AT_I64, MPI_INT64_T, &got64);
        fetch(w, t, AT_F64, MPI_DOUBLE, &got_f);
        mt_equal(got32, total, "32-bit sum at %d, %s window", t, rma_kind_name[w->kind]);
        mt_equal(got64, total << 31, "64-bit sum at %d, %s window", t, rma_kind_name[w->kind]);
        mt_check(2 * got_f == (double)total, "sum of doubles at %d is %g, want %g", t, got_f,
                 (double)total / 2);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* All draw tickets at rank 0: each number once, and rising for each rank. */
static void tickets(struct rma *w, MPI_Datatype type)
{
    int n = ROUNDS * mt_size;
    int *mine = calloc((size_t)n, sizeof *mine), *all = calloc((size_t)n, sizeof *all);
    int64_t one64 = 1, got64 = 0, last = -1;
    int32_t one32 = 1, got32 = 0;
    bool wide = MPI_INT64_T == type;

    if (!mine || !all) {
        mt_fail("no memory");
    }
    clear(w);
    lock_all(w);
    for (int i = 0; i < ROUNDS; ++i) {
        MPI_Fetch_and_op(wide ? (void *)&one64 : (void *)&one32,
                         wide ? (void *)&got64 : (void *)&got32, type, 0, rma_at(w, 0, AT_TICKET),
                         MPI_SUM, w->win);
        MPI_Win_flush(0, w->win);
        int64_t got = wide ? got64 : got32;
        mt_check(got > last && got < n, "ticket %lld after %lld of %d", (long long)got,
                 (long long)last, n);
        last = got;
        mine[got] += 1;
    }
    unlock_all(w);
    MPI_Allreduce(mine, all, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) {
        mt_equal(all[i], 1, "how often ticket %d was drawn", i);
    }
    free(mine);
    free(all);
}

/* Increments by compare and swap, each repeated until it succeeds. */
static void swaps(struct rma *w)
{
    int64_t want, next, got, total, done = 0, all;

    clear(w);
    lock_all(w);
    for (int i = 0; i < ROUNDS / 2; ++i) {
        int t = target_of(i);
        if (t == mt_rank && !swap_self) {
            continue;
        }
        ++done;
        want = 0;
        for (;;) {
            next = want + 1;
            MPI_Compare_and_swap(&next, &want, &got, MPI_INT64_T, t, rma_at(w, t, AT_CAS), w->win);
            MPI_Win_flush(t, w->win);
            if (got == want) {
                break;
            }
            mt_check(got > want || 0 == want, "compare and swap saw %lld after %lld",
                     (long long)got, (long long)want);
            want = got;
        }
    }
    unlock_all(w);
    total = 0;
    for (int t = 0; t < mt_size; ++t) {
        fetch(w, t, AT_CAS, MPI_INT64_T, &got);
        total += got;
    }
    MPI_Allreduce(&done, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    mt_equal(total, all, "increments by compare and swap");
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The other operations, fetched and not, with a single origin so that the result is known. */
static void operations(struct rma *w)
{
    static const struct {
        uint32_t before, arg, after;
        int op;
    } cases[] = {
        {12, 10, 10, 0}, {12, 10, 12, 1}, {12, 10, 8, 2},  {12, 10, 14, 3},
        {12, 10, 6, 4},  {12, 10, 10, 5}, {12, 10, 12, 6}, {12, 10, 120, 7},
    };
    const MPI_Op ops[] = {MPI_MIN,  MPI_MAX,     MPI_BAND,  MPI_BOR,
                          MPI_BXOR, MPI_REPLACE, MPI_NO_OP, MPI_PROD};
    int t = (mt_rank + 1) % mt_size;
    uint32_t before, got, after;

    clear(w);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, w->win);
        before = cases[i].before;
        got = after = 0;
        MPI_Accumulate(&before, 1, MPI_UINT32_T, t, rma_at(w, t, AT_MIX), 1, MPI_UINT32_T,
                       MPI_REPLACE, w->win);
        MPI_Win_flush(t, w->win);
        if (i % 2) {
            MPI_Fetch_and_op(&cases[i].arg, &got, MPI_UINT32_T, t, rma_at(w, t, AT_MIX),
                             ops[cases[i].op], w->win);
        } else {
            MPI_Get_accumulate(&cases[i].arg, 1, MPI_UINT32_T, &got, 1, MPI_UINT32_T, t,
                               rma_at(w, t, AT_MIX), 1, MPI_UINT32_T, ops[cases[i].op], w->win);
        }
        MPI_Win_flush(t, w->win);
        MPI_Get(&after, 1, MPI_UINT32_T, t, rma_at(w, t, AT_MIX), 1, MPI_UINT32_T, w->win);
        MPI_Win_unlock(t, w->win);
        mt_equal(got, cases[i].before, "value fetched by operation %zu", i);
        mt_equal(after, cases[i].after, "value after operation %zu", i);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Vectors are added element by element by all at once. */
static void vectors(struct rma *w)
{
    enum { N = 300 };
    int64_t v[N], old[N];
    MPI_Request rq;

    clear(w);
    lock_all(w);
    for (int i = 0; i < N; ++i) {
        v[i] = (mt_rank + 1) * (i + 1);
    }
    for (int k = 0; k < 3 * mt_size; ++k) {
        int t = target_of(k);
        if (k < mt_size) {
            MPI_Get_accumulate(v, N, MPI_INT64_T, old, N, MPI_INT64_T, t, rma_at(w, t, AT_VEC), N,
                               MPI_INT64_T, MPI_SUM, w->win);
            MPI_Win_flush(t, w->win);
        } else {
            MPI_Raccumulate(v, N, MPI_INT64_T, t, rma_at(w, t, AT_VEC), N, MPI_INT64_T, MPI_SUM,
                            w->win, &rq);
            MPI_Wait(&rq, MPI_STATUS_IGNORE);
        }
    }
    unlock_all(w);
    MPI_Win_lock(MPI_LOCK_SHARED, mt_rank, 0, w->win);
    memcpy(v, w->base + AT_VEC, sizeof v);
    MPI_Win_unlock(mt_rank, w->win);
    for (int i = 0; i < N; ++i) {
        mt_equal(v[i], 3LL * mt_size * (mt_size + 1) / 2 * (i + 1), "element %d of summed vectors",
                 i);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv);
    swap_self = mt_flag(argc, argv, "-self");
    swap_allocated = mt_flag(argc, argv, "-allocated");
    for (int kind = 0; kind < rma_kinds(); ++kind) {
        struct rma w;
        rma_open(&w, kind, PART);
        sums(&w);
        tickets(&w, MPI_INT64_T);
        tickets(&w, MPI_INT32_T);
        if (RMA_ALLOCATE != kind || swap_allocated) {
            swaps(&w);
        }
        operations(&w);
        vectors(&w);
        rma_close(&w);
    }
    return mt_finish();
}
