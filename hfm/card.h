/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_CARD_H
#define HFM_CARD_H

#include <stdint.h>

#include "driver/apelink_ioctl.h"

/* How a host fault manager reaches the registers of its card, by their offsets: 0 or a negative
 * errno. arg is theirs. list is NULL, or reaches several by one call as the ioctl LIST does. */
struct hfm_card {
    int (*read)(void *arg, uint32_t offset, uint32_t *value);
    int (*write)(void *arg, uint32_t offset, uint32_t value);
    void *arg;
    int (*list)(void *arg, struct apelink_item *items, uint32_t count, uint32_t *done);
};

#endif
