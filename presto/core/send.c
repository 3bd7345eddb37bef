/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages out. */
#include <stdlib.h>
#include <string.h>

#include "core/recorder.h"

/* ---- the put --------------------------------------------------------------------------------- */

/* NI_PTL_SENT: the data has left. NI_OK: an event follows. Anything else: an error, no event. */
NI_ALWAYS_INLINE int put(struct pri_rank *self, const void *buf, size_t bytes, struct pri_where to,
                         enum pri_mode mode, uint64_t header, void *user_ptr)
{
    struct ni_peer *peer = self->peers[to.peer].ni;

    if (NI_LIKELY(mode != PRI_SYNCHRONOUS)) {
        return ni_put(self->ni, &self->sends, (uint64_t)(uintptr_t)buf, bytes, NI_NO_ACK_REQ, peer,
                      PRI_PT, pri_bits(to), 0, user_ptr, header);
    }
    return ni_put(self->ni, &self->syncs, (uint64_t)(uintptr_t)buf, bytes, NI_ACK_REQ, peer, PRI_PT,
                  pri_bits(to), 0, user_ptr, header);
}

static inline bool is_rank(const struct pri_rank *self, int peer)
{
    return pri_knows(self, peer);
}

/* The one event of a put that was not over when it returned: SEND, or ACK of a synchronous one. */
void pri_on_sent(void *arg, const struct ni_event *event)
{
    struct pri_request *request = event->user_ptr;

    (void)arg;
    request->status.error = pri_error_of_fail(event->ni_fail_type);
    pri_complete(request);
}

/* ---- start ----------------------------------------------------------------------------------- */

/* Start a send; buf stays until it has ended. packed is NULL, or buf and the core's. */
NI_ALWAYS_INLINE int start_plain(struct pri_rank *self, const void *buf, size_t bytes,
                                 struct pri_where to, enum pri_mode mode, uint64_t header,
                                 void *packed, struct pri_request *request)
{
    int result;

    pri_send_init(request, self, to, PRI_REQ_PENDING);
    request->kind = mode == PRI_SYNCHRONOUS ? PRI_REQUEST_SYNCHRONOUS : PRI_REQUEST_SEND;
    request->status.bytes = bytes;
    request->packed = packed;
    result = put(self, buf, bytes, to, mode, header, request);
    if (NI_LIKELY(result == NI_PTL_SENT)) {
        if (packed != NULL) {
            pri_buffer_put(self, packed);
        }
        atomic_store_explicit(&request->state, PRI_REQ_DONE, memory_order_relaxed);
        return PRI_OK;
    }
    return pri_error_of(result);
}

/* The same of a rank that is recorded. Who names no request waits for none. */
static NI_COLD int start_recorded(struct pri_rank *self, const void *buf, size_t bytes,
                                  struct pri_where to, enum pri_mode mode, uint64_t header,
                                  void *packed, struct pri_request *request)
{
    bool blocking = (header & ~PRI_HEADER_NAME) == 0;
    int error;

    pri_recorder_send(self, bytes, to, mode, blocking, request);
    error = start_plain(self, buf, bytes, to, mode, header, packed, request);
    if (error != PRI_OK) {
        pri_recorder_drop(request, false);
    } else if (pri_done(request)) {
        pri_recorder_sent(request);
    }
    if (blocking) {
        pri_recorder_hosts_sent(self);
    }
    return error;
}

NI_ALWAYS_INLINE int start(struct pri_rank *self, const void *buf, size_t bytes,
                           struct pri_where to, enum pri_mode mode, uint64_t header, void *packed,
                           struct pri_request *request)
{
    if (pri_is_revoked(self, to.context, to.tag)) {
        return PRI_ERR_REVOKED;
    }
    if (NI_UNLIKELY(self->recorded)) {
        return start_recorded(self, buf, bytes, to, mode, header, packed, request);
    }
    return start_plain(self, buf, bytes, to, mode, header, packed, request);
}

/* ---- buffered -------------------------------------------------------------------------------- */

/* The copy of a message, until it has left. */
struct parcel {
    struct pri_request request;
    size_t bytes;
    _Alignas(16) uint8_t data[];
};

static void parcel_free(struct pri_request *request)
{
    struct parcel *parcel = ni_container_of(request, struct parcel, request);

    atomic_fetch_sub_explicit(&request->rank->cold->buffered, parcel->bytes, memory_order_relaxed);
    free(parcel);
}

static NI_COLD int send_parcel(struct pri_rank *self, const void *buf, const struct pri_vec *vec,
                               size_t bytes, struct pri_where to, uint64_t header)
{
    struct parcel *parcel;
    int error;

    parcel = bytes <= SIZE_MAX - sizeof(*parcel) ? malloc(sizeof(*parcel) + bytes) : NULL;
    if (parcel == NULL) {
        return PRI_ERR_NOMEM;
    }
    parcel->bytes = bytes;
    if (vec != NULL) {
        vec->pack(vec, parcel->data, bytes);
    } else if (bytes != 0) {
        memcpy(parcel->data, buf, bytes);
    }
    error = start(self, parcel->data, bytes, to, PRI_BUFFERED, header, NULL, &parcel->request);
    if (error != PRI_OK) {
        free(parcel);
        return error;
    }
    atomic_fetch_add_explicit(&self->cold->buffered, bytes, memory_order_relaxed);
    parcel->request.kind = PRI_REQUEST_BUFFERED;
    pri_detach(&parcel->request, parcel_free);
    return PRI_OK;
}

size_t pri_buffered(struct pri_rank *self)
{
    return atomic_load_explicit(&self->cold->buffered, memory_order_relaxed);
}

/* The request is complete, and its message may be cancelled all the same. */
static NI_COLD int buffered(struct pri_rank *self, const void *buf, const struct pri_vec *vec,
                            size_t bytes, struct pri_where to, struct pri_request *request)
{
    int error = send_parcel(self, buf, vec, bytes, to, pri_header_of(request, to));

    if (error == PRI_OK) {
        pri_send_init(request, self, to, PRI_REQ_DONE);
    }
    return error;
}

int pri_isend_otherwise(struct pri_rank *self, const void *buf, size_t bytes, struct pri_where to,
                        enum pri_mode mode, struct pri_request *request)
{
    return NI_UNLIKELY(mode == PRI_BUFFERED)
               ? buffered(self, buf, NULL, bytes, to, request)
               : start(self, buf, bytes, to, mode, pri_header_of(request, to), NULL, request);
}

int pri_isend(struct pri_rank *self, const void *buf, size_t bytes, struct pri_where to,
              enum pri_mode mode, struct pri_request *request)
{
    return NI_LIKELY(is_rank(self, to.peer)) ? pri_isend_here(self, buf, bytes, to, mode, request)
                                             : PRI_ERR_RANK;
}

int pri_isendv(struct pri_rank *self, const struct pri_vec *vec, size_t bytes, struct pri_where to,
               enum pri_mode mode, struct pri_request *request)
{
    void *packed;
    int error;

    if (NI_UNLIKELY(!is_rank(self, to.peer))) {
        return PRI_ERR_RANK;
    }
    if (NI_UNLIKELY(mode == PRI_BUFFERED)) {
        return buffered(self, NULL, vec, bytes, to, request);
    }
    packed = pri_buffer_get(self, bytes);
    if (packed == NULL) {
        return PRI_ERR_NOMEM;
    }
    vec->pack(vec, packed, bytes);
    error = start(self, packed, bytes, to, mode, pri_header_of(request, to), packed, request);
    /* Of one that is under way its event gives the buffer back, and may have done so. */
    if (error != PRI_OK) {
        pri_buffer_put(self, packed);
    }
    return error;
}

/* ---- blocking -------------------------------------------------------------------------------- */

int pri_send(struct pri_rank *self, const void *buf, size_t bytes, struct pri_where to,
             enum pri_mode mode)
{
    struct pri_request request;
    int error;

    if (NI_UNLIKELY(!is_rank(self, to.peer))) {
        return PRI_ERR_RANK;
    }
    if (NI_LIKELY(mode == PRI_STANDARD) && pri_send_short(self, buf, bytes, to)) {
        return PRI_OK;
    }
    if (NI_UNLIKELY(mode == PRI_BUFFERED)) {
        return send_parcel(self, buf, NULL, bytes, to, (uint32_t)to.as);
    }
    error = start(self, buf, bytes, to, mode, (uint32_t)to.as, NULL, &request);
    if (NI_LIKELY(error == PRI_OK) && !pri_done(&request)) {
        error = pri_wait(&request);
    }
    return error;
}

int pri_sendv(struct pri_rank *self, const struct pri_vec *vec, size_t bytes, struct pri_where to,
              enum pri_mode mode)
{
    struct pri_request request;
    int error = pri_isendv(self, vec, bytes, to, mode, &request);

    return error == PRI_OK ? pri_wait(&request) : error;
}
