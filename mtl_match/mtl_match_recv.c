/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages in. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "mtl_match/mtl_match_hot.h"

enum { OPTIONS = NI_ME_OP_PUT | NI_ME_USE_ONCE | NI_ME_EVENT_UNLINK_DISABLE };

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
    me->options = OPTIONS;
    if (NI_LIKELY(direct)) {
        return OMPI_SUCCESS;
    }
    request->packed = ompi_mtl_match_buffer_get(me->length);
    if (request->packed == NULL) {
        return ompi_mtl_match_no_memory(me->match_bits, request);
    }
    me->start = request->packed->data;
    return OMPI_SUCCESS;
}

static inline void release(struct ompi_mtl_match_request *request)
{
    if (NI_UNLIKELY(request->packed != NULL)) {
        ompi_mtl_match_buffer_put(request->packed);
        request->packed = NULL;
    }
}

/* Other threads may complete and free the request of a receive that its caller waits for later. */
static inline void share(const struct ompi_mtl_match_module *module,
                         struct ompi_mtl_match_request *request)
{
    if (NI_UNLIKELY(module->threads) &&
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

/* ---- take ------------------------------------------------------------------------------------ */

/* A message that is there already or comes now, of which the caller does nothing but wait for it:
 * received from where it lies, without an entry. False: nothing has happened. Others are posted,
 * since a look at a line that is about to be written delays who writes it. */
NI_ALWAYS_INLINE bool take(const struct ompi_mtl_match_module *module,
                           struct ompi_mtl_match_request *request,
                           const struct ompi_mtl_match_endpoint *from, const struct ni_me *me)
{
    struct ompi_request_t *waiting = request->super.ompi_req;
    struct ni_taken taken;

    if (!ompi_glue_recv_waits(&request->super, request->convertor) || from == NULL ||
        NI_UNLIKELY(from->peer == NULL || request->packed != NULL) ||
        !ni_me_take(from->peer, OMPI_MTL_MATCH_PT, me->match_bits, me->ignore_bits, me->start,
                    me->length, module->looks, &taken)) {
        return false;
    }
    waiting->req_status.MPI_SOURCE = (int)(uint32_t)taken.hdr_data;
    waiting->req_status.MPI_TAG = ompi_mtl_match_tag(taken.match_bits);
    waiting->req_status.MPI_ERROR =
        NI_LIKELY(taken.rlength <= taken.mlength) ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
    waiting->req_status._ucount = taken.mlength;
    (void)ompi_request_complete(waiting, false);
    return true;
}

/* ---- post ------------------------------------------------------------------------------------ */

/* Whether a receive that has just been posted comes too late to be told of a peer's end: it is for
 * that peer, or for a window of it. Others of any source still get what comes from the living. */
static inline bool is_too_late(const struct ompi_mtl_match_request *request,
                               const struct ompi_mtl_match_endpoint *from)
{
    if (from != NULL) {
        return atomic_load_explicit(&from->down, memory_order_relaxed) != 0;
    }
    return NI_UNLIKELY(atomic_load_explicit(&ompi_mtl_match.lost, memory_order_relaxed)) &&
           ompi_glue_of_window(request->super.ompi_req) &&
           ompi_mtl_match_misses_peer(request->comm);
}

/* End a receive that has just been posted for a peer that is gone already. What the peer had sent
 * before is received all the same: that has matched by now. */
static NI_COLD void give_up(struct ompi_mtl_match_module *module,
                            struct ompi_mtl_match_request *request, uint64_t bits)
{
    if (ni_me_unlink(module->ni, request->entry) == NI_OK) {
        (void)ompi_mtl_match_lost(bits, request);
        request->super.ompi_req->req_status.MPI_ERROR = MPI_ERR_OTHER;
        complete(request);
    }
}

int ompi_mtl_match_irecv(struct mca_mtl_base_module_t *mtl, struct ompi_communicator_t *comm,
                         int source, int tag, struct opal_convertor_t *convertor,
                         struct mca_mtl_request_t *mtl_request)
{
    struct ompi_mtl_match_module *module = (struct ompi_mtl_match_module *)mtl;
    struct ompi_mtl_match_request *request = (struct ompi_mtl_match_request *)mtl_request;
    struct ompi_mtl_match_endpoint *from;
    struct ni_me me;
    int rc;

    if (NI_UNLIKELY(!ompi_mtl_match_criteria(comm, source, tag, &me, &from))) {
        return OMPI_ERR_UNREACH;
    }
    rc = prepare(request, convertor, &me);
    if (NI_UNLIKELY(rc != OMPI_SUCCESS)) {
        return rc;
    }
    request->comm = comm;
    if (take(module, request, from, &me)) {
        return OMPI_SUCCESS;
    }
    share(module, request);
    /* The request may complete in here. It stays: the caller does not free it before this
     * returns. */
    rc = ni_me_append(module->ni, OMPI_MTL_MATCH_PT, &me, NI_PRIORITY_LIST, request,
                      &request->entry);
    if (NI_UNLIKELY(rc != NI_OK)) {
        release(request);
        request->shared = false;
        return ompi_mtl_match_error(rc, me.match_bits, request);
    }
    if (NI_UNLIKELY(is_too_late(request, from))) {
        give_up(module, request, me.match_bits);
    }
    return OMPI_SUCCESS;
}

int ompi_mtl_match_imrecv(struct mca_mtl_base_module_t *mtl, struct opal_convertor_t *convertor,
                          struct ompi_message_t **message, struct mca_mtl_request_t *mtl_request)
{
    struct ompi_mtl_match_module *module = (struct ompi_mtl_match_module *)mtl;
    struct ompi_mtl_match_request *request = (struct ompi_mtl_match_request *)mtl_request;
    ni_unexpected_handle claimed = (ni_unexpected_handle)(uintptr_t)(*message)->req_ptr;
    struct ni_me me = {.match_id = NI_INITIATOR_ANY};
    int rc = prepare(request, convertor, &me);

    if (NI_UNLIKELY(rc != OMPI_SUCCESS)) {
        return rc;
    }
    request->comm = (*message)->comm;
    ompi_message_return(*message);
    *message = MPI_MESSAGE_NULL;
    share(module, request);
    rc = ni_unexpected_receive(module->ni, claimed, &me, request);
    if (NI_UNLIKELY(rc != NI_OK)) {
        release(request);
        request->shared = false;
    }
    return ompi_mtl_match_error(rc, me.match_bits, request);
}

/* ---- arrive ---------------------------------------------------------------------------------- */

/* A ready send has found no receive, which MPI calls an error of the program. Its message is
 * received all the same, and the first one is told. */
static NI_COLD void note_ready(const struct ni_event *event)
{
    char source[16], tag[16];

    if (atomic_fetch_add_explicit(&ompi_mtl_match.unready, 1, memory_order_relaxed) == 0) {
        snprintf(source, sizeof(source), "%d", (int)(uint32_t)event->hdr_data);
        snprintf(tag, sizeof(tag), "%d", ompi_mtl_match_tag(event->match_bits));
        ompi_glue_help("ready-unposted", OPAL_NAME_PRINT(OPAL_PROC_MY_NAME), source, tag);
    }
}

/* Of a message that was not expected, or has failed. */
static NI_NOINLINE int examine(const struct ni_event *event,
                               const struct ompi_mtl_match_request *request)
{
    if (event->type == NI_EVENT_PUT_OVERFLOW &&
        NI_UNLIKELY((event->hdr_data >> 32 & OMPI_MTL_MATCH_READY) != 0)) {
        note_ready(event);
    }
    return ompi_mtl_match_failure(event, request);
}

static int error_of(const struct ni_event *event, const struct ompi_mtl_match_request *request)
{
    uint64_t how; /* type and failure in one look: 0, a message that was expected and has come */
    int error;

    _Static_assert(NI_EVENT_PUT == 0 && NI_NI_OK == 0 && offsetof(struct ni_event, type) == 0 &&
                       offsetof(struct ni_event, user_ptr) == sizeof(how),
                   "the two lie side by side, and are 0");
    memcpy(&how, event, sizeof(how));
    if (NI_UNLIKELY(how != 0)) {
        error = examine(event, request);
        if (error != MPI_SUCCESS) {
            return error;
        }
    }
    return NI_LIKELY(event->rlength <= event->mlength) ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
}

/* PUT or PUT_OVERFLOW: the one event of a receive. */
void ompi_mtl_match_on_received(void *arg, const struct ni_event *event)
{
    struct ompi_mtl_match_request *request = event->user_ptr;
    int error = error_of(event, request);

    (void)arg;
    if (NI_UNLIKELY(request->packed != NULL) && event->mlength > 0 &&
        event->ni_fail_type == NI_NI_OK) {
        int rc = ompi_mtl_match_unpack(request->convertor, request->packed, event->mlength);

        error = rc == OMPI_SUCCESS ? error : MPI_ERR_INTERN;
    }
    ompi_mtl_match_set_status(&request->super.ompi_req->req_status, event, event->mlength);
    request->super.ompi_req->req_status.MPI_ERROR = error;
    complete(request);
}

/* ---- cancel ---------------------------------------------------------------------------------- */

/*
 * A receive is either unlinked here, or it has matched and completes by its event; the core decides
 * which, once. Sends are not cancelled, which MPI allows.
 */
int ompi_mtl_match_cancel(struct mca_mtl_base_module_t *mtl, mca_mtl_request_t *mtl_request,
                          int flag)
{
    struct ompi_mtl_match_module *module = (struct ompi_mtl_match_module *)mtl;
    struct ompi_mtl_match_request *request = (struct ompi_mtl_match_request *)mtl_request;

    (void)flag;
    if (request->kind == OMPI_MTL_MATCH_RECV && request->entry != 0 &&
        ni_me_unlink(module->ni, request->entry) == NI_OK) {
        request->super.ompi_req->req_status._cancelled = true;
        complete(request);
    }
    return OMPI_SUCCESS;
}
