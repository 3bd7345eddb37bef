/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_PEER_OPS_H
#define NI_ENGINE_PEER_OPS_H

#include <apeni/ni.h>

#include "engine/core/ni.h"

/*
 * What a folder does at the end of a peer with what it has of it. Each folder with a substructure
 * of peers (parts.h) registers one row when the NI opens, and portals when they are opened; what a
 * row leaves out is nothing. Who ends a peer (drive/peer_down.h) walks the rows, so that no folder
 * is forgotten.
 */
struct ni_peer_ops {
    /* It has gone down: forget what waits to be sent, and what goes on on its behalf. From the
     * highest folder to the lowest, since what is above may send. No lock but the progress lock is
     * held. */
    void (*down)(struct ni_peer *peer);
    /* Nobody is connected to it any more, or it is down and nobody starts an operation: complete
     * those of the folder. From the lowest folder to the highest. No lock is held. */
    void (*complete)(struct ni_peer *peer, ni_status status);
    /* It is down: tell those who wait for more than an operation. */
    void (*settle)(struct ni_peer *peer);
    /* It is down, all is completed, and the program has forgotten it: whether something of the
     * folder may still name it. */
    bool (*names)(struct ni_peer *peer);
    /* Its endpoint is gone: free what the folder has of it. */
    void (*free)(struct ni_peer *peer);
};

/* Once, before the first peer that the folder has something of. */
static inline void ni_peer_ops_register(struct ni *ni, enum ni_folder folder,
                                        const struct ni_peer_ops *ops)
{
    ni->core.peer_ops[folder] = ops;
}

#endif
