/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_THREAD_H
#define NI_ENGINE_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/core/engine_thread.h"
#include "engine/core/ni.h"

/*
 * The engine thread of an NI with placement EDGE or SPLIT (soNUMA-NI 4). It takes the progress lock
 * as callers do, and gives it away while it copies (unlocked_copy.h): so all of the engine's rules
 * hold for it.
 *
 *   thread.c  its life, its loop, its sleep          front.c  ni_progress and ni_wait of callers
 *   back.c    what it does                           place.c  its core
 *   async_progress.c  when there is one with TILE
 *
 * With TILE callers do everything. But who has started a long put may compute, while its target
 * needs this side to poll for its data (`async_puts`). For that there is a thread, begun for the
 * first such put: when callers have not polled for away_us it does, as one more caller. Without
 * NI_THREADS the NI is *shared* meanwhile: it takes its locks, as if it had been opened with it. It
 * becomes so at the end of the call that starts the put, where no lock is held and nobody is within
 * a callback, and ceases to be so in a poll that finds none, under the progress lock. So
 * what is frequent knows nothing of it.
 *
 * An NI that was opened without NI_THREADS has its callbacks on the caller (`callbacks_on_caller`):
 * the thread leaves alone what would make one, and says so (`left`).
 */

/* A caller polls. Several threads may count; all that matters is that it changes. */
static inline void ni_engine_polled(struct ni_engine *engine)
{
    atomic_store_explicit(&engine->polls,
                          atomic_load_explicit(&engine->polls, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

/* Make the engine of an NI. The thread comes with ni_engine_start. */
ni_status ni_engine_make(struct ni *ni, bool callbacks_on_caller);
void ni_engine_free(struct ni *ni);
/* Start the thread. Errors are logged. */
ni_status ni_engine_start(struct ni *ni);
/* End it; the progress lock is not ours. Waits for limit_ns at most, UINT64_MAX: as long as it
 * takes. False: it has not ended yet, and does so when it can. */
bool ni_engine_stop(struct ni *ni, uint64_t limit_ns);

/* After a stop that was for a while. */
void ni_engine_restart(struct ni *ni);

/* TILE: a put needs asynchronous progress; the thread may be resting. Any thread that is not the
 * engine's. */
void ni_engine_call(struct ni_engine *engine);

/* back.c: one round; away: callers do not poll. Returns events. The thread, without the progress
 * lock. */
unsigned ni_back_progress(struct ni_engine *engine, bool away);
/* Whether the back end has long transfers, or packets that wait for room. */
bool ni_back_has_work(const struct ni *ni);
/* Whether the thread may take a packet: it would call nobody. The progress lock is ours. */
bool ni_back_takes(struct ni *ni, uint64_t word0, uint64_t word1);

/* front.c: ni_progress and ni_wait with an engine. */
unsigned ni_front_progress(struct ni *ni);
/* Hand out what the thread has put by for callers. The progress lock is ours, or the thread has
 * ended. */
unsigned ni_front_hand_out(struct ni *ni);
unsigned ni_front_wait(struct ni *ni, uint64_t timeout_us);

/* async_progress.c: a call that may have started a long put ends: if it needs asynchronous
 * progress, see that it moves without callers. No lock is held. Any thread. */
void ni_async_progress_begin(struct ni *ni);
/* If no put needs that any more a shared NI is its program's alone again. The end of a poll; the
 * progress lock is ours since its beginning. */
void ni_async_progress_end(struct ni *ni);
/* Whether puts of this NI ever need that. */
static inline bool ni_async_progress_possible(const struct ni *ni)
{
    return ni->drive.engine != NULL && !ni_has_back_end(ni);
}

/* One put more that needs it, or less. The NI's lock is held. */
void ni_async_progress_need(struct ni *ni);
static inline void ni_async_progress_done(struct ni *ni)
{
    (void)atomic_fetch_sub_explicit(&ni->drive.async_puts, 1, memory_order_relaxed);
}

#endif
