/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/bits.h"
#include "engine/bulk/throttle.h"
#include "engine/bulk/unlocked_copy.h"
#include "engine/bulk/shared_copy_in.h"
#include "engine/bulk/shared_copy.h"
#include "engine/core/engine_thread.h"
#include "engine/core/memory.h"

/*
 * Transfers of peers that we help to copy. We trust nothing in the shared copy but the claim word:
 * the rest is read once and checked against our own table. A claim of another generation ends it,
 * so a shared copy that ended under us is harmless.
 */

/* Whether our table lets the peer have it. */
static bool permitted(const struct ni *ni, const struct ni_shared_copy_in *in)
{
    const struct ni_remote where = {
        .addr = (uintptr_t)in->mine, .key = in->key, .handle = in->handle};

    return ni_memory_judge(ni, &where, in->len, in->is_read ? NI_ACCESS_READ : NI_ACCESS_WRITE) ==
           NI_OK;
}

/* What a shared copy asks, read once; false if it makes no sense or our table forbids it. */
static bool understand(struct ni *ni, const struct ni_packet_copy *request, ni_handle handle,
                       struct ni_shared_copy_in *in)
{
    const struct ni_shared_copy *shared = in->shared;
    uint64_t remote = atomic_load_explicit(&shared->remote, memory_order_relaxed);

    in->len = atomic_load_explicit(&shared->len, memory_order_relaxed);
    in->chunk = atomic_load_explicit(&shared->chunk, memory_order_relaxed);
    in->chunks = atomic_load_explicit(&shared->chunks, memory_order_relaxed);
    in->is_read = atomic_load_explicit(&shared->is_read, memory_order_relaxed) != 0;
    in->theirs = atomic_load_explicit(&shared->local, memory_order_relaxed);
    in->mine = (uint8_t *)(uintptr_t)remote;
    in->generation = (uint32_t)(request->claim >> 32);
    in->handle = handle;
    in->key = request->key;
    return in->chunk != 0 && in->len != 0 && in->chunks == ni_div_up(in->len, in->chunk) &&
           permitted(ni, in);
}

static void on_piece_copied(struct ni *ni, void *what, ni_status status, uint64_t len)
{
    struct ni_shared_copy_in *in = what;

    in->failed = status != NI_OK;
    if (status != NI_OK) {
        atomic_store_explicit(&in->shared->failed, 1, memory_order_relaxed);
        in->at = in->until;
    } else {
        ni_stat_add(&ni->stats.bulk_bytes_shared, len);
    }
    if (in->at == in->until) {
        /* J2: the bytes are there, and whether it failed, before the count says so. */
        atomic_fetch_add_explicit(&in->shared->helped, 1, memory_order_release);
    }
}

/* The region may have been deregistered since the last one. */
static bool open_shared_chunk(const struct ni *ni, struct ni_shared_copy_in *in)
{
    uint32_t chunk;

    if (in->failed || !permitted(ni, in) ||
        !ni_shared_copy_claim(in->shared, in->generation, in->chunks, &chunk)) {
        return false;
    }
    in->at = chunk * in->chunk;
    in->until = ni_min_u64(in->at + in->chunk, in->len);
    return true;
}

/* An NI that has transfers of its own to copy copies those first: the peer copies this one
 * meanwhile. What is claimed is copied in any case, since the peer waits for it. */
static bool own_first(const struct ni *ni, const struct ni_shared_copy_in *in)
{
    return in->at == in->until && ni_work_count(&ni->bulk.copying) != 0;
}

/* Copy a piece of a chunk, mostly all of it; false when there is nothing more to do. */
static bool step_shared_copy(struct ni *ni, struct ni_shared_copy_in *in)
{
    struct ni_copy_args copy = {
        .ep = in->lane->peer->ep,
        .direction = in->is_read ? NI_COPY_TO_PEER : NI_COPY_FROM_PEER,
    };
    uint64_t began_ns;
    bool gone;

    if (in->at == in->until && !open_shared_chunk(ni, in)) {
        return false;
    }
    copy.local = in->mine + in->at;
    copy.remote = in->theirs + in->at;
    copy.len = ni_throttle_piece(ni, in->len, in->until - in->at, 1, &began_ns);
    in->at += copy.len;
    gone = ni_unlocked_copy_run(ni, in, &copy, on_piece_copied);
    ni_throttle_copied(ni, began_ns);
    return gone || !in->failed;
}

/* Keep it; NULL: there is no memory. A shared copy that is described anew has ended: what was kept
 * of it, with nothing under way, makes room. So there are no more of a lane than it has shared
 * copies, however long we do not come to them. */
static struct ni_shared_copy_in *keep_shared(struct ni *ni, const struct ni_shared_copy_in *now)
{
    struct ni_shared_copy_in *in = NULL;

    ni_lock_take(&ni->lock, ni->threads);
    for (struct ni_list *node = ni->bulk.shared_in.items.next; node != &ni->bulk.shared_in.items;
         node = node->next) {
        struct ni_shared_copy_in *old = ni_container_of(node, struct ni_shared_copy_in, list);

        if (old->shared == now->shared && old->at == old->until) {
            in = old;
            ni_work_remove(&ni->bulk.shared_in, &in->list);
            break;
        }
    }
    in = in != NULL ? in : ni_pool_get(&ni->bulk.shared_in_pool);
    if (in != NULL) {
        *in = *now;
        ni_list_init(&in->list);
        ni_work_add(&ni->bulk.shared_in, &in->list);
    }
    ni_lock_give(&ni->lock, ni->threads);
    return in;
}

static void release_shared_copy(struct ni *ni, struct ni_shared_copy_in *in)
{
    ni_lock_take(&ni->lock, ni->threads);
    ni_work_remove(&ni->bulk.shared_in, &in->list);
    ni_pool_put(&ni->bulk.shared_in_pool, in);
    ni_lock_give(&ni->lock, ni->threads);
}

void ni_shared_copy_in_arrive(struct ni *ni, struct ni_peer *peer,
                              const struct ni_packet_copy *request, ni_handle handle,
                              struct ni_lane_rx *lane)
{
    struct ni_shared_copy_in now = {.lane = lane,
                                    .shared = &lane->page->shared_copies[request->index]};
    struct ni_shared_copy_in *in;
    ni_status status;

    ni_lock_take(&peer->lock, peer->threads);
    status = ni_peer_endpoint(peer);
    ni_lock_give(&peer->lock, peer->threads);
    if (status != NI_OK || !ni_peer_copies(peer) || !understand(ni, request, handle, &now)) {
        return;
    }
    /* Before a chunk is claimed, for which the peer would wait. */
    in = keep_shared(ni, &now);
    if (in == NULL) {
        return;
    }
    if (ni_has_back_end(ni)) { /* its thread copies */
        ni_engine_kick(ni);
    } else if (!own_first(ni, in) && !step_shared_copy(ni, in)) {
        release_shared_copy(ni, in);
    }
}

void ni_shared_copy_in_stop(struct ni *ni, const struct ni_peer *peer,
                            const struct ni_lane_rx *lane)
{
    struct ni_list *next;

    for (struct ni_list *node = ni->bulk.shared_in.items.next; node != &ni->bulk.shared_in.items;
         node = next) {
        struct ni_shared_copy_in *in = ni_container_of(node, struct ni_shared_copy_in, list);

        next = node->next;
        if (in->lane->peer == peer && (lane == NULL || in->lane == lane)) {
            ni_unlocked_copy_leave(ni, in);
            release_shared_copy(ni, in);
        }
    }
}

unsigned ni_shared_copy_in_progress(struct ni *ni)
{
    for (uint32_t left = ni_work_count(&ni->bulk.shared_in); left != 0; left--) {
        struct ni_list *node = ni_work_next(&ni->bulk.shared_in, &ni->lock, ni->threads);
        struct ni_shared_copy_in *in;

        if (node == NULL) {
            break;
        }
        in = ni_container_of(node, struct ni_shared_copy_in, list);
        if (ni_unlocked_copy_busy(ni, in) || own_first(ni, in) ||
            !ni_throttle_allows(ni, in->len)) {
            continue;
        }
        if (step_shared_copy(ni, in)) {
            return 1;
        }
        release_shared_copy(ni, in);
    }
    return 0;
}
