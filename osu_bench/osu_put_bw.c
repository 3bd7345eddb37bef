/* SPDX-License-Identifier: BSD-3-Clause */
/* Bandwidth of puts, a window of them per synchronisation. */
#include "common/rma.h"

static const struct osu_bench bench = {.name = "osu_put_bw",
                                       .title = "OSU-style MPI_Put Bandwidth Test",
                                       .letters = "mixcWwszM",
                                       .defaults = osu_defaults_bandwidth};

int main(int argc, char **argv)
{
    return osu_rma_bandwidth_main(&bench, &osu_rma_put, argc, argv);
}
