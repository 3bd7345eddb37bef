/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_MATCH_BENCH_H
#define NI_MATCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/pool.h"

/*
 * What ni_match_list measures, and how: the list benchmark of MATCH Fig. 5 on three kinds of lists,
 * and single operations of the match list of the core. Operations on a list are calls through a
 * pointer, for all kinds.
 */

/* What an entry waits for. Each is the only one that its own bits and initiator match. */
struct match_want {
    uint64_t bits;
    uint64_t ignore;
    uint32_t initiator;
};

struct match_list_kind {
    const char *name;
    /* A list of these entries, in this order; ends the program if there is no memory. */
    void *(*make)(const struct match_want *want, size_t entries);
    void (*end)(void *list);
    /* The number of the first entry that matches, SIZE_MAX if there is none. */
    size_t (*search)(void *list, uint64_t bits, uint32_t initiator);
};

enum { MATCH_LIST_KINDS = 3 };

/* The match list of the core; a linear list of 64-byte entries; a linear array that is compared
 * with vector code. */
extern const struct match_list_kind *const match_list_kinds[MATCH_LIST_KINDS];

enum {
    /* MATCH 5.1: identical headers in one measurement. */
    MATCH_HEADERS = 64,
    /* And from the first entry to the last in steps of a tenth. */
    MATCH_POSITIONS = 11,
    MATCH_LENGTHS_MAX = 16,
    MATCH_SAMPLES_MAX = 1000,
};

struct match_settings {
    size_t length[MATCH_LENGTHS_MAX]; /* of the lists of the list benchmark */
    size_t lengths;
    size_t samples;
    size_t most; /* entries in the largest list of the single operations; 0: leave them out */
    bool csv;
    const char *plot; /* a file, or NULL */
};

/* Nanoseconds: what half of the samples stay below, and the least. */
struct match_time {
    double median;
    double least;
};

/* The samples are sorted. */
struct match_time match_summary(double *samples, size_t count);

/* calloc that ends the program instead of returning NULL. */
void *match_must_calloc(size_t count, size_t size);

/* A pool of entries or headers, as many as asked for and all handed out; ends the program if there
 * is no memory. */
void match_must_pool(struct ni_pool *pool, size_t count, size_t size);

/* Ends the program: a search of a list gave something else than it should. */
_Noreturn void match_wrong(const char *name, size_t entries);

/* Entries with different bits and `masks` (1 or 4) different ignore bits in turns. The caller frees
 * them. */
struct match_want *match_make_wants(size_t entries, unsigned masks);

/* The entry at a position of the list benchmark, 0 (first) to MATCH_POSITIONS - 1 (last). */
size_t match_place(size_t length, unsigned position);

/* MATCH Fig. 5: the time of MATCH_HEADERS matches, by length, kind and position. */
typedef struct match_time match_results[MATCH_LENGTHS_MAX][MATCH_LIST_KINDS][MATCH_POSITIONS];

void match_measure_lists(const struct match_settings *settings, match_results results);
void match_print_lists(const struct match_settings *settings, match_results results);

/* Whether gnuplot is there and the file's name is one of its kinds. False after saying why not. */
bool match_can_plot(const struct match_settings *settings);

/* Draw what MATCH Figs. 6 and 7 do. False after saying why not. */
bool match_plot(const struct match_settings *settings, match_results results);

/* Measure and print single operations on the match list of the core. */
void match_single(const struct match_settings *settings);

#endif
