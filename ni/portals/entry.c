/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/portals.h"

/* Match entries: posting and unlinking. */

/* Other options take another way, see append.c. */
enum {
    NI_ME_OPTIONS = NI_ME_OP_PUT | NI_ME_OP_GET | NI_ME_USE_ONCE | NI_ME_EVENT_COMM_DISABLE |
                    NI_ME_EVENT_UNLINK_DISABLE | NI_ME_EVENT_OVER_DISABLE | NI_ME_NO_TRUNCATE |
                    NI_ME_MANAGE_LOCAL | NI_ME_EVENT_CT_COMM | NI_ME_EVENT_CT_OVERFLOW |
                    NI_ME_EVENT_CT_BYTES,
};

/* Link an entry behind all others. space: what is left of its buffer, NULL: all. portals->lock is
 * held. */
NI_ALWAYS_INLINE int post_entry(struct ni_portals *portals, struct ni_pt *pt,
                                const struct ni_me *me, const struct ni_space *space,
                                void *user_ptr, ni_me_handle *handle)
{
    struct ni_entry *entry;
    uint64_t token;

    entry = ni_pool_get_token(&portals->entries, &token);
    if (NI_UNLIKELY(entry == NULL)) {
        return NI_PTL_NO_SPACE;
    }
    if (NI_LIKELY(space == NULL)) {
        ni_space_set(&entry->space, me);
    } else {
        entry->space = *space;
    }
    entry->user_ptr = user_ptr;
    if (NI_UNLIKELY(ni_match_list_append(&pt->posted, &entry->match, me->match_bits,
                                         me->ignore_bits, me->match_id) != NI_OK)) {
        ni_pool_put(&portals->entries, entry);
        return NI_PTL_NO_SPACE;
    }
    pt->users++;
    if (handle != NULL) {
        *handle = token;
    }
    return NI_OK;
}

int ni_entry_use_unexpected(struct ni *ni, struct ni_pt *pt, const struct ni_me *me,
                            struct ni_space *space, void *user_ptr)
{
    struct ni_unexpected *unexpected;
    bool unlinks;

    while ((unexpected = ni_unexpected_find(pt, me, space)) != NULL) {
        if (!ni_verb_allowed(unexpected->from.verb, me->options)) {
            break;
        }
        ni_unexpected_take(ni, unexpected);
        if (NI_LIKELY(space->options == NI_ME_USUAL && ni_unexpected_is_short(unexpected))) {
            ni_unexpected_hand_over(ni, unexpected, space, user_ptr);
            return NI_OK;
        }
        pt->users++;
        ni_portals_unlock(ni);
        unlinks = ni_unexpected_aim(unexpected, space, user_ptr);
        ni_unexpected_deliver(ni, unexpected);
        if (unlinks) {
            return NI_OK;
        }
        ni_portals_lock(ni);
    }
    return NI_PTL_NO_MATCH;
}

/* Unexpected messages wait: the entry takes those that it matches first. portals->lock is held, and
 * given back. */
static NI_NOINLINE int post_behind_unexpected(struct ni *ni, struct ni_pt *pt,
                                              const struct ni_me *me, void *user_ptr,
                                              ni_me_handle *handle)
{
    struct ni_space space;
    int result;

    if (handle != NULL) {
        *handle = 0;
    }
    ni_space_set(&space, me);
    if (ni_entry_use_unexpected(ni, pt, me, &space, user_ptr) == NI_OK) {
        return NI_OK;
    }
    result = post_entry(ni->portals, pt, me, &space, user_ptr, handle);
    ni_portals_unlock(ni);
    return result;
}

int ni_me_append(struct ni *ni, uint32_t pt_index, const struct ni_me *me, enum ni_list_kind list,
                 void *user_ptr, ni_me_handle *handle)
{
    struct ni_portals *portals = ni->portals;
    struct ni_pt *pt;
    int result;

    if (NI_UNLIKELY(portals == NULL || ni->forked)) {
        return portals == NULL ? NI_PTL_NO_INIT : (int)NI_ERR_FORKED;
    }
    if (NI_UNLIKELY((me->options & ~(unsigned)NI_ME_OPTIONS) != 0 || list != NI_PRIORITY_LIST ||
                    ((me->options & NI_ME_MANAGE_LOCAL) != 0 && me->min_free > me->length))) {
        return ni_append_rarely(ni, pt_index, me, list, user_ptr, handle, false);
    }
    ni_portals_lock(ni);
    pt = ni_pt_plain(portals, pt_index);
    if (NI_UNLIKELY(pt == NULL)) {
        ni_portals_unlock(ni);
        return ni_append_rarely(ni, pt_index, me, list, user_ptr, handle, false);
    }
    if (NI_UNLIKELY(ni_stat_get(&pt->unexpected.length) != 0)) {
        return post_behind_unexpected(ni, pt, me, user_ptr, handle);
    }
    result = post_entry(portals, pt, me, NULL, user_ptr, handle);
    ni_portals_unlock(ni);
    return result;
}

int ni_me_unlink(struct ni *ni, ni_me_handle handle)
{
    struct ni_portals *portals = ni->portals;
    struct ni_entry *entry;
    int result = NI_OK;

    if (portals == NULL || ni->forked) {
        return portals == NULL ? NI_PTL_NO_INIT : (int)NI_ERR_FORKED;
    }
    ni_portals_lock(ni);
    entry = ni_pool_from_token(&portals->entries, handle);
    if (entry == NULL || !ni_entry_is_linked(entry)) {
        result = NI_PTL_ARG_INVALID;
    } else if (entry->space.busy != 0) {
        result = NI_PTL_IN_USE;
    } else {
        ni_entry_unlist(portals, entry);
        ni_pool_put(&portals->entries, entry);
    }
    ni_portals_unlock(ni);
    return result;
}

void ni_entry_unlink(struct ni *ni, ni_me_handle handle)
{
    struct ni_portals *portals = ni->portals;
    struct ni_entry *entry;

    ni_portals_lock(ni);
    entry = ni_pool_from_token(&portals->entries, handle);
    if (entry != NULL && ni_entry_is_linked(entry)) {
        ni_entry_unlist(portals, entry);
        if (entry->space.busy == 0) {
            ni_pool_put(&portals->entries, entry);
        }
    }
    ni_portals_unlock(ni);
}
