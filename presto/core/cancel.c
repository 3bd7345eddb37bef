/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cancelling. A receive is unlinked. A send's message is with its receiver, at least its header:
 * the sender asks by a put behind it, the receiver drops the message if nobody has received it, and
 * says whether it has.
 *
 * Which message it is: that with the request's bits and number (pri_header_request). An earlier
 * request may have had both, and its message may be there still. But a receiver matches what one
 * rank sends with the same bits in its order, so that the last one there is the request's if that
 * is among them; and a later request cannot have the number while this one waits for the answer.
 *
 * The message of a cancelled send may be under way otherwise: its data is still here until the
 * receiver has dropped it, or it waits for room. The request is complete when that has ended, too.
 */
#include <stdio.h>

#include "core/recorder.h"

/* ---- those who wait for an answer ------------------------------------------------------------ */

static void list(struct pri_rank *self, struct pri_request *request)
{
    pri_lock(self);
    request->next_asked = self->cold->asked;
    self->cold->asked = request;
    pri_unlock(self);
}

/* One to this peer, with this number or, if it is 0, any; NULL: there is none (any more). */
static struct pri_request *unlist(struct pri_rank *self, int peer, uint64_t number)
{
    struct pri_request **at = &self->cold->asked, *request;

    pri_lock(self);
    while ((request = *at) != NULL &&
           (request->peer != peer || (number != 0 && pri_header_request(request) != number))) {
        at = &request->next_asked;
    }
    if (request != NULL) {
        *at = request->next_asked;
    }
    pri_unlock(self);
    return request;
}

static void answered(struct pri_rank *self, int peer, uint64_t number, bool cancelled)
{
    struct pri_request *request = unlist(self, peer, number);

    if (request != NULL) {
        pri_request_part(request, PRI_REQ_ASKED, cancelled);
    }
}

void pri_cancels_fail(struct pri_rank *self, int peer)
{
    struct pri_request *request;

    while ((request = unlist(self, peer, 0)) != NULL) {
        pri_request_part(request, PRI_REQ_ASKED, false);
    }
}

/* ---- messages -------------------------------------------------------------------------------- */

/* The sender waits for the answer. */
NI_COLD void pri_on_cancel(struct pri_rank *self, const struct ni_event *event)
{
    int result = ni_unexpected_revoke(self->ni, PRI_PT, event->initiator, event->match_bits,
                                      event->hdr_data, PRI_HEADER_NAME);
    int error = pri_control_put(self, event->peer, 0, event->hdr_data & ~PRI_HEADER_NAME,
                                result == NI_OK ? PRI_CONTROL_CANCELLED : PRI_CONTROL_KEPT);

    if (error == PRI_ERR_NOMEM) {
        fprintf(stderr, "presto: rank %d cannot tell another whether its send is cancelled: %s\n",
                self->rank, pri_error_text(error));
        pri_abort(self, 1);
    }
}

NI_COLD void pri_on_cancel_answer(struct pri_rank *self, const struct ni_event *event,
                                  bool cancelled)
{
    answered(self, pri_peer_of(self, event), event->hdr_data & ~PRI_HEADER_NAME, cancelled);
}

/* ---- cancel ---------------------------------------------------------------------------------- */

/* Either it is unlinked here, or it has matched and completes by its event; the NI decides which,
 * once. (A receive of a claimed message has no entry.) */
static void cancel_recv(struct pri_request *request)
{
    struct pri_rank *self = request->rank;
    int result;

    if (pri_done(request) || request->entry == 0) {
        return;
    }
    do {
        result = ni_me_unlink(self->ni, request->entry);
    } while (result == NI_PTL_IN_USE && !pri_test(request));
    if (result == NI_OK) {
        if (self->recorded) {
            pri_recorder_drop(request, true);
        }
        request->status = pri_status_cancelled;
        pri_complete(request);
    }
}

/* Whether there is a message that could be cancelled, and nobody has been asked yet. */
static bool is_open(struct pri_request *request)
{
    int state = atomic_load_explicit(&request->state, memory_order_acquire);

    if (state == PRI_REQ_DONE) {
        return request->status.error == PRI_OK && !request->status.cancelled;
    }
    return state == PRI_REQ_PENDING;
}

static void cancel_send(struct pri_request *request)
{
    struct pri_rank *self = request->rank;
    struct pri_peer *peer = &self->peers[request->peer];
    uint64_t number = pri_header_request(request);
    int to = request->peer, error;

    if (!is_open(request)) {
        return;
    }
    /* One that is complete is not any more. Nobody but this thread knows of it or, of a pending
     * one, looks at more than the whole word. */
    atomic_fetch_add_explicit(&request->state, PRI_REQ_ASKED, memory_order_relaxed);
    list(self, request);
    error = pri_control_put(self, peer->ni, request->bits, number, PRI_CONTROL_CANCEL);
    /* After it is listed: the thread that says that the peer is gone either finds it or has said
     * so. */
    if (error != PRI_OK || atomic_load_explicit(&peer->down, memory_order_relaxed) != 0) {
        answered(self, to, number, false);
    }
}

void pri_cancel(struct pri_request *request)
{
    if (request->is_recv) {
        cancel_recv(request);
    } else {
        cancel_send(request);
    }
}
