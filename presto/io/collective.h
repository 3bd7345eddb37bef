/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_IO_COLLECTIVE_H
#define PRI_IO_COLLECTIVE_H

/* Two-phase accesses. Aggregator a has part a of what is accessed, and goes through it in windows,
 * one a round. Since the data of a view is in the order of the file, what a rank wants in a window
 * is one range of its data. */

#include "io/io.h"

struct pri_io_access {
    struct pri_io *io;
    bool write;
    struct pri_io_data data;
    uint64_t at, bytes; /* of the stream */
    uint64_t done;
};

/* The same in all ranks. */
struct pri_io_rounds {
    int64_t first, behind; /* in the file */
    int aggregators;       /* the ranks 0 to this, spread over the team */
    uint64_t part;         /* bytes of each one's */
    size_t window;         /* bytes of a round */
    uint64_t count;
};

/* Collective. The error is that of whatever rank had one. */
int pri_io_exchange(struct pri_io_access *access, const struct pri_io_rounds *rounds);

#endif
