/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APELINK_WORD_H
#define APELINK_WORD_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    APELINK_WORD = 16, /* bytes that move in one cycle (APEnet+ 3.1.1.1) */
};

/* What moves in one cycle: 128 bits. In memory and on cables the least significant byte comes
 * first. */
struct apelink_word {
    uint64_t lo; /* bits 63-0 */
    uint64_t hi; /* bits 127-64 */
};

static inline bool apelink_word_equal(struct apelink_word a, struct apelink_word b)
{
    return a.lo == b.lo && a.hi == b.hi;
}

static inline uint64_t apelink_bytes_get64(const uint8_t *bytes)
{
    uint64_t value;

    memcpy(&value, bytes, sizeof value);
    return le64toh(value);
}

static inline void apelink_bytes_put64(uint8_t *bytes, uint64_t value)
{
    value = htole64(value);
    memcpy(bytes, &value, sizeof value);
}

/* From and to APELINK_WORD bytes of any alignment. */
static inline struct apelink_word apelink_word_from(const uint8_t *bytes)
{
    return (struct apelink_word){apelink_bytes_get64(bytes), apelink_bytes_get64(bytes + 8)};
}

static inline void apelink_word_to(struct apelink_word word, uint8_t *bytes)
{
    apelink_bytes_put64(bytes, word.lo);
    apelink_bytes_put64(bytes + 8, word.hi);
}

/* The same of n of them, which lie one behind the other. */
static inline void apelink_words_from(const uint8_t *bytes, struct apelink_word *words, uint32_t n)
{
#if __BYTE_ORDER == __LITTLE_ENDIAN
    memcpy(words, bytes, n * sizeof *words);
#else
    for (uint32_t i = 0; i < n; i++) {
        words[i] = apelink_word_from(bytes + (size_t)i * APELINK_WORD);
    }
#endif
}

static inline void apelink_words_to(const struct apelink_word *words, uint8_t *bytes, uint32_t n)
{
#if __BYTE_ORDER == __LITTLE_ENDIAN
    memcpy(bytes, words, n * sizeof *words);
#else
    for (uint32_t i = 0; i < n; i++) {
        apelink_word_to(words[i], bytes + (size_t)i * APELINK_WORD);
    }
#endif
}

#endif
