/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_PORTALS_CT_H
#define APENI_PORTALS_CT_H

#include <stdint.h>

#include <apeni/portals_event.h>

/* Counting events. A part of portals.h. */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ni_ct;

struct ni_ct_event {
    uint64_t success; /* operations, or bytes */
    uint64_t failure; /* operations */
};

/* PtlCTAlloc: both counts 0. NI_PTL_NO_SPACE (memory, or limits.max_cts). PtlCTFree: nothing may
 * name it any more, which is not checked; operations that it was to trigger are cancelled. Those
 * that are left are freed by ni_close. */
int ni_ct_alloc(struct ni *ni, struct ni_ct **ct);
int ni_ct_free(struct ni *ni, struct ni_ct *ct);

/* PtlCTGet, PtlCTSet, PtlCTInc (one of the two counts of `increment` must be 0, else
 * NI_PTL_ARG_INVALID). Any thread may call them. They make no progress. */
int ni_ct_get(const struct ni_ct *ct, struct ni_ct_event *event);
int ni_ct_set(struct ni_ct *ct, struct ni_ct_event value);
int ni_ct_inc(struct ni_ct *ct, struct ni_ct_event increment);

/* PtlCTWait: make progress until success is at least `test` or there is a failure; *event has both
 * counts then. Not in handlers. */
int ni_ct_wait(struct ni *ni, const struct ni_ct *ct, uint64_t test, struct ni_ct_event *event);

/* PtlCTPoll: the same for the first of several, whose number goes to *which; at most timeout_us,
 * then NI_PTL_CT_NONE_REACHED, and *event and *which mean nothing. NI_PTL_ARG_INVALID: size is
 * 0. */
int ni_ct_poll(struct ni *ni, struct ni_ct *const *cts, const uint64_t *tests, unsigned size,
               uint64_t timeout_us, struct ni_ct_event *event, unsigned *which);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
