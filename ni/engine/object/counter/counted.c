/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <apeni/counter.h>
#include <apeni/notify.h>

#include "engine/send/direct.h"
#include "engine/send/fast.h"
#include "engine/core/op.h"

/*
 * ni_write_counted: a Write whose ack address is a counter at the target. In one packet, the
 * counter stands where the token of an ack would; longer, it is a Write with a note.
 */

/* Where the payload begins: a line, but for what takes one line less right behind the fields. */
static unsigned head_for(uint32_t len)
{
    return ni_packet_lines(NI_DIRECT_HEAD, len) < ni_packet_lines(NI_LINE, len) ? NI_DIRECT_HEAD
                                                                                : NI_LINE;
}

/* NI_AGAIN: not in this way. */
static ni_status write_counted_now(struct ni_peer *peer, const void *src, uint32_t len,
                                   const struct ni_remote *dst, const struct ni_rkey *counter)
{
    unsigned head = head_for(len);
    uint32_t lines = ni_packet_lines(head, len);
    struct ni_packet *packet;
    ni_status status = NI_AGAIN;

    ni_lock_take(&peer->lock, peer->threads);
    packet = ni_direct_place(peer, lines);
    if (NI_LIKELY(packet != NULL && lines <= peer->ep->max_lines)) {
        packet->body[0] = dst->addr;
        packet->body[1] = dst->key;
        packet->body[2] = counter->key;
        packet->body[3] = NI_WRITE_COUNTED | counter->handle;
        packet->body[4] = len;
        if (len != 0) {
            memcpy((uint8_t *)packet + head, src, len);
        }
        ni_direct_send(peer, packet, ni_packet_word0(0, NI_PACKET_WRITE, head, 0),
                       ni_packet_word1(len, dst->handle), lines);
        status = NI_OK;
    }
    ni_lock_give(&peer->lock, peer->threads);
    return status;
}

ni_status ni_write_counted(struct ni *ni, struct ni_peer *peer, const void *src, size_t len,
                           const struct ni_remote *dst, const struct ni_rkey *counter,
                           const struct ni_ack *ack)
{
    ni_status status = NI_AGAIN;

    if (NI_LIKELY(ni_is_one_packet(ni, len))) {
        status = write_counted_now(peer, src, (uint32_t)len, dst, counter);
    }
    if (NI_UNLIKELY(status != NI_OK)) {
        const struct ni_note note = {.region = *counter, .value = len};

        return ni_write_notify(ni, peer, src, len, dst, &note, NULL, ack);
    }
    ni_ack_deliver(ni, ack, NI_OK, len);
    return NI_OK;
}
