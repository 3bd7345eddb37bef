/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_SHARED_COPY_H
#define NI_ENGINE_SHARED_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/core/op.h"
#include "link/lane.h"

/* Describe a transfer in the lane, and send the packet that says so; the first `own` chunks are
 * ours. False if there is no room for it now. The peer's lock is held. */
bool ni_shared_copy_start(struct ni_op *op, uint32_t own);
/* The same for a Write as a whole, whose bytes go with the packet. False: not now. The peer's lock
 * is held. */
bool ni_shared_copy_push(struct ni_op *op);
/* Its end. No lock is held. */
void ni_shared_copy_end(struct ni_op *op);
/* Claim the next of so many chunks; false when none is left, or the shared copy is of another
 * generation. */
bool ni_shared_copy_claim(struct ni_shared_copy *shared, uint32_t generation, uint32_t chunks,
                          uint32_t *chunk);

#endif
