/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_PORTALS_EQ_H
#define NI_PORTALS_EQ_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <apeni/portals.h>

#include "engine/engine.h"

/* Event queues. */

struct ni_eq {
    struct ni_list all; /* in portals->eqs */
    ni_event_fn fn;
    void *arg;
    struct ni_eq_ring *ring; /* NULL: a handler */
    uint32_t users;          /* portal table entries */
    _Atomic bool flow;       /* one of these has flow control */
    /* of a handler that the engine thread must not call: fn is later.c's while there may be one */
    struct ni *ni;
    ni_event_fn handler;
    void *handler_arg;
};

static inline void ni_event_tell(const struct ni_eq *eq, const struct ni_event *event)
{
    if (eq != NULL) {
        eq->fn(eq->arg, event);
    }
}

/* An event queue with this function, called by any thread. */
int ni_eq_make(struct ni *ni, ni_event_fn fn, void *arg, struct ni_eq **made);

/* later.c: events that wait for a caller. Have those of a handler wait that the engine thread
 * causes. */
ni_status ni_later_wrap(struct ni *ni, struct ni_eq *eq);
/* Have them wait from now on, or not: see struct ni_portal_ops. */
void ni_later_share(struct ni *ni, bool shared);
/* Whether there is room for those that one packet may cause. The engine thread. */
bool ni_later_ready(struct ni *ni);
/* Whether some wait. */
bool ni_later_any(const struct ni *ni);
/* Hand them out; returns how many. The progress lock is held, not the engine thread. */
unsigned ni_later_tell(struct ni *ni);
/* The queue goes away. */
void ni_later_forget(struct ni *ni, const struct ni_eq *eq);
void ni_later_free(struct ni_portals *portals);

/* Give an event queue back, which is in no list. */
void ni_eq_release(struct ni_eq *eq);

#endif
