/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The clocks of a job's hosts. On each host the process of the lowest rank measures how far its
 * clock is from that of rank 0's host: the answer says what that was, which was between the
 * question and now. The middle is taken, which is wrong by half of the time between at most. What
 * was measured last stays until a better one comes, or one that is better than what may have
 * drifted meanwhile. The others of its host read it in its record.
 */
#include "record/clocks.h"

#include <pthread.h>
#include <sys/mman.h>

#include "record/clock.h"

enum { DRIFT = 50000 /* ns in which two clocks drift apart by one, at most */, TRIES = 64 };
#define PERIOD_NS UINT64_C(1000000000) /* of asking again */

static uint32_t here, first; /* the lowest ranks of this host and of rank 0's */
static uint64_t due;         /* stamp at which to ask again */

/* The record of the lowest rank of this host, NULL as long as it is not there. */
static const struct record_head *lowest;
static size_t lowest_size;
static unsigned tries;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- ticks and nanoseconds --------------------------------------------------------------------
 */

/* Nanoseconds for a tick, and the two clocks of now. */
static double rate(uint64_t *clock, uint64_t *stamp)
{
    const struct record_head *head = record_own.head;

    record_read_clocks(clock, stamp);
    return *stamp > head->stamp_start
               ? (double)(*clock - head->clock_start) / (double)(*stamp - head->stamp_start)
               : 1.0;
}

uint64_t record_clock_at(uint64_t stamp)
{
    uint64_t clock, now;
    double per_tick = rate(&clock, &now);

    return clock - (uint64_t)(int64_t)((double)(int64_t)(now - stamp) * per_tick);
}

static uint64_t stamp_at(uint64_t when)
{
    uint64_t clock, now;
    double per_tick = rate(&clock, &now);

    return now - (uint64_t)(int64_t)((double)(int64_t)(clock - when) / per_tick);
}

uint64_t record_ticks(uint64_t nanoseconds)
{
    uint64_t clock, now;

    return (uint64_t)((double)nanoseconds / rate(&clock, &now));
}

/* ---- what is known ----------------------------------------------------------------------------
 */

/* The record that says it. It may not be there yet: tried now and then. */
static const struct record_head *find_lowest(void)
{
    (void)pthread_mutex_lock(&lock);
    if (lowest == NULL && tries < TRIES) {
        tries++;
        lowest = record_map(record_own.head->job, here, &lowest_size);
    }
    (void)pthread_mutex_unlock(&lock);
    return lowest;
}

/* The error of what a record says, with what the clocks may have drifted since then. */
static uint64_t aged(const struct record_head *head)
{
    uint64_t now = record_clock(), then = record_clock_at(head->clock_measured);

    return head->clock_error + (now > then ? (now - then) / DRIFT : 0);
}

bool record_clock_offset(uint64_t *offset, uint64_t *error)
{
    const struct record_head *head;

    if (here == first) {
        *offset = *error = 0;
        return true;
    }
    head = here == record_own.head->rank ? record_own.head : find_lowest();
    /* Acquire pairs with the release in record_clock_told. */
    if (head == NULL || __atomic_load_n(&head->clock_round_trips, __ATOMIC_ACQUIRE) == 0) {
        return false;
    }
    *offset = head->clock_reference - head->clock_start;
    *error = aged(head);
    return true;
}

/* ---- measuring --------------------------------------------------------------------------------
 */

void record_clocks_begin(uint32_t lowest_here, uint32_t lowest_first)
{
    here = lowest_here;
    first = lowest_first;
    tries = 0;
    due = 0;
}

bool record_clock_measures(void)
{
    return here != first && here == record_own.head->rank;
}

bool record_clock_due(void)
{
    uint64_t now = record_stamp();

    if (now < __atomic_load_n(&due, __ATOMIC_RELAXED)) {
        return false;
    }
    __atomic_store_n(&due, now + record_ticks(PERIOD_NS), __ATOMIC_RELAXED);
    return true;
}

void record_clock_told(uint64_t asked, uint64_t reference)
{
    struct record_head *head = record_own.head;
    uint64_t half = (record_clock() - asked) / 2, trips = head->clock_round_trips;

    if (trips == 0 || half + 1 <= aged(head)) {
        head->clock_reference = head->clock_start + (reference - (asked + half));
        head->clock_error = half + 1;
        head->clock_measured = record_stamp();
    }
    __atomic_store_n(&head->clock_round_trips, trips + 1, __ATOMIC_RELEASE);
}

void record_clocks_finish(void)
{
    struct record_head *head = record_own.head;
    uint64_t offset, error;

    if (record_clock_offset(&offset, &error)) {
        head->clock_reference = head->clock_start + offset;
        head->clock_error = error;
        head->clock_measured = record_stamp();
    }
    if (lowest != NULL) {
        head->clock_round_trips = lowest->clock_round_trips;
        (void)munmap((void *)(uintptr_t)lowest, lowest_size);
        lowest = NULL;
    }
    here = here != first ? head->rank : here; /* our own record says it from now on */
}

/* ---- answers ----------------------------------------------------------------------------------
 */

uint64_t record_answer(uint32_t rank, const struct record_question *question, uint64_t end,
                       uint64_t *error)
{
    const struct record_peer *me = record_peer_known(record_own.head->job, rank);
    uint64_t offset, stamp;
    bool known;

    if (!record_clock_offset(&offset, error)) {
        return 0;
    }
    stamp = question->is_send != 0
                ? record_entry_received(me, question->number, question->tag, question->context,
                                        end == 0 ? UINT64_MAX : stamp_at(end - offset), &known)
                : record_entry_sent(me, question->number, question->tag, question->context, &known);
    return known ? record_clock_at(stamp) + offset : 0;
}

void record_take_answer(uint32_t rank, const struct record_question *question, uint64_t when,
                        uint64_t error)
{
    uint64_t offset, own, begin, part;

    if (when == 0 || !record_clock_offset(&offset, &own)) {
        return;
    }
    begin = record_clock_at(question->begin) + offset;
    part = (int64_t)(when - begin) > 0 ? when - begin : 0;
    record_told_elsewhere(record_peer(record_own.head->job, rank), question, record_ticks(part),
                          record_ticks(own + error));
}
