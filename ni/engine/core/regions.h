/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_REGIONS_H
#define NI_ENGINE_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <apeni/counter.h>
#include <apeni/region.h>

#include "engine/core/ni.h"

/* Indices of the objects of an entry for a QUEUE or MULTI_QUEUE, which has a body only; a COUNTER
 * has its struct ni_counter in object 0. */
enum { NI_OBJECT_CONSUMER = 0, NI_OBJECT_ARGUMENT = 1, NI_OBJECT_BODY = 2 };

/* Enter what view describes; a key of 0 is replaced by a random one. */
ni_status ni_region_insert(struct ni *ni, struct ni_region_view *view, struct ni_rkey *rkey);
/* What a handle of ours names, if it is of that type. */
bool ni_region_view(const struct ni *ni, ni_handle handle, enum ni_region_type type,
                    struct ni_region_view *view);
/* Deregister all. */
void ni_regions_close(struct ni *ni);

#endif
