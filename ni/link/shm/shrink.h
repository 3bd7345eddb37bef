/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_LINK_SHM_SHRINK_H
#define NI_LINK_SHM_SHRINK_H

#include <stdbool.h>
#include <stdint.h>

#include "link/link.h"

struct ni_shm_peer;

/* Since when nothing has left through a lane, as its sender has seen it. The endpoint's holder's.
 * Times in ns. */
struct ni_shm_quiet {
    uint32_t packets; /* number of the last, without those that say nothing */
    uint64_t packets_at;
    uint32_t payloads; /* in the bulk area */
    uint64_t payloads_at;
    uint64_t wanted;    /* what the receiver's header said of all its lanes at the last review */
    uint64_t wanted_at; /* when that had changed; 0: it has not */
    bool leaving;       /* the larger ring is there still, and maybe its receiver */
    uint32_t left_at;   /* line from which on that is not */
};

/* Give back what a lane has grown to and does not use. By the endpoint's holder, as what follows,
 * with no packet begun. */
void ni_shm_review(struct ni_ep *ep, uint64_t now);
/* Say to all who send to the same receiver that this lane needs more and may not have it. */
void ni_shm_want_more(const struct ni_shm_peer *peer);
/* Whether the lane may go on in its larger ring, which is not allocated then. false: its receiver
 * may still look at that. */
bool ni_shm_ring_is_free(struct ni_shm_peer *peer);
/* The receiver has taken NI_NOP_FIRST, NI_NOP_BULK. */
ni_status ni_shm_first_ring_in(struct ni_lane_rx *rx);
ni_status ni_shm_no_bulk_in(struct ni_lane_rx *rx);

#endif
