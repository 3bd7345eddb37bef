/* SPDX-License-Identifier: BSD-3-Clause */
/* What an application hangs on windows: names, infos, attributes, error handlers. */
#include "mpi/win.h"

#include <string.h>

#define FN(pointer) ((void (*)(void))(pointer))

int MPI_Win_set_name(MPI_Win win, const char *name)
{
    if (!pri_win_ok(win)) {
        return pri_win_fail(win, __func__, MPI_ERR_WIN);
    }
    memset(win->name, 0, sizeof(win->name));
    memcpy(win->name, name, strnlen(name, sizeof(win->name) - 1));
    return MPI_SUCCESS;
}
PRI_ALIAS(Win_set_name);

int MPI_Win_get_name(MPI_Win win, char *name, int *length)
{
    if (!pri_win_ok(win)) {
        return pri_win_fail(win, __func__, MPI_ERR_WIN);
    }
    strcpy(name, win->name);
    *length = (int)strlen(name);
    return MPI_SUCCESS;
}
PRI_ALIAS(Win_get_name);

int MPI_Win_set_info(MPI_Win win, MPI_Info info)
{
    if (!pri_win_ok(win)) {
        return pri_win_fail(win, __func__, MPI_ERR_WIN);
    }
    struct pri_info *copy = info == NULL ? NULL : pri_info_copy(info);
    if (info != NULL && copy == NULL) {
        return pri_win_fail(win, __func__, MPI_ERR_NO_MEM);
    }
    pri_info_release(win->info);
    win->info = copy;
    return MPI_SUCCESS;
}
PRI_ALIAS(Win_set_info);

int MPI_Win_get_info(MPI_Win win, MPI_Info *info)
{
    if (!pri_win_ok(win)) {
        return pri_win_fail(win, __func__, MPI_ERR_WIN);
    }
    *info = pri_info_copy(win->info);
    return *info != NULL ? MPI_SUCCESS : pri_win_fail(win, __func__, MPI_ERR_NO_MEM);
}
PRI_ALIAS(Win_get_info);

/* ---- attributes ---- */

int MPI_Win_create_keyval(MPI_Win_copy_attr_function *copy, MPI_Win_delete_attr_function *release,
                          int *keyval, void *extra)
{
    struct pri_mpi *mpi = pri_mpi_need(__func__);
    int code = pri_keyval_new(mpi, PRI_ATTR_WIN, FN(copy), FN(release), extra, keyval);
    return code == MPI_SUCCESS ? code : pri_fail(NULL, __func__, code);
}
PRI_ALIAS(Win_create_keyval);

int MPI_Win_free_keyval(int *keyval)
{
    int code = pri_keyval_free(pri_mpi_need(__func__), PRI_ATTR_WIN, keyval);
    return code == MPI_SUCCESS ? code : pri_fail(NULL, __func__, code);
}
PRI_ALIAS(Win_free_keyval);

int MPI_Win_set_attr(MPI_Win win, int keyval, void *value)
{
    if (!pri_win_ok(win)) {
        return pri_win_fail(win, __func__, MPI_ERR_WIN);
    }
    int code = pri_attr_set(win->comm->mpi, &win->attributes, PRI_ATTR_WIN, win, keyval, value);
    return code == MPI_SUCCESS ? code : pri_win_fail(win, __func__, code);
}
PRI_ALIAS(Win_set_attr);

int MPI_Win_get_attr(MPI_Win win, int keyval, void *value, int *flag)
{
    if (!pri_win_ok(win)) {
        return pri_win_fail(win, __func__, MPI_ERR_WIN);
    }
    *flag = 1;
    switch (keyval) {
    case MPI_WIN_BASE:
        *(void **)value = win->rma.part;
        return MPI_SUCCESS;
    case MPI_WIN_SIZE:
        *(MPI_Aint **)value = &win->bytes;
        return MPI_SUCCESS;
    case MPI_WIN_DISP_UNIT:
        *(int **)value = &win->unit;
        return MPI_SUCCESS;
    case MPI_WIN_CREATE_FLAVOR:
        *(int **)value = &win->flavor;
        return MPI_SUCCESS;
    case MPI_WIN_MODEL:
        *(int **)value = &win->model;
        return MPI_SUCCESS;
    default:
        break;
    }
    int code = pri_attr_get(win->comm->mpi, win->attributes, PRI_ATTR_WIN, keyval, value, flag);
    return code == MPI_SUCCESS ? code : pri_win_fail(win, __func__, code);
}
PRI_ALIAS(Win_get_attr);

int MPI_Win_delete_attr(MPI_Win win, int keyval)
{
    if (!pri_win_ok(win)) {
        return pri_win_fail(win, __func__, MPI_ERR_WIN);
    }
    int code = pri_attr_delete(win->comm->mpi, &win->attributes, PRI_ATTR_WIN, win, keyval);
    return code == MPI_SUCCESS ? code : pri_win_fail(win, __func__, code);
}
PRI_ALIAS(Win_delete_attr);

int MPI_WIN_DUP_FN(MPI_Win win, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)win;
    (void)keyval;
    (void)extra;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}
PRI_ALIAS(WIN_DUP_FN);

/* ---- error handlers ---- */

int MPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler)
{
    if (!pri_win_ok(win)) {
        return pri_win_fail(win, __func__, MPI_ERR_WIN);
    }
    if (errhandler == NULL || errhandler->kind == PRI_HANDLER_COMM ||
        errhandler->kind == PRI_HANDLER_FILE) {
        return pri_win_fail(win, __func__, MPI_ERR_ARG);
    }
    pri_errhandler_retain(errhandler);
    pri_errhandler_release(win->errhandler);
    win->errhandler = errhandler;
    /* Of operations that fail in MPI_Wait. */
    win->comm->errhandler =
        errhandler->kind == PRI_HANDLER_FATAL ? MPI_ERRORS_ARE_FATAL : MPI_ERRORS_RETURN;
    return MPI_SUCCESS;
}
PRI_ALIAS(Win_set_errhandler);

int MPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler *errhandler)
{
    if (!pri_win_ok(win)) {
        return pri_win_fail(win, __func__, MPI_ERR_WIN);
    }
    pri_errhandler_retain(win->errhandler);
    *errhandler = win->errhandler;
    return MPI_SUCCESS;
}
PRI_ALIAS(Win_get_errhandler);

int MPI_Win_call_errhandler(MPI_Win win, int code)
{
    if (!pri_win_ok(win)) {
        return pri_win_fail(win, __func__, MPI_ERR_WIN);
    }
    pri_win_fail(win, __func__, code);
    return MPI_SUCCESS;
}
PRI_ALIAS(Win_call_errhandler);
