/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_BOARD_MACHINE_MEMORY_H
#define DNP_BOARD_MACHINE_MEMORY_H

#include "dnp/board/machine.h"

/* The memory of a virtual machine, for machine.c, and buffers there. */

struct board_buffer {
    struct board_buffer *next;
    uint64_t count; /* of pages */
    ni_handle handle;
    uint64_t page[]; /* as dnp_buffers_add wants them */
};

/* What lies at a physical address, or NULL. */
void *board_machine_at(const struct board_machine *machine, uint64_t address, uint64_t len);

/* Map the machine's memory: 0 or a negative errno, and why is logged. And forget it. */
int board_machine_map(struct board_machine *machine);
void board_machine_unmap(struct board_machine *machine);

/* Room for the list of a buffer of so many pages, or NULL and a negative errno. */
struct board_buffer *board_buffer_new(struct board_machine *machine, uint64_t count, int *status);
void board_buffer_free(struct board_machine *machine, struct board_buffer *buffer);
/* The pages of a buffer from the driver's list at an address. 0 or a negative errno. */
int board_buffer_read(const struct board_machine *machine, uint64_t address,
                      struct board_buffer *buffer);

#endif
