/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/bits.h"
#include "engine/core/bulk.h"
#include "engine/send/fast.h"
#include "engine/bulk/shared_copy.h"
#include "engine/send/send.h"
#include "link/lane_inl.h"

/*
 * The description of a transfer in the lane, that of who initiated it. Who is free, the
 * initiator or a target that was asked to help, claims the next chunk (J1).
 */

static unsigned first_free(const struct ni_peer *peer)
{
    return (unsigned)__builtin_ctz(~peer->bulk.shared_busy);
}

/* No shared copy of our lane is free, or there is no lane. The peer's lock is held. */
static bool all_busy(const struct ni_peer *peer)
{
    return peer->ep->tx.lines == NULL || first_free(peer) >= NI_LANE_SHARED_COPIES;
}

/* A shared copy of our lane that no transfer uses. The peer's lock is held. */
static struct ni_shared_copy *take_free(struct ni_peer *peer)
{
    unsigned first = first_free(peer);

    if (all_busy(peer)) {
        return NULL;
    }
    peer->bulk.shared_busy |= 1U << first;
    return &peer->ep->tx.page->shared_copies[first];
}

void ni_shared_copy_end(struct ni_op *op)
{
    struct ni_peer *peer = op->peer;

    ni_lock_take(&peer->lock, peer->threads);
    peer->bulk.shared_busy &=
        ~(1U << (unsigned)(op->bulk->shared - peer->ep->tx.page->shared_copies));
    op->bulk->shared = NULL;
    ni_lock_give(&peer->lock, peer->threads);
}

/* Describe the transfer. The first `own` chunks are ours, so that the target begins behind them. */
static void describe_shared_copy(struct ni_op *op, struct ni_shared_copy *shared, uint32_t own)
{
    struct ni_peer *peer = op->peer;

    if (++peer->bulk.shared_generation == 0) {
        peer->bulk.shared_generation = 1;
    }
    atomic_store_explicit(&shared->helped, 0, memory_order_relaxed);
    atomic_store_explicit(&shared->failed, 0, memory_order_relaxed);
    atomic_store_explicit(&shared->chunks, op->bulk->chunks, memory_order_relaxed);
    atomic_store_explicit(&shared->chunk, op->bulk->chunk, memory_order_relaxed);
    atomic_store_explicit(&shared->local, (uintptr_t)op->local, memory_order_relaxed);
    atomic_store_explicit(&shared->remote, op->bulk->where.addr, memory_order_relaxed);
    atomic_store_explicit(&shared->len, op->len, memory_order_relaxed);
    atomic_store_explicit(&shared->is_read, op->kind == NI_OP_READ, memory_order_relaxed);
    atomic_store_explicit(&shared->handle, op->bulk->where.handle, memory_order_relaxed);
    op->bulk->shared = shared;
    op->bulk->generation = peer->bulk.shared_generation;
    op->bulk->own = own;
    atomic_store_explicit(&shared->claim, (uint64_t)op->bulk->generation << 32 | own,
                          memory_order_relaxed);
}

/* Describe the transfer in a shared copy that no other uses, and say so in the fields of the packet
 * for it. False: all are in use. The peer's lock is held. */
static bool open_shared(struct ni_op *op, uint32_t own, enum ni_copy_request what,
                        struct ni_packet_copy *fields)
{
    struct ni_shared_copy *shared = take_free(op->peer);

    if (shared == NULL) {
        return false;
    }
    describe_shared_copy(op, shared, own);
    *fields = (struct ni_packet_copy){
        .key = op->bulk->where.key,
        .claim = (uint64_t)op->bulk->generation << 32,
        .index = (uint32_t)(shared - op->peer->ep->tx.page->shared_copies),
        .what = (uint32_t)what,
        .token = ni_op_token(op),
    };
    return true;
}

bool ni_shared_copy_start(struct ni_op *op, uint32_t own)
{
    struct ni_peer *peer = op->peer;
    struct ni_lane_tx *tx = &peer->ep->tx;
    struct ni_packet_copy fields;
    struct ni_packet *packet;

    if (ni_peer_waits(peer) || !ni_lane_room(tx, 1) ||
        !open_shared(op, own,
                     ni_bulk_is_requested(op->bulk) ? NI_COPY_REQUEST_PULL : NI_COPY_REQUEST_SHARE,
                     &fields)) {
        return false;
    }
    packet = ni_lane_at(tx);
    memcpy(packet->body, &fields, sizeof(fields));
    packet->word1 = ni_packet_word1(0, op->bulk->where.handle);
    ni_lane_commit(tx, ni_packet_word0(0, NI_PACKET_COPY, NI_LINE, 0), 1);
    ni_published(peer, peer->ep);
    return true;
}

bool ni_shared_copy_push(struct ni_op *op)
{
    struct ni_peer *peer = op->peer;
    struct ni_packet_copy fields;
    uint8_t *place, *payload;
    uint32_t len = (uint32_t)op->len;

    if (ni_peer_waits(peer) || all_busy(peer) ||
        ni_packet_begin(peer, sizeof(fields), 0, len, &place, &payload) != NI_OK) {
        return false;
    }
    (void)open_shared(op, 0, NI_COPY_REQUEST_PUSH, &fields);
    memcpy(place, &fields, sizeof(fields));
    ni_msg_copy(peer, payload, op->local, len);
    ni_packet_commit(peer, NI_PACKET_COPY, 0, len, op->bulk->where.handle);
    return true;
}

bool ni_shared_copy_claim(struct ni_shared_copy *shared, uint32_t generation, uint32_t chunks,
                          uint32_t *chunk)
{
    uint64_t claim = atomic_load_explicit(&shared->claim, memory_order_relaxed);

    while ((uint32_t)(claim >> 32) == generation && (uint32_t)claim < chunks) {
        /* J1: relaxed is enough, what the target needs to know came with the packet. */
        if (atomic_compare_exchange_weak_explicit(&shared->claim, &claim, claim + 1,
                                                  memory_order_relaxed, memory_order_relaxed)) {
            *chunk = (uint32_t)claim;
            return true;
        }
    }
    return false;
}
