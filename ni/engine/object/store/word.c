/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/send/control.h"
#include "engine/send/direct.h"
#include "engine/send/short.h"
#include "engine/bulk/transfer.h"

/* Single words: Writes of one line of which nobody wants to hear again, and stores in memory. */

ni_status ni_word_store(uint64_t addr, uint64_t value, unsigned width)
{
    void *place = (void *)(uintptr_t)addr;

    if ((addr & (width - 1)) != 0) {
        return NI_ERR_ALIGN;
    }
    /* Pair with the acquire loads of whoever polls the word. */
    switch (width) {
    case 1:
        __atomic_store_n((uint8_t *)place, (uint8_t)value, __ATOMIC_RELEASE);
        break;
    case 2:
        __atomic_store_n((uint16_t *)place, (uint16_t)value, __ATOMIC_RELEASE);
        break;
    case 4:
        __atomic_store_n((uint32_t *)place, (uint32_t)value, __ATOMIC_RELEASE);
        break;
    default:
        __atomic_store_n((uint64_t *)place, value, __ATOMIC_RELEASE);
        break;
    }
    return NI_OK;
}

uint64_t ni_word_load(uint64_t addr, unsigned width)
{
    const void *place = (const void *)(uintptr_t)addr;

    switch (width) {
    case 1:
        return __atomic_load_n((const uint8_t *)place, __ATOMIC_ACQUIRE);
    case 2:
        return __atomic_load_n((const uint16_t *)place, __ATOMIC_ACQUIRE);
    case 4:
        return __atomic_load_n((const uint32_t *)place, __ATOMIC_ACQUIRE);
    default:
        return __atomic_load_n((const uint64_t *)place, __ATOMIC_ACQUIRE);
    }
}

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
