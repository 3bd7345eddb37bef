/* SPDX-License-Identifier: BSD-3-Clause */
/* One-way time of a message while several pairs of ranks play ping-pong at the same time; mean over
 * all ranks. */
#include "common/pingpong.h"

static const struct osu_bench bench = {.name = "osu_multi_lat",
                                       .title = "OSU-style MPI Multi Latency Test",
                                       .letters = "mixcuzM",
                                       .heading = "Latency (us)",
                                       .metric = OSU_LATENCY,
                                       .min_ranks = 2,
                                       .defaults = osu_defaults_latency,
                                       .setup = osu_pingpong_setup,
                                       .teardown = osu_pingpong_teardown,
                                       .open = osu_pingpong_open,
                                       .prepare = osu_pingpong_prepare,
                                       .round = osu_pingpong_round,
                                       .verify = osu_pingpong_verify,
                                       .timed = osu_pingpong_plays,
                                       .scale = osu_scale_half};

int main(int argc, char **argv)
{
    return osu_bench_main(&bench, argc, argv);
}
