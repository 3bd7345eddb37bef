/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the synchronisation promises: exclusive locks exclude, pairs of post and start meet only the
 * ranks that they name, Win_test, notification by a flag behind data.
 *
 * Option -held: only locks on all ranks at once with gets that nothing but the unlocks complete. It
 * is apart because osc/pt2pt of Open MPI 4.1 hangs in it from three ranks on.
 */
#include "rma.h"

enum { ROUNDS = 150 };

/* Read, add one, write back, without atomics: only an exclusive lock makes it exact. */
static void mutex(struct rma *w)
{
    int64_t v;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, mt_rank, 0, w->win);
    memset(w->base, 0, w->bytes);
    MPI_Win_unlock(mt_rank, w->win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < ROUNDS; ++i) {
        int t = i % 2 ? 0 : (mt_rank + i) % mt_size;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, w->win);
        MPI_Get(&v, 1, MPI_INT64_T, t, rma_at(w, t, 0), 1, MPI_INT64_T, w->win);
        MPI_Win_flush(t, w->win);
        ++v;
        MPI_Put(&v, 1, MPI_INT64_T, t, rma_at(w, t, 0), 1, MPI_INT64_T, w->win);
        MPI_Win_unlock(t, w->win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, mt_rank, 0, w->win);
    memcpy(&v, w->base, sizeof v);
    MPI_Win_unlock(mt_rank, w->win);
    int64_t total = 0;
    MPI_Allreduce(&v, &total, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    mt_equal(total, (long long)ROUNDS * mt_size, "increments under exclusive locks");
}

/* A ring of exposures: each rank posts to the one before and starts to the one after. */
static void ring(struct rma *w)
{
    int before = (mt_rank + mt_size - 1) % mt_size, after = (mt_rank + 1) % mt_size, flag = 0, v,
        got;
    MPI_Group world, to_before, to_after;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &before, &to_before);
    MPI_Group_incl(world, 1, &after, &to_after);
    for (int i = 0; i < ROUNDS; ++i) {
        v = mt_rank * 1000 + i;
        MPI_Win_post(to_before, 0, w->win);
        MPI_Win_start(to_after, 0, w->win);
        MPI_Put(&v, 1, MPI_INT, after, rma_at(w, after, 64), 1, MPI_INT, w->win);
        MPI_Win_complete(w->win);
        while (i % 2 && !flag) {
            MPI_Win_test(w->win, &flag);
        }
        if (0 == i % 2) {
            MPI_Win_wait(w->win);
        }
        flag = 0;
        memcpy(&got, w->base + 64, sizeof got);
        mt_equal(got, before * 1000 + i, "Put in a ring of exposures");
    }
    MPI_Group_free(&world);
    MPI_Group_free(&to_before);
    MPI_Group_free(&to_after);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Data, flush, flag: who sees the flag sees the data. Small and large data. */
static void flag_behind_data(struct rma *w, size_t n)
{
    int peer = mt_rank ^ 1;
    int64_t flag, seen;
    unsigned char *buf;

    if (peer >= mt_size) {
        return;
    }
    buf = mt_alloc(n);
    for (int i = 1; i <= 20; ++i) {
        int turn = i % 2;
        flag = i;
        if (mt_rank % 2 == turn) {
            mt_fill(buf, n, (uint64_t)i);
            MPI_Put(buf, (int)n, MPI_BYTE, peer, rma_at(w, peer, 256), (int)n, MPI_BYTE, w->win);
            MPI_Win_flush(peer, w->win);
            MPI_Accumulate(&flag, 1, MPI_INT64_T, peer, rma_at(w, peer, 128), 1, MPI_INT64_T,
                           MPI_REPLACE, w->win);
            MPI_Win_flush(peer, w->win);
            continue;
        }
        do {
            MPI_Fetch_and_op(NULL, &seen, MPI_INT64_T, mt_rank, rma_at(w, mt_rank, 128), MPI_NO_OP,
                             w->win);
            MPI_Win_flush(mt_rank, w->win);
        } while (seen != flag);
        MPI_Get(buf, (int)n, MPI_BYTE, mt_rank, rma_at(w, mt_rank, 256), (int)n, MPI_BYTE, w->win);
        MPI_Win_flush(mt_rank, w->win);
        mt_verify(buf, n, (uint64_t)i, "%zu bytes in front of flag %d", n, i);
    }
    mt_free(buf);
}

static void flags(struct rma *w)
{
    static const size_t sizes[] = {8, 700, 9000, 500000};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, mt_rank, 0, w->win);
        memset(w->base, 0, w->bytes);
        MPI_Win_unlock(mt_rank, w->win);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_lock_all(0, w->win);
        flag_behind_data(w, sizes[i]);
        MPI_Win_unlock_all(w->win);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void locks_held(struct rma *w)
{
    int *got = calloc((size_t)mt_size, sizeof *got), v = 100 + mt_rank;

    if (!got) {
        mt_fail("no memory");
    }
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, mt_rank, 0, w->win);
    memcpy(w->base, &v, sizeof v);
    MPI_Win_unlock(mt_rank, w->win);
    for (int i = 0; i < ROUNDS; ++i) {
        memset(got, 0, (size_t)mt_size * sizeof *got);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int t = 0; t < mt_size; ++t) {
            MPI_Win_lock(MPI_LOCK_SHARED, t, 0, w->win);
        }
        for (int k = 0; k < mt_size; ++k) {
            int t = (mt_rank + k) % mt_size;
            MPI_Get(&got[t], 1, MPI_INT, t, rma_at(w, t, 0), 1, MPI_INT, w->win);
        }
        for (int t = 0; t < mt_size; ++t) {
            MPI_Win_unlock(t, w->win);
            mt_equal(got[t], 100 + t, "Get completed by an unlock");
        }
    }
    free(got);
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv);
    for (int kind = 0; kind < rma_kinds(); ++kind) {
        struct rma w;
        rma_open(&w, kind, 600000);
        if (mt_flag(argc, argv, "-held")) {
            locks_held(&w);
        } else {
            mutex(&w);
            ring(&w);
            flags(&w);
        }
        rma_close(&w);
    }
    return mt_finish();
}
