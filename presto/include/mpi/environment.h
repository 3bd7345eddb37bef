/* SPDX-License-Identifier: BSD-3-Clause */
/* Part of mpi.h: start and end, time, errors, infos. */
#ifndef PRESTO_MPI_ENVIRONMENT_H
#define PRESTO_MPI_ENVIRONMENT_H

/* Declares a function under both of its names; a profiling library defines MPI_x and calls
 * PMPI_x. */
#define PRESTO_FN(result, name, parameters) \
    result MPI_##name parameters;           \
    result PMPI_##name parameters

/* Of a function that Presto does not have, where prestocc --defer-missing compiles: an error. */
int presto_missing(const char *name, const char *hint);

PRESTO_FN(int, Init, (int *argc, char ***argv));
PRESTO_FN(int, Init_thread, (int *argc, char ***argv, int required, int *provided));
PRESTO_FN(int, Initialized, (int *flag));
PRESTO_FN(int, Finalize, (void));
PRESTO_FN(int, Finalized, (int *flag));
PRESTO_FN(int, Query_thread, (int *provided));
PRESTO_FN(int, Is_thread_main, (int *flag));
PRESTO_FN(int, Abort, (MPI_Comm comm, int code));
PRESTO_FN(double, Wtime, (void));
PRESTO_FN(double, Wtick, (void));
PRESTO_FN(int, Get_processor_name, (char *name, int *length));
PRESTO_FN(int, Get_version, (int *version, int *subversion));
PRESTO_FN(int, Get_library_version, (char *version, int *length));
PRESTO_FN(int, Pcontrol, (const int level, ...));
PRESTO_FN(int, Alloc_mem, (MPI_Aint bytes, MPI_Info info, void *base));
PRESTO_FN(int, Free_mem, (void *base));

PRESTO_FN(int, Error_class, (int code, int *errorclass));
PRESTO_FN(int, Error_string, (int code, char *text, int *length));
PRESTO_FN(int, Add_error_class, (int *errorclass));
PRESTO_FN(int, Add_error_code, (int errorclass, int *code));
PRESTO_FN(int, Add_error_string, (int code, const char *text));
PRESTO_FN(int, Comm_create_errhandler,
          (MPI_Comm_errhandler_function * function, MPI_Errhandler *errhandler));
PRESTO_FN(int, Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler errhandler));
PRESTO_FN(int, Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler *errhandler));
PRESTO_FN(int, Comm_call_errhandler, (MPI_Comm comm, int code));
PRESTO_FN(int, Errhandler_free, (MPI_Errhandler * errhandler));
PRESTO_FN(int, Errhandler_create, (MPI_Handler_function * function, MPI_Errhandler *errhandler));
PRESTO_FN(int, Errhandler_set, (MPI_Comm comm, MPI_Errhandler errhandler));
PRESTO_FN(int, Errhandler_get, (MPI_Comm comm, MPI_Errhandler *errhandler));

PRESTO_FN(int, Info_create, (MPI_Info * info));
PRESTO_FN(int, Info_delete, (MPI_Info info, const char *key));
PRESTO_FN(int, Info_dup, (MPI_Info info, MPI_Info *copy));
PRESTO_FN(int, Info_free, (MPI_Info * info));
PRESTO_FN(int, Info_get, (MPI_Info info, const char *key, int room, char *value, int *flag));
PRESTO_FN(int, Info_get_nkeys, (MPI_Info info, int *keys));
PRESTO_FN(int, Info_get_nthkey, (MPI_Info info, int n, char *key));
PRESTO_FN(int, Info_create_env, (int argc, char *argv[], MPI_Info *info));
PRESTO_FN(int, Info_get_string,
          (MPI_Info info, const char *key, int *length, char *value, int *flag));
PRESTO_FN(int, Info_get_valuelen, (MPI_Info info, const char *key, int *length, int *flag));
PRESTO_FN(int, Info_set, (MPI_Info info, const char *key, const char *value));

#endif
