/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Output. A table as the OSU programs print it, so that what reads theirs reads this: header lines
 * begin with #, the size is the first column and the first value the second. CSV and JSON have
 * one row for each value.
 */
#include "perf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apelink_config.h"

enum { SIZE_COLUMN = 10, FIELD_COLUMN = 15 };

static int digits_of_unit(const char *unit)
{
    static const struct {
        const char *unit;
        int digits;
    } rows[] = {{"us", 4}, {"ns", 2}, {"MB/s", 2}, {"messages/s", 0}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strcmp(unit, rows[i].unit) == 0) {
            return rows[i].digits;
        }
    }
    return 4;
}

/* What is not zero is not shown as zero, unless the user wants it so. */
static int digits_of(const struct perf_options *options, const struct perf_value *value)
{
    int digits = digits_of_unit(value->unit);

    if (options->digits >= 0) {
        return options->digits;
    }
    while (value->value != 0 && value->value < pow(10, -digits) && digits < 9) {
        digits++;
    }
    return digits;
}

/* How many times as long as the line takes; 0 if that makes no sense. */
static double ratio_of(const struct perf_value *value)
{
    double ns = strcmp(value->unit, "us") == 0   ? value->value * 1000
                : strcmp(value->unit, "ns") == 0 ? value->value
                                                 : 0;

    return value->there && value->line_ns > 0 ? ns / value->line_ns : 0;
}

/* ---- table ----------------------------------------------------------------------------------- */

static bool row_checked(const struct perf_value *values, int count)
{
    for (int i = 0; i < count; i++) {
        if (values[i].checked) {
            return true;
        }
    }
    return false;
}

static void table_header(const struct perf_options *options, const struct perf_value *values,
                         int count)
{
    printf("%-*s", SIZE_COLUMN, options->mode == PERF_SEARCH ? "# Entries" : "# Size");
    for (int i = 0; i < count; i++) {
        char text[48];

        snprintf(text, sizeof(text), "%s(%s)", values[i].column,
                 strcmp(values[i].unit, "messages/s") == 0 ? "/s" : values[i].unit);
        printf("%*s", FIELD_COLUMN, text);
    }
    if (options->mode != PERF_SEARCH) {
        printf("%*s%*s", 10, "Line(ns)", 10, "State");
    }
    if (options->mode == PERF_LATENCY) {
        char text[48];

        snprintf(text, sizeof(text), "%s/line", values[0].column);
        printf("%*s", FIELD_COLUMN, text);
    }
    if (row_checked(values, count)) {
        printf("%*s", 12, "Validation");
    }
    printf("\n");
}

/* The line beside all values of a row, and one state for them. */
static void print_line(const struct perf_value *values, int count)
{
    double sum = 0;
    int known = 0;
    const char *state = NULL;

    for (int i = 0; i < count; i++) {
        if (values[i].there) {
            sum += values[i].line_ns;
            known += values[i].line_ns > 0;
            state =
                state == NULL || strcmp(state, values[i].state) == 0 ? values[i].state : "mixed";
        }
    }
    if (known != 0) {
        printf("%*.1f", 10, sum / known);
    } else {
        printf("%*s", 10, "-");
    }
    printf("%*s", 10, state != NULL ? state : "-");
}

static void table_row(const struct perf_options *options, const struct perf_value *values,
                      int count)
{
    uint64_t wrong = 0;

    printf("%-*llu", SIZE_COLUMN, (unsigned long long)values[0].size);
    for (int i = 0; i < count; i++) {
        if (values[i].there) {
            printf("%*.*f", FIELD_COLUMN, digits_of(options, &values[i]), values[i].value);
        } else {
            printf("%*s", FIELD_COLUMN, "-");
        }
        wrong += values[i].wrong;
    }
    if (options->mode != PERF_SEARCH) {
        print_line(values, count);
    }
    if (options->mode == PERF_LATENCY) {
        if (ratio_of(&values[0]) > 0) {
            printf("%*.2f", FIELD_COLUMN, ratio_of(&values[0]));
        } else {
            printf("%*s", FIELD_COLUMN, "-");
        }
    }
    if (row_checked(values, count)) {
        printf("%*s", 12, wrong == 0 ? "Pass" : "Fail");
    }
    printf("\n");
}

/* ---- CSV, JSON ------------------------------------------------------------------------------- */

static void csv_row(const struct perf_options *options, const struct perf_value *value)
{
    printf("%s,%s,%llu,%.*f,%s,", value->bench, perf_link_names[options->link],
           (unsigned long long)value->size, digits_of(options, value), value->value, value->unit);
    if (value->line_ns > 0) {
        printf("%.1f", value->line_ns);
    }
    printf(",%s\n", value->state);
}

static void json_row(const struct perf_options *options, const struct perf_value *value)
{
    static bool again;

    printf("%s\n    {\"bench\": \"%s\", \"link\": \"%s\", \"size\": %llu, \"value\": %.6g, "
           "\"min\": %.6g, \"max\": %.6g, \"reps\": %u, \"unit\": \"%s\", ",
           again ? "," : "", value->bench, perf_link_names[options->link],
           (unsigned long long)value->size, value->value, value->least, value->most, value->reps,
           value->unit);
    again = true;
    if (value->line_ns > 0) {
        printf("\"line_ns\": %.1f, ", value->line_ns);
    } else {
        printf("\"line_ns\": null, ");
    }
    if (ratio_of(value) > 0) {
        printf("\"ratio\": %.3f, ", ratio_of(value));
    } else {
        printf("\"ratio\": null, ");
    }
    printf("\"state\": \"%s\"", value->state);
    if (value->checked) {
        printf(", \"wrong_bytes\": %llu", (unsigned long long)value->wrong);
    }
    printf("}");
}

/* ---- all ------------------------------------------------------------------------------------- */

void perf_report_begin(const struct perf_options *options, const char *about)
{
    switch (options->format) {
    case PERF_TABLE:
        printf("# apeni-perf %s: %s, median of %llu\n", PACKAGE_VERSION,
               perf_mode_names[options->mode], (unsigned long long)options->reps);
        printf("# %s\n", about);
        break;
    case PERF_CSV:
        printf("bench,link,size,value,unit,line_ns,state\n");
        break;
    case PERF_JSON:
        printf("{\n  \"program\": \"apeni-perf\",\n  \"version\": \"%s\",\n  \"mode\": \"%s\",\n  "
               "\"about\": \"%s\",\n  \"rows\": [",
               PACKAGE_VERSION, perf_mode_names[options->mode], about);
        break;
    }
}

void perf_report_row(const struct perf_options *options, const struct perf_value *values, int count)
{
    static bool begun;

    if (options->format == PERF_TABLE) {
        if (!begun) {
            table_header(options, values, count);
        }
        begun = true;
        table_row(options, values, count);
    } else {
        for (int i = 0; i < count; i++) {
            if (values[i].there) {
                (options->format == PERF_CSV ? csv_row : json_row)(options, &values[i]);
            }
        }
    }
    fflush(stdout);
}

void perf_report_end(const struct perf_options *options)
{
    if (options->format == PERF_JSON) {
        printf("\n  ]\n}\n");
    }
    perf_end_output();
}
