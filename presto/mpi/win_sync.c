/* SPDX-License-Identifier: BSD-3-Clause */
/* Epochs of windows. */
#include "mpi/win.h"

#include <stdlib.h>

enum {
    ALL_MODES = MPI_MODE_NOCHECK | MPI_MODE_NOPRECEDE | MPI_MODE_NOPUT | MPI_MODE_NOSTORE |
                MPI_MODE_NOSUCCEED
};

/* The window, and an assertion that may be made of `modes`. */
static int check(MPI_Win win, int assertion, int modes)
{
    if (!pri_win_ok(win)) {
        return MPI_ERR_WIN;
    }
    return (assertion & ~modes) == 0 ? MPI_SUCCESS : MPI_ERR_ASSERT;
}

int MPI_Win_fence(int assertion, MPI_Win win)
{
    int code = check(win, assertion, ALL_MODES);
    if (code != MPI_SUCCESS) {
        return pri_win_fail(win, __func__, code);
    }
    return pri_win_result(win, __func__,
                          pri_rma_fence(&win->rma, (assertion & MPI_MODE_NOPRECEDE) == 0,
                                        (assertion & MPI_MODE_NOSUCCEED) == 0));
}
PRI_ALIAS(Win_fence);

/* The group's ranks in the window, which the caller frees; an MPI code. */
static int ranks_of(MPI_Win win, const struct pri_group *group, int **ranks)
{
    const struct pri_group *all = win->comm->group;
    if (group == NULL) {
        return MPI_ERR_GROUP;
    }
    *ranks = malloc(((size_t)group->size + 1) * sizeof(**ranks));
    if (*ranks == NULL) {
        return MPI_ERR_NO_MEM;
    }
    for (int i = 0; i < group->size; i++) {
        int k = 0;
        while (k < all->size && all->ranks[k] != group->ranks[i]) {
            k++;
        }
        if (k == all->size) {
            free(*ranks);
            return MPI_ERR_GROUP;
        }
        (*ranks)[i] = k;
    }
    return MPI_SUCCESS;
}

static int begin_active(const char *function, MPI_Group group, int assertion, MPI_Win win,
                        int (*begin)(struct pri_rma *rma, const int *ranks, int count))
{
    int *ranks, code = check(win, assertion, ALL_MODES);
    if (code == MPI_SUCCESS) {
        code = ranks_of(win, group, &ranks);
    }
    if (code != MPI_SUCCESS) {
        return pri_win_fail(win, function, code);
    }
    int error = begin(&win->rma, ranks, group->size);
    free(ranks);
    return pri_win_result(win, function, error);
}

int MPI_Win_post(MPI_Group group, int assertion, MPI_Win win)
{
    return begin_active(__func__, group, assertion, win, pri_rma_post);
}
PRI_ALIAS(Win_post);

int MPI_Win_start(MPI_Group group, int assertion, MPI_Win win)
{
    return begin_active(__func__, group, assertion, win, pri_rma_start);
}
PRI_ALIAS(Win_start);

int MPI_Win_complete(MPI_Win win)
{
    if (!pri_win_ok(win)) {
        return pri_win_fail(win, __func__, MPI_ERR_WIN);
    }
    return pri_win_result(win, __func__, pri_rma_complete(&win->rma));
}
PRI_ALIAS(Win_complete);

int MPI_Win_wait(MPI_Win win)
{
    if (!pri_win_ok(win)) {
        return pri_win_fail(win, __func__, MPI_ERR_WIN);
    }
    return pri_win_result(win, __func__, pri_rma_wait(&win->rma, NULL));
}
PRI_ALIAS(Win_wait);

int MPI_Win_test(MPI_Win win, int *flag)
{
    bool there = false;
    if (!pri_win_ok(win)) {
        return pri_win_fail(win, __func__, MPI_ERR_WIN);
    }
    int error = pri_rma_wait(&win->rma, &there);
    *flag = there;
    return pri_win_result(win, __func__, error);
}
PRI_ALIAS(Win_test);

/* A window and a rank of it; no operation goes to MPI_PROC_NULL, but it may be locked. */
static int check_rank(MPI_Win win, int rank)
{
    if (!pri_win_ok(win)) {
        return MPI_ERR_WIN;
    }
    return (rank >= 0 && rank < win->size) || rank == MPI_PROC_NULL ? MPI_SUCCESS : MPI_ERR_RANK;
}

int MPI_Win_lock(int type, int rank, int assertion, MPI_Win win)
{
    int code = check_rank(win, rank);
    if (code == MPI_SUCCESS && type != MPI_LOCK_EXCLUSIVE && type != MPI_LOCK_SHARED) {
        code = MPI_ERR_LOCKTYPE;
    }
    if (code == MPI_SUCCESS) {
        code = check(win, assertion, ALL_MODES);
    }
    if (code != MPI_SUCCESS) {
        return pri_win_fail(win, __func__, code);
    }
    if (rank == MPI_PROC_NULL) {
        return MPI_SUCCESS;
    }
    return pri_win_result(win, __func__,
                          pri_rma_lock(&win->rma, rank, type == MPI_LOCK_EXCLUSIVE,
                                       (assertion & MPI_MODE_NOCHECK) == 0));
}
PRI_ALIAS(Win_lock);

int MPI_Win_unlock(int rank, MPI_Win win)
{
    int code = check_rank(win, rank);
    if (code != MPI_SUCCESS) {
        return pri_win_fail(win, __func__, code);
    }
    if (rank == MPI_PROC_NULL) {
        return MPI_SUCCESS;
    }
    return pri_win_result(win, __func__, pri_rma_unlock(&win->rma, rank));
}
PRI_ALIAS(Win_unlock);

int MPI_Win_lock_all(int assertion, MPI_Win win)
{
    int code = check(win, assertion, ALL_MODES);
    if (code != MPI_SUCCESS) {
        return pri_win_fail(win, __func__, code);
    }
    return pri_win_result(win, __func__,
                          pri_rma_lock_all(&win->rma, (assertion & MPI_MODE_NOCHECK) == 0));
}
PRI_ALIAS(Win_lock_all);

int MPI_Win_unlock_all(MPI_Win win)
{
    if (!pri_win_ok(win)) {
        return pri_win_fail(win, __func__, MPI_ERR_WIN);
    }
    return pri_win_result(win, __func__, pri_rma_unlock_all(&win->rma));
}
PRI_ALIAS(Win_unlock_all);

static inline int flush(const char *function, int rank, MPI_Win win)
{
    int code = check_rank(win, rank);
    if (NI_UNLIKELY(code != MPI_SUCCESS)) {
        return pri_win_fail(win, function, code);
    }
    if (NI_UNLIKELY(rank == MPI_PROC_NULL)) {
        return MPI_SUCCESS;
    }
    return pri_win_result(win, function, pri_rma_flush(&win->rma, rank));
}

static int flush_all(const char *function, MPI_Win win)
{
    if (!pri_win_ok(win)) {
        return pri_win_fail(win, function, MPI_ERR_WIN);
    }
    return pri_win_result(win, function, pri_rma_flush(&win->rma, -1));
}

int MPI_Win_flush(int rank, MPI_Win win)
{
    return flush(__func__, rank, win);
}
PRI_ALIAS(Win_flush);

int MPI_Win_flush_all(MPI_Win win)
{
    return flush_all(__func__, win);
}
PRI_ALIAS(Win_flush_all);

/* An origin's buffer may be used again when the target has the data, not before: nothing is copied
 * on the way. */
int MPI_Win_flush_local(int rank, MPI_Win win)
{
    return flush(__func__, rank, win);
}
PRI_ALIAS(Win_flush_local);

int MPI_Win_flush_local_all(MPI_Win win)
{
    return flush_all(__func__, win);
}
PRI_ALIAS(Win_flush_local_all);

int MPI_Win_sync(MPI_Win win)
{
    if (!pri_win_ok(win)) {
        return pri_win_fail(win, __func__, MPI_ERR_WIN);
    }
    pri_rma_sync(&win->rma);
    return MPI_SUCCESS;
}
PRI_ALIAS(Win_sync);
