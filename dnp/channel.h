/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_CHANNEL_H
#define DNP_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "dnp/card.h"

/*
 * A channel of a card comes and goes with a process.
 *
 *   idle --open--> open --close--> leaving --what is under way in the card has passed--> idle
 *
 * In the meantime DMA for its port has to fail. Not thread-safe.
 */

/* Where rings lie, as physical addresses, and their entries, powers of two up to DNP_RING_MAX. */
struct dnp_rings {
    uint64_t tx_base;
    uint64_t event_base;
    uint32_t tx_entries;
    uint32_t event_entries;
};

/* The channel has to be idle. Its pointers begin at 0. */
void dnp_channel_open(struct dnp_card *card, uint8_t port, const struct dnp_rings *rings);

/* Nothing more is fetched; events of this channel are dropped, its buffers are gone, and its GETs
 * end without a word. */
void dnp_channel_close(struct dnp_card *card, uint8_t port);

/* Whether a closed channel has nothing left in the card, so that who opens it next gets nothing of
 * the one before. */
bool dnp_channel_idle(const struct dnp_card *card, uint8_t port);

#endif
