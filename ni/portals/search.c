/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/portals.h"

/* Searches of what is kept, and what becomes of the messages that they claim. */

static void describe_unexpected(const struct ni_unexpected *unexpected, const struct ni_me *me,
                                struct ni_event *event)
{
    const struct ni_arriving *from = &unexpected->from;
    uint64_t offset = from->remote_offset;

    *event = (struct ni_event){
        .type = NI_EVENT_SEARCH,
        .match_bits = from->match_bits,
        .hdr_data = from->hdr_data,
        .rlength = from->rlength,
        .mlength = offset >= me->length ? 0 : ni_min_u64(from->rlength, me->length - offset),
        .remote_offset = offset,
        .initiator = from->initiator,
        .pt_index = from->pt->index,
        .peer = from->peer,
    };
    if (unexpected->form == NI_UNEXPECTED_OVERFLOW) {
        event->start = unexpected->filling ? NULL : unexpected->target.start;
        event->mlength = unexpected->target.mlength;
        event->remote_offset = unexpected->spill.offset;
    }
}

static int probe_list(struct ni *ni, struct ni_pt *pt, const struct ni_me *me, enum ni_search_op op,
                      struct ni_event *event, bool *spilled)
{
    const struct ni_space space = ni_space_of(me);
    struct ni_unexpected *unexpected = ni_unexpected_find(pt, me, &space);

    if (unexpected == NULL) {
        return NI_PTL_NO_MATCH;
    }
    describe_unexpected(unexpected, me, event);
    *spilled = unexpected->form == NI_UNEXPECTED_OVERFLOW;
    if (op == NI_SEARCH_DELETE) {
        ni_unexpected_take(ni, unexpected);
        unexpected->claimed = true;
        pt->users++;
        event->unexpected = ni_pool_token(&ni->portals->unexpected, unexpected);
    }
    return NI_OK;
}

/* *spilled: what was found is in an overflow buffer. */
static int find_unexpected(struct ni *ni, uint32_t pt_index, const struct ni_me *me,
                           enum ni_search_op op, struct ni_event *event, bool *spilled)
{
    struct ni_me measured;
    struct ni_pt *pt;
    int result = NI_PTL_ARG_INVALID;

    if (ni->portals == NULL || ni_usable(ni) != NI_OK) {
        return ni->portals == NULL ? NI_PTL_NO_INIT : (int)NI_ERR_FORKED;
    }
    if (NI_UNLIKELY((me->options & (NI_ME_IOVEC | NI_ME_UID)) != 0)) {
        if (ni_me_measure(ni, me, &measured) != NI_OK) {
            return NI_PTL_ARG_INVALID;
        }
        me = &measured;
    }
    ni_portals_lock(ni);
    pt = ni_pt_at(ni->portals, pt_index);
    if (pt != NULL && (me->options & NI_SPACE_FOREIGN) != 0) {
        result = NI_PTL_NO_MATCH;
    } else if (pt != NULL && (op == NI_SEARCH_ONLY || op == NI_SEARCH_DELETE)) {
        result = probe_list(ni, pt, me, op, event, spilled);
    }
    ni_portals_unlock(ni);
    return result;
}

int ni_me_probe(struct ni *ni, uint32_t pt_index, const struct ni_me *me, enum ni_search_op op,
                struct ni_event *event)
{
    bool spilled;

    return find_unexpected(ni, pt_index, me, op, event, &spilled);
}

int ni_me_search(struct ni *ni, uint32_t pt_index, const struct ni_me *me, enum ni_search_op op,
                 void *user_ptr)
{
    struct ni_event event = {.type = NI_EVENT_SEARCH, .pt_index = (uint16_t)pt_index};
    bool spilled = false;
    int result = find_unexpected(ni, pt_index, me, op, &event, &spilled);

    if (result != NI_OK && result != NI_PTL_NO_MATCH) {
        return result;
    }
    if (spilled && op == NI_SEARCH_DELETE) {
        struct ni_me never_linked = *me;

        never_linked.options |= NI_ME_EVENT_UNLINK_DISABLE;
        return ni_unexpected_receive(ni, event.unexpected, &never_linked, user_ptr);
    }
    event.ni_fail_type = result == NI_OK ? NI_NI_OK : NI_NI_NO_MATCH;
    event.user_ptr = user_ptr;
    ni_event_tell(ni->portals->pt[pt_index]->eq, &event);
    return NI_OK;
}

/* A claimed message; it is not claimed any more. portals->lock is held. */
static struct ni_unexpected *unclaim(struct ni *ni, ni_unexpected_handle handle)
{
    struct ni_unexpected *unexpected = ni_pool_from_token(&ni->portals->unexpected, handle);

    if (unexpected == NULL || !unexpected->claimed) {
        return NULL;
    }
    unexpected->claimed = false;
    return unexpected;
}

int ni_unexpected_receive(struct ni *ni, ni_unexpected_handle handle, const struct ni_me *me,
                          void *user_ptr)
{
    struct ni_space space = ni_space_of(me);
    struct ni_me measured;
    struct ni_unexpected *unexpected;

    if (ni->portals == NULL || ni_usable(ni) != NI_OK) {
        return ni->portals == NULL ? NI_PTL_NO_INIT : (int)NI_ERR_FORKED;
    }
    if (NI_UNLIKELY((me->options & NI_ME_IOVEC) != 0)) {
        if (ni_me_measure(ni, me, &measured) != NI_OK) {
            return NI_PTL_ARG_INVALID;
        }
        space = ni_space_of(&measured);
    }
    ni_portals_lock(ni);
    unexpected = unclaim(ni, handle);
    ni_portals_unlock(ni);
    if (unexpected == NULL) {
        return NI_PTL_ARG_INVALID;
    }
    ni_unexpected_aim(unexpected, &space, user_ptr);
    ni_unexpected_deliver(ni, unexpected);
    return NI_OK;
}

int ni_unexpected_drop(struct ni *ni, ni_unexpected_handle handle)
{
    struct ni_unexpected *unexpected;

    if (ni->portals == NULL || ni_usable(ni) != NI_OK) {
        return ni->portals == NULL ? NI_PTL_NO_INIT : (int)NI_ERR_FORKED;
    }
    ni_portals_lock(ni);
    unexpected = unclaim(ni, handle);
    if (unexpected != NULL) {
        ni_unexpected_discard(ni, unexpected);
    }
    ni_portals_unlock(ni);
    return unexpected == NULL ? NI_PTL_ARG_INVALID : NI_OK;
}

/* ---- taking back ----------------------------------------------------------------------------- */

/* The last one of those that cannot be told apart by matching. */
static struct ni_unexpected *find_last(struct ni_pt *pt, ni_initiator initiator,
                                       uint64_t match_bits, uint64_t hdr_data, uint64_t hdr_ignore)
{
    struct ni_unexpected *last = NULL;
    struct ni_match_header *found = NULL;

    if (ni_stat_get(&pt->unexpected.length) != 0) {
        found = ni_match_headers_search(&pt->unexpected, match_bits, 0, initiator);
    }
    while (found != NULL) {
        struct ni_unexpected *unexpected = ni_container_of(found, struct ni_unexpected, match);

        if (((unexpected->from.hdr_data ^ hdr_data) & ~hdr_ignore) == 0) {
            last = unexpected;
        }
        found = ni_match_headers_next(&pt->unexpected, found, match_bits, 0, initiator);
    }
    return last;
}

int ni_unexpected_revoke(struct ni *ni, uint32_t pt_index, ni_initiator initiator,
                         uint64_t match_bits, uint64_t hdr_data, uint64_t hdr_ignore)
{
    struct ni_unexpected *unexpected = NULL;
    struct ni_pt *pt;

    if (ni->portals == NULL || ni_usable(ni) != NI_OK) {
        return ni->portals == NULL ? NI_PTL_NO_INIT : (int)NI_ERR_FORKED;
    }
    ni_portals_lock(ni);
    pt = ni_pt_at(ni->portals, pt_index);
    if (pt != NULL) {
        unexpected = find_last(pt, initiator, match_bits, hdr_data, hdr_ignore);
    }
    if (unexpected != NULL) {
        ni_unexpected_take(ni, unexpected);
        pt->users++;
        ni_unexpected_discard(ni, unexpected);
    }
    ni_portals_unlock(ni);
    if (pt == NULL) {
        return NI_PTL_ARG_INVALID;
    }
    return unexpected == NULL ? NI_PTL_NO_MATCH : NI_OK;
}
