/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_PORTALS_COMBINE_H
#define NI_PORTALS_COMBINE_H

#include <stdbool.h>
#include <stdint.h>

#include <apeni/portals.h>

/*
 * Arithmetic of atomics: what an operation makes of an element. An element that is aligned is
 * changed by one compare-and-swap of the processor, so that these mix with ni_fetch_op and with the
 * program's own atomics; one that is not is only safe under a lock of the caller's.
 */

/* What is to be done to each element. */
struct ni_combination {
    enum ni_ptl_op op;
    enum ni_ptl_datatype type;
    uint64_t operand; /* of a conditional or masked swap: an element's bits */
};

enum { NI_ELEMENT_MOST = 32 }; /* bytes */

/* Bytes of an element; 0: no such type. */
unsigned ni_datatype_size(enum ni_ptl_datatype type);

/* Whether an operation takes an operand besides its data, and then one element only. */
static inline bool ni_op_has_operand(enum ni_ptl_op op)
{
    return op >= NI_CSWAP;
}

/* Whether there is such an operation, on so many bytes of such a type. */
bool ni_combination_valid(const struct ni_combination *what, uint64_t length);

/* Whether elements at target are changed by the processor in one go. */
bool ni_combination_aligned(const struct ni_combination *what, const void *target);

/* Combine length bytes, whole elements, with those at target; old (may be NULL) gets what was there.
 * data and old may have any alignment. */
void ni_combine(const struct ni_combination *what, uint8_t *target, const uint8_t *data,
                uint8_t *old, uint64_t length);

#endif
