/* SPDX-License-Identifier: BSD-3-Clause */
#ifdef HAVE_CONFIG_H
#include "apelink_config.h"
#endif
#include "common/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

static void heading(const char *text)
{
    printf("%*s", OSU_FIELD_WIDTH, text);
}

void osu_table_header(const struct osu_run *run)
{
    const struct osu_bench *bench = run->bench;
    const struct osu_options *options = run->options;
    char text[2 * OSU_FIELD_WIDTH];
    bool bandwidth = bench->metric == OSU_BANDWIDTH;

    printf("# %s v%s (apelink)\n", bench->title, PACKAGE_VERSION);
    bench->describe(run);
    snprintf(text, sizeof(text), "# %s", bench->axis);
    if (*bench->axis != '\0') {
        printf("%-*s", OSU_SIZE_WIDTH, text);
    } else {
        printf("# ");
    }
    heading(bench->heading);
    if (bench->rate && options->print_rate) {
        heading("Messages/s");
    }
    if (options->full) {
        heading("Min Latency(us)");
        heading("Max Latency(us)");
        heading("Iterations");
    }
    if (options->check) {
        heading("Validation");
    }
    for (int i = 0; i < options->percentile_count; i++) {
        snprintf(text, sizeof(text), "P%g Tail %s", options->percentiles[i],
                 bandwidth ? "BW(MB/s)" : "Lat(us)");
        heading(text);
    }
    printf("\n");
    fflush(stdout);
}

void osu_table_row(const struct osu_run *run, const struct osu_row *row)
{
    const struct osu_bench *bench = run->bench;
    const struct osu_options *options = run->options;
    int digits = options->digits;

    if (*bench->axis != '\0') {
        printf("%-*zu", OSU_SIZE_WIDTH, bench->by_depth ? run->depth : run->size);
    }
    printf("%*.*f", OSU_FIELD_WIDTH, digits, row->value);
    if (bench->rate && options->print_rate) {
        printf("%*.*f", OSU_FIELD_WIDTH, digits, row->value * 1e6 / (double)run->size);
    }
    if (options->full) {
        printf("%*.*f%*.*f%*d", OSU_FIELD_WIDTH, digits, row->least, OSU_FIELD_WIDTH, digits,
               row->most, OSU_FIELD_WIDTH, run->iterations);
    }
    if (options->check) {
        heading(row->wrong == 0 ? "Pass" : "Fail");
    }
    for (int i = 0; i < options->percentile_count; i++) {
        printf("%*.*f", OSU_FIELD_WIDTH, digits, row->percentiles[i]);
    }
    printf("\n");
    fflush(stdout);
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

double osu_percentile(double *samples, int count, double p)
{
    qsort(samples, (size_t)count, sizeof(samples[0]), compare_doubles);
    int index = (int)ceil(p / 100 * count) - 1;
    return samples[index < 0 ? 0 : index];
}
