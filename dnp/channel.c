/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens and closes channels of a card. */
#include "dnp/channel.h"

void dnp_channel_open(struct dnp_card *card, uint8_t port, const struct dnp_rings *rings)
{
    struct dnp_register_file *registers = &card->registers;

    dnp_set(registers, DNP_REG_wr_ptr, port, 0);
    dnp_set(registers, DNP_REG_rd_ptr, port, 0);
    dnp_set(registers, DNP_REG_tx_refused, port, 0);
    dnp_set(registers, DNP_REG_event_wr_ptr, port, 0);
    dnp_set(registers, DNP_REG_event_rd_ptr, port, 0);
    dnp_set(registers, DNP_REG_event_lost, port, 0);
    dnp_set64(registers, DNP_REG_tx_ring_base, port, rings->tx_base);
    dnp_set64(registers, DNP_REG_event_ring_base, port, rings->event_base);
    dnp_set(registers, DNP_REG_tx_ring_size, port, rings->tx_entries);
    dnp_set(registers, DNP_REG_event_ring_size, port, rings->event_entries);
}

void dnp_channel_close(struct dnp_card *card, uint8_t port)
{
    struct dnp_register_file *registers = &card->registers;

    dnp_set(registers, DNP_REG_tx_ring_size, port, 0);
    dnp_set(registers, DNP_REG_event_ring_size, port, 0);
    dnp_set(registers, DNP_REG_wr_ptr, port, dnp_get(registers, DNP_REG_rd_ptr, port));
    dnp_buffers_clear(&card->buffers, port);
    dnp_gets_forget(&card->gets, port);
}

static bool tx_idle(const struct dnp_tx *tx, uint8_t port)
{
    if (tx->fetch_count > 0 && tx->fetch_port == port) {
        return false;
    }
    for (uint32_t i = tx->answers_taken; i != tx->answers_filled; i++) {
        if (tx->answer[i % DNP_TX_ANSWERS].port == port) {
            return false;
        }
    }
    for (uint32_t i = 0; i < DNP_TX_PAGES; i++) {
        if (tx->page[i].state != DNP_PAGE_FREE && tx->page[i].command.port == port) {
            return false;
        }
    }
    return true;
}

bool dnp_channel_idle(const struct dnp_card *card, uint8_t port)
{
    if (dnp_get(&card->registers, DNP_REG_event_ring_size, port) != 0 ||
        (card->rx.state != DNP_RX_IDLE && card->rx.header.port == port)) {
        return false;
    }
    return tx_idle(&card->tx, port) && !dnp_events_wait(&card->events, port) &&
           !dnp_gets_has(&card->gets, port);
}
