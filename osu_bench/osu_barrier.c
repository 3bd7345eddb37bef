/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time of a barrier. With -c, one rank in turn enters late, and nobody may leave before it has
 * entered; that compares clocks of different ranks, so it needs all of them on one host.
 */
#include "clock.h"
#include "common/bench.h"

#include <mpi.h>
#include <sched.h>
#include <stdio.h>

/* Long against a barrier, short against the patience of the user. */
#define LATE_NS 200000

static struct {
    uint64_t entered;
    uint64_t left;
} times;

static void defaults(struct osu_options *options)
{
    osu_defaults_collective(options);
    options->sizes[0] = 0;
    options->size_count = 1;
}

static int setup(struct osu_run *run)
{
    MPI_Comm host;
    int here = 0;

    if (!run->options->check) {
        return 0;
    }
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &here);
    MPI_Comm_free(&host);
    if (here == run->ranks) {
        return 0;
    }
    if (run->rank == 0) {
        fprintf(stderr, "%s: -c needs all %d ranks on one host, of which %d are here\n",
                run->bench->name, run->ranks, here);
    }
    return -1;
}

static void be_late(void)
{
    uint64_t begin = osu_clock();

    /* Where ranks share a core, one that leaves too early must be able to do so now. */
    while (osu_clock() - begin < LATE_NS) {
        sched_yield();
    }
}

static void round_of_barrier(struct osu_run *run, int round)
{
    if (!run->options->check) {
        MPI_Barrier(MPI_COMM_WORLD);
        return;
    }
    if (round % run->ranks == run->rank) {
        be_late();
    }
    times.entered = osu_clock();
    MPI_Barrier(MPI_COMM_WORLD);
    times.left = osu_clock();
}

/* Counts one error on this rank if it left before the last one entered. */
static size_t verify(struct osu_run *run, int round)
{
    uint64_t last = 0;

    MPI_Allreduce(&times.entered, &last, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    if (times.left >= last) {
        return 0;
    }
    fprintf(stderr, "%s: rank %d left barrier %d %llu ns before the last rank entered\n",
            run->bench->name, run->rank, round, (unsigned long long)(last - times.left));
    return 1;
}

static const struct osu_bench bench = {.name = "osu_barrier",
                                       .title = "OSU-style MPI Barrier Latency Test",
                                       .letters = "ixfcz",
                                       .axis = "",
                                       .heading = "Avg Latency(us)",
                                       .metric = OSU_LATENCY,
                                       .min_ranks = 2,
                                       .defaults = defaults,
                                       .setup = setup,
                                       .round = round_of_barrier,
                                       .verify = verify,
                                       .timed = osu_timed_everywhere};

int main(int argc, char **argv)
{
    return osu_bench_main(&bench, argc, argv);
}
