/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/alloc.h"
#include "engine/core/op.h"
#include "engine/object/store/stores.h"
#include "engine/bulk/transfer.h"

/* Who wants to know whether remote stores have arrived: fences, the counter. See stores.h. */

/* ---- fences that are done -------------------------------------------------------------------- */

/* Fences that are done now, moved to `done`. */
static void collect_fences(struct ni_stores *stores, struct ni_list *done)
{
    while (stores->outstanding[!stores->epoch] == 0) {
        for (NI_LIST_EACH(node, &stores->waiting)) {
            ni_container_of(node, struct ni_fence, list)->status = stores->failure;
        }
        if (!ni_list_empty(&stores->waiting)) {
            stores->failure = NI_OK;
            ni_list_splice_back(done, &stores->waiting);
        }
        if (ni_list_empty(&stores->next)) {
            return;
        }
        ni_list_splice_back(&stores->waiting, &stores->next);
        stores->epoch = !stores->epoch;
    }
}

/* No lock is held. */
static void tell_fences(struct ni *ni, struct ni_list *done)
{
    struct ni_list *node;

    while ((node = ni_list_pop_front(done)) != NULL) {
        struct ni_fence *fence = ni_container_of(node, struct ni_fence, list);
        struct ni_ack ack = fence->ack;
        ni_status status = fence->status;

        ni_free(fence);
        ni_ack_deliver(ni, &ack, status, 0);
    }
}

void ni_stores_settle(struct ni_peer *peer)
{
    struct ni_list done;

    ni_list_init(&done);
    ni_lock_take(&peer->lock, peer->threads);
    if (peer->object.stores != NULL) {
        collect_fences(peer->object.stores, &done);
    }
    ni_lock_give(&peer->lock, peer->threads);
    tell_fences(peer->ni, &done);
}

/* ---- fences that begin ----------------------------------------------------------------------- */

/* Have what was stored end: with the open line, which progress sends if there is no room. */
static void ask_for(struct ni_peer *peer)
{
    if (peer->object.stored != 0) {
        peer->object.stores->wanted = true;
        (void)ni_stores_send(peer);
    } else {
        ni_stores_ask(peer);
    }
}

bool ni_stores_under_way(struct ni_peer *peer)
{
    bool some;

    ni_lock_take(&peer->lock, peer->threads);
    some = peer->object.stores != NULL && ni_stores_are_out(peer->object.stores);
    if (some) {
        ni_stores_ask(peer); /* it is a detour, which shall end */
    }
    ni_lock_give(&peer->lock, peer->threads);
    return some;
}

static ni_status fence_one(struct ni_peer *peer, const struct ni_ack *ack)
{
    struct ni_fence *fence;
    struct ni_list done;

    fence = ni_calloc(1, sizeof(*fence));
    if (fence == NULL) {
        return NI_ERR_NOMEM;
    }
    if (ack != NULL) {
        fence->ack = *ack;
    }
    ni_list_init(&fence->list);
    ni_list_init(&done);
    ni_lock_take(&peer->lock, peer->threads);
    if (peer->object.stores != NULL) {
        ni_list_push_back(&peer->object.stores->next, &fence->list);
        ask_for(peer);
        collect_fences(peer->object.stores, &done);
    } else {
        ni_list_push_back(&done, &fence->list);
    }
    ni_lock_give(&peer->lock, peer->threads);
    tell_fences(peer->ni, &done);
    return NI_OK;
}

/* A fence for all peers: ends with the last of theirs. */
struct all {
    struct ni *ni;
    struct ni_ack ack;
    uint32_t left; /* under the NI's lock, as status */
    ni_status status;
};

static void one_done(void *arg, ni_status status, uint64_t value)
{
    struct all *all = arg;
    struct ni *ni = all->ni;
    bool last;

    (void)value;
    ni_lock_take(&ni->lock, ni->threads);
    all->status = all->status == NI_OK ? status : all->status;
    last = --all->left == 0;
    ni_lock_give(&ni->lock, ni->threads);
    if (last) {
        struct all end = *all;

        ni_free(all);
        ni_ack_deliver(end.ni, &end.ack, end.status, 0);
    }
}

static ni_status fence_all(struct ni *ni, const struct ni_ack *ack)
{
    struct all *all = ni_calloc(1, sizeof(*all));
    struct ni_ack done = {.kind = NI_ACK_CALL, .fn = one_done, .arg = all};

    if (all == NULL) {
        return NI_ERR_NOMEM;
    }
    all->ni = ni;
    all->left = 1;
    if (ack != NULL) {
        all->ack = *ack;
    }
    ni_peers_walk(ni);
    for (struct ni_peer *peer = ni_peer_after(ni, NULL); peer != NULL;
         peer = ni_peer_after(ni, peer)) {
        ni_status status;

        ni_lock_take(&ni->lock, ni->threads);
        all->left++;
        ni_lock_give(&ni->lock, ni->threads);
        status = fence_one(peer, &done);
        if (status != NI_OK) {
            one_done(all, status, 0);
        }
    }
    ni_peers_walked(ni);
    one_done(all, NI_OK, 0);
    return NI_OK;
}

ni_status ni_store_fence(struct ni *ni, struct ni_peer *peer, const struct ni_ack *ack)
{
    ni_status status = ni_usable(ni);

    if (status != NI_OK) {
        return status;
    }
    return peer != NULL ? fence_one(peer, ack) : fence_all(ni, ack);
}

uint64_t ni_store_outstanding(struct ni *ni, struct ni_peer *peer)
{
    bool usable = ni_usable(ni) == NI_OK;
    uint64_t bytes = 0;

    ni_lock_take(&peer->lock, peer->threads);
    if (peer->object.stores != NULL) {
        bytes = peer->object.stores->outstanding[0] + peer->object.stores->outstanding[1];
        if (usable) {
            ni_stores_ask(peer); /* the thread that looks wants it to fall */
        }
    }
    ni_lock_give(&peer->lock, peer->threads);
    return bytes;
}
