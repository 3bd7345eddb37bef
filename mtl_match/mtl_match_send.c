/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages out. */
#include "mtl_match/mtl_match.h"

/* Find peer and data. The data is packed if it is not contiguous. user: the request, NULL if it
 * blocks. */
NI_ALWAYS_INLINE int prepare(struct ompi_match_message *message, struct ompi_communicator_t *comm,
                             int dest, int tag, struct opal_convertor_t *convertor,
                             mca_pml_base_send_mode_t mode, const struct ompi_request_t *user)
{
    if (NI_UNLIKELY(!ompi_match_address(message, comm, dest, tag, mode))) {
        return OMPI_ERR_UNREACH;
    }
    if (NI_LIKELY(ompi_glue_send_memory(convertor, &message->memory, &message->size))) {
        return OMPI_SUCCESS;
    }
    message->packed = ompi_match_pack(convertor, message->size);
    if (message->packed == NULL) {
        return ompi_match_no_memory(message->bits, user);
    }
    message->memory = message->packed->data;
    return OMPI_SUCCESS;
}

/* ---- isend ----------------------------------------------------------------------------------- */

static inline void complete(struct ompi_mtl_match_request *request, int error)
{
    ompi_match_release(request->packed);
    request->super.ompi_req->req_status.MPI_ERROR = error;
    ompi_mtl_match_complete(request);
}

/*
 * A buffered send that may be started again: pml cm would send the bytes of its copy again, which
 * it has freed, or count them as elements if this one is still under way. So it is over at once,
 * with a copy of ours, and its convertor describes the user's data anew.
 */
static NI_COLD int isend_again(struct ompi_match_message *message,
                               struct opal_convertor_t *convertor,
                               struct ompi_mtl_match_request *request, int dest, int tag)
{
    struct ompi_match_buffer *copy = ompi_match_pack(convertor, message->size);
    int rc;

    if (copy == NULL) {
        return ompi_match_no_memory(message->bits, request->super.ompi_req);
    }
    rc = ompi_match_send_buffer(message, copy);
    if (rc != NI_OK) {
        return ompi_match_error(rc, message->bits, request->super.ompi_req);
    }
    ompi_glue_renew_buffered(&request->super, convertor, dest, tag);
    complete(request, MPI_SUCCESS);
    return OMPI_SUCCESS;
}

/* Other threads may complete and free the request. One of a buffered send is complete before that:
 * pml cm would do so after it was started, when another thread may do so, too. */
static NI_NOINLINE void share(struct ompi_mtl_match_request *request, mca_pml_base_send_mode_t mode)
{
    struct ompi_request_t *user = request->super.ompi_req;

    request->buffered = mode == MCA_PML_BASE_SEND_BUFFERED;
    ompi_mtl_match_share(request);
    if (request->buffered) {
        user->req_status.MPI_ERROR = MPI_SUCCESS;
        (void)ompi_request_complete(user, true);
    }
}

int ompi_mtl_match_isend(struct mca_mtl_base_module_t *mtl, struct ompi_communicator_t *comm,
                         int dest, int tag, struct opal_convertor_t *convertor,
                         mca_pml_base_send_mode_t mode, bool blocking,
                         mca_mtl_request_t *mtl_request)
{
    struct ompi_mtl_match_request *request = (struct ompi_mtl_match_request *)mtl_request;
    struct ompi_request_t *user = mtl_request->ompi_req;
    struct ompi_match_message message;
    int rc = prepare(&message, comm, dest, tag, convertor, mode, user);

    (void)mtl;
    (void)blocking;
    if (NI_UNLIKELY(rc != OMPI_SUCCESS)) {
        return rc;
    }
    request->kind = OMPI_MTL_MATCH_SEND;
    request->shared = false;
    request->packed = message.packed;
    if (NI_UNLIKELY(mode == MCA_PML_BASE_SEND_BUFFERED) && message.size > 0 &&
        request->super.ompi_req->req_persistent) {
        return isend_again(&message, convertor, request, dest, tag);
    }
    if (ompi_match_put_short(&message, mode)) {
        rc = NI_PTL_SENT;
    } else {
        if (NI_UNLIKELY(ompi_match.threads)) {
            share(request, mode);
        }
        rc = ompi_match_put(&message, mode, false, request);
    }
    if (NI_LIKELY(rc == NI_PTL_SENT)) {
        complete(request, MPI_SUCCESS);
        return OMPI_SUCCESS;
    }
    if (NI_UNLIKELY(rc != NI_OK)) {
        ompi_match_release(message.packed);
        request->shared = false;
    }
    return ompi_match_error(rc, message.bits, user);
}

/* ---- send ------------------------------------------------------------------------------------ */

int ompi_mtl_match_send(struct mca_mtl_base_module_t *mtl, struct ompi_communicator_t *comm,
                        int dest, int tag, struct opal_convertor_t *convertor,
                        mca_pml_base_send_mode_t mode)
{
    struct ompi_match_message message, in_memory;
    int rc = prepare(&message, comm, dest, tag, convertor, mode, NULL);

    (void)mtl;
    if (NI_UNLIKELY(rc != OMPI_SUCCESS)) {
        return rc;
    }
    if (NI_LIKELY(message.packed == NULL && ompi_match_put_short(&message, mode))) {
        return OMPI_SUCCESS;
    }
    in_memory = message; /* What is known of a short one stays in registers. */
    return ompi_match_send(&in_memory, mode);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* The one event of a put that was not over when it returned: SEND, or ACK of a synchronous one. */
void ompi_mtl_match_on_sent(void *arg, const struct ni_event *event)
{
    struct ompi_mtl_match_request *request = event->user_ptr;

    (void)arg;
    if (!ompi_match_on_sent(event)) {
        complete(request, ompi_match_failure(event, request->super.ompi_req));
    }
}
