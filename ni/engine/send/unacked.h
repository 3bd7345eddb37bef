/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_UNACKED_H
#define NI_ENGINE_UNACKED_H

#include <stdbool.h>
#include <stdint.h>

#include <apeni/transfer.h>

#include "base/compiler.h"
#include "engine/core/peer.h"

/*
 * Writes of which nobody wants to hear: those without an ack, as far as each is one packet that
 * finds room at once. They leave under one operation of the kind NI_OP_UNACKED and are not
 * answered, but for what is refused, until ni_flush asks: then a question follows them
 * (NI_READ_NOTHING), whose answer ends the operation, and the next Write begins another. Packets to
 * a peer are taken in order, and so are its answers, so that this one says that all before it have
 * been taken, and comes behind all refusals. Remote stores do the same, under operations of their
 * own (stores.h).
 *
 * All under the peer's lock.
 */

/* Whether who asked for a transfer wants to hear of its end. */
NI_ALWAYS_INLINE bool ni_ack_tells(const struct ni_ack *ack)
{
    return ack != NULL && ack->kind != NI_ACK_NONE;
}

/* Begin an operation for the Writes to come. false: out of memory. */
bool ni_unacked_begin(struct ni_peer *peer);

/* Send the question behind which a token's operation ends, of stores or of Writes. false: there is
 * no room. */
bool ni_unacked_question(struct ni_peer *peer, uint64_t token);

/* The question about Writes that found no room is a send source. The NI opens. */
void ni_unacked_register(struct ni *ni);

/* What is under way is about to be completed: what comes later begins an operation of its own. */
void ni_unacked_forget(struct ni_peer *peer);

/* Ask for the end of what is under way, now or when there is room. The peer's lock is held. */
void ni_unacked_ask(struct ni_peer *peer);

#endif
