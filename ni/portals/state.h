/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_PORTALS_STATE_H
#define NI_PORTALS_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <apeni/portals.h>

#include "engine/engine.h"

/* What the portals of an NI are. */

enum {
    NI_PT_COUNT = 256,      /* indices that a packet can name */
    NI_PUT_INLINE = 32,     /* bytes of payload in the header's line */
    NI_PUT_ORDERED = 64,    /* bytes of a put that travel with its header in any case */
    NI_ATOMIC_MOST = 1024,  /* bytes of an atomic: the smallest ring has packets for it */
    NI_MATCH_SAMPLING = 64, /* one match in so many is timed */
};

/* Something to be done in progress, outside of all locks. In ni->portal_work, under the NI's
 * lock. */
struct ni_portal_task {
    struct ni_list list;
    void (*run)(struct ni *ni, struct ni_portal_task *task);
};

struct ni_portals {
    struct ni_lock lock;
    struct ni_pt *pt[NI_PT_COUNT];
    struct ni_pool entries;
    struct ni_pool unexpected;
    struct ni_pool puts;    /* under the NI's lock */
    struct ni_pool extras;  /* the same */
    struct ni_list answers; /* struct ni_answer, under way */
    struct ni_list own_puts;
    struct ni_list eqs;
    struct ni_list cts;
    uint32_t eq_count, ct_count;
    struct ni_peer **map; /* by rank, NULL: the NI itself; NULL: no ranks */
    uint32_t map_size;
    ni_initiator self;        /* what the NI is called in puts to itself */
    struct ni_pool triggered; /* struct ni_trigger */
    struct ni_list ready;     /* those that are triggered and have not run */
    struct ni_portal_task trigger_task;
    uint64_t triggers;    /* armed or ready */
    uint64_t trigger_age; /* a serial number */
    bool notices;         /* somebody runs what is ready */
    struct ni_limits limits;
    uint64_t bytes;   /* of kept data */
    uint64_t headers; /* kept */
    uint32_t wishes;
    ni_stat_t cycles;       /* of the matches that were timed */
    uint32_t takes;         /* calls of ni_me_take */
    struct ni_later *later; /* NULL: no events wait for a caller */
};

static inline void ni_portals_lock(struct ni *ni)
{
    ni_lock_take(&ni->portals->lock, ni->threads);
}

static inline void ni_portals_unlock(struct ni *ni)
{
    ni_lock_give(&ni->portals->lock, ni->threads);
}

/* A message has been refused. */
static inline void ni_count_refused(struct ni *ni, enum ni_ni_fail why)
{
    ni_stat_add(&ni->stats.match_dropped, 1);
    ni_stat_add(&ni->stats.match_op_violations, why == NI_NI_OP_VIOLATION);
    ni_stat_add(&ni->stats.rx_refused, why == NI_NI_PERM_VIOLATION);
}

/* How a status of the engine looks in an event. */
enum ni_ni_fail ni_fail_of(ni_status status);

/* Have a task run by progress. */
void ni_task_add(struct ni *ni, struct ni_portal_task *task,
                 void (*run)(struct ni *ni, struct ni_portal_task *task));

#endif
