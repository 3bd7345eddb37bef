/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/portals.h"

/* I/O vectors of gets and atomics: in descriptors, where data or the answer goes by way of a block
 * if it does not lie in one element, and in entries, where nothing is copied twice. */

/* ---- descriptors ----------------------------------------------------------------------------- */

/* Where the answer goes: where it belongs, or to a block first; false out of memory. */
static bool prepare_answer(struct ni_extra *extra, uint64_t length)
{
    struct ni_walk walk;

    if (length == 0) {
        return true;
    }
    walk = ni_walk_from(extra->to.vector, extra->to.offset);
    extra->dst = ni_walk_place(&walk);
    if (length > walk.at->iov_len - walk.skip) {
        extra->landed = ni_malloc(sizeof(*extra->landed) + length);
        if (extra->landed == NULL) {
            return false;
        }
        atomic_init(&extra->landed->references, 1);
        extra->dst = extra->landed->data;
    }
    return true;
}

static int start_iovec_request(struct ni *ni, struct ni_put *put)
{
    struct ni_extra *extra = put->extra;

    if ((extra->from.vector != NULL &&
         !ni_iovec_collect(put, extra->from.vector, extra->from.offset)) ||
        (extra->to.vector != NULL && !prepare_answer(extra, put->header.length)) ||
        ((put->options & NI_MD_VOLATILE) != 0 && !ni_put_keep(ni, put))) {
        return NI_PTL_NO_SPACE;
    }
    return put->peer != NULL ? ni_put_start(put) : ni_request_self(ni, put);
}

int ni_request_vector(struct ni *ni, struct ni_put *put)
{
    /* The vectors stay as they are, for a caller that tries again. */
    struct ni_extra extra = *put->extra;
    struct ni_put copy = *put;
    struct ni_packed *landed;
    int result;

    copy.extra = &extra;
    result = start_iovec_request(ni, &copy);
    landed = extra.landed;
    ni_packed_drop(copy.packed);
    ni_packed_drop(landed);
    return result;
}

void ni_iovec_land(struct ni_extra *extra, uint64_t mlength)
{
    const uint8_t *from = extra->landed->data;
    struct ni_walk walk = ni_walk_from(extra->to.vector, extra->to.offset);
    uint8_t *piece;

    extra->dst = ni_walk_place(&walk);
    for (uint64_t left = mlength, len; left != 0; left -= len, from += len) {
        len = ni_walk_on(&walk, left, &piece);
        memcpy(piece, from, len);
    }
}

/* ---- entries --------------------------------------------------------------------------------- */

void ni_iovec_read(const struct ni_request *request, uint8_t *to)
{
    struct ni_walk walk;
    uint8_t *piece;

    if (request->target.mlength == 0) {
        return;
    }
    walk = ni_walk_from(request->target.start, request->from.remote_offset);
    for (uint64_t left = request->target.mlength, len; left != 0; left -= len, to += len) {
        len = ni_walk_on(&walk, left, &piece);
        memcpy(to, piece, len);
    }
}

/* An element that lies in several pieces; the walk is behind its first bytes, of which there are
 * `have`. */
static void combine_across(struct ni *ni, const struct ni_combination *what, struct ni_walk *walk,
                           uint8_t *first, uint64_t have, const uint8_t *data, uint8_t *old)
{
    uint8_t element[NI_ELEMENT_MOST], *byte[NI_ELEMENT_MOST];
    unsigned size = ni_datatype_size(what->type);

    ni_lock_take(&ni->memory, ni->threads);
    for (unsigned i = 0; i < size; i++) {
        byte[i] = first + i;
        if (i >= have) {
            (void)ni_walk_on(walk, 1, &byte[i]);
        }
        element[i] = *byte[i];
    }
    ni_combine(what, element, data, old, size);
    for (unsigned i = 0; i < size; i++) {
        *byte[i] = element[i];
    }
    ni_lock_give(&ni->memory, ni->threads);
}

void ni_iovec_combine(struct ni *ni, const struct ni_request *request, uint8_t *old)
{
    const struct ni_combination *what = &request->what;
    uint64_t size = ni_datatype_size(what->type), done = 0, end = request->target.mlength;
    struct ni_walk walk;

    if (end == 0) {
        return;
    }
    walk = ni_walk_from(request->target.start, request->from.remote_offset);
    while (done != end) {
        uint8_t *piece, *was = old != NULL ? old + done : NULL;
        uint64_t len = ni_walk_on(&walk, end - done, &piece), whole = len - len % size;

        ni_combine_in(ni, what, piece, request->data + done, was, whole);
        done += whole;
        if (len != whole) {
            combine_across(ni, what, &walk, piece + whole, len - whole, request->data + done,
                           old != NULL ? old + done : NULL);
            done += size;
        }
    }
}

void ni_iovec_written(void *arg, ni_status status, uint64_t value)
{
    struct ni_answer *answer = arg;

    (void)value;
    if (status != NI_OK) {
        atomic_store_explicit(&answer->pieces.status, status, memory_order_relaxed);
    }
    /* Edge P, see iovec.c. */
    if (atomic_fetch_sub_explicit(&answer->pieces.left, 1, memory_order_acq_rel) == 1) {
        int worst = atomic_load_explicit(&answer->pieces.status, memory_order_relaxed);

        ni_answer_written(answer, (ni_status)worst);
    }
}

void ni_iovec_write(struct ni *ni, struct ni_answer *answer)
{
    const struct ni_request *request = &answer->request;
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = ni_iovec_written, .arg = answer};
    struct ni_walk walk = ni_walk_from(request->target.start, request->from.remote_offset);
    struct ni_remote to = request->to;
    uint8_t *piece;

    atomic_init(&answer->pieces.left, 1); /* until all have been asked for */
    atomic_init(&answer->pieces.status, NI_OK);
    for (uint64_t left = request->target.mlength, len; left != 0; left -= len, to.addr += len) {
        ni_status status;

        len = ni_walk_on(&walk, left, &piece);
        atomic_fetch_add_explicit(&answer->pieces.left, 1, memory_order_relaxed);
        status = ni_write(ni, request->from.peer, piece, len, &to, &ack);
        if (status != NI_OK) {
            ni_iovec_written(answer, status, 0);
        }
    }
    ni_iovec_written(answer, NI_OK, 0);
}
