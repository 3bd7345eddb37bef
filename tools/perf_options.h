/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_PERF_OPTIONS_H
#define TOOLS_PERF_OPTIONS_H

#include "perf.h"

/* What a mode takes, and what it measures unless told otherwise. */
struct perf_mode_row {
    const char *letters;  /* options, apart from h and V */
    uint64_t first, last; /* sizes */
    unsigned ops;         /* that it can measure: bits */
    enum perf_op defaults[PERF_OPS];
    int default_count;
    uint64_t window;
};

extern const struct perf_mode_row perf_mode_rows[PERF_MODES];

/* Values of options. What is wrong is named, and ends the process. */
uint64_t perf_parse_number(const char *option, const char *text, uint64_t least, uint64_t most);
/* [MIN:]MAX, MIN: or a list, as the OSU programs take them; what is left out is as before. */
void perf_parse_sizes(struct perf_options *options, const char *text);
void perf_parse_cores(struct perf_options *options, const char *text);
void perf_parse_ops(struct perf_options *options, const char *text);
/* --stamps: of the kinds that are measured the messages remain; none is an error. */
void perf_only_messages(struct perf_options *options);
void perf_parse_link(struct perf_options *options, const char *text);

/* The powers of two times first up to last. */
void perf_size_range(struct perf_options *options, uint64_t first, uint64_t last);

/* The index in a list of the word of so many letters, or -1. */
int perf_find(const char *const *list, int count, const char *word, size_t len);

#endif
