/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_CARD_H
#define DNP_CARD_H

#include <stdint.h>

#include <apeni/status.h>

#include "dnp/link.h"
#include "dnp/lofamo/manager.h"
#include "dnp/registers.h"
#include "dnp/router.h"
#include "dnp/rx.h"
#include "dnp/tx.h"

/*
 * A card as a whole.
 *
 *   host memory --DMA--> tx --> router --> links --> other cards
 *               <--DMA-- rx <--        <--       <--
 *               <--DMA-- events
 *
 * The caller lets time pass: for each cycle dnp_card_step, then dnp_link_send on each link;
 * what arrives on a cable goes to dnp_link_receive, and the end of a DMA to dnp_dma_end.
 *
 * Cards have nothing in common, so that any number may be in one process. Not thread-safe.
 */
struct dnp_card {
    struct dnp_register_file registers;
    struct dnp_link link[DNP_LINKS];
    struct dnp_router router;
    struct dnp_dma_engine dma;
    struct dnp_buffers buffers;
    struct dnp_events events;
    struct dnp_gets gets;
    struct dnp_tx tx;
    struct dnp_rx rx;
    struct dnp_lofamo lofamo;
    struct apelink_word *words; /* of all FIFOs */
};

/* Switch a card on, which must lie on a cache line, as its type says. host has to stay. With
 * receiving FIFOs of so many words for each channel of each link, a power of two. NI_ERR_INVALID:
 * the place, or below DNP_FIFO_MIN or beyond DNP_FIFO_MAX, or no power of two. NI_ERR_NOMEM. */
ni_status dnp_card_init(struct dnp_card *card, uint32_t fifo_size, const struct dnp_host *host,
                        uint64_t now);

/* Also after a failed init. */
void dnp_card_fini(struct dnp_card *card);

/* How many words each part of the card moves in a step, at least 1; 1 unless set, as in the
 * hardware. Where a step is not a cycle, as in real time, more make a word cheaper. */
void dnp_card_burst(struct dnp_card *card, uint32_t words);

/* One cycle of all but the links. Returns whether there is something to do in the next one if
 * nothing arrives. */
bool dnp_card_step(struct dnp_card *card, uint64_t now);

#endif
