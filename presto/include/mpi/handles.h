/* SPDX-License-Identifier: BSD-3-Clause */
/* Part of mpi.h: the handles, and the functions that an application gives to MPI. */
#ifndef PRESTO_MPI_HANDLES_H
#define PRESTO_MPI_HANDLES_H

typedef struct pri_comm *MPI_Comm;
typedef struct pri_group *MPI_Group;
typedef struct pri_type *MPI_Datatype;
typedef struct pri_op *MPI_Op;
typedef struct pri_mpi_request *MPI_Request;
typedef struct pri_mpi_message *MPI_Message;
typedef struct pri_errhandler *MPI_Errhandler;
typedef struct pri_info *MPI_Info;
typedef struct pri_win *MPI_Win;
typedef struct pri_file *MPI_File;

typedef ptrdiff_t MPI_Aint;
typedef long long MPI_Offset;
typedef long long MPI_Count;
typedef int MPI_Fint;

typedef struct MPI_Status {
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
    int presto_cancelled;
    unsigned long long presto_bytes;
} MPI_Status;

typedef void MPI_User_function(void *in, void *inout, int *count, MPI_Datatype *type);
typedef void MPI_User_function_c(void *in, void *inout, MPI_Count *count, MPI_Datatype *type);

typedef void MPI_Comm_errhandler_function(MPI_Comm *comm, int *error, ...);
typedef void MPI_Win_errhandler_function(MPI_Win *win, int *error, ...);
typedef void MPI_File_errhandler_function(MPI_File *file, int *error, ...);
typedef MPI_Comm_errhandler_function MPI_Comm_errhandler_fn;
typedef MPI_Win_errhandler_function MPI_Win_errhandler_fn;
typedef MPI_File_errhandler_function MPI_File_errhandler_fn;
typedef MPI_Comm_errhandler_function MPI_Handler_function;

typedef int MPI_Comm_copy_attr_function(MPI_Comm comm, int keyval, void *extra, void *in, void *out,
                                        int *flag);
typedef int MPI_Comm_delete_attr_function(MPI_Comm comm, int keyval, void *value, void *extra);
typedef int MPI_Type_copy_attr_function(MPI_Datatype type, int keyval, void *extra, void *in,
                                        void *out, int *flag);
typedef int MPI_Type_delete_attr_function(MPI_Datatype type, int keyval, void *value, void *extra);
typedef int MPI_Win_copy_attr_function(MPI_Win win, int keyval, void *extra, void *in, void *out,
                                       int *flag);
typedef int MPI_Win_delete_attr_function(MPI_Win win, int keyval, void *value, void *extra);
typedef MPI_Comm_copy_attr_function MPI_Copy_function;
typedef MPI_Comm_delete_attr_function MPI_Delete_function;

typedef int MPI_Grequest_query_function(void *extra, MPI_Status *status);
typedef int MPI_Grequest_free_function(void *extra);
typedef int MPI_Grequest_cancel_function(void *extra, int complete);

#endif
