/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include <apeni/log.h>
#include <apeni/ni.h>

#include "base/alloc.h"
#include "base/log.h"
#include "engine/core/peer.h"
#include "engine/core/stamps.h"

/*
 * Peers. One struct for each NI that we know, whether we connected to it or it sent to us first;
 * found by the bytes of its link blob.
 */

/* The NI's lock is held. */
static struct ni_peer *find_peer(const struct ni *ni, uint64_t name, const void *blob, size_t len)
{
    struct ni_peer *peer = ni->core.buckets[name % NI_PEER_BUCKETS];

    while (peer != NULL && (peer->core.name != name || peer->core.blob_len != len ||
                            memcmp(peer->core.blob, blob, len) != 0)) {
        peer = peer->core.bucket;
    }
    return peer;
}

/* A new one, in the NI's lists; NULL when out of memory. The NI's lock is held. */
static struct ni_peer *add_peer(struct ni *ni, struct ni_link *link, uint64_t name,
                                const void *blob, size_t len)
{
    struct ni_peer *peer = ni_aligned_zero(NI_CACHE_LINE, sizeof(*peer) + len);

    if (peer == NULL) {
        return NULL;
    }
    peer->ni = ni;
    if (ni_stamps_open_peer(peer) != NI_OK) {
        ni_free(peer);
        return NULL;
    }
    peer->threads = ni->threads;
    peer->link = link;
    peer->core.name = name;
    peer->core.blob_len = (uint32_t)len;
    peer->core.blob = memcpy(peer + 1, blob, len);
    ni_list_init(&peer->send.controls);
    ni_list_init(&peer->send.requests);
    ni_list_init(&peer->send.streams);
    ni_list_init(&peer->send.busy);
    ni_list_init(&peer->ops);
    ni_list_init(&peer->puts);
    ni_list_init(&peer->put_queue);
    ni_list_init(&peer->drive.down);
    ni_list_init(&peer->core.all);
    peer->core.initiator = ++ni->core.initiators;
    ni_list_push_back(&ni->core.peers, &peer->core.all);
    peer->core.bucket = ni->core.buckets[name % NI_PEER_BUCKETS];
    ni->core.buckets[name % NI_PEER_BUCKETS] = peer;
    ni_stat_add(&ni->stats.peers, 1);
    return peer;
}

static ni_status get_peer(struct ni *ni, struct ni_link *link, const void *blob, size_t len,
                          bool connects, struct ni_peer **found)
{
    uint64_t name = link->ops->name_of(blob, len);
    struct ni_peer *peer;

    if (len > NI_BLOB_MAX) {
        return NI_ERR_PROTOCOL;
    }
    ni_lock_take(&ni->lock, ni->threads);
    peer = find_peer(ni, name, blob, len);
    if (peer == NULL) {
        peer = add_peer(ni, link, name, blob, len);
    }
    if (peer != NULL && connects) {
        /* It stays, though nobody counts this one yet. */
        atomic_store_explicit(&peer->core.forgotten, false, memory_order_relaxed);
    }
    ni_lock_give(&ni->lock, ni->threads);
    *found = peer;
    return peer != NULL ? NI_OK : NI_ERR_NOMEM;
}

ni_status ni_peer_get(struct ni *ni, struct ni_link *link, const void *blob, size_t len,
                      struct ni_peer **found)
{
    return get_peer(ni, link, blob, len, true, found);
}

struct ni_peer *ni_peer_named(struct ni *ni, uint64_t name)
{
    struct ni_peer *peer;

    ni_lock_take(&ni->lock, ni->threads);
    peer = ni->core.buckets[name % NI_PEER_BUCKETS];
    while (peer != NULL && peer->core.name != name) {
        peer = peer->core.bucket;
    }
    ni_lock_give(&ni->lock, ni->threads);
    return peer;
}

ni_status ni_peer_attach(struct ni_peer *peer)
{
    ni_status status = ni_peer_state(peer);

    return status != NI_OK ? status
                           : peer->link->ops->connect(peer->link, peer->core.blob,
                                                      peer->core.blob_len, peer, &peer->ep);
}

void ni_peer_detach(struct ni_peer *peer)
{
    if (peer->ep != NULL) {
        peer->core.way = peer->link->ops->way(peer->ep);
        peer->link->ops->disconnect(peer->ep);
        peer->ep = NULL;
    }
}

struct ni_peer *ni_peer_accept(void *core, struct ni_link *link, const void *blob, size_t len)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(4);
    struct ni *ni = core;
    struct ni_peer *peer = NULL;

    if (ni->closing) {
        return NULL;
    }
    if (get_peer(ni, link, blob, len, false, &peer) != NI_OK) {
        ni_log_limited(&limit, NI_LOG_ERROR,
                       "no memory to receive from another process: refusing it; free memory, or "
                       "raise the limit of address space (ulimit -v) or the memory limit of this "
                       "container or user");
        return NULL;
    }
    /* One that broke the protocol may come back, but not to us. */
    return ni_peer_state(peer) == NI_OK ? peer : NULL;
}

/* It is in the lists. The NI's lock is held. */
static void unlist_peer(struct ni *ni, struct ni_peer *peer)
{
    struct ni_peer **where = &ni->core.buckets[peer->core.name % NI_PEER_BUCKETS];

    while (*where != peer) {
        where = &(*where)->core.bucket;
    }
    *where = peer->core.bucket;
    ni_list_remove(&peer->core.all);
}

bool ni_peer_unlist(struct ni_peer *peer)
{
    struct ni *ni = peer->ni;
    bool goes;

    ni_lock_take(&ni->lock, ni->threads);
    /* What is deferred, and flushes, may be for any peer. */
    goes = ni_peer_is_forgotten(peer) && ni->core.walks == 0 && ni_list_empty(&peer->ops) &&
           ni_list_empty(&ni->core.deferred) && ni_work_count(&ni->core.flushes) == 0;
    if (goes) {
        unlist_peer(ni, peer);
    }
    ni_lock_give(&ni->lock, ni->threads);
    return goes;
}

void ni_peer_free(struct ni_peer *peer)
{
    struct ni *ni = peer->ni;

    ni_stamps_close_peer(peer);
    ni_list_remove(&peer->drive.down);
    ni_lock_take(&ni->lock, ni->threads);
    if (ni_list_linked(&peer->core.all)) {
        unlist_peer(ni, peer);
    }
    ni_lock_give(&ni->lock, ni->threads);
    ni_stat_sub(&ni->stats.peers, 1);
    ni_free(peer);
}

void ni_peers_walk(struct ni *ni)
{
    ni_lock_take(&ni->lock, ni->threads);
    ni->core.walks++;
    ni_lock_give(&ni->lock, ni->threads);
}

void ni_peers_walked(struct ni *ni)
{
    ni_lock_take(&ni->lock, ni->threads);
    ni->core.walks--;
    ni_lock_give(&ni->lock, ni->threads);
}

struct ni_peer *ni_peer_after(struct ni *ni, const struct ni_peer *peer)
{
    struct ni_list *node;

    ni_lock_take(&ni->lock, ni->threads);
    node = peer != NULL ? peer->core.all.next : ni->core.peers.next;
    ni_lock_give(&ni->lock, ni->threads);
    return node != &ni->core.peers ? ni_container_of(node, struct ni_peer, core.all) : NULL;
}

ni_status ni_peer_status(const struct ni_peer *peer)
{
    return ni_peer_state(peer);
}

const char *ni_peer_reason(const struct ni_peer *peer)
{
    ni_status status = ni_peer_state(peer);
    /* Pairs with faults.c. */
    const struct ni_peer_why *why = __atomic_load_n(&peer->drive.why, __ATOMIC_ACQUIRE);

    return why != NULL && why->status == status ? why->text : ni_status_text(status);
}

void ni_peer_set_user(struct ni_peer *peer, void *user)
{
    /* Release, acquire: with an engine thread a callback may look while it is set. */
    __atomic_store_n(&peer->user, user, __ATOMIC_RELEASE);
}

void *ni_peer_user(const struct ni_peer *peer)
{
    return __atomic_load_n(&peer->user, __ATOMIC_ACQUIRE);
}

int ni_peer_describe(const struct ni_peer *peer, char *text, size_t size)
{
    struct ni_lock *lock = (struct ni_lock *)(uintptr_t)&peer->lock;
    int len;

    ni_lock_take(lock, peer->threads);
    if (ni_peer_state(peer) != NI_OK) {
        len = snprintf(text, size, "%s: %s", peer->link->ops->name, ni_peer_reason(peer));
    } else if (peer->ep == NULL) {
        len = snprintf(text, size, "%s: not used yet", peer->link->ops->name);
    } else {
        len = peer->link->ops->describe(peer->ep, text, size);
    }
    ni_lock_give(lock, peer->threads);
    return len;
}
