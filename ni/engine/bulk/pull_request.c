/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "engine/bulk/copy_tuner.h"
#include "engine/bulk/pull_request.h"
#include "engine/bulk/copy.h"
#include "engine/bulk/shared_copy.h"
#include "engine/bulk/states.h"
#include "engine/core/memory.h"
#include "engine/send/probe.h"
#include "engine/send/stream.h"

/*
 * Long reads from a peer whose memory the kernel copies. If the peer is in the library, it can copy
 * the bytes into the lane, where they are read while the next are written: on many processors half
 * the time of copies by the kernel, which looks up each page, on others twice (copy_tuner.h). If it
 * is not, nothing would come before it is back. So it is asked first, and if nothing has been heard
 * of it for some microseconds we take the bytes ourselves (copy.c).
 *
 * Writes of some pages likewise: their bytes go into the lane at once, for the target to take.
 * After one that it did not take in time the kernel copies the next ones, for a while: it computes.
 * Of those that both sides could copy as well it is measured which way is faster.
 *
 * Both sides claim the transfer as a whole by a compare-and-swap on the claim word of a shared
 * copy: the target before it begins to answer or to take, we before we take over. So it is done
 * once, and a question that is found late costs the target nothing.
 */

enum {
    NI_PULL_ONE_WAY = 48 * 1024, /* shorter ones are answered in any case */
    NI_PULL_FRESH = 128 * 1024,  /* from here on it is looked whether memory is fresh */
    NI_PULL_FAULT_NS = 150,      /* least time of a fault of a page */
    NI_PULL_PAGE = 4096,
    NI_PULL_AGAIN_NS = 20000000, /* after it declined: some windows of long transfers both ways */
    NI_PULL_BUSY = 50,           /* times the patience with a peer that has bytes of ours to copy */
    NI_PUSH_MIN_TIMED = 32 * 1024, /* shorter writes are offered in any case */
    NI_PUSH_MAX = 64 * 1024,       /* longer ones are copied by both sides, */
    NI_PUSH_MAX_FAR = 16 * 1024,   /* or, to a far peer, by the kernel up to there */
    NI_PUSH_AGAIN_NS = 1000000,    /* after one was not taken in time */
};

/* ---- initiator ------------------------------------------------------------------------------- */

/* Whether it would decline, as it did lately: the kernel copies then, and we begin without its
 * help. */
static bool would_decline(const struct ni_op *op, uint64_t now)
{
    return op->len >= NI_PULL_ONE_WAY &&
           now < atomic_load_explicit(&op->peer->bulk.pull_from_ns, memory_order_relaxed);
}

/* Bytes in the lane would hold up messages, and with an engine thread we need not wait for the
 * copies by the kernel. */
static bool never(const struct ni *ni)
{
    return ni->config->patience_us == 0 || ni_has_back_end(ni);
}

/* What a load takes. The byte is the application's, of whom sanitizers may have more to say. */
static NI_NOINLINE __attribute__((no_sanitize("address", "thread"))) uint64_t touch(
    const volatile uint8_t *byte)
{
    uint64_t begin = ni_now_ns();

    (void)*byte;
    return ni_now_ns() - begin;
}

/* Whether the bytes go to memory that nobody has touched yet. Each page then takes a fault, which
 * lasts longer than its copy: halves are better, of which the kernel fills the pages from both
 * sides at once. Two pages tell, in the middle: one by the time of its fault, and since other
 * things may take as long, the next by what the system says, whose answer takes longer. */
static bool goes_to_fresh(const struct ni_op *op)
{
    uintptr_t page = ((uintptr_t)op->local + op->len / 2) & ~(uintptr_t)(NI_PULL_PAGE - 1);
    unsigned char resident = 1;

    if (op->len < NI_PULL_FRESH || touch((const uint8_t *)page) < NI_PULL_FAULT_NS) {
        return false;
    }
    return mincore((void *)(page + NI_PULL_PAGE), 1, &resident) == 0 && (resident & 1) == 0;
}

/* The whole transfer is the target's, or ours. It is listed under one lock with the packet, which
 * ni_pull_request_end takes: the answer may come at once. What could not be asked or offered now is
 * when an earlier one has ended. */
static void prepare_pull(struct ni_op *op, uint64_t now)
{
    op->bulk->chunk = op->len;
    op->bulk->chunks = 1;
    op->bulk->requested_ns = now;
    ni_bulk_go(op, NI_BULK_REQUEST);
}

struct ni_copy_tuner *ni_pull_request_tuner(const struct ni_op *op)
{
    struct ni_bulk_part *bulk = &op->peer->ni->bulk;

    return op->kind == NI_OP_READ ? &bulk->copy_tuners[ni_copy_tuner_class(op->len)]
                                  : &bulk->push_tuner;
}

/* Which of the ways it is to go. */
static enum ni_way choose_way(struct ni_op *op, uint64_t now)
{
    struct ni *ni = op->peer->ni;
    enum ni_way way;

    if (ni->config->pull_trial == 0) {
        return NI_WAY_PULL;
    }
    ni_lock_take(&ni->lock, ni->threads);
    way = ni_copy_tuner_begin(ni_pull_request_tuner(op), now);
    op->bulk->timed = true;
    ni_lock_give(&ni->lock, ni->threads);
    return way;
}

bool ni_pull_request_start(struct ni_op *op)
{
    struct ni_peer *peer = op->peer;
    struct ni *ni = peer->ni;
    uint64_t now = ni_now_ns();
    bool requested = false;
    enum ni_way way;

    if (never(ni)) {
        return false;
    }
    op->bulk->both_busy = would_decline(op, now);
    way = choose_way(op, now);
    op->bulk->alone = way == NI_WAY_ALONE;
    /* We are copying already: the target did not answer, or did not want to. */
    if (way != NI_WAY_PULL || op->bulk->both_busy ||
        (op->len >= NI_PULL_ONE_WAY && ni_work_count(&ni->bulk.copying) != 0) ||
        goes_to_fresh(op)) {
        return false;
    }
    ni_lock_take(&peer->lock, peer->threads);
    if (peer->ep->tx.lines != NULL) {
        prepare_pull(op, now);
        (void)ni_shared_copy_start(op, 0);
        ni_bulk_list(op);
        requested = true;
    }
    ni_lock_give(&peer->lock, peer->threads);
    return requested;
}

bool ni_push_offer_is_wanted(const struct ni_peer *peer, uint64_t len)
{
    bool far = atomic_load_explicit(&peer->send.far, memory_order_relaxed);

    return len <= (far ? NI_PUSH_MAX_FAR : NI_PUSH_MAX) && !never(peer->ni) &&
           atomic_load_explicit(peer->ep->sleeping, memory_order_relaxed) == 0 &&
           ni_now_ns() >= atomic_load_explicit(&peer->bulk.push_from_ns, memory_order_relaxed);
}

bool ni_push_offer_start(struct ni_op *op)
{
    struct ni_peer *peer = op->peer;
    uint64_t now = ni_now_ns();
    bool offered;

    ni_lock_take(&peer->lock, peer->threads);
    offered = peer->ep->tx.lines != NULL && op->len <= peer->ep->max_bulk &&
              (op->len < NI_PUSH_MIN_TIMED || choose_way(op, now) == NI_WAY_PULL);
    if (offered) {
        prepare_pull(op, now);
        (void)ni_shared_copy_push(op);
        ni_bulk_list(op);
    }
    ni_lock_give(&peer->lock, peer->threads);
    return offered;
}

void ni_pull_request_end(struct ni_op *op)
{
    if (op->bulk->shared != NULL) {
        atomic_store_explicit(&op->bulk->shared->claim, 0, memory_order_relaxed);
        ni_shared_copy_end(op);
    }
    ni_bulk_go(op, NI_BULK_GIVE_UP);
}

void ni_pull_request_finish(struct ni_op *op, ni_status status, uint64_t value)
{
    if (op->bulk != NULL && ni_bulk_is_requested(op->bulk)) {
        op->peer->bulk.heard_ns = ni_now_ns();
    }
    ni_op_complete(op, status, value);
}

void ni_pull_request_declined(struct ni_op *op)
{
    ni_pull_request_end(op);
    atomic_store_explicit(&op->peer->bulk.pull_from_ns, ni_now_ns() + NI_PULL_AGAIN_NS,
                          memory_order_relaxed);
    op->bulk->both_busy = true;
    ni_copy_start(op);
}

/* Nothing came: take the bytes ourselves, unless the target has just begun. */
static void take_over(struct ni_op *op)
{
    uint64_t open = (uint64_t)op->bulk->generation << 32;

    if (op->bulk->shared == NULL ||
        atomic_compare_exchange_strong_explicit(&op->bulk->shared->claim, &open, 0,
                                                memory_order_relaxed, memory_order_relaxed)) {
        ni_pull_request_end(op);
        op->bulk->both_busy = would_decline(op, ni_now_ns());
        if (op->kind == NI_OP_WRITE) {
            atomic_store_explicit(&op->peer->bulk.push_from_ns, ni_now_ns() + NI_PUSH_AGAIN_NS,
                                  memory_order_relaxed);
        }
        ni_copy_start(op);
    } else {
        ni_bulk_go(op, NI_BULK_ANSWER);
    }
}

/* Put the question that had to wait; false if it still has to. */
static bool request_late(struct ni_op *op)
{
    bool requested;

    ni_lock_take(&op->peer->lock, op->peer->threads);
    requested = op->bulk->shared != NULL ||
                (op->kind == NI_OP_READ ? ni_shared_copy_start(op, 0) : ni_shared_copy_push(op));
    ni_lock_give(&op->peer->lock, op->peer->threads);
    return requested;
}

/* Whether packets of any kind have come since the last look: who sends is in the library, and will
 * find the question when it is done with that. */
static bool sends(struct ni_peer *peer)
{
    uint32_t next = peer->lane == NULL ? peer->bulk.heard_seq : peer->lane->seq;
    bool more = next != peer->bulk.heard_seq;

    peer->bulk.heard_seq = next;
    return more;
}

/* Whether it has something to copy that we send it. Where both sides read from each other each of
 * them fills a lane and empties one in turns, and is silent for as long as the other takes. */
static bool has_ours(struct ni_peer *peer)
{
    bool ours;

    ni_lock_take(&peer->lock, peer->threads);
    ours = !ni_list_empty(&peer->send.streams);
    ni_lock_give(&peer->lock, peer->threads);
    return ours;
}

static bool in_time(const struct ni_op *op, uint64_t now)
{
    struct ni_peer *peer = op->peer;
    uint64_t since =
        op->bulk->requested_ns > peer->bulk.heard_ns ? op->bulk->requested_ns : peer->bulk.heard_ns;
    uint64_t patience = peer->ni->config->patience_us * 1000;

    if (now < since + patience) {
        return true;
    }
    if (sends(peer)) {
        peer->bulk.heard_ns = now;
        return true;
    }
    return now < since + patience * NI_PULL_BUSY && has_ours(peer);
}

unsigned ni_pull_request_progress(struct ni *ni)
{
    uint64_t now = ni_now_ns();
    unsigned events = 0;
    struct ni_list *node, *next;

    /* Items are added at the end by others, and removed by the holder of the progress lock: us. */
    ni_lock_take(&ni->lock, ni->threads);
    for (node = ni->bulk.requests.items.next; node != &ni->bulk.requests.items && events == 0;
         node = next) {
        struct ni_op *op = ni_container_of(node, struct ni_bulk, list)->op;

        next = node->next;
        if (op->bulk->state == NI_BULK_ANSWERED) {
            continue;
        }
        ni_lock_give(&ni->lock, ni->threads);
        if (!in_time(op, now) || (op->bulk->shared == NULL && would_decline(op, now))) {
            take_over(op);
            events++;
        } else if (!request_late(op)) {
            ni_lock_take(&ni->lock, ni->threads);
            break; /* nor can those behind it */
        }
        ni_lock_take(&ni->lock, ni->threads);
    }
    ni_lock_give(&ni->lock, ni->threads);
    return events;
}

/* ---- target ---------------------------------------------------------------------------------- */

/* Whether both sides read long messages from each other at the same time: both are busy anyway
 * then. */
static bool both_read(struct ni *ni, const struct ni_peer *peer, uint64_t len)
{
    bool both;

    if (len < NI_PULL_ONE_WAY) {
        return false;
    }
    ni_lock_take(&ni->lock, ni->threads);
    both = peer->bulk.requests != 0 || ni_work_count(&ni->bulk.copying) != 0;
    ni_lock_give(&ni->lock, ni->threads);
    return both;
}

/* Where lines travel slowly one copy by the kernel takes no longer than two through the lane.
 * Neither side is idle long enough for a probe, so look at the credits first. */
static bool is_reader_far(struct ni_peer *peer)
{
    ni_lock_take(&peer->lock, peer->threads);
    if (peer->ep != NULL && peer->ep->tx.lines != NULL) {
        ni_probe_credits(peer);
    }
    ni_lock_give(&peer->lock, peer->threads);
    return atomic_load_explicit(&peer->send.far, memory_order_relaxed);
}

/* What it is about, read once, then claim all of it; false if the initiator has taken over, or
 * given it up: then what was read may be of another transfer. */
static bool claim_request(struct ni_shared_copy *shared, const struct ni_packet_copy *request,
                          struct ni_remote *where, uint64_t *len)
{
    uint64_t open = request->claim;

    where->addr = atomic_load_explicit(&shared->remote, memory_order_relaxed);
    *len = atomic_load_explicit(&shared->len, memory_order_relaxed);
    return atomic_compare_exchange_strong_explicit(&shared->claim, &open, open | 1,
                                                   memory_order_relaxed, memory_order_relaxed);
}

ni_status ni_pull_request_arrive(struct ni *ni, struct ni_peer *peer,
                                 const struct ni_packet_copy *request, ni_handle handle,
                                 struct ni_lane_rx *lane)
{
    struct ni_shared_copy *shared = &lane->page->shared_copies[request->index];
    struct ni_remote where = {.key = request->key, .handle = handle};
    uint64_t len;
    ni_status status;

    if (!claim_request(shared, request, &where, &len)) {
        return NI_OK;
    }
    /* Checked against our own table. */
    status = ni_memory_judge(ni, &where, len, NI_ACCESS_READ);
    if (status == NI_OK && both_read(ni, peer, len) && is_reader_far(peer)) {
        return NI_AGAIN;
    }
    if (status == NI_OK) {
        ni_probe_first(peer);
        return ni_stream_answer(peer, (const void *)(uintptr_t)where.addr, len, request->token,
                                handle, request->key);
    }
    ni_stat_add(&ni->stats.rx_refused, 1);
    return status;
}

bool ni_push_offer_arrive(struct ni *ni, const struct ni_packet_copy *request, ni_handle handle,
                          struct ni_lane_rx *lane, const uint8_t *payload, uint32_t len,
                          ni_status *status)
{
    struct ni_shared_copy *shared = &lane->page->shared_copies[request->index];
    struct ni_remote where = {.key = request->key, .handle = handle};
    uint64_t described;

    if (!claim_request(shared, request, &where, &described)) {
        return false;
    }
    /* Checked against our own table. */
    *status = described == len ? ni_memory_write(ni, &where, len, 0, payload, len, ni->threads)
                               : NI_ERR_BOUNDS;
    if (*status != NI_OK) {
        ni_stat_add(&ni->stats.rx_refused, 1);
    }
    return true;
}
