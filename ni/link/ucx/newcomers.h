/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_LINK_UCX_NEWCOMERS_H
#define NI_LINK_UCX_NEWCOMERS_H

#include <stdbool.h>
#include <stddef.h>

/* The connections that UCX has accepted and of which nothing is known yet, by descriptor. What UCX
 * says of them comes from strangers.c, which tells what it is all for. Any thread. */

enum { NI_UCX_WHO = 128 /* bytes of a host and port, or of UCX's name for a connection */ };

/* UCX has accepted a connection from a host, which it calls ep. */
void ni_ucx_newcomer_note(int fd, const void *ep, const char *host);
/* It has ended. True: it was noted and said nothing, and where it came from. */
bool ni_ucx_newcomer_forget(const void *ep, char *host, size_t size);
/* It has greeted, and asks for an endpoint by this name. */
void ni_ucx_newcomer_applies(const void *ep, const char *name);
/* UCX sends by the connection of this name, too. */
void ni_ucx_newcomer_accept(const char *name);

/* A connection of ours asks to be accepted, which may be crossed. */
void ni_ucx_crossing_add(void);
/* One less. False: there was none. */
bool ni_ucx_crossing_take(void);

#endif
