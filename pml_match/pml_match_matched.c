/* SPDX-License-Identifier: BSD-3-Clause */
/* Probes that wait, and receives of what a matched probe has found. */
#include "pml_match/pml_match_hot.h"

/* ---- probe ----------------------------------------------------------------------------------- */

int pml_match_iprobe(int source, int tag, struct ompi_communicator_t *comm, int *matched,
                     ompi_status_public_t *status)
{
    return ompi_match_iprobe(comm, source, tag, matched, status);
}

int pml_match_probe(int source, int tag, struct ompi_communicator_t *comm,
                    ompi_status_public_t *status)
{
    int matched = 0;
    int rc = OMPI_SUCCESS;

    while (rc == OMPI_SUCCESS && !matched) {
        rc = ompi_match_iprobe(comm, source, tag, &matched, status);
    }
    return rc;
}

int pml_match_improbe(int source, int tag, struct ompi_communicator_t *comm, int *matched,
                      struct ompi_message_t **message, ompi_status_public_t *status)
{
    return ompi_match_improbe(comm, source, tag, matched, message, status);
}

int pml_match_mprobe(int source, int tag, struct ompi_communicator_t *comm,
                     struct ompi_message_t **message, ompi_status_public_t *status)
{
    int matched = 0;
    int rc = OMPI_SUCCESS;

    while (rc == OMPI_SUCCESS && !matched) {
        rc = ompi_match_improbe(comm, source, tag, &matched, message, status);
    }
    return rc;
}

/* ---- receive --------------------------------------------------------------------------------- */

/* Take the handle of a message away from the program. */
static ni_unexpected_handle take_handle(struct ompi_message_t **message)
{
    ni_unexpected_handle claimed = (ni_unexpected_handle)(uintptr_t)(*message)->req_ptr;

    ompi_message_return(*message);
    *message = MPI_MESSAGE_NULL;
    return claimed;
}

/* Receive into a request that is begun; its convertor is prepared unless the data lies in one
 * piece, where me says. The message is the program's until memory for that has been found. */
static int receive(struct pml_match_request *request, struct ni_me *me, bool in_one_piece,
                   struct ompi_message_t **message)
{
    struct ompi_request_t *user = &request->super.req_ompi;
    int rc;

    request->entry = 0;
    me->match_id = NI_INITIATOR_ANY;
    me->options = OMPI_MATCH_ENTRY;
    if (NI_UNLIKELY(!in_one_piece)) {
        rc = pml_match_unpack_later(request, me);
        if (rc != OMPI_SUCCESS) {
            return rc;
        }
    }
    rc = ni_unexpected_receive(ompi_match.ni, take_handle(message), me, request);
    if (NI_UNLIKELY(rc != NI_OK)) {
        pml_match_release(request);
    }
    return ompi_match_error(rc, me->match_bits, user);
}

int pml_match_imrecv(void *buffer, size_t count, struct ompi_datatype_t *datatype,
                     struct ompi_message_t **message, struct ompi_request_t **handle)
{
    struct ni_me me = {.ignore_bits = 0};
    struct pml_match_request *request =
        pml_match_request_get(&pml_match_receives, (*message)->comm);
    size_t size;
    int rc;
    bool in_one_piece;

    if (NI_UNLIKELY(request == NULL)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    in_one_piece = ompi_glue_in_one_piece(datatype, count, buffer, &me.start, &size);
    me.length = size;
    pml_match_note(request, buffer, count, datatype, (*message)->peer, MPI_ANY_TAG);
    if (NI_UNLIKELY(!in_one_piece)) {
        pml_match_describe(request, datatype, count, buffer);
    }
    rc = receive(request, &me, in_one_piece, message);
    if (NI_UNLIKELY(rc != OMPI_SUCCESS)) {
        pml_match_give_back(request);
        return rc;
    }
    *handle = &request->super.req_ompi;
    return OMPI_SUCCESS;
}

int pml_match_mrecv(void *buffer, size_t count, struct ompi_datatype_t *datatype,
                    struct ompi_message_t **message, ompi_status_public_t *status)
{
    struct pml_match_request request;
    struct ni_me me = {.ignore_bits = 0};
    size_t size;
    int rc;
    bool in_one_piece = ompi_glue_in_one_piece(datatype, count, buffer, &me.start, &size);

    me.length = size;
    pml_match_begin_on_stack(&request, (*message)->comm);
    if (NI_UNLIKELY(!in_one_piece)) {
        OBJ_CONSTRUCT(&request.super.req_convertor, opal_convertor_t);
        ompi_glue_describe_recv(&request.super.req_convertor, datatype, count, buffer);
    }
    rc = receive(&request, &me, in_one_piece, message);
    if (NI_LIKELY(rc == OMPI_SUCCESS)) {
        rc = pml_match_wait(&request, status);
    }
    if (NI_UNLIKELY(!in_one_piece)) {
        OBJ_DESTRUCT(&request.super.req_convertor);
    }
    return rc;
}
