/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/core/deferred.h"
#include "engine/core/engine_thread.h"
#include "engine/core/noting.h"
#include "engine/core/peer_ops.h"
#include "engine/send/multipath.h"
#include "engine/send/unacked.h"
#include "engine/send/waiting.h"
#include "link/lane_inl.h"

/*
 * What waits for room, in the order of its sources. A segment of a stream leaves in turn with
 * messages: here a long transfer holds up a message by one segment, and a flood of messages holds
 * up no long transfer. What is in the lane already, a bulk area full of segments at most, comes
 * before either. A Read request waits until no data does, or until so many packets have passed it.
 */

enum {
    ALL = (1 << NI_SOURCES) - 1,
    SHORT = ALL & ~(1 << NI_SOURCE_STREAMS),
    NO_REQUESTS = ALL & ~(1 << NI_SOURCE_REQUESTS),
};

/* Whose turn it is of those that are left. */
static unsigned next_source(const struct ni_peer *peer, uint32_t left)
{
    unsigned source = (unsigned)__builtin_ctz(left);

    if ((NI_SOURCE_BIT(source) & NI_SOURCES_OF_DATA) != 0 &&
        (left & NI_SOURCE_BIT(NI_SOURCE_REQUESTS)) != 0 && ni_request_is_due(peer)) {
        return NI_SOURCE_REQUESTS;
    }
    return source;
}

/* Let those sources send, in order; false: some wait still, and nothing behind them goes. */
static bool send_sources(struct ni_peer *peer, uint32_t which, unsigned *sent)
{
    uint32_t left = peer->waiting & which;

    while (left != 0) {
        unsigned source = next_source(peer, left);

        if (!peer->ni->send.sources[source]->send(peer, sent)) {
            return false;
        }
        /* Nobody has two turns. */
        which &= source == NI_SOURCE_REQUESTS ? NO_REQUESTS : ~UINT32_C(1) << source;
        left = peer->waiting & which;
    }
    return true;
}

bool ni_send_before(struct ni_peer *peer, enum ni_source source)
{
    uint32_t before = NI_SOURCE_BIT(source) - 1;
    unsigned sent = 0;

    return send_sources(peer, before, &sent) &&
           (peer->waiting & (before | NI_SOURCE_BIT(source))) == 0;
}

bool ni_send_turn(struct ni_peer *peer)
{
    unsigned sent = 0;

    if (!ni_peer_waits(peer)) {
        return true;
    }
    /* What this is about is data, too, and passes Reads. */
    (void)send_sources(peer, ni_request_is_due(peer) ? ALL : NO_REQUESTS, &sent);
    return (peer->waiting & SHORT & NO_REQUESTS) == 0 && !ni_request_is_due(peer) &&
           (!ni_source_pending(peer, NI_SOURCE_STREAMS) || peer->send.overtake);
}

/* Forget all that waits. The peer's lock is held. */
static void drop_sources(struct ni_peer *peer)
{
    struct ni *ni = peer->ni;

    for (unsigned source = 0; source < NI_SOURCES; source++) {
        if (ni_source_pending(peer, source)) {
            ni->send.sources[source]->drop(peer, ni_peer_state(peer));
            ni_source_lower(peer, source);
        }
    }
    ni_lock_take(&ni->lock, ni->threads);
    ni_work_remove(&ni->send.busy, &peer->send.busy);
    ni_lock_give(&ni->lock, ni->threads);
}

/* Nothing looks at its lane while it has nothing to do. */
static void send_cool(struct ni_peer *peer)
{
    struct ni_peer *warm = peer;

    (void)atomic_compare_exchange_strong_explicit(&peer->ni->send.warm, &warm, NULL,
                                                  memory_order_relaxed, memory_order_relaxed);
}

static void send_down(struct ni_peer *peer)
{
    ni_lock_take(&peer->lock, peer->threads);
    drop_sources(peer);
    ni_unacked_forget(peer);
    ni_lock_give(&peer->lock, peer->threads);
    send_cool(peer);
}

/* The operation of Writes without an ack ends with the others. */
static void send_complete(struct ni_peer *peer, ni_status status)
{
    (void)status;
    ni_lock_take(&peer->lock, peer->threads);
    ni_unacked_forget(peer);
    ni_lock_give(&peer->lock, peer->threads);
}

static void send_free(struct ni_peer *peer)
{
    send_cool(peer); /* a thread in a call may have warmed its lane when it went down */
    ni_multipath_free(peer);
}

void ni_send_register(struct ni *ni)
{
    static const struct ni_peer_ops ops = {
        .down = send_down, .complete = send_complete, .free = send_free};

    ni_peer_ops_register(ni, NI_FOLDER_SEND, &ops);
}

/* Departures and what is deferred may call the program, which an engine thread whose NI has its
 * callbacks on the caller leaves to a caller. */
static unsigned do_others(struct ni *ni)
{
    bool some;

    if (NI_LIKELY(!ni_engine_defers(ni))) {
        return ni_noting_deliver(ni) + ni_deferred_calls_run(ni);
    }
    ni_lock_take(&ni->lock, true);
    some = !ni_list_empty(&ni->core.departed) || !ni_list_empty(&ni->core.deferred);
    ni_lock_give(&ni->lock, true);
    if (some) {
        ni_engine_leave(ni->drive.engine);
    }
    return 0;
}

/* Nothing has left. Where there was a line, a Read waits for what waits for something else. */
static void count_turn(struct ni_peer *peer)
{
    if (ni_source_pending(peer, NI_SOURCE_REQUESTS) &&
        (peer->ep == NULL || peer->ep->tx.lines == NULL || ni_lane_room(&peer->ep->tx, 1))) {
        peer->send.turns++;
    }
}

static unsigned send_to_all(struct ni *ni, uint32_t which)
{
    unsigned sent = do_others(ni), before;
    struct ni_list *node;

    ni_lock_take(&ni->lock, ni->threads);
    node = ni->send.busy.items.next;
    while (node != &ni->send.busy.items) {
        struct ni_peer *peer = ni_container_of(node, struct ni_peer, send.busy);

        ni_lock_give(&ni->lock, ni->threads);
        ni_lock_take(&peer->lock, peer->threads);
        before = sent;
        (void)send_sources(peer, which, &sent);
        if (sent == before) {
            count_turn(peer);
        }
        ni_lock_take(&ni->lock, ni->threads);
        node = node->next;
        if (!ni_peer_waits(peer)) {
            ni_work_remove(&ni->send.busy, &peer->send.busy);
        }
        ni_lock_give(&peer->lock, peer->threads);
    }
    ni_lock_give(&ni->lock, ni->threads);
    return sent;
}

unsigned ni_send_progress(struct ni *ni)
{
    return send_to_all(ni, ALL);
}

unsigned ni_send_progress_short(struct ni *ni)
{
    return send_to_all(ni, SHORT);
}
