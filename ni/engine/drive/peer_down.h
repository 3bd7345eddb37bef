/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_PEER_DOWN_H
#define NI_ENGINE_PEER_DOWN_H

#include "engine/core/ni.h"
#include "engine/core/peer.h"

/* The loss of a peer, which polling finds out. The progress lock is held. */

/* The link's: see struct ni_core_ops. */
void ni_peer_ended(void *core, struct ni_peer *peer, ni_status status);
void ni_lane_gone(void *core, struct ni_lane_rx *lane);

/* The same for other causes: its link may name it still. */
void ni_peer_down(struct ni *ni, struct ni_peer *peer, ni_status status);

/* The NI opens. */
void ni_peers_register(struct ni *ni);
/* Nothing names the peer, or the NI closes: it is freed, with all that folders have of it. */
void ni_peer_end(struct ni_peer *peer);
/* Complete all operations with a status, but not those that callbacks start meanwhile. Not while
 * another thread is starting one. No lock is held. */
void ni_peer_complete_all(struct ni_peer *peer, ni_status status);
/* Complete what could not be completed when peers went down. */
void ni_peers_settle(struct ni *ni);
/* The same for those of which no callback tells. An engine thread whose NI has its callbacks on the
 * caller. */
void ni_peers_settle_silently(struct ni *ni);
/* Give back the endpoints of peers that are down, so that also those that broke the protocol learn
 * that nobody listens; and free those that the program has forgotten and that nothing names. Nobody
 * is in a callback of a poll. */
void ni_peers_sever(struct ni *ni);
/* A packet broke the protocol: nothing more is read from this peer. */
NI_COLD void ni_lanes_break(struct ni *ni, struct ni_peer *peer);
/* Something of this peer has to wait for want of memory. If it has for longer than memory_wait_ms,
 * the peer goes down, and this returns true. */
NI_COLD bool ni_packet_gives_up(struct ni *ni, struct ni_peer *peer, struct ni_memory_wait *wait,
                                uint64_t what);

#endif
