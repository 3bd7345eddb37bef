/* SPDX-License-Identifier: BSD-3-Clause */
/* Time of an accumulate (sum) and its synchronisation. */
#include "common/rma.h"

static void defaults(struct osu_options *options)
{
    osu_defaults_latency(options);
    options->type = OSU_TYPE_INT;
}

static const struct osu_bench bench = {.name = "osu_acc_latency",
                                       .title = "OSU-style MPI_Accumulate Latency Test",
                                       .letters = "mixcwsTzM",
                                       .defaults = defaults};

int main(int argc, char **argv)
{
    return osu_rma_latency_main(&bench, &osu_rma_accumulate, argc, argv);
}
