/* SPDX-License-Identifier: BSD-3-Clause */
/* apeni-perf: measures the network interface without MPI; see perf.h. */
#include <apeni/param.h>

#include "perf.h"

int main(int argc, char **argv)
{
    struct perf_options options;

    perf_options_parse(&options, argc, argv);
    /* Each worker would say it again. */
    if (ni_config_check_environment() != NI_OK) {
        return PERF_EXIT_FAILED;
    }
    switch (options.mode) {
    case PERF_SEARCH:
        return perf_search(&options);
    case PERF_TUNE:
        return perf_tune(&options);
    case PERF_BOARD:
        return perf_board(&options);
    default:
        return perf_measure(&options);
    }
}
