/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_PROBE_H
#define NI_ENGINE_PROBE_H

#include <stdint.h>

#include "engine/core/peer.h"

/* Now and then, ask how far a peer is. Called at each idle poll with the peer sent to last; no lock
 * is held. */
void ni_probe_idle(struct ni *ni, struct ni_peer *peer);
/* Learn it from the credits of the lane to the peer, if it has given some since they were last
 * loaded. There is a lane; its lock is held, and we have the progress lock. */
void ni_probe_credits(struct ni_peer *peer);
/* Likewise before a long payload is copied for it behind others that wait for room, some times at
 * first: where one side streams and the other takes, none is idle long enough for a probe. The
 * peer's lock is not held, the progress lock is. */
void ni_probe_first(struct ni_peer *peer);
/* A probe of the peer's, or the answer to one of ours. */
void ni_probe_arrive(struct ni_peer *peer, uint16_t tag, uint64_t stamp);

#endif
