/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/core/deferred.h"
#include "engine/core/engine_thread.h"
#include "engine/send/control.h"
#include "engine/object/notify/note.h"
#include "engine/core/portal_ops.h"
#include "engine/send/quiet.h"
#include "engine/object/store/stores.h"
#include "engine/send/stream.h"
#include "engine/send/waiting.h"

/*
 * What waits for room. An open line of remote stores goes first, since all that comes after it in
 * the program comes after it at the peer. Then control packets, since others wait for them; then
 * puts, so that they stay in order; then a segment of a stream, in turn with messages: here a long
 * transfer holds up a message by one segment, and a flood of messages holds up no long transfer.
 * What is in the lane already, a bulk area full of segments at most, comes before either.
 */

enum {
    NI_PUTS_IN_A_ROW = 8, /* then a segment of a stream */
};

void ni_send_queue_put(struct ni_peer *peer, struct ni_list *put)
{
    ni_list_push_back(&peer->put_queue, put);
    ni_send_later(peer);
}

/* Puts go in the order in which they were made. */
static unsigned send_puts(struct ni_peer *peer)
{
    unsigned sent = 0;

    while (!ni_list_empty(&peer->put_queue) && sent < NI_PUTS_IN_A_ROW &&
           peer->ni->portal_ops->send_first(peer) == NI_OK) {
        sent++;
    }
    return sent;
}

/* Stores, questions about them and about Writes, control packets and puts; false: some wait still,
 * and nothing else goes. */
static bool send_short(struct ni_peer *peer, unsigned *sent)
{
    if (peer->stored != 0 && ni_stores_send(peer) != NI_OK) {
        return false;
    }
    if (NI_UNLIKELY(peer->store_asks) && !ni_stores_ask_again(peer)) {
        return false;
    }
    if (NI_UNLIKELY(peer->quiet_asks) && !ni_quiet_ask_again(peer)) {
        return false;
    }
    *sent += ni_control_send_waiting(peer);
    if (!ni_list_empty(&peer->controls)) {
        return false;
    }
    *sent += send_puts(peer);
    return true;
}

unsigned ni_send_waiting(struct ni_peer *peer)
{
    unsigned sent = 0;

    return send_short(peer, &sent) ? sent + ni_stream_send_next(peer) : sent;
}

bool ni_send_turn(struct ni_peer *peer)
{
    if (!ni_peer_waits(peer)) {
        return true;
    }
    (void)ni_send_waiting(peer);
    return peer->stored == 0 && ni_list_empty(&peer->controls) && ni_list_empty(&peer->put_queue) &&
           (ni_list_empty(&peer->streams) || peer->overtake);
}

/* Departures and what is deferred may call the program, which the engine thread of a quiet NI
 * leaves to a caller. */
static unsigned do_others(struct ni *ni)
{
    bool some;

    if (NI_LIKELY(!ni_engine_defers(ni))) {
        return ni_note_deliver(ni) + ni_deferred_calls_run(ni);
    }
    ni_lock_take(&ni->lock, true);
    some = !ni_list_empty(&ni->departed) || !ni_list_empty(&ni->deferred);
    ni_lock_give(&ni->lock, true);
    if (some) {
        ni_engine_leave(ni->engine);
    }
    return 0;
}

static unsigned send_all(struct ni *ni, bool streams)
{
    unsigned sent = do_others(ni);
    struct ni_list *node;

    ni_lock_take(&ni->lock, ni->threads);
    node = ni->busy.items.next;
    while (node != &ni->busy.items) {
        struct ni_peer *peer = ni_container_of(node, struct ni_peer, busy);

        ni_lock_give(&ni->lock, ni->threads);
        ni_lock_take(&peer->lock, peer->threads);
        if (streams) {
            sent += ni_send_waiting(peer);
        } else {
            (void)send_short(peer, &sent);
        }
        ni_lock_take(&ni->lock, ni->threads);
        node = node->next;
        if (!ni_peer_waits(peer)) {
            ni_work_remove(&ni->busy, &peer->busy);
        }
        ni_lock_give(&peer->lock, peer->threads);
    }
    ni_lock_give(&ni->lock, ni->threads);
    return sent;
}

unsigned ni_send_progress(struct ni *ni)
{
    return send_all(ni, true);
}

unsigned ni_send_progress_short(struct ni *ni)
{
    return send_all(ni, false);
}
