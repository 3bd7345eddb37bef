/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistent requests: a message's arguments, kept to start it again and again; the start of
 * collective ones. */
#include "mpi/coll_check.h"
#include "mpi/request.h"
#include "mpi/send.h"

static int make(const char *function, struct pri_comm *comm, enum pri_mpi_kind kind, void *buf,
                pri_count count, struct pri_type *type, int peer, int tag, enum pri_mode mode,
                MPI_Request *out)
{
    bool recv = kind == PRI_MPI_RECV;
    if (recv ? pri_bad_recv(comm, count, type, peer, tag)
             : pri_bad_send(comm, count, type, peer, tag)) {
        return pri_fail(comm, function, pri_bad_class(comm, count, type, peer, tag, recv));
    }
    struct pri_mpi_request *request = pri_request_new(comm, kind);
    if (request == NULL) {
        return pri_fail(comm, function, MPI_ERR_NO_MEM);
    }
    pri_request_type(request, type);
    request->persistent = true;
    request->active = false;
    request->buf = buf;
    request->count = (size_t)count;
    request->peer = peer;
    request->tag = tag;
    request->mode = mode;
    *out = request;
    return MPI_SUCCESS;
}

int MPI_Send_init(PRESTO_SEND_ARGS, MPI_Request *request)
{
    return make(__func__, pri_comm_of(comm), PRI_MPI_SEND, (void *)buf, count, type, dest, tag,
                PRI_STANDARD, request);
}
PRI_ALIAS(Send_init);

int MPI_Ssend_init(PRESTO_SEND_ARGS, MPI_Request *request)
{
    return make(__func__, pri_comm_of(comm), PRI_MPI_SEND, (void *)buf, count, type, dest, tag,
                PRI_SYNCHRONOUS, request);
}
PRI_ALIAS(Ssend_init);

int MPI_Bsend_init(PRESTO_SEND_ARGS, MPI_Request *request)
{
    return make(__func__, pri_comm_of(comm), PRI_MPI_SEND, (void *)buf, count, type, dest, tag,
                PRI_BUFFERED, request);
}
PRI_ALIAS(Bsend_init);

int MPI_Rsend_init(PRESTO_SEND_ARGS, MPI_Request *request)
{
    return make(__func__, pri_comm_of(comm), PRI_MPI_SEND, (void *)buf, count, type, dest, tag,
                PRI_READY, request);
}
PRI_ALIAS(Rsend_init);

int MPI_Recv_init(PRESTO_RECV_ARGS, MPI_Request *request)
{
    return make(__func__, pri_comm_of(comm), PRI_MPI_RECV, buf, count, type, source, tag,
                PRI_STANDARD, request);
}
PRI_ALIAS(Recv_init);

#ifndef PRI_LARGE
/* An error of the core: nothing was started. */
static int start_kind(struct pri_mpi_request *r)
{
    switch (r->kind) {
    case PRI_MPI_PERSISTENT:
        return pri_coll_start(r);
    case PRI_MPI_RECV:
        return pri_recv_start_staying(r, r->buf, r->count, r->peer, r->tag);
    default:
        return pri_send_start(r, r->buf, r->count, r->peer, r->tag, r->mode);
    }
}

static int start(const char *function, struct pri_mpi_request *r)
{
    if (r == NULL || !r->persistent || r->active) {
        return pri_fail(r == NULL ? NULL : r->comm, function, MPI_ERR_REQUEST);
    }
    int rc = start_kind(r);
    r->active = rc == 0;
    return pri_result(r->comm, function, rc);
}

int MPI_Start(MPI_Request *request)
{
    return start(__func__, *request);
}
PRI_ALIAS(Start);

int MPI_Startall(int count, MPI_Request requests[])
{
    for (int i = 0; i < count; i++) {
        int code = start(__func__, requests[i]);
        if (code != MPI_SUCCESS) {
            return code;
        }
    }
    return MPI_SUCCESS;
}
PRI_ALIAS(Startall);
#endif
