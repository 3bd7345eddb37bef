/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <apeni/transfer.h>

#include "engine/send/fast.h"
#include "engine/core/memory.h"
#include "engine/send/send.h"
#include "engine/send/waiting.h"

/*
 * Messages: ni_message, and what the inline path of fast.h leaves to others.
 */

uint8_t *ni_msg_begin_slow(struct ni_peer *peer, uint32_t head_len, uint32_t len)
{
    uint8_t *fields, *payload;

    if (ni_usable(peer->ni) == NI_OK && ni_send_turn(peer) &&
        ni_packet_begin(peer, 0, head_len, head_len + len, &fields, &payload) == NI_OK) {
        peer->send.overtake = false;
        return payload;
    }
    ni_lock_give(&peer->lock, peer->threads);
    return NULL;
}

NI_COLD void ni_wake(struct ni_ep *ep)
{
    ep->ops->wake(ep);
}

void ni_msg_commit_slow(struct ni_peer *peer, ni_handle queue, uint16_t tag, uint32_t total)
{
    ni_packet_commit(peer, NI_PACKET_MESSAGE, tag, total, queue);
    ni_lock_give(&peer->lock, peer->threads);
}

size_t ni_message_max(const struct ni_peer *peer)
{
    struct ni_lock *lock = (struct ni_lock *)(uintptr_t)&peer->lock;
    size_t max;

    ni_lock_take(lock, peer->threads);
    max = ni_packet_max(peer);
    ni_lock_give(lock, peer->threads);
    return max;
}

/* Why a message of so many bytes found no place. */
static NI_COLD ni_status refusal(struct ni_peer *peer, size_t len)
{
    ni_status status = ni_usable(peer->ni);

    if (status == NI_OK) {
        ni_lock_take(&peer->lock, peer->threads);
        status = ni_peer_endpoint(peer);
        if (status == NI_OK) {
            status = len > ni_packet_max(peer) ? NI_ERR_LIMIT : NI_AGAIN;
        }
        ni_lock_give(&peer->lock, peer->threads);
    }
    return status;
}

/* The shortest way (fast.h), for what is all data and fits a line; false: not now. */
NI_ALWAYS_INLINE bool send_line(struct ni_peer *peer, ni_handle queue, uint16_t tag,
                                const void *data, size_t len)
{
    struct ni_line line;
    uint8_t *place;

    if (len - 1 >= NI_PACKET_INLINE) {
        return false;
    }
    place = ni_line_begin(peer, &line);
    if (NI_UNLIKELY(place == NULL)) {
        return false;
    }
    ni_item_copy(place, data, (uint32_t)len);
    ni_line_commit(peer, &line, queue, tag, (uint32_t)len);
    return true;
}

/* Who finds no room tries again and again, and is told so by one look at what the reader has left.
 * False: there may be a place, here or elsewhere, or something else is the matter. */
NI_ALWAYS_INLINE bool is_full(const struct ni_peer *peer)
{
    return !peer->threads && peer->waiting == 0 && peer->ep != NULL &&
           ni_peer_state(peer) == NI_OK && !ni_fault_armed() && ni_lane_full(&peer->ep->tx);
}

ni_status ni_message(struct ni *ni, struct ni_peer *peer, ni_handle queue, uint16_t tag,
                     const void *head, size_t head_len, const void *data, size_t len)
{
    uint8_t *place;

    if (head_len == 0 && NI_LIKELY(send_line(peer, queue, tag, data, len))) {
        return NI_OK;
    }
    if (head_len == 0 && len <= NI_PACKET_INLINE && is_full(peer) && ni_usable(ni) == NI_OK) {
        ni_stat_add(&ni->stats.tx_full, 1);
        return NI_AGAIN;
    }
    if (NI_UNLIKELY(head_len > UINT32_MAX / 4 || len > UINT32_MAX / 4)) {
        return NI_ERR_LIMIT;
    }
    place = ni_msg_begin(peer, (uint32_t)head_len, (uint32_t)len);
    if (NI_UNLIKELY(place == NULL)) {
        return refusal(peer, head_len + len);
    }
    if (len != 0) {
        ni_msg_copy(peer, place + head_len, data, len);
    }
    /* Last: the peer polls the line that this is in, and takes it back from us at any time. */
    if (head_len != 0) {
        memcpy(place, head, head_len);
    }
    ni_msg_commit(peer, queue, tag, (uint32_t)(head_len + len));
    return NI_OK;
}
