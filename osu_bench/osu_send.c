/* SPDX-License-Identifier: BSD-3-Clause */
/* Time that MPI_Send itself takes at the sender, whose receiver waits for the message. */
#include "common/bench.h"
#include "common/buffer.h"
#include "common/pattern.h"

#include <mpi.h>

enum { SENDER, RECEIVER };

static struct osu_buffer buffer;

static int setup(struct osu_run *run)
{
    return osu_buffer_open(&buffer, run, osu_largest_size(run->options), 1);
}

static void teardown(struct osu_run *run)
{
    (void)run;
    osu_buffer_close(&buffer);
}

static void open_size(struct osu_run *run)
{
    osu_buffer_touch(&buffer, run->size, 'a');
}

static void prepare(struct osu_run *run, int round)
{
    uint64_t seed = osu_pattern_seed(round, run->size, SENDER, 0);

    if (run->rank == SENDER) {
        osu_pattern_fill(buffer.base, run->size, seed);
    } else {
        osu_pattern_spoil(buffer.base, run->size, seed);
    }
}

static void round_of_send(struct osu_run *run, int round)
{
    (void)round;
    if (run->rank == SENDER) {
        MPI_Send(buffer.base, (int)run->size, MPI_CHAR, RECEIVER, 1, MPI_COMM_WORLD);
    } else {
        MPI_Recv(buffer.base, (int)run->size, MPI_CHAR, SENDER, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
}

static size_t verify(struct osu_run *run, int round)
{
    return run->rank == SENDER ? 0
                               : osu_pattern_check(buffer.base, run->size,
                                                   osu_pattern_seed(round, run->size, SENDER, 0));
}

static const struct osu_bench bench = {.name = "osu_send",
                                       .title = "OSU-style MPI_Send Time Test",
                                       .letters = "mixczM",
                                       .metric = OSU_LATENCY,
                                       .heading = "Time of a call (us)",
                                       .min_ranks = 2,
                                       .max_ranks = 2,
                                       .apart = true,
                                       .defaults = osu_defaults_latency,
                                       .setup = setup,
                                       .teardown = teardown,
                                       .open = open_size,
                                       .prepare = prepare,
                                       .round = round_of_send,
                                       .verify = verify};

int main(int argc, char **argv)
{
    return osu_bench_main(&bench, argc, argv);
}
