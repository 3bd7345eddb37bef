/* SPDX-License-Identifier: BSD-3-Clause */
#include <apeni/ni.h>

#include "engine/bulk/throttle.h"
#include "engine/arrive/arrive.h"
#include "engine/bulk/pull_request.h"
#include "engine/bulk/copy.h"
#include "engine/core/counts.h"
#include "engine/core/engine_thread.h"
#include "engine/core/progress_lock.h"
#include "engine/drive/peer_down.h"
#include "engine/send/fast.h"
#include "engine/bulk/shared_copy_in.h"
#include "engine/core/lanes.h"
#include "engine/object/queue/multi.h"
#include "engine/core/ni.h"
#include "engine/core/peer.h"
#include "engine/send/probe.h"
#include "engine/drive/progress.h"
#include "engine/object/queue/queue.h"
#include "engine/core/regions.h"
#include "engine/core/stamps.h"
#include "engine/arrive/take.h"
#include "engine/drive/thread.h"
#include "engine/send/waiting.h"

/*
 * Polling. One thread at a time has the progress lock; others that ask find it taken and go on.
 * Callbacks may call ni_progress again.
 */

enum {
    NI_LANE_BUDGET = 32,     /* packets of one lane before the others get their turn */
    NI_LANE_ROW = 4,         /* packets found in one poll, from which on more are fetched, */
    NI_LANE_FETCH = 4,       /* so many lines ahead of the one that is handed on, */
    NI_LANE_FETCH_MORE = 24, /* and up to so many more while they are there */
};

/* ---- packets --------------------------------------------------------------------------------- */

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
            if (status == NI_AGAIN) {
                break;
            }
            if (status != NI_ERR_CLOSED) {
                ni_lanes_break(ni, lane->peer);
            }
            return events + 1;
        }
        bytes += ni_packet_len(word1);
        events++;
    } while (events < most && (packet = ni_lane_peek(lane, &word0)) != NULL);
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

        if (status == NI_AGAIN) {
            break;
        }
        if (status != NI_OK) {
            if (status != NI_ERR_CLOSED) {
                ni_lanes_break(ni, lane->peer);
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

ni_status ni_deliver(void *core, struct ni_peer *peer, const struct ni_packet *packet, size_t room)
{
    struct ni *ni = core;
    uint64_t word0 = atomic_load_explicit(&packet->word0, memory_order_relaxed);
    uint64_t word1 = packet->word1;
    unsigned head = ni_packet_head(word0);
    uint32_t len = ni_packet_len(word1);
    ni_status status = NI_ERR_PROTOCOL;
    uint64_t id = 0;

    if (ni_peer_state(peer) != NI_OK) {
        return NI_OK; /* nothing more is heard from it */
    }
    if (NI_UNLIKELY(peer->stamps != NULL)) {
        id = ni_stamps_arrive(peer, word0, word1);
    }
    if (head >= NI_PACKET_HEADER && head <= NI_LINE && (uint64_t)head + len <= room &&
        !ni_packet_in_bulk(word0)) {
        status =
            NI_UNLIKELY(ni_engine_defers(ni))
                ? arrive_back(ni, peer, packet, word0, word1, (const uint8_t *)packet + head, NULL)
                : ni_arrive(ni, peer, packet, word0, word1, (const uint8_t *)packet + head, NULL);
    }
    if (status == NI_OK) {
        ni_stat_add(&ni->stats.rx_packets, 1);
        ni_stat_add(&ni->stats.rx_bytes, len);
        if (id != 0) {
            ni_stamps_deliver(ni, peer, id);
        }
    } else if (status != NI_AGAIN) {
        ni_lanes_break(ni, peer);
    }
    return status;
}

/* ---- progress -------------------------------------------------------------------------------- */

/* Nothing to do: have the lines at hand that the next packet will be written to. */
NI_ALWAYS_INLINE void idle(struct ni *ni)
{
    struct ni_peer *peer = atomic_load_explicit(&ni->send.warm, memory_order_relaxed);

    if (NI_UNLIKELY(ni->ahead != 0)) {
        ni->portal_ops->ahead(ni);
    }
    if (peer == NULL || (ni->threads && !ni_lock_try(&peer->lock))) {
        return;
    }
    if (peer->ep != NULL && peer->ep->tx.lines != NULL) {
        ni_lane_warm(&peer->ep->tx);
        if (peer->ep->tx.seq != peer->ep->tx.counted) {
            ni_peer_count_sent(peer);
        }
    }
    ni_lock_give(&peer->lock, ni->threads);
    ni_probe_idle(ni, peer);
}

/* What is under way; heard: packets have come in this pass. */
static NI_NOINLINE unsigned work(struct ni *ni, bool heard)
{
    unsigned events = 0;

    if (ni_work_count(&ni->bulk.requests) != 0) {
        events += ni_pull_request_progress(ni);
    }
    if ((ni_work_count(&ni->bulk.copying) | ni_work_count(&ni->bulk.shared_in)) != 0) {
        if (heard) {
            ni_throttle_hear(ni);
        }
        events += ni_copy_progress(ni) + ni_shared_copy_in_progress(ni);
    }
    if (ni_work_count(&ni->send.busy) != 0) {
        events += ni_send_progress(ni);
    }
    if (ni_work_count(&ni->portal_work) != 0) {
        events += ni->portal_ops->progress(ni);
    }
    return events;
}

NI_ALWAYS_INLINE unsigned progress(struct ni *ni, bool stamped)
{
    unsigned events = ni->link->ops->progress(ni->link);

    for (uint32_t i = 0; i < ni->core.lane_count; i++) {
        if (NI_LIKELY(ni->core.lanes[i] != NULL)) {
            events += stamped ? poll_lane_stamped(ni, ni->core.lanes[i], i)
                              : poll_lane(ni, ni->core.lanes[i], i);
        }
    }
    if (NI_UNLIKELY((ni_work_count(&ni->bulk.requests) | ni_work_count(&ni->bulk.copying) |
                     ni_work_count(&ni->bulk.shared_in) | ni_work_count(&ni->send.busy) |
                     ni_work_count(&ni->portal_work)) != 0)) {
        events += work(ni, events != 0);
    }
    return events;
}

/* What waits until nobody is in a callback. */
static NI_NOINLINE unsigned tidy(struct ni *ni)
{
    unsigned events = 0;

    if ((ni->untidy & (NI_UNTIDY_LANES | NI_UNTIDY_PEERS)) != 0) {
        ni_lanes_compact(ni);
        ni_peers_sever(ni);
    }
    if ((ni->untidy & NI_UNTIDY_QUEUES) != 0) {
        events += ni_multis_progress(ni);
    }
    if ((ni->untidy & NI_UNTIDY_COMMANDS) != 0) {
        events += ni->command_ops->progress(ni);
    }
    if ((ni->untidy & NI_UNTIDY_QPS) != 0) {
        events += ni->qp_ops->progress(ni);
    }
    if ((ni->untidy & NI_UNTIDY_ASYNC) != 0) {
        ni->untidy &= ~(uint32_t)NI_UNTIDY_ASYNC;
        ni_async_progress_begin(ni);
        events++; /* from now on the progress lock, which is not ours, guards what idle polls do */
    }
    return events;
}

unsigned ni_lanes_poll(struct ni *ni)
{
    unsigned events = 0;

    for (uint32_t i = 0; i < ni->core.lane_count; i++) {
        if (ni->core.lanes[i] != NULL) {
            events += NI_UNLIKELY(ni->stamps != NULL) ? poll_lane_stamped(ni, ni->core.lanes[i], i)
                                                      : poll_lane(ni, ni->core.lanes[i], i);
        }
    }
    return events;
}

unsigned ni_lanes_poll_back(struct ni *ni)
{
    unsigned events = 0;

    for (uint32_t i = 0; i < ni->core.lane_count; i++) {
        if (ni->core.lanes[i] != NULL) {
            events += poll_lane_back(ni, ni->core.lanes[i], i);
        }
    }
    return events;
}

unsigned ni_tidy(struct ni *ni, bool regions)
{
    if (regions) {
        return ni->untidy != 0 ? tidy(ni) : 0;
    }
    if ((ni->untidy & (NI_UNTIDY_LANES | NI_UNTIDY_PEERS)) != 0) {
        ni_lanes_compact(ni);
        ni_peers_sever(ni);
    }
    return 0;
}

void ni_idle(struct ni *ni)
{
    idle(ni);
}

NI_ALWAYS_INLINE unsigned progress_single(struct ni *ni, bool stamped)
{
    unsigned events;

    ni->depth++;
    events = progress(ni, stamped);
    if (--ni->depth == 0 && NI_UNLIKELY(ni->untidy != 0)) {
        events += tidy(ni);
    }
    if (events == 0) {
        idle(ni);
    }
    return events;
}

NI_ALWAYS_INLINE unsigned poll_all(struct ni *ni, bool stamped)
{
    unsigned events = progress_single(ni, stamped);

    ni_peers_settle(ni);
    return events;
}

unsigned ni_poll_all(struct ni *ni)
{
    return NI_UNLIKELY(ni->stamps != NULL) ? poll_all(ni, true) : poll_all(ni, false);
}

/* Of an NI with threads: as one of them. */
NI_ALWAYS_INLINE unsigned progress_threads(struct ni *ni, bool stamped)
{
    bool nested = ni_progress_lock_is_held(ni);
    unsigned events;

    if (!nested && !ni_progress_lock_try(ni)) {
        return 0;
    }
    if (ni->drive.engine != NULL) {
        ni_engine_polled(ni->drive.engine);
    }
    events = poll_all(ni, stamped);
    ni_progress_lock_give(ni, !nested);
    return events;
}

static NI_NOINLINE unsigned progress_by_case(struct ni *ni)
{
    if (ni->forked) {
        return 0;
    }
    if ((ni->poll_cases & NI_POLL_ENGINE) != 0) {
        return ni_front_progress(ni);
    }
    return ni->threads ? progress_threads(ni, true) : progress_single(ni, true);
}

unsigned ni_progress(struct ni *ni)
{
    if (NI_UNLIKELY(ni->poll_cases != 0)) {
        return progress_by_case(ni);
    }
    return NI_LIKELY(!ni->threads) ? progress_single(ni, false) : progress_threads(ni, false);
}
