/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/engine.h"

/*
 * Operations under way at their initiator. Each is accepted once and completes once; its token, the
 * pool's {generation, index}, travels in the packet and comes back in the ack, so that late,
 * repeated or invented acks name nothing.
 */

struct ni_op *ni_op_new(struct ni_peer *peer, enum ni_op_kind kind, const struct ni_ack *ack)
{
    struct ni *ni = peer->ni;
    struct ni_op *op;

    ni_lock_take(&ni->lock, ni->threads);
    op = ni_pool_get(&ni->op_pool);
    if (op != NULL) {
        *op = (struct ni_op){.peer = peer, .kind = kind, .serial = ni->serial++};
        if (ack != NULL) {
            op->ack = *ack;
        }
        ni_list_init(&op->copying);
        ni_list_init(&op->list);
        ni_list_push_back(&peer->ops, &op->list);
        ni_stat_add(&ni->stats.pending_ops, 1);
        ni_stat_max(&ni->stats.pending_max, ni_pool_out(&ni->op_pool));
    }
    ni_lock_give(&ni->lock, ni->threads);
    return op;
}

uint64_t ni_op_token(struct ni_op *op)
{
    return ni_pool_token(&op->peer->ni->op_pool, op);
}

struct ni_op *ni_op_find(struct ni_peer *peer, uint64_t token)
{
    struct ni *ni = peer->ni;
    struct ni_op *op;

    ni_lock_take(&ni->lock, ni->threads);
    op = ni_pool_from_token(&ni->op_pool, token);
    ni_lock_give(&ni->lock, ni->threads);
    /* A peer may only answer what was asked of it. */
    return op != NULL && op->peer == peer ? op : NULL;
}

static void free_op(struct ni *ni, struct ni_op *op)
{
    ni_list_remove(&op->list);
    ni_work_remove(op->kind == NI_OP_FLUSH ? &ni->flushes : &ni->copying, &op->copying);
    ni_stat_sub(&ni->stats.pending_ops, 1);
    ni_pool_put(&ni->op_pool, op);
}

void ni_op_undo(struct ni_op *op)
{
    struct ni *ni = op->peer->ni;

    ni_lock_take(&ni->lock, ni->threads);
    free_op(ni, op);
    ni_lock_give(&ni->lock, ni->threads);
}

/* The flushes that waited for this operation only: moved to `ready`. The NI's lock is held. */
static void release_flushes(struct ni *ni, const struct ni_op *done, struct ni_list *ready)
{
    struct ni_list *next;

    for (struct ni_list *node = ni->flushes.items.next; node != &ni->flushes.items; node = next) {
        struct ni_op *flush = ni_container_of(node, struct ni_op, copying);

        next = node->next;
        if (done->serial < flush->serial && (flush->remote == 0 || flush->peer == done->peer) &&
            --flush->got == 0) {
            ni_work_remove(&ni->flushes, &flush->copying);
            ni_list_push_back(ready, &flush->copying);
        }
    }
}

void ni_op_complete(struct ni_op *op, ni_status status, uint64_t value)
{
    struct ni *ni = op->peer->ni;
    struct ni_ack ack = op->ack;
    struct ni_list ready;

    ni_list_init(&ready);
    ni_lock_take(&ni->lock, ni->threads);
    if (NI_UNLIKELY(ni_work_count(&ni->flushes) != 0) && op->kind != NI_OP_FLUSH) {
        release_flushes(ni, op, &ready);
    }
    free_op(ni, op);
    ni_lock_give(&ni->lock, ni->threads);
    ni_ack_deliver(ni, &ack, status, value);
    while (!ni_list_empty(&ready)) {
        struct ni_op *flush = ni_container_of(ready.next, struct ni_op, copying);

        ni_list_remove(&flush->copying);
        ni_op_complete(flush, NI_OK, 0);
    }
}

void ni_ack_deliver(struct ni *ni, const struct ni_ack *ack, ni_status status, uint64_t value)
{
    switch (ack != NULL ? ack->kind : NI_ACK_NONE) {
    case NI_ACK_NONE:
        break;
    case NI_ACK_CALL:
        ack->fn(ack->arg, status, value);
        break;
    case NI_ACK_WORD:
        /* Pairs with the acquire load of whoever polls the word. */
        atomic_store_explicit(ack->word, status == NI_OK ? value : ni_ack_failure(status),
                              memory_order_release);
        break;
    case NI_ACK_COUNTER:
        (void)ni_counter_add(ni, ack->counter, (int64_t)value);
        break;
    }
}

/* Operations to the peer, or to all, that are under way. The NI's lock is held. */
static uint64_t count_ops(const struct ni *ni, const struct ni_peer *only)
{
    uint64_t count = 0;

    for (const struct ni_list *node = ni->peers.next; node != &ni->peers; node = node->next) {
        const struct ni_peer *peer = ni_container_of(node, struct ni_peer, all);

        if (only != NULL && peer != only) {
            continue;
        }
        for (const struct ni_list *o = peer->ops.next; o != &peer->ops; o = o->next) {
            count += ni_container_of(o, struct ni_op, list)->kind != NI_OP_FLUSH;
        }
    }
    return count;
}

ni_status ni_flush(struct ni *ni, struct ni_peer *peer, const struct ni_ack *ack)
{
    struct ni_op *op;
    struct ni_peer *home = peer;
    ni_status status = ni_usable(ni);

    if (status != NI_OK) {
        return status;
    }
    if (home == NULL) {
        if (ni_list_empty(&ni->peers)) {
            ni_ack_deliver(ni, ack, NI_OK, 0);
            return NI_OK;
        }
        home = ni_container_of(ni->peers.next, struct ni_peer, all);
    }
    op = ni_op_new(home, NI_OP_FLUSH, ack);
    if (op == NULL) {
        return NI_ERR_NOMEM;
    }
    op->remote = peer != NULL;
    ni_lock_take(&ni->lock, ni->threads);
    op->got = count_ops(ni, peer);
    if (op->got != 0) {
        ni_work_add(&ni->flushes, &op->copying);
    }
    ni_lock_give(&ni->lock, ni->threads);
    if (op->got == 0) {
        ni_op_complete(op, NI_OK, 0);
    }
    return NI_OK;
}
