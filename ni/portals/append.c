/* SPDX-License-Identifier: BSD-3-Clause */
#include <unistd.h>

#include "portals/portals.h"

/* Appending what is not common: to the overflow list, with rare options, to portal table entries
 * that restrict what is appended, list entries. */

enum {
    NI_LE_OPTIONS = NI_LE_OP_PUT | NI_LE_OP_GET | NI_LE_USE_ONCE | NI_LE_EVENT_COMM_DISABLE |
                    NI_LE_EVENT_UNLINK_DISABLE | NI_LE_EVENT_OVER_DISABLE | NI_LE_EVENT_LINK |
                    NI_LE_EVENT_CT_COMM | NI_LE_EVENT_CT_OVERFLOW | NI_LE_EVENT_CT_BYTES |
                    NI_LE_UNEXPECTED_HDR_DISABLE | NI_LE_IOVEC | NI_LE_IS_ACCESSIBLE | NI_LE_UID |
                    NI_LE_EVENT_FLOWCTRL_DISABLE,
    NI_ME_ALL_OPTIONS = NI_LE_OPTIONS | NI_ME_NO_TRUNCATE | NI_ME_MANAGE_LOCAL |
                        NI_ME_LOCAL_INC_UH_RLENGTH | NI_ME_MAY_ALIGN,
};

int ni_me_measure(const struct ni *ni, const struct ni_me *me, struct ni_me *measured)
{
    uint64_t bytes = me->length;

    if ((me->options & (NI_SPACE_FOREIGN | NI_SPACE_OVERFLOW | NI_SPACE_PUT)) != 0 ||
        ((me->options & NI_ME_IOVEC) != 0 &&
         !ni_iovec_measure(ni, me->start, me->length, &bytes))) {
        return NI_PTL_ARG_INVALID;
    }
    *measured = *me;
    measured->length = bytes;
    if ((me->options & NI_ME_UID) != 0 && me->uid != geteuid()) {
        measured->options &= ~(unsigned)(NI_ME_OP_PUT | NI_ME_OP_GET);
        measured->options |= NI_SPACE_FOREIGN;
    }
    return NI_OK;
}

/* Whether an entry makes sense by itself; it has been measured. */
static bool is_entry_sound(const struct ni_me *me, enum ni_list_kind list)
{
    bool manages = (me->options & NI_ME_MANAGE_LOCAL) != 0;
    bool overflows = list == NI_OVERFLOW_LIST;

    return (me->options & ~(unsigned)(NI_ME_ALL_OPTIONS | NI_SPACE_FOREIGN)) == 0 &&
           (list == NI_PRIORITY_LIST || overflows) && (!manages || me->min_free <= me->length);
}

/* Whether a portal table entry takes it; with a map, only what its ranks can match. */
static bool takes(const struct ni_portals *portals, const struct ni_pt *pt, const struct ni_me *me,
                  enum ni_list_kind list, bool is_le)
{
    bool once = (me->options & NI_ME_USE_ONCE) != 0 || list == NI_OVERFLOW_LIST;
    bool exact = (me->options & NI_ME_NO_TRUNCATE) != 0;

    return is_le == ((pt->options & NI_PT_NO_MATCHING) != 0) &&
           (portals->map == NULL || me->match_id == NI_INITIATOR_ANY ||
            me->match_id < portals->map_size) &&
           (once || (pt->options & NI_PT_ONLY_USE_ONCE) == 0) &&
           (!exact || (pt->options & NI_PT_ONLY_TRUNCATE) == 0);
}

/* The list to append to, made when it is needed; NULL out of memory. */
static struct ni_match_list *entry_list(const struct ni_portals *portals, struct ni_pt *pt,
                                        enum ni_list_kind list)
{
    if (list == NI_PRIORITY_LIST) {
        return &pt->posted;
    }
    if (pt->overflow == NULL) {
        pt->overflow = ni_aligned_zero(NI_CACHE_LINE, sizeof(*pt->overflow));
        if (pt->overflow != NULL) {
            ni_match_list_init(pt->overflow, &portals->entries, (uint8_t)pt->index);
        }
    }
    return pt->overflow;
}

/* portals->lock is held. */
static int link_entry(const struct ni_portals *portals, struct ni_pt *pt, struct ni_entry *entry,
                      const struct ni_me *me, enum ni_list_kind list)
{
    struct ni_match_list *to = entry_list(portals, pt, list);

    if (to == NULL || ni_match_list_append(to, &entry->match, me->match_bits, me->ignore_bits,
                                           me->match_id) != NI_OK) {
        return NI_PTL_NO_SPACE;
    }
    entry->space.options |= list == NI_OVERFLOW_LIST ? NI_SPACE_OVERFLOW : 0;
    if ((me->options & (NI_ME_IOVEC | NI_ME_OP_PUT)) == (NI_ME_IOVEC | NI_ME_OP_PUT)) {
        entry->space.options ^= NI_ME_OP_PUT | NI_SPACE_PUT;
    }
    pt->users++;
    return NI_OK;
}

/* The same for one that there is not yet. portals->lock is held. */
static int link_new(struct ni *ni, struct ni_pt *pt, const struct ni_me *me, enum ni_list_kind list,
                    const struct ni_space *space, void *user_ptr, ni_me_handle *handle)
{
    struct ni_entry *entry = ni_entry_reserve(ni, me, user_ptr);

    if (entry == NULL) {
        return NI_PTL_NO_SPACE;
    }
    entry->space = *space;
    if (link_entry(ni->portals, pt, entry, me, list) != NI_OK) {
        ni_pool_put(&ni->portals->entries, entry);
        return NI_PTL_NO_SPACE;
    }
    if (handle != NULL) {
        *handle = ni_pool_token(&ni->portals->entries, entry);
    }
    return NI_OK;
}

static void tell_linked(const struct ni_pt *pt, const struct ni_me *me, void *user_ptr)
{
    const struct ni_event event = {.type = NI_EVENT_LINK,
                                   .user_ptr = user_ptr,
                                   .start = me->start,
                                   .match_bits = me->match_bits,
                                   .pt_index = pt->index};

    ni_event_tell(pt->eq, &event);
}

int ni_append_rarely(struct ni *ni, uint32_t pt_index, const struct ni_me *given,
                     enum ni_list_kind list, void *user_ptr, ni_me_handle *handle, bool is_le)
{
    struct ni_me measured;
    const struct ni_me *me = &measured;
    struct ni_space space;
    struct ni_pt *pt;
    int result = NI_PTL_ARG_INVALID;

    if (ni_me_measure(ni, given, &measured) != NI_OK || !is_entry_sound(me, list)) {
        return NI_PTL_ARG_INVALID;
    }
    space = ni_space_of(me);
    ni_portals_lock(ni);
    pt = ni_pt_at(ni->portals, pt_index);
    if (pt != NULL && takes(ni->portals, pt, me, list, is_le)) {
        if (handle != NULL) {
            *handle = 0;
        }
        if (list == NI_PRIORITY_LIST &&
            ni_entry_use_unexpected(ni, pt, me, &space, user_ptr) == NI_OK) {
            return NI_OK;
        }
        result = link_new(ni, pt, me, list, &space, user_ptr, handle);
    }
    ni_portals_unlock(ni);
    if (result == NI_OK && (me->options & NI_ME_EVENT_LINK) != 0) {
        tell_linked(pt, me, user_ptr);
    }
    return result;
}

/* ---- appending what was made before ---------------------------------------------------------- */

int ni_entry_check(struct ni *ni, uint32_t pt_index, const struct ni_me *me, enum ni_list_kind list)
{
    struct ni_pt *pt;
    bool taken;

    ni_portals_lock(ni);
    pt = ni_pt_at(ni->portals, pt_index);
    taken = is_entry_sound(me, list) && pt != NULL && takes(ni->portals, pt, me, list, false);
    ni_portals_unlock(ni);
    return taken ? NI_OK : (int)NI_PTL_ARG_INVALID;
}

struct ni_entry *ni_entry_reserve(struct ni *ni, const struct ni_me *me, void *user_ptr)
{
    struct ni_entry *entry = ni_pool_get(&ni->portals->entries);

    if (entry != NULL) {
        ni_space_set(&entry->space, me);
        entry->user_ptr = user_ptr;
        entry->match.node.group = NI_MATCH_UNLISTED;
    }
    return entry;
}

int ni_entry_append(struct ni *ni, struct ni_entry *entry, uint32_t pt_index,
                    const struct ni_me *me, enum ni_list_kind list)
{
    void *user_ptr = entry->user_ptr; /* once it is linked a message may unlink it */
    int result = NI_PTL_ARG_INVALID;
    struct ni_pt *pt;

    ni_portals_lock(ni);
    pt = ni_pt_at(ni->portals, pt_index);
    if (pt != NULL && list == NI_PRIORITY_LIST &&
        ni_entry_use_unexpected(ni, pt, me, &entry->space, user_ptr) == NI_OK) {
        ni_portals_lock(ni);
        pt = NULL;
    }
    if (pt != NULL) {
        result = link_entry(ni->portals, pt, entry, me, list);
    } else {
        ni_pool_put(&ni->portals->entries, entry);
    }
    ni_portals_unlock(ni);
    if (result == NI_OK && (me->options & NI_ME_EVENT_LINK) != 0) {
        tell_linked(pt, me, user_ptr);
    }
    return result;
}

/* ---- list entries ---------------------------------------------------------------------------- */

/* The match entry that matches everything. */
static struct ni_me me_of(const struct ni_le *le)
{
    return (struct ni_me){.start = le->start,
                          .length = le->length,
                          .ignore_bits = UINT64_MAX,
                          .match_id = NI_INITIATOR_ANY,
                          .options = le->options,
                          .uid = le->uid,
                          .ct = le->ct};
}

int ni_le_append(struct ni *ni, uint32_t pt_index, const struct ni_le *le, enum ni_list_kind list,
                 void *user_ptr, ni_me_handle *handle)
{
    const struct ni_me me = me_of(le);

    if (ni->portals == NULL || ni->forked) {
        return ni->portals == NULL ? NI_PTL_NO_INIT : (int)NI_ERR_FORKED;
    }
    if ((le->options & ~(unsigned)NI_LE_OPTIONS) != 0) {
        return NI_PTL_ARG_INVALID;
    }
    return ni_append_rarely(ni, pt_index, &me, list, user_ptr, handle, true);
}

int ni_le_unlink(struct ni *ni, ni_me_handle handle)
{
    return ni_me_unlink(ni, handle);
}

int ni_le_search(struct ni *ni, uint32_t pt_index, const struct ni_le *le, enum ni_search_op op,
                 void *user_ptr)
{
    const struct ni_me me = me_of(le);

    return ni_me_search(ni, pt_index, &me, op, user_ptr);
}
