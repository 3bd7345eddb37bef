/* SPDX-License-Identifier: BSD-3-Clause */
/* Receives, blocking and not, and both ways at once. */
#include "core/message.h"
#include "mpi/check.h"
#include "mpi/request.h"
#include "mpi/send.h"

#include <stdlib.h>

static NI_NOINLINE int recv_holey(struct pri_comm *comm, void *buf, size_t count,
                                  struct pri_type *type, struct pri_where from,
                                  struct pri_status *status)
{
    struct pri_mpi_vec data;
    pri_data_set(&data, buf, count, type);
    return pri_recvv(comm->team.self, &data.vec, count * type->size, from, status);
}

int MPI_Recv(PRESTO_RECV_ARGS, MPI_Status *status)
{
    struct pri_comm *c = pri_comm_of(comm);
    struct pri_status got;
    struct ni_taken taken;
    if (NI_UNLIKELY(pri_bad_recv(c, count, type, source, tag))) {
        return pri_fail(c, __func__, pri_bad_class(c, count, type, source, tag, true));
    }
    if (NI_UNLIKELY(source == MPI_PROC_NULL)) {
        pri_status_nobody(status);
        return MPI_SUCCESS;
    }
    struct pri_where from = pri_from(c, source, tag);
    size_t bytes = (size_t)count * type->size;
    int rc;
    if (NI_LIKELY(type->contiguous)) {
        void *data = pri_data_at(buf, type);
        if (NI_UNLIKELY(data == NULL) && bytes > 0) {
            return pri_fail(c, __func__, pri_mpi_code(pri_null_data()));
        }
        if (NI_LIKELY(pri_recv_take(c->team.self, data, bytes, from, &taken))) {
            const struct pri_status now = pri_taken_status(&taken);
            pri_status_set(status, &now);
            return pri_result(c, __func__, now.error);
        }
        rc = pri_recv_posted(c->team.self, data, bytes, from, &got);
    } else {
        rc = recv_holey(c, buf, (size_t)count, type, from, &got);
    }
    pri_status_set(status, &got);
    return pri_result(c, __func__, rc);
}
PRI_ALIAS(Recv);

NI_ALWAYS_INLINE int start(struct pri_mpi_request *request, void *buf, size_t count, int source,
                           int tag, enum pri_request_kind kind)
{
    struct pri_comm *comm = request->comm;
    struct pri_type *type = request->type;
    if (NI_UNLIKELY(source == MPI_PROC_NULL)) {
        pri_request_null(comm->team.self, &request->core);
        return 0;
    }
    struct pri_where from = pri_from(comm, source, tag);
    size_t bytes = count * type->size;
    if (NI_LIKELY(type->contiguous)) {
        void *data = pri_data_at(buf, type);
        if (NI_UNLIKELY(data == NULL) && bytes > 0) {
            return pri_null_data();
        }
        return pri_irecv_here(comm->team.self, data, bytes, from, kind, &request->core);
    }
    pri_data_set(&request->data, buf, count, type);
    return (kind == PRI_REQUEST_RECV_STAYS ? pri_irecvv_staying : pri_irecvv)(
        comm->team.self, &request->data.vec, bytes, from, &request->core);
}

#ifndef PRI_LARGE
int pri_recv_start(struct pri_mpi_request *request, void *buf, size_t count, int source, int tag)
{
    return start(request, buf, count, source, tag, PRI_REQUEST_RECV);
}

int pri_recv_start_staying(struct pri_mpi_request *request, void *buf, size_t count, int source,
                           int tag)
{
    return start(request, buf, count, source, tag, PRI_REQUEST_RECV_STAYS);
}
#endif

int MPI_Irecv(PRESTO_RECV_ARGS, MPI_Request *out)
{
    struct pri_comm *c = pri_comm_of(comm);
    if (NI_UNLIKELY(pri_bad_recv(c, count, type, source, tag))) {
        return pri_fail(c, __func__, pri_bad_class(c, count, type, source, tag, true));
    }
    struct pri_mpi_request *request = pri_request_new(c, PRI_MPI_RECV);
    if (NI_UNLIKELY(request == NULL)) {
        return pri_fail(c, __func__, MPI_ERR_NO_MEM);
    }
    pri_request_type(request, type);
    int rc = start(request, buf, (size_t)count, source, tag, PRI_REQUEST_RECV_STAYS);
    if (NI_UNLIKELY(rc != 0)) {
        pri_request_end(request);
        return pri_fail(c, __func__, pri_mpi_code(rc));
    }
    *out = request;
    return MPI_SUCCESS;
}
PRI_ALIAS(Irecv);
