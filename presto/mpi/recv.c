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
                           int tag)
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
        return pri_irecv_here(comm->team.self, data, bytes, from, &request->core);
    }
    pri_data_set(&request->data, buf, count, type);
    return pri_irecvv(comm->team.self, &request->data.vec, bytes, from, &request->core);
}

int pri_recv_start(struct pri_mpi_request *request, void *buf, size_t count, int source, int tag)
{
    return start(request, buf, count, source, tag);
}

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
    int rc = start(request, buf, (size_t)count, source, tag);
    if (NI_UNLIKELY(rc != 0)) {
        pri_request_end(request);
        return pri_fail(c, __func__, pri_mpi_code(rc));
    }
    *out = request;
    return MPI_SUCCESS;
}
PRI_ALIAS(Irecv);

/* Sends from one buffer while it receives into another; arguments are good. 0 or an error of the
 * core. */
static int exchange(struct pri_comm *comm, const void *sendbuf, size_t sendcount,
                    struct pri_type *sendtype, int dest, int sendtag, void *recvbuf,
                    size_t recvcount, struct pri_type *recvtype, int source, int recvtag,
                    struct pri_status *status)
{
    struct pri_mpi_request in = {.comm = comm, .type = recvtype};
    struct pri_mpi_request out = {.comm = comm, .type = sendtype};
    int rc = pri_recv_start(&in, recvbuf, recvcount, source, recvtag);
    if (rc != 0) {
        return rc;
    }
    int sent = pri_send_start(&out, sendbuf, sendcount, dest, sendtag, PRI_STANDARD);
    if (sent != 0) {
        pri_cancel(&in.core);
    } else {
        sent = pri_wait(&out.core);
    }
    rc = pri_wait(&in.core);
    *status = in.core.status;
    return rc != 0 ? rc : sent;
}

int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                 void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                 MPI_Comm handle, MPI_Status *status)
{
    struct pri_comm *comm = pri_comm_of(handle);
    struct pri_status got;
    if (NI_UNLIKELY(pri_bad_send(comm, sendcount, sendtype, dest, sendtag))) {
        return pri_fail(comm, __func__,
                        pri_bad_class(comm, sendcount, sendtype, dest, sendtag, false));
    }
    if (NI_UNLIKELY(pri_bad_recv(comm, recvcount, recvtype, source, recvtag))) {
        return pri_fail(comm, __func__,
                        pri_bad_class(comm, recvcount, recvtype, source, recvtag, true));
    }
    int rc = exchange(comm, sendbuf, (size_t)sendcount, sendtype, dest, sendtag, recvbuf,
                      (size_t)recvcount, recvtype, source, recvtag, &got);
    pri_status_set(status, &got);
    return pri_result(comm, __func__, rc);
}
PRI_ALIAS(Sendrecv);

int MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype type, int dest, int sendtag, int source,
                         int recvtag, MPI_Comm handle, MPI_Status *status)
{
    struct pri_comm *comm = pri_comm_of(handle);
    struct pri_status got;
    if (NI_UNLIKELY(pri_bad_send(comm, count, type, dest, sendtag))) {
        return pri_fail(comm, __func__, pri_bad_class(comm, count, type, dest, sendtag, false));
    }
    if (NI_UNLIKELY(pri_bad_recv(comm, count, type, source, recvtag))) {
        return pri_fail(comm, __func__, pri_bad_class(comm, count, type, source, recvtag, true));
    }
    size_t bytes = (size_t)count * type->size;
    void *copy = pri_buffer_get(comm->team.self, bytes + 1);
    if (copy == NULL) {
        return pri_fail(comm, __func__, MPI_ERR_NO_MEM);
    }
    pri_type_pack(type, (size_t)count, buf, 0, copy, bytes);
    int rc = exchange(comm, copy, bytes, MPI_BYTE, dest, sendtag, buf, (size_t)count, type, source,
                      recvtag, &got);
    pri_buffer_put(comm->team.self, copy);
    pri_status_set(status, &got);
    return pri_result(comm, __func__, rc);
}
PRI_ALIAS(Sendrecv_replace);
