/* SPDX-License-Identifier: BSD-3-Clause */
/* The modes in which two sides talk to each other: cells in, values out. */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "perf.h"

enum {
    SMALL = 8192, /* bytes up to which there are as many iterations as there can be */
    ITERATIONS = 10000,
    ITERATIONS_LEAST = 20,
    WINDOWS = 200,
    WINDOWS_LEAST = 2,
};

/* A cell on a busy machine: a quiet one needs a tenth of it. */
#define LIMIT_NS UINT64_C(2000000000)

/* ---- cells ----------------------------------------------------------------------------------- */

static bool is_stream(enum perf_mode mode)
{
    return mode != PERF_LATENCY;
}

static void fill_cell(struct perf_cell *cell, const struct perf_options *options, enum perf_op op,
                      uint64_t size)
{
    uint64_t most = is_stream(options->mode) ? WINDOWS : ITERATIONS;
    uint64_t least = is_stream(options->mode) ? WINDOWS_LEAST : ITERATIONS_LEAST;
    uint64_t count = options->iterations;

    if (count == 0) {
        count = size <= SMALL ? most : ni_max_u64(most * SMALL / size, least);
    }
    *cell = (struct perf_cell){
        .mode = options->mode,
        .op = op,
        .size = size,
        .iterations = count,
        .warmup = options->warmup == UINT64_MAX ? ni_div_up(count, 10) : options->warmup,
        .reps = (uint32_t)options->reps,
        .window = (uint32_t)options->window,
        .limit_ns = LIMIT_NS,
        .check = options->check,
        .rewrite = options->rewrite,
        .stamps = options->stamps,
    };
}

static bool applies(const struct perf_team *team, enum perf_op op, uint64_t size)
{
    if (op == PERF_FETCH_OP) {
        return size == 4 || size == 8;
    }
    return (op != PERF_MESSAGE && op != PERF_INLINE) || size <= perf_team_message_max(team);
}

/* ---- values ---------------------------------------------------------------------------------- */

double perf_convert(enum perf_mode mode, uint64_t size, double ns)
{
    switch (mode) {
    case PERF_LATENCY:
        return ns / 1000;
    case PERF_RATE:
        return 1e9 / ns;
    default:
        return (double)size * 1000 / ns;
    }
}

const char *perf_unit(enum perf_mode mode)
{
    return mode == PERF_LATENCY ? "us" : mode == PERF_RATE ? "messages/s" : "MB/s";
}

/* Pairs work at the same time: all is done when the slowest one is. */
static double add_pairs(const struct perf_result *results, unsigned pairs, uint32_t rep)
{
    double slowest = 0;

    for (unsigned i = 0; i < pairs; i++) {
        slowest = results[i].ns[rep] > slowest ? results[i].ns[rep] : slowest;
    }
    return slowest / pairs;
}

static void fill_value(struct perf_value *value, enum perf_mode mode,
                       const struct perf_result *results, unsigned pairs)
{
    double values[PERF_REPS_MAX];
    uint32_t count = results[0].count;

    for (uint32_t rep = 0; rep < count; rep++) {
        values[rep] = perf_convert(mode, value->size, add_pairs(results, pairs, rep));
    }
    value->there = true;
    value->value = perf_median(values, count);
    value->least = values[0];
    value->most = values[count - 1];
    value->reps = count;
    value->line_ns = perf_line_mean(&results[0].before, &results[0].after);
    value->state = perf_line_state(&results[0].before, &results[0].after);
    for (unsigned i = 0; i < pairs; i++) {
        value->wrong += results[i].wrong;
    }
}

static struct perf_value new_value(const struct perf_options *options, enum perf_mode mode,
                                   enum perf_op op, uint64_t size)
{
    struct perf_value value = {
        .column = perf_op_names[op], .size = size, .unit = perf_unit(mode), .state = "none"};

    snprintf(value.bench, sizeof(value.bench), "%s_%s",
             mode == options->mode ? perf_mode_names[mode] : "mbw_rate", perf_op_names[op]);
    value.checked = options->check;
    return value;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* One size, one column for each kind of transfer. */
static uint64_t measure_row(const struct perf_options *options, struct perf_team *team,
                            uint64_t size)
{
    struct perf_value values[PERF_OPS * (1 + PERF_STAMP_PARTS)];
    uint64_t wrong = 0;
    int count = 0;

    for (int i = 0; i < options->op_count; i++) {
        enum perf_op op = options->ops[i];
        struct perf_value *value = &values[count++];
        struct perf_result result;
        struct perf_cell cell;

        *value = new_value(options, options->mode, op, size);
        if (applies(team, op, size)) {
            fill_cell(&cell, options, op, size);
            perf_team_run(team, &cell, &result);
            fill_value(value, options->mode, &result, 1);
            wrong += value->wrong;
        }
        if (options->stamps) {
            perf_stamps_values(&values[count], value, &result);
            count += PERF_STAMP_PARTS;
        }
    }
    perf_report_row(options, values, count);
    return wrong;
}

/* One size, bandwidth and rate of all pairs. */
static uint64_t measure_pairs(const struct perf_options *options, struct perf_team *team,
                              uint64_t size)
{
    struct perf_result results[PERF_PAIRS_MAX];
    enum perf_op op = options->ops[0];
    struct perf_value values[2] = {new_value(options, PERF_MBW, op, size),
                                   new_value(options, PERF_RATE, op, size)};
    struct perf_cell cell;

    values[0].column = "bandwidth";
    values[1].column = "rate";
    if (applies(team, op, size)) {
        fill_cell(&cell, options, op, size);
        perf_team_run(team, &cell, results);
        fill_value(&values[0], PERF_MBW, results, (unsigned)options->pairs);
        fill_value(&values[1], PERF_RATE, results, (unsigned)options->pairs);
        values[1].wrong = 0; /* counted once */
    }
    perf_report_row(options, values, 2);
    return values[0].wrong;
}

static void describe(const struct perf_options *options, const struct perf_setup *setup,
                     const struct perf_team *team, char *text, size_t size)
{
    int used = snprintf(text, size, "link %s, core%s", perf_link_names[options->link],
                        options->link != PERF_INPROC ? "s" : "");
    unsigned count = options->link != PERF_INPROC ? 2 * setup->pairs : 1;

    for (unsigned i = 0; i < count && (size_t)used < size; i++) {
        used += snprintf(text + used, size - (size_t)used, "%s%d", i == 0 ? " " : ", ",
                         setup->cores[i]);
    }
    if ((size_t)used < size) {
        snprintf(text + used, size - (size_t)used, "%s%s",
                 perf_team_describe(team)[0] != '\0' ? "; " : "", perf_team_describe(team));
    }
}

static uint64_t largest(const struct perf_options *options)
{
    uint64_t size = 8;

    for (int i = 0; i < options->size_count; i++) {
        size = ni_max_u64(size, options->sizes[i]);
    }
    return size;
}

int perf_measure(struct perf_options *options)
{
    static const struct perf_setting stamps = {"stamps", "4096"};
    struct perf_setup setup = {.link = options->link,
                               .devices = options->devices,
                               .pairs = (unsigned)options->pairs,
                               .capacity = largest(options),
                               .settings = &stamps,
                               .setting_count = options->stamps ? 1 : 0};
    struct perf_team *team;
    uint64_t wrong = 0;
    char about[512];

    perf_setup_cores(&setup, options->cores, options->core_count);
    team = perf_team_start(&setup);
    describe(options, &setup, team, about, sizeof(about));
    perf_report_begin(options, about);
    for (int i = 0; i < options->size_count; i++) {
        wrong += (options->mode == PERF_MBW ? measure_pairs : measure_row)(options, team,
                                                                           options->sizes[i]);
    }
    perf_report_end(options);
    perf_team_stop(team);
    if (wrong != 0) {
        perf_fail("%llu bytes did not arrive as they were sent", (unsigned long long)wrong);
    }
    return PERF_EXIT_GOOD;
}
