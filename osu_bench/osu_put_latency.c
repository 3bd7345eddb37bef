/* SPDX-License-Identifier: BSD-3-Clause */
/* Time of a put and its synchronisation. */
#include "common/rma.h"

static const struct osu_bench bench = {.name = "osu_put_latency",
                                       .title = "OSU-style MPI_Put Latency Test",
                                       .letters = "mixcwszM",
                                       .defaults = osu_defaults_latency};

int main(int argc, char **argv)
{
    return osu_rma_latency_main(&bench, &osu_rma_put, argc, argv);
}
