/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/bench.h"

#include "clock.h"
#include "common/p2p.h"

/* All rounds in one loop, two readings of the clock: a reading costs as much as a third of a small
 * message. */
static void rounds_together(struct osu_run *run)
{
    void (*round)(struct osu_run *, int) = run->bench->round;
    int i = 0;

    while (i < run->warmup) {
        round(run, i++);
    }
    uint64_t begin = osu_clock();
    while (i < run->warmup + run->iterations) {
        round(run, i++);
    }
    run->seconds = (double)(osu_clock() - begin) * 1e-9;
}

static void rounds_one_by_one(struct osu_run *run)
{
    const struct osu_bench *bench = run->bench;
    bool check = run->options->check;
    uint64_t total = 0;

    for (int i = 0; i < run->warmup + run->iterations; i++) {
        if (check) {
            bench->prepare(run, i);
            osu_barrier();
        }
        uint64_t begin = osu_clock();
        bench->round(run, i);
        uint64_t spent = osu_clock() - begin;
        if (bench->apart) {
            osu_barrier();
        }
        if (check) {
            run->errors += bench->verify(run, i);
        }
        if (i < run->warmup) {
            continue;
        }
        total += spent;
        if (run->samples != NULL) {
            run->samples[i - run->warmup] = (double)spent * 1e-9;
        }
    }
    run->seconds = (double)total * 1e-9;
}

void osu_measure_rounds(struct osu_run *run)
{
    osu_barrier();
    if (run->options->check || run->samples != NULL || run->bench->apart) {
        rounds_one_by_one(run);
    } else {
        rounds_together(run);
    }
}
