/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_LINK_SEVERAL_SEVERAL_H
#define NI_LINK_SEVERAL_SEVERAL_H

#include "base/stats.h"
#include "link/link.h"

/*
 * Two links of one NI, polled and slept on as one: a near one, whose polls are loads, and a far
 * one, which asks the kernel. Endpoints, blobs and all else are those of the two, which the engine
 * calls itself. So an NI with one link has nothing of this, and one with two has it in polls and
 * sleeps alone.
 *
 * Polls. While packets come from near peers and none from far ones, a poll of the far link, some
 * hundred nanoseconds, would be most of what a neighbour waits for: then it is made every
 * NI_SEVERAL_REST_NS. In all other cases it is made in each poll.
 *
 * Sleeps are on the descriptors of both.
 */

#define NI_SEVERAL_REST_NS UINT64_C(20000)

/* Join two links, which are closed with the result, or by the caller if this fails (NI_ERR_NOMEM).
 * Of the operations the result has progress, wait, arm, sleep, rouse, wish and close. */
ni_status ni_several_open(struct ni_link *near, struct ni_link *far, const struct ni_stats *stats,
                          struct ni_link **opened);

#endif
