/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_PORTALS_EQ_H
#define APENI_PORTALS_EQ_H

#include <stddef.h>
#include <stdint.h>

#include <apeni/portals_event.h>

/* Event queues. A part of portals.h. */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ni_eq;

/* Extension: an event queue that is a function, called in place with arg for each event, with no
 * lock held. The event is valid during the call. NI_PTL_ARG_INVALID (no function), NI_PTL_NO_SPACE
 * (memory, or limits.max_eqs). */
typedef void (*ni_event_fn)(void *arg, const struct ni_event *event);
int ni_eq_alloc_handler(struct ni *ni, ni_event_fn fn, void *arg, struct ni_eq **eq);

/* PtlEQAlloc: a queue that stores events, up to count (1 to 2^24, rounded up to a power of two) at
 * one time. What finds it full is lost. NI_PTL_ARG_INVALID (count), NI_PTL_NO_SPACE (memory, or
 * limits.max_eqs). */
int ni_eq_alloc(struct ni *ni, size_t count, struct ni_eq **eq);

/* PtlEQGet: take the oldest event; makes progress if there is none yet. NI_OK; NI_PTL_EQ_EMPTY;
 * NI_PTL_EQ_DROPPED: *event is valid, and events between it and the one taken before were lost.
 * NI_PTL_ARG_INVALID: the queue is a handler. Threads may take from the same queue. */
int ni_eq_get(struct ni *ni, struct ni_eq *eq, struct ni_event *event);

/* PtlEQWait: the same, and waits until there is one (as ni_wait does: spins, yields, sleeps). */
int ni_eq_wait(struct ni *ni, struct ni_eq *eq, struct ni_event *event);

/* PtlEQPoll: the same for the first of several queues that has one, whose number goes to *which; at
 * most timeout_us, then NI_PTL_EQ_EMPTY. NI_PTL_ARG_INVALID: size is 0, or one is a handler. *which
 * means nothing without an event. */
int ni_eq_poll(struct ni *ni, struct ni_eq *const *eqs, unsigned size, uint64_t timeout_us,
               struct ni_event *event, unsigned *which);

/* PtlEQFree. Nothing may use the queue any more: no portal table entry (else NI_PTL_IN_USE), no
 * memory descriptor, no put under way (which is not checked). Events in it are lost. Those that are
 * left are freed by ni_close. */
int ni_eq_free(struct ni *ni, struct ni_eq *eq);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
