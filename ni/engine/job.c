/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/bits.h"
#include "engine/job.h"
#include "link/lane_inl.h"

/*
 * The description of a transfer in the lane, that of who initiated it. Whoever is free, the
 * initiator or a target that was asked to help, claims the next chunk (J1).
 */

/* A job of our lane that no transfer uses. The peer's lock is held. */
static struct ni_job *take_job(struct ni_peer *peer)
{
    unsigned first = (unsigned)__builtin_ctz(~peer->jobs_busy);

    if (peer->ep->tx.lines == NULL || first >= NI_LANE_JOBS) {
        return NULL;
    }
    peer->jobs_busy |= 1U << first;
    return &peer->ep->tx.page->jobs[first];
}

void ni_job_give(struct ni_op *op)
{
    struct ni_peer *peer = op->peer;

    ni_lock_take(&peer->lock, peer->threads);
    peer->jobs_busy &= ~(1U << (unsigned)(op->job - peer->ep->tx.page->jobs));
    op->job = NULL;
    ni_lock_give(&peer->lock, peer->threads);
}

/* Describe the transfer. The first `own` chunks are ours, so that the target begins behind them. */
static void fill_job(struct ni_op *op, struct ni_job *job, uint32_t own)
{
    struct ni_peer *peer = op->peer;

    if (++peer->job_generation == 0) {
        peer->job_generation = 1;
    }
    atomic_store_explicit(&job->helped, 0, memory_order_relaxed);
    atomic_store_explicit(&job->failed, 0, memory_order_relaxed);
    atomic_store_explicit(&job->chunks, op->chunks, memory_order_relaxed);
    atomic_store_explicit(&job->chunk, op->chunk, memory_order_relaxed);
    atomic_store_explicit(&job->local, (uintptr_t)op->local, memory_order_relaxed);
    atomic_store_explicit(&job->remote, op->where.addr, memory_order_relaxed);
    atomic_store_explicit(&job->len, op->len, memory_order_relaxed);
    atomic_store_explicit(&job->is_read, op->kind == NI_OP_READ, memory_order_relaxed);
    atomic_store_explicit(&job->handle, op->where.handle, memory_order_relaxed);
    op->job = job;
    op->generation = peer->job_generation;
    op->own = own;
    atomic_store_explicit(&job->claim, (uint64_t)op->generation << 32 | own, memory_order_relaxed);
}

bool ni_job_share(struct ni_op *op, uint32_t own)
{
    struct ni_peer *peer = op->peer;
    struct ni_lane_tx *tx = &peer->ep->tx;
    struct ni_job *job;

    if (peer->waiting != 0 || !ni_lane_room(tx, 1) || (job = take_job(peer)) == NULL) {
        return false;
    }
    fill_job(op, job, own);

    struct ni_packet_job fields = {
        .key = op->where.key,
        .claim = (uint64_t)op->generation << 32,
        .job = (uint32_t)(job - tx->page->jobs),
        .ask = op->asked,
        .token = ni_op_token(op),
    };
    struct ni_packet *packet = ni_lane_at(tx);

    memcpy(packet->body, &fields, sizeof(fields));
    packet->word1 = ni_packet_word1(0, op->where.handle);
    ni_lane_commit(tx, ni_packet_word0(0, NI_PACKET_JOB, NI_LINE, 0), 1);
    if (atomic_load_explicit(peer->ep->sleeping, memory_order_relaxed) != 0) {
        peer->ep->ops->wake(peer->ep);
    }
    return true;
}

bool ni_job_claim(struct ni_job *job, uint32_t generation, uint32_t chunks, uint32_t *chunk)
{
    uint64_t claim = atomic_load_explicit(&job->claim, memory_order_relaxed);

    while ((uint32_t)(claim >> 32) == generation && (uint32_t)claim < chunks) {
        /* J1: relaxed is enough, what the target needs to know came with the packet. */
        if (atomic_compare_exchange_weak_explicit(&job->claim, &claim, claim + 1,
                                                  memory_order_relaxed, memory_order_relaxed)) {
            *chunk = (uint32_t)claim;
            return true;
        }
    }
    return false;
}
