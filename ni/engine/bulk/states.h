/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_STATES_H
#define NI_ENGINE_STATES_H

#include "engine/core/bulk.h"

/* What changes the state of a long transfer. */
enum ni_bulk_event {
    NI_BULK_REQUEST, /* the target is asked for it, or offered it */
    NI_BULK_ANSWER,  /* the target has claimed all of it */
    NI_BULK_GIVE_UP, /* the target is not to answer it any more */
    NI_BULK_COPY,    /* the kernel is to copy, now or again */
    NI_BULK_CLOSE,   /* all chunks have been claimed, or a copy failed */
    NI_BULK_SEND,    /* packets are to do it */
    NI_BULK_NOTE,    /* all bytes are there, but not the note */
    NI_BULK_LOSE,    /* the kernel says that the target is gone */
    NI_BULK_END,
    NI_BULK_EVENTS,
};

/* The state behind an event; NEVER: it does not happen in that one. A pure function. */
enum ni_bulk_state ni_bulk_next(enum ni_bulk_state state, enum ni_bulk_event event);

/* The event has happened to the operation. It leaves the list of its state, unless that of the next
 * one is the same. The NI's lock is not held. */
void ni_bulk_go(struct ni_op *op, enum ni_bulk_event event);

/* Have progress look after it, as its state wants: REQUESTED, or COPYING and what follows that.
 * From then on others may go on with it. The NI's lock is not held. */
void ni_bulk_list(struct ni_op *op);

#endif
