/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LINKS_PORTAL_MODEL_H
#define TESTS_LINKS_PORTAL_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include <apeni/portals.h>

/* The arithmetic of atomics once more, one element, in plain C: wide integers, and
 * floating-point numbers as long doubles: for small numbers, of which all results are exact. */

enum { MODEL_LONGEST = 32 }; /* bytes of an element */

/* Bytes of an element. */
size_t model_size(enum ni_ptl_datatype type);
/* Whether an operation can be done to a type. */
int model_possible(enum ni_ptl_op op, enum ni_ptl_datatype type);
/* A floating-point number; the imaginary part is for complex ones. */
void model_number(enum ni_ptl_datatype type, double real, double imaginary, void *to);
/* target = target OP data; operand as for ni_swap. None need be aligned. */
void model_combine(enum ni_ptl_op op, enum ni_ptl_datatype type, void *target, const void *data,
                   const void *operand);

#endif
