/* SPDX-License-Identifier: BSD-3-Clause */
/* Time of a fetch-and-add of one element and its synchronisation. */
#include "common/rma.h"

static void defaults(struct osu_options *options)
{
    osu_defaults_latency(options);
    options->type = OSU_TYPE_LONG_LONG;
}

static const struct osu_bench bench = {.name = "osu_fop_latency",
                                       .title = "OSU-style MPI_Fetch_and_op Latency Test",
                                       .letters = "ixcwsTz",
                                       .adjust = osu_rma_adjust_single,
                                       .defaults = defaults};

int main(int argc, char **argv)
{
    return osu_rma_latency_main(&bench, &osu_rma_fetch_and_op, argc, argv);
}
