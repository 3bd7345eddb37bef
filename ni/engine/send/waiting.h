/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_WAITING_H
#define NI_ENGINE_WAITING_H

#include <stdbool.h>

#include "base/list.h"
#include "engine/core/engine_thread.h"
#include "engine/core/ni.h"
#include "engine/core/peer.h"
#include "engine/core/source.h"

/* What waits for room towards a peer, by its source (source.h). The peer's lock is held, but for
 * ni_send_progress. */

#define NI_SOURCE_BIT(source) (UINT32_C(1) << (source))
#define NI_SOURCES_OF_DATA    (NI_SOURCE_BIT(NI_SOURCE_PUTS) | NI_SOURCE_BIT(NI_SOURCE_STREAMS))

/* So many packets pass a Read request that waits for room, then it goes before data, so that a
 * steady stream of Writes does not hold it up for ever. Nor does data that waits for something else
 * than a line: so often it may have its turn in vain. */
enum { NI_REQUEST_PASSED = 8, NI_REQUEST_TURNS = 64 };

/* Whether something of a source's waits. */
NI_ALWAYS_INLINE bool ni_source_pending(const struct ni_peer *peer, enum ni_source source)
{
    return (peer->waiting & NI_SOURCE_BIT(source)) != 0;
}

/* A source has something that waits: have progress look after it. Each line of stores comes here,
 * so it is inline. */
static inline void ni_source_raise(struct ni_peer *peer, enum ni_source source)
{
    struct ni *ni = peer->ni;

    ni_peer_wait_for(peer, NI_SOURCE_BIT(source));
    ni_lock_take(&ni->lock, ni->threads);
    ni_work_add(&ni->send.busy, &peer->send.busy);
    ni_lock_give(&ni->lock, ni->threads);
    if (NI_UNLIKELY(ni->threads)) { /* as every NI with a back end has */
        ni_engine_kick(ni);
    }
}

/* It has nothing left. Progress finds out when it looks at the peer next. */
NI_ALWAYS_INLINE void ni_source_lower(struct ni_peer *peer, enum ni_source source)
{
    ni_peer_wait_no_more(peer, NI_SOURCE_BIT(source));
}

/* Whether a Read that waits may not be passed any more. */
static inline bool ni_request_is_due(const struct ni_peer *peer)
{
    return ni_source_pending(peer, NI_SOURCE_REQUESTS) &&
           (peer->send.passed >= NI_REQUEST_PASSED || peer->send.turns >= NI_REQUEST_TURNS);
}

/* Have what waits sent, and dropped, by these. */
static inline void ni_source_register(struct ni *ni, enum ni_source source,
                                      const struct ni_source_ops *ops)
{
    ni->send.sources[source] = ops;
}

/* Send what waits and comes before a source; whether that may send then, and has nothing that waits
 * itself. */
bool ni_send_before(struct ni_peer *peer, enum ni_source source);

/* Send what waits; whether a message may go then, which passes Reads. */
bool ni_send_turn(struct ni_peer *peer);

/* The NI opens. No lock is held. */
void ni_send_register(struct ni *ni);

/* Let what waits for all peers go on. No lock is held. */
unsigned ni_send_progress(struct ni *ni);
/* The same without segments of streams. */
unsigned ni_send_progress_short(struct ni *ni);

#endif
