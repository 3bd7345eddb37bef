/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows: how they are made and freed, and memory in them. */
#include "mpi/win.h"

#include <stdlib.h>
#include <string.h>

static void destroy(struct pri_win *win)
{
    win->magic = 0;
    pri_errhandler_release(win->errhandler);
    pri_info_release(win->info);
    free(win);
}

/* Whether an info says that a key is true. */
static bool says(MPI_Info info, const char *key)
{
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int there = 0;
    if (info != NULL) {
        MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &there);
    }
    return there && strcmp(value, "true") == 0;
}

static int open_window(struct pri_win *win, struct pri_comm *comm, MPI_Info info, size_t unit,
                       void **base)
{
    int error = pri_comm_copy(comm, &win->comm);
    if (error != 0) {
        return error;
    }
    bool spread = win->flavor != MPI_WIN_FLAVOR_SHARED || says(info, "alloc_shared_noncontig");
    error = pri_rma_open(&win->rma, &win->comm->team, (enum pri_rma_flavor)win->flavor,
                         (size_t)win->bytes, unit, spread, base);
    if (error != 0) {
        pri_comm_end(win->comm);
    }
    return error;
}

static int make(const char *function, int flavor, void **base, MPI_Aint bytes, pri_disp unit,
                MPI_Info info, MPI_Comm handle, MPI_Win *made)
{
    struct pri_comm *comm = pri_intra_of(handle);
    if (comm == NULL) {
        return pri_fail(NULL, function, MPI_ERR_COMM);
    }
    if (bytes < 0) {
        return pri_fail(comm, function, MPI_ERR_SIZE);
    }
    if (unit <= 0) {
        return pri_fail(comm, function, MPI_ERR_DISP);
    }
    struct pri_win *win = calloc(1, sizeof(*win));
    if (win == NULL) {
        return pri_fail(comm, function, MPI_ERR_NO_MEM);
    }
    win->errhandler = MPI_ERRORS_ARE_FATAL;
    win->info = info == NULL ? NULL : pri_info_copy(info);
    win->size = comm->team.size;
    win->bytes = bytes;
    win->unit = unit > INT_MAX ? INT_MAX : (int)unit; /* the attribute, which is an int */
    win->flavor = flavor;
    win->model = MPI_WIN_UNIFIED;
    int error = open_window(win, comm, info, (size_t)unit, base);
    if (error != 0) {
        destroy(win);
        return pri_result(comm, function, error);
    }
    win->magic = PRI_WIN_MAGIC;
    *made = win;
    return MPI_SUCCESS;
}

int MPI_Win_create(void *base, MPI_Aint size, pri_disp disp_unit, MPI_Info info, MPI_Comm comm,
                   MPI_Win *win)
{
    return make(__func__, MPI_WIN_FLAVOR_CREATE, &base, size, disp_unit, info, comm, win);
}
PRI_ALIAS(Win_create);

int MPI_Win_allocate(MPI_Aint size, pri_disp disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr,
                     MPI_Win *win)
{
    void *base = NULL;
    int code = make(__func__, MPI_WIN_FLAVOR_ALLOCATE, &base, size, disp_unit, info, comm, win);
    if (code == MPI_SUCCESS) {
        *(void **)baseptr = base;
    }
    return code;
}
PRI_ALIAS(Win_allocate);

int MPI_Win_allocate_shared(MPI_Aint size, pri_disp disp_unit, MPI_Info info, MPI_Comm comm,
                            void *baseptr, MPI_Win *win)
{
    void *base = NULL;
    int code = make(__func__, MPI_WIN_FLAVOR_SHARED, &base, size, disp_unit, info, comm, win);
    if (code == MPI_SUCCESS) {
        *(void **)baseptr = base;
    }
    return code;
}
PRI_ALIAS(Win_allocate_shared);

#ifndef PRI_LARGE
int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    void *base = NULL;
    return make(__func__, MPI_WIN_FLAVOR_DYNAMIC, &base, 0, 1, info, comm, win);
}
PRI_ALIAS(Win_create_dynamic);
#endif

/* The first rank that has memory, or 0. */
static int first_with_memory(const struct pri_win *win)
{
    for (int i = 0; i < win->size; i++) {
        if (win->rma.target[i].bytes > 0) {
            return i;
        }
    }
    return 0;
}

int MPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint *size, pri_disp *disp_unit, void *baseptr)
{
    if (!pri_win_ok(win)) {
        return pri_win_fail(win, __func__, MPI_ERR_WIN);
    }
    if (win->flavor != MPI_WIN_FLAVOR_SHARED) {
        return pri_win_fail(win, __func__, MPI_ERR_RMA_FLAVOR);
    }
    if ((rank < 0 || rank >= win->size) && rank != MPI_PROC_NULL) {
        return pri_win_fail(win, __func__, MPI_ERR_RANK);
    }
    if (rank == MPI_PROC_NULL) {
        rank = first_with_memory(win);
    }
    const uint64_t unit = win->rma.target[rank].unit;
    *size = (MPI_Aint)win->rma.target[rank].bytes;
    *disp_unit = unit > INT_MAX && sizeof(pri_disp) == sizeof(int) ? INT_MAX : (pri_disp)unit;
    *(void **)baseptr = pri_rma_part(&win->rma, rank);
    return MPI_SUCCESS;
}
PRI_ALIAS(Win_shared_query);

#ifndef PRI_LARGE
int MPI_Win_attach(MPI_Win win, void *base, MPI_Aint size)
{
    if (!pri_win_ok(win)) {
        return pri_win_fail(win, __func__, MPI_ERR_WIN);
    }
    if (win->flavor != MPI_WIN_FLAVOR_DYNAMIC) {
        return pri_win_fail(win, __func__, MPI_ERR_RMA_FLAVOR);
    }
    if (size < 0) {
        return pri_win_fail(win, __func__, MPI_ERR_SIZE);
    }
    return pri_win_result(win, __func__, pri_rma_attach(&win->rma, base, (size_t)size));
}
PRI_ALIAS(Win_attach);

int MPI_Win_detach(MPI_Win win, const void *base)
{
    if (!pri_win_ok(win)) {
        return pri_win_fail(win, __func__, MPI_ERR_WIN);
    }
    if (win->flavor != MPI_WIN_FLAVOR_DYNAMIC) {
        return pri_win_fail(win, __func__, MPI_ERR_RMA_FLAVOR);
    }
    return pri_win_result(win, __func__, pri_rma_detach(&win->rma, base));
}
PRI_ALIAS(Win_detach);

int MPI_Win_free(MPI_Win *handle)
{
    struct pri_win *win = *handle;
    if (!pri_win_ok(win)) {
        return pri_win_fail(win, __func__, MPI_ERR_WIN);
    }
    if (pri_rma_busy(&win->rma)) {
        return pri_win_fail(win, __func__, MPI_ERR_RMA_SYNC);
    }
    int code = pri_attr_delete_all(win->comm->mpi, &win->attributes, PRI_ATTR_WIN, win);
    if (code != MPI_SUCCESS) {
        return pri_win_fail(win, __func__, code);
    }
    int error = pri_rma_close(&win->rma);
    *handle = MPI_WIN_NULL;
    code = pri_win_result(win, __func__, error);
    pri_comm_end(win->comm);
    destroy(win);
    return code;
}
PRI_ALIAS(Win_free);

int MPI_Win_get_group(MPI_Win win, MPI_Group *group)
{
    if (!pri_win_ok(win)) {
        return pri_win_fail(win, __func__, MPI_ERR_WIN);
    }
    pri_group_retain(win->comm->group);
    *group = win->comm->group;
    return MPI_SUCCESS;
}
PRI_ALIAS(Win_get_group);
#endif
