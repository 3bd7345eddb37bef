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
#include <sys/types.h>

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
#include "engine/bulk/throttle.h"
#include "engine/drive/place.h"
#include "engine/core/portal_ops.h"
#include "engine/core/region_ops.h"
#include "engine/core/source.h"
#include "engine/bulk/copy_tuner.h"
#include "engine/core/work.h"
#include "link/link.h"
#include "table/table_inl.h"

/*
 * The NI. ni_open makes it and its link; progress moves what its lists hold; ni_close completes
 * what is under way, with NI_ERR_CLOSED, and frees all. In a forked child it is there still, and
 * refuses everything: it is the parent's.
 */

struct ni_commands;
struct ni_control;
struct ni_engine;
struct ni_peer;
struct ni_portals;
struct ni_qps;
struct ni_queue;
struct ni_queue_names;
struct ni_stamps;

/* Who got the last message: most of the time the next one too. A copy of its region's entry, which
 * leaves with it; the holder of the progress lock. */
struct ni_last_consumer {
    uint64_t queue; /* handle, or NI_NO_QUEUE */
    ni_consumer_fn consumer;
    void *arg;
};

/* Where the last item went that was a message of one line: the same for a queue with items of one
 * size, of which no reader waits. */
struct ni_last_queue {
    uint64_t queue; /* handle, or NI_NO_QUEUE */
    struct ni_queue *body;
};

#define NI_NO_QUEUE UINT64_MAX /* what no packet can name */

enum { NI_PEER_BUCKETS = 64, NI_LINKS_MAX = 2 };

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
    struct ni_lane_rx **lanes;
    uint32_t lane_count;
    uint32_t lane_capacity;
    uint32_t parked_count;
    struct ni_list parked; /* struct ni_lane_rx: lanes that are not polled */
    uint32_t untidy;       /* enum ni_untidy */
    uint32_t depth;        /* nesting of ni_progress */
    struct ni_last_consumer last;
    struct ni_last_queue last_queue;
    bool threads;
    bool forked;
    uint8_t poll_cases;           /* enum ni_poll_case */
    struct ni_lock progress_lock; /* who polls */
    _Atomic uintptr_t progress_owner;
    struct ni_link *link;         /* what is polled: the only one, or all */
    struct ni_peer *_Atomic warm; /* sent to last: its lane is warmed while nothing is to do */
    struct ni_work busy;          /* peers with packets that wait */
    const struct ni_source_ops *sources[NI_SOURCES];
    struct ni_work copying;   /* struct ni_bulk: transfers that we copy */
    struct ni_work requests;  /* struct ni_bulk: those that the target was asked to answer */
    struct ni_work shared_in; /* struct ni_shared_copy_in */
    struct ni_lock lock;
    struct ni_lock memory; /* MEMORY regions, from the check of an access to its last byte */
    const struct ni_portal_ops *portal_ops; /* NULL: the NI does not match */
    struct ni_portals *portals;
    struct ni_work portal_work;
    uint32_t ahead; /* not 0: of portal_ops->ahead; in an NI without threads */
    struct ni_table table;
    struct ni_region_ops region_ops[NI_REGION_TYPES];
    const struct ni_op_ops *bulk_ops; /* how long transfers end: bulk.h */
    /* Deliver an ack that is a counter's, or any region's; object/counter does. */
    void (*ack_region)(struct ni *ni, const struct ni_ack *ack, ni_status status, uint64_t value);
    struct ni_stats stats;

    struct ni_pool op_pool, bulk_pool, control_pool, stream_pool, shared_in_pool;
    struct ni_control *spare;    /* for an answer, when there is no memory; progress lock */
    struct ni_throttle throttle; /* of long transfers; progress lock */
    /* Of long reads, by length; under the lock. */
    struct ni_copy_tuner copy_tuners[NI_COPY_TUNER_CLASSES];
    struct ni_work flushes;
    struct ni_list departed; /* struct ni_noting: to be told; while it is not empty, one of busy */
    struct ni_list deferred; /* struct ni_deferred_call; they count in busy */
    _Atomic uint32_t late;   /* notifications of counters among them */
    struct ni_list peers;
    struct ni_list downs;
    struct ni_rng keys;
    bool keys_seeded;
    struct ni_peer *buckets[NI_PEER_BUCKETS];
    uint64_t serial;
    uint32_t initiators; /* numbers of peers given */
    uint64_t address;
    uint32_t idle; /* empty polls in a row */
    const struct ni_config *config;
    bool closing;
    pid_t pid;
    unsigned host_processes, host_cores;
    _Atomic uint32_t waiters;    /* calls of ni_wait by threads of an NI that several may use */
    _Atomic uint64_t idle_since; /* ni_progress_or_sleep finds nothing since, ns; 0: it found */
    _Atomic uint32_t idle_looks; /* polls since then */
    ni_peer_down_fn down_fn;
    void *down_arg;
    const struct ni_command_ops *command_ops; /* NULL: there never was a command region */
    struct ni_commands *commands;
    const struct ni_command_ops *qp_ops; /* NULL: there never was a queue pair */
    struct ni_qps *qps;
    struct ni_list multis;              /* struct ni_multi, unfinished; progress lock */
    uint64_t multi_pass;                /* searches for a request; progress lock */
    struct ni_queue_names *queue_names; /* NULL: none; progress lock */
    struct ni_list forks;               /* in the list of all NIs of the process */
    struct ni_engine *engine;           /* NULL: there never is an engine thread */
    _Atomic uint32_t
        async_puts; /* long puts of ours whose targets need us to poll; under the NI's lock */
    struct ni_placed place;
    struct ni_link *links[NI_LINKS_MAX]; /* by preference (links.h) */
    unsigned link_count;
    struct ni_stamps *stamps;    /* NULL: packets are not stamped */
    unsigned rails;              /* to each peer, at most */
    enum ni_multipath multipath; /* never DEFAULT */
};

/* Whether long copies, and what waits, are an engine thread's: EDGE or SPLIT. With TILE there may
 * be a thread that stands in for a program that is away (thread.h). */
static inline bool ni_has_back_end(const struct ni *ni)
{
    return ni->place.placement != NI_PLACEMENT_TILE;
}

/* Whether calls are allowed: not in a forked child. */
static inline ni_status ni_usable(const struct ni *ni)
{
    return NI_UNLIKELY(ni->forked) ? NI_ERR_FORKED : NI_OK;
}

/* Have the next item for a queue look it up. The progress lock is ours. */
static inline void ni_last_queue_forget(struct ni *ni, ni_handle handle)
{
    if (ni->last_queue.queue == handle) {
        ni->last_queue.queue = NI_NO_QUEUE;
    }
}

#endif
