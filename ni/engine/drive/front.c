/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/clock.h"
#include "engine/drive/place.h"
#include "engine/core/engine_thread.h"
#include "engine/core/op.h"
#include "engine/core/peer.h"
#include "engine/core/portal_ops.h"
#include "engine/core/progress_lock.h"
#include "engine/drive/progress.h"
#include "engine/drive/thread.h"
#include "engine/drive/peer_down.h"

/*
 * The front end: calls of the program where there is an engine thread. SPLIT: small packets in and
 * out. EDGE: what the thread has left for a caller, nothing else. Within a callback, where the
 * thread does not get the progress lock, all that there is.
 */

enum {
    FRONT_SPINS = 200, /* empty polls before a waiter yields */
    FRONT_YIELDS = 20, /* and before it sleeps */
};

static bool has_engine_ended(const struct ni_engine *engine)
{
    return atomic_load_explicit(&engine->ended, memory_order_acquire);
}

/* What the thread has put by for a caller. */
unsigned ni_front_hand_out(struct ni *ni)
{
    unsigned events;

    if (!ni->drive.engine->callbacks_on_caller) {
        return 0;
    }
    events = ni_ops_deliver(ni);
    return ni->portal_ops != NULL ? events + ni->portal_ops->tell(ni) : events;
}

/* One round; the progress lock is ours. */
static unsigned poll_front(struct ni *ni)
{
    /* The thread cannot help us: it does not get the progress lock, or is not there. */
    bool all = ni->depth != 0 || has_engine_ended(ni->drive.engine);
    unsigned events = 0;

    ni->depth++;
    events += ni_front_hand_out(ni);
    events += ni->link->ops->progress(ni->link);
    events += ni_lanes_poll(ni);
    events += ni_move(ni, all ? NI_MOVE_ALL : NI_MOVE_SHORT | NI_MOVE_PORTALS);
    if (--ni->depth == 0) {
        events += ni_tidy(ni, true);
    }
    if (events == 0) {
        ni_idle(ni);
    }
    ni_peers_settle(ni);
    return events;
}

/* The same with TILE, where callers do all. */
static unsigned poll_shared(struct ni *ni)
{
    unsigned events;

    ni->depth++;
    events = ni_front_hand_out(ni);
    ni->depth--;
    return events + ni_poll_all(ni);
}

unsigned ni_front_progress(struct ni *ni)
{
    struct ni_engine *engine = ni->drive.engine;
    bool nested = ni_progress_lock_is_ours(ni);
    unsigned events;

    ni_engine_polled(engine);
    /* Pairs with the release in ni_engine_leave. */
    if (engine->ni->drive.place.placement == NI_PLACEMENT_EDGE && !nested &&
        atomic_load_explicit(&engine->left, memory_order_acquire) == 0 &&
        !has_engine_ended(engine)) {
        return 0;
    }
    if (!nested && !ni_progress_lock_try(ni)) {
        return 0;
    }
    atomic_store_explicit(&engine->left, 0, memory_order_relaxed);
    events = ni_has_back_end(ni) ? poll_front(ni) : poll_shared(ni);
    if (!nested && !ni_has_back_end(ni)) {
        ni_async_progress_end(ni);
    }
    ni_progress_lock_give(ni, !nested);
    return events;
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* Until there are news of the thread: it polls meanwhile. */
static void block_front(struct ni *ni, uint32_t seen, uint64_t us)
{
    struct ni_engine *engine = ni->drive.engine;
    struct timespec timeout = {.tv_sec = (time_t)(us / 1000000),
                               .tv_nsec = (long)(us % 1000000) * 1000};

    ni_stat_add(&ni->stats.blocks, 1);
    /* As W1, the other way round. */
    (void)atomic_fetch_add(&engine->waiters, 1);
    ni_engine_kick(ni);
    if (atomic_load(&engine->news) == seen) {
        (void)syscall(SYS_futex, &engine->news, FUTEX_WAIT_PRIVATE, seen, &timeout, NULL, 0);
    }
    (void)atomic_fetch_sub(&engine->waiters, 1);
}

/* Within a callback the thread can do nothing, so it is not waited for. */
unsigned ni_front_wait(struct ni *ni, uint64_t timeout_us)
{
    struct ni_engine *engine = ni->drive.engine;
    uint32_t seen = atomic_load(&engine->news);
    uint64_t end = 0;

    for (unsigned empty = 0;; empty++) {
        unsigned events = ni_front_progress(ni);
        uint64_t now;

        if (events != 0 || timeout_us == 0) {
            return events;
        }
        if (atomic_load(&engine->news) != seen) {
            return 1;
        }
        if (empty < FRONT_SPINS) {
            ni_pause();
            continue;
        }
        now = ni_now_ns() / 1000;
        end = end == 0 ? now + ni_min_u64(timeout_us, UINT64_MAX - now) : end;
        if (now >= end) {
            return 0;
        }
        if (empty < FRONT_SPINS + FRONT_YIELDS || ni->config->block_us == 0 ||
            ni_progress_lock_is_ours(ni)) {
            ni_stat_add(&ni->stats.yields, 1);
            sched_yield();
        } else {
            block_front(ni, seen, ni_min_u64(end - now, ni->config->block_us));
        }
    }
}

/* ---- for people ------------------------------------------------------------------------------ */

enum ni_placement ni_placement(const struct ni *ni)
{
    return ni->drive.place.placement;
}

int ni_placement_describe(const struct ni *ni, char *text, size_t size)
{
    const struct ni_placed *place = &ni->drive.place;

    if (!ni_has_back_end(ni)) {
        return snprintf(text, size, "tile: %s", place->why);
    }
    if (place->cpu < 0) {
        return snprintf(text, size, "%s, engine thread on any core: %s",
                        ni_placement_name(place->placement), place->why);
    }
    return snprintf(text, size, "%s, engine thread on core %d: %s",
                    ni_placement_name(place->placement), place->cpu, place->why);
}
