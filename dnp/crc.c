/* SPDX-License-Identifier: BSD-3-Clause */
/* CRC-32, a word of 16 bytes at a time: what each byte adds is looked up in the table of its place.
 * Many words are folded into one first, where the processor multiplies without carries. */
#include "dnp/crc.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

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

/* What is left of a word, crc being what is left of all before it. */
static uint32_t step(uint32_t crc, struct apelink_word word)
{
    return half(word.lo ^ crc, 0) ^ half(word.hi, 8);
}

#ifdef __x86_64__

enum { LANES = 4 };

/* What 128 bits are worth so many bits further on: their halves by the remainders of x to that
 * power, as "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ" (Intel, 2009) has them
 * for this polynomial. */
__attribute__((target("pclmul"))) static inline __m128i further(__m128i x, __m128i powers)
{
    return _mm_xor_si128(_mm_clmulepi64_si128(x, powers, 0x00),
                         _mm_clmulepi64_si128(x, powers, 0x11));
}

static inline __m128i load(const struct apelink_word *word)
{
    return _mm_loadu_si128((const __m128i *)(const void *)word);
}

/* Whole groups of LANES words, of which there is one at least. Returns what is left of them. */
__attribute__((target("pclmul"))) static uint32_t fold(uint32_t crc,
                                                       const struct apelink_word *words, uint32_t n)
{
    const __m128i by512 = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
    const __m128i by128 = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
    struct apelink_word left;
    __m128i lane[LANES];

    for (unsigned i = 0; i < LANES; i++) {
        lane[i] = load(words + i);
    }
    lane[0] = _mm_xor_si128(lane[0], _mm_cvtsi32_si128((int)crc));
    for (uint32_t at = LANES; at < n; at += LANES) {
        for (unsigned i = 0; i < LANES; i++) {
            lane[i] = _mm_xor_si128(further(lane[i], by512), load(words + at + i));
        }
    }
    for (unsigned i = 1; i < LANES; i++) {
        lane[i] = _mm_xor_si128(further(lane[i - 1], by128), lane[i]);
    }
    _mm_storeu_si128((__m128i *)(void *)&left, lane[LANES - 1]);
    return step(0, left);
}

static uint32_t fold_if_possible(uint32_t *crc, const struct apelink_word *words, uint32_t n)
{
    n -= n % LANES;
    if (n == 0 || !__builtin_cpu_supports("pclmul")) {
        return 0;
    }
    *crc = fold(*crc, words, n);
    return n;
}

#else

static uint32_t fold_if_possible(uint32_t *crc, const struct apelink_word *words, uint32_t n)
{
    (void)crc;
    (void)words;
    (void)n;
    return 0;
}

#endif

uint32_t dnp_crc(uint32_t crc, const struct apelink_word *words, uint32_t n)
{
    crc = ~crc;
    for (uint32_t i = fold_if_possible(&crc, words, n); i < n; i++) {
        crc = step(crc, words[i]);
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
