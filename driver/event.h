/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APELINK_EVENT_H
#define APELINK_EVENT_H

#include "driver/word.h"

/*
 * Completion events (APEnet+ 3.1.1.3, Table 9): two words, which the card writes into a ring in
 * host memory.
 *
 *   source      first word   second word
 *   TX DMA 0    CMD1         TX0 magic word       the payload of a PUT has been read
 *   TX DMA 1    CMD1         TX1 magic word
 *   GPU TX      CMD1         GPCTX magic word
 *   RX          header       63 - 0 footer's bits 63 - 0, 127 - 64 physical address
 *   Nios II     NIOS CMD     NIOS magic word      ours: the end of a GET, with its CMD1
 *
 * An event for which a ring has no room is counted in the doorbell page.
 */

enum { APELINK_EVENT_SIZE = 2 * APELINK_WORD };

#define APELINK_TX0_MAGIC   ((struct apelink_word){0x11111111dad0dad0U, 0x11111111dad0dad0U})
#define APELINK_TX1_MAGIC   ((struct apelink_word){0x22222222dad0dad0U, 0x22222222dad0dad0U})
#define APELINK_GPCTX_MAGIC ((struct apelink_word){0x00000000dad0dad0U, 0x00000000dad0dad0U})
#define APELINK_NIOS_MAGIC  ((struct apelink_word){0x33333333dad0dad0U, 0x33333333dad0dad0U})

#endif
