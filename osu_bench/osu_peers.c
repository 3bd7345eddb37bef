/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-way time of a message between ranks 0 and 1 while other ranks, which have talked to both,
 * sleep. The first of them are as many as -N says; the rest have not talked to both. All of them
 * look for the end of the measurement a few times a second, whatever -N says.
 */
#include "clock.h"
#include "common/bench.h"
#include "common/buffer.h"
#include "common/pattern.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define PLAYERS 2
#define TAG     1
#define TALKS   8 /* messages each way between a sleeping rank and a player */
#define NAP_MS  50

static struct osu_buffer send_buffer;
static struct osu_buffer recv_buffer;

static int setup(struct osu_run *run)
{
    const struct osu_options *options = run->options;

    for (int i = 0; i < options->depth_count; i++) {
        if (options->depths[i] + PLAYERS > (size_t)run->ranks) {
            if (run->rank == 0) {
                fprintf(stderr, "%s: --peers %zu: that takes %zu ranks, and there are %d\n",
                        run->bench->name, options->depths[i], options->depths[i] + PLAYERS,
                        run->ranks);
            }
            return -1;
        }
    }
    if (osu_buffer_open(&send_buffer, run, options->sizes[0], 1) != 0) {
        return -1;
    }
    return osu_buffer_open(&recv_buffer, run, options->sizes[0], 1);
}

static void teardown(struct osu_run *run)
{
    (void)run;
    osu_buffer_close(&send_buffer);
    osu_buffer_close(&recv_buffer);
}

static void exchange(const struct osu_run *run, int other)
{
    for (int i = 0; i < TALKS; i++) {
        MPI_Sendrecv(send_buffer.base, (int)run->size, MPI_CHAR, other, TAG, recv_buffer.base,
                     (int)run->size, MPI_CHAR, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void open_row(struct osu_run *run)
{
    int last = PLAYERS + (int)run->depth;

    osu_buffer_touch(&send_buffer, run->size, 'a');
    osu_buffer_touch(&recv_buffer, run->size, 'b');
    if (run->rank < PLAYERS) {
        for (int peer = PLAYERS; peer < last; peer++) {
            exchange(run, peer);
        }
    } else if (run->rank < last) {
        for (int player = 0; player < PLAYERS; player++) {
            exchange(run, player);
        }
    }
}

static void send_message(const struct osu_run *run, int round, int peer)
{
    if (run->options->check) {
        osu_pattern_fill(send_buffer.base, run->size,
                         osu_pattern_seed(round, run->size, run->rank, 0));
    } else {
        memset(send_buffer.base, round, run->size);
    }
    MPI_Send(send_buffer.base, (int)run->size, MPI_CHAR, peer, TAG, MPI_COMM_WORLD);
}

static void receive_message(struct osu_run *run, int round, int peer)
{
    uint64_t seed = osu_pattern_seed(round, run->size, peer, 0);

    if (run->options->check) {
        osu_pattern_spoil(recv_buffer.base, run->size, seed);
    }
    MPI_Recv(recv_buffer.base, (int)run->size, MPI_CHAR, peer, TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    if (run->options->check) {
        run->errors += osu_pattern_check(recv_buffer.base, run->size, seed);
    }
}

static void play(struct osu_run *run)
{
    int peer = 1 - run->rank;
    uint64_t begin = 0;

    for (int i = 0; i < run->warmup + run->iterations; i++) {
        if (i == run->warmup) {
            begin = osu_clock();
        }
        if (run->rank == 0) {
            send_message(run, i, peer);
            receive_message(run, i, peer);
        } else {
            receive_message(run, i, peer);
            send_message(run, i, peer);
        }
    }
    run->seconds = (double)(osu_clock() - begin) * 1e-9;
}

/* The end is a barrier that players enter last; who sleeps asks for it now and then. */
static void measure(struct osu_run *run)
{
    const struct timespec nap = {0, NAP_MS * 1000000L};
    MPI_Request end;
    int ended = 0;

    MPI_Barrier(MPI_COMM_WORLD);
    if (run->rank < PLAYERS) {
        play(run);
    }
    MPI_Ibarrier(MPI_COMM_WORLD, &end);
    if (run->rank < PLAYERS) {
        MPI_Wait(&end, MPI_STATUS_IGNORE);
        return;
    }
    while (!ended) {
        nanosleep(&nap, NULL);
        MPI_Test(&end, &ended, MPI_STATUS_IGNORE);
    }
}

static const struct osu_bench bench = {.name = "osu_peers",
                                       .title = "OSU-style MPI Latency Test beside Sleeping Ranks",
                                       .letters = "BNixcM",
                                       .axis = "Peers",
                                       .heading = "Latency (us)",
                                       .metric = OSU_LATENCY,
                                       .min_ranks = PLAYERS,
                                       .by_depth = true,
                                       .defaults = osu_defaults_peers,
                                       .setup = setup,
                                       .teardown = teardown,
                                       .open = open_row,
                                       .measure = measure,
                                       .scale = osu_scale_half};

int main(int argc, char **argv)
{
    return osu_bench_main(&bench, argc, argv);
}
