/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/portals.h"

/* Puts of which something is still to come: their struct, and what is told of them. */

/* ---- events ---------------------------------------------------------------------------------- */

static void tell_event(const struct ni_eq *eq, enum ni_event_kind type, const struct ni_put *put,
                       enum ni_ni_fail fail, uint64_t mlength, uint64_t remote_offset)
{
    struct ni_event event = {
        .type = type,
        .ni_fail_type = fail,
        .user_ptr = put->user_ptr,
        .start = type == NI_EVENT_REPLY ? put->extra->dst : (void *)(uintptr_t)put->header.src,
        .match_bits = put->header.match_bits,
        .hdr_data = put->header.hdr_data,
        .rlength = put->header.length,
        .mlength = mlength,
        .remote_offset = remote_offset,
        .pt_index = put->header.pt_index,
        .peer = put->peer,
    };

    ni_event_tell(eq, &event);
}

static void count_put(const struct ni_put *put, uint32_t option, enum ni_ni_fail fail,
                      uint64_t mlength)
{
    if ((put->options & option) != 0) {
        ni_ct_count(put->ct, (put->options & NI_MD_EVENT_CT_BYTES) != 0, fail, mlength);
    }
}

/* The data of a put has left. */
static void tell_data_left(const struct ni_put *put, enum ni_ni_fail fail)
{
    if (ni_put_only_asks(put)) {
        return;
    }
    count_put(put, NI_MD_EVENT_CT_SEND, fail, put->header.length);
    if (put->eq != NULL && (put->options & NI_MD_EVENT_SEND_DISABLE) == 0 &&
        (fail != NI_NI_OK || (put->options & NI_MD_EVENT_SUCCESS_DISABLE) == 0)) {
        tell_event(put->eq, NI_EVENT_SEND, put, fail, fail == NI_NI_OK ? put->header.length : 0,
                   put->header.remote_offset);
    }
}

int ni_put_left(const struct ni_put *put)
{
    if (ni_put_only_asks(put)) {
        return NI_OK;
    }
    if ((put->options & NI_MD_SENT_BY_RESULT) != 0) {
        count_put(put, NI_MD_EVENT_CT_SEND, NI_NI_OK, put->header.length);
        return NI_PTL_SENT;
    }
    tell_data_left(put, NI_NI_OK);
    return NI_OK;
}

static void tell_reply(const struct ni_put *put, enum ni_ni_fail fail, uint64_t mlength,
                       uint64_t remote_offset)
{
    const struct ni_extra *extra = put->extra;

    if ((extra->options & NI_MD_EVENT_CT_REPLY) != 0) {
        ni_ct_count(extra->ct, (extra->options & NI_MD_EVENT_CT_BYTES) != 0, fail, mlength);
    }
    if (extra->eq != NULL &&
        (fail != NI_NI_OK || (extra->options & NI_MD_EVENT_SUCCESS_DISABLE) == 0)) {
        tell_event(extra->eq, NI_EVENT_REPLY, put, fail, mlength, remote_offset);
    }
}

void ni_put_tell_end(const struct ni_put *put, enum ni_ni_fail fail, uint64_t mlength,
                     uint64_t remote_offset)
{
    if (ni_put_fetches(put)) {
        tell_reply(put, fail, mlength, remote_offset);
        return;
    }
    if (put->held) {
        return; /* SEND was all */
    }
    if (put->ack) {
        count_put(put, NI_MD_EVENT_CT_ACK, fail, mlength);
    }
    if (put->ack && put->eq != NULL && (put->options & NI_PUT_CT_ACK) == 0 &&
        (fail != NI_NI_OK || (put->options & NI_MD_EVENT_SUCCESS_DISABLE) == 0)) {
        tell_event(put->eq, NI_EVENT_ACK, put, fail, mlength, remote_offset);
    }
}

void ni_put_tell_failed(const struct ni_put *put, enum ni_ni_fail fail)
{
    tell_data_left(put, fail);
    ni_put_tell_end(put, fail, 0, 0);
}

/* ---- the struct ------------------------------------------------------------------------------ */

/* A copy of its own; false out of memory. The NI's lock is held. */
static bool copy_extra(struct ni *ni, struct ni_put *put)
{
    struct ni_extra *extra = ni_pool_get(&ni->portals->extras);

    if (extra == NULL) {
        return false;
    }
    *extra = *put->extra;
    put->extra = extra;
    return true;
}

struct ni_put *ni_put_new(struct ni *ni, const struct ni_put *from)
{
    struct ni_put *put;

    ni_lock_take(&ni->lock, ni->threads);
    put = ni_pool_get(&ni->portals->puts);
    if (put != NULL) {
        *put = *from;
        if (put->extra != NULL && !copy_extra(ni, put)) {
            ni_pool_put(&ni->portals->puts, put);
            put = NULL;
        }
    }
    if (put != NULL) {
        put->header.token = ni_pool_token(&ni->portals->puts, put);
        ni_list_init(&put->all);
        ni_list_init(&put->queue);
        ni_list_init(&put->task.list);
        if (put->packed != NULL) {
            atomic_fetch_add_explicit(&put->packed->references, 1, memory_order_relaxed);
        }
        if (put->extra != NULL && put->extra->landed != NULL) {
            atomic_fetch_add_explicit(&put->extra->landed->references, 1, memory_order_relaxed);
        }
        ni_list_push_back(put->peer != NULL ? &put->peer->puts : &ni->portals->own_puts, &put->all);
    }
    ni_lock_give(&ni->lock, ni->threads);
    return put;
}

struct ni_put *ni_put_find(struct ni *ni, const struct ni_peer *peer, uint64_t token)
{
    struct ni_put *put;

    ni_lock_take(&ni->lock, ni->threads);
    put = ni_pool_from_token(&ni->portals->puts, token);
    /* A peer may only answer what it was asked. */
    if (put != NULL && (put->peer != peer || (peer != NULL && !put->asked))) {
        put = NULL;
    }
    ni_lock_give(&ni->lock, ni->threads);
    return put;
}

/* Free it; *last and *extra: what it was, if wanted. */
static void free_put(struct ni *ni, struct ni_put *put, struct ni_put *last, struct ni_extra *extra)
{
    ni_lock_take(&ni->lock, ni->threads);
    if (last != NULL) {
        *last = *put;
    }
    ni_list_remove(&put->all);
    ni_work_remove(&ni->portal_work, &put->task.list);
    if (put->async) {
        ni_async_progress_done(ni);
    }
    if (put->extra != NULL) {
        if (last != NULL) {
            *extra = *put->extra;
            last->extra = extra;
        }
        ni_pool_put(&ni->portals->extras, put->extra);
    }
    ni_pool_put(&ni->portals->puts, put);
    ni_lock_give(&ni->lock, ni->threads);
}

void ni_put_free(struct ni *ni, struct ni_put *put)
{
    struct ni_packed *packed = put->packed;
    struct ni_packed *landed = put->extra != NULL ? put->extra->landed : NULL;

    free_put(ni, put, NULL, NULL);
    ni_packed_drop(packed);
    ni_packed_drop(landed);
}

void ni_put_finish(struct ni *ni, struct ni_put *put, enum ni_ni_fail fail, uint64_t mlength,
                   uint64_t remote_offset)
{
    struct ni_extra extra;
    struct ni_put ended;

    free_put(ni, put, &ended, &extra);
    if (ended.rkey.handle != 0) {
        (void)ni_region_deregister(ni, ended.rkey.handle);
    }
    ni_packed_drop(ended.packed);
    if (NI_UNLIKELY(ended.extra != NULL && extra.landed != NULL)) {
        struct ni_packed *landed = extra.landed;

        ni_iovec_land(&extra, mlength);
        ni_packed_drop(landed);
    }
    if (!ended.told) {
        tell_data_left(&ended, fail);
    }
    ni_put_tell_end(&ended, fail, mlength, remote_offset);
}
