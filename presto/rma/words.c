/* SPDX-License-Identifier: BSD-3-Clause */
/* Accumulates of words by atomic instructions: the CPU's where memory is reached directly, the NI's
 * elsewhere. */
#include <stdlib.h>
#include <string.h>

#include "rma/control.h"

/* ---- by the CPU ------------------------------------------------------------------------------ */

/* acquire and release: an accumulate may be the flag behind data. */
#define UPDATES(bits)                                                                             \
    static uint64_t cpu_##bits(_Atomic uint##bits##_t *at, enum pri_op_id op, enum pri_kind kind, \
                               const void *from)                                                  \
    {                                                                                             \
        uint##bits##_t value = 0, old, next;                                                      \
        if (from != NULL && op != PRI_OP_NO_OP) {                                                 \
            memcpy(&value, from, sizeof(value));                                                  \
        }                                                                                         \
        switch (op) {                                                                             \
        case PRI_OP_SUM:                                                                          \
            return atomic_fetch_add_explicit(at, value, memory_order_acq_rel);                    \
        case PRI_OP_BAND:                                                                         \
            return atomic_fetch_and_explicit(at, value, memory_order_acq_rel);                    \
        case PRI_OP_BOR:                                                                          \
            return atomic_fetch_or_explicit(at, value, memory_order_acq_rel);                     \
        case PRI_OP_BXOR:                                                                         \
            return atomic_fetch_xor_explicit(at, value, memory_order_acq_rel);                    \
        case PRI_OP_REPLACE:                                                                      \
            return atomic_exchange_explicit(at, value, memory_order_acq_rel);                     \
        case PRI_OP_NO_OP:                                                                        \
            return atomic_load_explicit(at, memory_order_acquire);                                \
        default:                                                                                  \
            break;                                                                                \
        }                                                                                         \
        pri_op_loop *loop = pri_op_loop_of(op, kind);                                             \
        old = atomic_load_explicit(at, memory_order_acquire);                                     \
        do {                                                                                      \
            next = old;                                                                           \
            loop(&value, &next, 1);                                                               \
        } while (!atomic_compare_exchange_weak_explicit(at, &old, next, memory_order_acq_rel,     \
                                                        memory_order_acquire));                   \
        return old;                                                                               \
    }
UPDATES(32)
UPDATES(64)

uint64_t pri_rma_cpu(uintptr_t at, size_t width, enum pri_op_id op, enum pri_kind kind,
                     const void *from)
{
    return width == sizeof(uint64_t) ? cpu_64((_Atomic uint64_t *)at, op, kind, from)
                                     : cpu_32((_Atomic uint32_t *)at, op, kind, from);
}

/* ---- by the NI ------------------------------------------------------------------------------- */

/* The NI's operation; NI_ATOMIC_OPS: it has none. Its words are signed when it compares. */
static enum ni_atomic_op ni_op(enum pri_op_id op, enum pri_kind kind)
{
    bool is_signed = kind == PRI_KIND_INT32 || kind == PRI_KIND_INT64;

    switch (op) {
    case PRI_OP_SUM:
    case PRI_OP_NO_OP: /* adds 0 */
        return NI_ATOMIC_ADD;
    case PRI_OP_BAND:
        return NI_ATOMIC_AND;
    case PRI_OP_BOR:
        return NI_ATOMIC_OR;
    case PRI_OP_BXOR:
        return NI_ATOMIC_XOR;
    case PRI_OP_REPLACE:
        return NI_ATOMIC_SWAP;
    case PRI_OP_MIN:
        return is_signed ? NI_ATOMIC_MIN : NI_ATOMIC_OPS;
    case PRI_OP_MAX:
        return is_signed ? NI_ATOMIC_MAX : NI_ATOMIC_OPS;
    default:
        return NI_ATOMIC_OPS;
    }
}

/* Where the old value of a word goes. */
struct pri_rma_old {
    struct pri_rma_op *op;
    void *to; /* NULL: nowhere */
    unsigned width;
};

static void keep(void *to, uint64_t value, unsigned width)
{
    if (width == sizeof(uint32_t)) {
        memcpy(to, &(uint32_t){(uint32_t)value}, sizeof(uint32_t));
    } else {
        memcpy(to, &value, sizeof(uint64_t));
    }
}

static void fetched(void *arg, ni_status status, uint64_t value)
{
    struct pri_rma_old *old = arg;

    if (status == NI_OK) {
        keep(old->to, value, old->width);
    }
    pri_rma_op_done(old->op, status);
}

/* The words of an update, one after the other. */
struct words {
    const struct pri_rma_update *u;
    const char *from;
    char *to;    /* NULL: old values are not wanted */
    char *spare; /* NULL, or a place for old values that come all the same */
    struct pri_rma_op *op;
    struct pri_rma_old *old;
};

static uint64_t operand(const struct words *w)
{
    uint32_t narrow;
    uint64_t wide = 0;

    if (w->from == NULL) {
        return 0;
    }
    if (w->u->unit == sizeof(wide)) {
        memcpy(&wide, w->from, sizeof(wide));
        return wide;
    }
    memcpy(&narrow, w->from, sizeof(narrow));
    return narrow;
}

static ni_status start_word(struct words *w, enum ni_atomic_op op, uint64_t compare,
                            const struct ni_remote *at)
{
    struct ni_ack ack = pri_rma_op_ack(w->op);

    if (w->to != NULL) {
        *w->old = (struct pri_rma_old){w->op, w->to, (unsigned)w->u->unit};
        ack.fn = fetched;
        ack.arg = w->old++;
    }
    pri_rma_op_more(w->op);
    pri_rma_combined(w->op->t);
    ni_status status =
        pri_rma_start_fetch(w->op->t, op, (unsigned)w->u->unit, operand(w), compare, at, &ack);
    if (status != NI_OK) {
        pri_rma_op_done(w->op, status);
    }
    return status;
}

/* Words of memory that is reached directly. */
static void update_here(struct words *w, uintptr_t at, size_t bytes)
{
    const struct pri_rma_update *u = w->u;

    for (size_t i = 0; i < bytes; i += u->unit) {
        uint64_t old =
            pri_rma_cpu(at + i, u->unit, u->op, u->kind, w->from != NULL ? w->from + i : NULL);
        if (w->to != NULL) {
            keep(w->to + i, old, (unsigned)u->unit);
        }
    }
}

/* A single word has a shorter way, if the NI has the operation; with old values only if there is
 * one in all. */
static bool goes_alone(const struct words *w, size_t bytes)
{
    const struct pri_rma_update *u = w->u;

    return bytes == u->unit && ni_op(u->op, u->kind) != NI_ATOMIC_OPS &&
           (w->to == NULL || u->bytes == bytes);
}

static int update_words(void *arg, ptrdiff_t disp, size_t bytes)
{
    struct words *w = arg;
    const struct pri_rma_update *u = w->u;
    struct ni_remote at = u->place->remote;
    int error = 0;

    at.addr += (uint64_t)disp;
    if (u->place->t->direct) {
        update_here(w, u->place->local + (uintptr_t)disp, bytes);
    } else if (goes_alone(w, bytes)) {
        error = pri_rma_error_of(start_word(w, ni_op(u->op, u->kind), 0, &at));
    } else {
        error = pri_rma_combine(u, w->op, disp, w->from, w->to != NULL ? w->to : w->spare, bytes);
    }
    w->spare += w->spare != NULL ? bytes : 0;
    w->from += w->from != NULL ? bytes : 0;
    w->to += w->to != NULL ? bytes : 0;
    return error;
}

/* ---- both ------------------------------------------------------------------------------------ */

static int misaligned(void *arg, ptrdiff_t disp, size_t bytes)
{
    const struct pri_rma_update *u = arg;
    uint64_t at = u->place->t->direct ? u->place->local : u->place->remote.addr;

    return (at + (uint64_t)disp) % u->unit != 0 || bytes % u->unit != 0;
}

bool pri_rma_is_words(const struct pri_rma_update *u)
{
    bool integers =
        (u->kind >= PRI_KIND_INT32 && u->kind <= PRI_KIND_UINT64) || u->kind == PRI_KIND_LOGICAL;
    return integers && pri_rma_blocks(u->at->type, u->at->count, misaligned, (void *)u) == 0;
}

/* Whether the NI would have to change a word that lies in two attached pieces. */
static bool is_divided(const struct pri_rma_update *u)
{
    return NI_UNLIKELY(u->place->pieces) && !u->place->t->direct &&
           pri_rma_walk(u->place, u->at, misaligned, (void *)u) != 0;
}

/* What the operation needs for old values, and where these go first. False: no memory. */
static bool want_old(struct words *w)
{
    const struct pri_rma_data *result = &w->u->result;

    if (result->type == NULL) {
        return true;
    }
    w->to = (char *)result->buf + result->type->true_lb;
    if (!result->type->contiguous) {
        w->to = w->op->packed;
        w->op->into = *result;
        pri_type_retain(result->type);
    }
    if (w->op->t->direct || w->u->bytes > w->u->unit) {
        return true;
    }
    w->op->old = w->old = malloc(sizeof(*w->old));
    return w->old != NULL;
}

static int begin(const struct pri_rma_update *u, struct words *w)
{
    bool spare = u->op == PRI_OP_REPLACE && u->bytes > u->unit && !u->place->t->direct;
    bool pack = u->result.type != NULL ? !u->result.type->contiguous : spare;

    *w = (struct words){.u = u, .from = u->from};
    w->op = pri_rma_op_begin(u->place->t, u->request, pack ? u->bytes : 0);
    if (w->op == NULL) {
        return PRI_ERR_NOMEM;
    }
    w->spare = w->op->packed;
    if (want_old(w)) {
        return 0;
    }
    pri_rma_op_done(w->op, NI_ERR_NOMEM);
    w->op = NULL;
    return u->request != NULL ? 0 : PRI_ERR_NOMEM;
}

int pri_rma_words(const struct pri_rma_update *u)
{
    struct words w = {0};
    bool alone = false;
    int error = is_divided(u) ? PRI_RMA_RANGE : 0;

    if (error == 0 && pri_rma_is_run(u)) {
        error = pri_rma_run_begin(u->place->t, &alone);
    }
    if (alone) {
        return pri_rma_run(u);
    }
    error = error != 0 ? error : pri_rma_updates_begin(u->place->t);
    error = error != 0 ? error : begin(u, &w);
    if (error != 0 || w.op == NULL) {
        return error;
    }
    error = pri_rma_walk(u->place, u->at, update_words, &w);
    pri_rma_op_done(w.op, NI_OK);
    return u->request != NULL ? 0 : error;
}

static uint64_t swap_here(uintptr_t at, size_t width, const void *compare, const void *from)
{
    uint32_t old32, new32;
    uint64_t old64, new64;

    /* acquire and release, as all accumulates */
    if (width == sizeof(uint32_t)) {
        memcpy(&old32, compare, sizeof(old32));
        memcpy(&new32, from, sizeof(new32));
        atomic_compare_exchange_strong_explicit((_Atomic uint32_t *)at, &old32, new32,
                                                memory_order_acq_rel, memory_order_acquire);
        return old32;
    }
    memcpy(&old64, compare, sizeof(old64));
    memcpy(&new64, from, sizeof(new64));
    atomic_compare_exchange_strong_explicit((_Atomic uint64_t *)at, &old64, new64,
                                            memory_order_acq_rel, memory_order_acquire);
    return old64;
}

int pri_rma_word_swap(const struct pri_rma_update *u, const void *compare)
{
    struct words w = {0};
    int error = is_divided(u) ? PRI_RMA_RANGE : pri_rma_updates_begin(u->place->t);

    if (error != 0) {
        return error;
    }
    if (u->place->t->direct) {
        keep(u->result.buf, swap_here(u->place->local, u->unit, compare, u->from),
             (unsigned)u->unit);
        return 0;
    }
    error = begin(u, &w);
    if (error != 0) {
        return error;
    }
    struct words expected = {.u = u, .from = compare};
    ni_status status = start_word(&w, NI_ATOMIC_CSWAP, operand(&expected), &u->place->remote);
    pri_rma_op_done(w.op, NI_OK);
    return pri_rma_error_of(status);
}
