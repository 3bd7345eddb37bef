/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages in. */
#include "pml_match/pml_match_hot.h"

/* ---- start ----------------------------------------------------------------------------------- */

int pml_match_unpack_later(struct pml_match_request *request, struct ni_me *me)
{
    request->packed = ompi_match_buffer_get(me->length);
    if (NI_UNLIKELY(request->packed == NULL)) {
        return ompi_match_no_memory(me->match_bits, &request->super.req_ompi);
    }
    me->start = request->packed->data;
    return OMPI_SUCCESS;
}

void pml_match_give_up(struct pml_match_request *request, uint64_t bits)
{
    if (ni_me_unlink(ompi_match.ni, request->entry) == NI_OK) {
        (void)ompi_match_lost(bits, &request->super.req_ompi);
        request->super.req_ompi.req_status.MPI_ERROR = MPI_ERR_OTHER;
        pml_match_release(request);
        pml_match_end(request);
    }
}

/* ---- recv ------------------------------------------------------------------------------------ */

void pml_match_begin_on_stack(struct pml_match_request *request, struct ompi_communicator_t *comm)
{
    request->super.req_ompi.req_complete_cb = NULL;
    request->super.req_ompi.req_persistent = false;
    request->super.req_type = MCA_PML_REQUEST_RECV;
    request->super.req_comm = comm;
    request->described = false;
    request->packed = NULL;
    request->copy = NULL;
    pml_match_begin(request);
}

int pml_match_wait(struct pml_match_request *request, ompi_status_public_t *status)
{
    struct ompi_request_t *user = &request->super.req_ompi;

    ompi_request_wait_completion(user);
    if (status != MPI_STATUS_IGNORE) {
        OMPI_COPY_STATUS(status, user->req_status, false);
    }
    return user->req_status.MPI_ERROR;
}

/* With a request, which lies here. */
static NI_NOINLINE int recv_otherwise(const struct ompi_match_endpoint *from, struct ni_me *me,
                                      void *buffer, size_t count, struct ompi_datatype_t *datatype,
                                      bool in_one_piece, struct ompi_communicator_t *comm,
                                      ompi_status_public_t *status)
{
    struct pml_match_request request;
    int rc = OMPI_SUCCESS;

    pml_match_begin_on_stack(&request, comm);
    me->options = OMPI_MATCH_ENTRY;
    if (NI_UNLIKELY(!in_one_piece)) {
        OBJ_CONSTRUCT(&request.super.req_convertor, opal_convertor_t);
        ompi_glue_describe_recv(&request.super.req_convertor, datatype, count, buffer);
        rc = pml_match_unpack_later(&request, me);
    }
    if (NI_LIKELY(rc == OMPI_SUCCESS)) {
        rc = pml_match_post(&request, from, me);
    }
    if (NI_LIKELY(rc == OMPI_SUCCESS)) {
        rc = pml_match_wait(&request, status);
    }
    if (NI_UNLIKELY(!in_one_piece)) {
        OBJ_DESTRUCT(&request.super.req_convertor);
    }
    return rc;
}

/* What ni_me_take has received. */
NI_ALWAYS_INLINE int tell(const struct ni_taken *taken, ompi_status_public_t *status)
{
    if (status != MPI_STATUS_IGNORE) {
        status->MPI_SOURCE = (int)(uint32_t)taken->hdr_data;
        status->MPI_TAG = ompi_match_tag(taken->match_bits);
        status->_ucount = taken->mlength;
        status->_cancelled = 0;
    }
    return NI_LIKELY(taken->rlength <= taken->mlength) ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
}

/* A message that is there already or comes now is received from where it lies, without an entry. */
int pml_match_recv(void *buffer, size_t count, struct ompi_datatype_t *datatype, int source,
                   int tag, struct ompi_communicator_t *comm, ompi_status_public_t *status)
{
    struct ompi_match_endpoint *from;
    struct ni_taken taken;
    struct ni_me me;
    size_t size;
    bool in_one_piece;

    if (NI_UNLIKELY(!ompi_match_criteria(comm, source, tag, &me, &from))) {
        return OMPI_ERR_UNREACH;
    }
    in_one_piece = ompi_glue_in_one_piece(datatype, count, buffer, &me.start, &size);
    me.length = size;
    if (NI_LIKELY(in_one_piece && from != NULL && from->peer != NULL) &&
        NI_LIKELY(ni_me_take(from->peer, OMPI_MATCH_PT, me.match_bits, me.ignore_bits, me.start,
                             size, ompi_match.looks, &taken))) {
        return tell(&taken, status);
    }
    return recv_otherwise(from, &me, buffer, count, datatype, in_one_piece, comm, status);
}

/* ---- irecv ----------------------------------------------------------------------------------- */

int pml_match_irecv(void *buffer, size_t count, struct ompi_datatype_t *datatype, int source,
                    int tag, struct ompi_communicator_t *comm, struct ompi_request_t **handle)
{
    struct pml_match_request *request;
    struct ompi_match_endpoint *from;
    struct ni_me me;
    size_t size;
    int rc = OMPI_SUCCESS;
    bool in_one_piece;

    if (NI_UNLIKELY(!ompi_match_criteria(comm, source, tag, &me, &from))) {
        return OMPI_ERR_UNREACH;
    }
    request = pml_match_request_get(&pml_match_receives, comm);
    if (NI_UNLIKELY(request == NULL)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    in_one_piece = ompi_glue_in_one_piece(datatype, count, buffer, &me.start, &size);
    me.length = size;
    me.options = OMPI_MATCH_ENTRY;
    pml_match_note(request, buffer, count, datatype, source, tag);
    if (NI_UNLIKELY(!in_one_piece)) {
        pml_match_describe(request, datatype, count, buffer);
        rc = pml_match_unpack_later(request, &me);
    }
    if (NI_LIKELY(rc == OMPI_SUCCESS)) {
        rc = pml_match_post(request, from, &me);
    }
    if (NI_UNLIKELY(rc != OMPI_SUCCESS)) {
        pml_match_give_back(request);
        return rc;
    }
    *handle = &request->super.req_ompi;
    return OMPI_SUCCESS;
}

/* ---- arrive ---------------------------------------------------------------------------------- */

static NI_NOINLINE int unpack(struct pml_match_request *request, const struct ni_event *event,
                              int error)
{
    int rc = OMPI_SUCCESS;

    if (event->mlength > 0 && event->ni_fail_type == NI_NI_OK) {
        rc = ompi_match_unpack(&request->super.req_convertor, request->packed, event->mlength);
    }
    pml_match_release(request);
    return rc == OMPI_SUCCESS ? error : MPI_ERR_INTERN;
}

/* PUT or PUT_OVERFLOW: the one event of a receive. */
void pml_match_on_received(void *arg, const struct ni_event *event)
{
    struct pml_match_request *request = event->user_ptr;
    struct ompi_request_t *user = &request->super.req_ompi;
    int error = ompi_match_received(event, user);

    (void)arg;
    if (NI_UNLIKELY(request->packed != NULL)) {
        error = unpack(request, event, error);
    }
    ompi_match_set_status(&user->req_status, event, event->mlength);
    user->req_status.MPI_ERROR = error;
    pml_match_end(request);
}

/* ---- cancel ---------------------------------------------------------------------------------- */

/*
 * A receive is either unlinked here, or it has matched and completes by its event; the core decides
 * which, once. Sends are not cancelled, which MPI allows.
 */
int pml_match_cancel(struct ompi_request_t *user, int flag)
{
    struct pml_match_request *request = (struct pml_match_request *)user;

    (void)flag;
    if (request->super.req_type == MCA_PML_REQUEST_RECV && request->entry != 0 &&
        ni_me_unlink(ompi_match.ni, request->entry) == NI_OK) {
        user->req_status._cancelled = true;
        pml_match_release(request);
        pml_match_end(request);
    }
    return OMPI_SUCCESS;
}
