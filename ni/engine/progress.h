/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_PROGRESS_H
#define NI_ENGINE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/ni.h"
#include "engine/peer.h"
#include "link/packet.h"

/* Take the turn, waiting for it; true if it was not ours already (then give it back). */
bool ni_turn_take(struct ni *ni);
void ni_turn_give(struct ni *ni, bool taken);
/* Whether we have it; in an NI without threads, always. */
bool ni_turn_is_ours(const struct ni *ni);
/* What a waiter does after so many empty polls in a row: spin, yield, sleep at most limit_us. */
void ni_relax(struct ni *ni, unsigned empty_polls, uint64_t limit_us);

/* A packet outside of a lane; called by the link: see struct ni_core_ops. */
ni_status ni_deliver(void *core, struct ni_peer *peer, const struct ni_packet *packet, size_t room);

#endif
