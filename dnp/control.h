/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_CONTROL_H
#define DNP_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "dnp/limits.h"
#include "driver/word.h"

/*
 * Word stuffing on a link (APEnet+ 3.1.1.1). A Magic word announces that the next word is none of a
 * packet but one of
 *
 *   Start     a packet follows: as many words as it says, among which other announced words may be
 *   Credit    how full the FIFOs of the side that sends it are
 *   Literal   (ours) the word of the packet is equal to Magic
 *
 * Their layout is ours. So is what credits count: words since the beginning, modulo 65536, for each
 * virtual channel, those that the side has sent and those of the other side's that hold no room
 * any more. The occupancy of a FIFO, which the paper's credits tell, is the difference of two of
 * them; a lost credit, and lost words, are made good by the next. All announced words:
 *
 *     7 -   0  kind                      31 -   8  check: CRC-32, of which 24 bits, of the word
 * with these bits 0 Start     40 -  32  words of the packet       48   virtual channel 79 -  64
 * words sent on this channel before Credit    47 -  32  words of channel 0 without room      63 -
 * 48  of channel 1 79 -  64  words sent on channel 0              95 - 80  on channel 1 127 -  96
 * spare: the paper's diagnostic message (Table 6)
 */

#define DNP_MAGIC ((struct apelink_word){0xa9e0c1b45d3287f6U, 0x5c6f93d8e7a1240bU})

/* How many of n words come before the first that is Magic. */
static inline uint32_t dnp_words_before_magic(const struct apelink_word *words, uint32_t n)
{
    uint32_t count = 0;

    while (count < n && !apelink_word_equal(words[count], DNP_MAGIC)) {
        count++;
    }
    return count;
}

enum dnp_control_kind {
    DNP_START = 0x51,
    DNP_CREDIT = 0xc3,
    DNP_LITERAL = 0x1e,
};

struct dnp_control {
    enum dnp_control_kind kind;
    uint8_t vc;              /* Start */
    uint16_t words;          /* Start: 2 to DNP_PACKET_WORDS */
    uint16_t sent[DNP_VCS];  /* Start: only that of its channel */
    uint16_t taken[DNP_VCS]; /* Credit */
    uint32_t spare;          /* Credit */
};

struct apelink_word dnp_control_pack(const struct dnp_control *control);

/* false: it is no announced word, or its check is wrong. */
bool dnp_control_unpack(struct apelink_word word, struct dnp_control *control);

#endif
