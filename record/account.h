/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RECORD_ACCOUNT_H
#define RECORD_ACCOUNT_H

#include "record/record.h"

/*
 * What a process writes into its record while it runs, as far as it is not inline: count.h. All
 * functions may be called between record_start and record_stop, from any thread.
 */

/* Of the program that links it, and found without a table. */
#pragma GCC visibility push(hidden)

/* ---- peers ------------------------------------------------------------------------------------
 */

/* The entry of a process, a new one if it has none; never NULL: where there is no room it is
 * record_spare_peer, which nobody reads. */
struct record_peer *record_peer(uint32_t job, uint32_t rank);
extern struct record_peer record_spare_peer;

/* The entry of a process, or NULL if it has none. */
const struct record_peer *record_peer_known(uint32_t job, uint32_t rank);

/* When the peer sent the message that we have received last of it, with that tag and context;
 * when it began the receive of the message that has this number, from 1, among those that we have
 * sent to it, and that it had received at `end`. *known is false if its record does not say. */
uint64_t record_peer_sent(const struct record_peer *peer, int tag, uint32_t context, bool *known);
uint64_t record_peer_received(const struct record_peer *peer, uint64_t number, int tag,
                              uint32_t context, uint64_t end, bool *known);

/* The same by `me`, the entry of who asks in the record of whom is asked: when the message was sent
 * that it has received after `received` - 1 others, and when its message was received. */
uint64_t record_entry_sent(const struct record_peer *me, uint64_t received, int tag,
                           uint32_t context, bool *known);
uint64_t record_entry_received(const struct record_peer *me, uint64_t number, int tag,
                               uint32_t context, uint64_t end, bool *known);

/* Waits that are asked about together: how many, and how many ticks they lasted. What is told of
 * the last one goes for all of them. */
struct record_share {
    uint64_t waits, ticks;
};

/* A wait for the peer, or for a send to it, has lasted so long. Whether to ask about it: that is so
 * as soon as those of which nobody has asked come to RECORD_ASKED_TOGETHER. Then *share is those.
 */
bool record_peer_due(const struct record_peer *peer, bool is_send, uint64_t ticks,
                     struct record_share *share);
enum { RECORD_ASKED_TOGETHER = 1 << 17 };

/* Of peers whose records cannot be read here it is this, if it is not 0. */
extern uint64_t record_elsewhere_together;

/* Of a wait for a message of so many bytes of a peer, or for a send to it, of which no record
 * tells: by how much it was longer than the shortest of those for messages of such a size. False:
 * that is the first, or the peer's record tells. */
bool record_peer_infer(const struct record_peer *peer, bool is_send, uint64_t bytes, uint64_t ticks,
                       uint64_t *part);

/* Let go of what others have written. */
void record_peers_close(void);

/* ---- counters and slices of time --------------------------------------------------------------
 */

/* Several threads may count at the same time. Set once, before anything is counted. */
extern bool record_threads;

/* The stamp at which the slice of now ends; 0: there is something else to do. */
extern uint64_t record_slice_end;

/* If not 0: record_slice_end is never further away than so many ticks. */
extern uint64_t record_slice_most;

/* Begin with slices of time of 2^shift ticks. */
void record_slices_begin(unsigned shift);

/* How long the queues below are: to be called now and then by a thread that counts, where it is
 * set; calls record_depths. Set before anything is counted. */
extern void (*record_look_at_queues)(void);
void record_depths(uint64_t posted, uint64_t unexpected);

/* The stamp record_slice_end has passed: begin the slice of `now`, or look at the queues. */
void record_slice_passed(uint64_t now);

/* Have a thread that counts look at the queues soon. From any thread. */
void record_look_soon(void);

/* Write what has been counted in the slice of now into the record, and take the slice of `now` if
 * that is a later one. */
void record_slice_next(uint64_t now);

/* The thread that counts is the only one that writes most words of the record, by the one
 * instruction that a plain addition or store is. Others read them, whole, at any time. The thread
 * sanitizer is to see what that means. */
#if defined(__SANITIZE_THREAD__)
enum { RECORD_SHARED = 1 };
#define RECORD_WRITE(word, value) __atomic_store_n(&(word), value, __ATOMIC_RELAXED)
#else
enum { RECORD_SHARED = 0 };
#define RECORD_WRITE(word, value) ((word) = (value))
#endif
#define RECORD_READ(word) __atomic_load_n(&(word), __ATOMIC_RELAXED)

/* Add to a counter of the record, which readers outside take at any time. */
static inline void record_add(uint64_t *counter, uint64_t amount)
{
    if (RECORD_SHARED || __builtin_expect(record_threads, 0)) {
        (void)__atomic_fetch_add(counter, amount, __ATOMIC_RELAXED);
    } else {
        *counter += amount;
    }
}

/* ---- waiting ----------------------------------------------------------------------------------
 */

/* A call that waited from `begin` to `end` ended with the message of this number to the peer, of so
 * many bytes. */
void record_count_send_wait(uint32_t class, struct record_peer *peer, uint64_t number, int tag,
                            uint32_t context, uint64_t bytes, uint64_t begin, uint64_t end);

/* Of a wait for a message of the peer: how much of it was before it sent, if it is to be asked. */
void record_ask_sender(uint32_t class, struct record_peer *peer, int tag, uint32_t context,
                       uint64_t bytes, uint64_t begin, uint64_t end);

/* What is asked of a peer whose record cannot be read here: the stamp of its send, or of the begin
 * of its receive, see record_entry_sent and record_entry_received. */
struct record_question {
    uint32_t is_send; /* a wait for a send of ours: when did its receive begin? */
    int32_t tag;
    uint32_t context;
    uint32_t is_internal; /* not of the program's own messages */
    uint64_t number;      /* of the send; messages received of the peer */
    uint64_t begin, end;  /* of the wait */
    struct record_share share;
};

/* Where it is set: ask the peer, if it can be asked; false: it cannot. What it says is told later.
 * Such a wait is one of which nothing is known until then. Set before anything is counted. */
extern bool (*record_ask_elsewhere)(struct record_peer *peer,
                                    const struct record_question *question);

/* It was `part` ticks of the wait, more or less by `error`; of its share as much. */
void record_told_elsewhere(struct record_peer *peer, const struct record_question *question,
                           uint64_t part, uint64_t error);

/* ---- what threads do --------------------------------------------------------------------------
 */

/* The entry of this thread, where several threads may be in MPI. */
struct record_call_entry *record_call_of_thread(void);

#pragma GCC visibility pop

#endif
