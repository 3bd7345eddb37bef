/* SPDX-License-Identifier: BSD-3-Clause */
/* FORTH-CC Table 2, the parts about counters: completion of transfers, and barriers. */
#include "counters/counters.h"
#include "ni_world.h"

static void run(const struct ni_world_options *options, bool processes)
{
    counters_transfers(processes, options->count);
    counters_barriers(processes, options->count);
}

int main(int argc, char **argv)
{
    struct ni_world_options options = {
        .program = "ni_counters",
        .help = "Completion of transfers by flags and by counters, barriers by locks and by "
                "counters.\n",
        .count = 10000,
        .most = 10000000,
        .threads = true,
        .processes = true};

    return ni_world_main(&options, argc, argv, run);
}
