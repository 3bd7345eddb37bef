/* SPDX-License-Identifier: BSD-3-Clause */
/* Bandwidth from rank 0 to rank 1, with a window of messages in flight. */
#include "common/stream.h"

static const struct osu_bench bench = {.name = "pr_bw",
                                       .title = "OSU-style Presto Bandwidth Test",
                                       .letters = "mixcWbM",
                                       .heading = "Bandwidth (MB/s)",
                                       .metric = OSU_BANDWIDTH,
                                       .min_ranks = 2,
                                       .max_ranks = 2,
                                       .defaults = osu_defaults_bandwidth,
                                       .setup = osu_stream_setup,
                                       .teardown = osu_stream_teardown,
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
