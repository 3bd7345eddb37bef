/* SPDX-License-Identifier: BSD-3-Clause */
/* Time of a compare-and-swap of one element and its synchronisation. */
#include "common/rma.h"

static void defaults(struct osu_options *options)
{
    osu_defaults_latency(options);
    options->type = OSU_TYPE_LONG_LONG;
}

static const struct osu_bench bench = {.name = "osu_cas_latency",
                                       .title = "OSU-style MPI_Compare_and_swap Latency Test",
                                       .letters = "ixcwsYz",
                                       .adjust = osu_rma_adjust_single,
                                       .defaults = defaults};

int main(int argc, char **argv)
{
    return osu_rma_latency_main(&bench, &osu_rma_compare_and_swap, argc, argv);
}
