/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_PROGRESS_LOCK_H
#define NI_ENGINE_PROGRESS_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "engine/core/engine_thread.h"
#include "engine/core/ni.h"

/* The progress lock: of the thread that polls, or that needs that nobody does. */

/* Take the progress lock, waiting for it; true if it was not ours already (then give it back). Who
 * has it may be in a callback that waits for a lock of the program's: so not in a call that may be
 * made under one (architecture.md). */
bool ni_progress_lock_take(struct ni *ni);
/* The same without waiting; false: another thread has it. */
bool ni_progress_lock_now(struct ni *ni, bool *taken);
void ni_progress_lock_give(struct ni *ni, bool taken);
/* The same for what calls the program, if at all, as its last step: an NI that is not shared needs
 * no lock for that, since nobody else polls before it is. */
static inline bool ni_progress_lock_take_shared(struct ni *ni)
{
    return ni->threads && ni_progress_lock_take(ni);
}
/* Take the progress lock if nobody has it; not if it is ours. Only with NI_THREADS or an engine
 * thread. */
bool ni_progress_lock_try(struct ni *ni);
/* Whether we have it; in an NI without threads, always. */
bool ni_progress_lock_is_ours(const struct ni *ni);
/* The same of an NI with threads. */
static inline bool ni_progress_lock_is_held(const struct ni *ni)
{
    return atomic_load_explicit(&ni->progress_owner, memory_order_relaxed) == ni_thread_self();
}

#endif
