/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_ARRIVE_H
#define NI_ENGINE_ARRIVE_H

#include <stdint.h>

#include "engine/ni.h"
#include "engine/peer.h"
#include "link/lane.h"

/* One packet: of a lane, or of none (lane NULL). Its words were read once; its fields may change at
 * any time. NI_OK; NI_AGAIN: cannot be taken now, deliver it again; NI_ERR_PROTOCOL. Whoever has
 * the turn. */
ni_status ni_arrive(struct ni *ni, struct ni_peer *peer, const struct ni_packet *packet,
                    uint64_t word0, uint64_t word1, const uint8_t *payload,
                    struct ni_lane_rx *lane);
/* Its part for all kinds. */
ni_status ni_arrive_any(struct ni *ni, struct ni_peer *peer, const struct ni_packet *packet,
                        uint64_t word0, uint64_t word1, const uint8_t *payload,
                        struct ni_lane_rx *lane);
/* Its part for atomics. */
ni_status ni_arrive_atomic(struct ni *ni, struct ni_peer *peer, const struct ni_packet *packet,
                           uint64_t word0, uint64_t word1);

#endif
