/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/portals.h"

/*
 * Gets and atomics at their target. They meet the match list under the same lock as puts, in the
 * order in which they arrive, and touch the entry's memory without it.
 */

/* Where it goes when no posted entry takes it. portals->lock is held. */
static ni_status spill_request(struct ni *ni, struct ni_request *request, enum ni_ni_fail *fail,
                               bool *disabled)
{
    struct ni_arriving *from = &request->from;
    enum ni_overflow_result result = NI_OVERFLOW_NONE;

    *fail = NI_NI_DROPPED;
    if (from->pt->overflow != NULL) {
        result = ni_overflow_take(ni, from, &request->spilled, fail);
    }
    if (result == NI_OVERFLOW_TAKEN) {
        *fail = NI_NI_OK;
        request->target = request->spilled->target;
        from->remote_offset = request->spilled->spill.offset;
    } else if (*fail == NI_NI_DROPPED && ni_overflow_status(result) == NI_OK) {
        *fail = ni_pt_overrun(from->pt, disabled);
    }
    return ni_overflow_status(result);
}

/* portals->lock is held. */
static ni_status meet_request(struct ni *ni, struct ni_request *request, enum ni_ni_fail *fail,
                              bool *disabled)
{
    struct ni_arriving *from = &request->from;
    struct ni_entry *entry;

    if (from->pt == NULL || from->pt->disabled) {
        *fail = from->pt == NULL ? NI_NI_DROPPED : NI_NI_PT_DISABLED;
        return NI_OK;
    }
    entry = ni_entry_find(ni, from);
    if (entry == NULL) {
        return spill_request(ni, request, fail, disabled);
    }
    *fail = ni_entry_refuses(entry, from->verb);
    if (*fail == NI_NI_OK) {
        ni_entry_use(ni->portals, entry, from, &request->target);
        from->pt->users++;
    }
    return NI_OK;
}

/* The entry that an operation meets. NI_OK: *fail is NI_NI_OK, request->target is set and the
 * portal table entry held until ni_request_end; or why it is refused, which is counted and told to
 * the target here. NI_AGAIN (too many headers), NI_ERR_NOMEM: nothing has happened. */
static ni_status meet_entry(struct ni *ni, struct ni_request *request, uint32_t pt_index,
                            enum ni_ni_fail *fail)
{
    struct ni_arriving *from = &request->from;
    bool disabled = false, met;
    ni_status status;

    request->spilled = NULL;
    ni_portals_lock(ni);
    from->pt = ni_pt_at(ni->portals, pt_index);
    status = meet_request(ni, request, fail, &disabled);
    if (status == NI_OK) {
        met = *fail == NI_NI_OK;
        if (!met) {
            ni_count_refused(ni, *fail);
        }
        ni_stat_add(&ni->stats.match_gets, met && from->verb == NI_VERB_GET);
        ni_stat_add(&ni->stats.match_atomics, met && from->verb != NI_VERB_GET);
    }
    ni_portals_unlock(ni);
    if (disabled) {
        ni_pt_tell_disabled(from->pt);
    }
    if (status == NI_OK && *fail == NI_NI_OK && from->verb != NI_VERB_GET) {
        /* Whole elements. */
        request->target.mlength -= request->target.mlength % ni_datatype_size(request->what.type);
    }
    return status;
}

void ni_request_end(struct ni *ni, struct ni_request *request, enum ni_ni_fail fail)
{
    struct ni_unexpected *spilled = request->spilled;

    if (NI_UNLIKELY((request->target.options & NI_ME_IOVEC) != 0 && request->target.mlength != 0)) {
        const struct ni_walk walk =
            ni_walk_from(request->target.start, request->from.remote_offset);

        request->target.start = ni_walk_place(&walk);
    }
    if (spilled != NULL) {
        ni_portals_lock(ni);
        spilled->target.start = request->target.start;
        spilled->target.mlength = request->target.mlength;
        spilled->from.token = 0; /* it has its answer */
        ni_portals_unlock(ni);
        ni_overflow_filled(ni, spilled, fail);
        return;
    }
    ni_target_tell(&request->from, &request->target, ni_verb_event(request->from.verb, false),
                   fail);
    ni_portals_lock(ni);
    if (request->target.entry != NULL) {
        ni_entry_leave(ni->portals, request->target.entry);
    }
    request->from.pt->users--;
    ni_portals_unlock(ni);
}

void ni_combine_in(struct ni *ni, const struct ni_combination *what, uint8_t *target,
                   const uint8_t *data, uint8_t *old, uint64_t length)
{
    bool alone = !ni_combination_aligned(what, target);

    if (alone) {
        ni_lock_take(&ni->memory, ni->threads);
    }
    ni_combine(what, target, data, old, length);
    if (alone) {
        ni_lock_give(&ni->memory, ni->threads);
    }
}

/* Do to the entry's memory what an atomic says; old may be NULL. */
static void combine_entry(struct ni *ni, const struct ni_request *request, uint8_t *old)
{
    const struct ni_target *target = &request->target;

    if (NI_UNLIKELY((target->options & NI_ME_IOVEC) != 0)) {
        ni_iovec_combine(ni, request, old);
    } else {
        ni_combine_in(ni, &request->what, target->start, request->data, old, target->mlength);
    }
}

/* ---- of a peer ------------------------------------------------------------------------------- */

static void serve_atomic(struct ni *ni, struct ni_request *request)
{
    combine_entry(ni, request, NULL);
    /* Its place: see ni_send_can_answer. */
    (void)ni_arriving_answer(ni, &request->from, NI_NI_OK, request->target.mlength);
    ni_request_end(ni, request, NI_NI_OK);
}

/* What has an answer with data. answer: for one that does not fit a packet, or NULL. */
static void serve_fetching(struct ni *ni, struct ni_request *request, struct ni_answer *answer)
{
    uint8_t few[NI_REPLY_INLINE];
    bool vector = (request->target.options & NI_ME_IOVEC) != 0;
    uint8_t *src = vector ? NULL : request->target.start;

    if (request->from.verb == NI_VERB_FETCH) {
        src = answer != NULL ? answer->old : few;
        combine_entry(ni, request, src);
    }
    if (!ni_answer_at_once(request, src)) {
        answer->request = *request;
        ni_answer_write(ni, answer, src);
        return;
    }
    if (answer != NULL) {
        ni_answer_free(ni, answer);
    }
    ni_request_end(ni, request, NI_NI_OK);
}

ni_status ni_request_serve(struct ni *ni, struct ni_request *request, uint32_t pt_index)
{
    struct ni_arriving *from = &request->from;
    struct ni_answer *answer = NULL;
    enum ni_ni_fail fail;
    ni_status status;

    /* First, so that nothing has happened if there is no memory. */
    if (from->verb != NI_VERB_ATOMIC && from->rlength > NI_REPLY_INLINE) {
        answer = ni_answer_new(ni, from->verb == NI_VERB_FETCH ? from->rlength : 0);
        if (answer == NULL) {
            return NI_ERR_NOMEM;
        }
    }
    status = meet_entry(ni, request, pt_index, &fail);
    if ((status != NI_OK || fail != NI_NI_OK) && answer != NULL) {
        ni_answer_free(ni, answer);
    }
    if (status != NI_OK) {
        return status;
    }
    if (fail != NI_NI_OK) {
        (void)ni_arriving_answer(ni, from, fail, 0);
    } else if (from->verb == NI_VERB_ATOMIC) {
        serve_atomic(ni, request);
    } else {
        serve_fetching(ni, request, answer);
    }
    return NI_OK;
}

/* ---- to oneself ------------------------------------------------------------------------------ */

static void do_own(struct ni *ni, struct ni_request *request, const struct ni_put *put)
{
    const struct ni_target *target = &request->target;

    if (request->from.verb != NI_VERB_GET) {
        combine_entry(ni, request, put->extra->dst);
    } else if (target->mlength != 0 && (target->options & NI_ME_IOVEC) != 0) {
        ni_iovec_read(request, put->extra->dst);
    } else if (target->mlength != 0) {
        memmove(put->extra->dst, target->start, target->mlength);
    }
    ni_request_end(ni, request, NI_NI_OK);
}

int ni_request_self(struct ni *ni, struct ni_put *put)
{
    struct ni_request request = {
        .from =
            {
                .initiator = ni->portals->self,
                .match_bits = put->header.match_bits,
                .hdr_data = put->header.hdr_data,
                .rlength = put->header.length,
                .remote_offset = put->header.remote_offset,
                .verb = put->extra->verb,
            },
        .data = put->header.src,
        .what = put->extra->what,
    };
    enum ni_ni_fail fail;
    int result;

    if (ni_usable(ni) != NI_OK) {
        return NI_ERR_FORKED;
    }
    if (meet_entry(ni, &request, put->header.pt_index, &fail) != NI_OK) {
        return NI_PTL_NO_SPACE;
    }
    if (fail == NI_NI_OK) {
        do_own(ni, &request, put);
    }
    if (put->extra->landed != NULL) {
        ni_iovec_land(put->extra, request.target.mlength);
    }
    result = ni_put_left(put);
    ni_put_tell_end(put, fail, request.target.mlength, request.from.remote_offset);
    return result;
}
