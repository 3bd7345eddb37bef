/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_DEFERRED_H
#define NI_ENGINE_DEFERRED_H

#include "base/list.h"
#include "engine/core/ni.h"

/*
 * What could not be done at once, for lack of room or of the progress lock, and no peer has in one
 * of its lists: done by ni_send_progress. They count as work of ni->send.busy, so that polling asks
 * for both by one test.
 */
struct ni_deferred_call {
    struct ni_list list;
    /* In no list, the progress lock is ours, no lock is held. Frees it or, with result
     * false, adds it again, which an NI that closes is past. */
    bool (*run)(struct ni *ni, struct ni_deferred_call *deferred);
};

/* Have it run at the next progress, and not in this call. The NI's lock is not held, or held. */
void ni_deferred_call_add(struct ni *ni, struct ni_deferred_call *deferred);
void ni_deferred_call_add_locked(struct ni *ni, struct ni_deferred_call *deferred);
/* Run it within this call, if the progress lock is ours or can be had without waiting; else at the
 * next progress. No lock of the NI's is held. Any thread. */
void ni_deferred_call_do(struct ni *ni, struct ni_deferred_call *deferred);

/* Run those that are there. The progress lock is ours. Returns how many are done. */
unsigned ni_deferred_calls_run(struct ni *ni);

#endif
