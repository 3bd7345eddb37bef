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

/* What leaves at once, to a process that has been sent to or received from before. False: nothing
 * has happened. The caller begins anew then: so nothing of this is kept until it is known. */
NI_ALWAYS_INLINE bool send_at_once(const void *buffer, size_t count,
                                   struct ompi_datatype_t *datatype, int dest, int tag,
                                   mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm)
{
    struct ompi_match_endpoint *to = ompi_match_endpoint_now(ompi_comm_peer_lookup(comm, dest));
    struct ompi_match_message message;
    void *memory;
    bool in_one_piece;

    if (NI_UNLIKELY(!ompi_match_address_to(&message, to, comm, tag, mode))) {
        return false;
    }
    in_one_piece = ompi_glue_in_one_piece(datatype, count, buffer, &memory, &message.size);
    message.memory = memory;
    return NI_LIKELY(in_one_piece && mode != MCA_PML_BASE_SEND_BUFFERED) &&
           ompi_match_put_short(&message, mode);
}

/* All of a message; false if its destination cannot be reached. */
static bool prepare(struct ompi_match_message *message, const void *buffer, size_t count,
                    struct ompi_datatype_t *datatype, int dest, int tag,
                    mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                    bool *in_one_piece)
{
    void *memory;

    if (NI_UNLIKELY(!ompi_match_address(message, comm, dest, tag, mode))) {
        return false;
    }
    *in_one_piece = ompi_glue_in_one_piece(datatype, count, buffer, &memory, &message->size);
    message->memory = memory;
    return true;
}

static NI_NOINLINE int send_otherwise(const void *buffer, size_t count,
                                      struct ompi_datatype_t *datatype, int dest, int tag,
                                      mca_pml_base_send_mode_t mode,
                                      struct ompi_communicator_t *comm)
{
    struct ompi_match_message message;
    bool in_one_piece;

    if (!prepare(&message, buffer, count, datatype, dest, tag, mode, comm, &in_one_piece)) {
        return OMPI_ERR_UNREACH;
    }
    if (NI_UNLIKELY(mode == MCA_PML_BASE_SEND_BUFFERED)) {
        return pml_match_bsend(&message, buffer, count, datatype, in_one_piece, comm);
    }
    return NI_LIKELY(in_one_piece) ? ompi_match_send(&message, mode)
                                   : pack_and_send(&message, buffer, count, datatype, mode);
}

int pml_match_send(const void *buffer, size_t count, struct ompi_datatype_t *datatype, int dest,
                   int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm)
{
    return NI_LIKELY(send_at_once(buffer, count, datatype, dest, tag, mode, comm))
               ? OMPI_SUCCESS
               : send_otherwise(buffer, count, datatype, dest, tag, mode, comm);
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

/* One that has a request of its own. */
static int isend_with_request(struct ompi_match_message *message, const void *buffer, size_t count,
                              struct ompi_datatype_t *datatype, int dest, int tag,
                              mca_pml_base_send_mode_t mode, bool in_one_piece,
                              struct ompi_communicator_t *comm, struct ompi_request_t **handle)
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

static NI_NOINLINE int isend_otherwise(const void *buffer, size_t count,
                                       struct ompi_datatype_t *datatype, int dest, int tag,
                                       mca_pml_base_send_mode_t mode,
                                       struct ompi_communicator_t *comm,
                                       struct ompi_request_t **handle)
{
    struct ompi_match_message message;
    bool in_one_piece;
    int rc;

    if (!prepare(&message, buffer, count, datatype, dest, tag, mode, comm, &in_one_piece)) {
        return OMPI_ERR_UNREACH;
    }
    if (NI_LIKELY(mode != MCA_PML_BASE_SEND_BUFFERED)) {
        return isend_with_request(&message, buffer, count, datatype, dest, tag, mode, in_one_piece,
                                  comm, handle);
    }
    rc = pml_match_bsend(&message, buffer, count, datatype, in_one_piece, comm);
    return rc == OMPI_SUCCESS ? pml_match_request_sent(comm, handle) : rc;
}

int pml_match_isend(const void *buffer, size_t count, struct ompi_datatype_t *datatype, int dest,
                    int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                    struct ompi_request_t **handle)
{
    if (NI_LIKELY(send_at_once(buffer, count, datatype, dest, tag, mode, comm))) {
        return pml_match_request_sent(comm, handle);
    }
    return isend_otherwise(buffer, count, datatype, dest, tag, mode, comm, handle);
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
