/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_LOOPS_H
#define PRI_LOOPS_H

/* Search in the lists of loops that a type consists of. */

#include "type/type.h"

/* The index of the last loop of a list that begins at or before a byte of its data. */
static inline size_t pri_loop_at(const struct pri_loop *part, size_t parts, size_t byte)
{
    size_t low = 0, high = parts;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (part[middle].at <= byte) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

#endif
