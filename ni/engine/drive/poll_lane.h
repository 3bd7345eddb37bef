/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_POLL_LANE_H
#define NI_ENGINE_POLL_LANE_H

#include "engine/arrive/arrive.h"
#include "engine/arrive/take.h"
#include "engine/core/engine_thread.h"
#include "engine/core/lanes.h"
#include "engine/core/ni.h"
#include "engine/core/stamps.h"
#include "engine/drive/peer_down.h"
#include "engine/drive/thread.h"

/* The packets of one lane: of progress.c alone, in which all of it is inlined. */

enum {
    NI_LANE_BUDGET = 32,     /* packets of one lane before the others get their turn */
    NI_LANE_ROW = 4,         /* packets found in one poll, from which on more are fetched, */
    NI_LANE_FETCH = 4,       /* so many lines ahead of the one that is handed on, */
    NI_LANE_FETCH_MORE = 24, /* and up to so many more while they are there */
};

/* A row of packets in one poll says that they come faster than they are taken: then their lines are
 * fetched while these are handed on, rather than waited for one by one, the more the longer that
 * goes on. A line that is still to be written would be taken from its writer, who has claimed it.
 * Returns how far. */
NI_ALWAYS_INLINE uint32_t fetch(const struct ni_lane_rx *lane, uint32_t fetched, uint32_t row)
{
    uint32_t from = lane->tail + NI_LANE_FETCH;
    uint32_t end = from + (uint32_t)ni_min_u64(row, NI_LANE_FETCH_MORE);

    if ((int32_t)(fetched - from) < 0) { /* by longer packets */
        fetched = from;
    }
    while ((int32_t)(end - fetched) > 0) {
        __builtin_prefetch(ni_lane_line(lane, fetched++));
    }
    return fetched;
}

/* A packet was not taken. False: it stays, and is taken later. The lane may be gone. */
static NI_NOINLINE bool is_lane_lost(struct ni *ni, struct ni_lane_rx *lane, ni_status status)
{
    switch (status) {
    case NI_AGAIN:
        return false;
    case NI_ERR_NOMEM:
        return ni_packet_gives_up(ni, lane->peer, &lane->wait, lane->tail);
    case NI_ERR_CLOSED:
        return true;
    default:
        ni_lanes_break(ni, lane->peer);
        return true;
    }
}

/* The packet behind this one. Not `more`: only if it has come with this one's line. */
NI_ALWAYS_INLINE struct ni_packet *next_packet(struct ni_lane_rx *lane,
                                               const struct ni_packet *packet, bool more,
                                               uint64_t *word0)
{
    if (more) {
        return ni_lane_peek(lane, word0);
    }
    return lane->rode != 0 && packet != &lane->rider ? ni_lane_peek_rider(lane, word0) : NULL;
}

/* The packets of a lane, of which the first is there; slot is its place in ni->core.lanes. */
NI_ALWAYS_INLINE unsigned poll_packets(struct ni *ni, struct ni_lane_rx *lane, uint32_t slot,
                                       struct ni_packet *packet, uint64_t word0)
{
    unsigned events = 0, most = lane->most;
    uint32_t fetched = lane->tail;
    uint64_t bytes = 0;

    do {
        uint64_t word1 = packet->word1;
        ni_status status;

        if (events >= NI_LANE_ROW) {
            fetched = fetch(lane, fetched, events - NI_LANE_ROW);
        }
        status = take_packet(ni, lane, slot, packet, word0, word1);
        if (NI_UNLIKELY(status != NI_OK)) {
            if (!is_lane_lost(ni, lane, status)) {
                break;
            }
            return events + 1;
        }
        bytes += ni_packet_len(word1);
        events++;
    } while ((packet = next_packet(lane, packet, events < most, &word0)) != NULL);
    /* Where nothing was behind, one packet is taken next without a look further: where two sides
     * send to each other in turn, its line is about to be written, and asking for it then makes the
     * writer wait. */
    lane->most = events < most ? 1 : NI_LANE_BUDGET;
    if (events != 0) {
        ni_stat_add(&ni->stats.rx_packets, events);
        ni_stat_add(&ni->stats.rx_bytes, bytes);
        ni_lane_publish(lane);
    }
    return events;
}

/* Most lanes are empty at most looks: of many, these are what a poll takes. */
NI_ALWAYS_INLINE unsigned poll_lane(struct ni *ni, struct ni_lane_rx *lane, uint32_t slot)
{
    uint64_t word0;
    struct ni_packet *packet = ni_lane_peek(lane, &word0);

    if (packet == NULL) {
        lane->most = 1;
        return 0;
    }
    return poll_packets(ni, lane, slot, packet, word0);
}

/* The same for an engine thread whose NI has its callbacks on the caller: what would call somebody
 * waits for a caller. */
static ni_status arrive_back(struct ni *ni, struct ni_peer *peer, const struct ni_packet *packet,
                             uint64_t word0, uint64_t word1, const uint8_t *payload,
                             struct ni_lane_rx *lane)
{
    if (!ni_back_takes(ni, word0, word1)) {
        ni_engine_leave(ni->drive.engine);
        return NI_AGAIN;
    }
    return ni_arrive_any(ni, peer, packet, word0, word1, payload, lane);
}

static ni_status take_packet_back(struct ni *ni, struct ni_lane_rx *lane, uint32_t slot,
                                  const struct ni_packet *packet, uint64_t word0, uint64_t word1)
{
    const uint8_t *payload;
    uint32_t lines = ni_lane_check(lane, packet, word0, word1, &payload);
    ni_status status;

    if (lines == 0) {
        return ni_lane_refusal(lane);
    }
    step_over(lane, lines);
    status = arrive_back(ni, lane->peer, packet, word0, word1, payload, lane);
    return handed_on(ni, lane, slot, lines, status);
}

/* How one packet of a lane is handed on. */
typedef ni_status (*take_fn)(struct ni *ni, struct ni_lane_rx *lane, uint32_t slot,
                             const struct ni_packet *packet, uint64_t word0, uint64_t word1);

/* The same with its times, if it is of a peer's first lane: others carry parts only. */
NI_ALWAYS_INLINE ni_status take_stamped(struct ni *ni, struct ni_lane_rx *lane, uint32_t slot,
                                        const struct ni_packet *packet, uint64_t word0,
                                        uint64_t word1, take_fn take_it)
{
    struct ni_peer *peer = lane->peer;
    uint64_t id = lane == peer->lane ? ni_stamps_arrive(peer, word0, word1) : 0;
    ni_status status = take_it(ni, lane, slot, packet, word0, word1);

    if (status == NI_OK) {
        ni_stamps_deliver(ni, peer, id);
    }
    return status;
}

/* The packets of a lane one by one. */
NI_ALWAYS_INLINE unsigned poll_lane_by(struct ni *ni, struct ni_lane_rx *lane, uint32_t slot,
                                       take_fn take_it)
{
    unsigned events = 0;
    uint64_t word0, bytes = 0;
    struct ni_packet *packet;

    while (events < NI_LANE_BUDGET && (packet = ni_lane_peek(lane, &word0)) != NULL) {
        uint64_t word1 = packet->word1;
        ni_status status = NI_UNLIKELY(ni->stamps != NULL)
                               ? take_stamped(ni, lane, slot, packet, word0, word1, take_it)
                               : take_it(ni, lane, slot, packet, word0, word1);

        if (status != NI_OK) {
            if (!is_lane_lost(ni, lane, status)) {
                break;
            }
            return events + 1;
        }
        bytes += ni_packet_len(word1);
        events++;
    }
    if (events != 0) {
        ni_stat_add(&ni->stats.rx_packets, events);
        ni_stat_add(&ni->stats.rx_bytes, bytes);
        ni_lane_publish(lane);
    }
    return events;
}

static unsigned poll_lane_back(struct ni *ni, struct ni_lane_rx *lane, uint32_t slot)
{
    return poll_lane_by(ni, lane, slot, take_packet_back);
}

/* Of an NI that stamps. */
static NI_COLD unsigned poll_lane_stamped(struct ni *ni, struct ni_lane_rx *lane, uint32_t slot)
{
    return poll_lane_by(ni, lane, slot, take_any);
}

#endif
