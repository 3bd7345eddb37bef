/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random one-sided traffic with a model. Each rank owns a slice of every other's window and keeps a
 * copy of what it must hold; puts, gets, sums and swaps of random places and sizes go there in one
 * long epoch, and gets are compared at once. All ranks also add to one common counter.
 */
#include "rma.h"

enum { SLICE = 40000, COUNTER_BYTES = 64 };

static unsigned char *model; /* my slice at each rank */
static unsigned char *buf;

static size_t slice_at(int origin)
{
    return COUNTER_BYTES + (size_t)origin * SLICE;
}

static unsigned char *copy_of(int target)
{
    return model + (size_t)target * SLICE;
}

static size_t random_size(uint64_t *s)
{
    switch (mt_below(s, 4)) {
    case 0:
        return 1 + mt_below(s, 16);
    case 1:
        return 1 + mt_below(s, 300);
    case 2:
        return 1 + mt_below(s, 5000);
    default:
        return 1 + mt_below(s, SLICE);
    }
}

static void put(struct rma *w, int t, size_t at, size_t n, uint64_t seed)
{
    mt_fill(buf, n, seed);
    memcpy(copy_of(t) + at, buf, n);
    MPI_Put(buf, (int)n, MPI_BYTE, t, rma_at(w, t, slice_at(mt_rank) + at), (int)n, MPI_BYTE,
            w->win);
    MPI_Win_flush(t, w->win);
}

static void get(struct rma *w, int t, size_t at, size_t n)
{
    memset(buf, 0xcc, n);
    MPI_Get(buf, (int)n, MPI_BYTE, t, rma_at(w, t, slice_at(mt_rank) + at), (int)n, MPI_BYTE,
            w->win);
    MPI_Win_flush(t, w->win);
    for (size_t i = 0; i < n; ++i) {
        if (buf[i] != copy_of(t)[at + i]) {
            mt_fail("Get of %zu bytes at %zu from %d: byte %zu is 0x%02x, want 0x%02x", n, at, t, i,
                    buf[i], copy_of(t)[at + i]);
        }
    }
    mt_check(true, "get");
}

/* An aligned number: added to, and the old value compared. */
static void add(struct rma *w, int t, size_t at, uint64_t arg)
{
    uint64_t want, got;

    at &= ~(size_t)7;
    memcpy(&want, copy_of(t) + at, 8);
    MPI_Fetch_and_op(&arg, &got, MPI_UINT64_T, t, rma_at(w, t, slice_at(mt_rank) + at), MPI_SUM,
                     w->win);
    MPI_Win_flush(t, w->win);
    mt_check(got == want, "Fetch_and_op at %zu of %d gives %llx, want %llx", at, t,
             (unsigned long long)got, (unsigned long long)want);
    want += arg;
    memcpy(copy_of(t) + at, &want, 8);
}

static void sum_up(struct rma *w, int t, size_t at, size_t n, uint64_t seed)
{
    size_t count = n / 4;
    uint32_t *v = (uint32_t *)(void *)buf, old;

    at &= ~(size_t)7;
    if (at + 4 * count > SLICE) {
        return;
    }
    mt_fill(buf, 4 * count, seed);
    for (size_t i = 0; i < count; ++i) {
        memcpy(&old, copy_of(t) + at + 4 * i, 4);
        old += v[i];
        memcpy(copy_of(t) + at + 4 * i, &old, 4);
    }
    MPI_Accumulate(v, (int)count, MPI_UINT32_T, t, rma_at(w, t, slice_at(mt_rank) + at), (int)count,
                   MPI_UINT32_T, MPI_SUM, w->win);
    MPI_Win_flush(t, w->win);
}

static void step(struct rma *w, uint64_t *dice)
{
    int t = (int)mt_below(dice, (uint64_t)mt_size);
    size_t n = random_size(dice), at = mt_below(dice, SLICE - n + 1);
    int64_t one = 1;

    switch (mt_below(dice, 6)) {
    case 0:
    case 1:
        put(w, t, at, n, mt_next(dice));
        break;
    case 2:
    case 3:
        get(w, t, at, n);
        break;
    case 4:
        add(w, t, at, mt_next(dice));
        break;
    default:
        sum_up(w, t, at, n, mt_next(dice));
    }
    MPI_Accumulate(&one, 1, MPI_INT64_T, t, rma_at(w, t, 0), 1, MPI_INT64_T, MPI_SUM, w->win);
}

static void soak(struct rma *w, long steps, uint64_t seed)
{
    uint64_t dice = mt_seed(seed, (uint64_t)mt_rank, w->kind, 0);
    int64_t mine, total = 0;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, mt_rank, 0, w->win);
    memset(w->base, 0, w->bytes);
    MPI_Win_unlock(mt_rank, w->win);
    memset(model, 0, (size_t)mt_size * SLICE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, w->win);
    for (long i = 0; i < steps; ++i) {
        step(w, &dice);
    }
    for (int t = 0; t < mt_size; ++t) {
        get(w, t, 0, SLICE);
    }
    MPI_Win_unlock_all(w->win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, mt_rank, 0, w->win);
    memcpy(&mine, w->base, sizeof mine);
    MPI_Win_unlock(mt_rank, w->win);
    MPI_Allreduce(&mine, &total, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    mt_equal(total, steps * mt_size, "steps counted at all ranks");
}

int main(int argc, char **argv)
{
    long steps;

    mt_init(&argc, &argv);
    steps = mt_option(argc, argv, "-n", 1500);
    model = mt_alloc((size_t)mt_size * SLICE);
    buf = mt_alloc(SLICE);
    for (int kind = 0; kind < rma_kinds(); ++kind) {
        struct rma w;
        rma_open(&w, kind, COUNTER_BYTES + (size_t)mt_size * SLICE);
        soak(&w, steps, (uint64_t)mt_option(argc, argv, "-seed", 1));
        rma_close(&w);
    }
    mt_free(model);
    mt_free(buf);
    return mt_finish();
}
