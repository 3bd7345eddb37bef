/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRESTO_CORE_MESSAGE_H
#define PRESTO_CORE_MESSAGE_H

#include "core/core.h"

/*
 * Messages of data in one piece, inline, for the functions that a program calls for each of them:
 * to hand all arguments over once more takes as long as what is done with them. Others call the
 * functions of core.h, which do the same.
 */

static inline uint64_t pri_bits(struct pri_where where)
{
    return (uint64_t)where.context << 32 | (uint32_t)where.tag;
}

#define PRI_HEADER_NAME UINT64_C(0xffff)

/* Header data: what the sender is called. */
static inline int pri_header_name(uint64_t header)
{
    return (int16_t)(header & PRI_HEADER_NAME);
}

/* Header data: the request of a send, by its address, of which as much is left as processors use.
 * Requests to come may have the same; of one rank's messages with the same bits and the same
 * request the last one is the request's, see cancel.c. */
static inline uint64_t pri_header_request(const struct pri_request *request)
{
    _Static_assert(_Alignof(struct pri_request) >= 8, "its 3 lowest bits are 0");
    return (uint64_t)(uintptr_t)request << 13;
}

/* Header data: who sends, and which request can be cancelled. */
static inline uint64_t pri_header_of(const struct pri_request *request, struct pri_where to)
{
    return pri_header_request(request) | ((uint64_t)to.as & PRI_HEADER_NAME);
}

/* What is looked at of a send that is complete (state is PRI_REQ_DONE) or will be. */
NI_ALWAYS_INLINE void pri_send_init(struct pri_request *request, struct pri_rank *self,
                                    struct pri_where to, enum pri_request_state state)
{
    request->rank = self;
    request->is_recv = false;
    request->kind = PRI_REQUEST_SEND;
    request->bits = pri_bits(to);
    request->peer = to.peer;
    request->status.error = PRI_OK;
    request->status.cancelled = 0;
    atomic_store_explicit(&request->state, (int)state, memory_order_relaxed);
}

static inline void pri_recv_init(struct pri_request *request, struct pri_rank *self,
                                 const struct pri_vec *vec, enum pri_request_kind kind)
{
    request->rank = self;
    request->is_recv = true;
    request->kind = (uint8_t)kind;
    request->followed = 0;
    request->vec = vec;
    request->packed = NULL;
    request->status.cancelled = 0;
    atomic_store_explicit(&request->state, PRI_REQ_PENDING, memory_order_relaxed);
}

/* Relaxed: what both arrays hold is there from the start. */
static inline struct pri_peer *pri_direct(const struct pri_rank *self)
{
    return atomic_load_explicit(&self->direct, memory_order_relaxed);
}

/* ---- sends ----------------------------------------------------------------------------------- */

/* A short standard send with this header data, all of it now; false: nothing has happened, and
 * pri_send knows another way. to.peer is a rank of the job. */
static inline bool pri_put_short(const struct pri_rank *self, const void *buf, size_t bytes,
                                 struct pri_where to, uint64_t header)
{
    return NI_LIKELY(bytes <= NI_PUT_SHORT) &&
           NI_LIKELY(ni_put_short(pri_direct(self)[to.peer].ni, buf, bytes, PRI_PT, pri_bits(to),
                                  header));
}

/* One that has no request. */
static inline bool pri_send_short(const struct pri_rank *self, const void *buf, size_t bytes,
                                  struct pri_where to)
{
    return pri_put_short(self, buf, bytes, to, (uint32_t)to.as);
}

/* pri_isend to a rank of the job when that could not be sent. */
int pri_isend_otherwise(struct pri_rank *self, const void *buf, size_t bytes, struct pri_where to,
                        enum pri_mode mode, struct pri_request *request);

/* pri_isend to a rank of the job. */
NI_ALWAYS_INLINE int pri_isend_here(struct pri_rank *self, const void *buf, size_t bytes,
                                    struct pri_where to, enum pri_mode mode,
                                    struct pri_request *request)
{
    if (NI_UNLIKELY(mode != PRI_STANDARD) ||
        NI_UNLIKELY(!pri_put_short(self, buf, bytes, to, pri_header_of(request, to)))) {
        return pri_isend_otherwise(self, buf, bytes, to, mode, request);
    }
    pri_send_init(request, self, to, PRI_REQ_DONE);
    return PRI_OK;
}

/* ---- receives: what for ---------------------------------------------------------------------- */

#define PRI_ANY_TAG_BITS 0x7fffffffU /* all but the sign */

/* What a receive or probe looks for. False: no such rank. */
static inline bool pri_criteria(const struct pri_rank *self, struct pri_where from,
                                struct ni_me *me)
{
    if (NI_LIKELY(pri_knows(self, from.peer))) {
        me->match_id = self->peers[from.peer].id;
    } else if (from.peer == PRI_ANY_SOURCE) {
        me->match_id = NI_INITIATOR_ANY;
    } else {
        return false;
    }
    me->match_bits = pri_bits(from);
    me->ignore_bits = 0;
    if (NI_UNLIKELY(from.tag == PRI_ANY_TAG)) {
        me->match_bits = (uint64_t)from.context << 32;
        me->ignore_bits = PRI_ANY_TAG_BITS;
    }
    return true;
}

/* ---- receives: posted ------------------------------------------------------------------------ */

enum { PRI_RECV_OPTIONS = NI_ME_OP_PUT | NI_ME_USE_ONCE | NI_ME_EVENT_UNLINK_DISABLE };

/* Whether a rank that has this context has died, and that is not acknowledged. */
bool pri_context_lost(struct pri_rank *self, uint32_t context);

/* Whether nothing more will come from there; from any source: whether what is missing may be from
 * one that has died. */
static inline bool pri_in_vain(struct pri_rank *self, struct pri_where from)
{
    if (NI_LIKELY(from.peer >= 0)) {
        return atomic_load_explicit(&self->peers[from.peer].down, memory_order_relaxed) != 0;
    }
    return NI_UNLIKELY(atomic_load_explicit(&self->lost, memory_order_relaxed) != 0) &&
           pri_context_lost(self, from.context);
}

/* Whether a receive that has just been posted is to be looked at: it may be in vain, or is
 * recorded.
 */
static inline bool pri_recv_rare(const struct pri_rank *self, struct pri_where from)
{
    return NI_LIKELY(from.peer >= 0)
               ? atomic_load_explicit(&pri_direct(self)[from.peer].down, memory_order_relaxed) != 0
               : atomic_load_explicit(&self->rare, memory_order_relaxed) != 0;
}

/* Whether it is one that stays when a rank dies, and somebody waits for it. */
static inline bool pri_may_stay(const struct pri_request *request)
{
    return request->kind == PRI_REQUEST_RECV_STAYS && request->peer < 0 &&
           (atomic_load_explicit(&request->state, memory_order_relaxed) & PRI_REQ_DETACHED) == 0;
}

/* Look at it: it is recorded, if it is to be, and ends if it waits in vain. */
NI_COLD void pri_recv_look(struct pri_request *request);
/* The error for a result of the NI. */
int pri_error_of(int result);

/* Post a request that is initialised, with its packed set if it has one. */
NI_ALWAYS_INLINE int pri_recv_post(struct pri_rank *self, void *buf, size_t bytes,
                                   struct pri_where from, struct pri_request *request)
{
    struct ni_me me = {.start = buf, .length = bytes, .options = PRI_RECV_OPTIONS};
    int result;

    if (NI_UNLIKELY(!pri_criteria(self, from, &me))) {
        return PRI_ERR_RANK;
    }
    request->peer = from.peer;
    request->context = from.context;
    request->status.tag = from.tag;
    request->status.bytes = bytes;
    request->entry = 0;
    /* It may complete in here; it stays all the same, it is the caller's. */
    result = ni_me_append(self->ni, PRI_PT, &me, NI_PRIORITY_LIST, request, &request->entry);
    if (NI_UNLIKELY(result != NI_OK)) {
        return pri_error_of(result);
    }
    if (NI_UNLIKELY(pri_recv_rare(self, from)) && !pri_done(request)) {
        pri_recv_look(request);
    }
    return PRI_OK;
}

/* pri_irecv, of this kind. */
NI_ALWAYS_INLINE int pri_irecv_here(struct pri_rank *self, void *buf, size_t bytes,
                                    struct pri_where from, enum pri_request_kind kind,
                                    struct pri_request *request)
{
    pri_recv_init(request, self, NULL, kind);
    return pri_recv_post(self, buf, bytes, from, request);
}

/* ---- receives: taken ------------------------------------------------------------------------- */

/* A short message that is there or comes now: received from where it is, without being posted.
 * False: nothing has happened, and pri_recv_posted knows another way. */
NI_ALWAYS_INLINE bool pri_recv_take(const struct pri_rank *self, void *buf, size_t bytes,
                                    struct pri_where from, struct ni_taken *taken)
{
    bool any = from.tag == PRI_ANY_TAG;

    if (NI_UNLIKELY(!pri_knows(self, from.peer)) ||
        NI_UNLIKELY(pri_direct(self)[from.peer].ni == NULL) ||
        NI_UNLIKELY(atomic_load_explicit(&self->tasks, memory_order_relaxed) != 0)) {
        return false;
    }
    return ni_me_take(pri_direct(self)[from.peer].ni, PRI_PT,
                      any ? (uint64_t)from.context << 32 : pri_bits(from),
                      any ? PRI_ANY_TAG_BITS : 0, buf, bytes, self->looks, taken);
}

/* Its error. */
static inline int pri_taken_error(const struct ni_taken *taken)
{
    return NI_LIKELY(taken->rlength <= taken->mlength) ? PRI_OK : PRI_ERR_TRUNCATE;
}

static inline struct pri_status pri_taken_status(const struct ni_taken *taken)
{
    return (struct pri_status){.source = pri_header_name(taken->hdr_data),
                               .tag = (int)(uint32_t)taken->match_bits,
                               .error = pri_taken_error(taken),
                               .bytes = taken->mlength};
}

/* pri_recv without a look at what is there. */
int pri_recv_posted(struct pri_rank *self, void *buf, size_t bytes, struct pri_where from,
                    struct pri_status *status);

/* pri_recv. */
NI_ALWAYS_INLINE int pri_recv_here(struct pri_rank *self, void *buf, size_t bytes,
                                   struct pri_where from, struct pri_status *status)
{
    struct ni_taken taken;

    if (NI_UNLIKELY(!pri_recv_take(self, buf, bytes, from, &taken))) {
        return pri_recv_posted(self, buf, bytes, from, status);
    }
    if (status != NULL) {
        *status = pri_taken_status(&taken);
    }
    return pri_taken_error(&taken);
}

#endif
