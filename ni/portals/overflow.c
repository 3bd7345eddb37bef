/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/drive/peer_down.h"
#include "portals/portals.h"

/*
 * Messages in buffers of the user's overflow list. Their headers are kept like those of all that is
 * unexpected, in pt->unexpected, so that entries and searches find either kind in the order of
 * arrival.
 *
 *   taken     room in an entry's buffer is reserved, the header is listed, data is on its way
 *   filled    the initiator has its answer, the overflow entry has given PUT
 *   matched   by an entry or a search: not listed any more
 *
 * filled and matched come in either order. When both have, PUT_OVERFLOW is told and the header is
 * released. Each header counts as a delivery under way in its overflow entry; with the last one of
 * an entry that has unlinked itself its buffer is free again.
 */

static struct ni_entry *find_overflow_entry(const struct ni_arriving *from)
{
    struct ni_match_list *list = from->pt->overflow;
    struct ni_match_entry *found = NULL;

    if (list != NULL && ni_stat_get(&list->length) != 0) {
        found = ni_match_list_search(list, from->match_bits, from->initiator);
    }
    while (found != NULL) {
        struct ni_entry *entry = ni_container_of(found, struct ni_entry, match);

        if (ni_space_accepts(&entry->space, from)) {
            return entry;
        }
        found = ni_match_list_next(list, found, from->match_bits, from->initiator);
    }
    return NULL;
}

/* Reserve room for a message. */
static void reserve(struct ni_unexpected *unexpected, struct ni_entry *entry)
{
    struct ni_arriving placed = unexpected->from;
    struct ni_pt *pt = placed.pt;

    unexpected->form = NI_UNEXPECTED_OVERFLOW;
    /* The initiator's offset stays: it decides which entries match. */
    ni_space_take(&entry->space, &placed, &unexpected->target);
    unexpected->target.user_ptr = entry->user_ptr;
    unexpected->target.entry = NULL;
    unexpected->spill = (struct ni_spill){.entry = entry, .offset = placed.remote_offset};
    entry->space.busy++;
    if (unexpected->target.unlinks) {
        ni_match_list_remove(pt->overflow, &entry->match);
        pt->users--;
    }
}

enum ni_overflow_result ni_overflow_take(struct ni *ni, const struct ni_arriving *from,
                                         struct ni_unexpected **taken, enum ni_ni_fail *why)
{
    struct ni_entry *entry = find_overflow_entry(from);
    struct ni_unexpected *unexpected;
    ni_status status;
    bool hidden;

    if (entry == NULL) {
        return NI_OVERFLOW_NONE;
    }
    *why = ni_entry_refuses(entry, from->verb);
    if (*why != NI_NI_OK) {
        return NI_OVERFLOW_REFUSED;
    }
    hidden = (entry->space.options & NI_ME_UNEXPECTED_HDR_DISABLE) != 0;
    if (!hidden && ni_unexpected_is_full(ni->portals) &&
        (from->pt->options & (NI_PT_UNEXPECTED | NI_PT_FLOWCTRL)) != NI_PT_UNEXPECTED) {
        *why = NI_NI_DROPPED;
        from->pt->mute = (entry->space.options & NI_ME_EVENT_FLOWCTRL_DISABLE) != 0;
        return NI_OVERFLOW_REFUSED;
    }
    unexpected = ni_unexpected_new(ni, from);
    status = unexpected == NULL ? NI_ERR_NOMEM
             : hidden           ? NI_OK
                                : ni_unexpected_list(ni, unexpected);
    if (status != NI_OK) {
        if (unexpected != NULL) {
            ni_unexpected_free(ni, unexpected);
        }
        return status == NI_AGAIN ? NI_OVERFLOW_AGAIN : NI_OVERFLOW_NO_MEMORY;
    }
    reserve(unexpected, entry);
    unexpected->filling = true;
    unexpected->matched = unexpected->silent = hidden;
    from->pt->users += hidden ? 2 : 1; /* to be filled; as if it had been matched */
    *taken = unexpected;
    return NI_OVERFLOW_TAKEN;
}

/* Tell that the buffer is free, if it is with this message. */
static void tell_free(struct ni *ni, const struct ni_unexpected *unexpected)
{
    struct ni_entry *entry = unexpected->spill.entry;
    struct ni_event event = {.type = NI_EVENT_AUTO_FREE, .pt_index = unexpected->from.pt->index};
    bool told = false;

    ni_portals_lock(ni);
    if (--entry->space.busy == 0 && !ni_entry_is_linked(entry)) {
        told = (entry->space.options & NI_ME_EVENT_UNLINK_DISABLE) == 0;
        event.user_ptr = entry->user_ptr;
        event.start = entry->space.start;
        ni_pool_put(&ni->portals->entries, entry);
    }
    ni_portals_unlock(ni);
    if (told) {
        ni_event_tell(unexpected->from.pt->eq, &event);
    }
}

/* Filled and matched. */
static void finish_overflow(struct ni *ni, struct ni_unexpected *unexpected)
{
    struct ni_target *target = &unexpected->target;

    if (!unexpected->silent) {
        target->user_ptr = unexpected->spill.user_ptr;
        target->ct = unexpected->spill.ct;
        target->options = unexpected->matcher;
        target->unlinks = unexpected->unlinks;
        unexpected->from.remote_offset = unexpected->spill.offset;
        ni_target_tell(&unexpected->from, target, unexpected->type, unexpected->fail);
    }
    tell_free(ni, unexpected);
    ni_portals_lock(ni);
    unexpected->from.pt->users--;
    ni_unexpected_free(ni, unexpected);
    ni_portals_unlock(ni);
}

/* False: there is no memory for its answer. */
static bool answer_filled(struct ni *ni, struct ni_unexpected *unexpected, enum ni_ni_fail fail)
{
    struct ni_arriving from = unexpected->from;
    struct ni_target target = unexpected->target;
    bool matched;

    from.remote_offset = unexpected->spill.offset;
    target.mlength = fail == NI_NI_OK ? target.mlength : 0;
    unexpected->fail = fail;
    if (ni_arriving_answer(ni, &from, fail, target.mlength) != NI_OK) {
        return false;
    }
    ni_target_tell(&from, &target, ni_verb_event(from.verb, false), fail);
    ni_portals_lock(ni);
    unexpected->target.mlength = target.mlength;
    unexpected->from.token = 0;
    unexpected->filling = false;
    matched = unexpected->matched;
    from.pt->users--;
    ni_portals_unlock(ni);
    if (matched) {
        finish_overflow(ni, unexpected);
    }
    return true;
}

static void fill_later(struct ni *ni, struct ni_portal_task *task)
{
    struct ni_unexpected *unexpected = ni_container_of(task, struct ni_unexpected, task);

    if (!answer_filled(ni, unexpected, unexpected->fail)) {
        ni_answer_again(ni, unexpected->from.peer, task, fill_later);
    }
}

void ni_overflow_filled(struct ni *ni, struct ni_unexpected *unexpected, enum ni_ni_fail fail)
{
    if (!answer_filled(ni, unexpected, fail)) {
        ni_task_add(ni, &unexpected->task, fill_later);
    }
}

bool ni_overflow_aim(struct ni_unexpected *unexpected, struct ni_space *space, void *user_ptr)
{
    uint32_t counts = NI_ME_MANAGE_LOCAL | NI_ME_LOCAL_INC_UH_RLENGTH;

    unexpected->spill.user_ptr = user_ptr;
    unexpected->spill.ct = space->ct;
    unexpected->matcher = space->options;
    unexpected->unlinks = (space->options & NI_ME_USE_ONCE) != 0;
    if ((space->options & counts) == counts) {
        space->used += ni_min_u64(unexpected->from.rlength, space->length - space->used);
        unexpected->unlinks = unexpected->unlinks || space->length - space->used < space->min_free;
    }
    return unexpected->unlinks;
}

void ni_overflow_deliver(struct ni *ni, struct ni_unexpected *unexpected)
{
    bool filling;

    ni_portals_lock(ni);
    filling = unexpected->filling;
    unexpected->matched = filling;
    ni_portals_unlock(ni);
    if (!filling) {
        finish_overflow(ni, unexpected);
    }
}
