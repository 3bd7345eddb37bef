/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdatomic.h>

#include "engine/send/fast.h"
#include "engine/drive/progress.h"
#include "portals/portals.h"

/*
 * Receiving without an entry. Packets of a lane are in order, and so are puts of one peer: the next
 * one, if no entry is posted and no message kept, would match the entry that is about to be posted,
 * and nothing else. So it is compared with that where it lies, and copied from there.
 */

enum {
    /* One call in so many takes nothing, so that also who never has to wait polls: other lanes,
     * links, what is under way. */
    NI_TAKE_TURNS = 16,
    /* One look in so many is followed by what is to be done while nothing comes. */
    NI_TAKE_IDLE = 8,
    /* Lines behind the first that are looked at with it, where the last packet had more. */
    NI_TAKE_BEHIND = 4
};

/* Whether nothing else is to be done, or comes before. */
static inline bool is_nothing_else_due(const struct ni *ni)
{
    return (ni->depth | ni->untidy | ni_to_move(ni)) == 0;
}

static inline bool is_first_entry(const struct ni_portals *portals, uint32_t pt_index)
{
    const struct ni_pt *pt = pt_index < NI_PT_COUNT ? portals->pt[pt_index] : NULL;

    return NI_LIKELY(pt != NULL && pt->ready) && ni_stat_get(&pt->posted.length) == 0 &&
           ni_stat_get(&pt->unexpected.length) == 0;
}

/* A packet of several lines is supposed to come: they are asked for with its first, and come with
 * it. Those that have not been written yet are asked for again by the next look. */
NI_ALWAYS_INLINE void look_behind(const struct ni_lane_rx *lane, uint32_t behind)
{
    for (uint32_t i = 1; i <= behind; i++) {
        __builtin_prefetch(ni_lane_line(lane, lane->tail + i));
    }
}

/* The next packet, or NULL. length: bytes that are wanted. */
static inline const struct ni_packet *look_for_packet(struct ni *ni, const struct ni_peer *source,
                                                      struct ni_lane_rx *lane, unsigned looks,
                                                      uint64_t length, uint64_t *word0)
{
    const struct ni_packet *packet = ni_lane_peek(lane, word0);
    uint32_t behind;

    if (packet != NULL || looks <= 1 || !source->link->ops->in_place) {
        return packet;
    }
    behind = length > NI_PUT_INLINE && lane->behind <= NI_TAKE_BEHIND ? lane->behind : 0;
    for (unsigned i = 1; packet == NULL && i < looks; i++) {
        if (i % NI_TAKE_IDLE == 1) {
            ni_idle(ni);
        } else {
            ni_read_apart();
        }
        packet = ni_lane_peek(lane, word0);
        look_behind(lane, behind);
    }
    return packet;
}

/* Where the data of a usual put is, and its lines; 0: it is something else. */
static inline uint32_t usual(struct ni_lane_rx *lane, const struct ni_packet *packet,
                             uint64_t word0, uint64_t word1, const uint8_t **payload)
{
    *payload = (const uint8_t *)&packet->body[2];
    if (NI_LIKELY(ni_packet_is_short_put(word0, word1))) {
        return 1;
    }
    if (!ni_packet_is_lines_put(word0, word1) && !ni_packet_is_bulk_put(word0, word1)) {
        return 0;
    }

    uint32_t lines = ni_lane_check(lane, packet, word0, word1, payload);

    if (lines != 0) {
        ni_fetch_ahead(*payload, ni_packet_len(word1));
    }
    return lines;
}

bool ni_me_take(struct ni_peer *source, uint32_t pt_index, uint64_t match_bits,
                uint64_t ignore_bits, void *start, uint64_t length, unsigned looks,
                struct ni_taken *taken)
{
    struct ni *ni = source->ni;
    struct ni_lane_rx *lane;
    const struct ni_packet *packet;
    const uint8_t *payload;
    uint64_t word0, word1;
    uint32_t lines;

    /* With threads lanes come and go under the progress lock, which is not ours. */
    if (NI_UNLIKELY(ni->threads || ni->poll_cases || ni->portals == NULL) ||
        !is_first_entry(ni->portals, pt_index) || NI_UNLIKELY(!is_nothing_else_due(ni)) ||
        ++ni->portals->takes % NI_TAKE_TURNS == 0) {
        return false;
    }
    lane = source->lane;
    if (NI_UNLIKELY(lane == NULL)) {
        return false;
    }
    packet = look_for_packet(ni, source, lane, looks, length, &word0);
    if (packet == NULL) {
        return false;
    }
    word1 = packet->word1;
    lines = usual(lane, packet, word0, word1, &payload);
    taken->match_bits = packet->body[0];
    if (NI_UNLIKELY(lines == 0 || ni_packet_tag(word0) != pt_index ||
                    ((taken->match_bits ^ match_bits) & ~ignore_bits) != 0)) {
        return false;
    }
    taken->hdr_data = packet->body[1];
    taken->rlength = ni_packet_len(word1);
    taken->mlength = ni_min_u64(taken->rlength, length);
    ni_memory_copy(start, payload, taken->mlength);
    ni_lane_advance(lane, lines);
    ni_lane_publish(lane);
    ni_stat_add(&ni->stats.rx_packets, 1);
    ni_stat_add(&ni->stats.rx_bytes, taken->rlength);
    return true;
}
