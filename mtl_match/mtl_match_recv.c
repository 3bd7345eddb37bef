/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages in. */
#include "mtl_match/mtl_match.h"

/* Where the data of a receive goes: the user's memory, or a buffer to be unpacked. */
NI_ALWAYS_INLINE int prepare(struct ompi_mtl_match_request *request,
                             struct opal_convertor_t *convertor, struct ni_me *me)
{
    bool direct = ompi_glue_recv_memory(convertor, &me->start, &me->length);

    request->kind = OMPI_MTL_MATCH_RECV;
    request->shared = false;
    request->packed = NULL;
    request->convertor = convertor;
    request->entry = 0;
    me->options = OMPI_MATCH_ENTRY;
    if (NI_LIKELY(direct)) {
        return OMPI_SUCCESS;
    }
    request->packed = ompi_match_buffer_get(me->length);
    if (request->packed == NULL) {
        return ompi_match_no_memory(me->match_bits, request->super.ompi_req);
    }
    me->start = request->packed->data;
    return OMPI_SUCCESS;
}

static inline void release(struct ompi_mtl_match_request *request)
{
    if (NI_UNLIKELY(request->packed != NULL)) {
        ompi_match_buffer_put(request->packed);
        request->packed = NULL;
    }
}

/* Other threads may complete and free the request of a receive that its caller waits for later. */
static inline void share(struct ompi_mtl_match_request *request)
{
    if (NI_UNLIKELY(ompi_match.threads) &&
        !ompi_glue_recv_waits(&request->super, request->convertor)) {
        request->buffered = false;
        ompi_mtl_match_share(request);
    }
}

static inline void complete(struct ompi_mtl_match_request *request)
{
    release(request);
    ompi_mtl_match_complete(request);
}

/* A message has been received, by whichever way: the status of the user's request says so. */
NI_ALWAYS_INLINE void received(struct ompi_request_t *user, const struct ni_event *event)
{
    int error = ompi_match_received(event, user);

    ompi_match_set_status(&user->req_status, event, event->mlength);
    user->req_status.MPI_ERROR = error;
}

/* The same for one whose data lies in a buffer: it is unpacked. */
static NI_NOINLINE void received_packed(struct ompi_mtl_match_request *request,
                                        const struct ni_event *event)
{
    struct ompi_request_t *user = request->super.ompi_req;

    received(user, event);
    if (event->mlength > 0 && event->ni_fail_type == NI_NI_OK &&
        ompi_match_unpack(request->convertor, request->packed, event->mlength) != OMPI_SUCCESS) {
        user->req_status.MPI_ERROR = MPI_ERR_INTERN;
    }
    complete(request);
}

/* ---- take ------------------------------------------------------------------------------------ */

/* A message that is there already or comes now, of which the caller does nothing but wait for it:
 * received from where it lies, without an entry. False: nothing has happened. Others are posted,
 * since a look at a line that is about to be written delays who writes it. */
NI_ALWAYS_INLINE bool take(struct ompi_mtl_match_request *request,
                           const struct ompi_match_endpoint *from, const struct ni_me *me)
{
    struct ompi_request_t *waiting = request->super.ompi_req;
    struct ni_taken taken;

    if (!ompi_glue_recv_waits(&request->super, request->convertor) || from == NULL ||
        NI_UNLIKELY(from->peer == NULL || request->packed != NULL) ||
        !ni_me_take(from->peer, OMPI_MATCH_PT, me->match_bits, me->ignore_bits, me->start,
                    me->length, ompi_match.looks, &taken)) {
        return false;
    }
    received(waiting, &(struct ni_event){.type = NI_EVENT_PUT,
                                         .ni_fail_type = NI_NI_OK,
                                         .match_bits = taken.match_bits,
                                         .hdr_data = taken.hdr_data,
                                         .rlength = taken.rlength,
                                         .mlength = taken.mlength});
    (void)ompi_request_complete(waiting, false);
    return true;
}

/* ---- post ------------------------------------------------------------------------------------ */

/* End a receive that has just been posted for a peer that is gone already. What the peer had sent
 * before is received all the same: that has matched by now. */
static NI_COLD void give_up(struct ompi_mtl_match_request *request, uint64_t bits)
{
    if (ni_me_unlink(ompi_match.ni, request->entry) == NI_OK) {
        (void)ompi_match_lost(bits, request->super.ompi_req);
        request->super.ompi_req->req_status.MPI_ERROR = MPI_ERR_OTHER;
        complete(request);
    }
}

/* The door for messages that are not known yet, blocking or not: pml cm calls no other. */
int ompi_mtl_match_irecv(struct mca_mtl_base_module_t *mtl, struct ompi_communicator_t *comm,
                         int source, int tag, struct opal_convertor_t *convertor,
                         struct mca_mtl_request_t *mtl_request)
{
    struct ompi_mtl_match_request *request = (struct ompi_mtl_match_request *)mtl_request;
    struct ompi_request_t *user = mtl_request->ompi_req;
    struct ompi_match_endpoint *from;
    struct ni_me me;
    int rc;

    (void)mtl;
    if (NI_UNLIKELY(!ompi_match_criteria(comm, source, tag, &me, &from))) {
        return OMPI_ERR_UNREACH;
    }
    rc = prepare(request, convertor, &me);
    if (NI_UNLIKELY(rc != OMPI_SUCCESS)) {
        return rc;
    }
    request->comm = comm;
    if (take(request, from, &me)) {
        return OMPI_SUCCESS;
    }
    share(request);
    /* The request may complete in here. It stays: the caller does not free it before this
     * returns. */
    rc =
        ni_me_append(ompi_match.ni, OMPI_MATCH_PT, &me, NI_PRIORITY_LIST, request, &request->entry);
    if (NI_UNLIKELY(rc != NI_OK)) {
        release(request);
        request->shared = false;
        return ompi_match_error(rc, me.match_bits, user);
    }
    if (NI_UNLIKELY(ompi_match_is_too_late(from, comm, user))) {
        give_up(request, me.match_bits);
    }
    return OMPI_SUCCESS;
}

/* The door for one that was unexpected, and claimed by a matched probe, blocking or not. */
int ompi_mtl_match_imrecv(struct mca_mtl_base_module_t *mtl, struct opal_convertor_t *convertor,
                          struct ompi_message_t **message, struct mca_mtl_request_t *mtl_request)
{
    struct ompi_mtl_match_request *request = (struct ompi_mtl_match_request *)mtl_request;
    ni_unexpected_handle claimed = (ni_unexpected_handle)(uintptr_t)(*message)->req_ptr;
    struct ompi_request_t *user = mtl_request->ompi_req;
    struct ni_me me = {.match_id = NI_INITIATOR_ANY};
    int rc = prepare(request, convertor, &me);

    (void)mtl;
    if (NI_UNLIKELY(rc != OMPI_SUCCESS)) {
        return rc;
    }
    request->comm = (*message)->comm;
    ompi_message_return(*message);
    *message = MPI_MESSAGE_NULL;
    share(request);
    rc = ni_unexpected_receive(ompi_match.ni, claimed, &me, request);
    if (NI_UNLIKELY(rc != NI_OK)) {
        release(request);
        request->shared = false;
    }
    return ompi_match_error(rc, me.match_bits, user);
}

/* ---- arrive ---------------------------------------------------------------------------------- */

/* PUT or PUT_OVERFLOW: the one event of a receive. */
void ompi_mtl_match_on_received(void *arg, const struct ni_event *event)
{
    struct ompi_mtl_match_request *request = event->user_ptr;

    (void)arg;
    if (NI_UNLIKELY(request->packed != NULL)) {
        received_packed(request, event);
        return;
    }
    received(request->super.ompi_req, event);
    ompi_mtl_match_complete(request);
}

/* ---- cancel ---------------------------------------------------------------------------------- */

/*
 * A receive is either unlinked here, or it has matched and completes by its event; the core decides
 * which, once. Sends are not cancelled, which MPI allows.
 */
int ompi_mtl_match_cancel(struct mca_mtl_base_module_t *mtl, mca_mtl_request_t *mtl_request,
                          int flag)
{
    struct ompi_mtl_match_request *request = (struct ompi_mtl_match_request *)mtl_request;

    (void)mtl;
    (void)flag;
    if (request->kind == OMPI_MTL_MATCH_RECV && request->entry != 0 &&
        ni_me_unlink(ompi_match.ni, request->entry) == NI_OK) {
        request->super.ompi_req->req_status._cancelled = true;
        complete(request);
    }
    return OMPI_SUCCESS;
}
