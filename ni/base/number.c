/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/bits.h"

/* The value of a digit, or 16 for what is none. */
static unsigned digit_value(char c)
{
    if (c >= '0' && c <= '9') {
        return (unsigned)(c - '0');
    }
    c |= 0x20; /* to lower case */
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

/* log2 of what a suffix multiplies with, or 0 for what is none. */
static unsigned suffix_shift(char c)
{
    switch (c) {
    case 'k':
    case 'K':
        return 10;
    case 'm':
    case 'M':
        return 20;
    case 'g':
    case 'G':
        return 30;
    default:
        return 0;
    }
}

/* Take the digits at *text and move it behind them; false if there are none or too many. */
static const char *take_digits(const char **text, const char *end, unsigned base, uint64_t *value)
{
    const char *first = *text;
    uint64_t sum = 0;

    while (*text < end && digit_value(**text) < base) {
        if (__builtin_mul_overflow(sum, base, &sum) ||
            __builtin_add_overflow(sum, digit_value(**text), &sum)) {
            return "the number is too large";
        }
        (*text)++;
    }
    if (*text == first) {
        return first < end && (*first == '-' || *first == '+') ? "a sign is not allowed"
                                                               : "it is not a number";
    }
    *value = sum;
    return NULL;
}

const char *ni_number_parse(const char *text, size_t length, bool with_suffix, uint64_t *value)
{
    const char *end = text + length;
    unsigned base = 10;
    uint64_t number = 0;

    if (length == 0) {
        return "it is empty";
    }
    if (length > 2 && text[0] == '0' && (text[1] | 0x20) == 'x') {
        base = 16;
        text += 2;
    }

    const char *wrong = take_digits(&text, end, base, &number);

    if (wrong != NULL) {
        return wrong;
    }
    if (with_suffix && text + 1 == end && suffix_shift(*text) != 0) {
        unsigned shift = suffix_shift(*text);

        if (number > UINT64_MAX >> shift) {
            return "the number is too large";
        }
        number <<= shift;
        text++;
    }
    if (text != end) {
        return with_suffix ? "there is something other than K, M or G behind the number"
                           : "there is something behind the number";
    }
    *value = number;
    return NULL;
}

int ni_number_format_size(char *text, size_t size, uint64_t bytes)
{
    static const char *const suffixes[] = {"", "K", "M", "G"};
    size_t i = 0;

    while (i + 1 < NI_ARRAY_LENGTH(suffixes) && bytes != 0 && bytes % 1024 == 0) {
        bytes /= 1024;
        i++;
    }
    return snprintf(text, size, "%" PRIu64 "%s", bytes, suffixes[i]);
}
