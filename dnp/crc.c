/* SPDX-License-Identifier: BSD-3-Clause */
/* CRC-32, a word of 16 bytes at a time: what each byte adds is looked up in the table of its place.
 */
#include "dnp/crc.h"

#define POLYNOMIAL 0xedb88320U /* of IEEE 802.3, least significant bit first */

/* table[place][byte]: what this byte adds with 15 - place words of 8 bits behind it. Written before
 * main begins, constant from then on. */
static uint32_t table[APELINK_WORD][256];

static __attribute__((constructor)) void fill(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;

        for (unsigned place = APELINK_WORD; place-- > 0;) {
            for (unsigned bit = 0; bit < 8; bit++) {
                crc = crc >> 1 ^ (POLYNOMIAL & -(crc & 1));
            }
            table[place][byte] = crc;
        }
    }
}

static uint32_t half(uint64_t bytes, unsigned place)
{
    uint32_t crc = 0;

    for (unsigned i = 0; i < 8; i++) {
        crc ^= table[place + i][bytes >> 8 * i & 0xff];
    }
    return crc;
}

uint32_t dnp_crc(uint32_t crc, const struct apelink_word *words, uint32_t n)
{
    crc = ~crc;
    for (uint32_t i = 0; i < n; i++) {
        crc = half(words[i].lo ^ crc, 0) ^ half(words[i].hi, 8);
    }
    return ~crc;
}

struct apelink_word dnp_footer_seal(struct apelink_word footer, uint32_t crc)
{
    footer.hi = (uint32_t)footer.hi;
    footer.hi |= (uint64_t)dnp_crc(crc, &footer, 1) << 32;
    return footer;
}

bool dnp_footer_sealed(struct apelink_word footer, uint32_t crc)
{
    return apelink_word_equal(footer, dnp_footer_seal(footer, crc));
}
