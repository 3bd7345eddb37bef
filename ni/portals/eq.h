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
};

static inline void ni_event_tell(const struct ni_eq *eq, const struct ni_event *event)
{
    if (eq != NULL) {
        eq->fn(eq->arg, event);
    }
}

/* Give an event queue back, which is in no list. */
void ni_eq_release(struct ni_eq *eq);

#endif
