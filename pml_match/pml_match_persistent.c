/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistent requests: prepared once, started often. */
#include "pml_match/pml_match_hot.h"

/* ---- init ------------------------------------------------------------------------------------ */

/* A request that can be started. */
static struct pml_match_request *get(struct pml_match_list *list, struct ompi_communicator_t *comm)
{
    struct pml_match_request *request = pml_match_request_get(list, comm);

    if (request != NULL) {
        struct ompi_request_t *user = &request->super.req_ompi;

        atomic_store_explicit(&request->ends, PML_MATCH_OVER, memory_order_relaxed);
        request->entry = 0;
        user->req_persistent = true;
        user->req_state = OMPI_REQUEST_INACTIVE;
        user->req_complete = REQUEST_COMPLETED;
    }
    return request;
}

int pml_match_isend_init(const void *buffer, size_t count, struct ompi_datatype_t *datatype,
                         int dest, int tag, mca_pml_base_send_mode_t mode,
                         struct ompi_communicator_t *comm, struct ompi_request_t **handle)
{
    struct ompi_match_message message;
    struct pml_match_request *request;
    void *memory;
    bool in_one_piece;

    if (!ompi_match_address(&message, comm, dest, tag, mode)) {
        return OMPI_ERR_UNREACH;
    }
    request = get(&pml_match_sends, comm);
    if (request == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    in_one_piece = ompi_glue_in_one_piece(datatype, count, buffer, &memory, &message.size);
    message.memory = memory;
    request->message = message;
    request->mode = mode;
    pml_match_note(request, buffer, count, datatype, dest, tag);
    if (!in_one_piece) {
        pml_match_describe(request, datatype, count, buffer);
    }
    *handle = &request->super.req_ompi;
    return OMPI_SUCCESS;
}

int pml_match_irecv_init(void *buffer, size_t count, struct ompi_datatype_t *datatype, int source,
                         int tag, struct ompi_communicator_t *comm, struct ompi_request_t **handle)
{
    struct pml_match_request *request;
    struct ompi_match_endpoint *from;
    struct ni_me me = {.options = OMPI_MATCH_ENTRY};
    size_t size;
    bool in_one_piece;

    if (!ompi_match_criteria(comm, source, tag, &me, &from)) {
        return OMPI_ERR_UNREACH;
    }
    request = get(&pml_match_receives, comm);
    if (request == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    in_one_piece = ompi_glue_in_one_piece(datatype, count, buffer, &me.start, &size);
    me.length = size;
    request->me = me;
    request->from = from;
    pml_match_note(request, buffer, count, datatype, source, tag);
    if (!in_one_piece) {
        pml_match_describe(request, datatype, count, buffer);
    }
    *handle = &request->super.req_ompi;
    return OMPI_SUCCESS;
}

/* ---- start ----------------------------------------------------------------------------------- */

/* Describe the data from its beginning again. */
static void rewind_convertor(struct pml_match_request *request)
{
    size_t start = 0;

    (void)opal_convertor_set_position(&request->super.req_convertor, &start);
}

static NI_NOINLINE int start_buffered(struct pml_match_request *request)
{
    struct ompi_match_message message = request->message;
    struct opal_convertor_t *convertor = request->described ? &request->super.req_convertor : NULL;
    int rc = pml_match_send_buffered(&message, convertor, request->super.req_comm);

    if (rc == OMPI_SUCCESS) {
        pml_match_end(request);
    }
    return rc;
}

static int start_send(struct pml_match_request *request)
{
    mca_pml_base_send_mode_t mode = request->mode;
    struct ompi_match_message message;

    if (NI_UNLIKELY(mode == MCA_PML_BASE_SEND_BUFFERED)) {
        return start_buffered(request);
    }
    if (NI_UNLIKELY(request->described)) {
        message = request->message;
        return pml_match_put_described(request, &message, mode);
    }
    if (NI_LIKELY(ompi_match_put_short(&request->message, mode))) {
        pml_match_end(request);
        return OMPI_SUCCESS;
    }
    return pml_match_put(request, &request->message, mode);
}

static int start_recv(struct pml_match_request *request)
{
    struct ni_me me;
    int rc;

    if (NI_LIKELY(!request->described)) {
        return pml_match_post(request, request->from, &request->me);
    }
    me = request->me;
    rc = pml_match_unpack_later(request, &me);
    return rc == OMPI_SUCCESS ? pml_match_post(request, request->from, &me) : rc;
}

static int start(struct pml_match_request *request)
{
    struct ompi_request_t *user = &request->super.req_ompi;
    int rc;

    if (NI_UNLIKELY((atomic_load_explicit(&request->ends, memory_order_relaxed) & PML_MATCH_OVER) ==
                    0)) {
        return OMPI_ERR_REQUEST; /* it is under way */
    }
    pml_match_begin(request);
    if (NI_UNLIKELY(request->described)) {
        rewind_convertor(request);
    }
    rc =
        request->super.req_type == MCA_PML_REQUEST_SEND ? start_send(request) : start_recv(request);
    if (NI_UNLIKELY(rc != OMPI_SUCCESS)) {
        atomic_store_explicit(&request->ends, PML_MATCH_OVER, memory_order_relaxed);
        user->req_state = OMPI_REQUEST_INACTIVE;
        user->req_complete = REQUEST_COMPLETED;
    }
    return rc;
}

int pml_match_start(size_t count, struct ompi_request_t **handles)
{
    for (size_t i = 0; i < count; i++) {
        if (handles[i]->req_type == OMPI_REQUEST_PML) {
            int rc = start((struct pml_match_request *)handles[i]);

            if (NI_UNLIKELY(rc != OMPI_SUCCESS)) {
                return rc;
            }
        }
    }
    return OMPI_SUCCESS;
}
