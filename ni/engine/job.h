/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_JOB_H
#define NI_ENGINE_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "engine/op.h"
#include "engine/peer.h"
#include "link/lane.h"

/* A transfer of a peer that we help to copy. */
struct ni_help {
    struct ni_list list;
    struct ni_peer *peer;
    struct ni_lane_rx *lane;
    struct ni_job *job;
    uint64_t chunk, len;
    uint8_t *mine;   /* our memory */
    uint64_t theirs; /* the initiator's */
    uint32_t chunks;
    uint32_t generation;
    bool is_read;
};

/* Start copying directly; the operation completes by itself. */
void ni_job_start(struct ni_op *op);
/* Give up the copying of an operation that completes otherwise. */
void ni_job_forget(struct ni_op *op);

/* The lane's description of a transfer of which we have claimed `own` chunks; false if there is no
 * room for it now. The peer's lock is held. */
bool ni_job_share(struct ni_op *op, uint32_t own);
/* Its end. No lock is held. */
void ni_job_give(struct ni_op *op);

/* A peer asks for help. Whoever has the turn. */
void ni_job_arrive(struct ni *ni, struct ni_peer *peer, const struct ni_packet_job *request,
                   ni_handle handle, struct ni_lane_rx *lane);
/* A lane goes away, or all of a peer (lane NULL): stop helping there. */
void ni_job_stop_helping(struct ni *ni, const struct ni_peer *peer, const struct ni_lane_rx *lane);

/* One chunk of each transfer, ours and those that we help with. */
unsigned ni_job_progress(struct ni *ni);

#endif
