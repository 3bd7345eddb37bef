/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/portals.h"

/* Ending entries that wait in vain. */

/* Unlink the next entry that was chosen; false if there is none. *event tells of it. */
static bool unlink_next(struct ni *ni, struct ni_pt *pt, uint32_t *cursor, ni_me_choose_fn choose,
                        void *arg, struct ni_event *event)
{
    struct ni_portals *portals = ni->portals;
    struct ni_entry *entry;

    while ((entry = ni_pool_next(&portals->entries, cursor)) != NULL) {
        if (ni_entry_is_linked(entry) && entry->match.node.label == pt->index &&
            entry->space.busy == 0 && !ni_entry_overflows(entry) &&
            choose(arg, entry->user_ptr, entry->match.node.initiator)) {
            *event = (struct ni_event){
                .type = NI_EVENT_PUT,
                .ni_fail_type = NI_NI_UNDELIVERABLE,
                .user_ptr = entry->user_ptr,
                .start = entry->space.start,
                .match_bits = entry->match.node.bits,
                .initiator = entry->match.node.initiator,
                .pt_index = pt->index,
            };
            ni_match_list_remove(&pt->posted, &entry->match);
            pt->users--;
            ni_pool_put(&portals->entries, entry);
            return true;
        }
    }
    return false;
}

int ni_me_fail(struct ni *ni, uint32_t pt_index, ni_me_choose_fn choose, void *arg)
{
    struct ni_portals *portals = ni->portals;
    uint32_t cursor = 0;
    struct ni_event event;
    struct ni_pt *pt;

    if (portals == NULL || ni->forked) {
        return portals == NULL ? NI_PTL_NO_INIT : (int)NI_ERR_FORKED;
    }
    ni_portals_lock(ni);
    pt = ni_pt_at(portals, pt_index);
    if (pt == NULL) {
        ni_portals_unlock(ni);
        return NI_PTL_ARG_INVALID;
    }
    /* Events are told without the lock; entries that come or go meanwhile do not disturb the
     * cursor. */
    while (unlink_next(ni, pt, &cursor, choose, arg, &event)) {
        ni_portals_unlock(ni);
        ni_event_tell(pt->eq, &event);
        ni_portals_lock(ni);
    }
    ni_portals_unlock(ni);
    return NI_OK;
}
