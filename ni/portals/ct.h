/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_PORTALS_CT_H
#define NI_PORTALS_CT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "portals/state.h"

/* Counting events. */

#define NI_CT_NEVER UINT64_MAX

struct ni_trigger;

struct ni_ct {
    struct ni_list all; /* in portals->cts */
    _Atomic uint64_t success, failure;
    _Atomic uint64_t next;      /* at which an operation is triggered; NI_CT_NEVER: none waits */
    struct ni_trigger *waiting; /* a heap (trigger.h); under portals->lock */
    struct ni *ni;
};

/* Count how an operation ended; ct may be NULL. */
void ni_ct_count(struct ni_ct *ct, bool bytes, enum ni_ni_fail fail, uint64_t mlength);

/* A count has been raised or set, and an operation waits for one: run what it triggers. */
NI_COLD void ni_ct_trigger(struct ni_ct *ct);
/* Forget what waits for a counter. portals->lock is held. */
void ni_ct_drop_triggered(struct ni *ni, struct ni_ct *ct);
ni_status ni_triggers_open(struct ni_portals *portals);
/* The NI is closed: forget what is ready. */
void ni_triggers_close(struct ni *ni);

#endif
