/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_SHARED_COPY_IN_H
#define NI_ENGINE_SHARED_COPY_IN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "engine/core/ni.h"
#include "engine/core/peer.h"
#include "link/lane.h"

/* A transfer of a peer that we help to copy: what its shared copy said when it was looked at. */
struct ni_shared_copy_in {
    struct ni_list list;     /* in ni->bulk.shared_in */
    struct ni_lane_rx *lane; /* of the peer; stops the help before it goes away */
    struct ni_shared_copy *shared;
    uint64_t chunk, len;
    uint64_t at, until; /* of the chunk that we copy: offsets of what is left; equal: none */
    uint8_t *mine;      /* our memory */
    uint64_t theirs;    /* the initiator's */
    uint32_t chunks;
    uint32_t generation;
    ni_handle handle; /* of our region */
    uint64_t key;
    bool is_read;
    bool failed; /* the last copy */
};

/* A peer asks for help. The progress lock is held. */
void ni_shared_copy_in_arrive(struct ni *ni, struct ni_peer *peer,
                              const struct ni_packet_copy *request, ni_handle handle,
                              struct ni_lane_rx *lane);
/* A lane goes away, or all of a peer (lane NULL): stop helping there. The progress lock
 * is held. */
void ni_shared_copy_in_stop(struct ni *ni, const struct ni_peer *peer,
                            const struct ni_lane_rx *lane);
/* One chunk of one of them; returns events. The progress lock is held. */
unsigned ni_shared_copy_in_progress(struct ni *ni);

#endif
