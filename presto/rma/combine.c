/* SPDX-License-Identifier: BSD-3-Clause */
/* Accumulates of many words, and by operations that ni_fetch_op does not have: atomics of portals
 * (ni_atomic and its kin), up to 1 KiB in a packet, which the target's interface applies word by
 * word when it arrives. Each piece of memory that others reach by the NI is, besides a region, a
 * match entry with the region's key as its bits. */
#include "rma/control.h"

enum {
    LONGEST = 1024,      /* bytes of one packet */
    MOST_UNDER_WAY = 32, /* packets of one operation */
    STAYS = 0,           /* of pri_rma.combines: data that is there until it is complete */
    GOES = 1             /* data that may be gone when the call returns */
};

/* ---- at the target --------------------------------------------------------------------------- */

int pri_rma_entry_open(struct pri_rank *self, void *base, size_t bytes, uint64_t key,
                       ni_me_handle *entry)
{
    const struct ni_me me = {.start = base,
                             .length = bytes,
                             .match_bits = key,
                             .match_id = NI_INITIATOR_ANY,
                             .options = NI_ME_OP_PUT | NI_ME_OP_GET | NI_ME_EVENT_COMM_DISABLE |
                                        NI_ME_EVENT_UNLINK_DISABLE};
    uint32_t index;
    int result = ni_pt_alloc(self->ni, 0, NULL, PRI_PT_RMA, &index);

    if (result == NI_OK || result == NI_PTL_PT_IN_USE) {
        result = ni_me_append(self->ni, PRI_PT_RMA, &me, NI_PRIORITY_LIST, NULL, entry);
    }
    return result == NI_OK ? PRI_OK : PRI_ERR_NOMEM;
}

void pri_rma_entry_close(struct pri_rank *self, ni_me_handle entry)
{
    unsigned spins = 0;

    while (entry != 0 && ni_me_unlink(self->ni, entry) == NI_PTL_IN_USE) {
        pri_relax(self, &spins);
    }
}

/* ---- at the origin --------------------------------------------------------------------------- */

static ni_status status_of(const struct ni_event *event)
{
    switch (event->ni_fail_type) {
    case NI_NI_OK:
        return NI_OK;
    case NI_NI_UNDELIVERABLE:
        return NI_ERR_PEER_DEAD;
    case NI_NI_NO_SPACE:
        return NI_ERR_NOMEM;
    default:
        return NI_ERR_REGION;
    }
}

/* Each packet has one of these events, whatever becomes of it. */
static void on_event(void *arg, const struct ni_event *event)
{
    struct pri_rma_op *op = event->user_ptr;

    (void)arg;
    if (event->type != NI_EVENT_ACK && event->type != NI_EVENT_REPLY) {
        return;
    }
    /* release, with the acquire in pri_rma_combined */
    atomic_fetch_sub_explicit(&op->t->combining, 1, memory_order_release);
    pri_rma_op_done(op, status_of(event));
}

int pri_rma_combines_open(struct pri_rma *rma)
{
    int result = ni_eq_alloc_handler(rma->self->ni, on_event, rma, &rma->combined);

    for (int i = 0; i < 2; i++) {
        rma->combines[i] =
            (struct ni_md){.length = SIZE_MAX,
                           .options = NI_MD_EVENT_SEND_DISABLE | (i == GOES ? NI_MD_VOLATILE : 0),
                           .eq = rma->combined};
    }
    return result == NI_OK ? PRI_OK : PRI_ERR_NOMEM;
}

void pri_rma_combines_close(struct pri_rma *rma)
{
    if (rma->combined != NULL) {
        (void)ni_eq_free(rma->self->ni, rma->combined);
    }
}

void pri_rma_combined(struct pri_rma_target *t)
{
    unsigned spins = 0;

    /* acquire, with the release in on_event */
    while (atomic_load_explicit(&t->combining, memory_order_acquire) != 0) {
        pri_relax(t->rma->self, &spins);
    }
}

static enum ni_ptl_datatype type_of(enum pri_kind kind)
{
    switch (kind) {
    case PRI_KIND_UINT32:
        return NI_UINT32_T;
    case PRI_KIND_INT64:
        return NI_INT64_T;
    case PRI_KIND_UINT64:
        return NI_UINT64_T;
    default:
        return NI_INT32_T;
    }
}

static enum ni_ptl_op op_of(enum pri_op_id op)
{
    static const enum ni_ptl_op ops[] = {
        [PRI_OP_MAX] = NI_MAX,   [PRI_OP_MIN] = NI_MIN,      [PRI_OP_SUM] = NI_SUM,
        [PRI_OP_PROD] = NI_PROD, [PRI_OP_LAND] = NI_LAND,    [PRI_OP_BAND] = NI_BAND,
        [PRI_OP_LOR] = NI_LOR,   [PRI_OP_BOR] = NI_BOR,      [PRI_OP_LXOR] = NI_LXOR,
        [PRI_OP_BXOR] = NI_BXOR, [PRI_OP_REPLACE] = NI_SWAP, [PRI_OP_NO_OP] = NI_BOR, /* of zeros */
    };
    return ops[op];
}

/* One packet's. from: its words; to: for the old ones, or NULL. */
static int start(const struct pri_rma_update *u, struct pri_rma_op *op, uint64_t offset,
                 const char *from, char *to, size_t bytes)
{
    static const uint64_t zeros[LONGEST / sizeof(uint64_t)];
    struct pri_rma *rma = op->t->rma;
    const struct ni_md *md = &rma->combines[u->goes ? GOES : STAYS];
    struct ni *ni = rma->self->ni;
    uintptr_t data = (uintptr_t)(from != NULL ? from : (const char *)zeros), old = (uintptr_t)to;
    uint64_t key = u->place->remote.key;
    enum ni_ptl_datatype type = type_of(u->kind);

    if (u->op == PRI_OP_REPLACE) {
        return ni_swap(ni, md, old, md, data, bytes, op->t->ni, PRI_PT_RMA, key, offset, op, 0,
                       NULL, NI_SWAP, type);
    }
    if (to != NULL) {
        return ni_fetch_atomic(ni, md, old, md, data, bytes, op->t->ni, PRI_PT_RMA, key, offset, op,
                               0, op_of(u->op), type);
    }
    return ni_atomic(ni, md, data, bytes, NI_ACK_REQ, op->t->ni, PRI_PT_RMA, key, offset, op, 0,
                     op_of(u->op), type);
}

int pri_rma_combine(const struct pri_rma_update *u, struct pri_rma_op *op, ptrdiff_t disp,
                    const char *from, char *to, size_t bytes)
{
    uint64_t offset = u->place->remote.addr + (uint64_t)disp - u->place->first;
    unsigned spins = 0;

    for (size_t at = 0; at < bytes; at += LONGEST) {
        size_t some = bytes - at < LONGEST ? bytes - at : LONGEST;
        while (atomic_load_explicit(&op->left, memory_order_relaxed) > MOST_UNDER_WAY) {
            pri_relax(op->t->rma->self, &spins);
        }
        pri_rma_op_more(op);
        atomic_fetch_add_explicit(&op->t->combining, 1, memory_order_relaxed);
        int result = start(u, op, offset + at, from != NULL ? from + at : NULL,
                           to != NULL ? to + at : NULL, some);
        if (NI_UNLIKELY(result != NI_OK)) {
            int error = result == NI_PTL_NO_SPACE ? NI_ERR_NOMEM : result;
            atomic_fetch_sub_explicit(&op->t->combining, 1, memory_order_relaxed);
            pri_rma_op_done(op, (ni_status)error);
            return pri_rma_error_of((ni_status)error);
        }
    }
    return 0;
}
