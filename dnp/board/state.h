/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_BOARD_STATE_H
#define DNP_BOARD_STATE_H

#include <stdio.h>

#include "dnp/cable.h"
#include "dnp/card.h"

/* Print the state of a card as one JSON object: its registers by name, those of links and channels
 * as lists, and for each of six links what became of the frames of its cable; NULL: there is none.
 */
void board_state_print(FILE *out, const struct dnp_card *card,
                       const struct dnp_cable *const cables[DNP_LINKS]);

#endif
