/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_LIFE_H
#define NI_ENGINE_LIFE_H

/*
 * The folder life: how an NI and its peers begin and end: open, connect, fork, and the loss of a
 * peer. It knows all of the engine. Called by the program and by the links.
 */

#include "engine/core/ni.h"
#include "engine/core/peer.h"

/* Complete all operations with a status, but not those that callbacks start meanwhile. Not while
 * another thread is starting one. No lock is held. */
void ni_peer_complete_all(struct ni_peer *peer, ni_status status);
/* Complete what could not be completed when peers went down. */
void ni_peers_settle(struct ni *ni);
/* The same for those of which no callback tells. An engine thread whose NI has its callbacks on the
 * caller. */
void ni_peers_settle_silently(struct ni *ni);
/* Give back the endpoints of peers that are down, so that also those that broke the protocol learn
 * that nobody listens. Nobody is in a callback. */
void ni_peers_sever(struct ni *ni);

/* From now on, and no longer: in a forked child the NI is found to be `forked`. Any thread. */
void ni_fork_watch(struct ni *ni);
void ni_fork_unwatch(struct ni *ni);
/* Forks stop its engine thread for a while; no longer, because it is about to end. */
void ni_fork_forget_engine(struct ni *ni);

#endif
