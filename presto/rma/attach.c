/* SPDX-License-Identifier: BSD-3-Clause */
/* Dynamic windows: each rank's control block lists the pieces of memory that it has attached, and
 * the rank that accesses one looks for it there. A piece keeps its place in the list, so that
 * others need no lock to read it. */
#include "rma/control.h"

/* A piece as it was at some time. */
struct seen {
    uint64_t base, bytes, key, handle;
    uint64_t entry; /* the owner's alone */
};

static void change(struct pri_rma_piece *piece, const struct seen *to)
{
    /* The fields are released after the odd number and before the even one; pri_rma_piece_find
     * acquires. */
    atomic_fetch_add_explicit(&piece->seq, 1, memory_order_acq_rel);
    atomic_store_explicit(&piece->base, to->base, memory_order_release);
    atomic_store_explicit(&piece->bytes, to->bytes, memory_order_release);
    atomic_store_explicit(&piece->key, to->key, memory_order_release);
    atomic_store_explicit(&piece->handle, to->handle, memory_order_release);
    atomic_store_explicit(&piece->entry, to->entry, memory_order_relaxed);
    atomic_fetch_add_explicit(&piece->seq, 1, memory_order_acq_rel);
}

/* False: it changed meanwhile, or is none. */
static bool look(const struct pri_rma_piece *piece, struct seen *seen)
{
    /* acquire, with the releases in change */
    uint64_t seq = atomic_load_explicit(&piece->seq, memory_order_acquire);
    seen->base = atomic_load_explicit(&piece->base, memory_order_acquire);
    seen->bytes = atomic_load_explicit(&piece->bytes, memory_order_acquire);
    seen->key = atomic_load_explicit(&piece->key, memory_order_acquire);
    seen->handle = atomic_load_explicit(&piece->handle, memory_order_acquire);
    return seq % 2 == 0 && seq == atomic_load_explicit(&piece->seq, memory_order_relaxed) &&
           seen->bytes != PRI_RMA_NO_PIECE;
}

/* Where a new piece goes. False: it overlaps one that is there, or there are too many. */
static bool find_place(struct pri_rma *rma, uint64_t base, uint64_t bytes, uint64_t *place)
{
    struct pri_rma_piece *piece = pri_rma_pieces(rma->own, rma->team->size);
    uint64_t n = atomic_load_explicit(&rma->own->pieces, memory_order_relaxed);
    struct seen seen;

    *place = n;
    for (uint64_t i = n; i-- > 0;) {
        if (!look(&piece[i], &seen)) {
            *place = i;
        } else if (base < seen.base + seen.bytes && seen.base < base + bytes) {
            return false;
        }
    }
    return *place < PRI_RMA_PIECES;
}

int pri_rma_attach(struct pri_rma *rma, void *base, size_t bytes)
{
    struct seen piece = {.base = (uint64_t)(uintptr_t)base, .bytes = bytes};
    struct ni_rkey rkey;
    ni_me_handle entry = 0;
    uint64_t place;

    if (!find_place(rma, piece.base, bytes, &place)) {
        return PRI_RMA_ATTACH;
    }
    if (bytes > 0 && rma->registers) {
        ni_status status = ni_region_memory(rma->self->ni, base, bytes, NI_ACCESS_ALL, &rkey);
        if (status != NI_OK) {
            return pri_rma_error_of(status);
        }
        int error = pri_rma_entry_open(rma->self, base, bytes, rkey.key, &entry);
        if (error != 0) {
            ni_region_deregister(rma->self->ni, rkey.handle);
            return error;
        }
        piece.key = rkey.key;
        piece.handle = rkey.handle;
        piece.entry = entry;
    }
    change(&pri_rma_pieces(rma->own, rma->team->size)[place], &piece);
    if (place == atomic_load_explicit(&rma->own->pieces, memory_order_relaxed)) {
        /* release, with the acquire in pri_rma_piece_find */
        atomic_store_explicit(&rma->own->pieces, place + 1, memory_order_release);
    }
    return 0;
}

int pri_rma_detach(struct pri_rma *rma, const void *base)
{
    struct pri_rma_piece *piece = pri_rma_pieces(rma->own, rma->team->size);
    uint64_t n = atomic_load_explicit(&rma->own->pieces, memory_order_relaxed);
    struct seen seen, none = {.bytes = PRI_RMA_NO_PIECE};

    for (uint64_t i = 0; i < n; i++) {
        if (!look(&piece[i], &seen) || seen.base != (uint64_t)(uintptr_t)base) {
            continue;
        }
        uint64_t entry = atomic_load_explicit(&piece[i].entry, memory_order_relaxed);
        change(&piece[i], &none);
        pri_rma_entry_close(rma->self, (ni_me_handle)entry);
        if (seen.handle != 0) {
            ni_region_deregister(rma->self->ni, (ni_handle)seen.handle);
        }
        return 0;
    }
    return PRI_RMA_ATTACH;
}

static bool inside(const struct seen *seen, uint64_t first, uint64_t bytes)
{
    return first >= seen->base && bytes <= seen->bytes && first - seen->base <= seen->bytes - bytes;
}

/* The list is here. */
static bool find_mapped(struct pri_rma_target *t, uint64_t first, uint64_t bytes, struct seen *seen)
{
    const struct pri_rma_piece *piece = pri_rma_pieces(t->control, t->rma->team->size);
    unsigned hint = atomic_load_explicit(&t->hint, memory_order_relaxed);
    uint64_t n = atomic_load_explicit(&t->control->pieces, memory_order_acquire);

    if (hint < n && look(&piece[hint], seen) && inside(seen, first, bytes)) {
        return true;
    }
    for (uint64_t i = 0; i < n; i++) {
        if (look(&piece[i], seen) && inside(seen, first, bytes)) {
            atomic_store_explicit(&t->hint, (unsigned)i, memory_order_relaxed);
            return true;
        }
    }
    return false;
}

/* The list is elsewhere: it is read, some pieces at a time. */
static int find_fetched(struct pri_rma_target *t, uint64_t first, uint64_t bytes, struct seen *seen)
{
    enum { SOME = 16 };
    struct pri_rma_piece piece[SOME];
    struct ni_remote at = t->control_at;
    uint64_t n;
    int error = pri_rma_word_load(t, PRI_RMA_WORD(pieces), &n);

    at.addr += pri_rma_pieces_at(t->rma->team->size);
    for (uint64_t i = 0; error == 0 && i < n; i += SOME, at.addr += sizeof(piece)) {
        uint64_t some = n - i < SOME ? n - i : SOME;
        error = pri_rma_read(t, piece, some * sizeof(*piece), &at);
        for (uint64_t k = 0; error == 0 && k < some; k++) {
            if (look(&piece[k], seen) && inside(seen, first, bytes)) {
                return 0;
            }
        }
    }
    return error != 0 ? error : PRI_RMA_RANGE;
}

int pri_rma_piece_find(struct pri_rma_target *t, uint64_t first, uint64_t bytes,
                       struct pri_rma_place *place)
{
    struct seen seen;

    if (NI_UNLIKELY(t->control == NULL)) {
        int error = find_fetched(t, first, bytes, &seen);
        if (error != 0) {
            return error;
        }
    } else if (!find_mapped(t, first, bytes, &seen)) {
        return PRI_RMA_RANGE;
    }
    place->remote.key = seen.key;
    place->remote.handle = (ni_handle)seen.handle;
    place->first = seen.base;
    place->behind = seen.base + seen.bytes;
    return 0;
}
