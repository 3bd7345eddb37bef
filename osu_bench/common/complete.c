/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program does where it says nothing. */
#include "common/bench.h"

static int no_setup(struct osu_run *run)
{
    (void)run;
    return 0;
}

static void adjust_nothing(struct osu_options *options)
{
    (void)options;
}

static void nothing(struct osu_run *run)
{
    (void)run;
}

static void describe_nothing(const struct osu_run *run)
{
    (void)run;
}

static bool skip_none(const struct osu_run *run)
{
    (void)run;
    return false;
}

static void prepare_nothing(struct osu_run *run, int round)
{
    (void)run;
    (void)round;
}

static size_t verify_nothing(struct osu_run *run, int round)
{
    (void)run;
    (void)round;
    return 0;
}

static bool timed_first(const struct osu_run *run)
{
    return run->rank == 0;
}

bool osu_timed_everywhere(const struct osu_run *run)
{
    (void)run;
    return true;
}

static double scale_one(const struct osu_run *run)
{
    (void)run;
    return 1;
}

double osu_scale_half(const struct osu_run *run)
{
    (void)run;
    return 0.5;
}

size_t osu_largest_size(const struct osu_options *options)
{
    size_t largest = 0;
    for (int i = 0; i < options->size_count; i++) {
        if (options->sizes[i] > largest) {
            largest = options->sizes[i];
        }
    }
    return largest;
}

struct osu_bench osu_bench_complete(const struct osu_bench *given)
{
    struct osu_bench bench = *given;
    bench.axis = bench.axis ? bench.axis : "Size";
    bench.adjust = bench.adjust ? bench.adjust : adjust_nothing;
    bench.setup = bench.setup ? bench.setup : no_setup;
    bench.teardown = bench.teardown ? bench.teardown : nothing;
    bench.describe = bench.describe ? bench.describe : describe_nothing;
    bench.skip = bench.skip ? bench.skip : skip_none;
    bench.open = bench.open ? bench.open : nothing;
    bench.close = bench.close ? bench.close : nothing;
    bench.measure = bench.measure ? bench.measure : osu_measure_rounds;
    bench.prepare = bench.prepare ? bench.prepare : prepare_nothing;
    bench.verify = bench.verify ? bench.verify : verify_nothing;
    bench.timed = bench.timed ? bench.timed : timed_first;
    bench.scale = bench.scale ? bench.scale : scale_one;
    return bench;
}
