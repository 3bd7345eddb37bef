/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_STORES_H
#define NI_ENGINE_STORES_H

#include <apeni/store.h>

#include "base/list.h"
#include "engine/ni.h"
#include "engine/peer.h"
#include "link/packet.h"

/*
 * Remote stores to one peer. The open line counts as one of the peer's packets that wait: so all that
 * goes to the peer meanwhile takes its slow way, which sends the line first, and progress finds it; what
 * is fast asks for nothing new.
 *
 * Bytes are outstanding from the store to its ack, by epoch. A fence ends the present epoch: it is done
 * when no byte of that is outstanding. There are two epochs, so a fence that comes while an older one
 * waits begins when that has ended: what is stored later holds up neither for ever.
 *
 * All under the peer's lock.
 */

/* What the ack of a line says: whose, of which epoch, how many bytes. */
struct ni_store_tag {
    struct ni_stores *stores;
    uint32_t bytes;
    uint32_t epoch;
};

struct ni_fence {
    struct ni_list list;
    struct ni_ack ack;
    ni_status status;
};

struct ni_stores {
    struct ni_peer *peer;
    uint64_t outstanding[2]; /* bytes, by epoch */
    uint32_t epoch;          /* the present one */
    ni_status failure;       /* the first since the last fence */
    struct ni_list waiting;  /* struct ni_fence: for the other epoch */
    struct ni_list next;     /* struct ni_fence: for this one */
    /* The open line: peer->stored bytes, 0: none. */
    uint32_t line_epoch;
    struct ni_remote where;
    uint8_t line[NI_LINE + sizeof(uint64_t)]; /* words are put there whole */
    struct ni_store_tag tags[2][NI_LINE + 1]; /* by epoch and bytes */
};

/* Send the open line of a peer that has one. NI_AGAIN: no room. The peer's lock is held. */
ni_status ni_stores_send(struct ni_peer *peer);
/* The peer is down: forget the line. The peer's lock is held. */
void ni_stores_forget(struct ni_peer *peer, ni_status status);
/* And tell those who waited for nothing else. No lock is held. */
void ni_stores_settle(struct ni_peer *peer);
/* The peer is freed. */
void ni_stores_free(struct ni_peer *peer);

#endif
