/* SPDX-License-Identifier: BSD-3-Clause */
#include <apeni/ni.h>

#include "base/alloc.h"
#include "base/config.h"
#include "base/log.h"
#include "engine/core/engine_thread.h"
#include "engine/core/progress_lock.h"
#include "engine/core/lanes.h"
#include "engine/drive/peer_down.h"
#include "engine/core/counts.h"
#include "engine/bulk/shared_copy_in.h"
#include "engine/send/multipath.h"
#include "engine/core/op.h"
#include "engine/core/peer.h"
#include "engine/core/peer_ops.h"
#include "engine/drive/faults.h"

/*
 * How a peer goes down, and what then becomes of what was under way. Operations are completed at
 * once, unless another thread is inside of a call that starts one: then by the first ni_progress
 * that finds it gone.
 */

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

static void complete_ops(struct ni_peer *peer, ni_status status)
{
    struct ni *ni = peer->ni;
    struct ni_op *op;
    uint64_t serial;

    ni_lock_take(&ni->lock, ni->threads);
    serial = ni->core.serial;
    ni_lock_give(&ni->lock, ni->threads);
    while ((op = oldest_op(peer, serial)) != NULL) {
        ni_op_complete(op, status, 0);
    }
}

void ni_peers_register(struct ni *ni)
{
    static const struct ni_peer_ops ops = {.complete = complete_ops, .free = ni_faults_forget};

    ni_peer_ops_register(ni, NI_FOLDER_DRIVE, &ops);
}

/* ---- what each folder does, in its turn ------------------------------------------------------ */

/* The row of a folder that may have none. */
static const struct ni_peer_ops *ops_of(const struct ni_peer *peer, unsigned folder)
{
    static const struct ni_peer_ops none;
    const struct ni_peer_ops *ops = peer->ni->core.peer_ops[folder];

    return ops != NULL ? ops : &none;
}

static void down_folders(struct ni_peer *peer)
{
    for (unsigned folder = NI_FOLDERS; folder-- != 0;) {
        if (ops_of(peer, folder)->down != NULL) {
            ops_of(peer, folder)->down(peer);
        }
    }
}

void ni_peer_complete_all(struct ni_peer *peer, ni_status status)
{
    for (unsigned folder = 0; folder < NI_FOLDERS; folder++) {
        if (ops_of(peer, folder)->complete != NULL) {
            ops_of(peer, folder)->complete(peer, status);
        }
    }
}

static bool is_named(struct ni_peer *peer)
{
    bool named = atomic_load_explicit(&peer->core.named, memory_order_relaxed);

    for (unsigned folder = 0; folder < NI_FOLDERS && !named; folder++) {
        named = ops_of(peer, folder)->names != NULL && ops_of(peer, folder)->names(peer);
    }
    return named;
}

static void settle_folders(struct ni_peer *peer)
{
    for (unsigned folder = 0; folder < NI_FOLDERS; folder++) {
        if (ops_of(peer, folder)->settle != NULL) {
            ops_of(peer, folder)->settle(peer);
        }
    }
}

void ni_peer_end(struct ni_peer *peer)
{
    ni_peer_detach(peer);
    for (unsigned folder = NI_FOLDERS; folder-- != 0;) {
        if (ops_of(peer, folder)->free != NULL) {
            ops_of(peer, folder)->free(peer);
        }
    }
    ni_peer_free(peer);
}

/* ---- down ------------------------------------------------------------------------------------ */

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
        ni_multipath_seal(peer);
    }
    ni_lock_give(&peer->lock, peer->threads);
}

static void tell_down(struct ni_peer *peer)
{
    struct ni *ni = peer->ni;

    if (ni->drive.down_fn != NULL) {
        ni->drive.down_fn(ni->drive.down_arg, peer, ni_peer_state(peer));
    }
}

/* What could not be done when the peer went down, because threads were inside of calls: each
 * ni_progress tries again. */
static bool settle_peer(struct ni_peer *peer)
{
    if (atomic_load_explicit(&peer->callers, memory_order_acquire) != 0) {
        return false;
    }
    ni_peers_walk(peer->ni); /* callbacks may poll, and so have it severed */
    ni_peer_complete_all(peer, ni_peer_state(peer));
    peer->drive.settled = true;
    if (peer->drive.untold) {
        peer->drive.untold = false;
        settle_folders(peer);
        tell_down(peer);
    }
    ni_peers_walked(peer->ni);
    return true;
}

static void sever_peer(struct ni_peer *peer)
{
    ni_lock_take(&peer->lock, peer->threads);
    if (peer->drive.sever && peer->ep == NULL) {
        (void)peer->link->ops->connect(peer->link, peer->core.blob, peer->core.blob_len, peer,
                                       &peer->ep);
    }
    if (peer->drive.sever && peer->ep != NULL) {
        peer->ep->broke = ni_peer_state(peer) == NI_ERR_PROTOCOL;
    }
    peer->drive.sever = false;
    ni_peer_detach(peer);
    ni_lock_give(&peer->lock, peer->threads);
}

/* Whether a peer that was severed may go. Who broke the protocol, or was given up, may live and
 * come back, and is to be refused then. */
static bool may_go(struct ni *ni, struct ni_peer *peer)
{
    ni_status status = ni_peer_state(peer);

    return (status == NI_ERR_PEER_CLOSED || status == NI_ERR_PEER_DEAD) && peer->drive.ended &&
           !peer->drive.untold && !ni_list_linked(&peer->drive.down) &&
           atomic_load_explicit(&peer->callers, memory_order_relaxed) == 0 &&
           !ni_lanes_name(ni, peer) && !is_named(peer) && ni_peer_unlist(peer);
}

void ni_peers_sever(struct ni *ni)
{
    struct ni_peer *next;

    ni->untidy &= ~(uint32_t)NI_UNTIDY_PEERS;
    for (struct ni_peer *peer = ni_peer_after(ni, NULL); peer != NULL; peer = next) {
        next = ni_peer_after(ni, peer);
        /* Its operations look at the endpoint until they are completed. One that is there still,
         * and was told by its link why it is not listened to, is not told anything else. */
        if (!peer->drive.settled ||
            (!peer->drive.sever && ni_peer_state(peer) == NI_ERR_PROTOCOL)) {
            continue;
        }
        sever_peer(peer);
        if (ni_peer_is_forgotten(peer) && may_go(ni, peer)) {
            ni_peer_end(peer);
        }
    }
}

/* The first operation that may be completed by an engine thread whose NI has its callbacks on the
 * caller. */
static struct ni_op *silent_op(struct ni_peer *peer)
{
    struct ni_op *found = NULL;

    ni_lock_take(&peer->ni->lock, true);
    for (NI_LIST_EACH(node, &peer->ops)) {
        struct ni_op *op = ni_container_of(node, struct ni_op, list);

        if (!ni_op_kind_is_over(op->kind) && ni_op_calls_nobody(peer->ni, op)) {
            found = op;
            break;
        }
    }
    ni_lock_give(&peer->ni->lock, true);
    return found;
}

void ni_peers_settle_silently(struct ni *ni)
{
    for (NI_LIST_EACH(node, &ni->drive.downs)) {
        struct ni_peer *peer = ni_container_of(node, struct ni_peer, drive.down);
        struct ni_op *op;

        while (atomic_load_explicit(&peer->callers, memory_order_acquire) == 0 &&
               (op = silent_op(peer)) != NULL) {
            ni_op_complete(op, ni_peer_state(peer), 0);
        }
    }
}

void ni_peers_settle(struct ni *ni)
{
    struct ni_list later, *node;
    bool settled = false;

    ni_list_init(&later);
    /* Callbacks may poll, and so come here again. */
    while ((node = ni_list_pop_front(&ni->drive.downs)) != NULL) {
        if (settle_peer(ni_container_of(node, struct ni_peer, drive.down))) {
            settled = true;
        } else {
            ni_list_push_back(&later, node);
        }
    }
    ni_list_splice_back(&ni->drive.downs, &later);
    if (settled && ni->depth == 0) {
        ni_peers_sever(ni);
    }
}

void ni_peer_down(struct ni *ni, struct ni_peer *peer, ni_status status)
{
    if (ni_peer_state(peer) != NI_OK) {
        return;
    }
    seal(peer, status);
    ni_stat_add(&ni->stats.peers_dead, status == NI_ERR_PEER_DEAD);
    down_folders(peer);
    ni->untidy |= NI_UNTIDY_PEERS;
    if (ni_engine_defers(ni)) {
        peer->drive.untold = true; /* a caller does the rest */
        ni_list_push_back(&ni->drive.downs, &peer->drive.down);
        return;
    }
    ni_peers_walk(ni); /* as above */
    settle_folders(peer);
    if (!settle_peer(peer)) {
        ni_list_push_back(&ni->drive.downs, &peer->drive.down);
    }
    tell_down(peer);
    ni_peers_walked(ni);
}

void ni_peer_ended(void *core, struct ni_peer *peer, ni_status status)
{
    struct ni *ni = core;

    peer->drive.ended = true;
    ni->untidy |= NI_UNTIDY_PEERS; /* it may be down already */
    ni_peer_down(ni, peer, status);
}

void ni_lane_gone(void *core, struct ni_lane_rx *lane)
{
    struct ni *ni = core;

    ni_shared_copy_in_stop(ni, lane->peer, lane);
    ni_lane_remove(ni, lane);
}

/* Nothing more is read from a peer, which is to learn that. */
static void stop_listening(struct ni *ni, struct ni_peer *peer, ni_status status)
{
    for (uint32_t i = 0; i < ni->core.lane_count; i++) {
        if (ni->core.lanes[i] != NULL && ni->core.lanes[i]->peer == peer) {
            ni_lane_gone(ni, ni->core.lanes[i]);
            peer->drive.sever = true;
        }
    }
    for (NI_LIST_EACH_SAFE(node, &ni->core.parked)) {
        struct ni_lane_rx *lane = ni_container_of(node, struct ni_lane_rx, parked);

        if (lane->peer == peer) {
            ni_lane_gone(ni, lane);
            peer->drive.sever = true;
        }
    }
    ni_peer_down(ni, peer, status);
}

NI_COLD void ni_lanes_break(struct ni *ni, struct ni_peer *peer)
{
    ni_stat_add(&ni->stats.rx_malformed, 1);
    stop_listening(ni, peer, NI_ERR_PROTOCOL);
}

NI_COLD bool ni_packet_gives_up(struct ni *ni, struct ni_peer *peer, struct ni_memory_wait *wait,
                                uint64_t what)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(4);
    uint64_t most = ni->config->memory_wait_ms;
    char name[96];

    if (!ni_memory_wait_over(wait, what, most)) {
        return false;
    }
    ni_config_name("memory_wait_ms", name, sizeof(name));
    ni_log_limited(&limit, NI_LOG_ERROR,
                   "no memory to take or answer what another process has sent, for %s = %llu ms: "
                   "giving that one up; free memory, or raise the limit of address space (ulimit "
                   "-v) or the memory limit of this container or user",
                   name, (unsigned long long)most);
    peer->drive.sever = true;
    stop_listening(ni, peer, NI_ERR_NOMEM);
    return true;
}

void ni_on_peer_down(struct ni *ni, ni_peer_down_fn fn, void *arg)
{
    bool taken = ni_progress_lock_take(ni);

    ni->drive.down_fn = fn;
    ni->drive.down_arg = arg;
    ni_progress_lock_give(ni, taken);
}
