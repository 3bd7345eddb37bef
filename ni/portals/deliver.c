/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "engine/drive/peer_down.h"
#include "portals/portals.h"

/* A message and an entry have met: where the data goes, and what is told of it to whom. */

struct ni_entry *ni_entry_find(struct ni *ni, const struct ni_arriving *from)
{
    struct ni_match_list *list = &from->pt->posted;
    struct ni_match_entry *found;
    uint64_t start;

    if (NI_LIKELY(!ni_match_is_timed(list))) {
        found = ni_match_list_search(list, from->match_bits, from->initiator);
    } else {
        start = ni_cycles();
        found = ni_match_list_search(list, from->match_bits, from->initiator);
        ni_stat_add(&ni->portals->cycles, ni_cycles() - start);
        ni_stat_add(&ni->stats.match_timed, 1);
    }
    while (NI_LIKELY(found != NULL)) {
        struct ni_entry *entry = ni_container_of(found, struct ni_entry, match);

        if (NI_LIKELY(ni_space_accepts(&entry->space, from))) {
            return entry;
        }
        found = ni_match_list_next(list, found, from->match_bits, from->initiator);
    }
    return NULL;
}

void ni_entry_use(struct ni_portals *portals, struct ni_entry *entry, struct ni_arriving *from,
                  struct ni_target *target)
{
    ni_space_take(&entry->space, from, target);
    target->user_ptr = entry->user_ptr;
    target->entry = NULL;
    if (NI_LIKELY(target->unlinks)) {
        ni_match_list_remove(&from->pt->posted, &entry->match);
        from->pt->users--;
    } else {
        entry->space.busy++;
        target->entry = entry;
    }
    if (NI_LIKELY(target->unlinks && entry->space.busy == 0)) {
        ni_pool_put(&portals->entries, entry);
    }
}

void ni_entry_leave(struct ni_portals *portals, struct ni_entry *entry)
{
    if (--entry->space.busy == 0 && !ni_entry_is_linked(entry)) {
        ni_pool_put(&portals->entries, entry);
    }
}

void ni_target_release(struct ni *ni, const struct ni_target *target)
{
    if (target->entry != NULL) {
        ni_portals_lock(ni);
        ni_entry_leave(ni->portals, target->entry);
        ni_portals_unlock(ni);
    }
}

void ni_target_tell(const struct ni_arriving *from, const struct ni_target *target,
                    enum ni_event_kind type, enum ni_ni_fail fail)
{
    bool posted = type < NI_EVENT_PUT_OVERFLOW;
    uint32_t disabled = posted ? NI_ME_EVENT_COMM_DISABLE : NI_ME_EVENT_OVER_DISABLE;
    uint32_t counted = posted ? NI_ME_EVENT_CT_COMM : NI_ME_EVENT_CT_OVERFLOW;
    struct ni_event event;

    if (NI_UNLIKELY((target->options & counted) != 0)) {
        ni_ct_count(target->ct, (target->options & NI_ME_EVENT_CT_BYTES) != 0, fail,
                    target->mlength);
    }
    if (from->pt->eq == NULL) {
        return;
    }
    ni_event_of_match(&event, type, fail, from, target->user_ptr, target->start, target->mlength);
    if (target->unlinks && (target->options & NI_ME_EVENT_UNLINK_DISABLE) == 0) {
        event.type = NI_EVENT_AUTO_UNLINK;
        ni_event_tell(from->pt->eq, &event);
        event.type = type;
    }
    if (NI_LIKELY((target->options & disabled) == 0 || fail != NI_NI_OK)) {
        ni_event_tell(from->pt->eq, &event);
    }
}

static ni_status answer_self(struct ni *ni, const struct ni_arriving *from, enum ni_ni_fail fail,
                             uint64_t mlength)
{
    struct ni_put *put = ni_put_find(ni, NULL, from->token);

    if (put != NULL) {
        ni_put_finish(ni, put, fail, mlength, from->remote_offset);
    }
    return NI_OK;
}

ni_status ni_arriving_answer(struct ni *ni, const struct ni_arriving *from, enum ni_ni_fail fail,
                             uint64_t mlength)
{
    struct ni_packet_ack fields = {
        .token = from->token, .value = mlength, .offset = from->remote_offset};
    ni_status status = NI_OK;

    if (from->token == 0) {
        return NI_OK;
    }
    if (from->peer == NULL) {
        return answer_self(ni, from, fail, mlength);
    }
    status = ni_send_control(from->peer, NI_PACKET_PUT_ACK, NI_LINE, (uint16_t)fail, 0,
                             NI_HANDLE_PORTAL, &fields, sizeof(fields));
    /* A peer that is going away needs no answers. */
    return status == NI_ERR_NOMEM ? status : NI_OK;
}

static void forget_unexpected(struct ni *ni, struct ni_unexpected *unexpected)
{
    ni_portals_lock(ni);
    if (unexpected->target.entry != NULL) {
        ni_entry_leave(ni->portals, unexpected->target.entry);
    }
    unexpected->from.pt->users--;
    ni_unexpected_free(ni, unexpected);
    ni_portals_unlock(ni);
}

void ni_answer_again(struct ni *ni, struct ni_peer *peer, struct ni_portal_task *task,
                     void (*run)(struct ni *ni, struct ni_portal_task *task))
{
    ni_task_add(ni, task, run);
    (void)ni_packet_gives_up(ni, peer, &peer->drive.answer, 0);
}

static void answer_later(struct ni *ni, struct ni_portal_task *task)
{
    struct ni_unexpected *unexpected = ni_container_of(task, struct ni_unexpected, task);

    if (ni_arriving_answer(ni, &unexpected->from, unexpected->fail, unexpected->target.mlength) !=
        NI_OK) {
        ni_answer_again(ni, unexpected->from.peer, task, answer_later);
    } else {
        forget_unexpected(ni, unexpected);
    }
}

void ni_unexpected_delivered(struct ni *ni, struct ni_unexpected *unexpected, enum ni_ni_fail fail)
{
    bool answered;

    if (unexpected->form == NI_UNEXPECTED_OVERFLOW) {
        ni_overflow_filled(ni, unexpected, fail);
        return;
    }
    unexpected->fail = fail;
    if (fail != NI_NI_OK) {
        unexpected->target.mlength = 0;
    }
    /* The peer first: it may be waiting for it, and the event may take its time. */
    answered = ni_arriving_answer(ni, &unexpected->from, fail, unexpected->target.mlength) == NI_OK;
    ni_target_tell(&unexpected->from, &unexpected->target, unexpected->type, fail);
    if (answered) {
        forget_unexpected(ni, unexpected);
    } else {
        ni_task_add(ni, &unexpected->task, answer_later);
    }
}

void ni_unexpected_fetched(void *arg, ni_status status, uint64_t value)
{
    struct ni_unexpected *unexpected = arg;

    (void)value;
    ni_unexpected_delivered(unexpected->from.peer->ni, unexpected, ni_fail_of(status));
}

void ni_unexpected_fetch(struct ni *ni, struct ni_unexpected *unexpected,
                         const struct ni_remote *remote)
{
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = ni_unexpected_fetched, .arg = unexpected};
    ni_status status;

    if (unexpected->target.mlength == 0) {
        ni_unexpected_delivered(ni, unexpected, NI_NI_OK);
        return;
    }
    if ((unexpected->target.options & NI_ME_IOVEC) != 0) {
        ni_iovec_fetch(ni, unexpected, remote);
        return;
    }
    status = ni_read(ni, unexpected->from.peer, unexpected->target.start,
                     unexpected->target.mlength, remote, &ack);
    if (status != NI_OK) {
        ni_unexpected_delivered(ni, unexpected, ni_fail_of(status));
    }
}

void ni_unexpected_deliver(struct ni *ni, struct ni_unexpected *unexpected)
{
    const void *data = unexpected->small;

    switch (unexpected->form) {
    case NI_UNEXPECTED_OVERFLOW:
        ni_overflow_deliver(ni, unexpected);
        return;
    case NI_UNEXPECTED_REMOTE:
        ni_unexpected_fetch(ni, unexpected, &unexpected->remote);
        return;
    case NI_UNEXPECTED_INLINE:
        break;
    case NI_UNEXPECTED_COPIED:
        data = unexpected->data;
        break;
    case NI_UNEXPECTED_OWN:
        data = unexpected->own;
        break;
    }
    ni_target_write(&unexpected->target, unexpected->from.remote_offset, data);
    ni_unexpected_delivered(ni, unexpected, NI_NI_OK);
}
