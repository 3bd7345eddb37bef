/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_BOARD_MEMORY_H
#define DNP_BOARD_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include <apeni/status.h>

#include "dnp/cable.h"

/*
 * A cable for two boards of one machine: a file that both map, with a ring of frames for each
 * direction.
 *
 *   filled by the sender --> frame frame frame ... --> taken by the receiver
 *
 * The end of a link X+, Y+ or Z+ fills ring 0, that of the others ring 1. A board that sleeps says
 * so in the ring that it empties, and is woken by a datagram to its socket, whose path is that of
 * the file with "+" or "-" behind it.
 *
 * The file is of the board's user alone, who could change the board itself as well: frames have a
 * MAC of their head, which says whose they are, and none of their words. Positions are believed as
 * far as they make sense. Not thread-safe.
 */

enum { BOARD_MEMORY_FRAMES = 64 }; /* of a ring, a power of two */

struct board_memory_frame {
    uint8_t head[DNP_FRAME_EMPTY];
    uint64_t to_line[2];
    struct apelink_word words[DNP_FRAME_WORDS];
};
_Static_assert(sizeof(struct board_memory_frame) == 64 + DNP_FRAME_WORDS * APELINK_WORD,
               "frames lie on cache lines");

struct board_memory_ring {
    _Alignas(64) _Atomic uint32_t filled; /* frames, modulo 2^32 */
    _Alignas(64) _Atomic uint32_t taken;
    _Alignas(64) _Atomic uint32_t sleeps; /* the receiver is to be woken */
    _Alignas(64) struct board_memory_frame frame[BOARD_MEMORY_FRAMES];
};

struct board_memory {
    struct board_memory_ring *map; /* two of them; NULL: not open */
    struct board_memory_ring *out, *in;
    uint32_t filled, taken; /* of out and of in, by us */
    int file;
    int bell;       /* becomes readable when the other end wakes us */
    char here[104]; /* path of our socket */
    char there[104];
};

/* Open our end of a link's cable, whose file is made if there is none. NI_ERR_SYSTEM with errno:
 * EACCES: others than the user may open the file. EINVAL: it is none of a cable. EBUSY: a board has
 * this end already. */
ni_status board_memory_open(struct board_memory *memory, unsigned link, const char *path);

/* Also of one that is not open. The file stays. */
void board_memory_close(struct board_memory *memory);

/* The frame to be filled next, or NULL: the other end has not taken enough. */
struct board_memory_frame *board_memory_room(struct board_memory *memory);

/* It is filled: the other end may take it. */
void board_memory_send(struct board_memory *memory);

/* The frame that came next, or NULL. Its bytes may change at any time. */
const struct board_memory_frame *board_memory_next(struct board_memory *memory);

/* It is not looked at any more. */
void board_memory_done(struct board_memory *memory);

/* Want to be woken from now on. False: a frame is there. */
bool board_memory_sleep(struct board_memory *memory);

/* The bell was readable. */
void board_memory_hear(struct board_memory *memory);

/* Want that no more. */
void board_memory_awake(struct board_memory *memory);

#endif
