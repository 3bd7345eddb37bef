/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_ARRIVE_H
#define NI_ENGINE_ARRIVE_H

/*
 * The folder arrive: packets in. Each kind is judged and given its meaning here. It knows core,
 * send, bulk and the objects. Called by drive.
 */

#include <stdbool.h>
#include <stdint.h>

#include "engine/core/ni.h"
#include "engine/core/peer.h"
#include "link/lane.h"

/* One packet: of a lane, or of none (lane NULL). Its words were read once; its fields may change at
 * any time. NI_OK; NI_AGAIN: cannot be taken now, deliver it again; NI_ERR_NOMEM: likewise, for
 * want of memory; NI_ERR_PROTOCOL. The progress lock is held. */
ni_status ni_arrive(struct ni *ni, struct ni_peer *peer, const struct ni_packet *packet,
                    uint64_t word0, uint64_t word1, const uint8_t *payload,
                    struct ni_lane_rx *lane);
/* Its part for what ni_packet_is_line_of_memory names. */
ni_status ni_arrive_line(struct ni *ni, struct ni_peer *peer, const struct ni_packet *packet,
                         uint64_t word0, uint64_t word1);
/* Its part for all kinds. */
ni_status ni_arrive_any(struct ni *ni, struct ni_peer *peer, const struct ni_packet *packet,
                        uint64_t word0, uint64_t word1, const uint8_t *payload,
                        struct ni_lane_rx *lane);
/* Its part for atomics. */
ni_status ni_arrive_atomic(struct ni *ni, struct ni_peer *peer, const struct ni_packet *packet,
                           uint64_t word0, uint64_t word1);
/* Answer a Read of memory with one packet, now; false: not now, not in this way, or not at all. */
bool ni_direct_read(struct ni *ni, struct ni_peer *peer, const struct ni_packet *packet,
                    uint64_t word1);

#endif
