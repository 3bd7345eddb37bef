/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/pattern.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define GUARD_BYTE 0xa5

/* A bijection of 64-bit numbers in which each bit of the input changes about half of the output. */
static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    return x;
}

uint64_t osu_pattern_seed(int round, size_t size, int source, int slot)
{
    uint64_t place = ((uint64_t)(uint32_t)source << 16) ^ (uint64_t)(uint32_t)slot;
    return mix(mix((uint64_t)size + 1) ^ ((uint64_t)(uint32_t)round << 32) ^ place);
}

/* The eight bytes of word number index. */
static uint64_t word_at(uint64_t seed, size_t index)
{
    return mix(seed + (uint64_t)index * 0x9e3779b97f4a7c15u);
}

int osu_pattern_value(uint64_t seed, size_t index)
{
    return 1 + (int)(word_at(seed, index) % OSU_VALUES);
}

static void write_words(unsigned char *out, size_t length, uint64_t seed, uint64_t flip)
{
    for (size_t offset = 0; offset < length; offset += sizeof(uint64_t)) {
        uint64_t word = word_at(seed, offset / sizeof(uint64_t)) ^ flip;
        size_t rest = length - offset;
        memcpy(out + offset, &word, rest < sizeof(word) ? rest : sizeof(word));
    }
}

void osu_pattern_fill(void *buffer, size_t length, uint64_t seed)
{
    write_words(buffer, length, seed, 0);
}

void osu_pattern_spoil(void *buffer, size_t length, uint64_t seed)
{
    write_words(buffer, length, seed, UINT64_MAX);
    memset((unsigned char *)buffer + length, GUARD_BYTE, OSU_GUARD);
}

void osu_pattern_complain(const char *what, size_t index, long long wanted, long long found)
{
    static bool complained;
    if (complained) {
        return;
    }
    complained = true;
    fprintf(stderr, "data check: %s %zu is %lld, not %lld\n", what, index, found, wanted);
}

/* Count the wrong bytes of one word of which only the first count bytes are ours. */
static size_t check_word(const unsigned char *found, uint64_t wanted, size_t count, size_t offset)
{
    unsigned char bytes[sizeof(wanted)];
    size_t wrong = 0;

    memcpy(bytes, &wanted, sizeof(bytes));
    for (size_t i = 0; i < count; i++) {
        if (found[i] != bytes[i]) {
            osu_pattern_complain("byte", offset + i, bytes[i], found[i]);
            wrong++;
        }
    }
    return wrong;
}

size_t osu_pattern_check_open(const void *buffer, size_t length, uint64_t seed)
{
    const unsigned char *found = buffer;
    size_t wrong = 0;

    for (size_t offset = 0; offset < length; offset += sizeof(uint64_t)) {
        uint64_t wanted = word_at(seed, offset / sizeof(uint64_t));
        size_t rest = length - offset;
        size_t count = rest < sizeof(wanted) ? rest : sizeof(wanted);
        if (memcmp(found + offset, &wanted, count) != 0) {
            wrong += check_word(found + offset, wanted, count, offset);
        }
    }
    return wrong;
}

size_t osu_pattern_check_guard(const void *buffer, size_t length)
{
    const unsigned char *found = buffer;
    size_t wrong = 0;

    for (size_t i = length; i < length + OSU_GUARD; i++) {
        if (found[i] != GUARD_BYTE) {
            osu_pattern_complain("byte behind the message", i, GUARD_BYTE, found[i]);
            wrong++;
        }
    }
    return wrong;
}

size_t osu_pattern_check(const void *buffer, size_t length, uint64_t seed)
{
    return osu_pattern_check_open(buffer, length, seed) + osu_pattern_check_guard(buffer, length);
}
