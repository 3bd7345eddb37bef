/* SPDX-License-Identifier: BSD-3-Clause */
/* Accumulates that fetch the target's elements, update them and put them back while nobody else
 * may: under the target's lock, and long runs of words. */
#include <stdlib.h>
#include <string.h>

#include "rma/control.h"

enum {
    PIECE = 96 * 1024, /* bytes of elements; a multiple of each basic type's, pairs included */
    RUN = 32 * 1024    /* bytes of words; shorter ones are under way in packets all at once */
};

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

/* Many elements in one piece, with nothing between them: by a copy of some after the other, which
 * stays in a cache and is not fresh memory each time. */
static bool by_pieces(const struct pri_rma_update *u, const void *compare)
{
    return u->bytes > PIECE && compare == NULL && u->at->type->contiguous &&
           pri_rma_basic(u->kind)->contiguous &&
           (u->result.type == NULL || u->result.type->contiguous);
}

/* `work` has room for two times a piece. */
static int piece_by_piece(const struct pri_rma_update *u, char *work)
{
    struct pri_type *basic = (struct pri_type *)(uintptr_t)pri_rma_basic(u->kind);
    struct pri_rma_place place = *u->place;
    struct pri_rma_at at = {.target = u->at->target, .type = basic};
    struct pri_rma_update piece = *u;
    int error = 0;

    place.local += (uintptr_t)u->at->type->true_lb;
    place.remote.addr += (uint64_t)u->at->type->true_lb;
    piece.place = &place;
    piece.at = &at;
    for (size_t done = 0; error == 0 && done < u->bytes; done += piece.bytes) {
        piece.bytes = u->bytes - done < PIECE ? u->bytes - done : PIECE;
        piece.from = u->from != NULL ? u->from + done : NULL;
        at.count = piece.bytes / basic->size;
        if (u->result.type != NULL) {
            piece.result.buf = (char *)u->result.buf + u->result.type->true_lb + done;
            piece.result.type = basic;
            piece.result.count = at.count;
        }
        error = by_copy(&piece, NULL, work);
        place.local += piece.bytes;
        place.remote.addr += piece.bytes;
    }
    return error;
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

/* While nobody else may. */
static int update(const struct pri_rma_update *u, const void *compare, char *work)
{
    if (work == NULL) {
        update_in_place(u);
        return 0;
    }
    return by_pieces(u, compare) ? piece_by_piece(u, work) : by_copy(u, compare, work);
}

/* Room for two times a piece, aligned. */
static char *work_for(const struct pri_rma_update *u, const void *compare)
{
    return malloc(2 * (((by_pieces(u, compare) ? PIECE : u->bytes) + 63) / 64 * 64));
}

bool pri_rma_is_run(const struct pri_rma_update *u)
{
    return u->bytes > RUN && u->at->type->contiguous && !u->place->t->direct &&
           atomic_load_explicit(&u->place->t->updates, memory_order_relaxed) != PRI_RMA_NO_COUNT;
}

int pri_rma_run(const struct pri_rma_update *u)
{
    char *work = work_for(u, NULL);
    int error = work == NULL ? PRI_ERR_NOMEM : update(u, NULL, work);

    pri_rma_run_end(u->place->t);
    free(work);
    if (error == 0) {
        pri_rma_request_done(u->place->t->rma, u->request, 0);
    }
    return error;
}

int pri_rma_locked(const struct pri_rma_update *u, const void *compare)
{
    bool here = in_place(u, compare);
    char *work = here ? NULL : work_for(u, compare);

    if (!here && work == NULL) {
        return PRI_ERR_NOMEM;
    }
    int error = pri_rma_accumulate_lock(u->place->t);
    if (error == 0) {
        error = update(u, compare, work);
        pri_rma_accumulate_unlock(u->place->t);
    }
    free(work);
    if (error == 0) {
        pri_rma_request_done(u->place->t->rma, u->request, 0);
    }
    return error;
}
