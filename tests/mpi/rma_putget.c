/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: btl_apelink/btl_apelink_rdma.c btl_apelink/btl_apelink_memory.c
 * btl_apelink/btl_apelink_op.c. */
/*
 * Put and Get in every kind of window and epoch, small to more than a MiB, at odd places, with
 * requests and without; nothing around the target range changes.
 */
#include "rma.h"

enum { LARGEST = (1 << 20) + 4099, MARGIN = 256 };
static const size_t sizes[] = {1, 3, 8, 64, 1000, 4096, 8191, 65537, LARGEST};
enum { SIZES = sizeof sizes / sizeof *sizes };

static unsigned char *local;

static uint64_t seed_of(int from, int to, size_t n, int sync)
{
    return mt_seed((uint64_t)from, (uint64_t)to, n, (uint64_t)sync);
}

/* The part of each rank is cut into lanes, one for each origin. */
static size_t lane(int origin, size_t n)
{
    return (size_t)origin * (LARGEST + 2 * MARGIN) + MARGIN + n % 61;
}

static size_t lanes_bytes(void)
{
    return (size_t)mt_size * (LARGEST + 2 * MARGIN);
}

static void check_lanes(struct rma *w, size_t n, int sync)
{
    for (int o = 0; o < mt_size; ++o) {
        const unsigned char *p = w->base + lane(o, n);
        mt_verify(p, n, seed_of(o, mt_rank, n, sync), "Put of %zu bytes by %d into %s window, %s",
                  n, o, rma_kind_name[w->kind], rma_sync_name[sync]);
        for (size_t i = 1; i <= 64; ++i) {
            mt_check(0x77 == p[-(ptrdiff_t)i] && 0x77 == p[n + i - 1],
                     "byte %zu beside a Put of %zu bytes: 0x%02x before, 0x%02x after", i, n,
                     p[-(ptrdiff_t)i], p[n + i - 1]);
        }
    }
}

/* Every rank puts its own pattern into its lane of every rank. */
static void puts_all(struct rma *w, size_t n, enum rma_sync sync)
{
    unsigned char *src = mt_alloc(n * (size_t)mt_size);
    MPI_Request rq;

    memset(w->base, 0x77, w->bytes);
    rma_begin(w, sync);
    for (int k = 0; k < mt_size; ++k) {
        int t = (mt_rank + k) % mt_size;
        unsigned char *p = src + (size_t)t * n;
        mt_fill(p, n, seed_of(mt_rank, t, n, sync));
        if (sync >= RMA_LOCK && k % 2) {
            MPI_Rput(p, (int)n, MPI_BYTE, t, rma_at(w, t, lane(mt_rank, n)), (int)n, MPI_BYTE,
                     w->win, &rq);
            MPI_Wait(&rq, MPI_STATUS_IGNORE);
            /* locally complete: the buffer may be changed */
            memset(p, 0, n);
        } else {
            MPI_Put(p, (int)n, MPI_BYTE, t, rma_at(w, t, lane(mt_rank, n)), (int)n, MPI_BYTE,
                    w->win);
        }
        rma_flush(w, sync, t);
    }
    rma_end(w, sync);
    check_lanes(w, n, sync);
    MPI_Barrier(MPI_COMM_WORLD);
    mt_free(src);
}

/* Every rank gets from every rank what that one has put down for it. */
static void gets_all(struct rma *w, size_t n, enum rma_sync sync)
{
    MPI_Request rq;

    for (int o = 0; o < mt_size; ++o) {
        mt_fill(w->base + lane(o, n), n, seed_of(mt_rank, o, n, sync));
    }
    rma_begin(w, sync);
    for (int k = 0; k < mt_size; ++k) {
        int t = (mt_rank + k) % mt_size;
        unsigned char *p = local + lane(t, n + 7);
        if (sync >= RMA_LOCK && k % 2) {
            MPI_Rget(p, (int)n, MPI_BYTE, t, rma_at(w, t, lane(mt_rank, n)), (int)n, MPI_BYTE,
                     w->win, &rq);
            MPI_Wait(&rq, MPI_STATUS_IGNORE);
            mt_verify(p, n, seed_of(t, mt_rank, n, sync), "Rget of %zu bytes from %d", n, t);
        } else {
            MPI_Get(p, (int)n, MPI_BYTE, t, rma_at(w, t, lane(mt_rank, n)), (int)n, MPI_BYTE,
                    w->win);
        }
        /* unlocking several targets with gets pending hangs in osc/pt2pt: see rma_sync -held */
        if (RMA_LOCK == sync) {
            rma_flush(w, sync, t);
        }
    }
    rma_end(w, sync);
    for (int t = 0; t < mt_size; ++t) {
        mt_verify(local + lane(t, n + 7), n, seed_of(t, mt_rank, n, sync),
                  "Get of %zu bytes from %d of %s window, %s", n, t, rma_kind_name[w->kind],
                  rma_sync_name[sync]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv);
    local = mt_alloc(lanes_bytes());
    for (int kind = 0; kind < rma_kinds(); ++kind) {
        struct rma w;
        rma_open(&w, kind, lanes_bytes());
        for (int sync = 0; sync < RMA_SYNCS; ++sync) {
            for (int i = 0; i < SIZES; ++i) {
                puts_all(&w, sizes[i], sync);
                gets_all(&w, sizes[i], sync);
            }
        }
        rma_close(&w);
    }
    mt_free(local);
    return mt_finish();
}
