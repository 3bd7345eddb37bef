/* SPDX-License-Identifier: BSD-3-Clause */
/* Error handlers of files. Those that are opened later begin with that of MPI_FILE_NULL, which is
 * MPI_ERRORS_RETURN unless the application says something else. */
#include "mpi/file.h"

static struct pri_errhandler **handler_of(MPI_File file, const char *function)
{
    if (file == MPI_FILE_NULL) {
        return &pri_mpi_need(function)->file_errhandler;
    }
    return pri_file_ok(file) ? &file->errhandler : NULL;
}

int MPI_File_set_errhandler(MPI_File file, MPI_Errhandler errhandler)
{
    struct pri_errhandler **place = handler_of(file, __func__);
    if (place == NULL) {
        return pri_file_fail(file, __func__, MPI_ERR_FILE);
    }
    if (errhandler == NULL || errhandler->kind == PRI_HANDLER_COMM ||
        errhandler->kind == PRI_HANDLER_WIN) {
        return pri_file_fail(file, __func__, MPI_ERR_ARG);
    }
    pri_errhandler_retain(errhandler);
    pri_errhandler_release(*place);
    *place = errhandler;
    return MPI_SUCCESS;
}
PRI_ALIAS(File_set_errhandler);

int MPI_File_get_errhandler(MPI_File file, MPI_Errhandler *errhandler)
{
    struct pri_errhandler **place = handler_of(file, __func__);
    if (place == NULL) {
        return pri_file_fail(file, __func__, MPI_ERR_FILE);
    }
    pri_errhandler_retain(*place);
    *errhandler = *place;
    return MPI_SUCCESS;
}
PRI_ALIAS(File_get_errhandler);

int MPI_File_call_errhandler(MPI_File file, int error)
{
    if (file != MPI_FILE_NULL && !pri_file_ok(file)) {
        return pri_file_fail(file, __func__, MPI_ERR_FILE);
    }
    pri_file_fail(file, __func__, error);
    return MPI_SUCCESS;
}
PRI_ALIAS(File_call_errhandler);
