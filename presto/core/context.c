/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contexts: 31..18 the rank that leads the communicator, 17..1 its number there, 0 the plane.
 * Number 0 of a job's first rank is its world, and the last number is the core's own.
 */
#include <stdlib.h>

#include "core/rank.h"

enum { WORDS = PRI_MAX_CONTEXTS / 64, CURSOR_STEP = 257 };

static void mark(uint64_t *used, uint32_t number)
{
    used[number / 64] |= UINT64_C(1) << (number % 64);
}

/* The lock is held. */
static uint64_t *contexts_of(struct pri_rank *self)
{
    struct pri_cold *cold = self->cold;

    if (cold->contexts == NULL) {
        cold->contexts = calloc(WORDS, sizeof(*cold->contexts));
        if (cold->contexts != NULL) {
            mark(cold->contexts, 0);
            mark(cold->contexts, PRI_MAX_CONTEXTS - 1);
            /* What another job's rank of the same number has led is taken again late, too. */
            cold->context_cursor = (uint32_t)self->job * CURSOR_STEP % PRI_MAX_CONTEXTS;
        }
    }
    return cold->contexts;
}

/* The lock is held. PRI_MAX_CONTEXTS: all are in use. */
static uint32_t find(uint64_t *used, uint32_t cursor)
{
    for (uint32_t i = 0; i < PRI_MAX_CONTEXTS; i++) {
        uint32_t number = (cursor + i) % PRI_MAX_CONTEXTS;

        if (number % 64 == 0 && used[number / 64] == UINT64_MAX) {
            i += 63;
        } else if ((used[number / 64] >> (number % 64) & 1) == 0) {
            return number;
        }
    }
    return PRI_MAX_CONTEXTS;
}

int pri_context_take(struct pri_rank *self, uint32_t *context)
{
    uint64_t *used;
    uint32_t number = PRI_MAX_CONTEXTS;

    pri_lock(self);
    used = contexts_of(self);
    if (used != NULL) {
        number = find(used, self->cold->context_cursor);
    }
    if (number != PRI_MAX_CONTEXTS) {
        mark(used, number);
        self->cold->context_cursor = (number + 1) % PRI_MAX_CONTEXTS;
        *context = (uint32_t)self->rank << PRI_CONTEXT_RANK_SHIFT | number << 1;
    }
    pri_unlock(self);
    if (used == NULL) {
        return PRI_ERR_NOMEM;
    }
    return number != PRI_MAX_CONTEXTS ? PRI_OK : PRI_ERR_LIMIT;
}

/* Drop what nobody has received. tag gives the sign. */
static void drop_all(struct pri_rank *self, uint32_t context, int tag)
{
    const struct ni_me me = {
        .length = SIZE_MAX,
        .match_bits = (uint64_t)context << 32 | (uint32_t)tag,
        .ignore_bits = PRI_ANY_TAG_BITS,
        .match_id = NI_INITIATOR_ANY,
        .options = NI_ME_OP_PUT,
    };
    struct ni_event event;

    while (ni_me_probe(self->ni, PRI_PT, &me, NI_SEARCH_DELETE, &event) == NI_OK) {
        (void)ni_unexpected_drop(self->ni, event.unexpected);
    }
}

void pri_context_give(struct pri_rank *self, uint32_t context)
{
    uint32_t number = context >> 1 & (PRI_MAX_CONTEXTS - 1);

    for (uint32_t plane = 0; plane <= PRI_COLL; plane++) {
        drop_all(self, context | plane, 0);
        drop_all(self, context | plane, -1);
    }
    pri_members_forget(self, context);
    if (context >> PRI_CONTEXT_RANK_SHIFT != (uint32_t)self->rank) {
        return;
    }
    pri_lock(self);
    if (self->cold->contexts != NULL) {
        self->cold->contexts[number / 64] &= ~(UINT64_C(1) << (number % 64));
    }
    pri_unlock(self);
}
