/* SPDX-License-Identifier: BSD-3-Clause */
/* Files: how they are opened and closed, and what concerns them as a whole. */
#include "mpi/file.h"

#include <stdlib.h>
#include <string.h>

/* Which access mode is none, in words; NULL: it is one. */
static const char *bad_mode(int amode)
{
    const int known = 2 * MPI_MODE_SEQUENTIAL - 1;
    int kinds = (amode & MPI_MODE_RDONLY) / MPI_MODE_RDONLY +
                (amode & MPI_MODE_WRONLY) / MPI_MODE_WRONLY +
                (amode & MPI_MODE_RDWR) / MPI_MODE_RDWR;
    if ((amode & ~known) != 0) {
        return "it has bits that are no access mode";
    }
    if (kinds != 1) {
        return "exactly one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR has to be given";
    }
    if ((amode & MPI_MODE_RDONLY) != 0 && (amode & (MPI_MODE_CREATE | MPI_MODE_EXCL)) != 0) {
        return "with MPI_MODE_RDONLY there is neither MPI_MODE_CREATE nor MPI_MODE_EXCL";
    }
    if ((amode & MPI_MODE_RDWR) != 0 && (amode & MPI_MODE_SEQUENTIAL) != 0) {
        return "with MPI_MODE_SEQUENTIAL there is no MPI_MODE_RDWR";
    }
    return NULL;
}

int pri_file_agree(struct pri_comm *comm, int code)
{
    int worst = code;
    int error = pri_coll_allreduce(&comm->team, PRI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, NULL);
    return worst != MPI_SUCCESS || error == 0 ? worst : pri_mpi_code(error);
}

static int open_file(struct pri_file *file, struct pri_comm *comm, const char *name,
                     struct pri_info *info)
{
    int error = pri_comm_copy(comm, &file->comm);
    if (error != 0) {
        return error;
    }
    file->comm->errhandler = MPI_ERRORS_RETURN;
    struct pri_io_hints hints = pri_io_hints_default(comm->team.size);
    pri_file_hints(info, comm->team.size, &hints);
    error = pri_io_open(&file->io, &file->comm->team, name, (unsigned)file->amode, &hints);
    if (error != 0) {
        pri_comm_end(file->comm);
    }
    return error;
}

int MPI_File_open(MPI_Comm handle, const char *filename, int amode, MPI_Info info, MPI_File *made)
{
    struct pri_comm *comm = pri_intra_of(handle);
    if (comm == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_COMM);
    }
    const char *wrong = bad_mode(amode);
    if (wrong != NULL) {
        return pri_file_fail(NULL, __func__, pri_blame(MPI_ERR_AMODE, wrong));
    }
    if (filename == NULL || filename[0] == '\0' || made == NULL) {
        return pri_file_fail(NULL, __func__,
                             filename == NULL || made == NULL ? MPI_ERR_ARG : MPI_ERR_BAD_FILE);
    }
    struct pri_file *file = calloc(1, sizeof(*file));
    int code = pri_file_agree(comm, file == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS);
    if (code != MPI_SUCCESS) {
        free(file);
        return pri_file_fail(NULL, __func__, code);
    }
    file->amode = amode;
    file->errhandler = comm->mpi->file_errhandler;
    pri_errhandler_retain(file->errhandler);
    strcpy(file->datarep, "native");
    int error = open_file(file, comm, filename, info);
    if (error != 0) {
        pri_errhandler_release(file->errhandler);
        free(file);
        return pri_file_result(NULL, __func__, error);
    }
    file->magic = PRI_FILE_MAGIC;
    *made = file;
    return MPI_SUCCESS;
}
PRI_ALIAS(File_open);

int MPI_File_close(MPI_File *handle)
{
    struct pri_file *file = handle == NULL ? NULL : *handle;
    if (!pri_file_ok(file)) {
        return pri_file_fail(NULL, __func__, MPI_ERR_FILE);
    }
    if (file->split.active) {
        return pri_file_fail(file, __func__,
                             pri_blame(MPI_ERR_OTHER, "a split collective operation has not been "
                                                      "ended"));
    }
    int error = pri_io_close(&file->io);
    int code = pri_file_result(file, __func__, error);
    *handle = MPI_FILE_NULL;
    file->magic = 0;
    pri_comm_end(file->comm);
    pri_errhandler_release(file->errhandler);
    free(file);
    return code;
}
PRI_ALIAS(File_close);

int MPI_File_delete(const char *filename, MPI_Info info)
{
    (void)info;
    if (filename == NULL) {
        return pri_file_fail(NULL, __func__, MPI_ERR_ARG);
    }
    return pri_file_result(NULL, __func__, pri_io_delete(filename));
}
PRI_ALIAS(File_delete);

static int size_code(MPI_File file, MPI_Offset size)
{
    if (!pri_file_ok(file)) {
        return MPI_ERR_FILE;
    }
    if (size < 0) {
        return pri_blame(MPI_ERR_ARG, "the size is negative");
    }
    return (file->amode & MPI_MODE_RDONLY) != 0 ? MPI_ERR_READ_ONLY : MPI_SUCCESS;
}

int MPI_File_set_size(MPI_File file, MPI_Offset size)
{
    int code = size_code(file, size);
    return code != MPI_SUCCESS ? pri_file_fail(file, __func__, code)
                               : pri_file_result(file, __func__, pri_io_set_size(&file->io, size));
}
PRI_ALIAS(File_set_size);

int MPI_File_preallocate(MPI_File file, MPI_Offset size)
{
    int code = size_code(file, size);
    return code != MPI_SUCCESS
               ? pri_file_fail(file, __func__, code)
               : pri_file_result(file, __func__, pri_io_preallocate(&file->io, size));
}
PRI_ALIAS(File_preallocate);

int MPI_File_get_size(MPI_File file, MPI_Offset *size)
{
    if (!pri_file_ok(file)) {
        return pri_file_fail(file, __func__, MPI_ERR_FILE);
    }
    int64_t bytes = 0;
    int error = pri_io_get_size(&file->io, &bytes);
    *size = bytes;
    return pri_file_result(file, __func__, error);
}
PRI_ALIAS(File_get_size);

int MPI_File_get_group(MPI_File file, MPI_Group *group)
{
    if (!pri_file_ok(file)) {
        return pri_file_fail(file, __func__, MPI_ERR_FILE);
    }
    pri_group_retain(file->comm->group);
    *group = file->comm->group;
    return MPI_SUCCESS;
}
PRI_ALIAS(File_get_group);

int MPI_File_get_amode(MPI_File file, int *amode)
{
    if (!pri_file_ok(file)) {
        return pri_file_fail(file, __func__, MPI_ERR_FILE);
    }
    *amode = file->amode;
    return MPI_SUCCESS;
}
PRI_ALIAS(File_get_amode);

int MPI_File_sync(MPI_File file)
{
    if (!pri_file_ok(file)) {
        return pri_file_fail(file, __func__, MPI_ERR_FILE);
    }
    return pri_file_result(file, __func__, pri_io_sync(&file->io));
}
PRI_ALIAS(File_sync);

int MPI_File_set_atomicity(MPI_File file, int flag)
{
    if (!pri_file_ok(file)) {
        return pri_file_fail(file, __func__, MPI_ERR_FILE);
    }
    int all = flag != 0, any = flag != 0;
    int error =
        pri_coll_allreduce(&file->comm->team, PRI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, NULL);
    if (error == 0) {
        error =
            pri_coll_allreduce(&file->comm->team, PRI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, NULL);
    }
    if (error != 0 || all != any) {
        return pri_file_fail(file, __func__, error != 0 ? pri_mpi_code(error) : MPI_ERR_NOT_SAME);
    }
    file->io.atomic = all != 0;
    return MPI_SUCCESS;
}
PRI_ALIAS(File_set_atomicity);

int MPI_File_get_atomicity(MPI_File file, int *flag)
{
    if (!pri_file_ok(file)) {
        return pri_file_fail(file, __func__, MPI_ERR_FILE);
    }
    *flag = file->io.atomic;
    return MPI_SUCCESS;
}
PRI_ALIAS(File_get_atomicity);
