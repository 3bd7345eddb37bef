/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_BASE_ASCII_H
#define NI_BASE_ASCII_H

#include <stdbool.h>

/*
 * Letters as in names of parameters. <ctype.h> and strcasecmp go by the locale of the program that
 * uses the library, and in Turkish the capital of i is not I. All functions are pure.
 */

static inline char ni_ascii_upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - ('a' - 'A')) : c;
}

static inline char ni_ascii_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* Whether two texts are the same but for upper and lower case. */
static inline bool ni_ascii_same(const char *a, const char *b)
{
    while (*a != '\0' && ni_ascii_lower(*a) == ni_ascii_lower(*b)) {
        a++;
        b++;
    }
    return ni_ascii_lower(*a) == ni_ascii_lower(*b);
}

#endif
