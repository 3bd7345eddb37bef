/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations on windows: what they are called with is checked here. */
#include "mpi/check.h"
#include "mpi/request.h"
#include "mpi/win.h"

#include <stdlib.h>

#define ORIGIN const void *origin, pri_count origin_count, MPI_Datatype origin_type
#define RESULT void *result, pri_count result_count, MPI_Datatype result_type
#define TARGET int target, MPI_Aint disp, pri_count target_count, MPI_Datatype target_type

/* The window, and the rank: MPI_PROC_NULL is one as well. */
static inline int check_target(MPI_Win win, int target)
{
    if (!pri_win_ok(win)) {
        return MPI_ERR_WIN;
    }
    bool there = (unsigned)target < (unsigned)win->size || target == MPI_PROC_NULL;
    return NI_LIKELY(there) ? MPI_SUCCESS
                            : pri_blame_value(MPI_ERR_RANK, "the target", target, 0, win->size - 1);
}

static inline int check(MPI_Win win, int target, pri_count count, const struct pri_type *type,
                        pri_count target_count, const struct pri_type *target_type)
{
    int code = check_target(win, target);
    if (NI_UNLIKELY(code != MPI_SUCCESS)) {
        return code;
    }
    if (NI_UNLIKELY(pri_bad_data(count, type))) {
        return pri_data_class(count, type);
    }
    return NI_UNLIKELY(pri_bad_data(target_count, target_type))
               ? pri_data_class(target_count, target_type)
               : MPI_SUCCESS;
}

/* A predefined operation. */
static inline int check_op(const struct pri_op *op)
{
    return op == NULL || op->id == PRI_OP_USER ? MPI_ERR_OP : MPI_SUCCESS;
}

#define DATA(of) ((struct pri_rma_data){(void *)(of), (size_t)of##_count, of##_type})
#define AT       ((struct pri_rma_at){target, disp, (size_t)target_count, target_type})
#define NOWHERE  ((struct pri_rma_data){NULL, 0, NULL})

int MPI_Put(ORIGIN, TARGET, MPI_Win win)
{
    int code = check(win, target, origin_count, origin_type, target_count, target_type);
    if (NI_UNLIKELY(code != MPI_SUCCESS)) {
        return pri_win_fail(win, __func__, code);
    }
    if (NI_UNLIKELY(target == MPI_PROC_NULL)) {
        return MPI_SUCCESS;
    }
    return pri_win_result(win, __func__, pri_rma_put(&win->rma, DATA(origin), AT, NULL));
}
PRI_ALIAS(Put);

int MPI_Get(void *origin, pri_count origin_count, MPI_Datatype origin_type, TARGET, MPI_Win win)
{
    int code = check(win, target, origin_count, origin_type, target_count, target_type);
    if (NI_UNLIKELY(code != MPI_SUCCESS)) {
        return pri_win_fail(win, __func__, code);
    }
    if (NI_UNLIKELY(target == MPI_PROC_NULL)) {
        return MPI_SUCCESS;
    }
    return pri_win_result(win, __func__, pri_rma_get(&win->rma, DATA(origin), AT, NULL));
}
PRI_ALIAS(Get);

int MPI_Accumulate(ORIGIN, TARGET, MPI_Op op, MPI_Win win)
{
    int code = check(win, target, origin_count, origin_type, target_count, target_type);
    if (code == MPI_SUCCESS) {
        code = check_op(op);
    }
    if (NI_UNLIKELY(code != MPI_SUCCESS)) {
        return pri_win_fail(win, __func__, code);
    }
    if (NI_UNLIKELY(target == MPI_PROC_NULL)) {
        return MPI_SUCCESS;
    }
    return pri_win_result(win, __func__,
                          pri_rma_accumulate(&win->rma, DATA(origin), NOWHERE, AT, op, NULL));
}
PRI_ALIAS(Accumulate);

/* The origin of MPI_NO_OP is not looked at. */
static int check_fetch(MPI_Win win, int target, pri_count count, const struct pri_type *type,
                       pri_count result_count, const struct pri_type *result_type,
                       pri_count target_count, const struct pri_type *target_type,
                       const struct pri_op *op)
{
    int code = check(win, target, result_count, result_type, target_count, target_type);
    if (code == MPI_SUCCESS) {
        code = check_op(op);
    }
    if (code != MPI_SUCCESS || op->id == PRI_OP_NO_OP) {
        return code;
    }
    return pri_data_class(count, type);
}

int MPI_Get_accumulate(ORIGIN, RESULT, TARGET, MPI_Op op, MPI_Win win)
{
    int code = check_fetch(win, target, origin_count, origin_type, result_count, result_type,
                           target_count, target_type, op);
    if (NI_UNLIKELY(code != MPI_SUCCESS)) {
        return pri_win_fail(win, __func__, code);
    }
    if (NI_UNLIKELY(target == MPI_PROC_NULL)) {
        return MPI_SUCCESS;
    }
    return pri_win_result(win, __func__,
                          pri_rma_accumulate(&win->rma, DATA(origin), DATA(result), AT, op, NULL));
}
PRI_ALIAS(Get_accumulate);

#ifndef PRI_LARGE
int MPI_Fetch_and_op(const void *origin, void *result, MPI_Datatype type, int target, MPI_Aint disp,
                     MPI_Op op, MPI_Win win)
{
    int code = check(win, target, 1, type, 1, type);
    if (code == MPI_SUCCESS) {
        code = type->predefined ? check_op(op) : MPI_ERR_TYPE;
    }
    if (NI_UNLIKELY(code != MPI_SUCCESS)) {
        return pri_win_fail(win, __func__, code);
    }
    if (NI_UNLIKELY(target == MPI_PROC_NULL)) {
        return MPI_SUCCESS;
    }
    struct pri_rma_data from = {(void *)origin, 1, type}, to = {result, 1, type};
    struct pri_rma_at at = {target, disp, 1, type};
    return pri_win_result(win, __func__, pri_rma_accumulate(&win->rma, from, to, at, op, NULL));
}
PRI_ALIAS(Fetch_and_op);

int MPI_Compare_and_swap(const void *origin, const void *compare, void *result, MPI_Datatype type,
                         int target, MPI_Aint disp, MPI_Win win)
{
    int code = check(win, target, 1, type, 1, type);
    if (NI_UNLIKELY(code != MPI_SUCCESS)) {
        return pri_win_fail(win, __func__, code);
    }
    if (NI_UNLIKELY(target == MPI_PROC_NULL)) {
        return MPI_SUCCESS;
    }
    struct pri_rma_at at = {target, disp, 1, type};
    return pri_win_result(win, __func__,
                          pri_rma_compare_and_swap(&win->rma, origin, compare, result, at));
}
PRI_ALIAS(Compare_and_swap);
#endif

/* ---- with requests ---- */

/* The request of an operation that is about to begin. */
static int begin_request(MPI_Win win, int target, struct pri_mpi_request **request)
{
    *request = pri_request_new(win->comm, PRI_MPI_OPERATION);
    if (*request == NULL) {
        return PRI_ERR_NOMEM;
    }
    if (target == MPI_PROC_NULL) {
        pri_request_null(win->comm->mpi->self, &(*request)->core);
    }
    return 0;
}

static int end_request(MPI_Win win, const char *function, struct pri_mpi_request *request,
                       int error, MPI_Request *handle)
{
    if (NI_UNLIKELY(error != 0)) {
        if (request != NULL) {
            pri_request_end(request);
        }
        return pri_win_result(win, function, error);
    }
    *handle = request;
    return MPI_SUCCESS;
}

int MPI_Rput(ORIGIN, TARGET, MPI_Win win, MPI_Request *handle)
{
    struct pri_mpi_request *request;
    int code = check(win, target, origin_count, origin_type, target_count, target_type);
    if (NI_UNLIKELY(code != MPI_SUCCESS)) {
        return pri_win_fail(win, __func__, code);
    }
    int error = begin_request(win, target, &request);
    if (error == 0 && target != MPI_PROC_NULL) {
        error = pri_rma_put(&win->rma, DATA(origin), AT, &request->core);
    }
    return end_request(win, __func__, request, error, handle);
}
PRI_ALIAS(Rput);

int MPI_Rget(void *origin, pri_count origin_count, MPI_Datatype origin_type, TARGET, MPI_Win win,
             MPI_Request *handle)
{
    struct pri_mpi_request *request;
    int code = check(win, target, origin_count, origin_type, target_count, target_type);
    if (NI_UNLIKELY(code != MPI_SUCCESS)) {
        return pri_win_fail(win, __func__, code);
    }
    int error = begin_request(win, target, &request);
    if (error == 0 && target != MPI_PROC_NULL) {
        error = pri_rma_get(&win->rma, DATA(origin), AT, &request->core);
    }
    return end_request(win, __func__, request, error, handle);
}
PRI_ALIAS(Rget);

int MPI_Raccumulate(ORIGIN, TARGET, MPI_Op op, MPI_Win win, MPI_Request *handle)
{
    struct pri_mpi_request *request;
    int code = check(win, target, origin_count, origin_type, target_count, target_type);
    if (code == MPI_SUCCESS) {
        code = check_op(op);
    }
    if (NI_UNLIKELY(code != MPI_SUCCESS)) {
        return pri_win_fail(win, __func__, code);
    }
    int error = begin_request(win, target, &request);
    if (error == 0 && target != MPI_PROC_NULL) {
        error = pri_rma_accumulate(&win->rma, DATA(origin), NOWHERE, AT, op, &request->core);
    }
    return end_request(win, __func__, request, error, handle);
}
PRI_ALIAS(Raccumulate);

int MPI_Rget_accumulate(ORIGIN, RESULT, TARGET, MPI_Op op, MPI_Win win, MPI_Request *handle)
{
    struct pri_mpi_request *request;
    int code = check_fetch(win, target, origin_count, origin_type, result_count, result_type,
                           target_count, target_type, op);
    if (NI_UNLIKELY(code != MPI_SUCCESS)) {
        return pri_win_fail(win, __func__, code);
    }
    int error = begin_request(win, target, &request);
    if (error == 0 && target != MPI_PROC_NULL) {
        error = pri_rma_accumulate(&win->rma, DATA(origin), DATA(result), AT, op, &request->core);
    }
    return end_request(win, __func__, request, error, handle);
}
PRI_ALIAS(Rget_accumulate);
