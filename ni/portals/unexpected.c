/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/portals.h"

/*
 * Unexpected messages. Data of up to 64 bytes lies in the message's struct, more in a block of its
 * own, or it is still with the initiator. From half of match_unexpected on, structs and blocks,
 * peers are asked to send headers only (NI_WISH_HEADERS_ONLY), and to wait with what is short
 * (NI_MD_UNTIL_MATCHED), so that what they have sent until they notice fits into the other half;
 * below a quarter they may send data again. Beyond all of it a message with a block stays in its
 * lane, which holds its sender back: who ignores the wish waits. Structs are not refused: a program
 * may start as many sends as it likes, and then want the last one of them.
 */

/* ---- memory ---------------------------------------------------------------------------------- */

static void set_wishes(struct ni *ni, uint32_t wishes)
{
    if (ni->portals->wishes != wishes) {
        ni->portals->wishes = wishes;
        ni->link->ops->wish(ni->link, wishes);
    }
}

static void weigh(struct ni *ni)
{
    uint64_t most = ni->config->match_unexpected;
    uint64_t held = ni->portals->bytes + ni->portals->headers * sizeof(struct ni_unexpected);

    if (NI_UNLIKELY(held > most / 2)) {
        set_wishes(ni, NI_WISH_HEADERS_ONLY);
    } else if (held <= most / 4) {
        set_wishes(ni, 0);
    }
}

static void count_bytes(struct ni *ni, uint64_t bytes)
{
    ni->portals->bytes = bytes;
    ni_stat_set(&ni->stats.match_unexpected_bytes, bytes);
    ni_stat_max(&ni->stats.match_unexpected_bytes_max, bytes);
    weigh(ni);
}

/* What a block of len bytes takes, its own management included. */
static uint64_t block_size(uint64_t len)
{
    return ni_align_up(len, 16) + 16;
}

struct ni_unexpected *ni_unexpected_new(struct ni *ni, const struct ni_arriving *from)
{
    struct ni_unexpected *unexpected = ni_pool_get(&ni->portals->unexpected);

    if (unexpected != NULL) {
        unexpected->from = *from;
        unexpected->form = NI_UNEXPECTED_INLINE;
        unexpected->claimed = unexpected->silent = false;
        unexpected->target.entry = NULL;
        ni_list_init(&unexpected->task.list);
    }
    return unexpected;
}

void ni_unexpected_free(struct ni *ni, struct ni_unexpected *unexpected)
{
    if (unexpected->form == NI_UNEXPECTED_COPIED) {
        count_bytes(ni, ni->portals->bytes - block_size(unexpected->from.rlength));
        ni_free(unexpected->data);
    }
    ni_pool_put(&ni->portals->unexpected, unexpected);
}

/* ---- the list -------------------------------------------------------------------------------- */

ni_status ni_unexpected_list(struct ni *ni, struct ni_unexpected *unexpected)
{
    struct ni_portals *portals = ni->portals;
    const struct ni_arriving *from = &unexpected->from;

    if (ni_unexpected_is_full(portals)) {
        return NI_AGAIN;
    }
    if (ni_match_headers_append(&from->pt->unexpected, &unexpected->match, from->match_bits,
                                from->initiator) != NI_OK) {
        return NI_ERR_NOMEM;
    }
    ni_stat_set(&ni->stats.match_unexpected, ++portals->headers);
    weigh(ni);
    return NI_OK;
}

void ni_unexpected_take(struct ni *ni, struct ni_unexpected *unexpected)
{
    ni_match_headers_remove(&unexpected->from.pt->unexpected, &unexpected->match);
    ni_stat_set(&ni->stats.match_unexpected, --ni->portals->headers);
    weigh(ni);
}

static ni_status copy_data(struct ni *ni, struct ni_unexpected *unexpected, const void *data)
{
    uint64_t len = unexpected->from.rlength, bytes;

    if (NI_LIKELY(len <= NI_PUT_ORDERED)) {
        ni_memory_copy(unexpected->small, data, len);
        return NI_OK;
    }
    bytes = ni->portals->bytes + block_size(len);
    if (bytes > ni->config->match_unexpected) {
        return NI_AGAIN;
    }
    unexpected->data = ni_malloc(len);
    if (unexpected->data == NULL) {
        return NI_ERR_NOMEM;
    }
    unexpected->form = NI_UNEXPECTED_COPIED;
    memcpy(unexpected->data, data, len);
    count_bytes(ni, bytes);
    return NI_OK;
}

ni_status ni_unexpected_copy(struct ni *ni, const struct ni_arriving *from, const void *data)
{
    struct ni_unexpected *unexpected = ni_unexpected_new(ni, from);
    ni_status status;

    if (unexpected == NULL) {
        return NI_ERR_NOMEM;
    }
    status = copy_data(ni, unexpected, data);
    if (NI_LIKELY(status == NI_OK)) {
        status = ni_unexpected_list(ni, unexpected);
    }
    if (NI_UNLIKELY(status != NI_OK)) {
        ni_unexpected_free(ni, unexpected);
    }
    return status;
}

struct ni_unexpected *ni_unexpected_find(struct ni_pt *pt, const struct ni_me *me,
                                         const struct ni_space *space)
{
    struct ni_match_header *found;

    if (ni_stat_get(&pt->unexpected.length) == 0) {
        return NULL;
    }
    found = ni_match_headers_search(&pt->unexpected, me->match_bits, me->ignore_bits, me->match_id);
    while (found != NULL) {
        struct ni_unexpected *unexpected = ni_container_of(found, struct ni_unexpected, match);

        if (ni_space_accepts(space, &unexpected->from)) {
            return unexpected;
        }
        found = ni_match_headers_next(&pt->unexpected, found, me->match_bits, me->ignore_bits,
                                      me->match_id);
    }
    return NULL;
}

void ni_unexpected_hand_over(struct ni *ni, struct ni_unexpected *unexpected,
                             const struct ni_space *space, void *user_ptr)
{
    const struct ni_arriving *from = &unexpected->from;
    const struct ni_eq *eq = from->pt->eq;
    struct ni_event event;

    ni_event_of_match(&event, NI_EVENT_PUT_OVERFLOW, NI_NI_OK, from, user_ptr, space->start,
                      ni_min_u64(from->rlength, space->length));
    ni_memory_copy(space->start, unexpected->small, event.mlength);
    ni_pool_put(&ni->portals->unexpected, unexpected);
    ni_portals_unlock(ni);
    ni_event_tell(eq, &event);
}

bool ni_unexpected_aim(struct ni_unexpected *unexpected, struct ni_space *space, void *user_ptr)
{
    unexpected->type = ni_verb_event(unexpected->from.verb, true);
    if (unexpected->form == NI_UNEXPECTED_OVERFLOW) {
        return ni_overflow_aim(unexpected, space, user_ptr);
    }
    ni_space_take(space, &unexpected->from, &unexpected->target);
    unexpected->target.user_ptr = user_ptr;
    unexpected->target.entry = NULL;
    return unexpected->target.unlinks;
}

/* ---- dropping -------------------------------------------------------------------------------- */

void ni_unexpected_discard(struct ni *ni, struct ni_unexpected *unexpected)
{
    struct ni_arriving from = unexpected->from;

    ni_stat_add(&ni->stats.match_dropped, 1);
    if (unexpected->form == NI_UNEXPECTED_OVERFLOW) {
        unexpected->silent = true;
        ni_portals_unlock(ni);
        ni_overflow_deliver(ni, unexpected);
    } else {
        from.pt->users--;
        ni_unexpected_free(ni, unexpected);
        ni_portals_unlock(ni);
        /* Out of memory an initiator is not told, and waits until it or we close. */
        (void)ni_arriving_answer(ni, &from, NI_NI_DROPPED, 0);
    }
    ni_portals_lock(ni);
}

void ni_unexpected_discard_all(struct ni *ni, struct ni_pt *pt)
{
    static const struct ni_me any = {.ignore_bits = UINT64_MAX, .match_id = NI_INITIATOR_ANY};
    const struct ni_space space = ni_space_of(&any);
    struct ni_unexpected *unexpected;

    while ((unexpected = ni_unexpected_find(pt, &any, &space)) != NULL) {
        ni_unexpected_take(ni, unexpected);
        pt->users++;
        ni_unexpected_discard(ni, unexpected);
    }
}
