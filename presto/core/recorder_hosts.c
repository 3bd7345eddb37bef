/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What recorded ranks of different hosts ask each other, and the clocks of their hosts: see
 * recorder.h and record/clocks.h. Questions and answers are puts without data (control.c); who is
 * asked answers when it makes progress, and nobody waits for that but when the rank begins or
 * leaves, for a moment.
 */
#include "core/recorder.h"

#include "record/clock.h"
#include "record/clocks.h"

enum {
    SLOTS = 64,
    ROUNDS = 12,
    STEPS = 8 /* of progress bring what has come, over any link */,
    NAME_BITS = 16,
    SLOT_BITS = 8,
    VALUE_BITS = 40
};
#define WORTH_NS  UINT64_C(250000)    /* of waiting for a rank is asked about at once */
#define BEGIN_NS  UINT64_C(300000000) /* the longest time in MPI_Init */
#define FINISH_NS UINT64_C(20000000)  /* and in MPI_Finalize */
#define LOOK_NS   UINT64_C(5000000)   /* of sending without a look for questions */

_Atomic uint64_t pri_recorder_next_look = UINT64_MAX;

static bool running; /* there are other hosts, and the record is open */
static uint64_t look_ticks;
static _Atomic uint64_t clock_asked; /* when, by the clock of this host; 0: nobody is asked now */
static _Atomic int settled;          /* ranks that do not ask rank 0 any more at their begin */

/* Questions without an answer. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct slot {
    struct record_question question;
    uint32_t rank;
    bool used;
} slots[SLOTS];
static _Atomic unsigned outstanding;

/* ---- messages -------------------------------------------------------------------------------- */

/* To a rank of the job, with 40 bits and a slot beside the others; false: it does not go. */
static bool tell(struct pri_rank *self, uint32_t rank, enum pri_control what, uint64_t bits,
                 uint64_t value, unsigned slot)
{
    const struct pri_peer *peer;

    if (rank >= (uint32_t)self->size) {
        return false;
    }
    peer = &self->peers[self->first + (int)rank];
    /* relaxed: a put to one that is down is in vain, and no more */
    return atomic_load_explicit(&peer->down, memory_order_relaxed) == 0 && peer->ni != NULL &&
           pri_control_put(self, peer->ni, bits, (value << SLOT_BITS | slot) << NAME_BITS, what) ==
               PRI_OK;
}

/* Who has sent it, as a rank of the job; of others it is none of these. */
static uint32_t sender(const struct pri_rank *self, const struct ni_event *event)
{
    return (uint32_t)(pri_peer_of(self, event) - self->first);
}

/* ---- questions ------------------------------------------------------------------------------- */

static void give_slot(unsigned slot)
{
    (void)pthread_mutex_lock(&lock);
    slots[slot].used = false;
    (void)pthread_mutex_unlock(&lock);
    atomic_fetch_sub_explicit(&outstanding, 1, memory_order_relaxed);
}

/* One that is free from now on this question's; SLOTS: there is none. */
static unsigned take_slot(uint32_t rank, const struct record_question *question)
{
    unsigned slot = 0;

    (void)pthread_mutex_lock(&lock);
    while (slot < SLOTS && slots[slot].used) {
        slot++;
    }
    if (slot < SLOTS) {
        slots[slot] = (struct slot){.question = *question, .rank = rank, .used = true};
        atomic_fetch_add_explicit(&outstanding, 1, memory_order_relaxed);
    }
    (void)pthread_mutex_unlock(&lock);
    return slot;
}

/* record_ask_elsewhere. */
static bool ask(struct record_peer *peer, const struct record_question *question)
{
    struct pri_rank *self = pri_self();
    uint64_t offset, error;
    unsigned slot;

    if (self == NULL || peer->job != record_own.head->job || peer->rank >= (uint32_t)self->size ||
        self->cold->near[peer->rank] || question->number >> VALUE_BITS != 0 ||
        !record_clock_offset(&offset, &error) ||
        (slot = take_slot(peer->rank, question)) == SLOTS) {
        return false;
    }
    if (!tell(
            self, peer->rank, question->is_send != 0 ? PRI_CONTROL_ASK_BEGUN : PRI_CONTROL_ASK_SENT,
            (uint64_t)question->context << 32 | (uint32_t)question->tag, question->number, slot)) {
        give_slot(slot);
        return false;
    }
    return true;
}

static void ask_clock(struct pri_rank *self)
{
    uint64_t none = 0;

    if (atomic_compare_exchange_strong_explicit(&clock_asked, &none, record_clock(),
                                                memory_order_relaxed, memory_order_relaxed) &&
        !tell(self, 0, PRI_CONTROL_ASK_CLOCK, 0, 0, 0)) {
        atomic_store_explicit(&clock_asked, 0, memory_order_relaxed);
    }
}

/* ---- what others ask and answer -------------------------------------------------------------- */

/* An answer of 0 is that it is not known, which goes for a rank that is not recorded, too. */
static void answer(struct pri_rank *self, const struct ni_event *event, uint32_t is_send)
{
    const uint64_t most = (UINT64_C(1) << VALUE_BITS) - 1;
    const struct record_question question = {
        .is_send = is_send,
        .tag = (int32_t)(uint32_t)event->match_bits,
        .context = (uint32_t)(event->match_bits >> 32),
        .number = event->hdr_data >> (NAME_BITS + SLOT_BITS),
    };
    uint32_t rank = sender(self, event);
    uint64_t error = 0, when = 0;

    if (record_own.head != NULL) {
        when = record_answer(rank, &question, 0, &error);
    }
    (void)tell(self, rank, PRI_CONTROL_ANSWER, when, error < most ? error : most,
               (unsigned)(event->hdr_data >> NAME_BITS) % (1U << SLOT_BITS));
}

static void take_answer(const struct pri_rank *self, const struct ni_event *event)
{
    unsigned slot = (unsigned)(event->hdr_data >> NAME_BITS) % (1U << SLOT_BITS);
    struct slot asked = {0};

    if (slot < SLOTS) {
        (void)pthread_mutex_lock(&lock);
        asked = slots[slot];
        (void)pthread_mutex_unlock(&lock);
    }
    if (!asked.used || asked.rank != sender(self, event)) {
        return;
    }
    if (running) {
        record_take_answer(asked.rank, &asked.question, event->match_bits,
                           event->hdr_data >> (NAME_BITS + SLOT_BITS));
    }
    give_slot(slot);
}

void pri_recorder_on_control(struct pri_rank *self, const struct ni_event *event,
                             enum pri_control what)
{
    uint64_t asked;

    switch (what) {
    case PRI_CONTROL_ASK_SENT:
    case PRI_CONTROL_ASK_BEGUN:
        answer(self, event, what == PRI_CONTROL_ASK_BEGUN);
        break;
    case PRI_CONTROL_ANSWER:
        take_answer(self, event);
        break;
    case PRI_CONTROL_ASK_CLOCK:
        (void)tell(self, sender(self, event), PRI_CONTROL_CLOCK, record_clock(), 0, 0);
        break;
    case PRI_CONTROL_CLOCK:
        asked = atomic_exchange_explicit(&clock_asked, 0, memory_order_relaxed);
        if (running && asked != 0) {
            record_clock_told(asked, event->match_bits);
        }
        break;
    case PRI_CONTROL_CLOCK_SETTLED:
        atomic_fetch_add_explicit(&settled, 1, memory_order_relaxed);
    default:
        break;
    }
}

/* ---- begin and end --------------------------------------------------------------------------- */

void pri_recorder_hosts_look(struct pri_rank *self, uint64_t now)
{
    atomic_store_explicit(&pri_recorder_next_look, now + look_ticks, memory_order_relaxed);
    if (record_clock_measures() && record_clock_due()) {
        ask_clock(self);
    }
}

void pri_recorder_hosts_sent(struct pri_rank *self)
{
    uint64_t next = atomic_load_explicit(&pri_recorder_next_look, memory_order_relaxed), now;

    if (next != UINT64_MAX && (now = record_stamp()) >= next) {
        pri_recorder_hosts_look(self, now);
        for (int i = 0; i < STEPS; i++) {
            (void)pri_progress(self);
        }
    }
}

/* The rank that measures for its host asks some times in a row, and rank 0 is there to answer until
 * all of other hosts say that this is over. */
static void measure(struct pri_rank *self, int far)
{
    uint64_t end = record_clock() + BEGIN_NS;

    if (self->rank == self->first) {
        while (atomic_load_explicit(&settled, memory_order_relaxed) < far && record_clock() < end) {
            pri_look(self);
        }
    }
    for (int i = 0; i < ROUNDS && record_clock_measures() && record_clock() < end; i++) {
        ask_clock(self);
        while (atomic_load_explicit(&clock_asked, memory_order_relaxed) != 0 &&
               record_clock() < end) {
            pri_look(self);
        }
    }
    if (!self->cold->near[0]) {
        (void)tell(self, 0, PRI_CONTROL_CLOCK_SETTLED, 0, 0, 0);
    }
    (void)record_clock_due();
}

void pri_recorder_hosts_begin(struct pri_rank *self)
{
    const bool *near = self->cold->near;
    int far = 0, lowest = -1;

    for (int i = 0; self->recorded && near != NULL && i < self->size; i++) {
        far += near[i] ? 0 : 1;
        lowest = near[i] && lowest < 0 ? i : lowest;
    }
    if (far == 0) {
        return;
    }
    record_clocks_begin((uint32_t)lowest, 0);
    running = true;
    measure(self, far);
    look_ticks = record_ticks(LOOK_NS);
    record_elsewhere_together = record_ticks(WORTH_NS);
    record_ask_elsewhere = ask;
    atomic_store_explicit(&pri_recorder_next_look, record_stamp(), memory_order_relaxed);
}

void pri_recorder_hosts_finish(struct pri_rank *self)
{
    uint64_t end = record_clock() + FINISH_NS;

    if (!running) {
        return;
    }
    record_ask_elsewhere = NULL;
    record_elsewhere_together = 0;
    atomic_store_explicit(&pri_recorder_next_look, UINT64_MAX, memory_order_relaxed);
    while (atomic_load_explicit(&outstanding, memory_order_relaxed) > 0 && record_clock() < end) {
        pri_look(self);
    }
    running = false;
    record_clocks_finish();
}
