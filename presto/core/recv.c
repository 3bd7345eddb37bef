/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages in. */
#include <string.h>

#include "core/rank.h"

enum { OPTIONS = NI_ME_OP_PUT | NI_ME_USE_ONCE | NI_ME_EVENT_UNLINK_DISABLE };

/* ---- post ------------------------------------------------------------------------------------ */

/* End a receive that has just been posted and waits in vain. What the peer had sent before it went
 * is received all the same: that has matched by now. */
static NI_COLD void give_up(struct pri_request *request)
{
    if (ni_me_unlink(request->rank->ni, request->entry) == NI_OK) {
        request->status = (struct pri_status){
            .source = PRI_ANY_SOURCE, .tag = PRI_ANY_TAG, .error = PRI_ERR_PEER};
        pri_complete(request);
    }
}

/* request->packed is set by the caller's request, if it is. */
NI_ALWAYS_INLINE int post(struct pri_rank *self, void *buf, size_t bytes, struct pri_where from,
                          struct pri_request *request)
{
    struct ni_me me = {.start = buf, .length = bytes, .options = OPTIONS};
    int result;

    if (NI_UNLIKELY(!pri_criteria(self, from, &me, &request->context))) {
        return PRI_ERR_RANK;
    }
    request->peer = from.peer;
    request->entry = 0;
    /* It may complete in here; it stays all the same, it is the caller's. */
    result = ni_me_append(self->ni, PRI_PT, &me, NI_PRIORITY_LIST, request, &request->entry);
    if (NI_UNLIKELY(result != NI_OK)) {
        return pri_error_of(result);
    }
    if (NI_UNLIKELY(pri_in_vain(self, from)) && !pri_done(request)) {
        give_up(request);
    }
    return PRI_OK;
}

int pri_irecv(struct pri_rank *self, void *buf, size_t bytes, struct pri_where from,
              struct pri_request *request)
{
    pri_request_init(request, self, true, NULL);
    return post(self, buf, bytes, from, request);
}

int pri_irecvv(struct pri_rank *self, const struct pri_vec *vec, size_t bytes,
               struct pri_where from, struct pri_request *request)
{
    void *packed = pri_buffer_get(self, bytes);
    int error;

    if (packed == NULL) {
        return PRI_ERR_NOMEM;
    }
    pri_request_init(request, self, true, vec);
    request->packed = packed;
    error = post(self, packed, bytes, from, request);
    if (error != PRI_OK) {
        pri_buffer_put(self, packed);
    }
    return error;
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

/* A short message that is there or comes now: received from where it is, without being posted.
 * False: nothing has happened. */
NI_ALWAYS_INLINE bool take(struct pri_rank *self, void *buf, size_t bytes, struct pri_where from,
                           struct ni_taken *taken)
{
    bool any = from.tag == PRI_ANY_TAG;

    if (NI_UNLIKELY((unsigned)from.peer >= (unsigned)self->size) ||
        NI_UNLIKELY(self->peers[from.peer].ni == NULL) ||
        NI_UNLIKELY(atomic_load_explicit(&self->tasks, memory_order_relaxed) != 0)) {
        return false;
    }
    return ni_me_take(self->peers[from.peer].ni, PRI_PT,
                      any ? (uint64_t)from.context << 32 : pri_bits(from),
                      any ? PRI_ANY_TAG_BITS : 0, buf, bytes, self->looks, taken);
}

static inline int taken_end(const struct ni_taken *taken, struct pri_status *status)
{
    int error = NI_LIKELY(taken->rlength <= taken->mlength) ? PRI_OK : PRI_ERR_TRUNCATE;

    if (status != NULL) {
        *status = (struct pri_status){.source = (int)(uint32_t)taken->hdr_data,
                                      .tag = (int)(uint32_t)taken->match_bits,
                                      .error = error,
                                      .bytes = taken->mlength};
    }
    return error;
}

int pri_recv(struct pri_rank *self, void *buf, size_t bytes, struct pri_where from,
             struct pri_status *status)
{
    struct pri_request request;
    struct ni_taken taken;
    int error;

    if (take(self, buf, bytes, from, &taken)) {
        return taken_end(&taken, status);
    }
    pri_request_init(&request, self, true, NULL);
    error = post(self, buf, bytes, from, &request);
    return NI_LIKELY(error == PRI_OK) ? finish(&request, status) : error;
}

int pri_recvv(struct pri_rank *self, const struct pri_vec *vec, size_t bytes, struct pri_where from,
              struct pri_status *status)
{
    struct pri_request request;
    int error = pri_irecvv(self, vec, bytes, from, &request);

    return error == PRI_OK ? finish(&request, status) : error;
}

/* ---- claimed messages ------------------------------------------------------------------------ */

static int receive_claimed(struct pri_rank *self, void *buf, size_t bytes,
                           struct pri_message *message, struct pri_request *request)
{
    const struct ni_me me = {
        .start = buf, .length = bytes, .match_id = NI_INITIATOR_ANY, .options = OPTIONS};
    ni_unexpected_handle handle = message->handle;

    request->peer = message->peer;
    request->entry = 0;
    message->handle = 0;
    return handle == 0 ? PRI_ERR_ARG
                       : pri_error_of(ni_unexpected_receive(self->ni, handle, &me, request));
}

int pri_imrecv(struct pri_rank *self, void *buf, size_t bytes, struct pri_message *message,
               struct pri_request *request)
{
    pri_request_init(request, self, true, NULL);
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
    pri_request_init(request, self, true, vec);
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
    request->status = (struct pri_status){.source = (int)(uint32_t)event->hdr_data,
                                          .tag = (int)(uint32_t)event->match_bits,
                                          .error = pri_error_of_fail(event->ni_fail_type)};
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
