/* SPDX-License-Identifier: BSD-3-Clause */
/* Medians, and what the one-way time of a cache line says about the state of the machine. */
#include <stdlib.h>

#include "base/bits.h"
#include "perf.h"

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

double perf_median(double *values, size_t count)
{
    qsort(values, count, sizeof(values[0]), compare_doubles);
    return count % 2 != 0 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* A median so much above the least was disturbed by something else on these cores. */
#define BUSY_FACTOR 1.5

static const char *state_of(const struct perf_line *line)
{
    static const struct {
        double below; /* ns */
        const char *name;
    } states[] = {{30, "shared"}, {80, "near"}, {120, "between"}};

    if (!line->tried) {
        return "none";
    }
    if (line->count < 3 || line->median > BUSY_FACTOR * line->least) {
        return "busy";
    }
    for (size_t i = 0; i < NI_ARRAY_LENGTH(states); i++) {
        if (line->median < states[i].below) {
            return states[i].name;
        }
    }
    return "far";
}

const char *perf_line_state(const struct perf_line *before, const struct perf_line *after)
{
    const char *first = state_of(before), *second = state_of(after);

    if (first[0] == 'b' && first[1] == 'u') {
        return first;
    }
    if (second[0] == 'b' && second[1] == 'u') {
        return second;
    }
    return first == second ? first : "mixed";
}

double perf_line_mean(const struct perf_line *before, const struct perf_line *after)
{
    unsigned known = (before->count != 0) + (after->count != 0);

    return known == 0 ? 0 : (before->median + after->median) / known;
}
