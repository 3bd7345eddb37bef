/* SPDX-License-Identifier: BSD-3-Clause */
#include <sched.h>
#include <time.h>

#include <apeni/ni.h>

#include "base/bits.h"
#include "base/clock.h"
#include "engine/core/lanes.h"
#include "engine/core/progress_lock.h"
#include "engine/drive/progress.h"
#include "engine/drive/thread.h"

/* Waiting: spin, then yield, then sleep. */

enum {
    NI_SPIN_ROOM = 20000, /* empty polls before a waiter yields, with a core for each process */
    NI_SPIN_SOME = 50,    /* nobody has said whether there is one. Also towards other hosts: there
                             each poll asks the kernel, and a yield takes no longer */
    NI_SPIN_CROWD = 8, /* without; of lanes, not of polls: the more peers share the cores, the less
                          probable is it that the one that we wait for runs */
    NI_CLOCK_POLLS = 64,   /* looks at the clock, which takes as long as several polls ... */
    NI_CLOCK_FIRST = 8,    /* ... and not before most of what takes a line's way has come */
    NI_IDLE_LOOKS = 64,    /* fewer polls without an event are no wait, however long they took */
    NI_BLOCK_FULL_US = 50, /* sleep while a lane is full, or descriptors may be composed */
};

static bool has_work(void *core)
{
    struct ni *ni = core;

    return ni_lanes_have(ni) || ni_bulk_to_move(ni) != 0;
}

/* Whether the cores are fewer than those who wait, where each process is taken to have as many
 * threads that do as ours. */
static bool crowded(const struct ni *ni)
{
    uint64_t processes = ni_max_u64(ni->drive.host_processes, 1);
    uint64_t waiters = atomic_load_explicit(&ni->drive.waiters, memory_order_relaxed);

    return processes * ni_max_u64(waiters, 1) > ni->drive.host_cores;
}

/* Of lanes the statistic: the progress lock, which guards them, may be another thread's. */
static uint64_t spin_limit(const struct ni *ni)
{
    if (ni->config->spin != 0) {
        return ni->config->spin;
    }
    if (crowded(ni)) {
        return NI_SPIN_CROWD / (ni_stat_get(&ni->stats.rings) + 1) + 1;
    }
    return ni->drive.host_processes == 0 || ni_reaches_hosts(ni) ? NI_SPIN_SOME : NI_SPIN_ROOM;
}

/* Sleep while another thread has the progress lock, which polls or sleeps for us, too. It does not
 * wake us when it finds what is ours: for a short time only. */
static void nap_beside_holder(struct ni *ni, uint64_t us)
{
    struct timespec time = {.tv_nsec = (long)ni_min_u64(us, NI_BLOCK_FULL_US) * 1000};

    ni_stat_add(&ni->stats.blocks, 1);
    (void)nanosleep(&time, NULL);
}

/* Sleep. Nobody wakes us when a full lane has room again, or when another thread composes a
 * descriptor, so then for a short time only; and not at all while something is left to do, such as
 * a packet that its queue cannot take yet. */
static void block_on_link(struct ni *ni, uint64_t us)
{
    bool taken = !ni_progress_lock_is_ours(ni);
    bool work;

    if (taken && !ni_progress_lock_try(ni)) {
        nap_beside_holder(ni, us);
        return;
    }
    work = has_work(ni);
    if (!work) {
        ni_stat_add(&ni->stats.blocks, 1);
        if (ni_work_count(&ni->send.busy) != 0 ||
            (ni->untidy & (NI_UNTIDY_STAYS | NI_UNTIDY_QUEUES)) != 0) {
            us = ni_min_u64(us, NI_BLOCK_FULL_US);
        }
        ni->link->ops->wait(ni->link, us, has_work);
    }
    ni_progress_lock_give(ni, taken);
    if (work) {
        ni_stat_add(&ni->stats.yields, 1);
        sched_yield();
    }
}

void ni_relax(struct ni *ni, unsigned empty_polls, uint64_t limit_us)
{
    uint64_t spins = spin_limit(ni);

    if (ni_has_back_end(ni) && empty_polls >= spins) {
        (void)ni_front_wait(ni, limit_us); /* the thread waits for the link */
    } else if (empty_polls < spins) {
        ni_pause();
    } else if (empty_polls < spins + ni->config->yield || ni->config->block_us == 0) {
        ni_stat_add(&ni->stats.yields, 1);
        sched_yield();
    } else {
        block_on_link(ni, ni_min_u64(limit_us, ni->config->block_us));
    }
}

/* Where others have the cores, one yield can take longer than the whole wait, and who waits again
 * and again would never sleep. A wait that got no further than its yields says so, and the next one
 * sleeps at once. Relaxed: no other data depends on it, and a thread more or less may sleep. */
static unsigned polls_done(struct ni *ni)
{
    if (atomic_load_explicit(&ni->drive.yielded, memory_order_relaxed)) {
        atomic_store_explicit(&ni->drive.yielded, false, memory_order_relaxed);
        return (unsigned)ni_min_u64(spin_limit(ni) + ni->config->yield, UINT32_MAX / 2);
    }
    return 0;
}

static void note_yields(struct ni *ni, unsigned empty)
{
    uint64_t spins = spin_limit(ni);

    if (empty > spins && empty <= spins + ni->config->yield) {
        atomic_store_explicit(&ni->drive.yielded, true, memory_order_relaxed);
    }
}

static unsigned wait_in_turns(struct ni *ni, uint64_t timeout_us)
{
    uint64_t end = 0;
    unsigned empty = polls_done(ni);

    for (;;) {
        unsigned events = ni_progress(ni);
        uint64_t now;

        if (events != 0 || timeout_us == 0 || ni->forked) {
            return events;
        }
        if (++empty % NI_CLOCK_POLLS != NI_CLOCK_FIRST && empty < spin_limit(ni)) {
            ni_relax(ni, empty, 0);
            continue;
        }
        now = ni_now_ns() / 1000;
        end = end == 0 ? now + ni_min_u64(timeout_us, UINT64_MAX - now) : end;
        if (now >= end) {
            note_yields(ni, empty);
            return 0;
        }
        ni_relax(ni, empty, end - now);
    }
}

unsigned ni_wait(struct ni *ni, uint64_t timeout_us)
{
    bool counted = ni->threads;
    unsigned events;

    if (ni_has_back_end(ni) && !ni->forked) {
        return ni_front_wait(ni, timeout_us);
    }
    if (counted) {
        (void)atomic_fetch_add_explicit(&ni->drive.waiters, 1, memory_order_relaxed);
    }
    events = wait_in_turns(ni, timeout_us);
    if (counted) {
        (void)atomic_fetch_sub_explicit(&ni->drive.waiters, 1, memory_order_relaxed);
    }
    return events;
}

/* ---- waiters that look at other things, too -------------------------------------------------- */

/* Statistics of what all threads find: no other data depends on them. */
static bool is_ni_idle(struct ni *ni)
{
    uint64_t now = ni_now_ns();
    uint64_t since = atomic_load_explicit(&ni->drive.idle_since, memory_order_relaxed);
    uint32_t looks = atomic_load_explicit(&ni->drive.idle_looks, memory_order_relaxed);

    if (since == 0) {
        atomic_store_explicit(&ni->drive.idle_since, now, memory_order_relaxed);
        atomic_store_explicit(&ni->drive.idle_looks, 0, memory_order_relaxed);
        return false;
    }
    if (looks < NI_IDLE_LOOKS) {
        atomic_store_explicit(&ni->drive.idle_looks, looks + 1, memory_order_relaxed);
        return false;
    }
    return now - since >= ni->config->idle_us * UINT64_C(1000);
}

unsigned ni_progress_or_sleep(struct ni *ni)
{
    unsigned events = ni_progress(ni);

    if (events == 0 && ni->config->idle_us != 0 && !ni->forked && is_ni_idle(ni) &&
        !(ni_progress_lock_is_ours(ni) && ni->depth != 0)) {
        if (ni_has_back_end(ni)) {
            events = ni_front_wait(ni, ni->config->block_us);
        } else {
            block_on_link(ni, ni->config->block_us);
            events = ni_progress(ni);
        }
    }
    if (events != 0) {
        atomic_store_explicit(&ni->drive.idle_since, 0, memory_order_relaxed);
    }
    return events;
}

bool ni_may_sleep(const struct ni *ni)
{
    return ni->config->idle_us != 0;
}
