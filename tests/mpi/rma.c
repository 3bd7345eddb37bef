/* SPDX-License-Identifier: BSD-3-Clause */
#include "rma.h"

const char *const rma_kind_name[] = {"created", "allocated", "dynamic"};
const char *const rma_sync_name[] = {"fence", "post-start-complete-wait", "lock", "lock_all"};

int rma_kinds(void)
{
    return getenv("APELINK_MT_NO_DYNAMIC") != NULL ? RMA_DYNAMIC : RMA_KINDS;
}

void rma_open(struct rma *w, enum rma_kind kind, size_t bytes)
{
    MPI_Aint mine = 0;
    MPI_Aint n = (MPI_Aint)bytes;

    *w = (struct rma){.kind = kind, .bytes = bytes};
    switch (kind) {
    case RMA_CREATE:
        w->base = mt_alloc(bytes);
        MPI_Win_create(w->base, n, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w->win);
        break;
    case RMA_ALLOCATE:
        MPI_Win_allocate(n, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w->base, &w->win);
        break;
    default:
        w->base = mt_alloc(bytes);
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &w->win);
        MPI_Win_attach(w->win, w->base, n);
        MPI_Get_address(w->base, &mine);
    }
    w->start = malloc((size_t)mt_size * sizeof *w->start);
    if (!w->start) {
        mt_fail("no memory");
    }
    MPI_Allgather(&mine, 1, MPI_AINT, w->start, 1, MPI_AINT, MPI_COMM_WORLD);
}

void rma_close(struct rma *w)
{
    if (RMA_DYNAMIC == w->kind) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_detach(w->win, w->base);
    }
    MPI_Win_free(&w->win);
    if (RMA_ALLOCATE != w->kind) {
        mt_free(w->base);
    }
    free(w->start);
}

MPI_Aint rma_at(const struct rma *w, int rank, size_t at)
{
    return MPI_Aint_add(w->start[rank], (MPI_Aint)at);
}

static void pscw_begin(struct rma *w)
{
    MPI_Group all;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Win_post(all, 0, w->win);
    MPI_Win_start(all, 0, w->win);
    MPI_Group_free(&all);
}

void rma_begin(struct rma *w, enum rma_sync sync)
{
    switch (sync) {
    case RMA_FENCE:
        MPI_Win_fence(MPI_MODE_NOPRECEDE, w->win);
        return;
    case RMA_PSCW:
        pscw_begin(w);
        return;
    case RMA_LOCK:
        MPI_Barrier(MPI_COMM_WORLD);
        for (int r = 0; r < mt_size; ++r) {
            MPI_Win_lock(MPI_LOCK_SHARED, r, 0, w->win);
        }
        return;
    default:
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_lock_all(0, w->win);
    }
}

/* Makes what others have written readable by loads. */
static void see_local(struct rma *w)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, mt_rank, 0, w->win);
    MPI_Win_sync(w->win);
    MPI_Win_unlock(mt_rank, w->win);
}

void rma_end(struct rma *w, enum rma_sync sync)
{
    switch (sync) {
    case RMA_FENCE:
        MPI_Win_fence(MPI_MODE_NOSUCCEED, w->win);
        return;
    case RMA_PSCW:
        MPI_Win_complete(w->win);
        MPI_Win_wait(w->win);
        return;
    case RMA_LOCK:
        for (int r = 0; r < mt_size; ++r) {
            MPI_Win_unlock(r, w->win);
        }
        break;
    default:
        MPI_Win_unlock_all(w->win);
    }
    see_local(w);
}

void rma_flush(struct rma *w, enum rma_sync sync, int rank)
{
    if (RMA_LOCK == sync || RMA_LOCK_ALL == sync) {
        MPI_Win_flush(rank, w->win);
    }
}
