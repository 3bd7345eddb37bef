/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_WORD_H
#define DNP_WORD_H

#include <stdbool.h>
#include <stdint.h>

#include "dnp/limits.h"

/* What moves in one cycle: 128 bits. In memory and on cables the least significant byte comes
 * first. */
struct dnp_word {
    uint64_t lo; /* bits 63-0 */
    uint64_t hi; /* bits 127-64 */
};

static inline bool dnp_word_equal(struct dnp_word a, struct dnp_word b)
{
    return a.lo == b.lo && a.hi == b.hi;
}

static inline uint64_t dnp_bytes_get64(const uint8_t *bytes)
{
    uint64_t value = 0;

    for (unsigned i = 8; i-- > 0;) {
        value = value << 8 | bytes[i];
    }
    return value;
}

static inline void dnp_bytes_put64(uint8_t *bytes, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(value >> 8 * i);
    }
}

/* From and to DNP_WORD bytes of any alignment. */
static inline struct dnp_word dnp_word_from(const uint8_t *bytes)
{
    return (struct dnp_word){dnp_bytes_get64(bytes), dnp_bytes_get64(bytes + 8)};
}

static inline void dnp_word_to(struct dnp_word word, uint8_t *bytes)
{
    dnp_bytes_put64(bytes, word.lo);
    dnp_bytes_put64(bytes + 8, word.hi);
}

/* CRC-32 of IEEE 802.3 over n words, going on from the CRC of what is before them; 0 to begin. */
uint32_t dnp_crc(uint32_t crc, const struct dnp_word *words, uint32_t n);

#endif
