/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_BARRIER_H
#define APENI_BARRIER_H

#include <apeni/counter.h>

/*
 * A barrier on counters (FORTH-CC 4.4): members, each at an NI of its own or several at one, wait
 * for each other. All that happens between entering and leaving is additions to counters, made by
 * the NIs.
 *
 *   tree   member m adds to a counter of its own; when all members below it have come, too, that
 *          counter notifies the one of the member above. The counter at the top notifies a counter
 *          of each member directly below, and so on down. One with more than four to tell is
 *          chained to others at its NI.
 *   flat   each member adds to a counter of each: one way instead of two and more, for
 *          members * members additions.
 *
 * Life, for each member: ni_barrier_create gives an address, plain bytes that all members need, by
 * any means; ni_barrier_connect with the addresses of all; then ni_barrier_enter and
 * ni_barrier_test or _wait, again and again; ni_barrier_free. Members may be threads or processes,
 * over any link.
 *
 * A member that is found dead ends the barrier for those that have not passed: NI_ERR_PEER_DEAD.
 * One that has closed its NI is not missed: it may have passed already.
 *
 * Threads: one thread at a time for each member; the NI as in ni.h.
 */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ni_barrier;

enum {
    NI_BARRIER_MEMBERS = 65536, /* most */
    NI_BARRIER_FLAT = 8,        /* most, for arity 0 to mean flat */
    NI_BARRIER_ARITY = 8,       /* what it means with more */
};

struct ni_barrier_address {
    struct ni_rkey up, down; /* COUNTER regions */
};

/* Make member number `rank` of `members`. arity: members directly below each in the tree, 1 or
 * more; 0 chooses between flat and a tree. All members must give the same members and arity.
 * Errors: INVALID, NOMEM, LIMIT. (INVALID: rank is not below members, or members is 0 or above
 * NI_BARRIER_MEMBERS.) */
ni_status ni_barrier_create(struct ni *ni, unsigned members, unsigned rank, unsigned arity,
                            struct ni_barrier **barrier, struct ni_barrier_address *address);

/* Tell it where the others are: peers[i] and addresses[i] of member i, both arrays of `members` and
 * copied as far as wanted; peers[i] NULL is a member at this NI. Others may have entered already.
 * Errors: EXISTS (it was connected before), NOMEM, LIMIT. */
ni_status ni_barrier_connect(struct ni_barrier *barrier, struct ni_peer *const *peers,
                             const struct ni_barrier_address *addresses);

/* Say that this member has come. Does not wait. Errors: INVALID (not connected, or it has not left
 * the last time), the peers'. */
ni_status ni_barrier_enter(struct ni_barrier *barrier);

/* Whether all have come, and what this member has to pass on has left it: NI_OK, from then until
 * the next ni_barrier_enter; NI_INPROGRESS, after some progress; or that a member is gone. So
 * nobody waits for one that has left and makes no progress, but between hosts, where UCX may have
 * kept what it was given. Who finds no room for what it passes on waits for the member that it goes
 * to, which makes some when it tests or waits. */
ni_status ni_barrier_test(struct ni_barrier *barrier);

/* Wait until ni_barrier_test is something else than NI_INPROGRESS, and return that. */
ni_status ni_barrier_wait(struct ni_barrier *barrier);

/* Forget it; makes progress until what this member has to pass on has left. All members must have
 * left the barrier, or given up. NULL is allowed. */
void ni_barrier_free(struct ni_barrier *barrier);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
