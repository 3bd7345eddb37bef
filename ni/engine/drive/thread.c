/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <apeni/log.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/clock.h"
#include "engine/drive/place.h"
#include "engine/core/engine_thread.h"
#include "engine/core/lanes.h"
#include "engine/core/progress_lock.h"
#include "engine/drive/thread.h"
#include "link/link.h"

/*
 * Life, loop and sleep of the engine thread. It spins for a while only on a core of its own; on one
 * that it shares with other engines alone it gives that away between two looks. Then it naps, while
 * callers poll or while what it has to do cannot go on, or it sleeps as a waiting caller does: the
 * link's senders wake it.
 */

enum {
    AWAY_US = 50, /* without a poll of callers: they compute, and the thread polls for them */
    SPIN_US = 500,
    YIELDS = 4,
    NAP_STUCK_US = 50, /* a full lane, a helper that has not finished, a packet for a caller */
    NAP_US = 500,
    LOOK_MOST_US = 50000,  /* TILE: while callers are never found away */
    SLEEP_MOST_US = 10000, /* a wake-up may be missed: see the links */
};

static void futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t us)
{
    struct timespec timeout = {.tv_sec = (time_t)(us / 1000000),
                               .tv_nsec = (long)(us % 1000000) * 1000};

    (void)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &timeout, NULL, 0);
}

/* ---- callers and the thread ------------------------------------------------------------------ */

/* One that only naps, or sleeps, looks in time. */
void ni_engine_call(struct ni_engine *engine)
{
    (void)atomic_fetch_add_explicit(&engine->calls, 1, memory_order_relaxed);
    if (!atomic_load_explicit(&engine->begun, memory_order_relaxed)) {
        if (!atomic_exchange_explicit(&engine->begun, true, memory_order_relaxed)) {
            (void)ni_engine_start(engine->ni);
        }
    } else if (atomic_load(&engine->rest) == NI_REST_OFF) { /* W1: `async_puts` is the word */
        ni_engine_wake(engine);
    }
}

/* How long callers make no polls before they count as away. */
static uint64_t away_us(const struct ni *ni)
{
    return ni_has_back_end(ni) ? AWAY_US : ni->config->away_us;
}

/* Whether callers leave the polling to us. */
static bool away(struct ni_engine *engine, uint64_t now)
{
    uint32_t polls = atomic_load_explicit(&engine->polls, memory_order_relaxed);

    if (engine->ni->drive.place.placement == NI_PLACEMENT_EDGE ||
        atomic_load_explicit(&engine->waiters, memory_order_relaxed) != 0) {
        return true;
    }
    if (polls != engine->seen) {
        engine->seen = polls;
        engine->seen_ns = now;
    }
    return now - engine->seen_ns >= away_us(engine->ni) * 1000;
}

/* ---- sleep ----------------------------------------------------------------------------------- */

static void engine_nap(struct ni_engine *engine, uint64_t us)
{
    atomic_store(&engine->rest, NI_REST_NAPS);
    if (atomic_load(&engine->kicked) == 0) {
        futex_wait(&engine->kicked, 0, us);
    }
    atomic_store(&engine->rest, NI_REST_AWAKE);
}

static bool lanes_have(void *core)
{
    return ni_lanes_have(core);
}

/* Announced with the progress lock, slept without it. */
static void sleep_on_link(struct ni_engine *engine)
{
    struct ni *ni = engine->ni;
    struct ni_link *link = ni->link;
    uint64_t us = engine->sleep_us;
    bool armed;

    if (!ni_progress_lock_try(ni)) {
        engine_nap(engine, NAP_STUCK_US);
        return;
    }
    armed = ni->threads && link->ops->arm(link, lanes_have);
    if (armed) {
        ni_stat_add(&ni->stats.blocks, 1);
    }
    if ((ni->untidy & NI_UNTIDY_STAYS) != 0) {
        us = NAP_STUCK_US; /* nobody says when lines are composed */
    }
    ni_progress_lock_give(ni, true);
    if (!armed) {
        engine_nap(engine, NAP_STUCK_US);
        return;
    }
    atomic_store(&engine->rest, NI_REST_SLEEPS);
    link->ops->sleep(link, atomic_load(&engine->kicked) == 0 ? us : 0);
    atomic_store(&engine->rest, NI_REST_AWAKE);
    engine->sleep_us = ni_min_u64(2 * engine->sleep_us, SLEEP_MOST_US);
}

/* There was nothing to do. */
static void relax(struct ni_engine *engine, bool is_away, uint64_t now)
{
    const struct ni_placed *place = &engine->ni->drive.place;
    uint64_t spin = place->own || place->common ? SPIN_US * UINT64_C(1000) : 0;

    if (engine->since_ns == 0) {
        engine->since_ns = now;
    }
    if (is_away) {
        engine->look_us = away_us(engine->ni);
    }
    if (now - engine->since_ns < spin && place->common) {
        sched_yield();
    } else if (now - engine->since_ns < spin) {
        ni_pause();
    } else if (!is_away && !ni_has_back_end(engine->ni)) {
        engine_nap(engine, engine->look_us);
        /* A thread that runs for a moment on the core of a busy caller may cost it much more. */
        engine->look_us *= engine->look_us < LOOK_MOST_US ? 2 : 1;
    } else if (ni_back_has_work(engine->ni)) {
        engine_nap(engine, NAP_STUCK_US);
    } else if (!is_away) {
        engine_nap(engine, NAP_US);
    } else {
        sleep_on_link(engine);
    }
}

/* TILE: as long as no put needs asynchronous progress. What is waited for is looked at after the
 * announcement, and by those who change it before they look for one (W1). */
static void rest_off(struct ni_engine *engine)
{
    atomic_store(&engine->rest, NI_REST_OFF);
    while (atomic_load(&engine->ni->drive.async_puts) == 0 && !atomic_load(&engine->stop)) {
        atomic_store(&engine->kicked, 0);
        if (atomic_load(&engine->ni->drive.async_puts) == 0 && !atomic_load(&engine->stop)) {
            (void)syscall(SYS_futex, &engine->kicked, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
        }
    }
    atomic_store(&engine->rest, NI_REST_AWAKE);
    /* Who has called us is about to poll. */
    engine->seen_ns = ni_now_ns();
    engine->look_us = away_us(engine->ni);
}

/* Where one long put follows another, each would have to wake it: so not before a look finds that
 * there was none since the last one. */
static bool may_rest_off(struct ni_engine *engine)
{
    uint32_t calls = atomic_load_explicit(&engine->calls, memory_order_relaxed);
    bool called = calls != engine->answered;

    engine->answered = calls;
    return !ni_has_back_end(engine->ni) && !called &&
           atomic_load(&engine->ni->drive.async_puts) == 0;
}

/* ---- loop ------------------------------------------------------------------------------------ */

static void loop(struct ni_engine *engine)
{
    unsigned yields = 0;

    while (!atomic_load_explicit(&engine->stop, memory_order_acquire)) {
        uint64_t now;
        bool is_away;

        if (may_rest_off(engine)) {
            rest_off(engine);
        }
        now = ni_now_ns();
        is_away = away(engine, now);
        atomic_store(&engine->kicked, 0);
        if (ni_back_progress(engine, is_away) != 0) {
            engine->since_ns = 0;
            engine->sleep_us = NAP_US;
            yields = 0;
            ni_engine_tell(engine);
        } else if (!engine->ni->drive.place.own && yields < YIELDS) {
            yields++;
            sched_yield();
        } else {
            relax(engine, is_away, now);
        }
    }
}

static void *engine_main(void *arg)
{
    struct ni_engine *engine = arg;

    atomic_store_explicit(&engine->self, ni_thread_self(), memory_order_relaxed);
    engine->since_ns = 0;
    engine->seen_ns = ni_now_ns();
    engine->sleep_us = NAP_US;
    engine->look_us = away_us(engine->ni);
    loop(engine);
    atomic_store_explicit(&engine->self, 0, memory_order_relaxed);
    atomic_store_explicit(&engine->ended, true, memory_order_release);
    return NULL;
}

/* ---- life ------------------------------------------------------------------------------------ */

ni_status ni_engine_make(struct ni *ni, bool callbacks_on_caller)
{
    struct ni_engine *engine = ni_aligned_zero(NI_CACHE_LINE, sizeof(*engine));

    if (engine == NULL) {
        return NI_ERR_NOMEM;
    }
    engine->ni = ni;
    engine->callbacks_on_caller = callbacks_on_caller;
    ni_list_init(&engine->done);
    ni->drive.engine = engine;
    if (ni_has_back_end(ni)) {
        ni->poll_cases |= NI_POLL_ENGINE;
    }
    return NI_OK;
}

void ni_engine_free(struct ni *ni)
{
    ni_free(ni->drive.engine);
    ni->drive.engine = NULL;
}

/* On its core; where that is not allowed, wherever the process may run. */
static void bind_thread(struct ni_engine *engine)
{
    cpu_set_t set;
    int error;

    if (engine->ni->drive.place.cpu < 0) {
        return;
    }
    CPU_ZERO(&set);
    CPU_SET((size_t)engine->ni->drive.place.cpu, &set);
    error = pthread_setaffinity_np(engine->thread, sizeof(set), &set);
    if (error != 0) {
        ni_log(NI_LOG_WARN, "the engine thread cannot be bound to core %d: %s",
               engine->ni->drive.place.cpu, strerror(error));
        engine->ni->drive.place.cpu = -1;
        engine->ni->drive.place.own = false;
        engine->ni->drive.place.common = false;
    }
}

static void tell_no_thread(const struct ni *ni, const char *why)
{
    if (ni_has_back_end(ni)) {
        ni_log(NI_LOG_ERROR,
               "no engine thread for placement %s: %s; set the parameter placement to tile",
               ni_placement_name(ni->drive.place.placement), why);
    } else {
        ni_log(
            NI_LOG_WARN,
            "long messages wait while the program computes, because there is no thread that sends "
            "them: %s; allow one more (ulimit -u), or set the parameter away_us to 0",
            why);
    }
}

ni_status ni_engine_start(struct ni *ni)
{
    struct ni_engine *engine = ni->drive.engine;
    sigset_t all, before;
    int error;

    atomic_store_explicit(&engine->stop, false, memory_order_relaxed);
    atomic_store_explicit(&engine->ended, false, memory_order_relaxed);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&engine->thread, NULL, engine_main, engine);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0) {
        atomic_store_explicit(&engine->ended, true, memory_order_relaxed); /* callers do it all */
        tell_no_thread(ni, strerror(error));
        return NI_ERR_SYSTEM;
    }
    engine->running = true;
    (void)pthread_setname_np(engine->thread, "apelink-engine");
    bind_thread(engine);
    return NI_OK;
}

bool ni_engine_stop(struct ni *ni, uint64_t limit_ns)
{
    struct ni_engine *engine = ni->drive.engine;
    uint64_t begin = ni_now_ns();

    if (!engine->running) {
        return true;
    }
    atomic_store(&engine->stop, true);
    ni_engine_wake(engine);
    while (limit_ns != UINT64_MAX && !atomic_load_explicit(&engine->ended, memory_order_acquire)) {
        if (ni_now_ns() - begin > limit_ns) {
            return false;
        }
        sched_yield();
    }
    (void)pthread_join(engine->thread, NULL);
    engine->running = false;
    return true;
}

/* One that was asked to stop and has not yet may stop later all the same: then callers do all. */
void ni_engine_restart(struct ni *ni)
{
    if (!ni->drive.engine->running) {
        if (ni_has_back_end(ni) || ni->drive.engine->begun) {
            (void)ni_engine_start(ni);
        }
    } else {
        atomic_store_explicit(&ni->drive.engine->stop, false, memory_order_relaxed);
    }
}
