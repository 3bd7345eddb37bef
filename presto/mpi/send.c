/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends in all modes, blocking and not, and the memory for buffered ones. */
#include "core/message.h"
#include "mpi/check.h"
#include "mpi/request.h"
#include "mpi/send.h"

#include <limits.h>

#ifndef PRI_LARGE
/* Buffered sends: core copies what cannot leave at once, and this keeps the count that the
 * application was promised. */
bool pri_no_buffer(struct pri_mpi *mpi, size_t bytes)
{
    size_t need = bytes + MPI_BSEND_OVERHEAD;
    if (mpi->attached != NULL && pri_buffered(mpi->self) + need <= mpi->attached_size) {
        return false;
    }
    pri_progress(mpi->self);
    return mpi->attached == NULL || pri_buffered(mpi->self) + need > mpi->attached_size;
}
#endif

static NI_NOINLINE int send_holey(struct pri_comm *comm, const void *buf, size_t count,
                                  struct pri_type *type, struct pri_where to, enum pri_mode mode)
{
    struct pri_mpi_vec data;
    pri_data_set(&data, buf, count, type);
    return pri_sendv(comm->team.self, &data.vec, count * type->size, to, mode);
}

NI_ALWAYS_INLINE int send(const char *function, const void *buf, pri_count count, MPI_Datatype type,
                          int dest, int tag, MPI_Comm handle, enum pri_mode mode)
{
    struct pri_comm *comm = pri_comm_of(handle);
    if (NI_UNLIKELY(pri_bad_send(comm, count, type, dest, tag))) {
        return pri_fail(comm, function, pri_bad_class(comm, count, type, dest, tag, false));
    }
    if (NI_UNLIKELY(dest == MPI_PROC_NULL)) {
        return MPI_SUCCESS;
    }
    size_t bytes = (size_t)count * type->size;
    if (mode == PRI_BUFFERED && pri_no_buffer(comm->mpi, bytes)) {
        return pri_fail(comm, function, MPI_ERR_BUFFER);
    }
    struct pri_where to = pri_to(comm, dest, tag);
    if (NI_UNLIKELY(!type->contiguous)) {
        return pri_result(comm, function, send_holey(comm, buf, (size_t)count, type, to, mode));
    }
    const void *data = pri_data_at(buf, type);
    if (NI_UNLIKELY(data == NULL) && bytes > 0) {
        return pri_fail(comm, function, pri_mpi_code(pri_null_data()));
    }
    if (NI_LIKELY(mode == PRI_STANDARD) && pri_send_short(comm->team.self, data, bytes, to)) {
        return MPI_SUCCESS;
    }
    return pri_result(comm, function, pri_send(comm->team.self, data, bytes, to, mode));
}

int MPI_Send(PRESTO_SEND_ARGS)
{
    return send(__func__, buf, count, type, dest, tag, comm, PRI_STANDARD);
}
PRI_ALIAS(Send);

int MPI_Ssend(PRESTO_SEND_ARGS)
{
    return send(__func__, buf, count, type, dest, tag, comm, PRI_SYNCHRONOUS);
}
PRI_ALIAS(Ssend);

int MPI_Bsend(PRESTO_SEND_ARGS)
{
    return send(__func__, buf, count, type, dest, tag, comm, PRI_BUFFERED);
}
PRI_ALIAS(Bsend);

int MPI_Rsend(PRESTO_SEND_ARGS)
{
    return send(__func__, buf, count, type, dest, tag, comm, PRI_READY);
}
PRI_ALIAS(Rsend);

NI_ALWAYS_INLINE int start(struct pri_mpi_request *request, const void *buf, size_t count, int dest,
                           int tag, enum pri_mode mode)
{
    struct pri_comm *comm = request->comm;
    struct pri_type *type = request->type;
    size_t bytes = count * type->size;
    if (NI_UNLIKELY(dest == MPI_PROC_NULL)) {
        pri_request_null(comm->team.self, &request->core);
        return 0;
    }
    if (mode == PRI_BUFFERED && pri_no_buffer(comm->mpi, bytes)) {
        return PRI_ERR_BUFFER;
    }
    struct pri_where to = pri_to(comm, dest, tag);
    if (NI_LIKELY(type->contiguous)) {
        const void *data = pri_data_at(buf, type);
        if (NI_UNLIKELY(data == NULL) && bytes > 0) {
            return pri_null_data();
        }
        return pri_isend_here(comm->team.self, data, bytes, to, mode, &request->core);
    }
    pri_data_set(&request->data, buf, count, type);
    return pri_isendv(comm->team.self, &request->data.vec, bytes, to, mode, &request->core);
}

#ifndef PRI_LARGE
int pri_send_start(struct pri_mpi_request *request, const void *buf, size_t count, int dest,
                   int tag, enum pri_mode mode)
{
    return start(request, buf, count, dest, tag, mode);
}
#endif

NI_ALWAYS_INLINE int isend(const char *function, const void *buf, pri_count count,
                           MPI_Datatype type, int dest, int tag, MPI_Comm handle,
                           enum pri_mode mode, MPI_Request *out)
{
    struct pri_comm *comm = pri_comm_of(handle);
    if (NI_UNLIKELY(pri_bad_send(comm, count, type, dest, tag))) {
        return pri_fail(comm, function, pri_bad_class(comm, count, type, dest, tag, false));
    }
    struct pri_mpi_request *request = pri_request_new(comm, PRI_MPI_SEND);
    if (NI_UNLIKELY(request == NULL)) {
        return pri_fail(comm, function, MPI_ERR_NO_MEM);
    }
    pri_request_type(request, type);
    int rc = start(request, buf, (size_t)count, dest, tag, mode);
    if (NI_UNLIKELY(rc != 0)) {
        pri_request_end(request);
        return pri_fail(comm, function, pri_mpi_code(rc));
    }
    *out = request;
    return MPI_SUCCESS;
}

int MPI_Isend(PRESTO_SEND_ARGS, MPI_Request *request)
{
    return isend(__func__, buf, count, type, dest, tag, comm, PRI_STANDARD, request);
}
PRI_ALIAS(Isend);

int MPI_Issend(PRESTO_SEND_ARGS, MPI_Request *request)
{
    return isend(__func__, buf, count, type, dest, tag, comm, PRI_SYNCHRONOUS, request);
}
PRI_ALIAS(Issend);

int MPI_Ibsend(PRESTO_SEND_ARGS, MPI_Request *request)
{
    return isend(__func__, buf, count, type, dest, tag, comm, PRI_BUFFERED, request);
}
PRI_ALIAS(Ibsend);

int MPI_Irsend(PRESTO_SEND_ARGS, MPI_Request *request)
{
    return isend(__func__, buf, count, type, dest, tag, comm, PRI_READY, request);
}
PRI_ALIAS(Irsend);

int MPI_Buffer_attach(void *buffer, pri_count size)
{
    struct pri_mpi *mpi = pri_mpi_need(__func__);
    if (buffer == NULL || size < 0 || mpi->attached != NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_BUFFER);
    }
    mpi->attached = buffer;
    mpi->attached_size = (size_t)size;
    return MPI_SUCCESS;
}
PRI_ALIAS(Buffer_attach);

int MPI_Buffer_detach(void *buffer, pri_count *size)
{
    struct pri_mpi *mpi = pri_mpi_need(__func__);
    unsigned spins = 0;
    if (mpi->attached == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_BUFFER);
    }
    while (pri_buffered(mpi->self) > 0) {
        pri_relax_for(mpi->self, &spins, pri_detached_tell, mpi->self);
    }
    *(void **)buffer = mpi->attached;
    *size = pri_count_of(mpi->attached_size);
    mpi->attached = NULL;
    return MPI_SUCCESS;
}
PRI_ALIAS(Buffer_detach);
