/* SPDX-License-Identifier: BSD-3-Clause */
/* One-way time of a message: half a blocking ping-pong between two ranks. */
#include "common/pingpong.h"

static const struct osu_bench bench = {.name = "osu_latency",
                                       .title = "OSU-style MPI Latency Test",
                                       .letters = "mixcuzM",
                                       .heading = "Latency (us)",
                                       .metric = OSU_LATENCY,
                                       .min_ranks = 2,
                                       .max_ranks = 2,
                                       .defaults = osu_defaults_latency,
                                       .setup = osu_pingpong_setup,
                                       .teardown = osu_pingpong_teardown,
                                       .open = osu_pingpong_open,
                                       .prepare = osu_pingpong_prepare,
                                       .round = osu_pingpong_round,
                                       .verify = osu_pingpong_verify,
                                       .scale = osu_scale_half};

int main(int argc, char **argv)
{
    return osu_bench_main(&bench, argc, argv);
}
