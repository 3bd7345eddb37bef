/* SPDX-License-Identifier: BSD-3-Clause */
/* Time of an allreduce (sum), mean over the ranks. */
#include "common/bench.h"
#include "common/buffer.h"
#include "common/element.h"
#include "common/pattern.h"

#include <mpi.h>
#include <stdio.h>

static struct osu_buffer send;
static struct osu_buffer recv;

static void defaults(struct osu_options *options)
{
    osu_defaults_collective(options);
    options->type = OSU_TYPE_FLOAT;
}

static int setup(struct osu_run *run)
{
    size_t largest = osu_largest_size(run->options);
    if (osu_buffer_open(&send, run, largest, 1) != 0) {
        return -1;
    }
    return osu_buffer_open(&recv, run, largest, 1);
}

static void teardown(struct osu_run *run)
{
    (void)run;
    osu_buffer_close(&send);
    osu_buffer_close(&recv);
}

static void describe(const struct osu_run *run)
{
    printf("# Datatype: %s.\n", osu_element_name(run->options->type));
}

static int count_of(const struct osu_run *run)
{
    return (int)(run->size / osu_element_size(run->options->type));
}

static bool skip(const struct osu_run *run)
{
    return count_of(run) == 0;
}

static void open_size(struct osu_run *run)
{
    osu_buffer_touch(&send, run->size, 0);
    osu_buffer_touch(&recv, run->size, 0);
}

/*
 * Of each element one rank contributes the value and all others nothing: sums fit into any type
 * with any number of ranks, and since the ranks take turns over elements and rounds, none can be
 * missing unnoticed.
 */
static bool contributes(const struct osu_run *run, int round, int element)
{
    return (element + round) % run->ranks == run->rank;
}

static void prepare(struct osu_run *run, int round)
{
    enum osu_type type = run->options->type;
    uint64_t seed = osu_pattern_seed(round, run->size, 0, 0);

    osu_pattern_spoil(recv.base, run->size, seed);
    for (int i = 0; i < count_of(run); i++) {
        int sum = osu_pattern_value(seed, (size_t)i);
        osu_element_store(send.base, (size_t)i, type, contributes(run, round, i) ? sum : 0);
        osu_element_store(recv.base, (size_t)i, type, sum + 1);
    }
}

static void round_of_allreduce(struct osu_run *run, int round)
{
    (void)round;
    MPI_Allreduce(send.base, recv.base, count_of(run), osu_element_datatype(run->options->type),
                  MPI_SUM, MPI_COMM_WORLD);
}

static size_t verify(struct osu_run *run, int round)
{
    uint64_t seed = osu_pattern_seed(round, run->size, 0, 0);
    size_t wrong = 0;

    for (int i = 0; i < count_of(run); i++) {
        wrong += osu_element_check(recv.base, (size_t)i, run->options->type,
                                   osu_pattern_value(seed, (size_t)i));
    }
    return wrong + osu_pattern_check_guard(recv.base, run->size);
}

static const struct osu_bench bench = {.name = "osu_allreduce",
                                       .title = "OSU-style MPI Allreduce Latency Test",
                                       .letters = "mixfczTM",
                                       .heading = "Avg Latency(us)",
                                       .metric = OSU_LATENCY,
                                       .min_ranks = 2,
                                       .apart = true,
                                       .defaults = defaults,
                                       .setup = setup,
                                       .teardown = teardown,
                                       .describe = describe,
                                       .skip = skip,
                                       .open = open_size,
                                       .prepare = prepare,
                                       .round = round_of_allreduce,
                                       .verify = verify,
                                       .timed = osu_timed_everywhere};

int main(int argc, char **argv)
{
    return osu_bench_main(&bench, argc, argv);
}
