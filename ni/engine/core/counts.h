/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_COUNTS_H
#define NI_ENGINE_COUNTS_H

#include "engine/core/ni.h"
#include "engine/core/peer.h"

/* Have the statistics count what has left through the peer's lane: its position says how many
 * packets, so that sending one pays an addition for it. The peer's lock is held. */
void ni_peer_count_sent(struct ni_peer *peer);
/* Of all peers but those in use by other threads. The NI's lock is not held. */
void ni_peers_count_sent(struct ni *ni);

#endif
