/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include <apeni/log.h>
#include <apeni/ni.h>

#include "base/alloc.h"
#include "engine/job.h"
#include "engine/op.h"
#include "engine/peer.h"
#include "engine/progress.h"
#include "engine/send.h"
#include "engine/stream.h"

/*
 * Peers. One struct for each NI that we know, whether we connected to it or it sent to us first;
 * found by the bytes of its link blob. A peer that went down stays until its last ni_disconnect,
 * refusing everything with the reason.
 */

static uint32_t hash_bytes(const uint8_t *bytes, size_t len)
{
    uint32_t hash = 2166136261U; /* FNV-1a */

    for (size_t i = 0; i < len; i++) {
        hash = (hash ^ bytes[i]) * 16777619U;
    }
    return hash;
}

static struct ni_peer *find(const struct ni *ni, uint32_t hash, const void *blob, size_t len)
{
    struct ni_peer *peer = ni->buckets[hash % NI_PEER_BUCKETS];

    while (peer != NULL &&
           (peer->hash != hash || peer->blob_len != len || memcmp(peer->blob, blob, len) != 0)) {
        peer = peer->bucket;
    }
    return peer;
}

ni_status ni_peer_get(struct ni *ni, struct ni_link *link, const void *blob, size_t len,
                      struct ni_peer **found)
{
    uint32_t hash = hash_bytes(blob, len);
    struct ni_peer *peer = find(ni, hash, blob, len);

    if (peer != NULL) {
        *found = peer;
        return NI_OK;
    }
    if (len > sizeof(peer->blob)) {
        return NI_ERR_PROTOCOL;
    }
    peer = ni_aligned_zero(NI_CACHE_LINE, sizeof(*peer));
    if (peer == NULL) {
        return NI_ERR_NOMEM;
    }
    peer->ni = ni;
    peer->threads = ni->threads;
    peer->link = link;
    peer->hash = hash;
    peer->blob_len = (uint32_t)len;
    memcpy(peer->blob, blob, len);
    ni_list_init(&peer->controls);
    ni_list_init(&peer->streams);
    ni_list_init(&peer->busy);
    ni_list_init(&peer->ops);
    ni_list_init(&peer->puts);
    ni_list_init(&peer->put_queue);
    peer->initiator = ++ni->initiators;
    ni_list_init(&peer->down);
    ni_list_init(&peer->all);
    ni_lock_take(&ni->lock, ni->threads);
    ni_list_push_back(&ni->peers, &peer->all);
    ni_lock_give(&ni->lock, ni->threads);
    peer->bucket = ni->buckets[hash % NI_PEER_BUCKETS];
    ni->buckets[hash % NI_PEER_BUCKETS] = peer;
    ni_stat_add(&ni->stats.peers, 1);
    *found = peer;
    return NI_OK;
}

struct ni_peer *ni_peer_accept(void *core, struct ni_link *link, const void *blob, size_t len)
{
    struct ni *ni = core;
    struct ni_peer *peer = NULL;

    if (ni->closing || ni_peer_get(ni, link, blob, len, &peer) != NI_OK) {
        return NULL;
    }
    /* One that broke the protocol may come back, but not to us. */
    return ni_peer_state(peer) == NI_OK ? peer : NULL;
}

/* ---- going down ------------------------------------------------------------------------------
 * ---------------------- */

/* Forget what waits to be sent. */
static void drop_waiting(struct ni_peer *peer)
{
    struct ni *ni = peer->ni;

    ni_lock_take(&peer->lock, peer->threads);
    while (!ni_list_empty(&peer->controls)) {
        struct ni_control *control = ni_container_of(peer->controls.next, struct ni_control, list);

        ni_list_remove(&control->list);
        ni_lock_take(&ni->lock, ni->threads);
        ni_pool_put(&ni->control_pool, control);
        ni_lock_give(&ni->lock, ni->threads);
    }
    while (!ni_list_empty(&peer->streams)) {
        ni_stream_free(ni_container_of(peer->streams.next, struct ni_stream, list));
    }
    while (ni_list_pop_front(&peer->put_queue) != NULL) {
    }
    peer->waiting = 0;
    ni_lock_take(&ni->lock, ni->threads);
    ni_work_remove(&ni->busy, &peer->busy);
    ni_lock_give(&ni->lock, ni->threads);
    ni_lock_give(&peer->lock, peer->threads);
}

/* The oldest operation, if it was accepted before serial. */
static struct ni_op *oldest_op(struct ni_peer *peer, uint64_t serial)
{
    struct ni_op *op = NULL;

    ni_lock_take(&peer->ni->lock, peer->threads);
    if (!ni_list_empty(&peer->ops)) {
        op = ni_container_of(peer->ops.next, struct ni_op, list);
    }
    if (op != NULL && op->serial >= serial) {
        op = NULL;
    }
    ni_lock_give(&peer->ni->lock, peer->threads);
    return op;
}

/* Complete all operations with a status, but not those that callbacks start meanwhile. Not while
 * another thread is starting one. */
static void complete_all(struct ni_peer *peer, ni_status status)
{
    struct ni *ni = peer->ni;
    struct ni_op *op;
    uint64_t serial;

    ni_lock_take(&ni->lock, ni->threads);
    serial = ni->serial;
    ni_lock_give(&ni->lock, ni->threads);
    while ((op = oldest_op(peer, serial)) != NULL) {
        ni_job_forget(op);
        ni_op_complete(op, status, 0);
    }
    if (ni->portal_ops != NULL) {
        ni->portal_ops->complete_all(peer, status);
    }
}

/* No more packets to or from the peer. */
static void seal(struct ni_peer *peer, ni_status status)
{
    ni_lock_take(&peer->lock, peer->threads);
    atomic_store_explicit(&peer->state, status, memory_order_relaxed);
    ni_peer_count_sent(peer);
    if (peer->ep != NULL) {
        /* The fast path finds no room, the slow path finds the status. */
        peer->ep->tx.limit = peer->ep->tx.head;
        peer->ep->tx.lines = NULL;
    }
    ni_lock_give(&peer->lock, peer->threads);
}

/* What could not be done when the peer went down, because threads were inside of calls: each
 * ni_progress tries again. */
static bool settle(struct ni_peer *peer)
{
    if (atomic_load_explicit(&peer->callers, memory_order_acquire) != 0) {
        return false;
    }
    complete_all(peer, ni_peer_state(peer));
    peer->settled = true;
    return true;
}

/* The peer's lock is held. */
static void give_back_endpoint(struct ni_peer *peer)
{
    if (peer->ep != NULL) {
        peer->link->ops->disconnect(peer->ep);
        peer->ep = NULL;
    }
}

void ni_peers_sever(struct ni *ni)
{
    ni->untidy &= ~(uint32_t)NI_UNTIDY_PEERS;
    for (NI_LIST_EACH(node, &ni->peers)) {
        struct ni_peer *peer = ni_container_of(node, struct ni_peer, all);

        /* Its operations look at the endpoint until they are completed. One that is there still,
         * and was told by its link why it is not listened to, is not told anything else. */
        if (!peer->settled || (!peer->sever && ni_peer_state(peer) == NI_ERR_PROTOCOL)) {
            continue;
        }
        ni_lock_take(&peer->lock, peer->threads);
        if (peer->sever && peer->ep == NULL) {
            (void)peer->link->ops->connect(peer->link, peer->blob, peer->blob_len, peer, &peer->ep);
        }
        peer->sever = false;
        give_back_endpoint(peer);
        ni_lock_give(&peer->lock, peer->threads);
    }
}

void ni_peers_settle(struct ni *ni)
{
    struct ni_list later, *node;
    bool settled = false;

    ni_list_init(&later);
    /* Callbacks may poll, and so come here again. */
    while ((node = ni_list_pop_front(&ni->downs)) != NULL) {
        if (settle(ni_container_of(node, struct ni_peer, down))) {
            settled = true;
        } else {
            ni_list_push_back(&later, node);
        }
    }
    ni_list_splice_back(&ni->downs, &later);
    if (settled && ni->depth == 0) {
        ni_peers_sever(ni);
    }
}

void ni_peer_down(void *core, struct ni_peer *peer, ni_status status)
{
    struct ni *ni = core;

    if (ni_peer_state(peer) != NI_OK) {
        return;
    }
    seal(peer, status);
    ni_stat_add(&ni->stats.peers_dead, status == NI_ERR_PEER_DEAD);
    ni_job_stop_helping(ni, peer, NULL);
    drop_waiting(peer);
    if (atomic_load_explicit(&ni->warm, memory_order_relaxed) == peer) {
        atomic_store_explicit(&ni->warm, NULL, memory_order_relaxed);
    }
    ni->untidy |= NI_UNTIDY_PEERS;
    if (!settle(peer)) {
        ni_list_push_back(&ni->downs, &peer->down);
    }
    if (ni->down_fn != NULL) {
        ni->down_fn(ni->down_arg, peer, status);
    }
}

void ni_peer_free(struct ni_peer *peer)
{
    struct ni *ni = peer->ni;
    struct ni_peer **where = &ni->buckets[peer->hash % NI_PEER_BUCKETS];

    give_back_endpoint(peer);
    while (*where != peer) {
        where = &(*where)->bucket;
    }
    *where = peer->bucket;
    ni_list_remove(&peer->down);
    ni_lock_take(&ni->lock, ni->threads);
    ni_list_remove(&peer->all);
    ni_lock_give(&ni->lock, ni->threads);
    ni_stat_sub(&ni->stats.peers, 1);
    ni_free(peer);
}

/* ---- public ----------------------------------------------------------------------------------
 * ---------------------- */

ni_status ni_peer_status(const struct ni_peer *peer)
{
    return ni_peer_state(peer);
}

void ni_peer_set_user(struct ni_peer *peer, void *user)
{
    peer->user = user;
}

void *ni_peer_user(const struct ni_peer *peer)
{
    return peer->user;
}

int ni_peer_describe(const struct ni_peer *peer, char *text, size_t size)
{
    struct ni_lock *lock = (struct ni_lock *)(uintptr_t)&peer->lock;
    int len;

    ni_lock_take(lock, peer->threads);
    if (ni_peer_state(peer) != NI_OK) {
        len = snprintf(text, size, "%s: %s", peer->link->ops->name,
                       ni_status_text(ni_peer_state(peer)));
    } else if (peer->ep == NULL) {
        len = snprintf(text, size, "%s: not used yet", peer->link->ops->name);
    } else {
        len = peer->link->ops->describe(peer->ep, text, size);
    }
    ni_lock_give(lock, peer->threads);
    return len;
}

void ni_disconnect(struct ni *ni, struct ni_peer *peer)
{
    bool taken;

    if (ni_usable(ni) != NI_OK) {
        return;
    }
    taken = ni_turn_take(ni);
    if (peer->references != 0 && --peer->references == 0) {
        /* The peer may go on sending to us: what it sends is still understood and answered, so the
         * struct stays until ni_close, and what waits for it is still sent. */
        complete_all(peer, NI_ERR_CANCELED);
    }
    ni_turn_give(ni, taken);
}

void ni_on_peer_down(struct ni *ni, ni_peer_down_fn fn, void *arg)
{
    ni->down_fn = fn;
    ni->down_arg = arg;
}
