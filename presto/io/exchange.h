/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_IO_EXCHANGE_H
#define PRI_IO_EXCHANGE_H

/* The state of a two-phase access in one rank, and what an aggregator does in a round: between its
 * window of the file and what all ranks have asked for. */

#include "io/collective.h"

struct pri_io_range {
    int64_t place;
    uint64_t length;
};

/* What one rank says to another one in a round. */
struct pri_io_notice {
    uint64_t data, pieces; /* bytes of data, pieces */
};

/* A piece as its aggregator has it. */
struct pri_io_item {
    int64_t place;
    uint64_t length;
    char *data;
};

struct pri_io_exchange {
    struct pri_io_access *access;
    const struct pri_io_rounds *rounds;
    struct pri_team *team;
    int64_t low, high; /* this rank's window, if it aggregates */
    struct pri_io_notice *out, *in;
    uint64_t *from, *reply_out, *reply_in; /* [size] */
    int *counts_out, *places_out, *counts_in, *places_in;
    /* This rank's pieces, in the order of the aggregators; the others'. */
    struct pri_io_range *asks, *asked;
    size_t asks_room, asks_count, asked_count;
    char *sent, *received, *window;
    struct pri_io_item *item;
    int error;
};

/* The pieces that were asked for, each with its place in `received`, in the order of the file. */
void pri_io_sort_items(struct pri_io_exchange *x);
/* The items go to the file, or what is there of them comes to the window; *end: what is from there
 * on is not in the file. 0 or an error. */
int pri_io_write_window(struct pri_io_exchange *x);
int pri_io_read_window(struct pri_io_exchange *x, int64_t *end);
/* Copies what each rank asked for, as far as it is there, to `received`, the ranks' parts one
 * behind the other, and counts it. */
void pri_io_fill_replies(struct pri_io_exchange *x, int64_t end);

#endif
