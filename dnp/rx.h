/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_RX_H
#define DNP_RX_H

#include <stdbool.h>
#include <stdint.h>

#include "dnp/buffer.h"
#include "dnp/event.h"
#include "dnp/fifo.h"
#include "dnp/get.h"
#include "dnp/tx.h"

/*
 * Reception (APEnet+ 3.1, 4.3): packets from the router are written to host memory.
 *
 *   idle --packet, judged--> payload --a word a cycle--> writing --event--> idle
 *
 * What a PUT names must lie in a buffer of the process that allows other cards to write, and the
 * process's ring must have room for the event; otherwise nothing is written and the packet is
 * counted in rx_refused or event_lost (ours). A GET becomes an answer of the transmission, or is
 * counted in get_dropped when there is no room for one. So a packet is always taken, whatever
 * becomes of it. Packets with physical or GPU addresses are refused: a neighbour could write
 * anywhere (ours).
 */

enum dnp_rx_state {
    DNP_RX_IDLE,
    DNP_RX_PAYLOAD,
    DNP_RX_WRITING,
};

struct dnp_rx {
    struct dnp_register_file *registers;
    struct dnp_dma_engine *dma;
    struct dnp_buffers *buffers;
    struct dnp_events *events;
    struct dnp_gets *gets;
    struct dnp_tx *tx;
    struct dnp_fifo *in;
    enum dnp_rx_state state;
    struct apelink_header header; /* of the packet that is taken */
    struct apelink_word footer;
    struct dnp_dma write;
    uint32_t words; /* of its payload that have been taken */
    uint32_t burst; /* words that are taken in a step */
    uint8_t data[APELINK_PAYLOAD_MAX];
};

/* One cycle. Returns whether there is something to do. */
bool dnp_rx_step(struct dnp_rx *rx);

#endif
