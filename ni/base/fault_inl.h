/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_BASE_FAULT_INL_H
#define NI_BASE_FAULT_INL_H

#include <stdatomic.h>
#include <stdbool.h>

#include <apeni/fault.h>

#include "base/compiler.h"

/*
 * The question that a fault point asks: if (ni_fault(NI_FAULT_FULL)) ... behave as if the ring
 * were full.
 */

/* Whether any point is armed. Written by fault.c only. */
extern NI_HIDDEN _Atomic bool ni_fault_any_armed;

/* Count the question and decide. Thread-safe. */
NI_COLD bool ni_fault_ask(enum ni_fault_point point);

/* Whether this point may strike. Thread-safe. */
bool ni_fault_planned(enum ni_fault_point point);

/* The name of a point, as ni_fault_parse takes it. */
const char *ni_fault_name(enum ni_fault_point point);

/* ni_fault_parse without arming anything. */
ni_status ni_fault_check(const char *text, char *error, size_t error_size);

/* Whether it is worth asking. Relaxed, because arming a fault orders nothing: a thread may see it a
 * little later. */
static inline bool ni_fault_armed(void)
{
    return NI_UNLIKELY(atomic_load_explicit(&ni_fault_any_armed, memory_order_relaxed));
}

/* Whether the fault strikes here and now. */
static inline bool ni_fault(enum ni_fault_point point)
{
    return ni_fault_armed() && ni_fault_ask(point);
}

#endif
