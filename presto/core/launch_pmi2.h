/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_LAUNCH_PMI2_H
#define PRI_LAUNCH_PMI2_H

/* What launchers with PMI-2 say. */

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* Environment of what a rank starts: the number of Slurm's step that the rank is in. The launcher's
 * variables are there as well, and do not mean such a program. */
#define PRI_RANKS_CHILD "PRESTO_STARTED_BY_RANK"

/* The number of Slurm's step that this process is in; "none": in none. */
static inline const char *pri_slurm_step(void)
{
    const char *step = getenv("SLURM_STEP_ID");

    return step != NULL ? step : "none";
}

/* The value of a key in a command, "KEY=VALUE;KEY=VALUE;...", with doubled semicolons as one.
 * False: there is no such key, or its value with the byte behind it has no room. */
bool pri_pmi2_value(const char *command, const char *key, char *value, size_t room);

/* Reads PMI_process_mapping, "(vector,(FIRST,HOSTS,EACH),...)": from host FIRST on, each of HOSTS
 * hosts has EACH ranks, counted on; behind the last block the first one follows. host[size] gets
 * each rank's host, *hosts their number. False: it is none, or memory is short. */
bool pri_pmi2_hosts(const char *mapping, int size, int *host, unsigned *hosts);

#endif
