/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_STORES_H
#define NI_ENGINE_STORES_H

/*
 * The folder object/store: remote stores, loads, words and items written to any region. It knows
 * core, send and bulk. Called by the program, and by counters and queues that tell others.
 */

#include <apeni/store.h>

#include "base/list.h"
#include "engine/core/ni.h"
#include "engine/core/op.h"
#include "engine/core/peer.h"
#include "link/packet.h"

/*
 * Remote stores to one peer. The open line is one of the peer's packets that wait: so all that
 * goes to the peer meanwhile takes its slow way, which sends the line first, and progress
 * finds it; what is fast asks for nothing new.
 *
 * A line that leaves is not answered unless it is refused: packets to a peer are taken in order, so
 * that one answer says that all before it have been. Lines leave under one operation, a group,
 * until somebody wants to know: a fence, ni_flush, or who asks how many bytes are outstanding. Then
 * the open line is answered, or without one a question that follows those that have left
 * (NI_READ_NOTHING). A refusal comes before that answer, since answers keep their order, too; it
 * names the group and does not end it.
 *
 * Bytes are outstanding from the store to the end of its group, by epoch. A fence ends the present
 * epoch: it is done when no byte of that is outstanding. There are two epochs, so a fence that
 * comes while an older one waits begins when that has ended: what is stored later holds up neither
 * for ever. While a fence waits for an epoch each line of that is answered; so all lines of a group
 * are of one.
 *
 * All under the peer's lock.
 */

struct ni_store_group {
    struct ni_store_group *free; /* next of those that nobody uses */
    struct ni_store_group *all;  /* next of all */
    struct ni_stores *stores;
    uint64_t token; /* of its operation */
    uint64_t bytes;
    uint32_t epoch;
};

struct ni_fence {
    struct ni_list list;
    struct ni_ack ack;
    ni_status status;
};

struct ni_stores {
    struct ni_peer *peer;
    uint64_t outstanding[2];      /* bytes, by epoch */
    uint32_t epoch;               /* the present one */
    ni_status failure;            /* the first since the last fence */
    struct ni_list waiting;       /* struct ni_fence: for the other epoch */
    struct ni_list next;          /* struct ni_fence: for this one */
    struct ni_store_group *group; /* of the next line, NULL: a new one */
    struct ni_store_group *free, *all;
    bool wanted; /* somebody waits for bytes of the open line */
    /* The open line: peer->object.stored bytes, 0: none. */
    uint32_t line_epoch;
    struct ni_remote where;
    uint8_t line[NI_LINE + sizeof(uint64_t)]; /* words are put there whole */
};

/* So many bytes are no longer outstanding. The peer's lock is held. */
void ni_stores_count_off(struct ni_stores *stores, uint32_t epoch, uint64_t bytes,
                         ni_status status);

/* store_group.c. The peer's lock is held, but for the last one. */
/* The group of the open line, which has none; NULL when out of memory. */
struct ni_store_group *ni_store_group_begin(struct ni_stores *stores);
/* A packet has left whose answer ends it. */
void ni_store_group_end(struct ni_stores *stores);
/* Have what was stored end some time; it does so by itself if the peer is down. There are
 * stores. */
void ni_stores_ask(struct ni_peer *peer);
/* The question that found no room; false: it does not yet. */
bool ni_stores_ask_again(struct ni_peer *peer);
/* The peer is freed. */
void ni_store_groups_free(struct ni_stores *stores);

/* Whether stores to the peer are on their way, so that what comes after them has to follow them. */
bool ni_stores_under_way(struct ni_peer *peer);

/* Whether bytes are outstanding. The peer's lock is held. */
static inline bool ni_stores_are_out(const struct ni_stores *stores)
{
    return (stores->outstanding[0] | stores->outstanding[1]) != 0;
}

/* Send the open line of a peer that has one. NI_AGAIN: no room. The peer's lock is held. */
ni_status ni_stores_send(struct ni_peer *peer);
/* The open line and the question about what has left are send sources. The NI opens. */
void ni_stores_register(struct ni *ni);
void ni_store_groups_register(struct ni *ni);
/* The peer is down: tell those who waited for nothing else than what waited for room. No lock is
 * held. */
void ni_stores_settle(struct ni_peer *peer);

#endif
