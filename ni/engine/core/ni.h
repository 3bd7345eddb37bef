/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_NI_H
#define NI_ENGINE_NI_H

/*
 * The folder core: the NI, its peers, operations and regions, its work lists and locks. It knows
 * the links, the buffer table and the base; all other folders of the engine use it.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <apeni/ni.h>
#include <apeni/region.h>

#include "base/compiler.h"
#include "base/config.h"
#include "base/list.h"
#include "base/pool.h"
#include "base/random.h"
#include "base/stats.h"
#include "engine/core/command_ops.h"
#include "engine/core/lock.h"
#include "engine/core/parts.h"
#include "engine/core/portal_ops.h"
#include "engine/core/region_ops.h"
#include "engine/core/source.h"
#include "engine/core/work.h"
#include "link/link.h"
#include "table/table_inl.h"

/*
 * The NI. ni_open makes it and its link; progress moves what its lists hold; ni_close completes
 * what is under way, with NI_ERR_CLOSED, and frees all. In a forked child it is there still, and
 * refuses everything: it is the parent's.
 */

struct ni_commands;
struct ni_portals;
struct ni_qps;
struct ni_stamps;

/* What waits until nobody is in a callback. */
enum ni_untidy {
    NI_UNTIDY_LANES = 1, /* some were removed */
    NI_UNTIDY_PEERS = 2, /* some went down, and have their endpoints still */
    /* There are command regions. It stays as long as they do: so their monitor is asked for by a
     * test that each poll makes in any case. */
    NI_UNTIDY_COMMANDS = 4,
    NI_UNTIDY_QPS = 8, /* The same for queue pairs. */
    NI_UNTIDY_STAYS = NI_UNTIDY_COMMANDS | NI_UNTIDY_QPS,
    NI_UNTIDY_QUEUES = 16, /* multi-reader queues whose readers had no room */
    NI_UNTIDY_ASYNC =
        32, /* a put needs asynchronous progress, and the NI is not shared yet: thread.h */
};

/* Why ni_progress does not simply poll. */
enum ni_poll_case {
    NI_POLL_FORKED = 1,
    NI_POLL_ENGINE = 2, /* an engine thread polls, too */
    NI_POLL_STAMPS = 4, /* it stamps: stamps.h */
};

struct ni {
    /* hot: polling */
    uint32_t untidy; /* enum ni_untidy */
    uint32_t depth;  /* nesting of ni_progress */
    bool threads;
    bool forked;
    bool closing;
    uint8_t poll_cases; /* enum ni_poll_case */
    struct ni_core_part core;
    struct ni_arrive_part arrive;
    struct ni_lock progress_lock; /* who polls */
    _Atomic uintptr_t progress_owner;
    struct ni_link *link; /* what is polled: the only one, or all */
    struct ni_send_part send;
    struct ni_bulk_part bulk;
    struct ni_lock lock;
    struct ni_lock memory; /* MEMORY regions, from the check of an access to its last byte */
    const struct ni_portal_ops *portal_ops; /* NULL: the NI does not match */
    struct ni_portals *portals;
    struct ni_work portal_work;
    uint32_t ahead; /* not 0: of portal_ops->ahead; in an NI without threads */
    struct ni_table table;
    struct ni_region_ops region_ops[NI_REGION_TYPES];
    struct ni_stats stats;
    /* cold */
    struct ni_object_part object;
    struct ni_drive_part drive;
    struct ni_life_part life;
    const struct ni_config *config;
    uint64_t address;
    const struct ni_command_ops *command_ops; /* NULL: there never was a command region */
    struct ni_commands *commands;
    const struct ni_command_ops *qp_ops; /* NULL: there never was a queue pair */
    struct ni_qps *qps;
    struct ni_stamps *stamps; /* NULL: packets are not stamped */
};

/* Whether long copies, and what waits, are an engine thread's: EDGE or SPLIT. With TILE there may
 * be a thread that stands in for a program that is away (thread.h). */
static inline bool ni_has_back_end(const struct ni *ni)
{
    return ni->drive.place.placement != NI_PLACEMENT_TILE;
}

/* Whether calls are allowed: not in a forked child. */
static inline ni_status ni_usable(const struct ni *ni)
{
    return NI_UNLIKELY(ni->forked) ? NI_ERR_FORKED : NI_OK;
}

/* Not 0: long transfers are under way that we move. */
static inline uint32_t ni_bulk_to_move(const struct ni *ni)
{
    return ni_work_count(&ni->bulk.requests) | ni_work_count(&ni->bulk.copying) |
           ni_work_count(&ni->bulk.shared_in);
}

/* Not 0: a round of polling has more to do than to look at packets. */
static inline uint32_t ni_to_move(const struct ni *ni)
{
    return ni_bulk_to_move(ni) | ni_work_count(&ni->send.busy) | ni_work_count(&ni->portal_work);
}

/* Have the next item for a queue look it up. The progress lock is ours. */
static inline void ni_last_queue_forget(struct ni *ni, ni_handle handle)
{
    if (ni->arrive.last_queue.queue == handle) {
        ni->arrive.last_queue.queue = NI_NO_QUEUE;
    }
}

#endif
