/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/core/engine_thread.h"
#include "engine/core/peer.h"
#include "engine/core/portal_ops.h"
#include "engine/core/progress_lock.h"
#include "engine/drive/thread.h"

/*
 * Long puts that need this side to poll, while its program may be away: see thread.h.
 */

/* Whether the NI takes its locks, and has events wait that its thread causes. The progress lock is
 * ours, and nobody has any other lock. */
static void set_shared(struct ni *ni, bool shared)
{
    ni->untidy &= ~(uint32_t)NI_UNTIDY_ASYNC;
    ni->threads = shared;
    if (shared) {
        ni->poll_cases |= NI_POLL_ENGINE;
    } else {
        ni->poll_cases &= (uint8_t)~NI_POLL_ENGINE;
    }
    for (NI_LIST_EACH(node, &ni->core.peers)) { /* only this thread adds one */
        struct ni_peer *peer = ni_container_of(node, struct ni_peer, core.all);

        peer->threads = shared;
        /* Of calls that have begun before: see ni_peer_leave. */
        atomic_store_explicit(&peer->callers, 0, memory_order_relaxed);
    }
    ni->portal_ops->share(ni, shared);
}

void ni_async_progress_need(struct ni *ni)
{
    (void)atomic_fetch_add(&ni->drive.async_puts, 1); /* W1 of thread.c */
    if (!ni->threads) {
        ni->untidy |= NI_UNTIDY_ASYNC;
    }
}

void ni_async_progress_begin(struct ni *ni)
{
    bool taken;

    if (atomic_load_explicit(&ni->drive.async_puts, memory_order_relaxed) == 0 || ni->closing) {
        return;
    }
    if (!ni->threads) {
        if (ni->depth != 0) {
            return; /* the end of the poll comes here again: NI_UNTIDY_ASYNC */
        }
        taken = ni_progress_lock_take(ni);
        set_shared(ni, true);
        ni_progress_lock_give(ni, taken);
    }
    if (!ni_engine_is_self(ni)) {
        ni_engine_call(ni->drive.engine);
    }
}

void ni_async_progress_end(struct ni *ni)
{
    /* Who went down has operations that a call within a callback has yet to end. */
    if (ni->drive.engine->callbacks_on_caller &&
        atomic_load_explicit(&ni->drive.async_puts, memory_order_relaxed) == 0 &&
        ni_list_empty(&ni->drive.downs)) {
        set_shared(ni, false);
    }
}
