/* SPDX-License-Identifier: BSD-3-Clause */
/* Bandwidth of gets, a window of them per synchronisation. */
#include "common/rma.h"

static const struct osu_bench bench = {.name = "osu_get_bw",
                                       .title = "OSU-style MPI_Get Bandwidth Test",
                                       .letters = "mixcWwszM",
                                       .defaults = osu_defaults_bandwidth};

int main(int argc, char **argv)
{
    return osu_rma_bandwidth_main(&bench, &osu_rma_get, argc, argv);
}
