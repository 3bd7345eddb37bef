/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/bits.h"
#include "engine/bulk/unlocked_copy.h"
#include "engine/bulk/help.h"
#include "engine/bulk/shared_copy.h"
#include "engine/core/engine_thread.h"
#include "engine/core/memory.h"

/*
 * Transfers of peers that we help to copy. We trust nothing in the shared copy but the claim word:
 * the rest is read once and checked against our own table. A claim of another generation ends it,
 * so a shared copy that ended under us is harmless.
 */

/* Whether our table lets the peer have it. */
static bool permitted(const struct ni *ni, const struct ni_help *help)
{
    const struct ni_remote where = {
        .addr = (uintptr_t)help->mine, .key = help->key, .handle = help->handle};

    return ni_memory_judge(ni, &where, help->len,
                           help->is_read ? NI_ACCESS_READ : NI_ACCESS_WRITE) == NI_OK;
}

/* What a shared copy asks, read once; false if it makes no sense or our table forbids it. */
static bool understand(struct ni *ni, const struct ni_packet_copy *request, ni_handle handle,
                       struct ni_help *help)
{
    const struct ni_shared_copy *shared = help->shared;
    uint64_t remote = atomic_load_explicit(&shared->remote, memory_order_relaxed);

    help->len = atomic_load_explicit(&shared->len, memory_order_relaxed);
    help->chunk = atomic_load_explicit(&shared->chunk, memory_order_relaxed);
    help->chunks = atomic_load_explicit(&shared->chunks, memory_order_relaxed);
    help->is_read = atomic_load_explicit(&shared->is_read, memory_order_relaxed) != 0;
    help->theirs = atomic_load_explicit(&shared->local, memory_order_relaxed);
    help->mine = (uint8_t *)(uintptr_t)remote;
    help->generation = (uint32_t)(request->claim >> 32);
    help->handle = handle;
    help->key = request->key;
    return help->chunk != 0 && help->len != 0 &&
           help->chunks == ni_div_up(help->len, help->chunk) && permitted(ni, help);
}

static void copied(struct ni *ni, void *what, ni_status status, uint64_t len)
{
    struct ni_help *help = what;

    help->failed = status != NI_OK;
    if (status != NI_OK) {
        atomic_store_explicit(&help->shared->failed, 1, memory_order_relaxed);
        help->at = help->until;
    } else {
        ni_stat_add(&ni->stats.bulk_bytes_help, len);
    }
    if (help->at == help->until) {
        /* J2: the bytes are there, and whether it failed, before the count says so. */
        atomic_fetch_add_explicit(&help->shared->helped, 1, memory_order_release);
    }
}

/* The region may have been deregistered since the last one. */
static bool open_chunk(const struct ni *ni, struct ni_help *help)
{
    uint32_t chunk;

    if (help->failed || !permitted(ni, help) ||
        !ni_shared_copy_claim(help->shared, help->generation, help->chunks, &chunk)) {
        return false;
    }
    help->at = chunk * help->chunk;
    help->until = ni_min_u64(help->at + help->chunk, help->len);
    return true;
}

/* An NI that has transfers of its own to copy copies those first: the peer copies this one
 * meanwhile. What is claimed is copied in any case, since the peer waits for it. */
static bool own_first(const struct ni *ni, const struct ni_help *help)
{
    return help->at == help->until && ni_work_count(&ni->copying) != 0;
}

/* Copy a piece of a chunk, mostly all of it; false when there is nothing more to do. */
static bool step(struct ni *ni, struct ni_help *help)
{
    struct ni_copy_args copy = {
        .ep = help->lane->peer->ep,
        .direction = help->is_read ? NI_COPY_TO_PEER : NI_COPY_FROM_PEER,
    };
    uint64_t began_ns;
    bool gone;

    if (help->at == help->until && !open_chunk(ni, help)) {
        return false;
    }
    copy.local = help->mine + help->at;
    copy.remote = help->theirs + help->at;
    copy.len = ni_throttle_piece(ni, help->len, help->until - help->at, 1, &began_ns);
    help->at += copy.len;
    gone = ni_unlocked_copy_run(ni, help, &copy, copied);
    ni_throttle_copied(ni, began_ns);
    return gone || !help->failed;
}

/* Where to keep it. A shared copy that is described anew has ended: what was kept of it, with
 * nothing under way, makes room. So there are no more of a lane than it has shared copies, however
 * long we do not come to them. The lock is held. */
static struct ni_help *place_for(struct ni *ni, const struct ni_shared_copy *shared)
{
    struct ni_help *help;

    for (struct ni_list *node = ni->helping.items.next; node != &ni->helping.items;
         node = node->next) {
        help = ni_container_of(node, struct ni_help, list);
        if (help->shared == shared && help->at == help->until) {
            return help;
        }
    }
    help = ni_pool_get(&ni->help_pool);
    if (help != NULL) {
        ni_list_init(&help->list);
    }
    return help;
}

void ni_help_arrive(struct ni *ni, struct ni_peer *peer, const struct ni_packet_copy *request,
                    ni_handle handle, struct ni_lane_rx *lane)
{
    struct ni_help now = {.lane = lane, .shared = &lane->page->shared_copies[request->index]};
    struct ni_help *help;
    ni_status status;

    ni_lock_take(&peer->lock, peer->threads);
    status = ni_peer_endpoint(peer);
    ni_lock_give(&peer->lock, peer->threads);
    /* Where there is an engine thread, it copies. */
    if (status != NI_OK || !ni_peer_copies(peer) || !understand(ni, request, handle, &now) ||
        (!ni_has_back_end(ni) && !own_first(ni, &now) && !step(ni, &now))) {
        return;
    }
    ni_lock_take(&ni->lock, ni->threads);
    help = place_for(ni, now.shared);
    if (help != NULL) {
        now.list = help->list;
        *help = now;
        ni_work_add(&ni->helping, &help->list);
    }
    ni_lock_give(&ni->lock, ni->threads);
    ni_engine_kick(ni);
}

static void free_help(struct ni *ni, struct ni_help *help)
{
    ni_lock_take(&ni->lock, ni->threads);
    ni_work_remove(&ni->helping, &help->list);
    ni_pool_put(&ni->help_pool, help);
    ni_lock_give(&ni->lock, ni->threads);
}

void ni_help_stop(struct ni *ni, const struct ni_peer *peer, const struct ni_lane_rx *lane)
{
    struct ni_list *next;

    for (struct ni_list *node = ni->helping.items.next; node != &ni->helping.items; node = next) {
        struct ni_help *help = ni_container_of(node, struct ni_help, list);

        next = node->next;
        if (help->lane->peer == peer && (lane == NULL || help->lane == lane)) {
            ni_unlocked_copy_leave(ni, help);
            free_help(ni, help);
        }
    }
}

unsigned ni_help_progress(struct ni *ni)
{
    for (uint32_t left = ni_work_count(&ni->helping); left != 0; left--) {
        struct ni_list *node = ni_work_next(&ni->helping, &ni->lock, ni->threads);
        struct ni_help *help;

        if (node == NULL) {
            break;
        }
        help = ni_container_of(node, struct ni_help, list);
        if (ni_unlocked_copy_busy(ni, help) || own_first(ni, help) ||
            !ni_throttle_allows(ni, help->len)) {
            continue;
        }
        if (step(ni, help)) {
            return 1;
        }
        free_help(ni, help);
    }
    return 0;
}
