/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OSU_COMMON_PARSE_H
#define OSU_COMMON_PARSE_H

/* Parsers for option values. Each returns NULL, or a sentence that says what is wanted; then *out
 * is as before. */

#include "common/options.h"

/* A decimal number from low to high; nothing may follow it. */
const char *osu_parse_int(const char *text, int low, int high, int *out);

/* Bytes, with an optional suffix K, M or G (powers of 1024). */
const char *osu_parse_bytes(const char *text, size_t *out);

/* "MAX", "MIN:", ":MAX", "MIN:MAX", or a list of two and more such as "8,256,4K". */
const char *osu_parse_sizes(const char *text, struct osu_options *out);

/* A size alone. */
const char *osu_parse_one_size(const char *text, struct osu_options *out);

/* A list of depths: "0,10,1000". */
const char *osu_parse_depths(const char *text, struct osu_options *out);

/* "RECEIVERS" or "SENDERS:RECEIVERS". */
const char *osu_parse_threads(const char *text, struct osu_options *out);

/* "50,90,99"; NULL as text means the default list. */
const char *osu_parse_percentiles(const char *text, struct osu_options *out);

#endif
