/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests: their life, data with holes, and those that an application completes itself. */
#include "mpi/request.h"

#include "mpi/check.h"

#include <limits.h>

NI_COLD int pri_null_data(void)
{
    pri_blame(MPI_ERR_BUFFER, "it is NULL, and the count is not 0");
    return PRI_ERR_BUFFER;
}

NI_COLD int pri_data_class(MPI_Count count, const struct pri_type *type)
{
    if (count < 0) {
        return pri_blame_value(MPI_ERR_COUNT, "the count", count, 0, INT_MAX);
    }
    if (type == NULL) {
        return pri_blame(MPI_ERR_TYPE, "it is MPI_DATATYPE_NULL");
    }
    if (!type->committed) {
        return pri_blame(MPI_ERR_TYPE, "it has not been committed; call MPI_Type_commit");
    }
    return MPI_SUCCESS;
}

NI_COLD int pri_bad_class(const struct pri_comm *comm, MPI_Count count, const struct pri_type *type,
                          int peer, int tag, bool recv)
{
    if (comm == NULL) {
        return MPI_ERR_COMM;
    }
    int code = pri_data_class(count, type);
    if (code != MPI_SUCCESS) {
        return code;
    }
    bool any = recv && peer == MPI_ANY_SOURCE;
    if (peer != MPI_PROC_NULL && !any && (peer < 0 || peer >= comm->team.size)) {
        return pri_blame_value(MPI_ERR_RANK, recv ? "the source" : "the destination", peer, 0,
                               comm->team.size - 1);
    }
    if (tag < (recv ? MPI_ANY_TAG : 0)) {
        return pri_blame_value(MPI_ERR_TAG, "the tag", tag, 0, INT_MAX);
    }
    return MPI_ERR_ARG;
}

static void pack(const struct pri_vec *vec, void *to, size_t bytes)
{
    const struct pri_mpi_vec *data = (const struct pri_mpi_vec *)vec;
    pri_type_pack(data->type, data->count, data->buf, 0, to, bytes);
}

static void unpack(const struct pri_vec *vec, const void *from, size_t bytes)
{
    const struct pri_mpi_vec *data = (const struct pri_mpi_vec *)vec;
    pri_type_unpack(data->type, data->count, data->buf, 0, from, bytes);
}

void pri_data_set(struct pri_mpi_vec *data, const void *buf, size_t count, struct pri_type *type)
{
    *data = (struct pri_mpi_vec){{pack, unpack}, type, count, (void *)buf};
}

void pri_requests_free(struct pri_mpi *mpi)
{
    while (mpi->requests != NULL) {
        struct pri_mpi_request *request = mpi->requests;
        pri_request_unpoison(request);
        mpi->requests = request->next;
        free(request);
    }
}

void pri_request_detached(struct pri_request *core)
{
    struct pri_mpi_request *request = (struct pri_mpi_request *)core;
    if (request->finish != NULL) {
        request->finish(request);
    }
    if (request->kind == PRI_MPI_GENERAL && request->release != NULL) {
        request->release(request->extra);
    }
    pri_request_end(request);
}

/* One that the application completes itself: the thread that comes second ends it. Each exchange
 * pairs with the other. */
static void free_general(struct pri_mpi_request *request)
{
    int pending = PRI_REQ_PENDING;
    if (!atomic_compare_exchange_strong_explicit(&request->core.state, &pending,
                                                 PRI_REQ_PENDING | PRI_REQ_DETACHED,
                                                 memory_order_acq_rel, memory_order_acquire)) {
        pri_request_detached(&request->core);
    }
}

int MPI_Request_free(MPI_Request *handle)
{
    struct pri_mpi_request *request = *handle;
    if (request == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_REQUEST);
    }
    *handle = MPI_REQUEST_NULL;
    if (request->persistent && !request->active) {
        pri_request_end(request);
    } else if (request->kind == PRI_MPI_GENERAL) {
        free_general(request);
    } else {
        pri_detach(&request->core, pri_request_detached);
    }
    return MPI_SUCCESS;
}
PRI_ALIAS(Request_free);

int MPI_Cancel(MPI_Request *handle)
{
    struct pri_mpi_request *request = *handle;
    if (request == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_REQUEST);
    }
    if ((request->kind == PRI_MPI_RECV || request->kind == PRI_MPI_SEND) && request->active) {
        pri_cancel(&request->core);
    }
    if (request->kind == PRI_MPI_GENERAL && request->cancel != NULL) {
        return request->cancel(request->extra, pri_done(&request->core));
    }
    return MPI_SUCCESS;
}
PRI_ALIAS(Cancel);

/* What the application says of its own request, when that is complete. */
static int query(struct pri_mpi_request *request)
{
    MPI_Status status = {MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, 0, 0};
    int code = request->query == NULL ? MPI_SUCCESS : request->query(request->extra, &status);
    struct pri_status *to = &request->core.status;
    to->source = status.MPI_SOURCE;
    to->tag = status.MPI_TAG;
    to->cancelled = status.presto_cancelled;
    to->bytes = status.presto_bytes;
    return code;
}

int MPI_Grequest_start(MPI_Grequest_query_function *query_fn, MPI_Grequest_free_function *release,
                       MPI_Grequest_cancel_function *cancel, void *extra, MPI_Request *handle)
{
    struct pri_mpi *mpi = pri_mpi_need(__func__);
    struct pri_mpi_request *request = pri_request_new(mpi->world, PRI_MPI_GENERAL);
    if (request == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_NO_MEM);
    }
    pri_request_null(mpi->self, &request->core);
    atomic_store_explicit(&request->core.state, PRI_REQ_PENDING, memory_order_relaxed);
    request->query = query_fn;
    request->release = release;
    request->cancel = cancel;
    request->extra = extra;
    request->finish = query;
    *handle = request;
    return MPI_SUCCESS;
}
PRI_ALIAS(Grequest_start);

int MPI_Grequest_complete(MPI_Request handle)
{
    if (handle == NULL || handle->kind != PRI_MPI_GENERAL) {
        return pri_fail(NULL, __func__, MPI_ERR_REQUEST);
    }
    /* Release, with pri_done's acquire. */
    int before = atomic_exchange_explicit(&handle->core.state, PRI_REQ_DONE, memory_order_acq_rel);
    if (before == (PRI_REQ_PENDING | PRI_REQ_DETACHED)) {
        pri_request_detached(&handle->core);
    }
    return MPI_SUCCESS;
}
PRI_ALIAS(Grequest_complete);
