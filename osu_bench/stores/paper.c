/* SPDX-License-Identifier: BSD-3-Clause */
#include "stores/paper.h"

/* FORTH-CC 4.3 gives each stage, in cycles, from which each point of Fig. 7 follows. A packet takes
 * 16: the path out 8, the crossbar 1, the path in 3, taking it from its queue 2, arbitration for
 * the memory 2; each 8 bytes take one more. A further packet of 256 bytes takes 8 instead, which
 * are the 6 of the text (recycling, and arbitration for the network again) and its header of 2: the
 * 92 and 110 cycles of 512 bytes need them. An answer does without the 2 cycles to the second-level
 * cache. */
enum {
    PAPER_PACKET = 16,
    PAPER_FURTHER = 8,
    PAPER_REQUEST = 17, /* delivered */
    PAPER_SERVICE = 3,
    PAPER_ANSWER = PAPER_PACKET - 2,
    PAPER_TO_CPU = 2,     /* a load's answer */
    PAPER_DESCRIPTOR = 4, /* stores that compose one */
    PAPER_HEAD = 3,       /* of them, for a message */
    PAPER_LINE = 32,      /* stores are combined up to here */
    PAPER_MESSAGE = 20,   /* bytes of a message: a command buffer of a line, less its head */
    PAPER_WORD = 4,
    PAPER_MOST = 256, /* bytes of a packet */
};

unsigned paper_cycles(enum way way, size_t size)
{
    unsigned words = (unsigned)(size / PAPER_WORD);
    unsigned bytes =
        (unsigned)((size + 7) / 8 + (size + PAPER_MOST - 1) / PAPER_MOST * PAPER_FURTHER) -
        PAPER_FURTHER;

    switch (way) {
    case STORE:
        return size <= PAPER_LINE ? words + PAPER_PACKET + bytes : 0;
    case MESSAGE:
        return size <= PAPER_MESSAGE ? PAPER_HEAD + words + PAPER_PACKET + bytes : 0;
    case WRITE:
        return PAPER_DESCRIPTOR + PAPER_PACKET + bytes;
    case LOAD:
        return size == PAPER_WORD
                   ? 1 + PAPER_REQUEST + PAPER_SERVICE + PAPER_ANSWER + bytes + PAPER_TO_CPU
                   : 0;
    default:
        return PAPER_DESCRIPTOR + PAPER_REQUEST + PAPER_SERVICE + PAPER_ANSWER + bytes;
    }
}
