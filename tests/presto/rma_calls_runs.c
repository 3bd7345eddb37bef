/* SPDX-License-Identifier: BSD-3-Clause */
/* Long runs of integers, which their origin updates alone, beside single words of other ranks: all
 * of them are in the sums.
 * Covers: presto/rma/alone.c */
#include <sched.h>
#include <sys/uio.h>
#include <unistd.h>

#include "rma_calls.h"

enum { WORDS = 13001, STEPS = 14, WAYS = 3 };
enum { BY_LOCKS, BY_FLUSHES, BY_FENCES };

struct window {
    MPI_Win win;
    MPI_Aint first; /* of rank 0's part */
    int64_t *part;
};

static void open_window(struct window *w, int flavor)
{
    w->part = calloc(WORDS, sizeof(int64_t));
    w->first = 0;
    if (flavor == MPI_WIN_FLAVOR_CREATE) {
        MPI_Win_create(w->part, WORDS * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &w->win);
        return;
    }
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &w->win);
    MPI_Win_attach(w->win, w->part, WORDS * 8);
    MPI_Get_address(w->part, &w->first);
    MPI_Bcast(&w->first, 1, MPI_AINT, 0, MPI_COMM_WORLD);
}

static void close_window(struct window *w, int flavor)
{
    if (flavor == MPI_WIN_FLAVOR_DYNAMIC) {
        MPI_Win_detach(w->win, w->part);
    }
    MPI_Win_free(&w->win);
    free(w->part);
}

/* Some words of rank 0 get one more; what they were is at least what this rank has added. */
static void step(const struct window *w, uint64_t x, int fetch, const int64_t *ones, int64_t *old,
                 int64_t *added)
{
    static const int counts[] = {1, 2, 200, 4096, 4097, 9000, 12288, 12289, WORDS};
    int count = counts[x % 9], at = (int)((x >> 8) % (uint64_t)(WORDS - count + 1));
    MPI_Aint there = w->first + (w->first != 0 ? 8 * at : at);

    if (fetch) {
        MPI_Get_accumulate(ones, count, MPI_INT64_T, old, count, MPI_INT64_T, 0, there, count,
                           MPI_INT64_T, MPI_SUM, w->win);
        MPI_Win_flush(0, w->win);
    } else {
        MPI_Accumulate(ones, count, MPI_INT64_T, 0, there, count, MPI_INT64_T, MPI_SUM, w->win);
    }
    for (int i = 0; i < count; i++) {
        checks += fetch;
        if (fetch && old[i] < added[at + i]) {
            EQUAL(old[i], added[at + i]);
        }
        added[at + i]++;
    }
}

static void all_add(const struct window *w, int way, const int64_t *ones, int64_t *old)
{
    int64_t *added = calloc(WORDS, sizeof(*added)), *sum = calloc(WORDS, sizeof(*sum));

    memset(w->part, 0, WORDS * sizeof(int64_t));
    MPI_Barrier(MPI_COMM_WORLD);
    if (way == BY_FLUSHES) {
        MPI_Win_lock_all(0, w->win);
    }
    for (int i = 0; i < STEPS; i++) {
        uint64_t x = mix((uint64_t)(rank * 1000 + i * 3 + way) + 77);

        if (way == BY_LOCKS) {
            MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w->win);
        } else if (way == BY_FENCES) {
            MPI_Win_fence(0, w->win);
        }
        step(w, x, way != BY_FENCES && i % 3 == 0, ones, old, added);
        if (way == BY_LOCKS) {
            MPI_Win_unlock(0, w->win);
        } else if (way == BY_FLUSHES && i % 3 == 1) {
            MPI_Win_flush(0, w->win);
        }
    }
    if (way == BY_FLUSHES) {
        MPI_Win_unlock_all(w->win);
    } else if (way == BY_FENCES) {
        MPI_Win_fence(MPI_MODE_NOSUCCEED, w->win);
    }
    MPI_Allreduce(added, sum, WORDS, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, w->win);
    for (int i = 0; i < WORDS; i++) {
        EQUAL(w->part[i], rank == 0 ? sum[i] : 0);
    }
    MPI_Win_unlock(rank, w->win);
    MPI_Barrier(MPI_COMM_WORLD);
    free(added);
    free(sum);
}

/* One origin and each operation, in pieces that end in the middle: the order of one rank's
 * operations is kept. */
static void in_order(const struct window *w, int64_t *in, int64_t *old)
{
    static const MPI_Op ops[] = {MPI_REPLACE, MPI_SUM, MPI_MAX, MPI_BXOR, MPI_NO_OP, MPI_PROD};

    MPI_Win_lock_all(0, w->win);
    for (int k = 0; rank == size - 1 && k < 6; k++) {
        int64_t extra = 3;
        for (int i = 0; i < WORDS; i++) {
            in[i] = (i % 100) + k;
        }
        MPI_Accumulate(&extra, 1, MPI_INT64_T, 0, w->first, 1, MPI_INT64_T, MPI_SUM, w->win);
        MPI_Get_accumulate(in, WORDS, MPI_INT64_T, old, WORDS, MPI_INT64_T, 0, w->first, WORDS,
                           MPI_INT64_T, ops[k], w->win);
        MPI_Win_flush(0, w->win);
        for (int i = 0; i < WORDS; i++) {
            int64_t b = i % 100, more = i == 0 ? 3 : 0, sum = b + b + 1 + more;
            int64_t max = (sum + more > b + 2 ? sum + more : b + 2);
            int64_t want[] = {more,
                              b + more,
                              sum + more,
                              max + more,
                              ((max + more) ^ (b + 3)) + more,
                              ((max + more) ^ (b + 3)) + 2 * more};
            EQUAL(old[i], want[k]);
        }
    }
    MPI_Win_unlock_all(w->win);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Whether the kernel lets this rank read what the next one has. */
static int kernel_copies(const int64_t *mine)
{
    int64_t word = 0;
    struct {
        pid_t pid;
        const int64_t *at;
    } own = {getpid(), mine}, next;
    struct iovec to = {&word, sizeof(word)};

    MPI_Sendrecv(&own, sizeof(own), MPI_BYTE, left(), 0, &next, sizeof(next), MPI_BYTE, right(), 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    struct iovec from = {(void *)(uintptr_t)next.at, sizeof(word)};
    int can = process_vm_readv(next.pid, &to, 1, &from, 1, 0) == sizeof(word);
    MPI_Allreduce(MPI_IN_PLACE, &can, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return can;
}

/* A run needs nothing of its target, which is not in the library. */
static void target_computes(const struct window *w, const int64_t *ones)
{
    int *flag, *there;
    MPI_Aint bytes;
    int unit;
    MPI_Win shared;

    if (size == 1 || !shared_memory() || !kernel_copies(ones)) {
        return;
    }
    MPI_Win_allocate_shared(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &flag, &shared);
    MPI_Win_shared_query(shared, 0, &bytes, &unit, &there);
    *flag = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w->win);
        MPI_Accumulate(ones, WORDS, MPI_INT64_T, 0, w->first, WORDS, MPI_INT64_T, MPI_SUM, w->win);
        MPI_Win_unlock(0, w->win);
        __atomic_store_n(there, 1, __ATOMIC_RELEASE);
    }
    while (rank == 0 && __atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) {
        sched_yield();
    }
    checks++;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&shared);
}

void rma_runs(int flavor)
{
    int64_t *ones = calloc(WORDS, sizeof(*ones)), *old = calloc(WORDS, sizeof(*old));
    struct window w;

    open_window(&w, flavor);
    in_order(&w, ones, old);
    for (int i = 0; i < WORDS; i++) {
        ones[i] = 1;
    }
    for (int way = 0; way < WAYS; way++) {
        all_add(&w, way, ones, old);
    }
    target_computes(&w, ones);
    close_window(&w, flavor);
    free(ones);
    free(old);
}
