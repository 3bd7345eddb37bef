/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/incoming.h"

/*
 * Packets to the PORTAL region. Everything in them is checked here; a put that cannot be accepted
 * is counted, and refused to the peer that wants to know. What breaks the protocol ends the peer.
 */

typedef ni_status (*arrive_fn)(const struct ni_packet_in *in);

/* portals->lock is held, and given back. */
static NI_COLD ni_status refuse_put(struct ni *ni, const struct ni_arriving *from,
                                    enum ni_ni_fail why)
{
    bool disabled = false;

    if (why == NI_NI_DROPPED && from->pt != NULL) {
        why = ni_pt_overrun(from->pt, &disabled);
    }
    ni_portals_unlock(ni);
    if (disabled) {
        ni_pt_tell_disabled(from->pt);
    }
    ni_count_refused(ni, why);
    /* Its answer has a place: ni_send_can_answer. */
    (void)ni_arriving_answer(ni, from, why, 0);
    return NI_OK;
}

/* Why it is not accepted by what was found for it. */
static enum ni_ni_fail judge_put(const struct ni *ni, const struct ni_arriving *from,
                                 const struct ni_entry *entry)
{
    if (entry != NULL) {
        return ni_entry_refuses(entry, from->verb);
    }
    if ((from->pt->options & NI_PT_UNEXPECTED) == 0) {
        return NI_NI_DROPPED;
    }
    return (from->pt->options & NI_PT_FLOWCTRL) != 0 && ni_unexpected_is_full(ni->portals)
               ? NI_NI_DROPPED
               : NI_NI_OK;
}

/* ---- PUT ------------------------------------------------------------------------------------- */

/* It goes to an overflow buffer, or would. portals->lock is held, and given back unless NONE. */
static enum ni_overflow_result spill_put(struct ni *ni, const struct ni_arriving *from,
                                         struct ni_unexpected **unexpected)
{
    enum ni_overflow_result result = NI_OVERFLOW_NONE;
    enum ni_ni_fail why;

    if (from->pt->overflow != NULL) {
        result = ni_overflow_take(ni, from, unexpected, &why);
    }
    if (result == NI_OVERFLOW_REFUSED) {
        (void)refuse_put(ni, from, why);
    } else if (result != NI_OVERFLOW_NONE) {
        ni_portals_unlock(ni);
    }
    return result;
}

/* To a vector. portals->lock is held, and given back. */
static void scatter(struct ni *ni, struct ni_arriving *from, struct ni_entry *entry,
                    const uint8_t *payload)
{
    struct ni_target target;

    ni_entry_use(ni->portals, entry, from, &target);
    ni_portals_unlock(ni);
    ni_target_write(&target, from->remote_offset, payload);
    (void)ni_arriving_answer(ni, from, NI_NI_OK, target.mlength);
    ni_target_tell(from, &target, NI_EVENT_PUT, NI_NI_OK);
    ni_target_release(ni, &target);
}

/* No posted entry takes it at once. portals->lock is held, and given back. */
static NI_NOINLINE ni_status put_finds_none(struct ni *ni, struct ni_arriving *from,
                                            struct ni_entry *entry, const uint8_t *payload)
{
    enum ni_overflow_result result = NI_OVERFLOW_NONE;
    struct ni_unexpected *unexpected;
    enum ni_ni_fail why;
    ni_status status;

    from->verb = NI_VERB_PUT;
    if (entry == NULL) {
        result = spill_put(ni, from, &unexpected);
    }
    if (result == NI_OVERFLOW_TAKEN) {
        ni_target_write(&unexpected->target, unexpected->spill.offset, payload);
        ni_overflow_filled(ni, unexpected, NI_NI_OK);
    }
    if (result != NI_OVERFLOW_NONE) {
        return ni_overflow_status(result);
    }
    why = judge_put(ni, from, entry);
    if (why != NI_NI_OK) {
        return refuse_put(ni, from, why);
    }
    if (entry != NULL) {
        scatter(ni, from, entry, payload);
        return NI_OK;
    }
    status = ni_unexpected_copy(ni, from, payload);
    ni_portals_unlock(ni);
    return status;
}

ni_status ni_put_matched(struct ni *ni, struct ni_arriving *from, struct ni_entry *entry,
                         const uint8_t *payload)
{
    struct ni_target target;

    if (NI_UNLIKELY(entry == NULL || (entry->space.options & NI_ME_OP_PUT) == 0)) {
        return put_finds_none(ni, from, entry, payload);
    }
    ni_entry_use(ni->portals, entry, from, &target);
    ni_portals_unlock(ni);
    ni_memory_copy(target.start, payload, target.mlength);
    if (NI_UNLIKELY(from->token != 0)) {
        (void)ni_arriving_answer(ni, from, NI_NI_OK, target.mlength);
    }
    ni_target_tell(from, &target, NI_EVENT_PUT, NI_NI_OK);
    ni_target_release(ni, &target);
    return NI_OK;
}

ni_status ni_put_arrives(struct ni *ni, unsigned pt_index, struct ni_arriving *from,
                         const uint8_t *payload)
{
    ni_portals_lock(ni);
    from->pt = ni_pt_at(ni->portals, pt_index);
    if (NI_UNLIKELY(from->pt == NULL || from->pt->disabled)) {
        return refuse_put(ni, from, from->pt == NULL ? NI_NI_DROPPED : NI_NI_PT_DISABLED);
    }
    return ni_put_matched(ni, from, ni_entry_find(ni, from), payload);
}

static ni_status on_plain_put(const struct ni_packet_in *in)
{
    struct ni_packet_put_more more = {.token = 0};
    struct ni_arriving from;

    if (NI_UNLIKELY((in->tag & NI_PUT_MORE) != 0)) {
        if (!ni_packet_in_has(in, sizeof(struct ni_packet_put) + sizeof(more))) {
            return NI_ERR_PROTOCOL;
        }
        memcpy(&more, &in->packet->body[2], sizeof(more));
        if (more.token != 0 && !ni_send_can_answer(in->ni)) {
            return NI_ERR_NOMEM;
        }
    } else if (NI_UNLIKELY(!ni_packet_in_has(in, sizeof(struct ni_packet_put)))) {
        return NI_ERR_PROTOCOL;
    }
    from.peer = in->peer;
    from.initiator = in->peer->core.initiator;
    from.match_bits = in->packet->body[0];
    from.hdr_data = in->packet->body[1];
    from.rlength = in->len;
    from.remote_offset = more.remote_offset;
    from.token = more.token;
    return ni_put_arrives(in->ni, in->tag & NI_PUT_INDEX, &from, in->payload);
}

/* ---- PUT_LONG -------------------------------------------------------------------------------- */

/* Wait for an entry, the data staying where it is. portals->lock is held. */
static ni_status defer_long_put(struct ni *ni, struct ni_unexpected *unexpected)
{
    ni_status status = ni_unexpected_list(ni, unexpected);

    if (status != NI_OK) {
        ni_unexpected_free(ni, unexpected);
        return status;
    }
    ni_stat_add(&ni->stats.match_deferred, 1);
    return NI_OK;
}

static ni_status long_put_arrives(const struct ni_packet_in *in, struct ni_arriving *from,
                                  const struct ni_packet_put_long *fields)
{
    const struct ni_remote remote = {
        .addr = fields->addr, .key = fields->key, .handle = fields->handle};
    enum ni_overflow_result result;
    struct ni *ni = in->ni;
    struct ni_entry *entry;
    struct ni_unexpected *unexpected;
    enum ni_ni_fail why;
    ni_status status = NI_OK;

    ni_portals_lock(ni);
    from->pt = ni_pt_at(ni->portals, in->tag & NI_PUT_INDEX);
    if (from->pt == NULL || from->pt->disabled) {
        return refuse_put(ni, from, from->pt == NULL ? NI_NI_DROPPED : NI_NI_PT_DISABLED);
    }
    entry = ni_entry_find(ni, from);
    result = entry == NULL ? spill_put(ni, from, &unexpected) : NI_OVERFLOW_NONE;
    if (result == NI_OVERFLOW_TAKEN) {
        ni_unexpected_fetch(ni, unexpected, &remote);
    }
    if (result != NI_OVERFLOW_NONE) {
        return ni_overflow_status(result);
    }
    why = judge_put(ni, from, entry);
    if (why != NI_NI_OK) {
        return refuse_put(ni, from, why);
    }
    unexpected = ni_unexpected_new(ni, from);
    if (unexpected == NULL) {
        ni_portals_unlock(ni);
        return NI_ERR_NOMEM;
    }
    unexpected->form = NI_UNEXPECTED_REMOTE;
    unexpected->remote = remote;
    if (entry == NULL) {
        status = defer_long_put(ni, unexpected);
    } else {
        unexpected->type = ni_verb_event(from->verb, false);
        ni_entry_use(ni->portals, entry, &unexpected->from, &unexpected->target);
        from->pt->users++;
    }
    ni_portals_unlock(ni);
    if (entry != NULL) {
        ni_unexpected_deliver(ni, unexpected);
    }
    return status;
}

static ni_status on_long_put(const struct ni_packet_in *in)
{
    struct ni_packet_put_long fields;
    struct ni_packet_put_long_more more = {.remote_offset = 0};
    struct ni_arriving from;

    memcpy(&fields, in->packet->body, sizeof(fields));
    more.length = fields.length;
    if (fields.token == 0 || in->in_bulk ||
        in->len != ((in->tag & NI_PUT_MORE) != 0 ? sizeof(more) : 0) ||
        !ni_packet_in_has(in, sizeof(fields))) {
        return NI_ERR_PROTOCOL;
    }
    if (in->len != 0) {
        memcpy(&more, in->payload, sizeof(more));
    }
    if (more.length > INT64_MAX) {
        return NI_ERR_PROTOCOL;
    }
    if (!ni_send_can_answer(in->ni)) {
        return NI_ERR_NOMEM;
    }
    from = (struct ni_arriving){
        .peer = in->peer,
        .initiator = in->peer->core.initiator,
        .match_bits = fields.match_bits,
        .hdr_data = fields.hdr_data,
        .rlength = more.length,
        .remote_offset = more.remote_offset,
        .token = fields.token,
        .verb = NI_VERB_PUT,
    };
    return long_put_arrives(in, &from, &fields);
}

/* ---- PUT_ACK --------------------------------------------------------------------------------- */

static ni_status on_put_ack(const struct ni_packet_in *in)
{
    struct ni_packet_ack fields;
    struct ni_put *put;

    memcpy(&fields, in->packet->body, sizeof(fields));
    if (in->len != 0 || in->tag > NI_NI_NO_SPACE || in->tag == NI_NI_NO_MATCH) {
        return NI_ERR_PROTOCOL;
    }
    put = ni_put_find(in->ni, in->peer, fields.token);
    if (put == NULL) {
        return NI_OK; /* late, or invented */
    }
    if (fields.value > put->header.length || (in->tag == NI_NI_OK && ni_put_fetches(put))) {
        return NI_ERR_PROTOCOL;
    }
    ni_put_finish(in->ni, put, (enum ni_ni_fail)in->tag, fields.value, fields.offset);
    return NI_OK;
}

ni_status ni_portals_arrive(struct ni *ni, struct ni_peer *peer, const struct ni_packet *packet,
                            uint64_t word0, uint64_t word1, const uint8_t *payload)
{
    static const arrive_fn handlers[] = {on_plain_put, on_long_put,   on_put_ack,
                                         ni_on_get,    ni_on_combine, ni_on_reply};
    const struct ni_packet_in in = {
        .ni = ni,
        .peer = peer,
        .packet = packet,
        .payload = payload,
        .len = ni_packet_len(word1),
        .region = ni_packet_region(word1),
        .tag = ni_packet_tag(word0),
        .in_bulk = ni_packet_in_bulk(word0),
    };
    unsigned kind = ni_packet_kind(word0);

    if (kind < NI_PACKET_PUT || kind >= NI_PACKET_KINDS || in.region != NI_HANDLE_PORTAL ||
        (kind != NI_PACKET_PUT_ACK && (in.tag & ~NI_PUT_TAG_BITS) != 0)) {
        return NI_ERR_PROTOCOL;
    }
    return handlers[kind - NI_PACKET_PUT](&in);
}
