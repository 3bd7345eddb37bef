/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Derived datatypes together with what they mean, worked out without MPI: the offsets of their ints
 * in type-map order. A program fills memory, lets MPI move or pack it, and compares with the list.
 */
#ifndef TESTS_MPI_DT_H
#define TESTS_MPI_DT_H

#include "mt.h"

/* One element of a type whose signature is a number of MPI_INTs. Offsets and bounds in bytes. */
struct dt {
    const char *name;
    MPI_Datatype type; /* committed */
    size_t ints;       /* per element */
    ptrdiff_t *offset; /* of each int, from the buffer address */
    ptrdiff_t low;     /* smallest offset, may be negative */
    ptrdiff_t high;    /* end of the last int */
    ptrdiff_t extent;
};

/* Number of layouts that dt_make knows. */
int dt_kinds(void);

/* Makes layout `kind` (0 to dt_kinds() - 1), scaled by `scale` (1 or more: more blocks, not longer
 * ones), and checks MPI's size, extent and true extent against the list. */
void dt_make(struct dt *t, int kind, int scale);
void dt_drop(struct dt *t);

/* Memory for `count` elements. `base` is what to allocate and fill, `at` what to give to MPI. */
struct dt_memory {
    unsigned char *base;
    unsigned char *at;
    size_t bytes;
};

void dt_room(struct dt_memory *m, const struct dt *t, int count);
void dt_unroom(struct dt_memory *m);

/* Fills everything with a background pattern. */
void dt_background(struct dt_memory *m, uint64_t seed);

/* Writes int k of the message = the k-th value of `seed`, over `count` elements. */
void dt_put(struct dt_memory *m, const struct dt *t, int count, uint64_t seed);

/* The k-th value of `seed`. */
int dt_value(uint64_t seed, size_t k);

/* Fails unless the first `ints` ints of the message are the values of `seed` and every other byte
 * is still the background. Destroys the contents. */
void dt_check(struct dt_memory *m, const struct dt *t, int count, size_t ints, uint64_t seed,
              uint64_t background, const char *what);

#endif
