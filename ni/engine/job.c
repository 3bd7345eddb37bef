/* SPDX-License-Identifier: BSD-3-Clause */
#include <sched.h>
#include <string.h>

#include "base/bits.h"
#include "base/clock.h"
#include "engine/ask.h"
#include "engine/job.h"
#include "engine/op.h"
#include "engine/transfer.h"
#include "link/lane_inl.h"

/*
 * Long transfers by direct copies, in chunks. The initiator copies chunk after chunk, one per
 * ni_progress. Where the lane has a free job it also describes the transfer there and asks the
 * target, which has the data in its cache or wants it there, to copy chunks as well, while it is in
 * the library; whoever is free claims the next one (J1). Either finishes alone.
 *
 * The target trusts nothing in the job but the claim word: the rest it read once and checked
 * against its own table. It stops at a claim of another generation, so a job that ended under it is
 * harmless.
 */

enum {
    NI_JOB_SHARE_MIN = 32 * 1024, /* below, asking for help takes longer than it saves */
    NI_JOB_CHUNK_MIN = 16 * 1024,
    NI_JOB_CHUNK_MAX = 512 * 1024,
    NI_JOB_CHUNK_FAR = 128 * 1024,
};

/* For how long a transfer that is given up waits for a target that lives but does not come back
 * from copying. */
#define NI_JOB_PATIENCE_NS UINT64_C(1000000000)

/* ---- initiator -------------------------------------------------------------------------------
 * ---------------------- */

/* Whether we have, or soon will have, others to copy. */
static bool others_to_copy(const struct ni *ni)
{
    return (ni_work_count(&ni->copying) | ni_work_count(&ni->asking)) != 0;
}

static uint64_t chunk_size(const struct ni *ni, const struct ni_peer *peer, uint64_t len)
{
    bool far = atomic_load_explicit(&peer->far, memory_order_relaxed);
    uint64_t most = far ? NI_JOB_CHUNK_FAR : NI_JOB_CHUNK_MAX;
    uint64_t half = ni_align_up((len + 1) / 2, 4096);

    if (ni->config->bulk_chunk != 0) {
        return ni_max_u64(ni->config->bulk_chunk, 4096);
    }
    /* Few large chunks pay least per chunk; where lines travel slowly the sides are less even. With
     * other transfers to copy, both sides are busy without halves. */
    if (others_to_copy(ni)) {
        return ni_min_u64(len, most);
    }
    return ni_min_u64(ni_max_u64(half, NI_JOB_CHUNK_MIN), most);
}

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
    atomic_store_explicit(&job->remote, op->remote, memory_order_relaxed);
    atomic_store_explicit(&job->len, op->len, memory_order_relaxed);
    atomic_store_explicit(&job->is_read, op->is_read, memory_order_relaxed);
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

static bool share(struct ni_op *op, uint32_t own)
{
    struct ni_peer *peer = op->peer;
    bool shared;

    ni_lock_take(&peer->lock, peer->threads);
    shared = ni_job_share(op, own);
    ni_lock_give(&peer->lock, peer->threads);
    return shared;
}

/* No chunk can be claimed from now on; notes how many the target has. */
static void close_job(struct ni_op *op)
{
    op->closed = true;
    op->others = 0;
    if (op->job != NULL) {
        uint64_t claim = atomic_exchange_explicit(&op->job->claim, 0, memory_order_relaxed);
        uint32_t claimed = (uint32_t)ni_min_u64((uint32_t)claim, op->chunks);

        /* A target that scribbles here harms its own transfer only. */
        op->others = claimed > op->own ? claimed - op->own : 0;
    }
}

/* The next chunk to copy; false when none is left. */
static bool claim_own(struct ni_op *op, uint32_t *chunk)
{
    uint64_t claim;

    if (op->job == NULL) {
        *chunk = op->next;
        return op->next < op->chunks && ++op->own != 0 && ++op->next != 0;
    }
    claim = atomic_load_explicit(&op->job->claim, memory_order_relaxed);
    while ((uint32_t)(claim >> 32) == op->generation && (uint32_t)claim < op->chunks) {
        /* J1: relaxed is enough, what the target needs to know came with the packet. */
        if (atomic_compare_exchange_weak_explicit(&op->job->claim, &claim, claim + 1,
                                                  memory_order_relaxed, memory_order_relaxed)) {
            *chunk = (uint32_t)claim;
            op->own++;
            return true;
        }
    }
    return false;
}

static void copy_own(struct ni_op *op, uint32_t chunk)
{
    struct ni_ep *ep = op->peer->ep;
    uint64_t at = chunk * op->chunk;
    uint64_t len = ni_min_u64(op->chunk, op->len - at);
    ni_status status = ep->ops->copy(ep, op->is_read ? NI_COPY_FROM_PEER : NI_COPY_TO_PEER,
                                     op->local + at, op->remote + at, len);

    if (NI_UNLIKELY(status != NI_OK)) {
        op->failure = status;
        close_job(op);
        return;
    }
    ni_stat_add(&op->peer->ni->stats.bulk_bytes_self, len);
}

/* Whether the target copies no chunk any more. */
static bool helper_done(const struct ni_op *op)
{
    /* Acquire pairs with J2. */
    return op->job == NULL ||
           atomic_load_explicit(&op->job->helped, memory_order_acquire) >= op->others;
}

/* All chunks have ended, ours and the target's. */
static void finish(struct ni_op *op)
{
    bool redo = false;

    if (op->job != NULL) {
        redo = atomic_load_explicit(&op->job->failed, memory_order_relaxed) != 0;
        ni_job_give(op);
    }
    if (op->failure == NI_OK && redo) {
        /* The target could not copy what it claimed: all again, alone. */
        op->alone = true;
        op->next = 0;
        op->own = 0;
        op->closed = false;
        return;
    }
    if (op->failure == NI_ERR_UNSUPPORTED) {
        struct ni *ni = op->peer->ni;

        ni_lock_take(&ni->lock, ni->threads);
        ni_work_remove(&ni->copying, &op->copying);
        ni_lock_give(&ni->lock, ni->threads);
        ni_transfer_by_packets(op);
    } else {
        ni_op_complete(op, op->failure, op->failure == NI_OK ? op->len : 0);
    }
}

/* Whether the target's help is worth asking for. */
static bool worth_sharing(const struct ni_op *op)
{
    return op->peer->ni->config->bulk_both && op->len >= NI_JOB_SHARE_MIN && !op->alone;
}

/* One chunk, or a look whether the target is done with its own. Returns the number of events. */
static unsigned step(struct ni_op *op)
{
    uint32_t chunk;
    unsigned events = 0;

    if (op->own == 0 && op->job == NULL && worth_sharing(op) &&
        ni_work_count(&op->peer->ni->copying) > 1) {
        (void)share(op, 0); /* all jobs were in use when it was started */
    }
    if (!op->closed) {
        if (claim_own(op, &chunk)) {
            copy_own(op, chunk);
            events = 1;
        } else {
            close_job(op);
        }
        if (!op->closed && op->job == NULL && op->next == op->chunks) {
            close_job(op);
        }
    }
    if (op->closed && helper_done(op)) {
        finish(op);
        events = 1;
    }
    return events;
}

/* A live target must leave our memory first: it becomes the user's again. */
void ni_job_forget(struct ni_op *op)
{
    ni_status state = ni_peer_state(op->peer);
    uint64_t end;

    if (op->plain) {
        return;
    }
    if (op->asked) {
        ni_ask_end(op);
    }
    if (op->job == NULL) {
        return;
    }
    if (!op->closed) {
        close_job(op);
    }
    end = ni_now_ns() + (state == NI_OK || state == NI_ERR_CLOSED ? NI_JOB_PATIENCE_NS : 0);
    while (!helper_done(op) && ni_now_ns() < end) {
        sched_yield();
    }
    if (helper_done(op)) {
        ni_job_give(op);
    }
    /* Otherwise the job stays taken: it may still be counted in. */
    op->job = NULL;
}

void ni_job_start(struct ni_op *op)
{
    struct ni *ni = op->peer->ni;
    bool first = !others_to_copy(ni);
    bool shared;

    op->remote = op->where.addr;
    op->chunk = chunk_size(ni, op->peer, op->len);
    op->chunks = (uint32_t)ni_div_up(op->len, op->chunk);
    shared = worth_sharing(op) && op->chunks > first && share(op, first);
    if (shared && first) {
        copy_own(op, 0);
    }
    ni_lock_take(&ni->lock, ni->threads);
    ni_work_add(&ni->copying, &op->copying);
    ni_lock_give(&ni->lock, ni->threads);
    if (!shared && first && !ni->threads) {
        (void)step(op);
    }
}

/* ---- target ----------------------------------------------------------------------------------
 * --------------------- */

/* What a job asks, read once; false if it makes no sense or our table forbids it. */
static bool understand(struct ni *ni, const struct ni_packet_job *request, ni_handle handle,
                       struct ni_help *help)
{
    const struct ni_job *job = help->job;
    uint64_t remote = atomic_load_explicit(&job->remote, memory_order_relaxed);

    help->len = atomic_load_explicit(&job->len, memory_order_relaxed);
    help->chunk = atomic_load_explicit(&job->chunk, memory_order_relaxed);
    help->chunks = atomic_load_explicit(&job->chunks, memory_order_relaxed);
    help->is_read = atomic_load_explicit(&job->is_read, memory_order_relaxed) != 0;
    help->theirs = atomic_load_explicit(&job->local, memory_order_relaxed);
    help->mine = (uint8_t *)(uintptr_t)remote;
    help->generation = (uint32_t)(request->claim >> 32);
    return help->chunk != 0 && help->len != 0 &&
           help->chunks == ni_div_up(help->len, help->chunk) &&
           ni_table_check(&ni->table, handle, request->key, remote, help->len,
                          help->is_read ? NI_ACCESS_READ : NI_ACCESS_WRITE, NULL) == NI_OK;
}

static bool claim_help(struct ni_help *help, uint32_t *chunk)
{
    uint64_t claim = atomic_load_explicit(&help->job->claim, memory_order_relaxed);

    while ((uint32_t)(claim >> 32) == help->generation && (uint32_t)claim < help->chunks) {
        /* J1 */
        if (atomic_compare_exchange_weak_explicit(&help->job->claim, &claim, claim + 1,
                                                  memory_order_relaxed, memory_order_relaxed)) {
            *chunk = (uint32_t)claim;
            return true;
        }
    }
    return false;
}

/* Copy one chunk; false when there is nothing more to do. */
static bool help_step(struct ni *ni, struct ni_help *help)
{
    struct ni_ep *ep = help->peer->ep;
    uint32_t chunk;
    uint64_t at, len;
    ni_status status;

    if (!claim_help(help, &chunk)) {
        return false;
    }
    at = chunk * help->chunk;
    len = ni_min_u64(help->chunk, help->len - at);
    status = ep->ops->copy(ep, help->is_read ? NI_COPY_TO_PEER : NI_COPY_FROM_PEER, help->mine + at,
                           help->theirs + at, len);
    if (status != NI_OK) {
        atomic_store_explicit(&help->job->failed, 1, memory_order_relaxed);
    } else {
        ni_stat_add(&ni->stats.bulk_bytes_help, len);
    }
    /* J2: the bytes are there, and whether it failed, before the count says so. */
    atomic_fetch_add_explicit(&help->job->helped, 1, memory_order_release);
    return status == NI_OK;
}

void ni_job_arrive(struct ni *ni, struct ni_peer *peer, const struct ni_packet_job *request,
                   ni_handle handle, struct ni_lane_rx *lane)
{
    struct ni_help now = {.peer = peer, .lane = lane, .job = &lane->page->jobs[request->job]};
    struct ni_help *help;
    ni_status status;

    ni_lock_take(&peer->lock, peer->threads);
    status = ni_peer_endpoint(peer);
    ni_lock_give(&peer->lock, peer->threads);
    if (status != NI_OK || !ni_peer_copies(peer) || !understand(ni, request, handle, &now) ||
        !help_step(ni, &now)) {
        return;
    }
    ni_lock_take(&ni->lock, ni->threads);
    help = ni_pool_get(&ni->help_pool);
    if (help != NULL) {
        *help = now;
        ni_list_init(&help->list);
        ni_work_add(&ni->helping, &help->list);
    }
    ni_lock_give(&ni->lock, ni->threads);
}

static void free_help(struct ni *ni, struct ni_help *help)
{
    ni_lock_take(&ni->lock, ni->threads);
    ni_work_remove(&ni->helping, &help->list);
    ni_pool_put(&ni->help_pool, help);
    ni_lock_give(&ni->lock, ni->threads);
}

void ni_job_stop_helping(struct ni *ni, const struct ni_peer *peer, const struct ni_lane_rx *lane)
{
    struct ni_list *next;

    for (struct ni_list *node = ni->helping.items.next; node != &ni->helping.items; node = next) {
        struct ni_help *help = ni_container_of(node, struct ni_help, list);

        next = node->next;
        if (help->peer == peer && (lane == NULL || help->lane == lane)) {
            free_help(ni, help);
        }
    }
}

/* ---- both ------------------------------------------------------------------------------------
 * ---------------------- */

/* The first of a list moves to its end, so that each gets its turn; NULL if empty. */
static struct ni_list *rotate(struct ni *ni, struct ni_work *work)
{
    struct ni_list *node = NULL;

    ni_lock_take(&ni->lock, ni->threads);
    if (!ni_list_empty(&work->items)) {
        node = work->items.next;
        ni_list_remove(node);
        ni_list_push_back(&work->items, node);
    }
    ni_lock_give(&ni->lock, ni->threads);
    return node;
}

/* Look at all of our transfers, until one of them had something to do that took its time. */
static unsigned copying_progress(struct ni *ni)
{
    unsigned events = 0;

    for (uint32_t left = ni_work_count(&ni->copying); left != 0 && events == 0; left--) {
        struct ni_list *node = rotate(ni, &ni->copying);

        if (node != NULL) {
            events = step(ni_container_of(node, struct ni_op, copying));
        }
    }
    return events;
}

static unsigned helping_progress(struct ni *ni)
{
    for (uint32_t left = ni_work_count(&ni->helping); left != 0; left--) {
        struct ni_list *node = rotate(ni, &ni->helping);
        struct ni_help *help;

        if (node == NULL) {
            break;
        }
        help = ni_container_of(node, struct ni_help, list);
        if (help_step(ni, help)) {
            return 1;
        }
        free_help(ni, help);
    }
    return 0;
}

unsigned ni_job_progress(struct ni *ni)
{
    return copying_progress(ni) + helping_progress(ni);
}
