/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_PROGRESS_H
#define NI_ENGINE_PROGRESS_H

/*
 * The folder drive: who polls, who waits, and where the engine runs: in the program's threads, in
 * one of its own, or divided. It knows all below it. Called by the program and by the engine
 * thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/core/ni.h"
#include "engine/core/peer.h"
#include "engine/drive/thread.h"
#include "link/packet.h"

/* All of one round. The progress lock is ours. */
unsigned ni_poll_all(struct ni *ni);
/* The parts of polling, for where an engine thread shares it (front.c, back.c). The progress lock
 * is ours. The packets of all lanes; _back: up to one that the engine thread must not take. */
unsigned ni_lanes_poll(struct ni *ni);
unsigned ni_lanes_poll_back(struct ni *ni);
/* What is under way goes on, as far as `what` names it: a round of polling does all of it, an
 * engine thread and its callers share it. */
enum ni_move {
    NI_MOVE_BULK = 1 << 0,  /* long transfers */
    NI_MOVE_SEND = 1 << 1,  /* what waits for room */
    NI_MOVE_SHORT = 1 << 2, /* the same without segments of streams */
    NI_MOVE_PORTALS = 1 << 3,
    NI_MOVE_ALL = NI_MOVE_BULK | NI_MOVE_SEND | NI_MOVE_PORTALS,
};
unsigned ni_move(struct ni *ni, unsigned what);
/* What waits until nobody is in a callback; with the regions that are looked at, or without. */
unsigned ni_tidy(struct ni *ni, bool regions);
/* There was nothing to do. */
void ni_idle(struct ni *ni);

/* What a waiter does after so many empty polls in a row: spin, yield, sleep at most limit_us. */
void ni_relax(struct ni *ni, unsigned empty_polls, uint64_t limit_us);

/* A packet outside of a lane; called by the link: see struct ni_core_ops. */
ni_status ni_deliver(void *core, struct ni_peer *peer, const struct ni_packet *packet, size_t room);

#endif
