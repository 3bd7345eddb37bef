/* SPDX-License-Identifier: BSD-3-Clause */
/* Probes, and messages that a probe has claimed. */
#include "mpi/check.h"
#include "mpi/request.h"
#include "mpi/send.h"

#include <stdlib.h>

struct pri_mpi_message {
    struct pri_message core;
    struct pri_comm *comm;
};

#ifndef PRI_LARGE
int MPI_Probe(int source, int tag, MPI_Comm handle, MPI_Status *status)
{
    struct pri_comm *comm = pri_comm_of(handle);
    struct pri_status got;
    if (pri_bad_source(comm, source, tag)) {
        return pri_fail(comm, __func__, pri_bad_class(comm, 0, MPI_BYTE, source, tag, true));
    }
    if (source == MPI_PROC_NULL) {
        pri_status_nobody(status);
        return MPI_SUCCESS;
    }
    int rc = pri_probe(comm->team.self, pri_from(comm, source, tag), &got);
    if (rc == 0) {
        pri_status_set(status, &got);
    }
    return pri_result(comm, __func__, rc);
}
PRI_ALIAS(Probe);

int MPI_Iprobe(int source, int tag, MPI_Comm handle, int *flag, MPI_Status *status)
{
    struct pri_comm *comm = pri_comm_of(handle);
    struct pri_status got;
    bool found = false;
    if (pri_bad_source(comm, source, tag)) {
        return pri_fail(comm, __func__, pri_bad_class(comm, 0, MPI_BYTE, source, tag, true));
    }
    *flag = 1;
    if (source == MPI_PROC_NULL) {
        pri_status_nobody(status);
        return MPI_SUCCESS;
    }
    int rc = pri_iprobe(comm->team.self, pri_from(comm, source, tag), &found, &got);
    *flag = rc == 0 && found;
    if (*flag) {
        pri_status_set(status, &got);
    }
    return pri_result(comm, __func__, rc);
}
PRI_ALIAS(Iprobe);

/* Claims a message, waiting for it or not. */
static int claim(const char *function, int source, int tag, MPI_Comm handle, bool wait, int *flag,
                 MPI_Message *out, MPI_Status *status)
{
    struct pri_comm *comm = pri_comm_of(handle);
    bool found = true;
    if (pri_bad_source(comm, source, tag)) {
        return pri_fail(comm, function, pri_bad_class(comm, 0, MPI_BYTE, source, tag, true));
    }
    *flag = 1;
    if (source == MPI_PROC_NULL) {
        pri_status_nobody(status);
        *out = MPI_MESSAGE_NO_PROC;
        return MPI_SUCCESS;
    }
    struct pri_mpi_message *message = malloc(sizeof(*message));
    if (message == NULL) {
        return pri_fail(comm, function, MPI_ERR_NO_MEM);
    }
    struct pri_where from = pri_from(comm, source, tag);
    int rc = wait ? pri_mprobe(comm->team.self, from, &message->core)
                  : pri_improbe(comm->team.self, from, &found, &message->core);
    *flag = rc == 0 && found;
    if (!*flag) {
        free(message);
        return pri_result(comm, function, rc);
    }
    pri_comm_retain(comm);
    message->comm = comm;
    pri_status_set(status, &message->core.status);
    *out = message;
    return MPI_SUCCESS;
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    int flag;
    return claim(__func__, source, tag, comm, true, &flag, message, status);
}
PRI_ALIAS(Mprobe);

int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                MPI_Status *status)
{
    return claim(__func__, source, tag, comm, false, flag, message, status);
}
PRI_ALIAS(Improbe);
#endif

/* Starts the receive of a claimed message, whose memory goes; an MPI code. */
static int start(struct pri_mpi_message *message, void *buf, pri_count count, struct pri_type *type,
                 struct pri_mpi_request **out)
{
    struct pri_comm *comm = message->comm;
    struct pri_mpi_request *request = pri_request_new(comm, PRI_MPI_RECV);
    if (request == NULL) {
        return MPI_ERR_NO_MEM;
    }
    pri_request_type(request, type);
    size_t bytes = (size_t)count * type->size;
    int rc;
    if (type->contiguous) {
        rc = pri_imrecv(comm->team.self, pri_data_at(buf, type), bytes, &message->core,
                        &request->core);
    } else {
        pri_data_set(&request->data, buf, (size_t)count, type);
        rc =
            pri_imrecvv(comm->team.self, &request->data.vec, bytes, &message->core, &request->core);
    }
    if (rc != 0) {
        pri_request_end(request);
        return pri_mpi_code(rc);
    }
    pri_comm_release(comm);
    free(message);
    *out = request;
    return MPI_SUCCESS;
}

/* The request of a message that was none. */
static int start_none(struct pri_mpi_request **out)
{
    struct pri_mpi *mpi = pri_mpi();
    struct pri_mpi_request *request = pri_request_new(mpi->world, PRI_MPI_RECV);
    if (request == NULL) {
        return MPI_ERR_NO_MEM;
    }
    pri_request_type(request, MPI_BYTE);
    pri_request_null(mpi->self, &request->core);
    *out = request;
    return MPI_SUCCESS;
}

static int imrecv(const char *function, void *buf, pri_count count, MPI_Datatype type,
                  MPI_Message *message, MPI_Request *request)
{
    if (*message == NULL) {
        return pri_fail(NULL, function, MPI_ERR_REQUEST);
    }
    bool none = *message == MPI_MESSAGE_NO_PROC;
    struct pri_comm *comm = none ? NULL : (*message)->comm;
    if (pri_bad_data(count, type)) {
        return pri_fail(comm, function, pri_data_class(count, type));
    }
    int code = none ? start_none(request) : start(*message, buf, count, type, request);
    if (code != MPI_SUCCESS) {
        return pri_fail(comm, function, code);
    }
    *message = MPI_MESSAGE_NULL;
    return MPI_SUCCESS;
}

int MPI_Imrecv(void *buf, pri_count count, MPI_Datatype type, MPI_Message *message,
               MPI_Request *request)
{
    return imrecv(__func__, buf, count, type, message, request);
}
PRI_ALIAS(Imrecv);

int MPI_Mrecv(void *buf, pri_count count, MPI_Datatype type, MPI_Message *message,
              MPI_Status *status)
{
    MPI_Request request;
    int code = imrecv(__func__, buf, count, type, message, &request);
    if (code != MPI_SUCCESS) {
        return code;
    }
    struct pri_comm *comm = request->comm;
    int rc = pri_wait(&request->core);
    pri_status_set(status, &request->core.status);
    pri_comm_retain(comm);
    pri_request_end(request);
    code = pri_result(comm, __func__, rc);
    pri_comm_release(comm);
    return code;
}
PRI_ALIAS(Mrecv);
