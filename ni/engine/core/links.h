/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_LINKS_H
#define NI_ENGINE_LINKS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/core/ni.h"

/*
 * The links of an NI, and by which of them a peer is reached. ni->life.links has them
 * in the order of preference; ni->link is what is polled and slept on, the only one or all as one.
 */

/* The way to the NI of a blob. */
struct ni_route {
    struct ni_link *link;
    const uint8_t *part; /* of the blob: what the link wants */
    size_t len;
};

/* Find the way by the first of our links that reaches it. The blob may be anything;
 * NI_ERR_PROTOCOL: it is none; NI_ERR_UNREACHABLE. A failure writes why to reason. */
ni_status ni_links_route(const struct ni *ni, const void *blob, size_t len, struct ni_route *route,
                         char *reason, size_t reason_size);

#endif
