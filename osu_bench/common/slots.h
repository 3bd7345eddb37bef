/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OSU_COMMON_SLOTS_H
#define OSU_COMMON_SLOTS_H

/* The entries of a deep queue: which of them have wildcards, and which one is matched next. Inline,
 * as the rounds that are timed ask. */

#include "common/options.h"

#include <stdbool.h>
#include <stdint.h>

enum osu_slot_kind { OSU_SLOT_EXACT, OSU_SLOT_ANY_SOURCE, OSU_SLOT_ANY_TAG };

/* Percentages are whole, and the two kinds of wildcards take turns. */
#define OSU_SLOTS_PERIOD 200

struct osu_slots {
    bool unexpected; /* entries are messages; else receives */
    int count;       /* depth + 1 */
    int oldest;      /* forward: the slot to be picked next */
    int spare;       /* unexpected: the slot that is sent next */
    uint64_t random;
    unsigned char kinds[OSU_SLOTS_PERIOD];
};

/* So many of a hundred have wildcards. */
static inline void osu_slots_mix(struct osu_slots *slots, int percent)
{
    int wild = 0;

    for (int i = 0; i < OSU_SLOTS_PERIOD; i++) {
        slots->kinds[i] = OSU_SLOT_EXACT;
        if ((i + 1) * percent / 100 != i * percent / 100) {
            slots->kinds[i] = wild++ % 2 == 0 ? OSU_SLOT_ANY_SOURCE : OSU_SLOT_ANY_TAG;
        }
    }
}

/* A queue of this depth begins. */
static inline void osu_slots_open(struct osu_slots *slots, size_t depth)
{
    slots->count = (int)depth + 1;
    slots->oldest = 0;
    slots->spare = slots->count - 1;
    slots->random = depth;
}

/* Of a posted slot. The last one is exact, so that there is always one to be picked. */
static inline enum osu_slot_kind osu_slots_kind(const struct osu_slots *slots, int slot)
{
    return slot == slots->count - 1 ? OSU_SLOT_EXACT
                                    : (enum osu_slot_kind)slots->kinds[slot % OSU_SLOTS_PERIOD];
}

/* Of what receives an unexpected message in this round. */
static inline enum osu_slot_kind osu_slots_kind_of_round(const struct osu_slots *slots, int round)
{
    return (enum osu_slot_kind)slots->kinds[round % OSU_SLOTS_PERIOD];
}

static inline int osu_slots_random(struct osu_slots *slots)
{
    slots->random = slots->random * 6364136223846793005u + 1442695040888963407u;
    return (int)(((slots->random >> 32) * (uint64_t)slots->count) >> 32);
}

static inline int osu_slots_next(const struct osu_slots *slots, int slot)
{
    return slot + 1 == slots->count ? 0 : slot + 1;
}

/* The slot whose entry is matched in this round. */
static inline int osu_slots_pick(struct osu_slots *slots, enum osu_order order)
{
    int slot = slots->oldest;

    if (order == OSU_ORDER_REVERSE) {
        return slots->unexpected ? slots->spare : slots->count - 1;
    }
    if (order == OSU_ORDER_RANDOM) {
        slot = osu_slots_random(slots);
    }
    while (!slots->unexpected && osu_slots_kind(slots, slot) == OSU_SLOT_ANY_TAG) {
        slot = osu_slots_next(slots, slot);
    }
    slots->oldest = osu_slots_next(slots, slot);
    return slot;
}

#endif
