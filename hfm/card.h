/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_CARD_H
#define HFM_CARD_H

#include <stdint.h>

/* How a host fault manager reaches the registers of its card, by their offsets: 0 or a negative
 * errno. arg is theirs. */
struct hfm_card {
    int (*read)(void *arg, uint32_t offset, uint32_t *value);
    int (*write)(void *arg, uint32_t offset, uint32_t value);
    void *arg;
};

#endif
