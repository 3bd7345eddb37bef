/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_COPY_H
#define NI_ENGINE_COPY_H

#include "engine/core/ni.h"
#include "engine/core/op.h"

/* Start copying directly; the operation completes by itself. No lock is held. */
void ni_copy_start(struct ni_op *op);
/*
 * Copy something short at once, without an operation: only where the process copies itself, has no
 * other transfers to copy, and its program has no threads. NI_AGAIN: start one. No lock is held.
 */
ni_status ni_copy_at_once(struct ni_peer *peer, enum ni_copy_direction direction, uint8_t *local,
                          uint64_t remote, uint64_t len);
/* Give up the copying of an operation that ends: nobody copies for it any more. No lock is held. */
void ni_copy_forget(struct ni_op *op);
/* One chunk of one of our transfers; returns events. The progress lock is held. */
unsigned ni_copy_progress(struct ni *ni);

#endif
