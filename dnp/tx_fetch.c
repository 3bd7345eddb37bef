/* SPDX-License-Identifier: BSD-3-Clause */
/* Fetches command packets from the rings: MULTI PKT INST of the paper. */
#include "base/bits.h"
#include "dnp/tx.h"

/* Command packets of a channel's ring that may be fetched together. */
static uint32_t waiting(struct dnp_tx *tx, uint8_t port)
{
    uint32_t size = dnp_get(tx->registers, DNP_REG_tx_ring_size, port);
    uint32_t end = dnp_get(tx->registers, DNP_REG_wr_ptr, port);
    uint32_t begin = dnp_get(tx->registers, DNP_REG_rd_ptr, port);

    if (end - begin > size) {
        /* More than a ring has: nobody knows what was written. */
        dnp_set(tx->registers, DNP_REG_rd_ptr, port, end);
        dnp_add(tx->registers, DNP_REG_tx_refused, port, size != 0 ? 1 : 0);
        return 0;
    }
    if (end == begin) {
        return 0;
    }
    return (uint32_t)ni_min_u64(ni_min_u64(end - begin, DNP_TX_COMMANDS),
                                size - (begin & (size - 1)));
}

static void start(struct dnp_tx *tx, uint8_t port, uint32_t count)
{
    uint32_t size = dnp_get(tx->registers, DNP_REG_tx_ring_size, port);
    uint32_t entry = dnp_get(tx->registers, DNP_REG_rd_ptr, port) & (size - 1);
    struct dnp_dma dma = {.channel = DNP_DMA_FETCH, .port = port, .data = tx->fetched[0]};

    dma.segment[0].address = dnp_get64(tx->registers, DNP_REG_tx_ring_base, port) +
                             (uint64_t)entry * APELINK_COMMAND_SIZE;
    dma.segment[0].len = count * APELINK_COMMAND_SIZE;
    tx->fetch_port = port;
    tx->fetch_count = count;
    tx->fetch_next = 0;
    tx->fetch_there = false;
    dnp_dma_start(tx->dma, &dma);
}

/* The read has ended: they are here, or the ring is not where it should be. */
static void ended(struct dnp_tx *tx)
{
    dnp_add(tx->registers, DNP_REG_rd_ptr, tx->fetch_port, tx->fetch_count);
    if (tx->dma->status[DNP_DMA_FETCH] == NI_OK) {
        tx->fetch_there = true;
    } else {
        dnp_add(tx->registers, DNP_REG_tx_refused, tx->fetch_port, tx->fetch_count);
        tx->fetch_count = 0;
    }
}

bool dnp_tx_fetch(struct dnp_tx *tx)
{
    if (tx->fetch_count > 0 && !tx->fetch_there && !tx->dma->busy[DNP_DMA_FETCH]) {
        ended(tx);
    }
    for (uint8_t i = 1; tx->fetch_count == 0 && i <= DNP_CHANNELS; i++) {
        uint8_t port = (uint8_t)((tx->fetch_port + i) % DNP_CHANNELS);
        uint32_t count = waiting(tx, port);

        if (count > 0) {
            start(tx, port, count);
        }
    }
    return tx->fetch_count > 0;
}
