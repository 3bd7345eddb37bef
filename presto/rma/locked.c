/* SPDX-License-Identifier: BSD-3-Clause */
/* Accumulates under the target's lock: its elements are fetched, updated and put back while nobody
 * else may. */
#include <stdlib.h>
#include <string.h>

#include "rma/control.h"

/* out[i] = in[i] op out[i] for packed elements, aligned as malloc does. */
static int compute(const struct pri_rma_update *u, const void *in, void *out)
{
    const struct pri_type *basic = pri_rma_basic(u->kind);
    pri_op_loop *loop = pri_op_loop_of(u->op, u->kind);
    size_t n = u->bytes / basic->size, spread = n * (size_t)basic->extent;

    if (u->op == PRI_OP_REPLACE) {
        memcpy(out, in, u->bytes);
        return 0;
    }
    if (basic->contiguous) {
        loop(in, out, n);
        return 0;
    }
    /* Pairs with holes. */
    char *pairs = calloc(2, spread);
    if (pairs == NULL) {
        return PRI_ERR_NOMEM;
    }
    pri_type_unpack(basic, n, pairs, 0, in, u->bytes);
    pri_type_unpack(basic, n, pairs + spread, 0, out, u->bytes);
    loop(pairs, pairs + spread, n);
    pri_type_pack(basic, n, pairs + spread, 0, out, u->bytes);
    free(pairs);
    return 0;
}

static void give_old(const struct pri_rma_update *u, const void *packed)
{
    if (u->result.type != NULL) {
        pri_type_unpack(u->result.type, u->result.count, u->result.buf, 0, packed, u->bytes);
    }
}

/* The target's elements by way of a copy. `work` has room for two times all of them. */
static int by_copy(const struct pri_rma_update *u, const void *compare, char *work)
{
    char *in = work + (u->bytes + 63) / 64 * 64;
    int error = pri_rma_copy(u->place, work, u->at, false);

    if (error != 0) {
        return error;
    }
    give_old(u, work);
    if (u->op == PRI_OP_NO_OP || (compare != NULL && memcmp(work, compare, u->bytes) != 0)) {
        return 0;
    }
    memcpy(in, u->from, u->bytes);
    error = compute(u, in, work);
    return error != 0 ? error : pri_rma_copy(u->place, work, u->at, true);
}

/* Aligned elements in one piece that are here: no copy. */
static bool in_place(const struct pri_rma_update *u, const void *compare)
{
    const struct pri_type *type = u->at->type;
    return compare == NULL && u->place->t->direct && type->contiguous &&
           (u->place->local + (uintptr_t)type->true_lb) % type->align == 0 &&
           (uintptr_t)u->from % type->align == 0;
}

static void update_in_place(const struct pri_rma_update *u)
{
    char *there = (char *)u->place->local + u->at->type->true_lb;

    give_old(u, there);
    if (u->op == PRI_OP_REPLACE) {
        memmove(there, u->from, u->bytes);
    } else if (u->op != PRI_OP_NO_OP) {
        pri_op_loop_of(u->op, u->kind)(u->from, there, u->bytes / u->unit);
    }
}

int pri_rma_locked(const struct pri_rma_update *u, const void *compare)
{
    bool here = in_place(u, compare);
    /* Both halves are aligned. */
    size_t half = (u->bytes + 63) / 64 * 64;
    char *work = here ? NULL : malloc(2 * half);

    if (!here && work == NULL) {
        return PRI_ERR_NOMEM;
    }
    int error = pri_rma_accumulate_lock(u->place->t);
    if (error == 0) {
        if (here) {
            update_in_place(u);
        } else {
            error = by_copy(u, compare, work);
        }
        pri_rma_accumulate_unlock(u->place->t);
    }
    free(work);
    if (error == 0) {
        pri_rma_request_done(u->place->t->rma, u->request, 0);
    }
    return error;
}
