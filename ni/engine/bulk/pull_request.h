/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_PULL_REQUEST_H
#define NI_ENGINE_PULL_REQUEST_H

#include <stdbool.h>

#include "engine/core/op.h"
#include "engine/core/peer.h"
#include "link/lane.h"

/* Ask the target for the bytes of a read; false if that cannot be done now. */
bool ni_pull_request_start(struct ni_op *op);
/* Whether a write of so many bytes may be offered to the target now, and to do it; false: the
 * kernel copies it. No lock is held. */
bool ni_push_offer_is_wanted(const struct ni_peer *peer, uint64_t len);
bool ni_push_offer_start(struct ni_op *op);
/* The tuner that measures an operation of this kind and length. */
struct ni_copy_tuner *ni_pull_request_tuner(const struct ni_op *op);
/* The answer is complete, or not wanted any more. */
void ni_pull_request_end(struct ni_op *op);
/* The target does not want to answer: take the bytes. */
void ni_pull_request_declined(struct ni_op *op);
/* Take over what was not answered in time. */
unsigned ni_pull_request_progress(struct ni *ni);
/* At the target; a refusal is returned, to be sent to the initiator. */
ni_status ni_pull_request_arrive(struct ni *ni, struct ni_peer *peer,
                                 const struct ni_packet_copy *request, ni_handle handle,
                                 struct ni_lane_rx *lane);
/* The bytes of a write that is offered to us. False: the initiator has taken over; otherwise it is
 * to be told the status. */
bool ni_push_offer_arrive(struct ni *ni, const struct ni_packet_copy *request, ni_handle handle,
                          struct ni_lane_rx *lane, const uint8_t *payload, uint32_t len,
                          ni_status *status);

/* The answer of a Read is complete, asked for or not. No lock is held. */
void ni_pull_request_finish(struct ni_op *op, ni_status status, uint64_t value);

#endif
