/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_BASE_NUMBER_H
#define NI_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Numbers as people write them, read strictly: all of the text must be one number without a sign
 * or blanks. What strtoull lets pass ("", " 5", "-1", "12abc") would turn a slip into a surprising
 * setting.
 */

/* Read the first length bytes of text, decimal or, behind 0x, hexadecimal; with_suffix allows one
 * of K, M and G (upper or lower case), powers of 1024. Returns NULL and sets *value, or returns
 * what is wrong, such as "a sign is not allowed", and leaves *value alone. Pure. */
const char *ni_number_parse(const char *text, size_t length, bool with_suffix, uint64_t *value);

/* Print a number of bytes with the largest suffix that divides it; returns the length as snprintf
 * does. */
int ni_number_format_size(char *text, size_t size, uint64_t bytes);

#endif
