/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided operations from several threads: own windows, and one window shared by all threads. */
#include "rma.h"
#include "thr.h"

enum { THREADS = 4, PART = 20000 };

static struct rma own[THREADS], shared;
static int rounds;

static uint64_t seed_of(int rank, int thread, int round)
{
    return mt_seed((uint64_t)rank, (uint64_t)thread, (uint64_t)round, 70);
}

/* Each thread has a region at its right neighbour: put, flush, get back. */
static void put_and_get(struct rma *w, int thread, size_t base, bool lock)
{
    int right = (mt_rank + 1) % mt_size;
    unsigned char *out = mt_alloc(PART), *in = mt_alloc(PART);

    for (int i = 0; i < rounds; ++i) {
        size_t n = (size_t)(1 + (i * 997 + thread * 31) % PART);
        mt_fill(out, n, seed_of(mt_rank, thread, i));
        if (lock) {
            MPI_Win_lock(MPI_LOCK_SHARED, right, 0, w->win);
        }
        MPI_Put(out, (int)n, MPI_BYTE, right, rma_at(w, right, base), (int)n, MPI_BYTE, w->win);
        MPI_Win_flush(right, w->win);
        MPI_Get(in, (int)n, MPI_BYTE, right, rma_at(w, right, base), (int)n, MPI_BYTE, w->win);
        MPI_Win_flush(right, w->win);
        if (lock) {
            MPI_Win_unlock(right, w->win);
        }
        mt_verify(in, n, seed_of(mt_rank, thread, i), "thread %d round %d", thread, i);
    }
    mt_free(out);
    mt_free(in);
}

static void on_own(int thread, void *arg)
{
    (void)arg;
    put_and_get(&own[thread], thread, 64, true);
}

/* In one lock_all epoch that the main thread opened: regions, and a counter at rank 0 for all. */
static void on_shared(int thread, void *arg)
{
    int64_t one = 1, got, last = -1;

    (void)arg;
    put_and_get(&shared, thread, 64 + (size_t)thread * PART, false);
    for (int i = 0; i < rounds; ++i) {
        MPI_Fetch_and_op(&one, &got, MPI_INT64_T, 0, rma_at(&shared, 0, 0), MPI_SUM, shared.win);
        MPI_Win_flush(0, shared.win);
        mt_check(got > last, "counter %lld after %lld", (long long)got, (long long)last);
        last = got;
    }
}

int main(int argc, char **argv)
{
    int64_t total = 0;

    mt_init_thread(&argc, &argv, MPI_THREAD_MULTIPLE);
    rounds = (int)mt_option(argc, argv, "-n", 150);
    for (int t = 0; t < THREADS; ++t) {
        rma_open(&own[t], RMA_CREATE, 64 + PART);
    }
    rma_open(&shared, RMA_CREATE, 64 + THREADS * (size_t)PART);
    memset(shared.base, 0, shared.bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    thr_run(THREADS, on_own, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, shared.win);
    thr_run(THREADS, on_shared, NULL);
    MPI_Win_unlock_all(shared.win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, mt_rank, 0, shared.win);
    memcpy(&total, shared.base, sizeof total);
    MPI_Win_unlock(mt_rank, shared.win);
    mt_equal(total, 0 == mt_rank ? (long long)mt_size * THREADS * rounds : 0, "common counter");
    MPI_Barrier(MPI_COMM_WORLD);
    for (int t = 0; t < THREADS; ++t) {
        rma_close(&own[t]);
    }
    rma_close(&shared);
    return mt_finish();
}
