/* SPDX-License-Identifier: BSD-3-Clause */
#include <apeni/transfer.h>

#include "base/alloc.h"
#include "engine/core/bulk.h"
#include "engine/core/engine_thread.h"
#include "engine/core/op.h"

/*
 * Operations under way at their initiator. Each is accepted once and completes once; its token, the
 * pool's {generation, index}, travels in the packet and comes back in the ack, so that late,
 * repeated or invented acks name nothing.
 */

/* ---- over already ---------------------------------------------------------------------------- */

static void ending_not(struct ni_op *op)
{
    (void)op;
}

static bool ended_already(struct ni_op *op, ni_status status, struct ni_end *also)
{
    (void)op;
    (void)status;
    (void)also;
    return false;
}

static bool tells_nobody(const struct ni_op *op)
{
    (void)op;
    return false;
}

static const struct ni_op_ops over_ops = {
    .ending = ending_not, .ended = ended_already, .tells = tells_nobody};

/* Of those that wait for no answer, so that none ends them. Nothing is written to it. */
static struct ni_bulk over = {.ops = &over_ops, .state = NI_BULK_ENDED};

/* ---- begin ----------------------------------------------------------------------------------- */

/* The NI's lock is held. */
static struct ni_op *take_op(struct ni *ni, enum ni_op_kind kind, const struct ni_ack *ack)
{
    struct ni_op *op = ni_pool_get(&ni->core.op_pool);

    if (op != NULL) {
        *op = (struct ni_op){.kind = kind, .serial = ni->core.serial++};
        if (ack != NULL) {
            op->ack = *ack;
        }
        ni_list_init(&op->list);
        ni_op_count(ni);
    }
    return op;
}

static void free_op(struct ni *ni, struct ni_op *op)
{
    ni_list_remove(&op->list);
    if (NI_UNLIKELY(op->kind == NI_OP_DONE)) {
        ni_list_remove(&op->done);
    }
    ni_pool_put(&ni->core.op_pool, op);
    ni_op_count(ni);
}

struct ni_op *ni_op_new(struct ni_peer *peer, enum ni_op_kind kind, const struct ni_ack *ack)
{
    struct ni *ni = peer->ni;
    struct ni_op *op;

    ni_lock_take(&ni->lock, ni->threads);
    op = take_op(ni, kind, ack);
    if (op != NULL) {
        op->peer = peer;
        ni_list_push_back(&peer->ops, &op->list);
    }
    ni_lock_give(&ni->lock, ni->threads);
    return op;
}

/* The NI's lock is held. */
static struct ni_bulk *new_bulk(struct ni *ni, struct ni_op *op, const struct ni_remote *where)
{
    struct ni_bulk *bulk = ni_pool_get(&ni->bulk.pool);

    if (bulk != NULL) {
        *bulk = (struct ni_bulk){
            .ops = ni->bulk.ops, .state = NI_BULK_ACCEPTED, .where = *where, .op = op};
        ni_list_init(&bulk->list);
    }
    return bulk;
}

struct ni_op *ni_op_new_transfer(struct ni_peer *peer, enum ni_op_kind kind,
                                 const struct ni_ack *ack, uint8_t *local, uint64_t len,
                                 const struct ni_remote *where)
{
    struct ni *ni = peer->ni;
    struct ni_op *op;

    ni_lock_take(&ni->lock, ni->threads);
    op = take_op(ni, kind, ack);
    if (op != NULL && (op->bulk = new_bulk(ni, op, where)) == NULL) {
        free_op(ni, op);
        op = NULL;
    }
    if (op != NULL) {
        op->peer = peer;
        op->local = local;
        op->len = len;
        ni_list_push_back(&peer->ops, &op->list);
    }
    ni_lock_give(&ni->lock, ni->threads);
    return op;
}

uint64_t ni_op_token(struct ni_op *op)
{
    return ni_pool_token(&op->peer->ni->core.op_pool, op);
}

struct ni_op *ni_op_find(struct ni_peer *peer, uint64_t token)
{
    struct ni *ni = peer->ni;
    struct ni_op *op;

    ni_lock_take(&ni->lock, ni->threads);
    op = ni_pool_from_token(&ni->core.op_pool, token);
    /* A peer may only answer what was asked of it. */
    if (op != NULL && op->peer != peer) {
        op = NULL;
    }
    ni_lock_give(&ni->lock, ni->threads);
    return op;
}

/* ---- end ------------------------------------------------------------------------------------- */

/* The flushes that waited for this operation only: moved to `ready`. The NI's lock is held. */
static void release_flushes(struct ni *ni, const struct ni_op *done, ni_status status,
                            struct ni_list *ready)
{
    struct ni_list *next;

    for (struct ni_list *node = ni->core.flushes.items.next; node != &ni->core.flushes.items;
         node = next) {
        struct ni_op *flush = ni_container_of(node, struct ni_op, list);

        next = node->next;
        if (done->serial > flush->serial || (flush->peer != NULL && flush->peer != done->peer)) {
            continue;
        }
        if (flush->failure == NI_OK) {
            flush->failure = status;
        }
        if (--flush->got == 0) {
            ni_work_remove(&ni->core.flushes, node);
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

/* What it has besides ends with this status; whether *also is to be told. The NI's lock is
 * held. */
static bool end_bulk(struct ni_op *op, ni_status status, struct ni_end *also)
{
    return op->bulk != NULL && op->bulk->ops->ended(op, status, also);
}

void ni_op_undo(struct ni_op *op)
{
    struct ni *ni = op->peer->ni;
    struct ni_end also;
    struct ni_list ready;

    ni_list_init(&ready);
    if (op->bulk != NULL) {
        op->bulk->ops->ending(op);
    }
    ni_lock_take(&ni->lock, ni->threads);
    (void)end_bulk(op, NI_OK, &also);
    /* Another thread's flush may have counted it. */
    release_flushes(ni, op, NI_OK, &ready);
    free_op(ni, op);
    ni_lock_give(&ni->lock, ni->threads);
    complete_flushes(ni, &ready);
}

bool ni_op_calls_nobody(const struct ni *ni, const struct ni_op *op)
{
    if (op->bulk != NULL && op->bulk->ops->tells(op)) {
        return false;
    }
    switch (op->ack.kind) {
    case NI_ACK_NONE:
    case NI_ACK_WORD:
        return true;
    case NI_ACK_CALL:
        return ni->portal_ops != NULL && ni->portal_ops->inner(op->ack.fn);
    default:
        return false;
    }
}

/* In an engine thread whose NI has its callbacks on the caller: whether the ack is a caller's to
 * deliver. Then the operation stays in its peer's list until it has been. The NI's lock is held. */
static bool defer_op_ack(struct ni *ni, struct ni_op *op, ni_status status, uint64_t value)
{
    if (!ni_engine_defers(ni)) {
        return false;
    }
    if (op->kind == NI_OP_DONE) {
        return true;
    }
    if (ni_op_calls_nobody(ni, op) && ni_work_count(&ni->core.flushes) == 0) {
        return false;
    }
    op->kind = NI_OP_DONE;
    op->bulk = op->bulk != NULL ? op->bulk : &over; /* a second answer finds that it is over */
    op->failure = status;
    op->got = value;
    ni_list_push_back(&ni->drive.engine->done, &op->done);
    return true;
}

NI_ALWAYS_INLINE void complete(struct ni *ni, struct ni_op *op, ni_status status, uint64_t value,
                               bool threads)
{
    struct ni_ack ack = op->ack;
    struct ni_end also;
    struct ni_list ready;
    bool tell;

    if (op->kind == NI_OP_UNACKED && op->failure != NI_OK) {
        status = op->failure;
    }
    if (op->bulk != NULL) {
        op->bulk->ops->ending(op); /* from now on its source may be gone */
    }
    ni_list_init(&ready);
    ni_lock_take(&ni->lock, threads);
    if (threads && NI_UNLIKELY(ni->drive.engine != NULL)) {
        if (defer_op_ack(ni, op, status, value)) {
            ni_lock_give(&ni->lock, true);
            ni_engine_leave(ni->drive.engine);
            return;
        }
        if (op->kind == NI_OP_DONE) {
            status = op->failure;
            value = op->got;
        }
    }
    tell = end_bulk(op, status, &also);
    if (NI_UNLIKELY(ni_work_count(&ni->core.flushes) != 0)) {
        release_flushes(ni, op, status, &ready);
    }
    free_op(ni, op);
    ni_lock_give(&ni->lock, threads);
    if (NI_UNLIKELY(tell)) {
        ni_ack_deliver(ni, &also.ack, also.status, also.value);
    }
    ni_ack_deliver(ni, &ack, status, value);
    complete_flushes(ni, &ready);
}

static NI_NOINLINE void complete_with_threads(struct ni *ni, struct ni_op *op, ni_status status,
                                              uint64_t value)
{
    complete(ni, op, status, value, true);
}

void ni_op_complete(struct ni_op *op, ni_status status, uint64_t value)
{
    struct ni *ni = op->peer->ni;

    if (NI_UNLIKELY(ni->threads)) {
        complete_with_threads(ni, op, status, value);
    } else {
        complete(ni, op, status, value, false);
    }
}

unsigned ni_ops_deliver(struct ni *ni)
{
    struct ni_list *done = &ni->drive.engine->done;
    unsigned events = 0;

    for (;;) {
        struct ni_op *op = NULL;

        ni_lock_take(&ni->lock, true);
        if (!ni_list_empty(done)) {
            op = ni_container_of(done->next, struct ni_op, done);
        }
        ni_lock_give(&ni->lock, true);
        if (op == NULL) {
            return events;
        }
        ni_op_complete(op, op->failure, op->got);
        events++;
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
        /* Pairs with the acquire load of the thread that polls the word. */
        atomic_store_explicit(ack->word, status == NI_OK ? value : ni_ack_failure(status),
                              memory_order_release);
        break;
    case NI_ACK_COUNTER:
    case NI_ACK_REGION:
        ni->core.ack_region(ni, ack, status, value);
        break;
    }
}

/* Operations to the peer, or to all, that are under way. The NI's lock is held. */
static uint64_t count_ops(const struct ni *ni, const struct ni_peer *only)
{
    uint64_t count = 0;

    for (NI_LIST_EACH(node, &ni->core.peers)) {
        const struct ni_peer *peer = ni_container_of(node, struct ni_peer, core.all);

        if (only == NULL || peer == only) {
            count += ni_list_length(&peer->ops);
        }
    }
    return count;
}

/* It is counted and listed in one go, so that no operation ends, or begins, in between. */
ni_status ni_op_flush(struct ni *ni, struct ni_peer *peer, const struct ni_ack *ack)
{
    struct ni_op *flush = NULL;
    uint64_t count;

    ni_lock_take(&ni->lock, ni->threads);
    /* Programs flush often where nothing is under way. */
    count = ni_pool_out(&ni->core.op_pool) != 0 ? count_ops(ni, peer) : 0;
    if (count != 0 && (flush = take_op(ni, NI_OP_FLUSH, ack)) != NULL) {
        flush->peer = peer;
        flush->bulk = &over;
        flush->got = count;
        ni_work_add(&ni->core.flushes, &flush->list);
    }
    ni_lock_give(&ni->lock, ni->threads);
    if (count == 0) {
        return NI_OK;
    }
    return flush != NULL ? NI_INPROGRESS : NI_ERR_NOMEM;
}
