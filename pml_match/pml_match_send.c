/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages out. */
#include "pml_match/pml_match_hot.h"

/* The bytes of a message that does not lie in one piece. */
static int pack(struct ompi_match_message *message, struct opal_convertor_t *convertor,
                const struct ompi_request_t *user)
{
    message->packed = ompi_match_pack(convertor, message->size);
    if (message->packed == NULL) {
        return ompi_match_no_memory(message->bits, user);
    }
    message->memory = message->packed->data;
    return OMPI_SUCCESS;
}

/* ---- send ------------------------------------------------------------------------------------ */

static NI_NOINLINE int pack_and_send(struct ompi_match_message *message, const void *buffer,
                                     size_t count, struct ompi_datatype_t *datatype,
                                     mca_pml_base_send_mode_t mode)
{
    opal_convertor_t convertor;
    int rc;

    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    ompi_glue_describe_send(&convertor, datatype, count, buffer);
    rc = pack(message, &convertor, NULL);
    OBJ_DESTRUCT(&convertor);
    return rc == OMPI_SUCCESS ? ompi_match_send(message, mode) : rc;
}

int pml_match_send(const void *buffer, size_t count, struct ompi_datatype_t *datatype, int dest,
                   int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm)
{
    struct ompi_match_message message, in_memory;
    void *memory;
    bool in_one_piece;

    if (NI_UNLIKELY(!ompi_match_address(&message, comm, dest, tag, mode))) {
        return OMPI_ERR_UNREACH;
    }
    in_one_piece = ompi_glue_in_one_piece(datatype, count, buffer, &memory, &message.size);
    message.memory = memory;
    if (NI_LIKELY(in_one_piece && mode != MCA_PML_BASE_SEND_BUFFERED &&
                  ompi_match_put_short(&message, mode))) {
        return OMPI_SUCCESS;
    }
    in_memory = message; /* What is known of a short one stays in registers. */
    if (NI_UNLIKELY(mode == MCA_PML_BASE_SEND_BUFFERED)) {
        return pml_match_bsend(&in_memory, buffer, count, datatype, in_one_piece, comm);
    }
    return NI_LIKELY(in_one_piece) ? ompi_match_send(&in_memory, mode)
                                   : pack_and_send(&in_memory, buffer, count, datatype, mode);
}

/* ---- isend ----------------------------------------------------------------------------------- */

int pml_match_put(struct pml_match_request *request, const struct ompi_match_message *message,
                  mca_pml_base_send_mode_t mode)
{
    int rc;

    request->packed = message->packed;
    rc = ompi_match_put(message, mode, false, request);
    if (rc == NI_PTL_SENT) {
        pml_match_release(request);
        pml_match_end(request);
        return OMPI_SUCCESS;
    }
    if (NI_UNLIKELY(rc != NI_OK)) {
        pml_match_release(request);
    }
    return ompi_match_error(rc, message->bits, &request->super.req_ompi);
}

int pml_match_put_described(struct pml_match_request *request, struct ompi_match_message *message,
                            mca_pml_base_send_mode_t mode)
{
    int rc = pack(message, &request->super.req_convertor, &request->super.req_ompi);

    return rc == OMPI_SUCCESS ? pml_match_put(request, message, mode) : rc;
}

/* All but what leaves at once. */
static NI_NOINLINE int isend_otherwise(struct ompi_match_message *message, const void *buffer,
                                       size_t count, struct ompi_datatype_t *datatype, int dest,
                                       int tag, mca_pml_base_send_mode_t mode, bool in_one_piece,
                                       struct ompi_communicator_t *comm,
                                       struct ompi_request_t **handle)
{
    struct pml_match_request *request = pml_match_request_get(&pml_match_sends, comm);
    int rc;

    if (NI_UNLIKELY(request == NULL)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    pml_match_note(request, buffer, count, datatype, dest, tag);
    if (NI_LIKELY(in_one_piece)) {
        rc = pml_match_put(request, message, mode);
    } else {
        pml_match_describe(request, datatype, count, buffer);
        rc = pml_match_put_described(request, message, mode);
    }
    if (NI_UNLIKELY(rc != OMPI_SUCCESS)) {
        pml_match_give_back(request);
        return rc;
    }
    *handle = &request->super.req_ompi;
    return OMPI_SUCCESS;
}

static NI_NOINLINE int ibsend(struct ompi_match_message *message, const void *buffer, size_t count,
                              struct ompi_datatype_t *datatype, bool in_one_piece,
                              struct ompi_communicator_t *comm, struct ompi_request_t **handle)
{
    int rc = pml_match_bsend(message, buffer, count, datatype, in_one_piece, comm);

    return rc == OMPI_SUCCESS ? pml_match_request_sent(comm, handle) : rc;
}

int pml_match_isend(const void *buffer, size_t count, struct ompi_datatype_t *datatype, int dest,
                    int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                    struct ompi_request_t **handle)
{
    struct ompi_match_message message, in_memory;
    void *memory;
    bool in_one_piece;

    if (NI_UNLIKELY(!ompi_match_address(&message, comm, dest, tag, mode))) {
        return OMPI_ERR_UNREACH;
    }
    in_one_piece = ompi_glue_in_one_piece(datatype, count, buffer, &memory, &message.size);
    message.memory = memory;
    if (NI_LIKELY(in_one_piece && mode != MCA_PML_BASE_SEND_BUFFERED &&
                  ompi_match_put_short(&message, mode))) {
        return pml_match_request_sent(comm, handle);
    }
    in_memory = message; /* What is known of a short one stays in registers. */
    if (NI_UNLIKELY(mode == MCA_PML_BASE_SEND_BUFFERED)) {
        return ibsend(&in_memory, buffer, count, datatype, in_one_piece, comm, handle);
    }
    return isend_otherwise(&in_memory, buffer, count, datatype, dest, tag, mode, in_one_piece, comm,
                           handle);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* The one event of a put that was not over when it returned: SEND, or ACK of a synchronous one. */
void pml_match_on_sent(void *arg, const struct ni_event *event)
{
    struct pml_match_request *request = event->user_ptr;

    (void)arg;
    if (ompi_match_on_sent(event)) {
        return;
    }
    request->super.req_ompi.req_status.MPI_ERROR =
        ompi_match_failure(event, &request->super.req_ompi);
    pml_match_release(request);
    if (NI_UNLIKELY(request->copy != NULL)) {
        pml_match_release_copy(request);
    }
    pml_match_end(request);
}
