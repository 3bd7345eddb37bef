/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OSU_COMMON_TABLE_H
#define OSU_COMMON_TABLE_H

/* The table that a program prints, laid out like that of the OSU suite so that its scripts can read
 * it. */

#include "common/bench.h"

/* Width of the first column and of the others. */
#define OSU_SIZE_WIDTH  10
#define OSU_FIELD_WIDTH 20

/* One line of the table: the times of all ranks combined. */
struct osu_row {
    double value;   /* the metric, mean over the ranks that count */
    double least;   /* of a rank */
    double most;    /* of a rank */
    uint64_t wrong; /* bytes, all ranks */
    double percentiles[OSU_MAX_PERCENTILES];
};

/* The lines that begin with '#'. Call on rank 0. */
void osu_table_header(const struct osu_run *run);

/* One line. Call on rank 0. */
void osu_table_row(const struct osu_run *run, const struct osu_row *row);

/*
 * The value at percentile p (0 to 100] of count samples, the smallest sample that p percent do not
 * exceed. Sorts samples.
 */
double osu_percentile(double *samples, int count, double p);

#endif
