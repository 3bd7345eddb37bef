/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_PORTALS_PT_H
#define NI_PORTALS_PT_H

#include <stdbool.h>
#include <stdint.h>

#include "match/match.h"
#include "portals/eq.h"
#include "portals/state.h"

/* The portal table. */

struct ni_pt {
    struct ni_match_list posted;
    struct ni_match_list *overflow; /* NULL: no entry was ever on the overflow list */
    struct ni_match_headers unexpected;
    struct ni_eq *eq;
    unsigned options;
    uint16_t index;
    bool allocated;
    bool plain; /* allocated, and any match entry may be appended */
    bool ready; /* allocated, not disabled, and with an event queue: a usual put needs no more */
    bool disabled;
    bool mute;                   /* the next time that it disables itself is not told */
    uint64_t users;              /* entries, messages claimed or being fetched */
    struct ni_match_counts past; /* of what had this index before */
};

/* The entry that an index names, or NULL. */
static inline struct ni_pt *ni_pt_at(const struct ni_portals *portals, uint32_t index)
{
    struct ni_pt *pt = index < NI_PT_COUNT ? portals->pt[index] : NULL;

    return pt != NULL && pt->allocated ? pt : NULL;
}

/* Whether the next search of a list is timed. */
static inline bool ni_match_is_timed(const struct ni_match_list *list)
{
    return ni_stat_get(&list->counts.searches) % NI_MATCH_SAMPLING == 0;
}

/* Give its overflow list back, which is empty or closed. */
void ni_pt_free_overflow(struct ni_pt *pt);

/* The same for appending in the common way: else NULL, see append.c. */
static inline struct ni_pt *ni_pt_plain(const struct ni_portals *portals, uint32_t index)
{
    struct ni_pt *pt = index < NI_PT_COUNT ? portals->pt[index] : NULL;

    return pt != NULL && pt->plain ? pt : NULL;
}

/* A message has found no entry, and is not (cannot be) kept: why it is refused. *disabled: it has
 * disabled the portal table entry, of which ni_pt_tell_disabled is to tell. portals->lock is
 * held. */
enum ni_ni_fail ni_pt_overrun(struct ni_pt *pt, bool *disabled);
void ni_pt_tell_disabled(const struct ni_pt *pt);
/* An event queue is about to be full: disable what has flow control and tells its events there. No
 * lock is held. */
NI_COLD void ni_pt_queue_full(struct ni *ni, const struct ni_eq *eq);

#endif
