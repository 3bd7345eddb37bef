/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OSU_COUNTERS_COUNTERS_H
#define OSU_COUNTERS_COUNTERS_H

#include <stdbool.h>

/* The two tables of ni_counters: between processes or threads, with so many repetitions of each
 * thing that is timed. */

enum { COUNTERS_LINE = 128 /* lines may be fetched in pairs */ };

/* transfers.c: how a consumer learns that all of a buffer is there. */
void counters_transfers(bool processes, unsigned repetitions);
/* barriers.c: by locks and by counters. */
void counters_barriers(bool processes, unsigned repetitions);

#endif
