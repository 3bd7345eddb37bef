/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/send/control.h"
#include "engine/send/direct.h"
#include "engine/send/short.h"
#include "engine/send/send.h"

/* Single words: Writes of one line of which nobody wants to hear again. */

/* With threads, or where what the shortest way takes is not at hand. */
static NI_NOINLINE ni_status post_any(struct ni_peer *peer, const struct ni_remote *where,
                                      uint64_t value, unsigned width, _Atomic uint32_t *held)
{
    const struct ni_control control = {
        .word0 = ni_packet_word0(0, NI_PACKET_WRITE, NI_DIRECT_HEAD, NI_WRITE_HOLD),
        .word1 = ni_packet_word1(width, where->handle),
        .body = {where->addr, where->key, 0, NI_WRITE_WORD, width, value},
        .held = held,
    };
    struct ni_packet *packet;

    ni_lock_take(&peer->lock, peer->threads);
    packet = ni_direct_place(peer, 1);
    if (NI_LIKELY(packet != NULL)) {
        memcpy(packet->body, control.body, sizeof(control.body));
        ni_direct_send(peer, packet, control.word0, control.word1, 1);
    }
    ni_lock_give(&peer->lock, peer->threads);
    return NI_LIKELY(packet != NULL) ? NI_OK : ni_send_composed(peer, &control);
}

ni_status ni_word_post(struct ni_peer *peer, const struct ni_remote *where, uint64_t value,
                       unsigned width, _Atomic uint32_t *held)
{
    return NI_LIKELY(ni_short_post_word(peer, where, value, width))
               ? NI_OK
               : post_any(peer, where, value, width, held);
}
