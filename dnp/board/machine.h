/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_BOARD_MACHINE_H
#define DNP_BOARD_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "dnp/board/device.h"
#include "driver/apelink_bar.h"

/*
 * The device as the driver in a virtual machine has it: driver/apelink_bar.h. The machine's memory
 * is a file, which the card maps; physical addresses are offsets there, so that memory is in one
 * piece from address 0 on. Whatever the driver says is judged: addresses beyond the file reach
 * nothing, and what its buffers take of the board's memory is bounded by what the machine has. Not
 * thread-safe.
 */

struct board_buffer; /* one that the driver has registered */

struct board_machine {
    struct board_device *device;
    const char *memory_path;
    int bar_fd; /* a sealed file of APELINK_BAR_BYTES; -1: not open */
    struct apelink_bar *bar;
    uint8_t *memory; /* of the machine; NULL: not known yet */
    uint64_t memory_bytes;
    struct board_file file[APELINK_BAR_CHANNELS];
    struct board_buffer *buffers[APELINK_BAR_CHANNELS];
    uint64_t entries; /* that all of them take in lists of pages */
};

/* The BAR of a card. memory_path has to stay; its file may come later. 0 or a negative errno. */
int board_machine_open(struct board_machine *machine, struct board_device *device,
                       const char *memory_path);

/* Also after a failed open, and of zeros with bar_fd -1. */
void board_machine_close(struct board_machine *machine);

/* Another machine, or none: channels are closed, and the page of requests begins anew. */
void board_machine_reset(struct board_machine *machine);

/* The driver has rung. Whether it wants to hear of an answer. */
bool board_machine_rung(struct board_machine *machine);

/* Of these channels with new events, a bit each: those that somebody waits for. */
unsigned board_machine_wanted(struct board_machine *machine, unsigned news);

/* A sign of life. */
void board_machine_beat(struct board_machine *machine);

#endif
