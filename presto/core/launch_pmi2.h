/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_LAUNCH_PMI2_H
#define PRI_LAUNCH_PMI2_H

/* What launchers with PMI-2 say. */

#include <stdbool.h>
#include <stddef.h>

/* The value of a key in a command, "KEY=VALUE;KEY=VALUE;...", with doubled semicolons as one.
 * False: there is no such key, or its value with the byte behind it has no room. */
bool pri_pmi2_value(const char *command, const char *key, char *value, size_t room);

/* Reads PMI_process_mapping, "(vector,(FIRST,HOSTS,EACH),...)": from host FIRST on, each of HOSTS
 * hosts has EACH ranks, counted on; behind the last block the first one follows. host[size] gets
 * each rank's host, *hosts their number. False: it is none, or memory is short. */
bool pri_pmi2_hosts(const char *mapping, int size, int *host, unsigned *hosts);

#endif
