/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_TYPE_EXTERNAL_H
#define PRI_TYPE_EXTERNAL_H

/* MPI's data representation external32 (MPI 3.1, 13.5.2): big-endian, two's complement, IEEE; long
 * has 4 bytes there, a wide character 2, long double 16. Elements follow each other without
 * gaps. */

#include "type/type.h"

/* Bytes of one element. */
size_t pri_external_size(const struct pri_type *type);

/* Whether all that is in the type has a representation: MPI_PACKED has not. */
bool pri_external_possible(const struct pri_type *type);

/* Converts the data of `count` elements, packed (as pri_type_pack does), to `out`, and the other
 * way. What has too many bits for external32 loses its upper ones. */
void pri_external_from(const struct pri_type *type, size_t count, const void *packed, void *out);
void pri_external_to(const struct pri_type *type, size_t count, const void *in, void *packed);

#endif
