/* SPDX-License-Identifier: BSD-3-Clause */
/* Time of an all-to-all exchange; the size is that of the message to each rank. Mean over the
 * ranks. */
#include "common/bench.h"
#include "common/buffer.h"
#include "common/pattern.h"

#include <mpi.h>

/* One slot each: the blocks of an all-to-all lie side by side. */
static struct osu_buffer send;
static struct osu_buffer recv;

static int setup(struct osu_run *run)
{
    size_t bytes = osu_largest_size(run->options) * (size_t)run->ranks;
    if (osu_buffer_open(&send, run, bytes, 1) != 0) {
        return -1;
    }
    return osu_buffer_open(&recv, run, bytes, 1);
}

static void teardown(struct osu_run *run)
{
    (void)run;
    osu_buffer_close(&send);
    osu_buffer_close(&recv);
}

static void open_size(struct osu_run *run)
{
    osu_buffer_touch(&send, run->size * (size_t)run->ranks, 'a');
    osu_buffer_touch(&recv, run->size * (size_t)run->ranks, 'b');
}

static uint64_t seed_of(const struct osu_run *run, int round, int from, int to)
{
    return osu_pattern_seed(round, run->size, from, to);
}

static void prepare(struct osu_run *run, int round)
{
    /* Upwards, so that each guard is overwritten by the next block and only the last one
     * remains. */
    for (int rank = 0; rank < run->ranks; rank++) {
        size_t offset = (size_t)rank * run->size;
        osu_pattern_fill(send.base + offset, run->size, seed_of(run, round, run->rank, rank));
        osu_pattern_spoil(recv.base + offset, run->size, seed_of(run, round, rank, run->rank));
    }
}

static void round_of_alltoall(struct osu_run *run, int round)
{
    int count = (int)run->size;
    (void)round;
    MPI_Alltoall(send.base, count, MPI_CHAR, recv.base, count, MPI_CHAR, MPI_COMM_WORLD);
}

static size_t verify(struct osu_run *run, int round)
{
    size_t wrong = 0;
    for (int rank = 0; rank < run->ranks; rank++) {
        const unsigned char *block = recv.base + (size_t)rank * run->size;
        uint64_t seed = seed_of(run, round, rank, run->rank);
        if (rank == run->ranks - 1) {
            wrong += osu_pattern_check(block, run->size, seed);
        } else {
            wrong += osu_pattern_check_open(block, run->size, seed);
        }
    }
    return wrong;
}

static const struct osu_bench bench = {.name = "osu_alltoall",
                                       .title = "OSU-style MPI All-to-All Personalized Exchange "
                                                "Latency Test",
                                       .letters = "mixfczM",
                                       .heading = "Avg Latency(us)",
                                       .metric = OSU_LATENCY,
                                       .min_ranks = 2,
                                       .apart = true,
                                       .defaults = osu_defaults_collective,
                                       .setup = setup,
                                       .teardown = teardown,
                                       .open = open_size,
                                       .prepare = prepare,
                                       .round = round_of_alltoall,
                                       .verify = verify,
                                       .timed = osu_timed_everywhere};

int main(int argc, char **argv)
{
    return osu_bench_main(&bench, argc, argv);
}
