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
#include "engine/drive/poll_lane.h"
#include "engine/drive/progress.h"
#include "engine/object/queue/queue.h"
#include "engine/core/regions.h"
#include "engine/core/stamps.h"
#include "engine/drive/thread.h"
#include "engine/send/waiting.h"

/*
 * Polling. One thread at a time has the progress lock; others that ask find it taken and go on.
 * Callbacks may call ni_progress again.
 */

/* ---- packets --------------------------------------------------------------------------------- */

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
        peer->drive.packet.since = 0;
        ni_stat_add(&ni->stats.rx_packets, 1);
        ni_stat_add(&ni->stats.rx_bytes, len);
        if (id != 0) {
            ni_stamps_deliver(ni, peer, id);
        }
    } else if (status == NI_ERR_NOMEM) {
        /* Nothing more is heard from who is given up. */
        status = ni_packet_gives_up(ni, peer, &peer->drive.packet, 0) ? NI_OK : NI_AGAIN;
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

/* Some of what is under way (enum ni_move); heard: packets have come in this pass. */
NI_ALWAYS_INLINE unsigned move(struct ni *ni, unsigned what, bool heard)
{
    unsigned events = 0;

    if ((what & NI_MOVE_BULK) != 0) {
        if (ni_work_count(&ni->bulk.requests) != 0) {
            events += ni_pull_request_progress(ni);
        }
        if ((ni_work_count(&ni->bulk.copying) | ni_work_count(&ni->bulk.shared_in)) != 0) {
            if (heard) {
                ni_throttle_hear(ni);
            }
            events += ni_copy_progress(ni) + ni_shared_copy_in_progress(ni);
        }
    }
    if ((what & (NI_MOVE_SEND | NI_MOVE_SHORT)) != 0 && ni_work_count(&ni->send.busy) != 0) {
        events += (what & NI_MOVE_SEND) != 0 ? ni_send_progress(ni) : ni_send_progress_short(ni);
    }
    if ((what & NI_MOVE_PORTALS) != 0 && ni_work_count(&ni->portal_work) != 0) {
        events += ni->portal_ops->progress(ni);
    }
    return events;
}

static NI_NOINLINE unsigned move_under_way(struct ni *ni, bool heard)
{
    return move(ni, NI_MOVE_ALL, heard);
}

unsigned ni_move(struct ni *ni, unsigned what)
{
    return move(ni, what, false);
}

NI_ALWAYS_INLINE unsigned poll_lanes(struct ni *ni, bool stamped, unsigned events)
{
    for (uint32_t i = 0; i < ni->core.lane_count; i++) {
        if (NI_LIKELY(ni->core.lanes[i] != NULL)) {
            events += stamped ? poll_lane_stamped(ni, ni->core.lanes[i], i)
                              : poll_lane(ni, ni->core.lanes[i], i);
        }
    }
    return events;
}

NI_ALWAYS_INLINE unsigned progress(struct ni *ni, bool stamped)
{
    unsigned events = poll_lanes(ni, stamped, ni->link->ops->progress(ni->link));

    if (NI_UNLIKELY(ni_to_move(ni) != 0)) {
        events += move_under_way(ni, events != 0);
    }
    return events;
}

static void tidy_lanes(struct ni *ni)
{
    if ((ni->untidy & (NI_UNTIDY_LANES | NI_UNTIDY_PEERS)) != 0) {
        ni_lanes_compact(ni);
        ni_peers_sever(ni);
    }
}

/* What waits until nobody is in a callback. */
static NI_NOINLINE unsigned tidy(struct ni *ni)
{
    unsigned events = 0;

    tidy_lanes(ni);
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
    return NI_UNLIKELY(ni->stamps != NULL) ? poll_lanes(ni, true, 0) : poll_lanes(ni, false, 0);
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
    tidy_lanes(ni);
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
