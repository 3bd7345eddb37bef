/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RECORD_COUNT_H
#define RECORD_COUNT_H

/*
 * What is done for each message, inline. `threads` is a constant in each function: whether several
 * threads may count at the same time. Where they may not, the record's only writer adds to plain
 * words, which readers outside take at any time.
 */

#include <string.h>

#include "record/account.h"
#include "record/names.h"

#define RECORD_INLINE static inline __attribute__((always_inline))

/* Parts of this process's record, by its head. */
RECORD_INLINE struct record_call_entry *record_calls_of(struct record_head *head)
{
    return (struct record_call_entry *)((char *)head + RECORD_CALLS_AT);
}

RECORD_INLINE struct record_class *record_classes_of(struct record_head *head)
{
    return (struct record_class *)((char *)head + RECORD_CLASSES_AT);
}

/* ---- counters ---------------------------------------------------------------------------------
 */

RECORD_INLINE void record_add_by(bool threads, uint64_t *counter, uint64_t amount)
{
    if (threads || RECORD_SHARED) {
        (void)__atomic_fetch_add(counter, amount, __ATOMIC_RELAXED);
    } else {
        *counter += amount;
    }
}

RECORD_INLINE void record_add_size(bool threads, uint32_t *counter)
{
    if (threads || RECORD_SHARED) {
        (void)__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
    } else {
        *counter += 1;
    }
}

/* 0 for no bytes, k for 2^(k-1) to 2^k - 1. */
RECORD_INLINE unsigned record_size_class(uint64_t bytes)
{
    const uint64_t most = (UINT64_C(1) << (RECORD_SIZES - 1)) - 1;

    return 63u - (unsigned)__builtin_clzll(2 * (bytes < most ? bytes : most) | 1);
}

/* Whether a message is smaller or larger than all before it in its direction. */
RECORD_INLINE bool record_widens(uint64_t smallest, uint64_t largest, uint64_t bytes)
{
    return bytes < smallest || bytes > largest;
}

/* Smallest and largest of all messages in one direction, before they are counted in `counts`; those
 * of none are both 0. */
RECORD_INLINE void record_widen(uint64_t *smallest, uint64_t *largest, uint64_t bytes,
                                const uint64_t counts[2])
{
    if (__builtin_expect(bytes < *smallest, 0)) {
        *smallest = bytes;
    }
    if (__builtin_expect(bytes > *largest, 0)) {
        *largest = bytes;
        if (counts[0] + counts[1] == 0) {
            *smallest = bytes;
        }
    }
}

/* What names a process, from one part of the record to another. */
RECORD_INLINE void record_name(uint32_t *peer_job, const struct record_peer *peer)
{
    static const struct {
        uint32_t job;
        int32_t rank;
    } nobody = {0, RECORD_ANY};

    memcpy(peer_job, __builtin_expect(peer != NULL, 1) ? (const void *)peer : &nobody, 8);
}
_Static_assert(offsetof(struct record_peer, job) == 0 && offsetof(struct record_peer, rank) == 4 &&
                   offsetof(struct record_call_entry, peer) ==
                       offsetof(struct record_call_entry, peer_job) + 4 &&
                   offsetof(struct record_pending, peer) ==
                       offsetof(struct record_pending, peer_job) + 4,
               "job and rank are neighbours");

/* Begin the slice of now if that of before has ended, and do what is to be done now and then: what
 * is counted from here on is of it. */
RECORD_INLINE void record_slice_at(uint64_t now)
{
    if (__builtin_expect(now >= RECORD_READ(record_slice_end), 0)) {
        record_slice_passed(now);
    }
}

/* ---- messages ---------------------------------------------------------------------------------
 */

/* A message is about to be sent: what the peer may read. Returns its number. */
RECORD_INLINE uint64_t record_announce_send(bool threads, struct record_peer *peer, int tag,
                                            uint32_t context, uint64_t now)
{
    uint64_t before = peer->send_number;
    size_t last = (size_t)before % RECORD_LAST;

    peer->sent_tags[last] = tag;
    peer->sent_contexts[last] = context;
    __atomic_store_n(&peer->sent_stamps[last], now, __ATOMIC_RELEASE);
    record_add_by(threads, &peer->send_number, 1);
    return before + 1;
}

/* The rest of it, of a class that may be a constant; the message does not widen the sizes. */
RECORD_INLINE void record_count_send_of(bool threads, struct record_head *head, uint32_t class,
                                        struct record_peer *peer, uint64_t bytes)
{
    unsigned internal = class != RECORD_CLASS_USER;
    struct record_class *sum = record_classes_of(head) + class;

    record_add_by(threads, &peer->sent[internal], 1);
    record_add_by(threads, &peer->sent_bytes[internal], bytes);
    record_add_size(threads, &peer->sent_by_size[record_size_class(bytes)]);
    record_add_by(threads, &sum->sent, 1);
    record_add_by(threads, &sum->sent_bytes, bytes);
}

/* A message of a class is about to be sent, of so many bytes. Returns its number. */
RECORD_INLINE uint64_t record_count_send_by(bool threads, struct record_head *head, uint32_t class,
                                            struct record_peer *peer, int tag, uint32_t context,
                                            uint64_t bytes, uint64_t now)
{
    uint64_t number;

    record_slice_at(now);
    number = record_announce_send(threads, peer, tag, context, now);
    record_widen(&peer->sent_smallest, &peer->sent_largest, bytes, peer->sent);
    record_count_send_of(threads, head, class, peer, bytes);
    RECORD_WRITE(head->last_event, now);
    return number;
}

/* A receive that names the peer begins: what the peer may read. The tag may be RECORD_ANY. */
RECORD_INLINE void record_announce_receive(bool threads, struct record_peer *peer, int tag,
                                           uint32_t context, uint64_t now)
{
    size_t last = (size_t)peer->receive_number % RECORD_LAST;

    peer->receive_tags[last] = tag;
    peer->receive_contexts[last] = context;
    __atomic_store_n(&peer->receive_stamps[last], now, __ATOMIC_RELEASE);
    record_add_by(threads, &peer->receive_number, 1);
}

/* A message of the peer has been received: which ones of it may still lie there. */
RECORD_INLINE void record_number_receive(bool threads, struct record_peer *peer, int tag,
                                         uint32_t context)
{
    size_t last = (size_t)peer->received_number % RECORD_LAST;

    peer->received_tags[last] = tag;
    peer->received_contexts[last] = context;
    record_add_by(threads, &peer->received_number, 1);
}

/* A message that does not widen the sizes has been received in the slice of now, of a class that
 * may be a constant. */
RECORD_INLINE void record_count_receive_of(bool threads, struct record_head *head, uint32_t class,
                                           struct record_peer *peer, int tag, uint32_t context,
                                           uint64_t bytes, bool any_source, uint64_t now)
{
    unsigned internal = class != RECORD_CLASS_USER;
    struct record_class *sum = record_classes_of(head) + class;

    record_number_receive(threads, peer, tag, context);
    record_add_by(threads, &peer->received[internal], 1);
    record_add_by(threads, &peer->received_bytes[internal], bytes);
    record_add_size(threads, &peer->received_by_size[record_size_class(bytes)]);
    if (any_source) {
        record_add_by(threads, &peer->received_any_source, 1);
        record_add_by(threads, &head->receives_any_source, 1);
    }
    record_add_by(threads, &sum->received, 1);
    record_add_by(threads, &sum->received_bytes, bytes);
    record_add_by(threads, &head->completed, 1);
    RECORD_WRITE(head->last_event, now);
}

/* A message of a class has been received. */
RECORD_INLINE void record_count_receive_by(bool threads, struct record_head *head, uint32_t class,
                                           struct record_peer *peer, int tag, uint32_t context,
                                           uint64_t bytes, bool any_source, uint64_t now)
{
    record_slice_at(now);
    record_widen(&peer->received_smallest, &peer->received_largest, bytes, peer->received);
    record_count_receive_of(threads, head, class, peer, tag, context, bytes, any_source, now);
}

/* ---- waiting ----------------------------------------------------------------------------------
 */

/* Waits below this many ticks are not asked about: the answer costs a line that the peer writes. */
enum { RECORD_WORTH_ASKING = 8192 };

RECORD_INLINE void record_count_wait_by(bool threads, uint32_t class, uint64_t ticks, uint64_t end)
{
    record_slice_at(end);
    record_add_by(threads, &record_own.classes[class].wait_ticks, ticks);
}

/* A call that waited from `begin` to `end` ended with a message of the peer, of so many bytes. */
RECORD_INLINE void record_count_receive_wait_by(bool threads, uint32_t class,
                                                struct record_peer *peer, int tag, uint32_t context,
                                                uint64_t bytes, uint64_t begin, uint64_t end)
{
    record_add_by(threads, &peer->receive_wait_ticks, end - begin);
    if (class != RECORD_CLASS_USER) {
        record_add_by(threads, &peer->receive_wait_internal_ticks, end - begin);
    }
    record_count_wait_by(threads, class, end - begin, end);
    if (__builtin_expect(end - begin >= RECORD_WORTH_ASKING, 0)) {
        record_ask_sender(class, peer, tag, context, bytes, begin, end);
    }
}

/* ---- calls ------------------------------------------------------------------------------------
 */

/* The entry of this thread. Where only one thread at a time is in MPI the first serves all. */
RECORD_INLINE struct record_call_entry *record_call_mine(bool threads)
{
    return threads ? record_call_of_thread() : record_calls_of(record_own.head);
}

/* A thread enters a call that is not within another one. */
RECORD_INLINE void record_call_begin(struct record_call_entry *call, enum record_call kind,
                                     const struct record_peer *peer, int tag, uint32_t context,
                                     uint64_t bytes, uint32_t requests, uint64_t now)
{
    call->requests = requests;
    RECORD_WRITE(call->depth, 1);
    call->kind = kind;
    record_name(&call->peer_job, peer);
    call->tag = tag;
    call->context = context;
    call->bytes = bytes;
    call->calls++;
    __atomic_store_n(&call->since, now, __ATOMIC_RELAXED);
}

/* This thread enters a call; to be left with what is returned. */
RECORD_INLINE struct record_call_entry *record_call_enter_by(bool threads, enum record_call kind,
                                                             const struct record_peer *peer,
                                                             int tag, uint32_t context,
                                                             uint64_t bytes, uint32_t requests,
                                                             uint64_t now)
{
    struct record_call_entry *call = record_call_mine(threads);

    if (__builtin_expect(call->depth != 0, 0)) {
        call->depth++; /* within another call, which is what the program asked for */
    } else {
        record_call_begin(call, kind, peer, tag, context, bytes, requests, now);
    }
    return call;
}

RECORD_INLINE void record_call_leave(struct record_call_entry *call, uint64_t now)
{
    if (__builtin_expect(--call->depth == 0, 1)) {
        __atomic_store_n(&call->since, now, __ATOMIC_RELAXED);
    }
}

/* The call that has just been left ended with an error. */
RECORD_INLINE void record_call_failed(struct record_call_entry *call)
{
    __atomic_store_n(&call->failed, call->since, __ATOMIC_RELAXED);
}

#endif
