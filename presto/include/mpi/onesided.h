/* SPDX-License-Identifier: BSD-3-Clause */
/* Part of mpi.h: one-sided communication. */
#ifndef PRESTO_MPI_ONESIDED_H
#define PRESTO_MPI_ONESIDED_H

#define PRESTO_ORIGIN_ARGS const void *origin, int origin_count, MPI_Datatype origin_type
#define PRESTO_RESULT_ARGS void *result, int result_count, MPI_Datatype result_type
#define PRESTO_TARGET_ARGS int target, MPI_Aint disp, int target_count, MPI_Datatype target_type

#define MPI_WIN_NULL_COPY_FN   ((MPI_Win_copy_attr_function *)0)
#define MPI_WIN_NULL_DELETE_FN ((MPI_Win_delete_attr_function *)0)

PRESTO_FN(int, Win_create,
          (void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win));
PRESTO_FN(int, Win_allocate,
          (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr,
           MPI_Win *win));
PRESTO_FN(int, Win_allocate_shared,
          (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr,
           MPI_Win *win));
PRESTO_FN(int, Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win *win));
PRESTO_FN(int, Win_shared_query,
          (MPI_Win win, int rank, MPI_Aint *size, int *disp_unit, void *baseptr));
PRESTO_FN(int, Win_attach, (MPI_Win win, void *base, MPI_Aint size));
PRESTO_FN(int, Win_detach, (MPI_Win win, const void *base));
PRESTO_FN(int, Win_free, (MPI_Win * win));
PRESTO_FN(int, Win_get_group, (MPI_Win win, MPI_Group *group));
PRESTO_FN(int, Put, (PRESTO_ORIGIN_ARGS, PRESTO_TARGET_ARGS, MPI_Win win));
PRESTO_FN(int, Get,
          (void *origin, int origin_count, MPI_Datatype origin_type, PRESTO_TARGET_ARGS,
           MPI_Win win));
PRESTO_FN(int, Accumulate, (PRESTO_ORIGIN_ARGS, PRESTO_TARGET_ARGS, MPI_Op op, MPI_Win win));
PRESTO_FN(int, Get_accumulate,
          (PRESTO_ORIGIN_ARGS, PRESTO_RESULT_ARGS, PRESTO_TARGET_ARGS, MPI_Op op, MPI_Win win));
PRESTO_FN(int, Fetch_and_op,
          (const void *origin, void *result, MPI_Datatype type, int target, MPI_Aint disp,
           MPI_Op op, MPI_Win win));
PRESTO_FN(int, Compare_and_swap,
          (const void *origin, const void *compare, void *result, MPI_Datatype type, int target,
           MPI_Aint disp, MPI_Win win));
PRESTO_FN(int, Rput, (PRESTO_ORIGIN_ARGS, PRESTO_TARGET_ARGS, MPI_Win win, MPI_Request *request));
PRESTO_FN(int, Rget,
          (void *origin, int origin_count, MPI_Datatype origin_type, PRESTO_TARGET_ARGS,
           MPI_Win win, MPI_Request *request));
PRESTO_FN(int, Raccumulate,
          (PRESTO_ORIGIN_ARGS, PRESTO_TARGET_ARGS, MPI_Op op, MPI_Win win, MPI_Request *request));
PRESTO_FN(int, Rget_accumulate,
          (PRESTO_ORIGIN_ARGS, PRESTO_RESULT_ARGS, PRESTO_TARGET_ARGS, MPI_Op op, MPI_Win win,
           MPI_Request *request));
PRESTO_FN(int, Win_fence, (int assertion, MPI_Win win));
PRESTO_FN(int, Win_post, (MPI_Group group, int assertion, MPI_Win win));
PRESTO_FN(int, Win_start, (MPI_Group group, int assertion, MPI_Win win));
PRESTO_FN(int, Win_complete, (MPI_Win win));
PRESTO_FN(int, Win_wait, (MPI_Win win));
PRESTO_FN(int, Win_test, (MPI_Win win, int *flag));
PRESTO_FN(int, Win_lock, (int type, int rank, int assertion, MPI_Win win));
PRESTO_FN(int, Win_unlock, (int rank, MPI_Win win));
PRESTO_FN(int, Win_lock_all, (int assertion, MPI_Win win));
PRESTO_FN(int, Win_unlock_all, (MPI_Win win));
PRESTO_FN(int, Win_flush, (int rank, MPI_Win win));
PRESTO_FN(int, Win_flush_all, (MPI_Win win));
PRESTO_FN(int, Win_flush_local, (int rank, MPI_Win win));
PRESTO_FN(int, Win_flush_local_all, (MPI_Win win));
PRESTO_FN(int, Win_sync, (MPI_Win win));
PRESTO_FN(int, Win_set_name, (MPI_Win win, const char *name));
PRESTO_FN(int, Win_get_name, (MPI_Win win, char *name, int *length));
PRESTO_FN(int, Win_set_info, (MPI_Win win, MPI_Info info));
PRESTO_FN(int, Win_get_info, (MPI_Win win, MPI_Info *info));
PRESTO_FN(int, Win_create_keyval,
          (MPI_Win_copy_attr_function * copy, MPI_Win_delete_attr_function *release, int *keyval,
           void *extra));
PRESTO_FN(int, Win_free_keyval, (int *keyval));
PRESTO_FN(int, Win_set_attr, (MPI_Win win, int keyval, void *value));
PRESTO_FN(int, Win_get_attr, (MPI_Win win, int keyval, void *value, int *flag));
PRESTO_FN(int, Win_delete_attr, (MPI_Win win, int keyval));
PRESTO_FN(int, WIN_DUP_FN, (MPI_Win win, int keyval, void *extra, void *in, void *out, int *flag));
PRESTO_FN(int, Win_set_errhandler, (MPI_Win win, MPI_Errhandler errhandler));
PRESTO_FN(int, Win_get_errhandler, (MPI_Win win, MPI_Errhandler *errhandler));
PRESTO_FN(int, Win_call_errhandler, (MPI_Win win, int code));
PRESTO_FN(int, Win_create_errhandler,
          (MPI_Win_errhandler_function * function, MPI_Errhandler *errhandler));

#endif
