/* SPDX-License-Identifier: BSD-3-Clause */
/* A send and a receive in one call, which waits for both, or has one request for both. */
#include <stdlib.h>

#include "mpi/check.h"
#include "mpi/request.h"
#include "mpi/send.h"

/* One of the two messages. */
struct end {
    void *buf;
    pri_count count;
    struct pri_type *type;
    int peer, tag;
};

/* MPI_SUCCESS, or what is wrong with the arguments. */
static inline int bad_exchange(const struct pri_comm *comm, const struct end *out,
                               const struct end *in)
{
    if (NI_UNLIKELY(pri_bad_send(comm, out->count, out->type, out->peer, out->tag))) {
        return pri_bad_class(comm, out->count, out->type, out->peer, out->tag, false);
    }
    if (NI_UNLIKELY(pri_bad_recv(comm, in->count, in->type, in->peer, in->tag))) {
        return pri_bad_class(comm, in->count, in->type, in->peer, in->tag, true);
    }
    return MPI_SUCCESS;
}

/* What is sent as bytes, so that the same memory can be received into; NULL: no memory. */
static void *copy_out(struct pri_rank *self, struct end *out)
{
    const size_t bytes = (size_t)out->count * out->type->size;
    void *copy = pri_buffer_get(self, bytes + 1);

    if (copy != NULL) {
        pri_type_pack(out->type, (size_t)out->count, out->buf, 0, copy, bytes);
    }
    return copy;
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* Arguments are good. 0 or an error of the core. */
static int exchange(struct pri_comm *comm, const void *sendbuf, size_t sendcount,
                    struct pri_type *sendtype, const struct end *to, const struct end *from,
                    struct pri_status *status)
{
    struct pri_mpi_request in = {.comm = comm, .type = from->type};
    struct pri_mpi_request out = {.comm = comm, .type = sendtype};
    int rc = pri_recv_start(&in, from->buf, (size_t)from->count, from->peer, from->tag);
    if (rc != 0) {
        return rc;
    }
    int sent = pri_send_start(&out, sendbuf, sendcount, to->peer, to->tag, PRI_STANDARD);
    if (sent != 0) {
        pri_cancel(&in.core);
    } else {
        sent = pri_wait(&out.core);
    }
    rc = pri_wait(&in.core);
    *status = in.core.status;
    return rc != 0 ? rc : sent;
}

int MPI_Sendrecv(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype, int dest,
                 int sendtag, void *recvbuf, pri_count recvcount, MPI_Datatype recvtype, int source,
                 int recvtag, MPI_Comm handle, MPI_Status *status)
{
    struct pri_comm *comm = pri_comm_of(handle);
    const struct end out = {(void *)sendbuf, sendcount, sendtype, dest, sendtag};
    const struct end in = {recvbuf, recvcount, recvtype, source, recvtag};
    struct pri_status got;
    int code = bad_exchange(comm, &out, &in);
    if (NI_UNLIKELY(code != MPI_SUCCESS)) {
        return pri_fail(comm, __func__, code);
    }
    int rc = exchange(comm, sendbuf, (size_t)sendcount, sendtype, &out, &in, &got);
    pri_status_set(status, &got);
    return pri_result(comm, __func__, rc);
}
PRI_ALIAS(Sendrecv);

int MPI_Sendrecv_replace(void *buf, pri_count count, MPI_Datatype type, int dest, int sendtag,
                         int source, int recvtag, MPI_Comm handle, MPI_Status *status)
{
    struct pri_comm *comm = pri_comm_of(handle);
    struct end out = {buf, count, type, dest, sendtag};
    const struct end in = {buf, count, type, source, recvtag};
    struct pri_status got;
    int code = bad_exchange(comm, &out, &in);
    if (NI_UNLIKELY(code != MPI_SUCCESS)) {
        return pri_fail(comm, __func__, code);
    }
    void *copy = copy_out(comm->team.self, &out);
    if (copy == NULL) {
        return pri_fail(comm, __func__, MPI_ERR_NO_MEM);
    }
    int rc = exchange(comm, copy, (size_t)count * type->size, MPI_BYTE, &out, &in, &got);
    pri_buffer_put(comm->team.self, copy);
    pri_status_set(status, &got);
    return pri_result(comm, __func__, rc);
}
PRI_ALIAS(Sendrecv_replace);

/* ---- one request ----------------------------------------------------------------------------- */

struct pair {
    struct pri_task task;
    struct pri_mpi_request *both, *out, *in; /* the application's request, and the messages */
    void *copy;                              /* of what is sent; NULL: none */
};

static bool advance(struct pri_task *task)
{
    struct pair *pair = ni_container_of(task, struct pair, task);

    return pri_done(&pair->out->core) && pri_done(&pair->in->core);
}

/* The pair goes when the application's request does, which may be as soon as that is complete. */
static void finished(struct pri_task *task)
{
    struct pair *pair = ni_container_of(task, struct pair, task);
    struct pri_status *status = &pair->both->core.status;

    *status = pair->in->core.status;
    if (status->error == 0) {
        status->error = pair->out->core.status.error;
    }
    pri_request_complete(&pair->both->core);
}

static void free_pair(struct pair *pair)
{
    struct pri_mpi_request *const parts[] = {pair->out, pair->in};
    struct pri_rank *self = pair->both->comm->team.self;

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (parts[i] != NULL) {
            pri_request_end(parts[i]);
        }
    }
    if (pair->copy != NULL) {
        pri_buffer_put(self, pair->copy);
    }
    free(pair);
}

/* pri_mpi_request.finish. */
static int finish(struct pri_mpi_request *request)
{
    free_pair(request->object);
    return MPI_SUCCESS;
}

/* Without the messages; NULL: no memory. */
static struct pair *new_pair(struct pri_comm *comm)
{
    struct pair *pair = calloc(1, sizeof(*pair));

    if (pair == NULL || (pair->both = pri_request_new(comm, PRI_MPI_OPERATION)) == NULL) {
        free(pair);
        return NULL;
    }
    pair->out = pri_request_new(comm, PRI_MPI_SEND);
    pair->in = pri_request_new(comm, PRI_MPI_RECV);
    if (pair->out == NULL || pair->in == NULL) {
        struct pri_mpi_request *both = pair->both;

        free_pair(pair);
        pri_request_end(both);
        return NULL;
    }
    pair->task = (struct pri_task){.advance = advance, .finished = finished};
    return pair;
}

/* The receive has begun, and nobody is to wait for it. */
static void take_back(struct pri_mpi_request *in)
{
    pri_cancel(&in->core);
    (void)pri_wait(&in->core);
}

/* 0 or an error of the core: nothing was started. */
static int begin(struct pair *pair, const struct end *out, const struct end *in)
{
    struct pri_mpi_request *both = pair->both;
    int rc;

    pri_request_type(pair->in, in->type);
    rc = pri_recv_start(pair->in, in->buf, (size_t)in->count, in->peer, in->tag);
    if (rc != 0) {
        return rc;
    }
    if (pair->copy != NULL) {
        pri_request_type(pair->out, MPI_BYTE);
        rc = pri_send_start(pair->out, pair->copy, (size_t)out->count * out->type->size, out->peer,
                            out->tag, PRI_STANDARD);
    } else {
        pri_request_type(pair->out, out->type);
        rc = pri_send_start(pair->out, out->buf, (size_t)out->count, out->peer, out->tag,
                            PRI_STANDARD);
    }
    if (rc != 0) {
        take_back(pair->in);
        return rc;
    }
    pri_request_null(both->comm->team.self, &both->core);
    atomic_store_explicit(&both->core.state, PRI_REQ_PENDING, memory_order_relaxed);
    both->finish = finish;
    both->object = pair;
    if (advance(&pair->task)) {
        finished(&pair->task);
    } else {
        pri_task_add(both->comm->team.self, &pair->task);
    }
    return 0;
}

static int isendrecv(const char *function, struct pri_comm *comm, struct end out, struct end in,
                     bool replace, MPI_Request *request)
{
    int code = bad_exchange(comm, &out, &in);
    struct pair *pair = code == MPI_SUCCESS ? new_pair(comm) : NULL;
    if (code == MPI_SUCCESS &&
        (pair == NULL || (replace && (pair->copy = copy_out(comm->team.self, &out)) == NULL))) {
        code = MPI_ERR_NO_MEM;
    }
    struct pri_mpi_request *both = pair != NULL ? pair->both : NULL;
    if (code == MPI_SUCCESS) {
        code = pri_mpi_code(begin(pair, &out, &in));
    }
    if (code == MPI_SUCCESS) {
        *request = both;
        return MPI_SUCCESS;
    }
    if (pair != NULL) {
        free_pair(pair);
        pri_request_end(both);
    }
    return pri_fail(comm, function, code);
}

int MPI_Isendrecv(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype, int dest,
                  int sendtag, void *recvbuf, pri_count recvcount, MPI_Datatype recvtype,
                  int source, int recvtag, MPI_Comm comm, MPI_Request *request)
{
    return isendrecv(__func__, pri_comm_of(comm),
                     (struct end){(void *)sendbuf, sendcount, sendtype, dest, sendtag},
                     (struct end){recvbuf, recvcount, recvtype, source, recvtag}, false, request);
}
PRI_ALIAS(Isendrecv);

int MPI_Isendrecv_replace(void *buf, pri_count count, MPI_Datatype type, int dest, int sendtag,
                          int source, int recvtag, MPI_Comm comm, MPI_Request *request)
{
    return isendrecv(__func__, pri_comm_of(comm), (struct end){buf, count, type, dest, sendtag},
                     (struct end){buf, count, type, source, recvtag}, true, request);
}
PRI_ALIAS(Isendrecv_replace);
