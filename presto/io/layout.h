/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_IO_LAYOUT_H
#define PRI_IO_LAYOUT_H

#include "type/type.h"

struct pri_io_datarep;

/* A type as its elements lie in a file of the program's representation, or, where that is NULL,
 * external32: made like it, of bytes, as many as each of its numbers has there (MPI 3.1, 13.5.1).
 * One reference, of the type itself where that is the same; NULL when memory is short. */
struct pri_type *pri_io_layout(struct pri_type *type, struct pri_io_datarep *datarep);

#endif
