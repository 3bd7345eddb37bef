/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_BOARD_WIRE_H
#define DNP_BOARD_WIRE_H

#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>

#include <apeni/status.h>

#include "dnp/board/memory.h"
#include "dnp/board/tcp.h"

/*
 * One end of a cable of a board: by UDP, by TCP, or by memory. What a link sends is gathered into a
 * frame:
 *
 *   board_wire_room, words --> board_wire_send ----> board_wire_take --> the link of the neighbour
 *
 * A link without a cable sends into nothing.
 */

struct board;
struct board_late;

struct board_wire {
    struct board *board;
    unsigned link;
    int fd; /* becomes readable when a frame comes; -1: no cable */
    struct event *readable;
    struct board_memory memory; /* of a cable by memory */
    struct board_tcp *tcp;      /* NULL: it is none by TCP */
    struct board_late *late;    /* what a cable that delays has taken, in order */
    bool warned;                /* a neighbour that should not be there has been named */
    uint32_t most;              /* words of a frame */
    uint32_t count;
    struct apelink_word *words; /* of the next frame: our buffer, or where it leaves */
    struct apelink_word buffer[DNP_FRAME_WORDS];
};

/* One without a cable. */
void board_wire_init(struct board_wire *wire, struct board *board, unsigned link);

/* Open what the board's configuration has for the link; ready is called with the wire when frames
 * come. A failure is logged. */
ni_status board_wire_open(struct board_wire *wire, event_callback_fn ready);

void board_wire_close(struct board_wire *wire);

/* Its link, for people. */
const char *board_wire_name(const struct board_wire *wire);

/* How many words the next frame has room for behind those it has. 0: none for now. */
uint32_t board_wire_room(struct board_wire *wire, uint64_t now);

/* The frame leaves, if it has words. */
void board_wire_send(struct board_wire *wire);

/* Give the link what has come. */
void board_wire_take(struct board_wire *wire, uint64_t now);

/* Give the link what a cable that delays has held long enough; nanoseconds until there is more,
 * UINT64_MAX: there is none. */
uint64_t board_wire_late(struct board_wire *wire, uint64_t now);

/* It was readable. */
void board_wire_hear(struct board_wire *wire);

/* The board sleeps until a wire is readable. False: something has come already. */
bool board_wires_sleep(struct board *board);
void board_wires_awake(struct board *board);

#endif
