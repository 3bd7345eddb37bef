/* SPDX-License-Identifier: BSD-3-Clause */
/* Time of a broadcast from rank 0, mean over the ranks. */
#include "common/bench.h"
#include "common/buffer.h"
#include "common/pattern.h"

#include <mpi.h>

#define ROOT 0

static struct osu_buffer buffer;

static int setup(struct osu_run *run)
{
    return osu_buffer_open(&buffer, run, osu_largest_size(run->options), 1);
}

static void teardown(struct osu_run *run)
{
    (void)run;
    osu_buffer_close(&buffer);
}

static void open_size(struct osu_run *run)
{
    osu_buffer_touch(&buffer, run->size, 'a');
}

static void prepare(struct osu_run *run, int round)
{
    uint64_t seed = osu_pattern_seed(round, run->size, ROOT, 0);
    osu_pattern_spoil(buffer.base, run->size, seed);
    if (run->rank == ROOT) {
        osu_pattern_fill(buffer.base, run->size, seed);
    }
}

static void round_of_bcast(struct osu_run *run, int round)
{
    (void)round;
    MPI_Bcast(buffer.base, (int)run->size, MPI_CHAR, ROOT, MPI_COMM_WORLD);
}

static size_t verify(struct osu_run *run, int round)
{
    return osu_pattern_check(buffer.base, run->size, osu_pattern_seed(round, run->size, ROOT, 0));
}

static const struct osu_bench bench = {.name = "osu_bcast",
                                       .title = "OSU-style MPI Broadcast Latency Test",
                                       .letters = "mixfczM",
                                       .heading = "Avg Latency(us)",
                                       .metric = OSU_LATENCY,
                                       .min_ranks = 2,
                                       .apart = true,
                                       .defaults = osu_defaults_collective,
                                       .setup = setup,
                                       .teardown = teardown,
                                       .open = open_size,
                                       .prepare = prepare,
                                       .round = round_of_bcast,
                                       .verify = verify,
                                       .timed = osu_timed_everywhere};

int main(int argc, char **argv)
{
    return osu_bench_main(&bench, argc, argv);
}
