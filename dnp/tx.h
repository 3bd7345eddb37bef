/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_TX_H
#define DNP_TX_H

#include <stdbool.h>
#include <stdint.h>

#include "dnp/buffer.h"
#include "driver/command.h"
#include "dnp/event.h"
#include "dnp/fifo.h"
#include "dnp/get.h"

/*
 * Transmission (APEnet+ 3.1.1.2):
 *
 *   rings --fetch, several at once--> commands --+      TX DMA 0, 1 in turn
 *                                                +--> page 0 1 2 3 --a word a cycle--> router
 *   GETs of others --------------> answers ------+
 *
 * wr_ptr - rd_ptr command packets wait in a ring; of one channel's as many are fetched at once as
 * are contiguous and have room; channels take turns. A packet's payload is read into the next of
 * four pages, of which 0 and 2 belong to DMA 0, 1 and 3 to DMA 1. When it is there, the completion
 * event is put, and the packet leaves in the order of the pages. Commands and answers take turns
 * (ours).
 */

enum { DNP_TX_COMMANDS = 16, DNP_TX_PAGES = 4, DNP_TX_ANSWERS = 64 };

/* Bytes that another card has asked for, or that it is refused. */
struct dnp_answer {
    struct apelink_header header; /* to whom, and where the next packet goes there */
    uint32_t tag;
    uint8_t port;     /* whose memory it is */
    uint64_t address; /* of the next packet here */
    uint32_t left;
};

enum dnp_page_state {
    DNP_PAGE_FREE,
    DNP_PAGE_LOADING,
    DNP_PAGE_LOADED,
};

struct dnp_page {
    enum dnp_page_state state;
    bool answer; /* not of a command packet */
    struct apelink_header header;
    struct apelink_footer footer;
    struct apelink_command command; /* for the event; tag APELINK_COMP_NONE for answers */
    uint8_t data[APELINK_PAYLOAD_MAX];
};

struct dnp_tx {
    struct dnp_register_file *registers;
    struct dnp_dma_engine *dma;
    struct dnp_buffers *buffers;
    struct dnp_events *events;
    struct dnp_gets *gets;
    struct dnp_fifo *out;

    uint8_t fetched[DNP_TX_COMMANDS][APELINK_COMMAND_SIZE];
    uint32_t fetch_count; /* command packets that are being fetched; 0: none */
    uint32_t fetch_next;  /* of those, the first that has not begun */
    bool fetch_there;     /* they are here */
    uint8_t fetch_port;

    struct dnp_answer answer[DNP_TX_ANSWERS];
    uint32_t answers_taken;
    uint32_t answers_filled;
    bool answer_turn;

    struct dnp_page page[DNP_TX_PAGES];
    uint32_t pages_filled; /* page that is filled next, modulo DNP_TX_PAGES */
    uint32_t pages_sent;   /* page that leaves next */
    uint32_t words_sent;   /* of it */
    uint32_t burst;        /* words that leave in a step */
    uint32_t crc;
};

/* Whether another answer may be put. */
static inline bool dnp_tx_answer_room(const struct dnp_tx *tx)
{
    return tx->answers_filled - tx->answers_taken < DNP_TX_ANSWERS;
}

void dnp_tx_answer(struct dnp_tx *tx, const struct dnp_answer *answer);

/* One cycle. Returns whether there is something to do. */
bool dnp_tx_step(struct dnp_tx *tx, uint64_t now);

/* In tx_fetch.c: see to the rings. Returns whether command packets wait or are under way. */
bool dnp_tx_fetch(struct dnp_tx *tx);

#endif
