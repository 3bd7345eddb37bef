/* SPDX-License-Identifier: BSD-3-Clause */
/* Slices of time, and what is counted as far as it is not inline. */
#include <pthread.h>

#include "record/count.h"

bool record_threads;
uint64_t record_slice_end, record_slice_most;
void (*record_look_at_queues)(void);
bool (*record_ask_elsewhere)(struct record_peer *peer, const struct record_question *question);

/* ---- slices of time ---------------------------------------------------------------------------
 */

/*
 * A slice is what the sums of all classes have grown by while it was that of now: it is written
 * when it ends, and at times before.
 */
static struct record_slice before; /* the sums of the slices before that of now */
static uint64_t slice_index;
static uint64_t slice_end;   /* record_slice_end if nobody wants to be asked before */
static unsigned slice_shift; /* a slice is 2^slice_shift ticks long */

/* What has been counted so far. */
static struct record_slice all_classes(void)
{
    struct record_slice sum = {0};

    for (uint32_t i = 0; i < RECORD_CLASSES; i++) {
        const struct record_class *class = &record_own.classes[i];

        sum.sent += RECORD_READ(class->sent);
        sum.sent_bytes += RECORD_READ(class->sent_bytes);
        sum.received += RECORD_READ(class->received);
        sum.received_bytes += RECORD_READ(class->received_bytes);
        sum.wait_ticks += RECORD_READ(class->wait_ticks);
    }
    return sum;
}

/* Write the slice of now; returns all that has been counted. */
static struct record_slice write_slice(void)
{
    struct record_slice sum = all_classes();

    record_own.slices[slice_index] = (struct record_slice){
        .sent = sum.sent - before.sent,
        .sent_bytes = sum.sent_bytes - before.sent_bytes,
        .received = sum.received - before.received,
        .received_bytes = sum.received_bytes - before.received_bytes,
        .wait_ticks = sum.wait_ticks - before.wait_ticks,
    };
    return sum;
}

static void set_width(unsigned shift)
{
    slice_shift = shift;
    record_own.head->slice_ticks = UINT64_C(1) << shift;
}

/* From now on the slice of this number is that of now. */
static void set_slice(uint64_t index)
{
    struct record_head *head = record_own.head;

    slice_index = index;
    if (index >= head->slice_count) {
        head->slice_count = (uint32_t)index + 1;
    }
    slice_end = head->stamp_start + ((index + 1) << slice_shift);
}

void record_slices_begin(unsigned shift)
{
    before = (struct record_slice){0};
    set_width(shift);
    record_own.head->slice_count = 0;
    set_slice(0);
    __atomic_store_n(&record_slice_end, slice_end, __ATOMIC_RELAXED);
}

/* Two slices become one, so that the same number of them lasts twice as long. */
static void widen_slices(void)
{
    struct record_slice *slices = record_own.slices;

    for (uint32_t i = 0; i < RECORD_SLICES / 2; i++) {
        const struct record_slice *a = &slices[2 * i], *b = a + 1;

        slices[i] = (struct record_slice){
            .sent = a->sent + b->sent,
            .sent_bytes = a->sent_bytes + b->sent_bytes,
            .received = a->received + b->received,
            .received_bytes = a->received_bytes + b->received_bytes,
            .wait_ticks = a->wait_ticks + b->wait_ticks,
        };
    }
    memset(slices + RECORD_SLICES / 2, 0, sizeof(*slices) * (RECORD_SLICES / 2));
    set_width(slice_shift + 1);
    record_own.head->slice_count = RECORD_SLICES / 2;
}

void record_slice_next(uint64_t now)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const struct record_head *head = record_own.head;
    struct record_slice sum;

    (void)pthread_mutex_lock(&lock);
    sum = write_slice();
    if (now >= slice_end) {
        uint64_t index;

        before = sum;
        while ((index = (now - head->stamp_start) >> slice_shift) >= RECORD_SLICES) {
            widen_slices();
        }
        set_slice(index);
    }
    if (record_slice_most == 0 || slice_end - now < record_slice_most) {
        now = slice_end - record_slice_most;
    }
    __atomic_store_n(&record_slice_end, now + record_slice_most, __ATOMIC_RELAXED);
    (void)pthread_mutex_unlock(&lock);
}

void record_slice_passed(uint64_t now)
{
    bool asked =
        __atomic_load_n(&record_slice_end, __ATOMIC_RELAXED) == 0 || record_own.head->samples == 0;

    record_slice_next(now);
    if (asked && record_look_at_queues != NULL) {
        record_look_at_queues();
    }
}

void record_look_soon(void)
{
    if (record_look_at_queues != NULL) {
        __atomic_store_n(&record_slice_end, 0, __ATOMIC_RELAXED);
    }
}

void record_depths(uint64_t posted, uint64_t unexpected)
{
    struct record_head *head = record_own.head;
    bool first = head->samples == 0;

    head->posted_queue_now = posted;
    head->unexpected_queue_now = unexpected;
    if (first || posted > head->posted_queue_greatest) {
        head->posted_queue_greatest = posted;
    }
    if (first || unexpected > head->unexpected_queue_greatest) {
        head->unexpected_queue_greatest = unexpected;
    }
    head->posted_sum += posted;
    head->unexpected_sum += unexpected;
    head->samples++;
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

/* So many ticks of a wait, for all that it speaks for. */
static uint64_t of_share(const struct record_share *share, uint64_t part, uint64_t wait)
{
    return share->waits == 1 ? part : part * share->ticks / wait;
}

/* What is asked about a wait, but for who asks. */
static struct record_question question_of(bool is_send, uint32_t class, uint64_t number, int tag,
                                          uint32_t context, uint64_t begin, uint64_t end)
{
    return (struct record_question){.is_send = is_send ? 1 : 0,
                                    .is_internal = class != RECORD_CLASS_USER ? 1 : 0,
                                    .tag = tag,
                                    .context = context,
                                    .number = number,
                                    .begin = begin,
                                    .end = end};
}

/* It was `part` ticks of a wait. */
static void add_part(struct record_peer *peer, const struct record_question *question,
                     uint64_t part)
{
    const struct record_share *share = &question->share;
    uint64_t ticks = of_share(share, part, question->end - question->begin);
    bool is_send = question->is_send != 0;

    record_add(is_send ? &peer->late_receiver_known : &peer->late_sender_known, share->waits);
    record_add(is_send ? &peer->late_receiver_ticks : &peer->late_sender_ticks, ticks);
    if (question->is_internal != 0) {
        record_add(is_send ? &peer->late_receiver_internal : &peer->late_sender_internal,
                   share->waits);
        record_add(is_send ? &peer->late_receiver_internal_ticks
                           : &peer->late_sender_internal_ticks,
                   ticks);
    }
}

/* It was `part` ticks, more or less by `error`, of a wait of which nothing was known. */
static void take_part(struct record_peer *peer, const struct record_question *question,
                      uint64_t part, uint64_t error, bool inferred)
{
    const struct record_share *share = &question->share;
    uint64_t wait = question->end - question->begin;
    bool is_send = question->is_send != 0;

    record_add(is_send ? &peer->late_receiver_unknown : &peer->late_sender_unknown, -share->waits);
    add_part(peer, question, part < wait ? part : wait);
    record_add(is_send ? &peer->late_receiver_error_ticks : &peer->late_sender_error_ticks,
               of_share(share, error < wait ? error : wait, wait));
    if (inferred) {
        record_add(is_send ? &peer->late_receiver_inferred : &peer->late_sender_inferred,
                   share->waits);
    }
}

void record_told_elsewhere(struct record_peer *peer, const struct record_question *question,
                           uint64_t part, uint64_t error)
{
    take_part(peer, question, part, error, error > question->end - question->begin);
}

/* Of a wait for a message of so many bytes of which this host's records say nothing: have the peer
 * asked; if it cannot be asked, infer. */
static void ask_elsewhere(struct record_peer *peer, const struct record_question *question,
                          uint64_t bytes)
{
    uint64_t wait = question->end - question->begin, part;
    bool is_send = question->is_send != 0;

    record_add(is_send ? &peer->late_receiver_unknown : &peer->late_sender_unknown,
               question->share.waits);
    if (record_ask_elsewhere != NULL && record_ask_elsewhere(peer, question)) {
        return;
    }
    if (record_peer_infer(peer, is_send, bytes, wait, &part)) {
        take_part(peer, question, part, wait - part, true);
    }
}

void record_ask_sender(uint32_t class, struct record_peer *peer, int tag, uint32_t context,
                       uint64_t bytes, uint64_t begin, uint64_t end)
{
    struct record_question question;
    uint64_t stamp;
    bool known;

    question = question_of(false, class, peer->received_number, tag, context, begin, end);
    if (!record_peer_due(peer, false, end - begin, &question.share)) {
        return;
    }
    stamp = record_peer_sent(peer, tag, context, &known);
    if (known) {
        add_part(peer, &question, part_until(stamp, begin, end));
    } else {
        ask_elsewhere(peer, &question, bytes);
    }
}

/* Of a wait for a send: how much of it was before its receive began, if it is to be asked. */
static void ask_receiver(uint32_t class, struct record_peer *peer, uint64_t number, int tag,
                         uint32_t context, uint64_t bytes, uint64_t begin, uint64_t end)
{
    struct record_question question;
    uint64_t stamp;
    bool known;

    question = question_of(true, class, number, tag, context, begin, end);
    if (!record_peer_due(peer, true, end - begin, &question.share)) {
        return;
    }
    stamp = record_peer_received(peer, number, tag, context, end, &known);
    if (known) {
        add_part(peer, &question, part_until(stamp, begin, end));
    } else {
        ask_elsewhere(peer, &question, bytes);
    }
}

void record_count_send_wait(uint32_t class, struct record_peer *peer, uint64_t number, int tag,
                            uint32_t context, uint64_t bytes, uint64_t begin, uint64_t end)
{
    record_add(&peer->send_wait_ticks, end - begin);
    if (class != RECORD_CLASS_USER) {
        record_add(&peer->send_wait_internal_ticks, end - begin);
    }
    record_slice_at(end);
    record_add(&record_own.classes[class].wait_ticks, end - begin);
    if (end - begin >= RECORD_WORTH_ASKING) {
        ask_receiver(class, peer, number, tag, context, bytes, begin, end);
    }
}
