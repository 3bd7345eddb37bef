/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_LIFE_H
#define NI_ENGINE_LIFE_H

/*
 * The folder life: how an NI and its peers begin and end: open, connect, fork. It knows all of the
 * engine. Called by the program and by the links.
 */

#include "engine/core/ni.h"
#include "engine/core/peer.h"

/* Open the links that attr and the parameters ask for. Errors are logged. */
ni_status ni_links_open(struct ni *ni, const struct ni_open_attr *attr);
void ni_links_close(struct ni *ni);

/* From now on, and no longer: in a forked child the NI is found to be `forked`. Any thread. */
void ni_fork_watch(struct ni *ni);
void ni_fork_unwatch(struct ni *ni);
/* Forks stop its engine thread for a while; no longer, because it is about to end. */
void ni_fork_forget_engine(struct ni *ni);

#endif
