/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_BOARD_MAPS_H
#define DNP_BOARD_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include <apeni/region.h>

#include "dnp/board/process.h"

/*
 * Buffers of a process that the board has mapped, too, so that DMA is a copy, without a system
 * call. These are buffers in memory that is shared and anonymous: no file whose end somebody could
 * take away. Like memory that is pinned they stay when the process unmaps it.
 *
 * The physical address of their pages is the number of the map and an offset in it, which says
 * nothing of our own addresses.
 */

#define BOARD_MAPPED     (1ULL << 63) /* in such an address */
#define BOARD_MAP_BYTES  (1ULL << 40) /* of the number of a map: what an offset may be */
#define BOARD_MAPS_BYTES (4ULL << 30) /* of a process: its lists of pages have a limit, too */

enum { BOARD_MAPS_MAX = 8192 }; /* of a process */

struct board_map {
    uint8_t *memory; /* NULL: nothing */
    uint64_t bytes;
    bool writable;
    ni_handle handle;
    uint64_t *pages; /* as dnp_buffers_add wants them */
};

struct board_maps {
    struct board_map *map;
    uint32_t count; /* of places; some may have nothing */
    uint64_t bytes;
};

/* Map the pages of these bytes, which are in the area. NULL: that cannot be. What is returned stays
 * until the next is added; it wants its handle. like: a file that the kernel keeps where it keeps
 * such memory. */
struct board_map *board_maps_add(struct board_maps *maps, const struct board_process *process,
                                 const struct board_area *area, uint64_t address, uint64_t len,
                                 int like);

/* Also of one that has none. */
void board_maps_remove(struct board_maps *maps, ni_handle handle);
void board_maps_clear(struct board_maps *maps);

/* Copy between data and such an address. False: it is none, or cannot be written. */
bool board_maps_copy(const struct board_maps *maps, bool write, uint64_t address, void *data,
                     uint32_t len);

#endif
