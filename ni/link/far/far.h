/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_LINK_FAR_FAR_H
#define NI_LINK_FAR_FAR_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "link/link.h"

/*
 * What links to other hosts (ucx, dev) have in common: a peer that is met by messages comes when it
 * has said hello, and goes when it dies, closes, or breaks the protocol, once what it had sent is
 * read. Here is what the engine is told of it, and when; how messages travel, who is believed, and
 * how a peer is taken leave of is the link's.
 */

struct ni_far_peer {
    struct ni_list list;  /* in the link's peers, or where the link has those that were given up */
    struct ni_peer *core; /* the engine's: NULL until it is connected or accepted */
    _Atomic int ending;   /* a ni_status: why it goes */
    uint64_t ending_ns;   /* since when, by the link's own clock */
    bool held;            /* the engine has its endpoint */
    bool down;            /* the engine knows that it goes */
    bool broke;           /* it broke the protocol, and is to be told so */
    bool announced;       /* the engine polls its lane */
};

/* What has happened to a peer of which the engine has nothing any more, or never had. */
enum ni_far_gone {
    NI_FAR_REFUSED, /* by the engine */
    NI_FAR_ENDED,   /* as its `ending` says; its endpoint may still be held */
    NI_FAR_LEFT,    /* the engine has let go of its endpoint */
};

struct ni_far_ops {
    /* Whether its hello, or the answer to ours, has come. */
    bool (*known)(const struct ni_far_peer *peer);
    /* The lane that the engine is to poll; NULL: there is none yet. */
    struct ni_lane_rx *(*lane)(struct ni_far_peer *peer);
    /* Of one that goes, and whose lane is announced: whether all is read that will be, and nobody
     * is reading. */
    bool (*is_read)(const struct ni_far_peer *peer);
    const void *(*blob)(const struct ni_far_peer *peer, size_t *len);
    /* The lock is held, and the peer is down. */
    void (*gone)(struct ni_far_peer *peer, enum ni_far_gone how);
};

struct ni_far_link {
    struct ni_link base;
    const struct ni_far_ops *ops;
    pthread_mutex_t lock;
    const struct ni_core_ops *core_ops;
    void *core;
    _Atomic bool unsettled; /* some peer needs the engine, or ends */
    struct ni_list peers;
};

/* Set what is here; `base` is of the link that this is part of. */
void ni_far_init(struct ni_far_link *link, const struct ni_link_ops *link_ops,
                 const struct ni_far_ops *ops, const struct ni_link_attr *attr);

static inline ni_status ni_far_ending(const struct ni_far_peer *peer)
{
    return (ni_status)atomic_load_explicit(&peer->ending, memory_order_relaxed);
}

/* Something is to be settled. Any thread. */
static inline void ni_far_unsettle(struct ni_far_link *link)
{
    atomic_store_explicit(&link->unsettled, true, memory_order_relaxed);
}

/* The engine connects a peer: NI_ERR_EXISTS if it has done so already. The lock is held. */
ni_status ni_far_hold(struct ni_far_peer *peer, struct ni_ep *ep, struct ni_peer *core);
/* The engine lets go of it. The lock is not held. */
void ni_far_leave(struct ni_far_link *link, struct ni_far_peer *peer, const struct ni_ep *ep);
/* The peer goes, with this status: what it sent is read first. now as ending_ns. */
void ni_far_end(struct ni_far_link *link, struct ni_far_peer *peer, ni_status status, uint64_t now);
/* Whatever needs the engine; returns the number of events. From within progress, without the
 * lock. */
unsigned ni_far_settle(struct ni_far_link *link);

/* ops->way: long messages go as packets. */
struct ni_long_way ni_far_way(const struct ni_ep *ep);
/* ops->blob of a link: its blob, if there is room. */
size_t ni_far_blob(const void *own, size_t len, void *blob, size_t size);

#endif
