/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_PORTALS_COMBINE_H
#define NI_PORTALS_COMBINE_H

#include <stdbool.h>
#include <stdint.h>

#include <apeni/portals.h>

/*
 * Arithmetic of atomics: what an operation makes of an element. An element that is aligned is
 * changed by one compare-and-swap of the processor, so that these mix with ni_fetch_op and with the
 * program's own atomics; one that is not, or has more than 8 bytes, is only safe under a lock of
 * the caller's.
 */

enum { NI_ELEMENT_MOST = 32 }; /* bytes */

/* How one element is to another; none of these, for what cannot be compared. */
enum ni_relation { NI_LESS = 1, NI_EQUAL = 2, NI_GREATER = 4 };

/* What is to be done to each element. */
struct ni_combination {
    enum ni_ptl_op op;
    enum ni_ptl_datatype type;
    /* Of a conditional or masked swap: an element's bits, 0 behind it. */
    union {
        uint64_t operand;
        uint8_t operand_bytes[NI_ELEMENT_MOST];
    };
};

/* Bytes of an element; 0: no such type. */
unsigned ni_datatype_size(enum ni_ptl_datatype type);

static inline bool ni_datatype_is_complex(enum ni_ptl_datatype type)
{
    return type == NI_FLOAT_COMPLEX || type == NI_DOUBLE_COMPLEX || type == NI_LONG_DOUBLE_COMPLEX;
}

/* Whether an operation takes an operand besides its data, and then one element only. */
static inline bool ni_op_has_operand(enum ni_ptl_op op)
{
    return op >= NI_CSWAP;
}

/* Bytes of the operand in a packet: 0, or 8, or those of a longer element. */
unsigned ni_operand_size(const struct ni_combination *what);

/* Whether there is such an operation, on so many bytes of such a type. */
bool ni_combination_valid(const struct ni_combination *what, uint64_t length);

/* Whether elements at target are changed by the processor in one go. */
bool ni_combination_aligned(const struct ni_combination *what, const void *target);

/* Combine length bytes, whole elements, with those at target; old (may be NULL) gets what was
 * there. data and old may have any alignment. */
void ni_combine(const struct ni_combination *what, uint8_t *target, const uint8_t *data,
                uint8_t *old, uint64_t length);

/* ---- combine_float.c: elements at any address ---- */

unsigned ni_float_relate(enum ni_ptl_datatype type, const void *a, const void *b);
/* Add data to the target, or multiply it. */
void ni_float_combine(enum ni_ptl_datatype type, bool multiply, void *target, const void *data);

#endif
