/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared and dynamic windows, exposures to some ranks. */
#include "rma_calls.h"

/* ---- shared windows ---- */

/* Rank r has 10 + r numbers, the last rank none. */
void rma_shared_of(int apart)
{
    MPI_Aint bytes = rank == size - 1 ? 0 : (10 + rank) * (MPI_Aint)sizeof(int64_t), theirs;
    int64_t *mine, *other, *behind = NULL;
    int unit;
    MPI_Win win;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", apart ? "true" : "false");
    int code = MPI_Win_allocate_shared(bytes, 8, info, MPI_COMM_WORLD, &mine, &win);
    MPI_Info_free(&info);
    if (!shared_memory()) {
        EQUAL(class_of(code), MPI_ERR_RMA_SHARED);
        return;
    }
    for (int i = 0; i < bytes / 8; i++) {
        mine[i] = rank * 1000 + i;
    }
    MPI_Win_fence(0, win);
    for (int r = 0; r < size; r++) {
        MPI_Win_shared_query(win, r, &theirs, &unit, &other);
        EQUAL(theirs, r == size - 1 ? 0 : (10 + r) * (MPI_Aint)sizeof(int64_t));
        EQUAL(unit, 8);
        if (!apart && behind != NULL) {
            EQUAL(other == behind, 1);
        }
        behind = other + theirs / 8;
        for (int i = 0; i < theirs / 8; i++) {
            EQUAL(other[i], r * 1000 + i);
        }
    }
    MPI_Win_shared_query(win, MPI_PROC_NULL, &theirs, &unit, &other);
    EQUAL(theirs, size == 1 ? 0 : 10 * (MPI_Aint)sizeof(int64_t));
    MPI_Win_fence(0, win);
    if (right() != size - 1) {
        MPI_Win_shared_query(win, right(), &theirs, &unit, &other);
        other[3] = -rank; /* a store, and beside it a put */
        MPI_Put(&theirs, 1, MPI_INT64_T, right(), 4, 1, MPI_INT64_T, win);
    }
    MPI_Win_fence(0, win);
    if (rank != size - 1) {
        EQUAL(mine[3], -left());
        EQUAL(mine[4], bytes);
    }
    MPI_Win_free(&win);
}

/* ---- dynamic windows ---- */

void rma_dynamic(void)
{
    enum { PIECES = 40 };
    int64_t *piece[PIECES], one = 1, x;
    MPI_Aint mine[PIECES], *all = malloc((size_t)size * sizeof(mine));
    MPI_Win win;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    for (int i = 0; i < PIECES; i++) {
        piece[i] = calloc(9, sizeof(int64_t)); /* not all of it, so that no two adjoin */
        MPI_Win_attach(win, piece[i], 8 * sizeof(int64_t));
        MPI_Get_address(piece[i], &mine[i]);
    }
    CLASS(MPI_Win_attach(win, piece[3] + 1, 8), MPI_ERR_RMA_ATTACH);
    CLASS(MPI_Win_detach(win, &x), MPI_ERR_RMA_ATTACH);
    MPI_Allgather(mine, PIECES, MPI_AINT, all, PIECES, MPI_AINT, MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < PIECES; i++) {
        for (int r = 0; r < size; r++) {
            MPI_Accumulate(&one, 1, MPI_INT64_T, r, all[r * PIECES + i] + 8 * (i % 8), 1,
                           MPI_INT64_T, MPI_SUM, win);
        }
    }
    MPI_Win_flush_all(win);
    CLASS(MPI_Get(&x, 1, MPI_INT64_T, right(), all[right() * PIECES] + 60, 1, MPI_INT64_T, win),
          MPI_ERR_RMA_RANGE);
    CLASS(MPI_Get(&x, 1, MPI_INT64_T, right(), 8, 1, MPI_INT64_T, win), MPI_ERR_RMA_RANGE);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < PIECES; i++) {
        EQUAL(piece[i][i % 8], size);
    }
    MPI_Win_detach(win, piece[5]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, right(), 0, win);
    CLASS(MPI_Get(&x, 1, MPI_INT64_T, right(), all[right() * PIECES + 5], 1, MPI_INT64_T, win),
          MPI_ERR_RMA_RANGE);
    CLASS(MPI_Get(&x, 1, MPI_INT64_T, right(), all[right() * PIECES + 6], 1, MPI_INT64_T, win),
          MPI_SUCCESS);
    MPI_Win_unlock(right(), win);
    MPI_Win_free(&win);
    for (int i = 0; i < PIECES; i++) {
        free(piece[i]);
    }
    free(all);
}

/* ---- exposures ---- */

/* Whether an origin accesses a target in a round. */
static int accesses(int round, int origin, int target)
{
    return mix((uint64_t)(round * 10007 + origin * 101 + target)) % 3 != 0;
}

static MPI_Group group_of(int round, int origins)
{
    int ranks[64], n = 0;
    MPI_Group world, group;
    for (int r = 0; r < size; r++) {
        if (origins ? accesses(round, r, rank) : accesses(round, rank, r)) {
            ranks[n++] = r;
        }
    }
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, n, ranks, &group);
    MPI_Group_free(&world);
    return group;
}

void rma_exposures(void)
{
    int64_t *part, value, want, *got = calloc((size_t)size, sizeof(*got));
    MPI_Win win;
    MPI_Win_allocate((size + 1) * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &win);
    for (int round = 0; round < 12; round++) {
        MPI_Group origins = group_of(round, 1), targets = group_of(round, 0);
        int flag = 0;
        memset(part, 0, ((size_t)size + 1) * 8);
        part[rank] = round * 1000 + rank;
        MPI_Win_post(origins, round % 2 ? MPI_MODE_NOSTORE : 0, win);
        MPI_Win_start(targets, 0, win);
        value = rank + 1;
        for (int r = 0; r < size; r++) {
            if (!accesses(round, rank, r)) {
                continue;
            }
            MPI_Accumulate(&value, 1, MPI_INT64_T, r, size, 1, MPI_INT64_T, MPI_SUM, win);
            MPI_Get(&got[r], 1, MPI_INT64_T, r, r, 1, MPI_INT64_T, win);
            if (r != rank) {
                MPI_Put(&value, 1, MPI_INT64_T, r, rank, 1, MPI_INT64_T, win);
            }
        }
        MPI_Win_complete(win);
        while (round % 3 == 0 && !flag) {
            MPI_Win_test(win, &flag);
        }
        if (round % 3 != 0) {
            MPI_Win_wait(win);
        }
        want = 0;
        for (int r = 0; r < size; r++) {
            want += accesses(round, r, rank) ? r + 1 : 0;
            if (accesses(round, rank, r)) {
                EQUAL(got[r], round * 1000 + r);
            }
            if (r != rank) {
                EQUAL(part[r], accesses(round, r, rank) ? r + 1 : 0);
            }
        }
        EQUAL(part[size], want);
        MPI_Group_free(&origins);
        MPI_Group_free(&targets);
    }
    MPI_Win_free(&win);
    free(got);
}
