/* SPDX-License-Identifier: BSD-3-Clause */
/* Where an access goes, and whether it may: epoch, range; the blocks of a datatype. */
#include "rma/control.h"

static int walk(const struct pri_loop *part, size_t parts, ptrdiff_t base, pri_rma_block_fn *fn,
                void *arg)
{
    for (size_t p = 0; p < parts; p++) {
        const struct pri_loop *loop = &part[p];
        ptrdiff_t at = base + loop->disp;
        for (size_t i = 0; i < loop->count; i++, at += loop->stride) {
            int error = loop->body != NULL ? walk(loop->body, loop->parts, at, fn, arg)
                                           : fn(arg, at, loop->size);
            if (error != 0) {
                return error;
            }
        }
    }
    return 0;
}

int pri_rma_blocks(const struct pri_type *type, size_t count, pri_rma_block_fn *fn, void *arg)
{
    if (type->size == 0 || count == 0) {
        return 0;
    }
    if (type->contiguous) {
        return fn(arg, type->true_lb, count * type->size);
    }
    for (size_t i = 0; i < count; i++) {
        int error = walk(type->part, type->parts, (ptrdiff_t)i * type->extent, fn, arg);
        if (error != 0) {
            return error;
        }
    }
    return 0;
}

struct walk {
    struct pri_rma_place *place;
    pri_rma_block_fn *fn;
    void *arg;
};

static int walk_block(void *arg, ptrdiff_t disp, size_t bytes)
{
    const struct walk *w = arg;
    struct pri_rma_place *place = w->place;

    while (bytes > 0) {
        uint64_t at = place->remote.addr + (uint64_t)disp;
        int error = pri_rma_piece_find(place->t, at, 1, place);
        if (error != 0) {
            return error;
        }
        size_t some = bytes < place->behind - at ? bytes : (size_t)(place->behind - at);
        error = w->fn(w->arg, disp, some);
        if (error != 0) {
            return error;
        }
        disp += (ptrdiff_t)some;
        bytes -= some;
    }
    return 0;
}

int pri_rma_walk(struct pri_rma_place *place, const struct pri_rma_at *at, pri_rma_block_fn *fn,
                 void *arg)
{
    struct walk w = {place, fn, arg};

    if (NI_LIKELY(!place->pieces)) {
        return pri_rma_blocks(at->type, at->count, fn, arg);
    }
    return pri_rma_blocks(at->type, at->count, walk_block, &w);
}

static int nothing(void *arg, ptrdiff_t disp, size_t bytes)
{
    (void)arg, (void)disp, (void)bytes;
    return 0;
}

/* In a dynamic window: in one attached piece, or in several. */
static int find_pieces(struct pri_rma_place *place, const struct pri_rma_at *at, uint64_t start,
                       uint64_t bytes)
{
    int error = pri_rma_piece_find(place->t, start, bytes, place);

    if (NI_LIKELY(error != PRI_RMA_RANGE)) {
        return error;
    }
    place->pieces = true;
    return pri_rma_walk(place, at, nothing, NULL);
}

/* Whether an operation on a target is in an epoch, and if it has a request, in a passive one. */
static int check_epoch(struct pri_rma *rma, struct pri_rma_target *t, bool request)
{
    unsigned access = atomic_load_explicit(&t->access, memory_order_relaxed);
    if (NI_LIKELY(access >= PRI_RMA_LOCKED && access < PRI_RMA_LOCKING)) {
        return 0;
    }
    if (request) {
        return PRI_RMA_SYNC;
    }
    if (access == PRI_RMA_STARTED) {
        return 0;
    }
    unsigned fence = atomic_load_explicit(&rma->fence, memory_order_relaxed);
    if (fence == PRI_RMA_NO_FENCE) {
        return PRI_RMA_SYNC;
    }
    if (fence == PRI_RMA_FENCED) {
        atomic_store_explicit(&rma->fence, PRI_RMA_FENCE_USED, memory_order_relaxed);
    }
    return 0;
}

/* The first byte of the data of some elements, behind their address, and the bytes to behind the
 * last. */
static bool extent_of(const struct pri_rma_at *at, ptrdiff_t *first, size_t *bytes)
{
    *first = 0;
    *bytes = 0;
    if (at->count == 0 || at->type->size == 0) {
        return true;
    }
    if (NI_LIKELY(at->type->contiguous)) {
        *first = at->type->true_lb;
        return !__builtin_mul_overflow(at->count, at->type->size, bytes);
    }
    *bytes = pri_type_span(at->type, at->count, first);
    return true;
}

int pri_rma_locate(struct pri_rma *rma, const struct pri_rma_at *at, bool request,
                   struct pri_rma_place *place)
{
    struct pri_rma_target *t = &rma->target[at->target];
    ptrdiff_t first;
    size_t bytes;
    uint64_t offset, behind;
    int error = check_epoch(rma, t, request);

    if (NI_UNLIKELY(error != 0)) {
        return error;
    }
    place->t = t;
    bool dynamic = rma->flavor == PRI_RMA_DYNAMIC;
    if (!extent_of(at, &first, &bytes) || (!dynamic && at->disp < 0) ||
        __builtin_mul_overflow((uint64_t)at->disp, t->unit, &offset)) {
        return PRI_RMA_RANGE;
    }
    uint64_t start = offset + (uint64_t)first;
    if (!dynamic && bytes > 0 &&
        ((ptrdiff_t)start < 0 || __builtin_add_overflow(start, bytes, &behind) ||
         behind > t->bytes)) {
        return PRI_RMA_RANGE;
    }
    place->local = t->base + offset;
    place->remote = (struct ni_remote){t->remote + offset, t->key, t->handle};
    place->first = t->remote;
    place->pieces = false;
    return NI_LIKELY(!dynamic || bytes == 0) ? 0 : find_pieces(place, at, start, bytes);
}
