/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_PLACE_H
#define NI_ENGINE_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include <apeni/ni.h>

#include "base/topology.h"
#include "engine/core/parts.h"

/* Which placement an NI gets, and which core its engine thread: place.c decides, thread.c does
 * it. */

/*
 * Decide. wanted: AUTO, TILE, EDGE or SPLIT. topology NULL: unknown. taken: where the other
 * processes of the job on this host are bound; NULL: unknown. A pure function of these.
 *
 * A core is free if it is allowed to the process, nobody else is bound to it, and one core at least
 * is left to the process itself. EDGE gets one that all processes of the job choose alike; where
 * there is none, or nobody else, one as SPLIT does. AUTO becomes SPLIT if there is one near, which
 * nobody else would choose for its engine as well; otherwise TILE.
 */
struct ni_placed ni_place_choose(enum ni_placement wanted, const struct ni_topology *topology,
                                 const struct ni_cpus *taken);

/* Whether it is certain without a topology that AUTO does not become SPLIT: where the process is
 * bound, which processors the machine has, where the others are bound. */
bool ni_place_none_free(const struct ni_cpus *bound, const struct ni_cpus *online,
                        const struct ni_cpus *taken);

/* ni_place_choose for a process that is opened with attr: what it says, or else the parameter. */
struct ni_placed ni_place_find(const struct ni_open_attr *attr);

const char *ni_placement_name(enum ni_placement placement);

#endif
