/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/portals.h"

/* Puts to the own NI: they meet the match lists directly, no link is asked. */

/* How the put goes on, decided under the lock. */
enum outcome {
    OUTCOME_MATCHED,
    OUTCOME_UNEXPECTED,
    OUTCOME_UNEXPECTED_OWN,
    OUTCOME_SPILLED, /* to an overflow buffer */
    OUTCOME_REFUSED,
    OUTCOME_NO_MEMORY
};

/* What it met. */
struct meeting {
    struct ni_target target;          /* MATCHED */
    struct ni_unexpected *unexpected; /* SPILLED */
    enum ni_ni_fail fail;
    bool disabled; /* the portal table entry, by this put */
};

/* Keep it: a copy, or, when that is too long, the buffer itself until it matches. portals->lock is
 * held. `open` is the put's struct, NULL if it has none. */
static enum outcome keep_message(struct ni *ni, const struct ni_arriving *from,
                                 const struct ni_put *put, struct ni_put *open)
{
    struct ni_unexpected *unexpected;

    if (put->header.length <= ni->config->match_eager &&
        ni_unexpected_copy(ni, from, put->header.src) == NI_OK) {
        return OUTCOME_UNEXPECTED;
    }
    if (open == NULL) {
        return OUTCOME_NO_MEMORY;
    }
    unexpected = ni_unexpected_new(ni, from);
    if (unexpected == NULL) {
        return OUTCOME_NO_MEMORY;
    }
    unexpected->form = NI_UNEXPECTED_OWN;
    unexpected->own = put->header.src;
    open->told = false;
    if (ni_unexpected_list(ni, unexpected) != NI_OK) {
        ni_unexpected_free(ni, unexpected);
        return OUTCOME_NO_MEMORY;
    }
    return OUTCOME_UNEXPECTED_OWN;
}

/* No posted entry matches. portals->lock is held. */
static enum outcome leave_message(struct ni *ni, struct ni_arriving *from, const struct ni_put *put,
                                  struct ni_put *open, struct meeting *meeting)
{
    enum ni_overflow_result result = NI_OVERFLOW_NONE;

    if (from->pt->overflow != NULL) {
        result = ni_overflow_take(ni, from, &meeting->unexpected, &meeting->fail);
    }
    if (result == NI_OVERFLOW_TAKEN) {
        meeting->unexpected->from.token = 0; /* the sender that puts it is told at once */
        meeting->fail = NI_NI_OK;
        return OUTCOME_SPILLED;
    }
    if (ni_overflow_status(result) != NI_OK) {
        return OUTCOME_NO_MEMORY;
    }
    if (result == NI_OVERFLOW_REFUSED && meeting->fail != NI_NI_DROPPED) {
        return OUTCOME_REFUSED;
    }
    if (result == NI_OVERFLOW_REFUSED || (from->pt->options & NI_PT_UNEXPECTED) == 0 ||
        ((from->pt->options & NI_PT_FLOWCTRL) != 0 && ni_unexpected_is_full(ni->portals))) {
        meeting->fail = ni_pt_overrun(from->pt, &meeting->disabled);
        return OUTCOME_REFUSED;
    }
    return keep_message(ni, from, put, open);
}

/* portals->lock is held. */
static enum outcome meet_own_put(struct ni *ni, struct ni_arriving *from, const struct ni_put *put,
                                 struct ni_put *open, struct meeting *meeting)
{
    struct ni_entry *entry;

    meeting->fail = NI_NI_DROPPED;
    meeting->disabled = false;
    from->pt = ni_pt_at(ni->portals, put->header.pt_index);
    if (from->pt == NULL) {
        return OUTCOME_REFUSED;
    }
    if (from->pt->disabled) {
        meeting->fail = NI_NI_PT_DISABLED;
        return OUTCOME_REFUSED;
    }
    entry = ni_entry_find(ni, from);
    if (entry != NULL) {
        meeting->fail = ni_entry_refuses(entry, NI_VERB_PUT);
        if (meeting->fail != NI_NI_OK) {
            return OUTCOME_REFUSED;
        }
        ni_entry_use(ni->portals, entry, from, &meeting->target);
        return OUTCOME_MATCHED;
    }
    return leave_message(ni, from, put, open, meeting);
}

/* Tell, and free, what ends at once. */
static int end_put(struct ni *ni, const struct ni_put *put, struct ni_put *open,
                   enum ni_ni_fail fail, uint64_t mlength, uint64_t remote_offset)
{
    int result = ni_put_left(put);

    if (open != NULL) {
        open->told = true;
        ni_put_finish(ni, open, fail, mlength, remote_offset);
    }
    return result;
}

/* Give it a struct, so that something may come of it later. */
static struct ni_put *open_put(struct ni *ni, const struct ni_put *put, struct ni_arriving *from)
{
    struct ni_put *open = ni_put_new(ni, put);

    if (open != NULL) {
        from->token = open->header.token;
        open->told = put->header.length <= ni->config->match_eager;
    }
    return open;
}

static enum outcome try(struct ni *ni, struct ni_arriving *from, const struct ni_put *put,
                        struct ni_put *open, struct meeting *meeting)
{
    enum outcome outcome;

    ni_portals_lock(ni);
    outcome = meet_own_put(ni, from, put, open, meeting);
    if (outcome == OUTCOME_REFUSED) {
        ni_count_refused(ni, meeting->fail);
    }
    ni_portals_unlock(ni);
    if (meeting->disabled) {
        ni_pt_tell_disabled(from->pt);
    }
    return outcome;
}

static void copy(struct ni *ni, const struct ni_arriving *from, struct ni_target *target,
                 const struct ni_put *put)
{
    ni_target_write(target, from->remote_offset, put->header.src);
    ni_target_tell(from, target, NI_EVENT_PUT, NI_NI_OK);
    ni_target_release(ni, target);
}

/* What it met is not touched afterwards. */
static void copy_spilled(struct ni *ni, struct ni_unexpected *unexpected, const struct ni_put *put)
{
    ni_target_write(&unexpected->target, unexpected->spill.offset, put->header.src);
    ni_overflow_filled(ni, unexpected, NI_NI_OK);
}

int ni_put_self(struct ni *ni, struct ni_put *put)
{
    struct ni_arriving from = {
        .initiator = ni->portals->self,
        .match_bits = put->header.match_bits,
        .hdr_data = put->header.hdr_data,
        .rlength = put->header.length,
        .remote_offset = put->header.remote_offset,
    };
    struct meeting meeting = {.target = {.mlength = 0}};
    struct ni_put *open = NULL;
    enum outcome outcome;

    if (ni_usable(ni) != NI_OK) {
        return NI_ERR_FORKED;
    }
    if ((put->ack || put->header.length > ni->config->match_eager) &&
        (open = open_put(ni, put, &from)) == NULL) {
        return NI_PTL_NO_SPACE;
    }
    outcome = try(ni, &from, put, open, &meeting);
    /* No memory to copy it: then it stays where it is. */
    if (outcome == OUTCOME_NO_MEMORY && open == NULL && (open = open_put(ni, put, &from)) != NULL) {
        outcome = try(ni, &from, put, open, &meeting);
    }
    switch (outcome) {
    case OUTCOME_UNEXPECTED_OWN:
        return NI_OK;
    case OUTCOME_NO_MEMORY:
        if (open != NULL) {
            ni_put_free(ni, open);
        }
        return NI_PTL_NO_SPACE;
    case OUTCOME_UNEXPECTED:
        return ni_put_left(put);
    case OUTCOME_MATCHED:
        copy(ni, &from, &meeting.target, put);
        break;
    case OUTCOME_SPILLED:
        meeting.target.mlength = meeting.unexpected->target.mlength;
        from.remote_offset = meeting.unexpected->spill.offset;
        copy_spilled(ni, meeting.unexpected, put);
        break;
    case OUTCOME_REFUSED:
        break;
    }
    return end_put(ni, put, open, meeting.fail, meeting.target.mlength, from.remote_offset);
}
