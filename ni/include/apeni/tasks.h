/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_TASKS_H
#define APENI_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <apeni/queue.h>
#include <apeni/region.h>
#include <apeni/status.h>
#include <apeni/transfer.h>

/*
 * What programs build on queues (FORTH-CC 4.4): locks and task pools, over any link, between
 * threads with an NI each and between processes.
 *
 * The NI that keeps a queue has to make progress for the others: by ni_progress, ni_wait, or any
 * waiting function here. Each object is used by one thread at a time. Not in callbacks.
 */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- locks ----------------------------------------------------------------------------------- */

/*
 * A lock is a multi-reader queue with one item, the token: to lock is to take it, to unlock is to
 * put it back. Who waits has a request in the queue, so that the lock is handed on in the order of
 * the requests, in two packets, and waiting costs nothing. (On atomics each waiter would have to
 * ask again and again, and who holds the lock would wait behind their packets.) The token counts,
 * so that a resource may refuse who held the lock earlier.
 *
 * Who dies with the token keeps it: who then keeps the resource deregisters the lock, whose waiters
 * get NI_ERR_REGION, and makes another.
 */
struct ni_mutex {
    struct ni *ni;
    struct ni_peer *peer; /* who keeps it; NULL: this NI */
    struct ni_rkey rkey;
    uint64_t turn; /* while locked: how often it has been locked, from 1 */
    uint64_t request;
    ni_word word; /* result of the request */
    bool asked, locked;
};

/* Make a lock, kept by this NI; ends with ni_region_deregister. 4096 may wait for it. Errors:
 * NOMEM, LIMIT. */
ni_status ni_mutex_create(struct ni *ni, struct ni_rkey *rkey);

/* A use of a lock by this thread; *mutex stays where it is while it is in use. */
void ni_mutex_open(struct ni *ni, struct ni_peer *peer, const struct ni_rkey *rkey,
                   struct ni_mutex *mutex);

/* Ask for the lock, then test until NI_OK: locked. NI_INPROGRESS: not yet. NI_ERR_INVALID: it is
 * asked for, or locked, already (ask), neither (test). Other errors: those of ni_dequeue, NI_AGAIN
 * (as many as may wait do); it is not asked for then. ni_mutex_test makes no progress. */
ni_status ni_mutex_ask(struct ni_mutex *mutex);
ni_status ni_mutex_test(struct ni_mutex *mutex);

/* Both; NI_ERR_TIMEOUT if it was not our turn within timeout_us. */
ni_status ni_mutex_lock(struct ni_mutex *mutex, uint64_t timeout_us);

/* Hand it on. NI_AGAIN: no room in the lane, call again after progress. NI_ERR_INVALID: not locked.
 * Other errors, of who keeps it: it is not locked any more. */
ni_status ni_mutex_unlock(struct ni_mutex *mutex);

/* ---- task pools ------------------------------------------------------------------------------ */

/*
 *   central      one multi-reader queue; a free worker gets the next one. A worker asks for
 *                some ahead (window), so that the next is there when it has done one.
 *   distributed  a single-reader queue for each worker; who puts a task chooses the worker, or
 *                leaves the choice to the pool, which goes round and passes over those that are
 *                full.
 *
 * A task is an item of 4, 8, 16, 32 or 64 bytes. Nothing is lost: a full pool says NI_AGAIN, now or
 * a few tasks later.
 */

enum ni_tasks_flags {
    NI_TASKS_PUT = 1,
    NI_TASKS_GET = 2,
};

enum { NI_TASKS_WINDOW = 1024 }; /* most tasks that a worker asks for ahead */

struct ni_tasks;

/* A queue that belongs to the pool. */
struct ni_tasks_queue {
    struct ni_peer *peer; /* NULL: this NI's */
    struct ni_rkey rkey;
};

/*
 * Take part in a central pool, whose queue is one of ni_region_multi_queue. window: tasks asked for
 * ahead, 1 to NI_TASKS_WINDOW; 0: as many as take about 0.1 ms, up to 256, which the pool finds
 * while it works. Who puts and gets at a queue of a peer puts one task at a time, with an ack:
 * tasks held back by a full queue would hold up its own requests behind them. flags: enum
 * ni_tasks_flags, one or both. Errors: INVALID (flags, window, item_size), NOMEM, LIMIT.
 */
ni_status ni_tasks_central(struct ni *ni, const struct ni_tasks_queue *queue, size_t item_size,
                           unsigned flags, unsigned window, struct ni_tasks **tasks);

/* Take part in a distributed pool of these queues, each of ni_region_queue at its worker. own is
 * that of this NI, for ni_tasks_get, or 0; without queues (count 0) nothing can be put. Errors:
 * INVALID (item_size, nothing to put to nor to get from), NOMEM. */
ni_status ni_tasks_distributed(struct ni *ni, const struct ni_tasks_queue *queues, size_t count,
                               ni_handle own, size_t item_size, struct ni_tasks **tasks);

/* Put a task. NI_AGAIN: the pool is full, or the lane: call again after progress. Errors: INVALID
 * (not for putting), REGION, the peer's. */
ni_status ni_tasks_put(struct ni_tasks *tasks, const void *item);

/* Of a distributed pool: to this worker, an index of queues (INVALID: beyond them); of a central
 * one as ni_tasks_put. */
ni_status ni_tasks_put_to(struct ni_tasks *tasks, size_t worker, const void *item);

/* Get a task; makes progress. NI_AGAIN: none now. NI_ERR_CLOSED: none any more, after
 * ni_tasks_stop. Errors: INVALID (not for getting), REGION, the peer's. */
ni_status ni_tasks_get(struct ni_tasks *tasks, void *item);

/* The same, waiting up to timeout_us: NI_ERR_TIMEOUT. */
ni_status ni_tasks_get_wait(struct ni_tasks *tasks, void *item, uint64_t timeout_us);

/* Ask for no more tasks. Those that are on their way have to be got still. NOMEM: again after
 * progress. */
ni_status ni_tasks_stop(struct ni_tasks *tasks);

/* Leave the pool. NI_AGAIN: requests are out, or the last task is not in its queue yet: stop, get
 * until NI_ERR_CLOSED, progress. The queues stay. NULL is allowed. */
ni_status ni_tasks_close(struct ni_tasks *tasks);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
