/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OSU_COMMON_ELEMENT_H
#define OSU_COMMON_ELEMENT_H

/* Arrays of the element types that -T offers, for tests whose data MPI computes with. */

#include "common/options.h"

#include <mpi.h>

/* Bytes of an element. */
size_t osu_element_size(enum osu_type type);

MPI_Datatype osu_element_datatype(enum osu_type type);

/* As printed: "MPI_INT". */
const char *osu_element_name(enum osu_type type);

/* Store value, reduced to the range of the type, as element index of array. Floats are exact up to
 * 2^24. */
void osu_element_store(void *array, size_t index, enum osu_type type, long long value);

/* Returns 0 if element index holds value as osu_element_store() would store it; else complains and
 * returns 1. */
size_t osu_element_check(const void *array, size_t index, enum osu_type type, long long value);

#endif
