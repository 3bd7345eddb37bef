/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_SETUP_H
#define HFM_SETUP_H

#include <stddef.h>
#include <stdint.h>

#include "hfm/card.h"
#include "hfm/config.h"

/*
 * How a card's fault manager is started (APEnet+ 2.4):
 *
 *   topology: board_torus, board_place as configured --> links up, or time is over -->
 *   thresholds and mask --> timers --> enable
 *
 * A function of its state, the registers and the time, in ns. Not thread-safe.
 */
enum hfm_setup_state {
    HFM_SETUP_WAITS, /* for links */
    HFM_SETUP_DONE,
    HFM_SETUP_FAILED, /* text says why */
};

struct hfm_setup {
    const struct hfm_card *card;
    const struct hfm_config *config;
    uint64_t until; /* links are waited for; 0: not begun */
    char text[300]; /* what went wrong, or which links are not up */
};

void hfm_setup_init(struct hfm_setup *setup, const struct hfm_card *card,
                    const struct hfm_config *config);

/* Go on. Call it each few ms until it does not wait any more. */
enum hfm_setup_state hfm_setup_step(struct hfm_setup *setup, uint64_t now);

/* What fault_mask becomes: links without cables, and what lies behind them, say nothing. Pure. */
uint32_t hfm_setup_mask(const struct hfm_config *config);
/* What a fault word of this node would say of links that have no cables by the configuration,
 * although the torus has nodes behind them: broken. Pure. */
uint32_t hfm_setup_missing(const struct hfm_config *config);

#endif
