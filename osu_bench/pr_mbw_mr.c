/* SPDX-License-Identifier: BSD-3-Clause */
/* osu_mbw_mr with the native interface: bandwidth and message rate of several pairs of ranks
 * together. */
#include "common/stream.h"

#include <stdio.h>

static void describe(const struct osu_run *run)
{
    printf("# [ pairs: %d ] [ window size: %d ]\n", osu_stream_pairs(run), run->options->window);
}

static const struct osu_bench bench = {
    .name = "pr_mbw_mr",
    .title = "OSU-style Presto Multiple Bandwidth / Message Rate Test",
    .letters = "mixcWpRbM",
    .heading = "MB/s",
    .metric = OSU_BANDWIDTH,
    .min_ranks = 2,
    .rate = true,
    .defaults = osu_defaults_bandwidth,
    .setup = osu_stream_setup,
    .teardown = osu_stream_teardown,
    .describe = describe,
    .open = osu_stream_open,
    .prepare = osu_stream_prepare,
    .round = osu_stream_round,
    .verify = osu_stream_verify,
    .timed = osu_stream_leads,
    .scale = osu_stream_messages};

int main(int argc, char **argv)
{
    return osu_bench_main(&bench, argc, argv);
}
