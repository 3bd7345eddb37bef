/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_CRC_H
#define DNP_CRC_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/word.h"

/* CRC-32 of IEEE 802.3 over n words, going on from the CRC of what is before them; 0 to begin. */
uint32_t dnp_crc(uint32_t crc, const struct apelink_word *words, uint32_t n);

/* The footer with the CRC that belongs to it: crc is that of header and payload. */
struct apelink_word dnp_footer_seal(struct apelink_word footer, uint32_t crc);

/* Whether this footer has the CRC that belongs to it. */
bool dnp_footer_sealed(struct apelink_word footer, uint32_t crc);

#endif
