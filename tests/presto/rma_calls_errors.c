/* SPDX-License-Identifier: BSD-3-Clause */
/* What hangs on windows, and what is wrong. */
#include "rma_calls.h"

/* ---- what hangs on windows ---- */

static _Thread_local int handled;
static int deleted_value(MPI_Win win, int keyval, void *value, void *extra)
{
    (void)win;
    (void)keyval;
    ++*(int *)extra;
    return value == NULL;
}

static void on_error(MPI_Win *win, int *code, ...)
{
    (void)win;
    handled = class_of(*code);
}

void rma_attributes(void)
{
    int buf[4], *number, flag, keyval, deleted = 0, length, key2;
    void *value;
    MPI_Aint *bytes;
    MPI_Win win;
    MPI_Group all, group;
    MPI_Info info;
    char name[MPI_MAX_OBJECT_NAME], text[16] = "";
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", "false");
    MPI_Win_create(buf, sizeof(buf), sizeof(int), info, MPI_COMM_WORLD, &win);
    MPI_Info_free(&info);
    MPI_Win_get_info(win, &info);
    MPI_Info_get(info, "no_locks", 10, text, &flag);
    EQUAL(flag && strcmp(text, "false") == 0, 1);
    CLASS(MPI_Win_set_info(win, info), MPI_SUCCESS);
    MPI_Info_free(&info);
    MPI_Win_get_attr(win, MPI_WIN_BASE, &value, &flag);
    EQUAL(flag && value == buf, 1);
    MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag);
    EQUAL(*bytes, sizeof(buf));
    MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &number, &flag);
    EQUAL(*number, sizeof(int));
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &number, &flag);
    EQUAL(*number, MPI_WIN_FLAVOR_CREATE);
    MPI_Win_get_attr(win, MPI_WIN_MODEL, &number, &flag);
    EQUAL(*number, MPI_WIN_UNIFIED);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, deleted_value, &keyval, &deleted);
    MPI_Win_get_attr(win, keyval, &value, &flag);
    EQUAL(flag, 0);
    MPI_Win_set_attr(win, keyval, &deleted);
    MPI_Win_get_attr(win, keyval, &value, &flag);
    EQUAL(flag && value == &deleted, 1);
    MPI_Win_delete_attr(win, keyval);
    EQUAL(deleted, 1);
    MPI_Win_set_attr(win, keyval, buf);
    key2 = keyval;
    MPI_Win_free_keyval(&key2);
    EQUAL(key2, MPI_KEYVAL_INVALID);
    MPI_Win_set_name(win, "a window");
    MPI_Win_get_name(win, name, &length);
    EQUAL(strcmp(name, "a window") == 0 && length == 8, 1);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Win_get_group(win, &group);
    MPI_Group_compare(all, group, &flag);
    EQUAL(flag, MPI_IDENT);
    MPI_Group_free(&all);
    MPI_Group_free(&group);
    MPI_Win_free(&win);
    EQUAL(deleted, 2);
    EQUAL(win == MPI_WIN_NULL, 1);
}

/* ---- errors ---- */

static void user_op(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)in;
    (void)inout;
    (void)n;
    (void)type;
}

static void errors_of_arguments(MPI_Win win, int *buf)
{
    MPI_Op own;
    MPI_Datatype mixed, raw;
    int lengths[2] = {1, 1}, x = 0, old, invalid = 77;
    MPI_Aint disps[2] = {0, 8};
    MPI_Datatype parts[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Op_create(user_op, 1, &own);
    MPI_Type_create_struct(2, lengths, disps, parts, &mixed);
    MPI_Type_commit(&mixed);
    MPI_Type_contiguous(2, MPI_INT, &raw);
    MPI_Win_lock_all(0, win);
    CLASS(MPI_Put(&x, 1, MPI_INT, size, 0, 1, MPI_INT, win), MPI_ERR_RANK);
    CLASS(MPI_Put(&x, -1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_COUNT);
    CLASS(MPI_Put(&x, 1, MPI_INT, 0, 0, -1, MPI_INT, win), MPI_ERR_COUNT);
    CLASS(MPI_Put(&x, 1, raw, 0, 0, 2, MPI_INT, win), MPI_ERR_TYPE);
    CLASS(MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_DATATYPE_NULL, win), MPI_ERR_TYPE);
    CLASS(MPI_Put(&x, 1, MPI_INT, 0, 8, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    CLASS(MPI_Put(buf, 2, MPI_INT, 0, 7, 2, MPI_INT, win), MPI_ERR_RMA_RANGE);
    CLASS(MPI_Get(&x, 1, MPI_INT, 0, -1, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    CLASS(MPI_Get(&x, 1, MPI_INT, 0, (MPI_Aint)1 << 61, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    CLASS(MPI_Get(&x, 1, MPI_INT, 0, 0, 2, MPI_INT, win), MPI_ERR_TRUNCATE);
    CLASS(MPI_Accumulate(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, own, win), MPI_ERR_OP);
    CLASS(MPI_Accumulate(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, win), MPI_ERR_OP);
    CLASS(MPI_Accumulate(&x, 1, MPI_FLOAT, 0, 0, 1, MPI_FLOAT, MPI_BAND, win), MPI_ERR_OP);
    CLASS(MPI_Accumulate(&x, 1, MPI_INT, 0, 0, 1, MPI_FLOAT, MPI_SUM, win), MPI_ERR_TYPE);
    CLASS(MPI_Accumulate(buf, 1, mixed, 0, 0, 1, mixed, MPI_REPLACE, win), MPI_ERR_TYPE);
    CLASS(MPI_Fetch_and_op(&x, &old, mixed, 0, 0, MPI_SUM, win), MPI_ERR_TYPE);
    CLASS(MPI_Compare_and_swap(&x, &x, &old, MPI_FLOAT, 0, 0, win), MPI_ERR_TYPE);
    CLASS(MPI_Put(&x, 1, MPI_INT, MPI_PROC_NULL, 99, 1, MPI_INT, win), MPI_SUCCESS);
    CLASS(MPI_Win_flush(size, win), MPI_ERR_RANK);
    MPI_Win_unlock_all(win);
    CLASS(MPI_Win_lock(invalid, 0, 0, win), MPI_ERR_LOCKTYPE);
    CLASS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 1 << 20, win), MPI_ERR_ASSERT);
    CLASS(MPI_Win_fence(1 << 20, win), MPI_ERR_ASSERT);
    CLASS(MPI_Win_attach(win, buf, 4), MPI_ERR_RMA_FLAVOR);
    CLASS(MPI_Win_detach(win, buf), MPI_ERR_RMA_FLAVOR);
    CLASS(MPI_Win_shared_query(win, 0, disps, &old, &parts), MPI_ERR_RMA_FLAVOR);
    CLASS(MPI_Win_post(MPI_GROUP_NULL, 0, win), MPI_ERR_GROUP);
    MPI_Op_free(&own);
    MPI_Type_free(&mixed);
    MPI_Type_free(&raw);
}

static void errors_of_epochs(MPI_Win win)
{
    int x = 0, flag;
    MPI_Request request;
    CLASS(MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_flush(0, win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_flush_all(win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_test(win, &flag), MPI_ERR_RMA_SYNC);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    CLASS(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_free(&win), MPI_ERR_RMA_SYNC);
    if (size > 1) {
        CLASS(MPI_Get(&x, 1, MPI_INT, right(), 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
    }
    MPI_Win_unlock(rank, win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, MPI_MODE_NOCHECK, win);
    MPI_Win_unlock(rank, win);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    CLASS(MPI_Rput(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request), MPI_ERR_RMA_SYNC);
    MPI_Get(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    CLASS(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_start(MPI_GROUP_EMPTY, 0, win), MPI_ERR_RMA_SYNC);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    CLASS(MPI_Get(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
}

void rma_errors(void)
{
    int buf[8] = {0}, x = 0;
    MPI_Win win, none = MPI_WIN_NULL;
    MPI_Errhandler handler, got;
    CLASS(MPI_Win_create(buf, -1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_SIZE);
    CLASS(MPI_Win_create(buf, 4, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_DISP);
    CLASS(MPI_Win_create(buf, 4, 1, MPI_INFO_NULL, MPI_COMM_NULL, &win), MPI_ERR_COMM);
    CLASS(MPI_Win_free(&none), MPI_ERR_WIN);
    CLASS(MPI_Win_fence(0, none), MPI_ERR_WIN);
    CLASS(MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, none), MPI_ERR_WIN);
    MPI_Win_create(buf, sizeof(buf), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    errors_of_arguments(win, buf);
    errors_of_epochs(win);
    MPI_Win_create_errhandler(on_error, &handler);
    MPI_Win_set_errhandler(win, handler);
    MPI_Win_get_errhandler(win, &got);
    EQUAL(got == handler, 1);
    MPI_Errhandler_free(&got);
    MPI_Errhandler_free(&handler);
    CLASS(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC);
    EQUAL(handled, MPI_ERR_RMA_SYNC);
    MPI_Win_call_errhandler(win, MPI_ERR_WIN);
    EQUAL(handled, MPI_ERR_WIN);
    MPI_Win_free(&win);
}
