/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/bits.h"
#include "engine/send/fast.h"
#include "engine/bulk/job.h"
#include "engine/send/send.h"
#include "link/lane_inl.h"

/*
 * The description of a transfer in the lane, that of who initiated it. Who is free, the
 * initiator or a target that was asked to help, claims the next chunk (J1).
 */

static unsigned first_free(const struct ni_peer *peer)
{
    return (unsigned)__builtin_ctz(~peer->jobs_busy);
}

/* No job of our lane is free, or there is no lane. The peer's lock is held. */
static bool all_busy(const struct ni_peer *peer)
{
    return peer->ep->tx.lines == NULL || first_free(peer) >= NI_LANE_JOBS;
}

/* A job of our lane that no transfer uses. The peer's lock is held. */
static struct ni_job *take_job(struct ni_peer *peer)
{
    unsigned first = first_free(peer);

    if (all_busy(peer)) {
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

/* Describe the transfer in a job that no other uses, and say so in the fields of the packet for it.
 * False: all are in use. The peer's lock is held. */
static bool open_job(struct ni_op *op, uint32_t own, enum ni_job_ask ask,
                     struct ni_packet_job *fields)
{
    struct ni_job *job = take_job(op->peer);

    if (job == NULL) {
        return false;
    }
    fill_job(op, job, own);
    *fields = (struct ni_packet_job){
        .key = op->where.key,
        .claim = (uint64_t)op->generation << 32,
        .job = (uint32_t)(job - op->peer->ep->tx.page->jobs),
        .ask = (uint32_t)ask,
        .token = ni_op_token(op),
    };
    return true;
}

bool ni_job_share(struct ni_op *op, uint32_t own)
{
    struct ni_peer *peer = op->peer;
    struct ni_lane_tx *tx = &peer->ep->tx;
    struct ni_packet_job fields;
    struct ni_packet *packet;

    if (ni_peer_waits(peer) || !ni_lane_room(tx, 1) ||
        !open_job(op, own, op->asked ? NI_JOB_ANSWER : NI_JOB_HELP, &fields)) {
        return false;
    }
    packet = ni_lane_at(tx);
    memcpy(packet->body, &fields, sizeof(fields));
    packet->word1 = ni_packet_word1(0, op->where.handle);
    ni_lane_commit(tx, ni_packet_word0(0, NI_PACKET_JOB, NI_LINE, 0), 1);
    ni_published(peer, peer->ep);
    return true;
}

bool ni_job_offer(struct ni_op *op)
{
    struct ni_peer *peer = op->peer;
    struct ni_packet_job fields;
    uint8_t *place, *payload;
    uint32_t len = (uint32_t)op->len;

    if (ni_peer_waits(peer) || all_busy(peer) ||
        ni_packet_begin(peer, sizeof(fields), 0, len, &place, &payload) != NI_OK) {
        return false;
    }
    (void)open_job(op, 0, NI_JOB_TAKE, &fields);
    memcpy(place, &fields, sizeof(fields));
    ni_msg_copy(peer, payload, op->local, len);
    ni_packet_commit(peer, NI_PACKET_JOB, 0, len, op->where.handle);
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
