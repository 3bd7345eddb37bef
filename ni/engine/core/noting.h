/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_NOTING_H
#define NI_ENGINE_NOTING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/list.h"
#include "engine/core/op.h"
#include "link/packet.h"

/*
 * Notification of Writes: what their operation has with it, from acceptance until its departure is
 * told. When the source has been read, and the note is on its way, it waits in ni->core.departed
 * for the holder of the progress lock; an operation that ends before that tells by itself. While
 * some wait there they count as one piece of work in ni->send.busy, so that polling asks for both
 * by one test.
 */
struct ni_noting {
    struct ni_list list; /* in ni->core.departed, under the NI's lock */
    struct ni_op *op;
    ni_status status; /* of the departure */
    size_t len;       /* bytes that depart */
    bool noted, departs;
    struct ni_packet_note note;
    struct ni_ack departed;
};

/* The last byte of an operation's source has been read, and its note sent. The peer's lock is
 * held. */
void ni_noting_depart(struct ni *ni, struct ni_noting *noting);
/* Its operation ends: free it. *also: the departure, if it is still to be told; false: it is not.
 * The NI's lock is held. */
bool ni_noting_end(struct ni *ni, struct ni_noting *noting, ni_status status, struct ni_end *also);
/* Tell of those that have departed. The progress lock is ours, no lock is held. Returns how many.
 */
unsigned ni_noting_deliver(struct ni *ni);

#endif
