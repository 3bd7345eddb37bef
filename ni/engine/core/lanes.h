/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_LANES_H
#define NI_ENGINE_LANES_H

#include "base/compiler.h"
#include "engine/core/ni.h"
#include "engine/core/peer.h"
#include "link/lane.h"

/* The lanes that progress polls: ni->core.lanes. The progress lock is held. */

/* A lane is not polled any more, and goes away. */
void ni_lane_remove(struct ni *ni, struct ni_lane_rx *lane);
/* What the link calls: see struct ni_core_ops. */
ni_status ni_lane_add(void *core, struct ni_lane_rx *lane);
bool ni_lane_park(void *core, struct ni_lane_rx *lane);
void ni_lane_unpark(void *core, struct ni_lane_rx *lane);
void ni_lanes_review(void *core, uint64_t now);

/* Whether a lane of this peer is polled or parked. */
bool ni_lanes_name(const struct ni *ni, const struct ni_peer *peer);
/* Whether a lane that is polled has a packet. */
bool ni_lanes_have(const struct ni *ni);
/* Close the gaps that removals left; not while somebody walks over them. */
void ni_lanes_compact(struct ni *ni);

#endif
