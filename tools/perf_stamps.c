/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the time of a message goes: what the interface's time stamps say. */
#include "perf_side.h"

#include <stdio.h>
#include <stdlib.h>

#include <apeni/stamp.h>

/* What is left from before a cell does not count. */
void perf_stamps_skip(struct perf_side *side)
{
    struct ni_stamp stamp;
    size_t count;

    do {
        count = 1;
    } while (ni_stamps_read(side->ni, &side->stamp_next, &stamp, &count) == NI_OK && count != 0);
}

static double part_of(const struct ni_stamp *stamp, unsigned part)
{
    const uint64_t ns[PERF_STAMP_PARTS] = {stamp->depart - stamp->post,
                                           stamp->arrive - stamp->depart,
                                           stamp->deliver - stamp->arrive, stamp->error_ns};

    return (double)(int64_t)ns[part]; /* below 0 within the error */
}

void perf_stamps_collect(struct perf_side *side, struct perf_stamps *result)
{
    struct ni_stamp *stamps = malloc(PERF_STAMPS * sizeof(*stamps));
    double *values = malloc(PERF_STAMPS * sizeof(*values));
    size_t count = PERF_STAMPS, known = 0;

    *result = (struct perf_stamps){.count = 0};
    if (stamps == NULL || values == NULL ||
        ni_stamps_read(side->ni, &side->stamp_next, stamps, &count) != NI_OK) {
        count = 0;
    }
    for (size_t i = 0; i < count; i++) {
        if (stamps[i].error_ns != NI_STAMP_UNKNOWN && stamps[i].len == side->size) {
            stamps[known++] = stamps[i];
        }
    }
    for (unsigned part = 0; part < PERF_STAMP_PARTS && known != 0; part++) {
        for (size_t i = 0; i < known; i++) {
            values[i] = part_of(&stamps[i], part);
        }
        result->ns[part] = perf_median(values, known);
        result->least[part] = values[0];
        result->most[part] = values[known - 1];
    }
    result->count = (uint32_t)known;
    free(stamps);
    free(values);
}

void perf_stamps_values(struct perf_value *values, const struct perf_value *latency,
                        const struct perf_result *result)
{
    static const char *const names[PERF_STAMP_PARTS] = {"depart", "arrive", "deliver", "error"};

    for (unsigned part = 0; part < PERF_STAMP_PARTS; part++) {
        struct perf_value *value = &values[part];

        *value = *latency;
        snprintf(value->bench, sizeof(value->bench), "%.20s_%s", latency->bench, names[part]);
        value->column = names[part];
        value->unit = "ns";
        value->wrong = 0;
        value->there = latency->there && result->stamps.count != 0;
        value->value = result->stamps.ns[part];
        value->least = result->stamps.least[part];
        value->most = result->stamps.most[part];
    }
}
