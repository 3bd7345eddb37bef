/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses: what they are called with is checked, where they begin is found, and they end in one of
 * three ways. An access is done when the function that starts it returns. */
#include "mpi/file.h"

#include "mpi/check.h"
#include "mpi/request.h"

static bool explicit_offset(enum pri_file_call call)
{
    return call == PRI_FILE_AT || call == PRI_FILE_AT_ALL;
}

static bool shared_pointer(enum pri_file_call call)
{
    return call == PRI_FILE_SHARED || call == PRI_FILE_ORDERED;
}

/* Whether the file is open for it. */
static int mode_code(MPI_File file, const struct pri_file_access *access)
{
    if (access->write && (file->amode & MPI_MODE_RDONLY) != 0) {
        return pri_blame(MPI_ERR_READ_ONLY, "the file was opened with MPI_MODE_RDONLY");
    }
    if (!access->write && (file->amode & MPI_MODE_WRONLY) != 0) {
        return pri_blame(MPI_ERR_ACCESS, "the file was opened with MPI_MODE_WRONLY");
    }
    if ((file->amode & MPI_MODE_SEQUENTIAL) != 0 && !shared_pointer(access->call)) {
        return pri_blame(MPI_ERR_UNSUPPORTED_OPERATION,
                         "a file with MPI_MODE_SEQUENTIAL has the shared pointer alone");
    }
    return MPI_SUCCESS;
}

static int data_code(MPI_File file, const struct pri_file_access *access)
{
    const struct pri_io_data *data = &access->data;
    if (NI_UNLIKELY(pri_bad_data(access->count, data->type))) {
        return pri_data_class(access->count, data->type);
    }
    if (explicit_offset(access->call) && access->offset < 0) {
        return pri_blame(MPI_ERR_ARG, "the offset is negative");
    }
    int error = pri_io_prepare(&file->io, data->type);
    if (error != 0 || data->count * data->type->size == 0) {
        return pri_mpi_code(error);
    }
    if (pri_data_at(data->buf, data->type) == NULL) {
        return pri_mpi_code(pri_null_data());
    }
    if (data->count * pri_io_bytes(&file->io.view, data->type) % file->io.view.unit != 0) {
        return pri_blame(MPI_ERR_ARG, "the data is not a whole number of etypes");
    }
    return MPI_SUCCESS;
}

static int check(MPI_File file, const struct pri_file_access *access)
{
    if (!pri_file_ok(file)) {
        return MPI_ERR_FILE;
    }
    int code = mode_code(file, access);
    return code == MPI_SUCCESS ? data_code(file, access) : code;
}

static int begin_at(MPI_File file, const struct pri_file_access *access, int64_t *offset)
{
    int64_t etypes = access->count == 0 ? 0 : pri_io_etypes(&file->io, access->data);
    switch (access->call) {
    case PRI_FILE_AT:
    case PRI_FILE_AT_ALL:
        *offset = access->offset;
        return 0;
    case PRI_FILE_NEXT:
    case PRI_FILE_NEXT_ALL:
        *offset = pri_io_take(&file->io, etypes);
        return 0;
    case PRI_FILE_SHARED:
        return pri_io_shared_take(&file->io, etypes, offset);
    default:
        return pri_io_ordered_take(&file->io, etypes, offset);
    }
}

int pri_file_access(MPI_File file, const struct pri_file_access *access, int *error, size_t *bytes)
{
    int64_t offset;
    int code = check(file, access);
    *bytes = 0;
    *error = 0;
    if (code != MPI_SUCCESS) {
        return code;
    }
    *error = begin_at(file, access, &offset);
    if (*error != 0) {
        return MPI_SUCCESS;
    }
    bool all = access->call == PRI_FILE_AT_ALL || access->call == PRI_FILE_NEXT_ALL;
    struct pri_io *io = &file->io;
    if (access->write) {
        *error = all ? pri_io_write_all(io, offset, access->data, bytes)
                     : pri_io_write(io, offset, access->data, bytes);
    } else {
        *error = all ? pri_io_read_all(io, offset, access->data, bytes)
                     : pri_io_read(io, offset, access->data, bytes);
    }
    return MPI_SUCCESS;
}

static void set_status(MPI_Status *status, size_t bytes)
{
    pri_status_empty(status);
    if (status != MPI_STATUS_IGNORE) {
        status->presto_bytes = bytes;
    }
}

int pri_file_blocking(MPI_File file, const char *function, struct pri_file_access access,
                      MPI_Status *status)
{
    int error;
    size_t bytes;
    int code = pri_file_access(file, &access, &error, &bytes);
    if (NI_UNLIKELY(code != MPI_SUCCESS)) {
        return pri_file_fail(file, function, code);
    }
    set_status(status, bytes);
    return pri_file_result(file, function, error);
}

/* Others may not be in their call yet, so that nothing is exchanged with them: each rank goes to
 * the file by itself. */
static enum pri_file_call by_itself(enum pri_file_call call)
{
    return call == PRI_FILE_AT_ALL ? PRI_FILE_AT : call == PRI_FILE_NEXT_ALL ? PRI_FILE_NEXT : call;
}

int pri_file_request(MPI_File file, const char *function, struct pri_file_access access,
                     MPI_Request *handle)
{
    int error;
    size_t bytes;
    access.call = by_itself(access.call);
    int code = handle == NULL ? MPI_ERR_REQUEST : check(file, &access);
    if (NI_UNLIKELY(code != MPI_SUCCESS)) {
        return pri_file_fail(file, function, code);
    }
    struct pri_mpi_request *request = pri_request_new(file->comm, PRI_MPI_OPERATION);
    if (request == NULL) {
        return pri_file_fail(file, function, MPI_ERR_NO_MEM);
    }
    pri_request_null(file->comm->mpi->self, &request->core);
    code = pri_file_access(file, &access, &error, &bytes);
    request->core.status.source = MPI_ANY_SOURCE;
    request->core.status.bytes = bytes;
    request->core.status.error = error;
    *handle = request;
    return code;
}

int pri_file_begin(MPI_File file, const char *function, struct pri_file_access access)
{
    int error;
    size_t bytes;
    if (pri_file_ok(file) && file->split.active) {
        return pri_file_fail(file, function,
                             pri_blame(MPI_ERR_OTHER, "a split collective operation of this file "
                                                      "has not been ended"));
    }
    int code = pri_file_access(file, &access, &error, &bytes);
    if (NI_UNLIKELY(code != MPI_SUCCESS)) {
        return pri_file_fail(file, function, code);
    }
    file->split = (struct pri_file_split){true, (uint8_t)access.call, access.write, error, bytes};
    return MPI_SUCCESS;
}

int pri_file_end(MPI_File file, const char *function, enum pri_file_call call, bool write,
                 MPI_Status *status)
{
    if (!pri_file_ok(file)) {
        return pri_file_fail(file, function, MPI_ERR_FILE);
    }
    struct pri_file_split *split = &file->split;
    if (!split->active || split->call != call || split->write != write) {
        return pri_file_fail(file, function,
                             pri_blame(MPI_ERR_OTHER, "no such split collective operation was "
                                                      "begun"));
    }
    split->active = false;
    set_status(status, split->bytes);
    return pri_file_result(file, function, split->error);
}
