/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/rma.h"
#include "common/element.h"
#include "common/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct osu_rma rma;

uint64_t osu_rma_seed(const struct osu_rma *state, int rank, int slot)
{
    return osu_pattern_seed(state->round, state->run->size, rank, slot);
}

void osu_rma_adjust_single(struct osu_options *options)
{
    options->sizes[0] = osu_element_size(options->type);
    options->size_count = 1;
}

static void describe(const struct osu_run *run)
{
    osu_window_describe(run->options);
    if (rma.op->typed) {
        printf("# Datatype: %s.\n", osu_element_name(run->options->type));
    }
}

static bool skip(const struct osu_run *run)
{
    size_t unit = rma.op->typed ? osu_element_size(run->options->type) : 1;
    return run->size < unit;
}

/* Bytes from slot to slot: without -c the messages of a window lie side by side, as a program would
 * have them. */
static size_t stride_of(const struct osu_run *run)
{
    if (!run->options->check) {
        return run->size;
    }
    return (run->size + OSU_GUARD + 63) / 64 * 64;
}

static int check_limit(struct osu_run *run)
{
    size_t largest = osu_largest_size(run->options);
    if (largest == 0 || (size_t)rma.slots <= run->options->memory_limit / largest) {
        return 0;
    }
    if (run->rank == 0) {
        fprintf(stderr,
                "%s: a window of %d times %zu bytes exceeds the limit of %zu bytes; lower the "
                "largest size (-m) or the window (-W), or raise the limit (-M)\n",
                run->bench->name, rma.slots, largest, run->options->memory_limit);
    }
    return -1;
}

static int setup_latency(struct osu_run *run)
{
    rma.slots = 1;
    return check_limit(run);
}

static int setup_bandwidth(struct osu_run *run)
{
    rma.slots = run->options->window;
    return check_limit(run);
}

static void open_size(struct osu_run *run)
{
    void *local = NULL;
    size_t bytes;

    rma.run = run;
    rma.stride = stride_of(run);
    bytes = rma.stride * (size_t)rma.slots;
    if (posix_memalign(&local, (size_t)sysconf(_SC_PAGESIZE), bytes) != 0) {
        fprintf(stderr, "%s: no memory for %zu bytes; lower -m or -W\n", run->bench->name, bytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    memset(local, 'a', bytes);
    rma.local = local;
    rma.datatype = rma.op->typed ? osu_element_datatype(run->options->type) : MPI_CHAR;
    rma.count = (int)(run->size / (rma.op->typed ? osu_element_size(run->options->type) : 1));
    /* Compare with the zero that a new window holds and store it again: each swap succeeds. */
    memset(rma.operand, 0, sizeof(rma.operand));
    osu_window_open(&rma.window, run, bytes);
}

static void close_size(struct osu_run *run)
{
    (void)run;
    osu_window_close(&rma.window);
    free(rma.local);
    rma.local = NULL;
}

/* Does this rank start operations, does it receive them? In the active modes of a latency test both
 * sides do. */
static bool is_origin(const struct osu_run *run)
{
    return run->rank == 0 || (rma.window.sync->active && run->bench->metric == OSU_LATENCY);
}

static bool is_target(const struct osu_run *run)
{
    return run->rank == 1 || (rma.window.sync->active && run->bench->metric == OSU_LATENCY);
}

static void access_peer(void)
{
    rma.window.sync->begin(&rma.window);
    for (int slot = 0; slot < rma.slots; slot++) {
        rma.op->issue(&rma, slot);
    }
    rma.window.sync->end(&rma.window);
}

static void be_accessed(void)
{
    rma.window.sync->expose(&rma.window);
    rma.window.sync->await(&rma.window);
}

static void take_turns(const struct osu_run *run)
{
    if (run->rank == 0) {
        access_peer();
        be_accessed();
    } else {
        be_accessed();
        access_peer();
    }
}

static void round_of_accesses(struct osu_run *run, int round)
{
    (void)round;
    if (is_origin(run) && is_target(run)) {
        take_turns(run);
    } else if (run->rank == 0) {
        access_peer();
    } else {
        be_accessed();
    }
}

static void prepare(struct osu_run *run, int round)
{
    rma.round = round;
    osu_window_touch_begin(&rma.window);
    for (int slot = 0; slot < rma.slots; slot++) {
        if (is_target(run)) {
            rma.op->prepare_target(&rma, slot);
        }
        if (is_origin(run)) {
            rma.op->prepare_origin(&rma, slot);
        }
    }
    osu_window_touch_end(&rma.window);
}

static size_t verify(struct osu_run *run, int round)
{
    size_t wrong = 0;

    rma.round = round;
    if (is_origin(run)) {
        rma.window.sync->settle(&rma.window);
    }
    /* A passive target learns only here that the origin is done. */
    MPI_Barrier(MPI_COMM_WORLD);
    osu_window_touch_begin(&rma.window);
    for (int slot = 0; slot < rma.slots; slot++) {
        if (is_target(run)) {
            wrong += rma.op->verify_target(&rma, slot);
        }
        if (is_origin(run)) {
            wrong += rma.op->verify_origin(&rma, slot);
        }
    }
    osu_window_touch_end(&rma.window);
    return wrong;
}

static double scale_latency(const struct osu_run *run)
{
    return is_origin(run) && is_target(run) ? 0.5 : 1;
}

static double scale_bandwidth(const struct osu_run *run)
{
    (void)run;
    return rma.slots;
}

/* The members that all one-sided tests share. */
static struct osu_bench fill_in(const struct osu_bench *given)
{
    struct osu_bench bench = *given;
    bench.min_ranks = 2;
    bench.max_ranks = 2;
    bench.describe = describe;
    bench.skip = skip;
    bench.open = open_size;
    bench.close = close_size;
    bench.prepare = prepare;
    bench.round = round_of_accesses;
    bench.verify = verify;
    return bench;
}

int osu_rma_latency_main(const struct osu_bench *given, const struct osu_rma_op *op, int argc,
                         char **argv)
{
    struct osu_bench bench = fill_in(given);
    rma.op = op;
    bench.metric = OSU_LATENCY;
    bench.heading = "Latency (us)";
    bench.setup = setup_latency;
    bench.scale = scale_latency;
    return osu_bench_main(&bench, argc, argv);
}

int osu_rma_bandwidth_main(const struct osu_bench *given, const struct osu_rma_op *op, int argc,
                           char **argv)
{
    struct osu_bench bench = fill_in(given);
    rma.op = op;
    bench.metric = OSU_BANDWIDTH;
    bench.heading = "Bandwidth (MB/s)";
    bench.setup = setup_bandwidth;
    bench.scale = scale_bandwidth;
    return osu_bench_main(&bench, argc, argv);
}
