/* SPDX-License-Identifier: BSD-3-Clause */
#include <stddef.h>

#include "portals/portals.h"

/* The portal table. */

enum {
    NI_PT_OPTIONS = NI_PT_UNEXPECTED | NI_PT_FLOWCTRL | NI_PT_ALLOC_DISABLED | NI_PT_ONLY_USE_ONCE |
                    NI_PT_ONLY_TRUNCATE | NI_PT_MATCH_UNORDERED | NI_PT_NO_MATCHING,
    /* Those that restrict what may be appended. */
    NI_PT_PICKY = NI_PT_ONLY_USE_ONCE | NI_PT_ONLY_TRUNCATE | NI_PT_NO_MATCHING,
};

/* After each change of what it depends on. portals->lock is held. */
static void judge_pt(struct ni_pt *pt)
{
    pt->ready = pt->allocated && !pt->disabled && pt->eq != NULL;
}

/* The index to take; max + 1 if there is none. portals->lock is held. */
static uint32_t choose_index(const struct ni_portals *portals, uint32_t wanted)
{
    uint32_t index = wanted;

    if (wanted == NI_PT_ANY) {
        for (index = 0; index <= portals->limits.max_pt_index; index++) {
            if (ni_pt_at(portals, index) == NULL) {
                break;
            }
        }
    }
    return index;
}

static int alloc(struct ni *ni, unsigned options, struct ni_eq *eq, uint32_t wanted,
                 uint32_t *pt_index)
{
    struct ni_portals *portals = ni->portals;
    uint32_t index = choose_index(portals, wanted);
    struct ni_pt *pt;

    if (index > portals->limits.max_pt_index) {
        return NI_PTL_PT_FULL;
    }
    if (ni_pt_at(portals, index) != NULL) {
        return NI_PTL_PT_IN_USE;
    }
    pt = portals->pt[index];
    if (pt == NULL && (pt = ni_aligned_zero(NI_CACHE_LINE, sizeof(*pt))) == NULL) {
        return NI_PTL_NO_SPACE;
    }
    ni_match_list_init(&pt->posted, &portals->entries, (uint8_t)index);
    ni_match_headers_init(&pt->unexpected, &portals->unexpected);
    if (!ni->threads) {
        ni_match_list_note(&pt->posted, &ni->ahead, index + 1);
        ni_match_headers_note(&pt->unexpected, &ni->ahead, index + 1);
    }
    pt->eq = eq;
    pt->options = options;
    pt->index = (uint16_t)index;
    pt->disabled = (options & NI_PT_ALLOC_DISABLED) != 0;
    pt->allocated = true;
    pt->plain = (options & NI_PT_PICKY) == 0 && portals->map == NULL;
    judge_pt(pt);
    portals->pt[index] = pt;
    if (eq != NULL) {
        eq->users++;
        if ((options & NI_PT_FLOWCTRL) != 0) {
            atomic_store_explicit(&eq->flow, true, memory_order_relaxed);
        }
    }
    *pt_index = index;
    return NI_OK;
}

int ni_pt_alloc(struct ni *ni, unsigned options, struct ni_eq *eq, uint32_t wanted,
                uint32_t *pt_index)
{
    int result;

    if (ni->portals == NULL) {
        return NI_PTL_NO_INIT;
    }
    if ((options & ~(unsigned)NI_PT_OPTIONS) != 0 ||
        (wanted != NI_PT_ANY && wanted > ni->portals->limits.max_pt_index)) {
        return NI_PTL_ARG_INVALID;
    }
    if ((options & NI_PT_FLOWCTRL) != 0 && eq == NULL) {
        return NI_PTL_PT_EQ_NEEDED;
    }
    ni_portals_lock(ni);
    result = alloc(ni, options, eq, wanted, pt_index);
    ni_portals_unlock(ni);
    return result;
}

void ni_pt_free_overflow(struct ni_pt *pt)
{
    if (pt->overflow != NULL) {
        ni_match_counts_add(&pt->past, &pt->overflow->counts);
        ni_match_list_fini(pt->overflow);
        ni_free(pt->overflow);
        pt->overflow = NULL;
    }
}

int ni_pt_free(struct ni *ni, uint32_t pt_index)
{
    struct ni_pt *pt;
    int result = NI_OK;

    if (ni->portals == NULL) {
        return NI_PTL_NO_INIT;
    }
    ni_portals_lock(ni);
    pt = ni_pt_at(ni->portals, pt_index);
    if (pt == NULL) {
        result = NI_PTL_ARG_INVALID;
    } else if (pt->users != 0) {
        result = NI_PTL_PT_IN_USE;
    } else {
        pt->allocated = pt->plain = false; /* nothing more is kept */
        judge_pt(pt);
        ni_unexpected_discard_all(ni, pt);
        ni_pt_free_overflow(pt);
        ni_match_counts_add(&pt->past, &pt->posted.counts);
        ni_match_counts_add(&pt->past, &pt->unexpected.counts);
        ni_match_list_fini(&pt->posted);
        ni_match_headers_fini(&pt->unexpected);
        if (pt->eq != NULL) {
            pt->eq->users--;
        }
    }
    ni_portals_unlock(ni);
    return result;
}

/* ---- flow control ---------------------------------------------------------------------------- */

static int set_disabled(struct ni *ni, uint32_t pt_index, bool disabled)
{
    struct ni_pt *pt;

    if (ni->portals == NULL) {
        return NI_PTL_NO_INIT;
    }
    ni_portals_lock(ni);
    pt = ni_pt_at(ni->portals, pt_index);
    if (pt != NULL) {
        pt->disabled = disabled;
        judge_pt(pt);
    }
    ni_portals_unlock(ni);
    return pt != NULL ? NI_OK : (int)NI_PTL_ARG_INVALID;
}

int ni_pt_disable(struct ni *ni, uint32_t pt_index)
{
    return set_disabled(ni, pt_index, true);
}

int ni_pt_enable(struct ni *ni, uint32_t pt_index)
{
    return set_disabled(ni, pt_index, false);
}

enum ni_ni_fail ni_pt_overrun(struct ni_pt *pt, bool *disabled)
{
    bool flow = (pt->options & NI_PT_FLOWCTRL) != 0;

    *disabled = flow && !pt->mute;
    pt->disabled = pt->disabled || flow;
    judge_pt(pt);
    pt->mute = false;
    return flow ? NI_NI_PT_DISABLED : NI_NI_DROPPED;
}

void ni_pt_tell_disabled(const struct ni_pt *pt)
{
    const struct ni_event event = {
        .type = NI_EVENT_PT_DISABLED, .ni_fail_type = NI_NI_OK, .pt_index = pt->index};

    ni_event_tell(pt->eq, &event);
}

void ni_pt_queue_full(struct ni *ni, const struct ni_eq *eq)
{
    for (unsigned i = 0; i < NI_PT_COUNT; i++) {
        struct ni_pt *pt;
        bool disabled = false;

        ni_portals_lock(ni);
        pt = ni_pt_at(ni->portals, i);
        if (pt != NULL && pt->eq == eq && !pt->disabled) {
            (void)ni_pt_overrun(pt, &disabled);
        }
        ni_portals_unlock(ni);
        if (disabled) {
            ni_pt_tell_disabled(pt);
        }
    }
}
