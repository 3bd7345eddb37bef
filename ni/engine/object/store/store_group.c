/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/alloc.h"
#include "engine/send/direct.h"
#include "engine/core/op.h"
#include "engine/send/unacked.h"
#include "engine/object/store/stores.h"
#include "engine/send/waiting.h"

/*
 * Lines that have left under one operation, see stores.h: how a group begins, and how its end is
 * asked for.
 */

/* ---- a group --------------------------------------------------------------------------------- */

/* The last of its lines has been taken, or the peer is gone. */
static void on_group_end(void *arg, ni_status status, uint64_t value)
{
    struct ni_store_group *group = arg;
    struct ni_stores *stores = group->stores;
    struct ni_peer *peer = stores->peer;
    bool fences;

    (void)value;
    ni_lock_take(&peer->lock, peer->threads);
    ni_stores_count_off(stores, group->epoch, group->bytes, status);
    /* A peer that answers before it is asked has ended it all the same. */
    if (stores->group == group) {
        stores->group = NULL;
    }
    group->free = stores->free;
    stores->free = group;
    fences = !ni_list_empty(&stores->waiting) || !ni_list_empty(&stores->next);
    ni_lock_give(&peer->lock, peer->threads);
    if (NI_UNLIKELY(fences)) {
        ni_stores_settle(peer);
    }
}

static struct ni_store_group *get_group(struct ni_stores *stores)
{
    struct ni_store_group *group = stores->free;

    if (NI_LIKELY(group != NULL)) {
        stores->free = group->free;
        return group;
    }
    group = ni_calloc(1, sizeof(*group));
    if (group != NULL) {
        group->stores = stores;
        group->all = stores->all;
        stores->all = group;
    }
    return group;
}

struct ni_store_group *ni_store_group_begin(struct ni_stores *stores)
{
    struct ni_store_group *group = get_group(stores);
    const struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = on_group_end, .arg = group};

    if (group == NULL) {
        return NULL;
    }
    group->bytes = 0;
    group->epoch = stores->line_epoch;
    if (ni_direct_op(stores->peer, NI_OP_UNACKED, 0, NULL, &ack, &group->token,
                     stores->peer->threads) == NULL) {
        group->free = stores->free;
        stores->free = group;
        return NULL;
    }
    stores->group = group;
    return group;
}

void ni_store_groups_free(struct ni_stores *stores)
{
    struct ni_store_group *group;

    while ((group = stores->all) != NULL) {
        stores->all = group->all;
        ni_free(group);
    }
}

/* ---- its end --------------------------------------------------------------------------------- */

void ni_store_group_end(struct ni_stores *stores)
{
    stores->group = NULL;
    stores->wanted = false;
    ni_source_lower(stores->peer, NI_SOURCE_STORES_QUESTION);
}

static bool ask_for_group(struct ni_peer *peer)
{
    if (!ni_unacked_question(peer, peer->object.stores->group->token)) {
        return false;
    }
    ni_store_group_end(peer->object.stores);
    return true;
}

bool ni_stores_ask_again(struct ni_peer *peer)
{
    if (peer->object.stores->group == NULL) {
        ni_source_lower(peer, NI_SOURCE_STORES_QUESTION);
        return true;
    }
    return ask_for_group(peer);
}

void ni_stores_ask(struct ni_peer *peer)
{
    struct ni_stores *stores = peer->object.stores;

    if (peer->object.stored != 0) {
        stores->wanted = true; /* the open line is the question, as soon as it leaves */
    } else if (stores->group != NULL && !ni_source_pending(peer, NI_SOURCE_STORES_QUESTION) &&
               ni_peer_state(peer) == NI_OK && !ask_for_group(peer)) {
        ni_source_raise(peer, NI_SOURCE_STORES_QUESTION);
    }
}

static bool ask_for_group_again(struct ni_peer *peer, unsigned *sent)
{
    (void)sent;
    return ni_stores_ask_again(peer);
}

/* Its group ends with the peer's operations. */
static void drop_group_question(struct ni_peer *peer, ni_status status)
{
    (void)peer;
    (void)status;
}

void ni_store_groups_register(struct ni *ni)
{
    static const struct ni_source_ops source = {.send = ask_for_group_again,
                                                .drop = drop_group_question};

    ni_source_register(ni, NI_SOURCE_STORES_QUESTION, &source);
}
