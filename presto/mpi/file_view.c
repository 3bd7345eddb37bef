/* SPDX-License-Identifier: BSD-3-Clause */
/* Views of files, and the pointers in them. */
#include "mpi/file.h"

#include <string.h>

#ifndef PRI_LARGE
/* What is wrong with a view's arguments. */
static int view_code(MPI_File file, MPI_Offset disp, const struct pri_type *etype,
                     const struct pri_type *filetype, const char *datarep)
{
    if (etype == NULL || filetype == NULL || !etype->committed || !filetype->committed) {
        return pri_blame(MPI_ERR_TYPE, "it is MPI_DATATYPE_NULL, or has not been committed");
    }
    bool sequential = (file->amode & MPI_MODE_SEQUENTIAL) != 0;
    if (disp < 0 && !(disp == MPI_DISPLACEMENT_CURRENT && sequential)) {
        return pri_blame(MPI_ERR_DISP, "it is negative");
    }
    if (disp != MPI_DISPLACEMENT_CURRENT && sequential) {
        return pri_blame(MPI_ERR_DISP, "of a file with MPI_MODE_SEQUENTIAL it has to be "
                                       "MPI_DISPLACEMENT_CURRENT");
    }
    if (datarep == NULL || (!pri_datarep_is_own(datarep) && pri_datarep_find(datarep) == NULL)) {
        return pri_blame(MPI_ERR_UNSUPPORTED_DATAREP,
                         "Presto has native, internal and external32, and what this rank has given "
                         "to MPI_Register_datarep");
    }
    return MPI_SUCCESS;
}

/* Where the shared pointer is in the file. */
static int current(MPI_File file, MPI_Offset *disp)
{
    int64_t offset;
    int error = pri_io_prepare(&file->io, NULL);
    if (error == 0) {
        error = pri_io_shared_take(&file->io, 0, &offset);
    }
    if (error == 0) {
        *disp = pri_io_place(&file->io.view, (uint64_t)offset * file->io.view.unit);
    }
    return pri_mpi_code(error);
}

static int set_view(MPI_File file, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype,
                    const char *datarep)
{
    int code = view_code(file, disp, etype, filetype, datarep);
    if (code == MPI_SUCCESS && disp == MPI_DISPLACEMENT_CURRENT) {
        code = current(file, &disp);
    }
    code = pri_file_agree(file->comm, code);
    if (code != MPI_SUCCESS) {
        return code;
    }
    int error = pri_io_set_view(&file->io, disp, etype, filetype,
                                strcmp(datarep, "external32") == 0, pri_datarep_find(datarep));
    code =
        error == PRI_ERR_OP
            ? pri_blame(MPI_ERR_TYPE, "the filetype has to consist of whole etypes, in the order "
                                      "of the file, which may overlap only if it is read alone "
                                      "and their basic elements are of one kind")
            : pri_mpi_code(error);
    return pri_file_agree(file->comm, code);
}

int MPI_File_set_view(MPI_File file, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype,
                      const char *datarep, MPI_Info info)
{
    if (!pri_file_ok(file)) {
        return pri_file_fail(file, __func__, MPI_ERR_FILE);
    }
    int code = set_view(file, disp, etype, filetype, datarep);
    if (code == MPI_SUCCESS) {
        pri_file_hints(info, file->comm->team.size, &file->io.hints);
        file->io.pointer = 0;
        memset(file->datarep, 0, sizeof(file->datarep));
        strncpy(file->datarep, datarep, sizeof(file->datarep) - 1);
        int error = pri_coll_bcast(&file->comm->team, &file->io.hints, sizeof(file->io.hints),
                                   MPI_BYTE, 0, NULL);
        if (error == 0 && file->comm->team.rank == 0) {
            error = pri_io_shared_set(&file->io, 0);
        }
        code = pri_file_agree(file->comm, pri_mpi_code(error));
    }
    return code == MPI_SUCCESS ? code : pri_file_fail(file, __func__, code);
}
PRI_ALIAS(File_set_view);

int MPI_File_get_view(MPI_File file, MPI_Offset *disp, MPI_Datatype *etype, MPI_Datatype *filetype,
                      char *datarep)
{
    if (!pri_file_ok(file)) {
        return pri_file_fail(file, __func__, MPI_ERR_FILE);
    }
    *disp = file->io.view.disp;
    *etype = file->io.view.etype;
    *filetype = file->io.view.filetype;
    pri_type_retain(*etype);
    pri_type_retain(*filetype);
    strcpy(datarep, file->datarep);
    return MPI_SUCCESS;
}
PRI_ALIAS(File_get_view);

int MPI_File_get_byte_offset(MPI_File file, MPI_Offset offset, MPI_Offset *disp)
{
    if (!pri_file_ok(file)) {
        return pri_file_fail(file, __func__, MPI_ERR_FILE);
    }
    if (offset < 0) {
        return pri_file_fail(file, __func__, pri_blame(MPI_ERR_ARG, "the offset is negative"));
    }
    int error = pri_io_prepare(&file->io, NULL);
    if (error != 0) {
        return pri_file_result(file, __func__, error);
    }
    *disp = pri_io_place(&file->io.view, (uint64_t)offset * file->io.view.unit);
    return MPI_SUCCESS;
}
PRI_ALIAS(File_get_byte_offset);

/* Where a pointer that is at `now` goes. */
static int seek_to(MPI_File file, MPI_Offset offset, int whence, int64_t now, int64_t *to)
{
    int64_t base = 0;
    if (whence == MPI_SEEK_CUR) {
        base = now;
    } else if (whence == MPI_SEEK_END) {
        int error = pri_io_end(&file->io, &base);
        if (error != 0) {
            return pri_mpi_code(error);
        }
    } else if (whence != MPI_SEEK_SET) {
        return pri_blame(MPI_ERR_ARG, "whence is none of MPI_SEEK_SET, MPI_SEEK_CUR and "
                                      "MPI_SEEK_END");
    }
    if (__builtin_add_overflow(base, (int64_t)offset, to) || *to < 0) {
        return pri_blame(MPI_ERR_ARG, "the pointer would be before the view's beginning");
    }
    return MPI_SUCCESS;
}

int MPI_File_seek(MPI_File file, MPI_Offset offset, int whence)
{
    int64_t to;
    if (!pri_file_ok(file)) {
        return pri_file_fail(file, __func__, MPI_ERR_FILE);
    }
    if ((file->amode & MPI_MODE_SEQUENTIAL) != 0) {
        return pri_file_fail(file, __func__, MPI_ERR_UNSUPPORTED_OPERATION);
    }
    int64_t now = pri_io_take(&file->io, 0);
    int code = seek_to(file, offset, whence, now, &to);
    if (code != MPI_SUCCESS) {
        return pri_file_fail(file, __func__, code);
    }
    pri_io_take(&file->io, to - now);
    return MPI_SUCCESS;
}
PRI_ALIAS(File_seek);

int MPI_File_get_position(MPI_File file, MPI_Offset *offset)
{
    if (!pri_file_ok(file)) {
        return pri_file_fail(file, __func__, MPI_ERR_FILE);
    }
    *offset = pri_io_take(&file->io, 0);
    return MPI_SUCCESS;
}
PRI_ALIAS(File_get_position);

static int seek_shared(MPI_File file, MPI_Offset offset, int whence)
{
    struct pri_team *team = &file->comm->team;
    int64_t said[4] = {offset, -offset, whence, -whence}, now = 0, to = 0;
    int error = pri_coll_allreduce(team, PRI_IN_PLACE, said, 4, MPI_INT64_T, MPI_MAX, NULL);
    int code =
        error != 0 ? pri_mpi_code(error)
        : said[0] != -said[1] || said[2] != -said[3]
            ? pri_blame(MPI_ERR_NOT_SAME, "offset and whence have to be the same in all ranks")
            : MPI_SUCCESS;
    if (code == MPI_SUCCESS && team->rank == 0) {
        code = pri_mpi_code(pri_io_shared_take(&file->io, 0, &now));
        code = code != MPI_SUCCESS ? code : seek_to(file, offset, whence, now, &to);
        code = code != MPI_SUCCESS ? code : pri_mpi_code(pri_io_shared_set(&file->io, to));
    }
    return pri_file_agree(file->comm, code);
}

int MPI_File_seek_shared(MPI_File file, MPI_Offset offset, int whence)
{
    if (!pri_file_ok(file)) {
        return pri_file_fail(file, __func__, MPI_ERR_FILE);
    }
    if ((file->amode & MPI_MODE_SEQUENTIAL) != 0) {
        return pri_file_fail(file, __func__, MPI_ERR_UNSUPPORTED_OPERATION);
    }
    int code = seek_shared(file, offset, whence);
    return code == MPI_SUCCESS ? code : pri_file_fail(file, __func__, code);
}
PRI_ALIAS(File_seek_shared);

int MPI_File_get_position_shared(MPI_File file, MPI_Offset *offset)
{
    if (!pri_file_ok(file)) {
        return pri_file_fail(file, __func__, MPI_ERR_FILE);
    }
    int64_t at = 0;
    int error = pri_io_shared_take(&file->io, 0, &at);
    *offset = at;
    return pri_file_result(file, __func__, error);
}
PRI_ALIAS(File_get_position_shared);
#endif

int MPI_File_get_type_extent(MPI_File file, MPI_Datatype type, pri_distance *extent)
{
    if (!pri_file_ok(file)) {
        return pri_file_fail(file, __func__, MPI_ERR_FILE);
    }
    if (type == NULL) {
        return pri_file_fail(file, __func__, MPI_ERR_TYPE);
    }
    ptrdiff_t bytes;
    int error = pri_io_extent(&file->io, type, &bytes);
    *extent = bytes;
    return pri_file_result(file, __func__, error);
}
PRI_ALIAS(File_get_type_extent);
