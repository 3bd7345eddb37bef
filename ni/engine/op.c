/* SPDX-License-Identifier: BSD-3-Clause */
#include <apeni/counter.h>
#include <apeni/transfer.h>

#include "base/alloc.h"
#include "engine/note.h"
#include "engine/op.h"
#include "engine/stream.h"

/*
 * Operations under way at their initiator. Each is accepted once and completes once; its token, the
 * pool's {generation, index}, travels in the packet and comes back in the ack, so that late,
 * repeated or invented acks name nothing.
 */

/* The NI's lock is held. */
static struct ni_op *new_op(struct ni *ni, enum ni_op_kind kind, const struct ni_ack *ack)
{
    struct ni_op *op = ni_pool_get(&ni->op_pool);

    if (op != NULL) {
        *op = (struct ni_op){.kind = kind, .serial = ni->serial++};
        if (ack != NULL) {
            op->ack = *ack;
        }
        ni_list_init(&op->copying);
        ni_list_init(&op->list);
        ni_op_count(ni);
    }
    return op;
}

struct ni_op *ni_op_new(struct ni_peer *peer, enum ni_op_kind kind, const struct ni_ack *ack)
{
    struct ni *ni = peer->ni;
    struct ni_op *op;

    ni_lock_take(&ni->lock, ni->threads);
    op = new_op(ni, kind, ack);
    if (op != NULL) {
        op->peer = peer;
        ni_list_push_back(&peer->ops, &op->list);
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
    /* A peer may only answer what was asked of it. */
    if (op != NULL && op->peer != peer) {
        op = NULL;
    }
    ni_lock_give(&ni->lock, ni->threads);
    return op;
}

static void free_op(struct ni *ni, struct ni_op *op)
{
    ni_list_remove(&op->list);
    if (!op->plain && op->kind != NI_OP_FLUSH) {
        ni_work_remove(op->asked ? &ni->asking : &ni->copying, &op->copying);
    }
    ni_pool_put(&ni->op_pool, op);
    ni_op_count(ni);
}

/* The flushes that waited for this operation only: moved to `ready`. The NI's lock is held. */
static void release_flushes(struct ni *ni, const struct ni_op *done, ni_status status,
                            struct ni_list *ready)
{
    struct ni_list *next;

    for (struct ni_list *node = ni->flushes.items.next; node != &ni->flushes.items; node = next) {
        struct ni_op *flush = ni_container_of(node, struct ni_op, list);

        next = node->next;
        if (done->serial > flush->serial || (flush->peer != NULL && flush->peer != done->peer)) {
            continue;
        }
        if (flush->failure == NI_OK) {
            flush->failure = status;
        }
        if (--flush->got == 0) {
            ni_work_remove(&ni->flushes, node);
            ni_list_push_back(ready, node);
        }
    }
}

static void complete_flushes(struct ni *ni, struct ni_list *ready)
{
    struct ni_list *node;

    while ((node = ni_list_pop_front(ready)) != NULL) {
        struct ni_op *flush = ni_container_of(node, struct ni_op, list);
        struct ni_ack ack = flush->ack;
        ni_status status = flush->failure;

        ni_lock_take(&ni->lock, ni->threads);
        free_op(ni, flush);
        ni_lock_give(&ni->lock, ni->threads);
        ni_ack_deliver(ni, &ack, status, 0);
    }
}

void ni_op_undo(struct ni_op *op)
{
    struct ni *ni = op->peer->ni;
    struct ni_list ready;

    if (!op->plain) {
        ni_free(ni_note_take(op, NI_OK));
    }
    ni_list_init(&ready);
    ni_lock_take(&ni->lock, ni->threads);
    /* Another thread's flush may have counted it. */
    release_flushes(ni, op, NI_OK, &ready);
    free_op(ni, op);
    ni_lock_give(&ni->lock, ni->threads);
    complete_flushes(ni, &ready);
}

void ni_op_complete(struct ni_op *op, ni_status status, uint64_t value)
{
    struct ni *ni = op->peer->ni;
    struct ni_ack ack = op->ack;
    struct ni_noting *noting = NULL;
    struct ni_list ready;

    if (op->kind == NI_OP_WRITE && !op->plain) {
        ni_stream_end(op); /* from now on its source may be gone */
        noting = ni_note_take(op, status);
    }
    ni_list_init(&ready);
    ni_lock_take(&ni->lock, ni->threads);
    if (NI_UNLIKELY(ni_work_count(&ni->flushes) != 0)) {
        release_flushes(ni, op, status, &ready);
    }
    free_op(ni, op);
    ni_lock_give(&ni->lock, ni->threads);
    if (NI_UNLIKELY(noting != NULL)) {
        ni_note_end(ni, noting);
    }
    ni_ack_deliver(ni, &ack, status, value);
    complete_flushes(ni, &ready);
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

    for (NI_LIST_EACH(node, &ni->peers)) {
        const struct ni_peer *peer = ni_container_of(node, struct ni_peer, all);

        if (only == NULL || peer == only) {
            count += ni_list_length(&peer->ops);
        }
    }
    return count;
}

/* A flush is counted and listed in one go, so that no operation ends, or begins, in between. */
ni_status ni_flush(struct ni *ni, struct ni_peer *peer, const struct ni_ack *ack)
{
    struct ni_op *flush = NULL;
    ni_status status = ni_usable(ni);
    uint64_t count;

    if (status != NI_OK) {
        return status;
    }
    ni_lock_take(&ni->lock, ni->threads);
    /* Programs flush often where nothing is under way. */
    count = ni_pool_out(&ni->op_pool) != 0 ? count_ops(ni, peer) : 0;
    if (count != 0 && (flush = new_op(ni, NI_OP_FLUSH, ack)) != NULL) {
        flush->peer = peer;
        flush->got = count;
        ni_work_add(&ni->flushes, &flush->list);
    }
    ni_lock_give(&ni->lock, ni->threads);
    if (count == 0) {
        ni_ack_deliver(ni, ack, NI_OK, 0);
    }
    return count == 0 || flush != NULL ? NI_OK : NI_ERR_NOMEM;
}
