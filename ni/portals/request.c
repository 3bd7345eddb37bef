/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/portals.h"

/*
 * Gets and atomics at their initiator. They travel and end as puts do: a struct ni_put each, with
 * what they have besides in a struct ni_extra.
 */

/* Where in a descriptor an operation may go; false if not. */
static bool place_in_md(const struct ni *ni, const struct ni_md *md, uint64_t offset,
                        uint64_t length, uint8_t **start, struct ni_place *where)
{
    if (NI_UNLIKELY((md->options & NI_MD_IOVEC) != 0)) {
        *where = (struct ni_place){md->start, offset};
        return ni_iovec_within(ni, md, offset, length);
    }
    if (length > md->length || offset > md->length - length) {
        return false;
    }
    *start = (uint8_t *)((uintptr_t)md->start + offset);
    return true;
}

int ni_request_start(struct ni *ni, struct ni_put *put, const struct ni_when *when)
{
    if (when != NULL) {
        return ni_triggered_request(ni, put, when);
    }
    if (NI_UNLIKELY(put->extra->from.vector != NULL || put->extra->to.vector != NULL ||
                    (put->options & NI_MD_VOLATILE) != 0)) {
        return ni_request_vector(ni, put);
    }
    return put->peer != NULL ? ni_put_start(put) : ni_request_self(ni, put);
}

/* The descriptor that the answer goes to. */
static void answer_to(struct ni_extra *extra, const struct ni_md *md)
{
    extra->eq = md->eq;
    extra->ct = md->ct;
    extra->options = md->options;
}

static int get_when(struct ni *ni, const struct ni_md *md, uint64_t local_offset, uint64_t length,
                    struct ni_peer *target, uint32_t pt_index, uint64_t match_bits,
                    uint64_t remote_offset, void *user_ptr, const struct ni_when *when)
{
    struct ni_extra extra = {.verb = NI_VERB_GET};
    struct ni_put put = {
        .peer = target,
        .header = {.length = length,
                   .match_bits = match_bits,
                   .remote_offset = remote_offset,
                   .pt_index = (uint16_t)pt_index},
        .user_ptr = user_ptr,
        .ack = true,
        .extra = &extra,
    };

    if (ni->portals == NULL) {
        return NI_PTL_NO_INIT;
    }
    if (!place_in_md(ni, md, local_offset, length, &extra.dst, &extra.to) ||
        pt_index >= NI_PT_COUNT || length > ni->portals->limits.max_msg_size) {
        return NI_PTL_ARG_INVALID;
    }
    put.header.src = extra.dst;
    answer_to(&extra, md);
    return ni_request_start(ni, &put, when);
}

/* What the three kinds of atomics share. get_md NULL: nothing is fetched. */
static int combine_request(struct ni *ni, struct ni_put *put, struct ni_extra *extra,
                           const struct ni_md *get_md, uint64_t get_offset, const struct ni_md *md,
                           uint64_t offset, const struct ni_when *when)
{
    uint64_t length = put->header.length, most;
    uint8_t *src = NULL;

    if (ni->portals == NULL) {
        return NI_PTL_NO_INIT;
    }
    most = get_md != NULL ? ni->portals->limits.max_fetch_atomic_size
                          : ni->portals->limits.max_atomic_size;
    if (!place_in_md(ni, md, offset, length, &src, &extra->from) || length > most ||
        !ni_combination_valid(&extra->what, length) ||
        (get_md != NULL && !place_in_md(ni, get_md, get_offset, length, &extra->dst, &extra->to))) {
        return NI_PTL_ARG_INVALID;
    }
    extra->verb = get_md != NULL ? NI_VERB_FETCH : NI_VERB_ATOMIC;
    if (get_md != NULL) {
        answer_to(extra, get_md);
        put->ack = true;
    }
    put->header.src = src;
    put->eq = md->eq;
    put->ct = md->ct;
    put->options |= md->options;
    put->extra = extra;
    return ni_request_start(ni, put, when);
}

static struct ni_put put_of(uint64_t length, struct ni_peer *target, uint32_t pt_index,
                            uint64_t match_bits, uint64_t remote_offset, void *user_ptr,
                            uint64_t hdr_data)
{
    return (struct ni_put){
        .peer = target,
        .header = {.length = length,
                   .match_bits = match_bits,
                   .hdr_data = hdr_data,
                   .remote_offset = remote_offset,
                   .pt_index = (uint16_t)pt_index},
        .user_ptr = user_ptr,
    };
}

static int atomic_when(struct ni *ni, const struct ni_md *md, uint64_t local_offset,
                       uint64_t length, enum ni_ack_req ack, struct ni_peer *target,
                       uint32_t pt_index, uint64_t match_bits, uint64_t remote_offset,
                       void *user_ptr, uint64_t hdr_data, enum ni_ptl_op op,
                       enum ni_ptl_datatype type, const struct ni_when *when)
{
    struct ni_extra extra = {.what = {.op = op, .type = type}};
    struct ni_put put =
        put_of(length, target, pt_index, match_bits, remote_offset, user_ptr, hdr_data);

    if ((unsigned)op >= NI_SWAP || pt_index >= NI_PT_COUNT || (unsigned)ack > NI_OC_ACK_REQ) {
        return NI_PTL_ARG_INVALID;
    }
    put.ack = ack != NI_NO_ACK_REQ;
    put.options = ack > NI_ACK_REQ ? NI_PUT_CT_ACK : 0;
    return combine_request(ni, &put, &extra, NULL, 0, md, local_offset, when);
}

static int fetch_atomic_when(struct ni *ni, const struct ni_md *get_md, uint64_t local_get_offset,
                             const struct ni_md *put_md, uint64_t local_put_offset, uint64_t length,
                             struct ni_peer *target, uint32_t pt_index, uint64_t match_bits,
                             uint64_t remote_offset, void *user_ptr, uint64_t hdr_data,
                             enum ni_ptl_op op, enum ni_ptl_datatype type,
                             const struct ni_when *when)
{
    struct ni_extra extra = {.what = {.op = op, .type = type}};
    struct ni_put put =
        put_of(length, target, pt_index, match_bits, remote_offset, user_ptr, hdr_data);

    if ((unsigned)op >= NI_SWAP || pt_index >= NI_PT_COUNT) {
        return NI_PTL_ARG_INVALID;
    }
    return combine_request(ni, &put, &extra, get_md, local_get_offset, put_md, local_put_offset,
                           when);
}

static int swap_when(struct ni *ni, const struct ni_md *get_md, uint64_t local_get_offset,
                     const struct ni_md *put_md, uint64_t local_put_offset, uint64_t length,
                     struct ni_peer *target, uint32_t pt_index, uint64_t match_bits,
                     uint64_t remote_offset, void *user_ptr, uint64_t hdr_data, const void *operand,
                     enum ni_ptl_op op, enum ni_ptl_datatype type, const struct ni_when *when)
{
    struct ni_extra extra = {.what = {.op = op, .type = type}};
    struct ni_put put =
        put_of(length, target, pt_index, match_bits, remote_offset, user_ptr, hdr_data);

    if ((unsigned)op < NI_SWAP || (ni_op_has_operand(op) && operand == NULL) ||
        pt_index >= NI_PT_COUNT) {
        return NI_PTL_ARG_INVALID;
    }
    if (ni_op_has_operand(op)) {
        memcpy(extra.what.operand_bytes, operand, ni_datatype_size(type));
    }
    return combine_request(ni, &put, &extra, get_md, local_get_offset, put_md, local_put_offset,
                           when);
}

/* ---- now, or when a counter is there --------------------------------------------------------- */

int ni_get(struct ni *ni, const struct ni_md *md, uint64_t local_offset, uint64_t length,
           struct ni_peer *target, uint32_t pt_index, uint64_t match_bits, uint64_t remote_offset,
           void *user_ptr)
{
    return get_when(ni, md, local_offset, length, target, pt_index, match_bits, remote_offset,
                    user_ptr, NULL);
}

int ni_triggered_get(struct ni *ni, const struct ni_md *md, uint64_t local_offset, uint64_t length,
                     struct ni_peer *target, uint32_t pt_index, uint64_t match_bits,
                     uint64_t remote_offset, void *user_ptr, struct ni_ct *trig_ct,
                     uint64_t threshold)
{
    const struct ni_when when = {trig_ct, threshold};

    return get_when(ni, md, local_offset, length, target, pt_index, match_bits, remote_offset,
                    user_ptr, &when);
}

int ni_atomic(struct ni *ni, const struct ni_md *md, uint64_t local_offset, uint64_t length,
              enum ni_ack_req ack, struct ni_peer *target, uint32_t pt_index, uint64_t match_bits,
              uint64_t remote_offset, void *user_ptr, uint64_t hdr_data, enum ni_ptl_op op,
              enum ni_ptl_datatype type)
{
    return atomic_when(ni, md, local_offset, length, ack, target, pt_index, match_bits,
                       remote_offset, user_ptr, hdr_data, op, type, NULL);
}

int ni_triggered_atomic(struct ni *ni, const struct ni_md *md, uint64_t local_offset,
                        uint64_t length, enum ni_ack_req ack, struct ni_peer *target,
                        uint32_t pt_index, uint64_t match_bits, uint64_t remote_offset,
                        void *user_ptr, uint64_t hdr_data, enum ni_ptl_op op,
                        enum ni_ptl_datatype type, struct ni_ct *trig_ct, uint64_t threshold)
{
    const struct ni_when when = {trig_ct, threshold};

    return atomic_when(ni, md, local_offset, length, ack, target, pt_index, match_bits,
                       remote_offset, user_ptr, hdr_data, op, type, &when);
}

int ni_fetch_atomic(struct ni *ni, const struct ni_md *get_md, uint64_t local_get_offset,
                    const struct ni_md *put_md, uint64_t local_put_offset, uint64_t length,
                    struct ni_peer *target, uint32_t pt_index, uint64_t match_bits,
                    uint64_t remote_offset, void *user_ptr, uint64_t hdr_data, enum ni_ptl_op op,
                    enum ni_ptl_datatype type)
{
    return fetch_atomic_when(ni, get_md, local_get_offset, put_md, local_put_offset, length, target,
                             pt_index, match_bits, remote_offset, user_ptr, hdr_data, op, type,
                             NULL);
}

int ni_triggered_fetch_atomic(struct ni *ni, const struct ni_md *get_md, uint64_t local_get_offset,
                              const struct ni_md *put_md, uint64_t local_put_offset,
                              uint64_t length, struct ni_peer *target, uint32_t pt_index,
                              uint64_t match_bits, uint64_t remote_offset, void *user_ptr,
                              uint64_t hdr_data, enum ni_ptl_op op, enum ni_ptl_datatype type,
                              struct ni_ct *trig_ct, uint64_t threshold)
{
    const struct ni_when when = {trig_ct, threshold};

    return fetch_atomic_when(ni, get_md, local_get_offset, put_md, local_put_offset, length, target,
                             pt_index, match_bits, remote_offset, user_ptr, hdr_data, op, type,
                             &when);
}

int ni_swap(struct ni *ni, const struct ni_md *get_md, uint64_t local_get_offset,
            const struct ni_md *put_md, uint64_t local_put_offset, uint64_t length,
            struct ni_peer *target, uint32_t pt_index, uint64_t match_bits, uint64_t remote_offset,
            void *user_ptr, uint64_t hdr_data, const void *operand, enum ni_ptl_op op,
            enum ni_ptl_datatype type)
{
    return swap_when(ni, get_md, local_get_offset, put_md, local_put_offset, length, target,
                     pt_index, match_bits, remote_offset, user_ptr, hdr_data, operand, op, type,
                     NULL);
}

int ni_triggered_swap(struct ni *ni, const struct ni_md *get_md, uint64_t local_get_offset,
                      const struct ni_md *put_md, uint64_t local_put_offset, uint64_t length,
                      struct ni_peer *target, uint32_t pt_index, uint64_t match_bits,
                      uint64_t remote_offset, void *user_ptr, uint64_t hdr_data,
                      const void *operand, enum ni_ptl_op op, enum ni_ptl_datatype type,
                      struct ni_ct *trig_ct, uint64_t threshold)
{
    const struct ni_when when = {trig_ct, threshold};

    return swap_when(ni, get_md, local_get_offset, put_md, local_put_offset, length, target,
                     pt_index, match_bits, remote_offset, user_ptr, hdr_data, operand, op, type,
                     &when);
}

int ni_atomic_sync(struct ni *ni)
{
    if (ni->portals == NULL) {
        return NI_PTL_NO_INIT;
    }
    atomic_thread_fence(memory_order_seq_cst);
    return NI_OK;
}
