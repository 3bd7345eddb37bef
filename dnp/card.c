/* SPDX-License-Identifier: BSD-3-Clause */
/* A card as a whole. */
#include "dnp/card.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/bits.h"
#include "dnp/sensors.h"

/* Who works for whom. */
static void connect(struct dnp_card *card, const struct dnp_host *host)
{
    card->dma = (struct dnp_dma_engine){.host = host};
    card->events = (struct dnp_events){.registers = &card->registers, .dma = &card->dma};
    card->gets = (struct dnp_gets){.registers = &card->registers, .events = &card->events};
    memset(&card->tx, 0, sizeof card->tx);
    card->tx.registers = &card->registers;
    card->tx.dma = &card->dma;
    card->tx.buffers = &card->buffers;
    card->tx.events = &card->events;
    card->tx.gets = &card->gets;
    card->tx.out = &card->router.inject;
    memset(&card->rx, 0, sizeof card->rx);
    card->rx.registers = &card->registers;
    card->rx.dma = &card->dma;
    card->rx.buffers = &card->buffers;
    card->rx.events = &card->events;
    card->rx.gets = &card->gets;
    card->rx.tx = &card->tx;
    card->rx.in = &card->router.deliver;
}

ni_status dnp_card_init(struct dnp_card *card, uint32_t fifo_size, const struct dnp_host *host,
                        uint64_t now)
{
    /* The receiving FIFOs, and two of the router. */
    size_t fifos = DNP_LINKS * DNP_VCS + 2;
    struct apelink_word *next;
    ni_status status;

    card->words = NULL;
    if (!ni_is_pow2(fifo_size) || fifo_size < DNP_FIFO_MIN || fifo_size > DNP_FIFO_MAX) {
        return NI_ERR_INVALID;
    }
    card->words = ni_calloc(fifos * fifo_size, sizeof *card->words);
    if (card->words == NULL) {
        return NI_ERR_NOMEM;
    }
    status = dnp_buffers_init(&card->buffers);
    if (status != NI_OK) {
        free(card->words);
        card->words = NULL;
        return status;
    }
    next = card->words;
    dnp_registers_reset(&card->registers);
    dnp_sensors_reset(&card->registers);
    for (unsigned i = 0; i < DNP_LINKS; i++) {
        dnp_link_init(&card->link[i], &card->registers, i, next, fifo_size, now);
        next += (size_t)DNP_VCS * fifo_size;
    }
    dnp_router_init(&card->router, &card->registers, card->link, next, next + fifo_size, fifo_size);
    connect(card, host);
    dnp_card_burst(card, 1);
    dnp_lofamo_init(&card->lofamo, &card->registers, card->link);
    return NI_OK;
}

void dnp_card_fini(struct dnp_card *card)
{
    if (card->words != NULL) {
        dnp_buffers_fini(&card->buffers);
    }
    free(card->words);
    card->words = NULL;
}

void dnp_card_burst(struct dnp_card *card, uint32_t words)
{
    NI_ASSERT(words > 0);
    card->tx.burst = words;
    card->rx.burst = words;
    card->router.burst = words;
}

/* Work in the core: packets for the router and transfers by DMA. Programs that leave their rings
 * full are not the core's fault. */
static struct dnp_core_work core_work(const struct dnp_card *card, bool routing)
{
    const struct dnp_register_file *file = &card->registers;
    struct dnp_core_work work = {.waiting = routing};

    for (unsigned i = 0; i < DNP_DMA_CHANNELS; i++) {
        work.waiting = work.waiting || card->dma.busy[i];
    }
    for (unsigned i = 0; i < DNP_LINKS; i++) {
        work.progress +=
            dnp_get64(file, DNP_REG_link_sent_words, i) + dnp_get(file, DNP_REG_link_unsent, i);
    }
    for (unsigned i = 0; i < DNP_CHANNELS; i++) {
        work.progress += dnp_get(file, DNP_REG_rd_ptr, i) + dnp_get(file, DNP_REG_event_wr_ptr, i) +
                         dnp_get(file, DNP_REG_event_lost, i);
    }
    work.progress += dnp_get64(file, DNP_REG_rx_packets, 0) + dnp_get(file, DNP_REG_rx_refused, 0) +
                     dnp_get(file, DNP_REG_get_dropped, 0) +
                     dnp_get(file, DNP_REG_route_refused, 0);
    return work;
}

bool dnp_card_step(struct dnp_card *card, uint64_t now)
{
    bool active = dnp_rx_step(&card->rx), routing;

    active = dnp_tx_step(&card->tx, now) || active;
    dnp_gets_step(&card->gets, now);
    active = dnp_events_step(&card->events) || active;
    for (unsigned i = 0; i < DNP_LINKS; i++) {
        (void)dnp_link_down(&card->link[i], now); /* keeps link_up, also while nothing is sent */
    }
    routing = dnp_router_step(&card->router, now);
    if (now >= dnp_lofamo_due(&card->lofamo)) {
        struct dnp_core_work work = core_work(card, routing);

        dnp_lofamo_step(&card->lofamo, &work, now);
    }
    return routing || active;
}
