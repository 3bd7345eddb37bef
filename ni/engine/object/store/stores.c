/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/core/atomic.h"
#include "engine/object/store/stores.h"

#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "engine/send/direct.h"
#include "engine/core/op.h"
#include "engine/core/peer_ops.h"
#include "engine/send/send.h"
#include "engine/send/short.h"
#include "engine/bulk/transfer.h"
#include "engine/send/waiting.h"

/* ni_store: words that are combined into lines, and the packets that these become. See stores.h. */

void ni_stores_count_off(struct ni_stores *stores, uint32_t epoch, uint64_t bytes, ni_status status)
{
    stores->outstanding[epoch] -= bytes;
    if (NI_UNLIKELY(status != NI_OK) && stores->failure == NI_OK) {
        stores->failure = status;
    }
}

/* ---- the line -------------------------------------------------------------------------------- */

/* What a line needs beside room. */
struct leaving {
    struct ni_store_group *group; /* NULL: out of memory */
    uint16_t tag;
};

/* Whether somebody waits for bytes of the open line. */
NI_ALWAYS_INLINE bool is_wanted(const struct ni_stores *stores)
{
    return stores->wanted || stores->line_epoch != stores->epoch || !ni_list_empty(&stores->next);
}

NI_ALWAYS_INLINE struct leaving leave_line(struct ni_stores *stores)
{
    struct leaving leaving = {.group = stores->group};

    if (NI_UNLIKELY(leaving.group == NULL)) {
        leaving.group = ni_store_group_begin(stores);
    }
    NI_ASSERT(leaving.group == NULL || leaving.group->epoch == stores->line_epoch);
    leaving.tag = is_wanted(stores) ? 0 : NI_WRITE_UNACKED;
    return leaving;
}

/* It has left. */
NI_ALWAYS_INLINE void left(struct ni_peer *peer, const struct leaving *leaving, uint32_t len)
{
    leaving->group->bytes += len;
    if (leaving->tag == 0) {
        ni_store_group_end(peer->object.stores);
    }
    peer->object.stored = 0;
    ni_stat_add(&peer->ni->stats.store_packets, 1);
}

static void fill_line(const struct ni_stores *stores, uint64_t token, uint32_t len,
                      uint64_t *fields, uint8_t *payload)
{
    fields[0] = stores->where.addr;
    fields[1] = stores->where.key;
    fields[2] = token;
    fields[3] = 0;
    fields[4] = len;
    ni_memory_copy(payload, stores->line, len);
}

/* Into the lane, if it has room. */
NI_ALWAYS_INLINE ni_status send_direct(struct ni_peer *peer, const struct leaving *leaving,
                                       uint32_t len)
{
    struct ni_stores *stores = peer->object.stores;
    struct ni_ep *ep = peer->ep;
    unsigned head = ni_direct_write_head(len);
    uint32_t lines = ni_packet_lines(head, len);
    struct ni_packet *packet;

    if (!ni_lane_room(&ep->tx, lines)) {
        return NI_AGAIN;
    }
    packet = ni_lane_at(&ep->tx);
    fill_line(stores, leaving->group->token, len, packet->body, (uint8_t *)packet + head);
    ni_direct_send(peer, packet, ni_packet_word0(0, NI_PACKET_WRITE, head, leaving->tag),
                   ni_packet_word1(len, stores->where.handle), lines);
    return NI_OK;
}

/* A word by itself, the only thing that waits for room, where its group has begun. */
NI_ALWAYS_INLINE bool send_word(struct ni_peer *peer)
{
    struct ni_stores *stores = peer->object.stores;
    uint32_t len = peer->object.stored;
    struct leaving leaving;
    struct ni_line line;

    if (peer->waiting != NI_SOURCE_BIT(NI_SOURCE_STORES) || !ni_short_is_word(len) ||
        NI_UNLIKELY(stores->group == NULL)) {
        return false;
    }
    leaving = leave_line(stores);
    if (NI_UNLIKELY(ni_line_begin_behind(peer, NI_SOURCE_BIT(NI_SOURCE_STORES), &line) == NULL)) {
        return false;
    }
    ni_source_lower(peer, NI_SOURCE_STORES);
    ni_short_send_word(peer, &line, stores->line, len, &stores->where, leaving.group->token,
                       leaving.tag);
    left(peer, &leaving, len);
    return true;
}

/* Where the link says. */
static NI_NOINLINE ni_status send_composed(struct ni_peer *peer, const struct leaving *leaving,
                                           uint32_t len)
{
    struct ni_stores *stores = peer->object.stores;
    uint8_t *place, *payload;
    uint64_t fields[5];
    ni_status status = ni_packet_begin(peer, sizeof(fields), 0, len, &place, &payload);

    if (status != NI_OK) {
        return status;
    }
    fill_line(stores, leaving->group->token, len, fields, payload);
    memcpy(place, fields, sizeof(fields));
    ni_packet_commit(peer, NI_PACKET_WRITE, leaving->tag, len, stores->where.handle);
    return NI_OK;
}

static ni_status send_store_line(struct ni_peer *peer, uint32_t len)
{
    struct leaving leaving;
    ni_status status;

    /* The line may be of the next epoch. */
    if (NI_UNLIKELY(ni_source_pending(peer, NI_SOURCE_STORES_QUESTION)) &&
        !ni_stores_ask_again(peer)) {
        return NI_AGAIN;
    }
    leaving = leave_line(peer->object.stores);
    if (NI_UNLIKELY(leaving.group == NULL)) {
        return NI_AGAIN;
    }
    status = send_direct(peer, &leaving, len);
    status = NI_LIKELY(status == NI_OK) ? NI_OK : send_composed(peer, &leaving, len);
    if (NI_LIKELY(status == NI_OK)) {
        left(peer, &leaving, len);
    }
    return status;
}

ni_status ni_stores_send(struct ni_peer *peer)
{
    struct ni_stores *stores = peer->object.stores;
    uint32_t len = peer->object.stored;
    ni_status status = ni_peer_state(peer);

    if (NI_LIKELY(status == NI_OK)) {
        status = send_store_line(peer, len);
    }
    if (status == NI_AGAIN) {
        return NI_AGAIN;
    }
    ni_source_lower(peer, NI_SOURCE_STORES);
    if (NI_UNLIKELY(status != NI_OK)) {
        peer->object.stored = 0;
        ni_stores_count_off(stores, stores->line_epoch, len, status);
    }
    return status;
}

static bool send_waiting_line(struct ni_peer *peer, unsigned *sent)
{
    (void)sent;
    return ni_stores_send(peer) == NI_OK;
}

static void drop_waiting_line(struct ni_peer *peer, ni_status status)
{
    ni_stores_count_off(peer->object.stores, peer->object.stores->line_epoch, peer->object.stored,
                        status);
    peer->object.stored = 0;
}

static void free_stores(struct ni_peer *peer)
{
    if (peer->object.stores != NULL) {
        ni_store_groups_free(peer->object.stores);
    }
    ni_free(peer->object.stores);
}

void ni_stores_register(struct ni *ni)
{
    static const struct ni_source_ops source = {
        .send = send_waiting_line, .drop = drop_waiting_line, .under_way = ni_stores_under_way};
    static const struct ni_peer_ops ops = {.settle = ni_stores_settle, .free = free_stores};

    ni_source_register(ni, NI_SOURCE_STORES, &source);
    ni_store_groups_register(ni);
    ni_peer_ops_register(ni, NI_FOLDER_OBJECT, &ops);
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
    peer->object.stores = stores;
    return stores;
}

/* The peer's memory is ours. NI_ERR_UNSUPPORTED: it has to be asked, after all, or what was asked
 * before is still under way. */
static ni_status store_here(struct ni_peer *peer, const struct ni_remote *dst, uint64_t value,
                            unsigned width)
{
    ni_status status = ni_transfer_check(peer->ep, dst, width, NI_ACCESS_WRITE);

    if (ni_stores_are_out(peer->object.stores)) {
        peer->object.stores->wanted = true; /* so that it comes to an end */
        return NI_ERR_UNSUPPORTED;
    }
    if (status == NI_OK) {
        return ni_word_store(dst->addr, value, width);
    }
    if (status != NI_ERR_UNSUPPORTED) {
        ni_stores_count_off(peer->object.stores, 0, 0, status);
        status = NI_OK;
    }
    return status;
}

static void open_line(struct ni_peer *peer, const struct ni_remote *dst)
{
    struct ni_stores *stores = peer->object.stores;

    stores->where = *dst;
    stores->line_epoch = stores->epoch;
    ni_source_raise(peer, NI_SOURCE_STORES);
}

/* No line can be continued: begin one, as soon as the last one has left. */
static ni_status begin_line(struct ni_peer *peer, const struct ni_remote *dst, uint64_t value,
                            unsigned width)
{
    ni_status status = ni_usable(peer->ni);

    if (status == NI_OK) {
        status = ni_peer_endpoint(peer);
    }
    if (status == NI_OK && NI_UNLIKELY(peer->object.stores == NULL) && new_stores(peer) == NULL) {
        status = NI_ERR_NOMEM;
    }
    if (status == NI_OK && NI_UNLIKELY(peer->ep->same_memory)) {
        status = store_here(peer, dst, value, width);
        if (status != NI_ERR_UNSUPPORTED) {
            return status;
        }
        status = NI_OK;
    }
    if (status == NI_OK && peer->object.stored != 0) {
        status = ni_stores_send(peer);
    }
    if (status == NI_OK) {
        open_line(peer, dst);
    }
    return status == NI_OK ? NI_INPROGRESS : status;
}

NI_ALWAYS_INLINE bool continues(const struct ni_peer *peer, const struct ni_remote *dst)
{
    const struct ni_stores *stores = peer->object.stores;

    return peer->object.stored != 0 && dst->addr == stores->where.addr + peer->object.stored &&
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
        status = begin_line(peer, dst, value, width);
    }
    if (NI_LIKELY(status == NI_INPROGRESS)) {
        struct ni_stores *stores = peer->object.stores;

        memcpy(stores->line + peer->object.stored, &value, sizeof(value));
        peer->object.stored += width;
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

/* ---- flush ----------------------------------------------------------------------------------- */

/* Progress need not look for a line that has left. With threads it may be looking just now. */
NI_ALWAYS_INLINE void forget_busy(struct ni_peer *peer)
{
    if (peer->waiting == 0 && !peer->threads && peer->ni->depth == 0) {
        ni_work_remove(&peer->ni->send.busy, &peer->send.busy);
    }
}

static ni_status flush_stores(struct ni_peer *peer)
{
    ni_status status = NI_OK;

    ni_lock_take(&peer->lock, peer->threads);
    if (peer->object.stored != 0) {
        status = ni_stores_send(peer);
        forget_busy(peer);
    }
    ni_lock_give(&peer->lock, peer->threads);
    return status;
}

/* Other lines than a word to one peer in an NI without threads. */
static NI_NOINLINE ni_status flush_any(struct ni *ni, struct ni_peer *peer)
{
    ni_status status = ni_usable(ni);

    if (status != NI_OK) {
        return status;
    }
    if (peer != NULL) {
        return flush_stores(peer);
    }
    ni_peers_walk(ni);
    while ((peer = ni_peer_after(ni, peer)) != NULL) {
        ni_status one = flush_stores(peer);

        status = status == NI_OK ? one : status;
    }
    ni_peers_walked(ni);
    return status;
}

/* In a forked child no lane has room. */
ni_status ni_store_flush(struct ni *ni, struct ni_peer *peer)
{
    if (NI_LIKELY(peer != NULL) && NI_LIKELY(!peer->threads) && NI_LIKELY(send_word(peer))) {
        forget_busy(peer);
        return NI_OK;
    }
    return flush_any(ni, peer);
}
