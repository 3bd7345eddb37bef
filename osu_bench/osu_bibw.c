/* SPDX-License-Identifier: BSD-3-Clause */
/* Bandwidth of both directions together, with a window of messages in flight each way. */
#include "common/stream.h"

static const struct osu_bench bench = {.name = "osu_bibw",
                                       .title = "OSU-style MPI Bi-Directional Bandwidth Test",
                                       .letters = "mixcWbzM",
                                       .heading = "Bandwidth (MB/s)",
                                       .metric = OSU_BANDWIDTH,
                                       .min_ranks = 2,
                                       .max_ranks = 2,
                                       .defaults = osu_defaults_bandwidth,
                                       .setup = osu_stream_setup_both,
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
