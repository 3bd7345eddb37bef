/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/portals.h"

/* I/O vectors: what they are, in entries that take puts, and in descriptors of puts. */

bool ni_iovec_measure(const struct ni *ni, const void *vector, uint64_t elements, uint64_t *bytes)
{
    const struct ni_iovec *iovec = vector;

    *bytes = 0;
    if (elements > ni->portals->limits.max_iovecs) {
        return false;
    }
    for (uint64_t i = 0; i < elements; i++) {
        if (iovec[i].iov_len > INT64_MAX - *bytes) {
            return false;
        }
        *bytes += iovec[i].iov_len;
    }
    return true;
}

/* ---- entries --------------------------------------------------------------------------------- */

void ni_target_write(struct ni_target *target, uint64_t offset, const void *data)
{
    const uint8_t *from = data;
    struct ni_walk walk;
    uint8_t *piece;

    if (target->mlength == 0) {
        return; /* there may be no buffer at all */
    }
    if (NI_LIKELY((target->options & NI_ME_IOVEC) == 0)) {
        memmove(target->start, data, target->mlength);
        return;
    }
    walk = ni_walk_from(target->start, offset);
    target->start = ni_walk_place(&walk);
    for (uint64_t left = target->mlength, len; left != 0; left -= len, from += len) {
        len = ni_walk_on(&walk, left, &piece);
        memmove(piece, from, len);
    }
}

void ni_iovec_fetched(void *arg, ni_status status, uint64_t value)
{
    struct ni_unexpected *unexpected = arg;

    (void)value;
    if (status != NI_OK) {
        atomic_store_explicit(&unexpected->pieces.status, status, memory_order_relaxed);
    }
    /* Edge P: the last one sees what the others have stored. */
    if (atomic_fetch_sub_explicit(&unexpected->pieces.left, 1, memory_order_acq_rel) == 1) {
        int worst = atomic_load_explicit(&unexpected->pieces.status, memory_order_relaxed);

        ni_unexpected_delivered(unexpected->from.peer->ni, unexpected,
                                ni_fail_of((ni_status)worst));
    }
}

void ni_iovec_fetch(struct ni *ni, struct ni_unexpected *unexpected, const struct ni_remote *from)
{
    bool spilled = unexpected->form == NI_UNEXPECTED_OVERFLOW;
    uint64_t offset = spilled ? unexpected->spill.offset : unexpected->from.remote_offset;
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = ni_iovec_fetched, .arg = unexpected};
    struct ni_remote remote = *from;
    struct ni_walk walk = ni_walk_from(unexpected->target.start, offset);
    uint8_t *piece;

    unexpected->target.start = ni_walk_place(&walk);
    atomic_init(&unexpected->pieces.left, 1); /* until all have been asked for */
    atomic_init(&unexpected->pieces.status, NI_OK);
    for (uint64_t left = unexpected->target.mlength, len; left != 0;
         left -= len, remote.addr += len) {
        ni_status status;

        len = ni_walk_on(&walk, left, &piece);
        atomic_fetch_add_explicit(&unexpected->pieces.left, 1, memory_order_relaxed);
        status = ni_read(ni, unexpected->from.peer, piece, len, &remote, &ack);
        if (status != NI_OK) {
            ni_iovec_fetched(unexpected, status, 0);
        }
    }
    ni_iovec_fetched(unexpected, NI_OK, 0);
}

/* ---- descriptors ----------------------------------------------------------------------------- */

void ni_packed_drop(struct ni_packed *packed)
{
    /* Edge Q: the thread that frees it comes after all who have read it. */
    if (packed != NULL &&
        atomic_fetch_sub_explicit(&packed->references, 1, memory_order_acq_rel) == 1) {
        ni_free(packed);
    }
}

static struct ni_packed *pack(struct ni_walk walk, uint64_t length)
{
    struct ni_packed *packed = ni_malloc(sizeof(*packed) + length);
    uint64_t done = 0, len;
    uint8_t *piece;

    if (packed == NULL) {
        return NULL;
    }
    atomic_init(&packed->references, 1);
    for (; done != length; done += len) {
        len = ni_walk_on(&walk, length - done, &piece);
        memcpy(packed->data + done, piece, len);
    }
    return packed;
}

bool ni_iovec_within(const struct ni *ni, const struct ni_md *md, uint64_t offset, uint64_t length)
{
    uint64_t bytes;

    return ni_iovec_measure(ni, md->start, md->length, &bytes) &&
           ni_range_within(offset, length, bytes);
}

bool ni_iovec_collect(struct ni_put *put, const void *vector, uint64_t offset)
{
    uint64_t length = put->header.length;
    struct ni_walk walk;

    if (length == 0) {
        return true;
    }
    walk = ni_walk_from(vector, offset);
    put->header.src = ni_walk_place(&walk);
    if (length > walk.at->iov_len - walk.skip) {
        put->packed = pack(walk, length);
        put->header.src = put->packed != NULL ? put->packed->data : NULL;
    }
    return put->header.src != NULL;
}

bool ni_put_keep(struct ni *ni, struct ni_put *put)
{
    uint64_t length = put->header.length;

    if (put->packed != NULL || length == 0 || length > ni->portals->limits.max_volatile_size) {
        return true;
    }
    put->packed = ni_malloc(sizeof(*put->packed) + length);
    if (put->packed == NULL) {
        return false;
    }
    atomic_init(&put->packed->references, 1);
    memcpy(put->packed->data, put->header.src, length);
    put->header.src = put->packed->data;
    return true;
}

int ni_put_rare_check(const struct ni *ni, const struct ni_md *md, uint64_t local_offset,
                      uint64_t length, enum ni_ack_req ack, uint32_t pt_index)
{
    bool within = (md->options & NI_MD_IOVEC) != 0
                      ? ni_iovec_within(ni, md, local_offset, length)
                      : ni_range_within(local_offset, length, md->length);

    return within && pt_index < NI_PT_COUNT && (unsigned)ack <= NI_OC_ACK_REQ &&
                   length <= ni->portals->limits.max_msg_size
               ? NI_OK
               : (int)NI_PTL_ARG_INVALID;
}

int ni_put_vector(struct ni *ni, const struct ni_md *md, uint64_t local_offset, uint64_t length,
                  enum ni_ack_req ack, struct ni_peer *target, uint32_t pt_index,
                  uint64_t match_bits, uint64_t remote_offset, void *user_ptr, uint64_t hdr_data)
{
    bool vector = (md->options & NI_MD_IOVEC) != 0;
    struct ni_put put = {
        .peer = target,
        .header = {.src = (const uint8_t *)((uintptr_t)md->start + local_offset),
                   .length = length,
                   .match_bits = match_bits,
                   .hdr_data = hdr_data,
                   .remote_offset = remote_offset,
                   .pt_index = (uint16_t)pt_index},
        .eq = md->eq,
        .ct = md->ct,
        .user_ptr = user_ptr,
        .options = ni_put_options(md, ack),
        .ack = ack != NI_NO_ACK_REQ,
    };
    int result = ni_put_rare_check(ni, md, local_offset, length, ack, pt_index);

    if (result != NI_OK) {
        return result;
    }
    if ((vector && !ni_iovec_collect(&put, md->start, local_offset)) ||
        ((md->options & NI_MD_VOLATILE) != 0 && !ni_put_keep(ni, &put))) {
        return NI_PTL_NO_SPACE;
    }
    result = target != NULL ? ni_put_start(&put) : ni_put_self(ni, &put);
    ni_packed_drop(put.packed);
    return result;
}
