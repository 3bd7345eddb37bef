/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages in. */
#include <string.h>

#include "core/recorder.h"

/* ---- post ------------------------------------------------------------------------------------ */

/* What the peer had sent before it went is received all the same: that has matched by now. */
static void give_up(struct pri_request *request, int error)
{
    struct pri_rank *self = request->rank;

    if (ni_me_unlink(self->ni, request->entry) == NI_OK) {
        if (self->recorded) {
            pri_recorder_drop(request, false);
        }
        request->status =
            (struct pri_status){.source = PRI_ANY_SOURCE, .tag = PRI_ANY_TAG, .error = error};
        pri_complete(request);
    }
}

void pri_recv_look(struct pri_request *request)
{
    struct pri_rank *self = request->rank;
    struct pri_where from = {.peer = request->peer, .context = request->context};

    if (self->recorded) {
        pri_recorder_post(request, false);
    }
    if (pri_is_revoked(self, from.context, request->status.tag)) {
        give_up(request, PRI_ERR_REVOKED);
    } else if (!pri_may_stay(request) && pri_in_vain(self, from) && !pri_done(request)) {
        give_up(request, PRI_ERR_PEER);
    }
}

int pri_irecv(struct pri_rank *self, void *buf, size_t bytes, struct pri_where from,
              struct pri_request *request)
{
    return pri_irecv_here(self, buf, bytes, from, PRI_REQUEST_RECV, request);
}

static int irecvv(struct pri_rank *self, const struct pri_vec *vec, size_t bytes,
                  struct pri_where from, enum pri_request_kind kind, struct pri_request *request)
{
    void *packed = pri_buffer_get(self, bytes);
    int error;

    if (packed == NULL) {
        return PRI_ERR_NOMEM;
    }
    pri_recv_init(request, self, vec, kind);
    request->packed = packed;
    error = pri_recv_post(self, packed, bytes, from, request);
    if (error != PRI_OK) {
        pri_buffer_put(self, packed);
    }
    return error;
}

int pri_irecvv(struct pri_rank *self, const struct pri_vec *vec, size_t bytes,
               struct pri_where from, struct pri_request *request)
{
    return irecvv(self, vec, bytes, from, PRI_REQUEST_RECV, request);
}

int pri_irecvv_staying(struct pri_rank *self, const struct pri_vec *vec, size_t bytes,
                       struct pri_where from, struct pri_request *request)
{
    return irecvv(self, vec, bytes, from, PRI_REQUEST_RECV_STAYS, request);
}

/* ---- blocking -------------------------------------------------------------------------------- */

static inline int finish(struct pri_request *request, struct pri_status *status)
{
    int error = pri_wait(request);

    if (status != NULL) {
        *status = request->status;
    }
    return error;
}

int pri_recv_posted(struct pri_rank *self, void *buf, size_t bytes, struct pri_where from,
                    struct pri_status *status)
{
    struct pri_request request;
    int error;

    pri_recv_init(&request, self, NULL, PRI_REQUEST_RECV_BLOCKING);
    error = pri_recv_post(self, buf, bytes, from, &request);
    return NI_LIKELY(error == PRI_OK) ? finish(&request, status) : error;
}

int pri_recv(struct pri_rank *self, void *buf, size_t bytes, struct pri_where from,
             struct pri_status *status)
{
    return pri_recv_here(self, buf, bytes, from, status);
}

int pri_recvv(struct pri_rank *self, const struct pri_vec *vec, size_t bytes, struct pri_where from,
              struct pri_status *status)
{
    struct pri_request request;
    int error = irecvv(self, vec, bytes, from, PRI_REQUEST_RECV_BLOCKING, &request);

    return error == PRI_OK ? finish(&request, status) : error;
}

/* ---- claimed messages ------------------------------------------------------------------------ */

static int receive_claimed(struct pri_rank *self, void *buf, size_t bytes,
                           struct pri_message *message, struct pri_request *request)
{
    const struct ni_me me = {
        .start = buf, .length = bytes, .match_id = NI_INITIATOR_ANY, .options = PRI_RECV_OPTIONS};
    ni_unexpected_handle handle = message->handle;
    int error;

    request->peer = message->peer;
    request->context = message->context;
    request->status.tag = message->status.tag;
    request->status.bytes = bytes;
    request->entry = 0;
    message->handle = 0;
    if (handle == 0) {
        return PRI_ERR_ARG;
    }
    if (self->recorded) {
        pri_recorder_post(request, true);
    }
    error = pri_error_of(ni_unexpected_receive(self->ni, handle, &me, request));
    if (error != PRI_OK && self->recorded) {
        pri_recorder_drop(request, false);
    }
    return error;
}

int pri_imrecv(struct pri_rank *self, void *buf, size_t bytes, struct pri_message *message,
               struct pri_request *request)
{
    pri_recv_init(request, self, NULL, PRI_REQUEST_RECV);
    return receive_claimed(self, buf, bytes, message, request);
}

int pri_imrecvv(struct pri_rank *self, const struct pri_vec *vec, size_t bytes,
                struct pri_message *message, struct pri_request *request)
{
    void *packed = pri_buffer_get(self, bytes);
    int error;

    if (packed == NULL) {
        return PRI_ERR_NOMEM;
    }
    pri_recv_init(request, self, vec, PRI_REQUEST_RECV);
    request->packed = packed;
    error = receive_claimed(self, packed, bytes, message, request);
    if (error != PRI_OK) {
        pri_buffer_put(self, packed);
    }
    return error;
}

/* ---- arrive ---------------------------------------------------------------------------------- */

static NI_COLD void fail(struct pri_request *request, const struct ni_event *event)
{
    int error = pri_error_of_fail(event->ni_fail_type);

    if (request == NULL) {
        return; /* what takes the messages of a context that has been revoked */
    }
    if (error == PRI_ERR_PEER &&
        pri_is_revoked(request->rank, request->context, request->status.tag)) {
        error = PRI_ERR_REVOKED;
    }
    request->status = (struct pri_status){.source = pri_header_name(event->hdr_data),
                                          .tag = (int)(uint32_t)event->match_bits,
                                          .error = error};
    pri_complete(request);
}

/* PUT or PUT_OVERFLOW: the one event of a receive. */
void pri_on_received(void *arg, const struct ni_event *event)
{
    struct pri_request *request = event->user_ptr;
    int error = NI_LIKELY(event->rlength <= event->mlength) ? PRI_OK : PRI_ERR_TRUNCATE;

    (void)arg;
    if (NI_UNLIKELY(event->ni_fail_type != NI_NI_OK)) {
        fail(request, event);
        return;
    }
    if (NI_UNLIKELY(request->packed != NULL) && event->mlength > 0) {
        request->vec->unpack(request->vec, request->packed, event->mlength);
    }
    pri_status_of(&request->status, event, event->mlength, error);
    pri_complete(request);
}
