/* SPDX-License-Identifier: BSD-3-Clause */
#include <sched.h>

#include "base/bits.h"
#include "base/clock.h"
#include "engine/bulk/throttle.h"
#include "engine/bulk/pull_request.h"
#include "engine/bulk/copy.h"
#include "engine/bulk/states.h"
#include "engine/bulk/unlocked_copy.h"
#include "engine/bulk/shared_copy.h"
#include "engine/core/engine_thread.h"
#include "engine/core/noting.h"
#include "engine/send/stream.h"
#include "engine/bulk/transfer.h"

/*
 * Long transfers by direct copies, in chunks. The initiator copies chunk after chunk, one per
 * ni_progress. Where the lane has a free shared copy it also describes the transfer there
 * (shared_copy.c) and asks the target, which has the data in its cache or wants it there, to copy
 * chunks as well, while it is in the library (shared_copy_in.c). Either finishes alone.
 */

enum {
    NI_SHARED_COPY_MIN = 32 * 1024, /* below, asking for help takes longer than it saves */
    NI_SHARED_COPY_CHUNK_MIN = 16 * 1024,
    NI_SHARED_COPY_CHUNK_MAX = 512 * 1024,
    NI_SHARED_COPY_CHUNK_FAR = 128 * 1024,
    NI_SHARED_COPY_FAR_TIMES = 4, /* as much at a time is copied alone where lines travel slowly */
    NI_SHARED_COPY_LAST =
        8, /* of those that we copy are left: time that a target that has no more helps */
};

/* For how long a transfer that is given up waits for a target that lives but does not come back
 * from copying. */
#define NI_SHARED_COPY_PATIENCE_NS UINT64_C(1000000000)

/* Whether we have, or soon will have, others to copy. */
static bool others_to_copy(const struct ni *ni)
{
    return (ni_work_count(&ni->bulk.copying) | ni_work_count(&ni->bulk.requests)) != 0;
}

/* Whether the target's help is worth asking for. */
static bool worth_sharing(const struct ni_op *op)
{
    return op->peer->ni->config->bulk_both && op->len >= NI_SHARED_COPY_MIN && !op->bulk->alone;
}

static bool is_copy_far(const struct ni_op *op)
{
    return atomic_load_explicit(&op->peer->send.far, memory_order_relaxed);
}

/* Whether we copy most of it, or all. */
static bool mostly_ours(const struct ni_op *op)
{
    return op->bulk->both_busy || !worth_sharing(op);
}

/* Each call of the kernel takes some lines of the peer's. What nobody helps with is copied by fewer
 * of them where these travel slowly. */
static unsigned times(const struct ni_op *op)
{
    return is_copy_far(op) && mostly_ours(op) ? NI_SHARED_COPY_FAR_TIMES : 1;
}

static uint64_t chunk_size(const struct ni_op *op)
{
    const struct ni *ni = op->peer->ni;
    uint64_t most = is_copy_far(op) && !others_to_copy(ni) ? NI_SHARED_COPY_CHUNK_FAR
                                                           : NI_SHARED_COPY_CHUNK_MAX;
    uint64_t half = ni_align_up((op->len + 1) / 2, 4096);

    if (ni->config->bulk_chunk != 0) {
        return ni_max_u64(ni->config->bulk_chunk, 4096);
    }
    /* Few large chunks pay least per chunk; where lines travel slowly the sides are less even. With
     * other transfers to copy, both sides are busy without halves, and one that the target has
     * declined is mostly ours. */
    if (mostly_ours(op)) {
        return ni_min_u64(op->len, (uint64_t)NI_SHARED_COPY_CHUNK_MAX * times(op));
    }
    if (others_to_copy(ni)) {
        return ni_min_u64(op->len, most);
    }
    return ni_min_u64(ni_max_u64(half, NI_SHARED_COPY_CHUNK_MIN), most);
}

static bool share_copy(struct ni_op *op, uint32_t own)
{
    struct ni_peer *peer = op->peer;
    bool shared;

    ni_lock_take(&peer->lock, peer->threads);
    shared = ni_shared_copy_start(op, own);
    ni_lock_give(&peer->lock, peer->threads);
    return shared;
}

/* No chunk can be claimed from now on; notes how many the target has. If the claims are not those
 * of this transfer any more, the target has cleared the lane, as it does when it closes: nobody
 * knows then who has copied what. */
static void close_shared(struct ni_op *op)
{
    ni_bulk_go(op, NI_BULK_CLOSE);
    op->bulk->at = op->bulk->until;
    op->bulk->others = 0;
    if (op->bulk->shared != NULL) {
        uint64_t claim =
            atomic_exchange_explicit(&op->bulk->shared->claim, 0, memory_order_relaxed);
        uint32_t claimed = (uint32_t)ni_min_u64((uint32_t)claim, op->bulk->chunks);

        op->bulk->alone = (uint32_t)(claim >> 32) != op->bulk->generation;
        /* A target that scribbles here harms its own transfer only. */
        op->bulk->others = claimed > op->bulk->own ? claimed - op->bulk->own : 0;
    }
}

/* The next chunk to copy; false when none is left. */
static bool claim_own(struct ni_op *op, uint32_t *chunk)
{
    bool claimed;

    if (op->bulk->shared != NULL) {
        claimed =
            ni_shared_copy_claim(op->bulk->shared, op->bulk->generation, op->bulk->chunks, chunk);
    } else {
        *chunk = op->bulk->own; /* all that were claimed are ours */
        claimed = op->bulk->own < op->bulk->chunks;
    }
    op->bulk->own += claimed;
    return claimed;
}

static void on_chunk_copied(struct ni *ni, void *what, ni_status status, uint64_t len)
{
    struct ni_op *op = what;

    if (NI_UNLIKELY(status != NI_OK)) {
        op->bulk->failure = status;
        close_shared(op);
        return;
    }
    ni_stat_add(&ni->stats.bulk_bytes_self, len);
}

static void open_own_chunk(struct ni_op *op, uint32_t chunk)
{
    op->bulk->at = chunk * op->bulk->chunk;
    op->bulk->until = ni_min_u64(op->bulk->at + op->bulk->chunk, op->len);
}

/* A piece of the chunk that is open, mostly all of it. True: the operation may be gone. */
static bool copy_own(struct ni_op *op)
{
    struct ni *ni = op->peer->ni;
    uint64_t at = op->bulk->at, began_ns;
    struct ni_copy_args copy = {
        .ep = op->peer->ep,
        .direction = op->kind == NI_OP_READ ? NI_COPY_FROM_PEER : NI_COPY_TO_PEER,
        .local = op->local + at,
        .remote = op->bulk->where.addr + at,
        .len = ni_throttle_piece(ni, op->len, op->bulk->until - at, times(op), &began_ns),
    };
    bool gone;

    op->bulk->at += copy.len;
    gone = ni_unlocked_copy_run(ni, op, &copy, on_chunk_copied);
    ni_throttle_copied(ni, began_ns);
    return gone;
}

/* Whether the target copies no chunk any more. */
static bool helper_done(const struct ni_op *op)
{
    /* Acquire pairs with J2. */
    return op->bulk->shared == NULL ||
           atomic_load_explicit(&op->bulk->shared->helped, memory_order_acquire) >=
               op->bulk->others;
}

/* The bytes were copied without packets: its note follows, or it completes. */
static void complete_noting(struct ni_op *op)
{
    ni_status status = NI_OK;

    if (op->bulk->noting->noted) {
        ni_bulk_go(op, NI_BULK_NOTE);
        status = ni_stream_note(op);
        if (status == NI_OK) {
            return;
        }
    }
    ni_op_complete(op, status, status == NI_OK ? op->len : 0);
}

/* All chunks have ended, ours and the target's. */
static void finish_copy(struct ni_op *op)
{
    struct ni_bulk *bulk = op->bulk;
    bool redo = false;

    if (bulk->shared != NULL) {
        redo =
            bulk->alone || atomic_load_explicit(&bulk->shared->failed, memory_order_relaxed) != 0;
        ni_shared_copy_end(op);
    }
    if (bulk->failure == NI_OK && redo) {
        bulk->failure = ni_peer_state(op->peer);
    }
    if (bulk->failure == NI_OK && redo) {
        /* The target could not copy what it claimed: all again, alone. */
        bulk->alone = true;
        bulk->own = 0;
        ni_bulk_go(op, NI_BULK_COPY);
        return;
    }
    if (bulk->failure == NI_ERR_PEER_DEAD && ni_peer_state(op->peer) == NI_OK) {
        /* The link tells the core next. It ends then with all else that was under way, in the poll
         * that tells the program of the peer: who gives up at the first error knows the reason. */
        ni_bulk_go(op, NI_BULK_LOSE);
    } else if (bulk->failure == NI_ERR_UNSUPPORTED) {
        ni_transfer_by_packets(op);
    } else if (bulk->failure == NI_OK && bulk->noting != NULL) {
        complete_noting(op);
    } else {
        ni_op_complete(op, bulk->failure, bulk->failure == NI_OK ? op->len : 0);
    }
}

/* All shared copies were in use when it was started, or the target had others to copy. */
static void share_late(struct ni_op *op)
{
    uint32_t count = ni_work_count(&op->peer->ni->bulk.copying);

    if (op->bulk->own == 0 && op->bulk->shared == NULL && worth_sharing(op) && count > 1 &&
        (!op->bulk->both_busy || count <= NI_SHARED_COPY_LAST)) {
        (void)share_copy(op, 0);
    }
}

/* One chunk, or a look whether the target is done with its own. Returns the number of events. */
static unsigned step_copy(struct ni_op *op)
{
    uint32_t chunk;
    unsigned events = 0;

    if (ni_unlocked_copy_busy(op->peer->ni, op) || !ni_throttle_allows(op->peer->ni, op->len)) {
        return 0;
    }
    share_late(op);
    if (op->bulk->state == NI_BULK_COPYING) {
        if (op->bulk->at == op->bulk->until && claim_own(op, &chunk)) {
            open_own_chunk(op, chunk);
        }
        if (op->bulk->at != op->bulk->until) {
            if (copy_own(op)) {
                return 1;
            }
            events = 1;
        } else {
            close_shared(op);
        }
        if (op->bulk->state == NI_BULK_COPYING && op->bulk->shared == NULL &&
            op->bulk->own == op->bulk->chunks && op->bulk->at == op->bulk->until) {
            close_shared(op);
        }
    }
    if (op->bulk->state == NI_BULK_CLOSED && helper_done(op)) {
        finish_copy(op);
        events = 1;
    }
    return events;
}

/* A live target must leave our memory first: it becomes the user's again. */
void ni_copy_forget(struct ni_op *op)
{
    ni_status state = ni_peer_state(op->peer);
    uint64_t end;

    if (op->bulk->shared == NULL) {
        return;
    }
    if (op->bulk->state != NI_BULK_CLOSED) {
        close_shared(op);
    }
    end = ni_now_ns() + (state == NI_OK || state == NI_ERR_CLOSED ? NI_SHARED_COPY_PATIENCE_NS : 0);
    while (!helper_done(op) && ni_now_ns() < end) {
        sched_yield();
    }
    if (helper_done(op)) {
        ni_shared_copy_end(op);
    }
    /* Otherwise the shared copy stays taken: it may still be counted in. */
    op->bulk->shared = NULL;
}

ni_status ni_copy_at_once(struct ni_peer *peer, enum ni_copy_direction direction, uint8_t *local,
                          uint64_t remote, uint64_t len)
{
    struct ni *ni = peer->ni;
    struct ni_ep *ep = peer->ep;
    ni_status status;

    if (len >= NI_SHARED_COPY_MIN || others_to_copy(ni) || ni->threads ||
        ni->config->bulk_chunk != 0) {
        return NI_AGAIN;
    }
    status = ep->ops->copy(ep, direction, local, remote, len);
    if (NI_LIKELY(status == NI_OK)) {
        ni_stat_add(&ni->stats.bulk_bytes_self, len);
    }
    /* The kernel does not copy after all: packets do. Nor from the dead: that takes an operation,
     * to end when the link tells of the peer. */
    return status == NI_ERR_UNSUPPORTED || status == NI_ERR_PEER_DEAD ? NI_AGAIN : status;
}

void ni_copy_start(struct ni_op *op)
{
    struct ni *ni = op->peer->ni;
    /* An engine thread copies all of it: who starts a transfer goes on at once. */
    bool first = !others_to_copy(ni) && !ni_has_back_end(ni) && !op->bulk->both_busy;
    bool shared;

    ni_bulk_go(op, NI_BULK_COPY);
    op->bulk->chunk = chunk_size(op);
    op->bulk->chunks = (uint32_t)ni_div_up(op->len, op->bulk->chunk);
    shared = worth_sharing(op) && !op->bulk->both_busy && op->bulk->chunks > first &&
             share_copy(op, first);
    if (shared && first) {
        open_own_chunk(op, 0);
        (void)copy_own(op);
    }
    ni_bulk_list(op);
    if (!shared && first && !ni->threads) {
        (void)step_copy(op);
    }
    ni_engine_kick(ni);
}

/* Few are left: have the target, which may be done with its own, take some before we come to
 * them. */
static void share_last(struct ni *ni, uint32_t left)
{
    for (left = left <= NI_SHARED_COPY_LAST ? left : 0; left != 0; left--) {
        struct ni_list *node = ni_work_next(&ni->bulk.copying, &ni->lock, ni->threads);

        if (node != NULL) {
            share_late(ni_container_of(node, struct ni_bulk, list)->op);
        }
    }
}

/* Look at all of our transfers, until one of them had something to do that took its time. */
unsigned ni_copy_progress(struct ni *ni)
{
    unsigned events = 0;
    uint32_t left = ni_work_count(&ni->bulk.copying);

    share_last(ni, left);
    for (; left != 0 && events == 0; left--) {
        struct ni_list *node = ni_work_next(&ni->bulk.copying, &ni->lock, ni->threads);

        if (node != NULL) {
            events = step_copy(ni_container_of(node, struct ni_bulk, list)->op);
        }
    }
    return events;
}
