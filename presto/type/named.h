/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_NAMED_H
#define PRI_NAMED_H

/* The predefined types by their symbols. */

#include "type/type.h"

#pragma GCC visibility push(default)
#define X(symbol, ...) extern struct pri_type presto_type_##symbol;
#include "type/predefined.h"
#include "type/pairs.h"
#undef X
extern struct pri_type presto_type_lb, presto_type_ub;
#pragma GCC visibility pop

/* All of them, in the order of the lists; NULL behind the last. */
struct pri_type *pri_type_named(size_t index);

/* The sizes of a predefined pair's value and index; false if the type is none. */
bool pri_type_pair_sizes(const struct pri_type *type, size_t size[2]);

/* A predefined type's numbers by the type that has a name: itself, unless it is of f90.c. */
static inline const struct pri_type *pri_type_like(const struct pri_type *type)
{
    return type->recipe != NULL ? type->recipe->held[0] : type;
}

#endif
