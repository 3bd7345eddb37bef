/* SPDX-License-Identifier: BSD-3-Clause */
/* What is counted when an operation begins or ends. */
#include "pml_hooks/pml_hooks.h"
#include "pml_hooks/pml_hooks_clock.h"

bool pml_hooks_threads;

/* ---- slices of time ---------------------------------------------------------------------------
 */

/* A slice is 2^slice_shift ticks long. */
static unsigned slice_shift;

void pml_hooks_slices_begin(unsigned shift)
{
    slice_shift = shift;
    pml_hooks_record.head->slice_ticks = UINT64_C(1) << shift;
}

/* Two slices become one, so that the same number of them lasts twice as long. */
static void widen_slices(void)
{
    struct pml_hooks_slice *slices = pml_hooks_record.slices;

    for (uint32_t i = 0; i < PML_HOOKS_SLICES / 2; i++) {
        const struct pml_hooks_slice *a = &slices[2 * i], *b = a + 1;

        slices[i] = (struct pml_hooks_slice){
            .sent = a->sent + b->sent,
            .sent_bytes = a->sent_bytes + b->sent_bytes,
            .received = a->received + b->received,
            .received_bytes = a->received_bytes + b->received_bytes,
            .wait_ticks = a->wait_ticks + b->wait_ticks,
        };
    }
    memset(slices + PML_HOOKS_SLICES / 2, 0, sizeof(*slices) * (PML_HOOKS_SLICES / 2));
    pml_hooks_slices_begin(slice_shift + 1);
    pml_hooks_record.head->slice_count = PML_HOOKS_SLICES / 2;
}

/* The rare part of slice_at: a slice that is not in use yet. */
static __attribute__((noinline)) struct pml_hooks_slice *new_slice(uint64_t since_start)
{
    static opal_mutex_t lock = OPAL_MUTEX_STATIC_INIT;
    struct pml_hooks_head *head = pml_hooks_record.head;
    uint64_t index;

    OPAL_THREAD_LOCK(&lock);
    while ((index = since_start >> slice_shift) >= PML_HOOKS_SLICES) {
        widen_slices();
    }
    if (index >= head->slice_count) {
        head->slice_count = (uint32_t)index + 1;
    }
    OPAL_THREAD_UNLOCK(&lock);
    return &pml_hooks_record.slices[index];
}

/* The slice of a time. Beside a thread that widens them it may be a neighbour. */
static inline struct pml_hooks_slice *slice_at(uint64_t now)
{
    uint64_t since_start = now - pml_hooks_record.head->stamp_start;
    uint64_t index = since_start >> slice_shift;

    if (__builtin_expect(index >= pml_hooks_record.head->slice_count, 0)) {
        return new_slice(since_start);
    }
    return &pml_hooks_record.slices[index];
}

/* ---- messages ---------------------------------------------------------------------------------
 */

/* 0 for no bytes, k for 2^(k-1) to 2^k - 1. */
static inline unsigned size_class(uint64_t bytes)
{
    unsigned class = bytes == 0 ? 0 : 64u - (unsigned)__builtin_clzll(bytes);

    return class < PML_HOOKS_SIZES ? class : PML_HOOKS_SIZES - 1;
}

static inline __attribute__((always_inline)) void add_size(bool threads, uint32_t *counter)
{
    if (threads) {
        (void)__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
    } else {
        *counter += 1;
    }
}

/* Smallest and largest; a smallest of 0 with a largest of 0 is also "none yet". */
static inline void widen_range(uint64_t *smallest, uint64_t *largest, uint64_t bytes, bool first)
{
    if (first || bytes < *smallest) {
        *smallest = bytes;
    }
    if (bytes > *largest) {
        *largest = bytes;
    }
}

static inline __attribute__((always_inline)) void count_send(bool threads,
                                                             struct pml_hooks_peer *peer, int tag,
                                                             uint32_t context, uint64_t bytes,
                                                             uint64_t now)
{
    unsigned last = (unsigned)peer->send_number & (PML_HOOKS_LAST - 1);
    uint32_t class = pml_hooks_class_of(tag);
    unsigned internal = class != PML_HOOKS_CLASS_USER;
    struct pml_hooks_class *sum = &pml_hooks_record.classes[class];
    struct pml_hooks_slice *slice = slice_at(now);

    peer->sent_tags[last] = tag;
    peer->sent_contexts[last] = context;
    __atomic_store_n(&peer->sent_stamps[last], now, __ATOMIC_RELEASE);
    widen_range(&peer->sent_smallest, &peer->sent_largest, bytes, peer->send_number == 0);
    pml_hooks_add_by(threads, &peer->send_number, 1);
    pml_hooks_add_by(threads, &peer->sent[internal], 1);
    pml_hooks_add_by(threads, &peer->sent_bytes[internal], bytes);
    add_size(threads, &peer->sent_by_size[size_class(bytes)]);
    pml_hooks_add_by(threads, &sum->sent, 1);
    pml_hooks_add_by(threads, &sum->sent_bytes, bytes);
    pml_hooks_add_by(threads, &slice->sent, 1);
    pml_hooks_add_by(threads, &slice->sent_bytes, bytes);
    pml_hooks_record.head->last_event = now;
}

static inline __attribute__((always_inline)) void count_receive(bool threads,
                                                                struct pml_hooks_peer *peer,
                                                                int tag, uint32_t context,
                                                                uint64_t bytes, bool any_source,
                                                                uint64_t now)
{
    uint64_t number = peer->received[0] + peer->received[1];
    unsigned last = (unsigned)number & (PML_HOOKS_LAST - 1);
    uint32_t class = pml_hooks_class_of(tag);
    unsigned internal = class != PML_HOOKS_CLASS_USER;
    struct pml_hooks_class *sum = &pml_hooks_record.classes[class];
    struct pml_hooks_slice *slice = slice_at(now);
    struct pml_hooks_head *head = pml_hooks_record.head;

    peer->received_tags[last] = tag;
    peer->received_contexts[last] = context;
    widen_range(&peer->received_smallest, &peer->received_largest, bytes, number == 0);
    pml_hooks_add_by(threads, &peer->received[internal], 1);
    pml_hooks_add_by(threads, &peer->received_bytes[internal], bytes);
    add_size(threads, &peer->received_by_size[size_class(bytes)]);
    if (any_source) {
        pml_hooks_add_by(threads, &peer->received_any_source, 1);
        pml_hooks_add_by(threads, &head->receives_any_source, 1);
    }
    pml_hooks_add_by(threads, &sum->received, 1);
    pml_hooks_add_by(threads, &sum->received_bytes, bytes);
    pml_hooks_add_by(threads, &slice->received, 1);
    pml_hooks_add_by(threads, &slice->received_bytes, bytes);
    pml_hooks_add_by(threads, &head->completed, 1);
    head->last_event = now;
}

/* Each of the two once for programs with threads and once for others. */
void pml_hooks_count_send(struct pml_hooks_peer *peer, int tag, uint32_t context, uint64_t bytes,
                          uint64_t now)
{
    if (__builtin_expect(pml_hooks_threads, 0)) {
        count_send(true, peer, tag, context, bytes, now);
    } else {
        count_send(false, peer, tag, context, bytes, now);
    }
}

void pml_hooks_count_receive(struct pml_hooks_peer *peer, int tag, uint32_t context, uint64_t bytes,
                             bool any_source, uint64_t now)
{
    if (__builtin_expect(pml_hooks_threads, 0)) {
        count_receive(true, peer, tag, context, bytes, any_source, now);
    } else {
        count_receive(false, peer, tag, context, bytes, any_source, now);
    }
}

/* ---- waiting ----------------------------------------------------------------------------------
 */

/* Of a wait from begin to end, how long it was for something that happened at `stamp`. */
static inline uint64_t part_until(uint64_t stamp, uint64_t begin, uint64_t end)
{
    if (stamp <= begin) {
        return 0;
    }
    return (stamp < end ? stamp : end) - begin;
}

/* Waits below this many ticks are not asked about: the answer costs a line that the peer writes. */
enum { WORTH_ASKING = 8192 };

static void count_wait(int tag, uint64_t begin, uint64_t end)
{
    pml_hooks_add(&pml_hooks_record.classes[pml_hooks_class_of(tag)].wait_ticks, end - begin);
    pml_hooks_add(&slice_at(end)->wait_ticks, end - begin);
}

void pml_hooks_count_receive_wait(struct pml_hooks_peer *peer, int tag, uint32_t context,
                                  uint64_t begin, uint64_t end)
{
    bool known;
    uint64_t stamp;

    pml_hooks_add(&peer->receive_wait_ticks, end - begin);
    count_wait(tag, begin, end);
    if (end - begin < WORTH_ASKING) {
        return;
    }
    stamp = pml_hooks_peer_sent(peer, tag, context, &known);
    pml_hooks_add(known ? &peer->late_sender_known : &peer->late_sender_unknown, 1);
    pml_hooks_add(&peer->late_sender_ticks, known ? part_until(stamp, begin, end) : 0);
}

void pml_hooks_count_send_wait(struct pml_hooks_peer *peer, int tag, uint64_t begin, uint64_t end)
{
    bool known;
    uint64_t stamp;

    pml_hooks_add(&peer->send_wait_ticks, end - begin);
    count_wait(tag, begin, end);
    if (end - begin < WORTH_ASKING) {
        return;
    }
    stamp = pml_hooks_peer_received(peer, &known);
    pml_hooks_add(known ? &peer->late_receiver_known : &peer->late_receiver_unknown, 1);
    pml_hooks_add(&peer->late_receiver_ticks, known ? part_until(stamp, begin, end) : 0);
}
