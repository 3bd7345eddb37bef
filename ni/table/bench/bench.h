/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_TABLE_BENCH_H
#define NI_TABLE_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What ni_table measures: the three operations of APEnet+ 4.3 on two kinds of buffer table, and how
 * each is timed. Every operation is a call through a pointer, for both kinds.
 */

struct table_kind {
    const char *name;
    /* An empty table; ends the program if there is no memory. */
    void *(*make)(void);
    void (*end)(void *table);
    /* append_persistent_buf */
    void (*append)(void *table, uint64_t base, uint64_t len);
    /* search_persistent_buf_by_range: something that names the buffer, 0 if there is none. */
    uint64_t (*search)(void *table, uint64_t start, uint64_t len);
    /* remove_persistent_buf: finds the buffer by its range, too. */
    void (*remove)(void *table, uint64_t base, uint64_t len);
};

/* The buffer table of the core. */
extern const struct table_kind table_of_core;

/* APEnet+ 4.4.1: a doubly linked list whose nodes come from the heap, appended at its end. */
extern const struct table_kind table_of_list;

enum table_position {
    POSITION_FIRST,
    POSITION_16TH,
    POSITION_LAST,
    POSITION_MISS,
    POSITION_RANDOM
};

/* Many tables with the same buffers: a few for a warm cache, thousands for a cold one. */
struct table_set {
    const struct table_kind *kind;
    void **table; /* in no order as to where they lie */
    size_t tables;
    uint64_t *base; /* of each buffer, in the order of appending */
    size_t entries; /* buffers in each table */
};

enum { TABLE_BUFFER_LEN = 65536 };

/* Make the set, its tables empty. */
void table_set_make(struct table_set *set, const struct table_kind *kind, size_t tables,
                    size_t entries);
void table_set_end(struct table_set *set);

/* Append all buffers to all tables, one table after the other, or the tables taking turns, so that
 * the nodes of one list do not lie side by side; returns nanoseconds per operation. */
double table_set_fill(struct table_set *set, bool turns);

/* Search count times, in random tables or always in one of them. Each search begins at an address
 * that follows from the result of the one before. Returns nanoseconds per operation. */
double table_set_search(struct table_set *set, enum table_position position, bool all,
                        size_t count);

/* Remove one buffer from each table; returns nanoseconds per operation. */
double table_set_remove(struct table_set *set, enum table_position position);

/* Remove all that is left. */
void table_set_clear(struct table_set *set);

/* Whether searches at a position find what they should, in all tables. */
bool table_set_right(struct table_set *set, enum table_position position);

/* The program of APEnet+ 4.3, with the values of Table 19 beside ours. */
void table_19(size_t cold_tables, size_t samples);

/* The value that divides the sorted samples at a fraction; sorts them. */
double table_quantile(double *samples, size_t count, double fraction);

#endif
