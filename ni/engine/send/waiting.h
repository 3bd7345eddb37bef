/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_WAITING_H
#define NI_ENGINE_WAITING_H

#include <stdbool.h>

#include "base/list.h"
#include "engine/core/engine_thread.h"
#include "engine/core/ni.h"
#include "engine/core/peer.h"

/* What waits for room towards a peer: control packets, puts, streams. The peer's lock is held, but
 * for ni_send_progress. */

/* One more waits in one of the peer's lists: have progress look after it. Each line of stores comes
 * here, so it is inline. */
static inline void ni_send_later(struct ni_peer *peer)
{
    struct ni *ni = peer->ni;

    peer->waiting++;
    ni_lock_take(&ni->lock, ni->threads);
    ni_work_add(&ni->busy, &peer->busy);
    ni_lock_give(&ni->lock, ni->threads);
    if (NI_UNLIKELY(ni->threads)) { /* as every NI with a back end has */
        ni_engine_kick(ni);
    }
}

/* Have a put sent when there is room. */
void ni_send_queue_put(struct ni_peer *peer, struct ni_list *put);

/* Send what waits for one peer, as far as there is room. Returns packets sent. */
unsigned ni_send_waiting(struct ni_peer *peer);

/* Send what waits; whether something else may go then. */
bool ni_send_turn(struct ni_peer *peer);

/* Let what waits for all peers go on. No lock is held. */
unsigned ni_send_progress(struct ni *ni);
/* The same without segments of streams. */
unsigned ni_send_progress_short(struct ni *ni);

#endif
