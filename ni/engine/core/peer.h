/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_PEER_H
#define NI_ENGINE_PEER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <apeni/ni.h>

#include "base/list.h"
#include "engine/core/lock.h"
#include "engine/core/ni.h"
#include "link/link.h"

/*
 * A peer: an NI that we know. It is made when we connect to it or when it sends to us first
 * (ni_peer_get, ni_peer_accept), gets an endpoint when something is to be sent to it, and goes down
 * once: ni_peer_down seals its lane, drops what waits and completes the operations. Then the struct
 * refuses everything with the reason. It stays until the NI closes, unless the program forgets the
 * peer (ni_forget) and nothing names it: see ni_peers_sever.
 */

/* What says nothing else is under the peer's lock, or never changes. */
struct ni_peer {
    struct ni_ep *ep; /* NULL until something is to be sent */
    struct ni *ni;
    struct ni_lock lock;
    bool threads;      /* the NI's */
    uint32_t waiting;  /* bits of sources with something that waits for room, which go first:
                          and NI_WAITING_STAMPS; written below alone */
    _Atomic int state; /* ni_status: NI_OK while usable; see ni_peer_state */
    /* Threads inside of a transfer call: operations may not be completed under them. */
    _Atomic uint32_t callers;
    struct ni_peer_send_part send;
    struct ni_list ops; /* struct ni_op, oldest first; under the NI's lock */
    struct ni_peer_object_part object;
    struct ni_lane_rx *lane; /* the one that its messages come in, NULL: none yet; progress lock */
    struct ni_peer_arrive_part arrive;
    struct ni_list puts;      /* portals: under way; under the NI's lock */
    struct ni_list put_queue; /* portals: those that wait for room, oldest first */
    struct ni_peer_bulk_part bulk;
    struct ni_link *link;
    struct ni_peer_stamps *stamps; /* NULL: packets are not stamped */
    struct ni_peer_drive_part drive;
    struct ni_peer_core_part core;
    void *user;
};

/* In ni_peer.waiting: nothing waits, but no packet leaves by an inline path (stamps.h). */
#define NI_WAITING_STAMPS (UINT32_C(1) << 31)

/* All that is ever written to it. The peer's lock is held, or nobody else knows the peer yet. */
NI_ALWAYS_INLINE void ni_peer_wait_for(struct ni_peer *peer, uint32_t bits)
{
    peer->waiting |= bits;
}

NI_ALWAYS_INLINE void ni_peer_wait_no_more(struct ni_peer *peer, uint32_t bits)
{
    peer->waiting &= ~bits;
}

/* Whether something waits for room. The peer's lock is held. */
static inline bool ni_peer_waits(const struct ni_peer *peer)
{
    return (peer->waiting & ~NI_WAITING_STAMPS) != 0;
}

/* NI_OK, or why nothing can be exchanged with the peer any more. */
static inline ni_status ni_peer_state(const struct ni_peer *peer)
{
    return (ni_status)atomic_load_explicit(&peer->state, memory_order_relaxed);
}

/* Whether the kernel copies between us and the peer. Its link may find at any time, in any thread,
 * that it does not, after all. */
static inline bool ni_peer_copies(const struct ni_peer *peer)
{
    return __atomic_load_n(&peer->ep->copy, __ATOMIC_RELAXED);
}

/* The peer with this blob of its link's, made if it is new. The NI's lock is not held. */
ni_status ni_peer_get(struct ni *ni, struct ni_link *link, const void *blob, size_t len,
                      struct ni_peer **peer);
/* One that is the NI of this name, or NULL. The NI's lock is not held. */
struct ni_peer *ni_peer_named(struct ni *ni, uint64_t name);
/* Give it an endpoint, which it has not. The peer's lock is held. */
ni_status ni_peer_attach(struct ni_peer *peer);
/* Give it back, if there is one. The peer's lock is held. */
void ni_peer_detach(struct ni_peer *peer);
/* Free a peer without an endpoint: the NI closes, or it was unlisted. */
void ni_peer_free(struct ni_peer *peer);

/* The peer behind another one (NULL: the first), or NULL. The progress lock is ours and nothing of
 * it calls the program, or this is within a walk. No lock of the NI's is held. */
struct ni_peer *ni_peer_after(struct ni *ni, const struct ni_peer *peer);
/* No peer goes between the two, whatever is called meanwhile. */
void ni_peers_walk(struct ni *ni);
void ni_peers_walked(struct ni *ni);

/* Something names the peer (NULL: none) that outlives operations. Before anybody forgets it. */
static inline void ni_peer_name(struct ni_peer *peer)
{
    if (peer != NULL) {
        atomic_store_explicit(&peer->core.named, true, memory_order_relaxed);
    }
}

static inline bool ni_peer_is_forgotten(const struct ni_peer *peer)
{
    return atomic_load_explicit(&peer->core.forgotten, memory_order_relaxed);
}

/* Have nobody find a peer again that the program has forgotten; false: some list of the NI's may
 * name it, or somebody walks. The progress lock is ours, the NI's is not. */
bool ni_peer_unlist(struct ni_peer *peer);

/* A call begins that starts an operation, or ends. An NI may become shared, or cease to be
 * (thread.h), in a callback between the two. */
static inline void ni_peer_enter(struct ni_peer *peer)
{
    if (peer->threads) {
        atomic_fetch_add_explicit(&peer->callers, 1, memory_order_acquire);
    }
}

static inline void ni_peer_leave(struct ni_peer *peer)
{
    if (peer->threads && atomic_load_explicit(&peer->callers, memory_order_relaxed) != 0) {
        /* Pairs with the acquire load in peer_down.c, settle_peer. */
        atomic_fetch_sub_explicit(&peer->callers, 1, memory_order_release);
    }
}

/* Have an endpoint, made at first use; its state. The peer's lock is held. */
static inline ni_status ni_peer_endpoint(struct ni_peer *peer)
{
    return NI_LIKELY(peer->ep != NULL) ? ni_peer_state(peer) : ni_peer_attach(peer);
}

/* What the link calls: see struct ni_core_ops. */
struct ni_peer *ni_peer_accept(void *core, struct ni_link *link, const void *blob, size_t len);

#endif
