/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_PORTAL_OPS_H
#define NI_ENGINE_PORTAL_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include <apeni/ni.h>
#include <apeni/transfer.h>

#include "link/packet.h"

/* What the layer above, portals, does with packets to the PORTAL region, and for an NI that has
 * one. The engine knows no matching. */
struct ni_portal_ops {
    /* A packet of kind NI_PACKET_PUT or above. As ni_arrive. */
    ni_status (*arrive)(struct ni *ni, struct ni_peer *peer, const struct ni_packet *packet,
                        uint64_t word0, uint64_t word1, const uint8_t *payload);
    /* The same for one that ni_packet_is_short_put or ni_packet_is_lines_put is true of. */
    ni_status (*arrive_plain)(struct ni *ni, struct ni_peer *peer, const struct ni_packet *packet,
                              uint64_t word0, uint64_t word1, const uint8_t *payload);
    /* What was put off: ni->portal_work. */
    unsigned (*progress)(struct ni *ni);
    /* Whether an ack of this function is our own: it calls nobody else. */
    bool (*inner)(ni_done_fn fn);
    /* Whether events find room that wait for a caller, and hand them out; see thread.h. */
    bool (*ready)(struct ni *ni);
    unsigned (*tell)(struct ni *ni);
    /* From now on events wait that an engine thread whose NI has its callbacks on the caller
     * causes, or not; what waited has been handed out. The progress lock is ours. */
    void (*share)(struct ni *ni, bool shared);
    /* There is nothing to do, and ni->ahead says that something can be fetched that may be wanted
     * next. */
    void (*ahead)(struct ni *ni);
    /* Bring the statistics up to date. */
    void (*add_up)(struct ni *ni);
    /* The NI closes; peers are down. */
    void (*close)(struct ni *ni);
};

#endif
