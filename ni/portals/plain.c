/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/portals.h"

/*
 * The put that has to be fast: in the lane's ring, without anything special, for the oldest entry
 * or another one, of the kind that a receive of MPI posts: used once, its only event that of the
 * put. All others go the general way (incoming.c), which does the same; so does one in
 * NI_MATCH_SAMPLING, to be timed.
 */

NI_ALWAYS_INLINE struct ni_arriving arriving(struct ni_peer *peer, struct ni_pt *pt,
                                             const struct ni_packet *packet, uint64_t word1)
{
    return (struct ni_arriving){
        .peer = peer,
        .pt = pt,
        .initiator = peer->core.initiator,
        .match_bits = packet->body[0],
        .hdr_data = packet->body[1],
        .rlength = ni_packet_len(word1),
        .verb = NI_VERB_PUT,
    };
}

/* The general way. */
static NI_NOINLINE ni_status arrives(struct ni *ni, struct ni_peer *peer,
                                     const struct ni_packet *packet, uint64_t word0, uint64_t word1,
                                     const uint8_t *payload)
{
    struct ni_arriving from = arriving(peer, NULL, packet, word1);

    return ni_put_arrives(ni, ni_packet_tag(word0), &from, payload);
}

/* Whether what finds no entry only has to be added to the unexpected messages. */
static inline bool keeps_unexpected(const struct ni_pt *pt)
{
    return pt->overflow == NULL &&
           (pt->options & (NI_PT_UNEXPECTED | NI_PT_FLOWCTRL)) == NI_PT_UNEXPECTED;
}

/* The same when it is known that there is no entry. portals->lock is held, and given back. */
static NI_NOINLINE ni_status put_unexpected(struct ni *ni, struct ni_peer *peer, struct ni_pt *pt,
                                            const struct ni_packet *packet, uint64_t word1,
                                            const uint8_t *payload)
{
    struct ni_arriving from = arriving(peer, pt, packet, word1);
    ni_status status;

    if (NI_UNLIKELY(!keeps_unexpected(pt))) {
        return ni_put_matched(ni, &from, NULL, payload);
    }
    status = ni_unexpected_copy(ni, &from, payload);
    ni_portals_unlock(ni);
    return status;
}

ni_status ni_put_arrives_plain(struct ni *ni, struct ni_peer *peer, const struct ni_packet *packet,
                               uint64_t word0, uint64_t word1, const uint8_t *payload)
{
    struct ni_portals *portals = ni->portals;
    struct ni_match_entry *found;
    struct ni_pt *pt;
    struct ni_entry *entry;
    struct ni_arriving from;
    const struct ni_eq *eq;
    struct ni_event event;

    ni_portals_lock(ni);
    pt = ni_packet_tag(word0) < NI_PT_COUNT ? portals->pt[ni_packet_tag(word0)] : NULL;
    if (NI_UNLIKELY(pt == NULL || !pt->ready || ni_match_is_timed(&pt->posted))) {
        ni_portals_unlock(ni);
        return arrives(ni, peer, packet, word0, word1, payload);
    }
    found = ni_match_list_search(&pt->posted, packet->body[0], peer->core.initiator);
    if (NI_UNLIKELY(found == NULL)) {
        return put_unexpected(ni, peer, pt, packet, word1, payload);
    }
    entry = ni_container_of(found, struct ni_entry, match);
    if (NI_UNLIKELY(entry->space.options != NI_ME_USUAL)) {
        ni_portals_unlock(ni);
        return arrives(ni, peer, packet, word0, word1, payload);
    }
    from = arriving(peer, pt, packet, word1);
    pt->users--;
    eq = pt->eq;
    ni_event_of_match(&event, NI_EVENT_PUT, NI_NI_OK, &from, entry->user_ptr, entry->space.start,
                      ni_min_u64(from.rlength, entry->space.length));
    ni_match_list_remove(&pt->posted, &entry->match);
    ni_pool_put(&portals->entries, entry);
    ni_portals_unlock(ni);
    ni_memory_copy(event.start, payload, event.mlength);
    eq->fn(eq->arg, &event);
    return NI_OK;
}
