/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/stores.h"

#include <string.h>

#include "base/alloc.h"
#include "engine/direct.h"
#include "engine/op.h"
#include "engine/send.h"
#include "engine/short.h"
#include "engine/transfer.h"
#include "engine/waiting.h"

/* ni_store: words that are combined into lines, and the packets that these become. See stores.h. */

/* ---- acks and what they count ---------------------------------------------------------------- */

/* Fences that are done now, moved to `done`. */
static void collect(struct ni_stores *stores, struct ni_list *done)
{
    while (stores->outstanding[!stores->epoch] == 0) {
        for (NI_LIST_EACH(node, &stores->waiting)) {
            ni_container_of(node, struct ni_fence, list)->status = stores->failure;
        }
        if (!ni_list_empty(&stores->waiting)) {
            stores->failure = NI_OK;
            ni_list_splice_back(done, &stores->waiting);
        }
        if (ni_list_empty(&stores->next)) {
            return;
        }
        ni_list_splice_back(&stores->waiting, &stores->next);
        stores->epoch = !stores->epoch;
    }
}

/* No lock is held. */
static void tell(struct ni *ni, struct ni_list *done)
{
    struct ni_list *node;

    while ((node = ni_list_pop_front(done)) != NULL) {
        struct ni_fence *fence = ni_container_of(node, struct ni_fence, list);
        struct ni_ack ack = fence->ack;
        ni_status status = fence->status;

        ni_free(fence);
        ni_ack_deliver(ni, &ack, status, 0);
    }
}

/* So many bytes are no longer outstanding. The peer's lock is held. */
static void settle(struct ni_stores *stores, uint32_t epoch, uint32_t bytes, ni_status status)
{
    stores->outstanding[epoch] -= bytes;
    if (NI_UNLIKELY(status != NI_OK) && stores->failure == NI_OK) {
        stores->failure = status;
    }
}

/* No lock is held. */
static NI_NOINLINE void end_fences(struct ni_stores *stores)
{
    struct ni_peer *peer = stores->peer;
    struct ni_list done;

    ni_list_init(&done);
    ni_lock_take(&peer->lock, peer->threads);
    collect(stores, &done);
    ni_lock_give(&peer->lock, peer->threads);
    tell(peer->ni, &done);
}

static void on_ack(void *arg, ni_status status, uint64_t value)
{
    const struct ni_store_tag *tag = arg;
    struct ni_stores *stores = tag->stores;
    struct ni_peer *peer = stores->peer;
    bool fences;

    (void)value;
    ni_lock_take(&peer->lock, peer->threads);
    settle(stores, tag->epoch, tag->bytes, status);
    fences = !ni_list_empty(&stores->waiting) || !ni_list_empty(&stores->next);
    ni_lock_give(&peer->lock, peer->threads);
    if (NI_UNLIKELY(fences)) {
        end_fences(stores);
    }
}

/* ---- the line -------------------------------------------------------------------------------- */

static void fill(const struct ni_stores *stores, uint64_t token, uint32_t len, uint64_t *fields,
                 uint8_t *payload)
{
    fields[0] = stores->where.addr;
    fields[1] = stores->where.key;
    fields[2] = token;
    fields[3] = 0;
    fields[4] = len;
    ni_direct_copy(payload, stores->line, len);
}

NI_ALWAYS_INLINE struct ni_op *new_op(struct ni_peer *peer, uint32_t len, uint64_t *token)
{
    struct ni_stores *stores = peer->stores;
    const struct ni_ack ack = {
        .kind = NI_ACK_CALL, .fn = on_ack, .arg = &stores->tags[stores->line_epoch][len]};

    return ni_direct_op(peer, NI_OP_WRITE, len, NULL, &ack, token, peer->threads);
}

/* Into the lane, if nothing else waits and it has room. */
NI_ALWAYS_INLINE ni_status send_direct(struct ni_peer *peer, uint32_t len)
{
    struct ni_stores *stores = peer->stores;
    struct ni_ep *ep = peer->ep;
    unsigned head = ni_direct_write_head(len);
    uint32_t lines = ni_packet_lines(head, len);
    struct ni_packet *packet;
    uint64_t token;

    if (!ni_lane_room(&ep->tx, lines)) {
        return NI_AGAIN;
    }
    if (new_op(peer, len, &token) == NULL) {
        return NI_ERR_NOMEM;
    }
    packet = ni_lane_at(&ep->tx);
    fill(stores, token, len, packet->body, (uint8_t *)packet + head);
    ni_direct_send(peer, packet, ni_packet_word0(0, NI_PACKET_WRITE, head, 0),
                   ni_packet_word1(len, stores->where.handle), lines);
    return NI_OK;
}

/* A word by itself, the only thing that waits for room. */
NI_ALWAYS_INLINE bool send_word(struct ni_peer *peer, uint32_t len)
{
    struct ni_stores *stores = peer->stores;
    const struct ni_ack ack = {
        .kind = NI_ACK_CALL, .fn = on_ack, .arg = &stores->tags[stores->line_epoch][len]};

    if (peer->waiting != 1 || !ni_short_is_word(len)) {
        return false;
    }
    peer->waiting = 0;
    if (NI_UNLIKELY(!ni_short_post(peer, stores->line, len, &stores->where, &ack))) {
        peer->waiting = 1;
        return false;
    }
    peer->stored = 0;
    ni_stat_add(&peer->ni->stats.store_packets, 1);
    return true;
}

/* Where the link says. */
static NI_NOINLINE ni_status send_composed(struct ni_peer *peer, uint32_t len)
{
    struct ni_stores *stores = peer->stores;
    uint8_t *place, *payload;
    uint64_t token, fields[5];
    ni_status status = ni_packet_begin(peer, sizeof(fields), 0, len, &place, &payload);

    if (status != NI_OK) {
        return status;
    }
    if (new_op(peer, len, &token) == NULL) {
        if (!peer->open.in_lane) {
            peer->ep->ops->commit(peer->ep, peer->open.packet,
                                  ni_packet_word0(0, NI_PACKET_NOP, NI_PACKET_HEADER, 0), 1);
        }
        peer->open.packet = NULL;
        return NI_ERR_NOMEM;
    }
    fill(stores, token, len, fields, payload);
    memcpy(place, fields, sizeof(fields));
    ni_packet_commit(peer, NI_PACKET_WRITE, 0, len, stores->where.handle);
    return NI_OK;
}

ni_status ni_stores_send(struct ni_peer *peer)
{
    struct ni_stores *stores = peer->stores;
    uint32_t len = peer->stored;
    ni_status status = ni_peer_state(peer);

    if (status == NI_OK) {
        status = send_direct(peer, len);
        status = NI_LIKELY(status == NI_OK) ? NI_OK : send_composed(peer, len);
    }
    if (status == NI_AGAIN || status == NI_ERR_NOMEM) {
        return NI_AGAIN;
    }
    peer->stored = 0;
    peer->waiting--;
    if (NI_UNLIKELY(status != NI_OK)) {
        settle(stores, stores->line_epoch, len, status);
    } else {
        ni_stat_add(&peer->ni->stats.store_packets, 1);
    }
    return status;
}

void ni_stores_forget(struct ni_peer *peer, ni_status status)
{
    if (peer->stored != 0) {
        settle(peer->stores, peer->stores->line_epoch, peer->stored, status);
        peer->stored = 0;
    }
}

void ni_stores_settle(struct ni_peer *peer)
{
    struct ni_list done;

    ni_list_init(&done);
    ni_lock_take(&peer->lock, peer->threads);
    if (peer->stores != NULL) {
        collect(peer->stores, &done);
    }
    ni_lock_give(&peer->lock, peer->threads);
    tell(peer->ni, &done);
}

void ni_stores_free(struct ni_peer *peer)
{
    ni_free(peer->stores);
    peer->stores = NULL;
}

/* ---- stores ---------------------------------------------------------------------------------- */

static NI_COLD struct ni_stores *new_stores(struct ni_peer *peer)
{
    struct ni_stores *stores = ni_calloc(1, sizeof(*stores));

    if (stores == NULL) {
        return NULL;
    }
    stores->peer = peer;
    ni_list_init(&stores->waiting);
    ni_list_init(&stores->next);
    for (uint32_t epoch = 0; epoch < 2; epoch++) {
        for (uint32_t bytes = 0; bytes <= NI_LINE; bytes++) {
            stores->tags[epoch][bytes] = (struct ni_store_tag){stores, bytes, epoch};
        }
    }
    peer->stores = stores;
    return stores;
}

/* The peer's memory is ours. NI_ERR_UNSUPPORTED: it has to be asked, after all, or what was asked before is
 * still under way. */
static ni_status store_here(struct ni_peer *peer, const struct ni_remote *dst, uint64_t value,
                            unsigned width)
{
    ni_status status = ni_transfer_check(peer->ep, dst, width, NI_ACCESS_WRITE);

    if ((peer->stores->outstanding[0] | peer->stores->outstanding[1]) != 0) {
        return NI_ERR_UNSUPPORTED;
    }
    if (status == NI_OK) {
        return ni_word_store(dst->addr, value, width);
    }
    if (status != NI_ERR_UNSUPPORTED) {
        settle(peer->stores, 0, 0, status);
        status = NI_OK;
    }
    return status;
}

static void open_line(struct ni_peer *peer, const struct ni_remote *dst)
{
    struct ni_stores *stores = peer->stores;

    stores->where = *dst;
    stores->line_epoch = stores->epoch;
    ni_send_later(peer);
}

/* No line can be continued: begin one, as soon as the last one has left. */
static ni_status begin(struct ni_peer *peer, const struct ni_remote *dst, uint64_t value,
                       unsigned width)
{
    ni_status status = ni_usable(peer->ni);

    if (status == NI_OK) {
        status = ni_peer_endpoint(peer);
    }
    if (status == NI_OK && NI_UNLIKELY(peer->stores == NULL) && new_stores(peer) == NULL) {
        status = NI_ERR_NOMEM;
    }
    if (status == NI_OK && NI_UNLIKELY(peer->ep->same_memory)) {
        status = store_here(peer, dst, value, width);
        if (status != NI_ERR_UNSUPPORTED) {
            return status;
        }
        status = NI_OK;
    }
    if (status == NI_OK && peer->stored != 0) {
        status = ni_stores_send(peer);
    }
    if (status == NI_OK) {
        open_line(peer, dst);
    }
    return status == NI_OK ? NI_INPROGRESS : status;
}

NI_ALWAYS_INLINE bool continues(const struct ni_peer *peer, const struct ni_remote *dst)
{
    const struct ni_stores *stores = peer->stores;

    return peer->stored != 0 && dst->addr == stores->where.addr + peer->stored &&
           dst->addr % NI_LINE != 0 && dst->handle == stores->where.handle &&
           dst->key == stores->where.key && stores->line_epoch == stores->epoch;
}

ni_status ni_store(struct ni *ni, struct ni_peer *peer, const struct ni_remote *dst, uint64_t value,
                   unsigned width)
{
    ni_status status = NI_INPROGRESS;

    if (NI_UNLIKELY(width > 8 || width == 0 || (width & (width - 1)) != 0)) {
        return NI_ERR_INVALID;
    }
    if (NI_UNLIKELY((dst->addr & (width - 1)) != 0)) {
        return NI_ERR_ALIGN;
    }
    ni_lock_take(&peer->lock, peer->threads);
    if (!continues(peer, dst)) {
        status = begin(peer, dst, value, width);
    }
    if (NI_LIKELY(status == NI_INPROGRESS)) {
        struct ni_stores *stores = peer->stores;

        memcpy(stores->line + peer->stored, &value, sizeof(value));
        peer->stored += width;
        stores->outstanding[stores->epoch] += width;
        if ((dst->addr + width) % NI_LINE == 0) {
            (void)ni_stores_send(peer); /* or later */
        }
        status = NI_OK;
    }
    ni_stat_add(&ni->stats.stores, status == NI_OK);
    ni_lock_give(&peer->lock, peer->threads);
    return status;
}

/* ---- flush and fence ------------------------------------------------------------------------- */

static ni_status flush(struct ni_peer *peer)
{
    ni_status status = NI_OK;

    ni_lock_take(&peer->lock, peer->threads);
    if (peer->stored != 0) {
        status = NI_LIKELY(send_word(peer, peer->stored)) ? NI_OK : ni_stores_send(peer);
        /* Progress need not look for a line that has left. With threads it may be looking just now. */
        if (peer->waiting == 0 && !peer->threads && peer->ni->depth == 0) {
            ni_work_remove(&peer->ni->busy, &peer->busy);
        }
    }
    ni_lock_give(&peer->lock, peer->threads);
    return status;
}

/* The peer behind another one (NULL: the first), or NULL. Peers stay until the NI closes. */
static struct ni_peer *peer_after(struct ni *ni, const struct ni_peer *peer)
{
    struct ni_list *node;

    ni_lock_take(&ni->lock, ni->threads);
    node = peer != NULL ? peer->all.next : ni->peers.next;
    ni_lock_give(&ni->lock, ni->threads);
    return node != &ni->peers ? ni_container_of(node, struct ni_peer, all) : NULL;
}

ni_status ni_store_flush(struct ni *ni, struct ni_peer *peer)
{
    ni_status status = ni_usable(ni);

    if (status != NI_OK) {
        return status;
    }
    if (peer != NULL) {
        return flush(peer);
    }
    while ((peer = peer_after(ni, peer)) != NULL) {
        ni_status one = flush(peer);

        status = status == NI_OK ? one : status;
    }
    return status;
}

static ni_status fence_one(struct ni_peer *peer, const struct ni_ack *ack)
{
    struct ni_fence *fence;
    struct ni_list done;

    fence = ni_calloc(1, sizeof(*fence));
    if (fence == NULL) {
        return NI_ERR_NOMEM;
    }
    if (ack != NULL) {
        fence->ack = *ack;
    }
    ni_list_init(&fence->list);
    ni_list_init(&done);
    ni_lock_take(&peer->lock, peer->threads);
    if (peer->stored != 0) {
        (void)ni_stores_send(peer); /* or progress will */
    }
    if (peer->stores != NULL) {
        ni_list_push_back(&peer->stores->next, &fence->list);
        collect(peer->stores, &done);
    } else {
        ni_list_push_back(&done, &fence->list);
    }
    ni_lock_give(&peer->lock, peer->threads);
    tell(peer->ni, &done);
    return NI_OK;
}

/* A fence for all peers: ends with the last of theirs. */
struct all {
    struct ni *ni;
    struct ni_ack ack;
    uint32_t left; /* under the NI's lock, as status */
    ni_status status;
};

static void one_done(void *arg, ni_status status, uint64_t value)
{
    struct all *all = arg;
    struct ni *ni = all->ni;
    bool last;

    (void)value;
    ni_lock_take(&ni->lock, ni->threads);
    all->status = all->status == NI_OK ? status : all->status;
    last = --all->left == 0;
    ni_lock_give(&ni->lock, ni->threads);
    if (last) {
        struct all end = *all;

        ni_free(all);
        ni_ack_deliver(end.ni, &end.ack, end.status, 0);
    }
}

static ni_status fence_all(struct ni *ni, const struct ni_ack *ack)
{
    struct all *all = ni_calloc(1, sizeof(*all));
    struct ni_ack done = {.kind = NI_ACK_CALL, .fn = one_done, .arg = all};

    if (all == NULL) {
        return NI_ERR_NOMEM;
    }
    all->ni = ni;
    all->left = 1;
    if (ack != NULL) {
        all->ack = *ack;
    }
    for (struct ni_peer *peer = peer_after(ni, NULL); peer != NULL; peer = peer_after(ni, peer)) {
        ni_status status;

        ni_lock_take(&ni->lock, ni->threads);
        all->left++;
        ni_lock_give(&ni->lock, ni->threads);
        status = fence_one(peer, &done);
        if (status != NI_OK) {
            one_done(all, status, 0);
        }
    }
    one_done(all, NI_OK, 0);
    return NI_OK;
}

ni_status ni_store_fence(struct ni *ni, struct ni_peer *peer, const struct ni_ack *ack)
{
    ni_status status = ni_usable(ni);

    if (status != NI_OK) {
        return status;
    }
    return peer != NULL ? fence_one(peer, ack) : fence_all(ni, ack);
}

uint64_t ni_store_outstanding(struct ni *ni, struct ni_peer *peer)
{
    uint64_t bytes = 0;

    (void)ni;
    ni_lock_take(&peer->lock, peer->threads);
    if (peer->stores != NULL) {
        bytes = peer->stores->outstanding[0] + peer->stores->outstanding[1];
    }
    ni_lock_give(&peer->lock, peer->threads);
    return bytes;
}
