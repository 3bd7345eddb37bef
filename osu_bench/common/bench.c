/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/bench.h"
#include "common/table.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* The metric for rounds that took seconds. */
static double metric_of(const struct osu_run *run, double seconds, int rounds)
{
    double scale = run->bench->scale(run);
    if (run->bench->metric == OSU_LATENCY) {
        return seconds * 1e6 * scale / rounds;
    }
    return seconds > 0 ? (double)run->size * scale * rounds / seconds / 1e6 : 0;
}

/* Percentiles of single rounds, each the mean over the ranks that count. */
static void combine_samples(struct osu_run *run, double counted, struct osu_row *row)
{
    const struct osu_options *options = run->options;
    void *samples = run->rank == 0 ? MPI_IN_PLACE : run->samples;

    if (!run->bench->timed(run)) {
        for (int i = 0; i < run->iterations; i++) {
            run->samples[i] = 0;
        }
    }
    MPI_Reduce(samples, run->samples, run->iterations, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int i = 0; run->rank == 0 && i < options->percentile_count; i++) {
        double sum = osu_percentile(run->samples, run->iterations, options->percentiles[i]);
        row->percentiles[i] = metric_of(run, sum / counted, 1);
    }
}

/* Combine the times and errors of all ranks. The row is complete on rank 0, its wrong count on
 * all. */
static void combine(struct osu_run *run, struct osu_row *row)
{
    bool counts = run->bench->timed(run);
    double mine[2] = {counts ? run->seconds : 0, counts ? 1 : 0};
    double sums[2] = {0, 1};
    /* One reduction for both ends: the smallest time is minus the largest negative. */
    double ends[2] = {counts ? -run->seconds : -1e300, counts ? run->seconds : -1e300};
    double extremes[2] = {0, 0};

    MPI_Reduce(mine, sums, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(ends, extremes, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&run->errors, &row->wrong, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    row->value = metric_of(run, sums[0] / sums[1], run->iterations);
    row->least = metric_of(run, -extremes[0], run->iterations);
    row->most = metric_of(run, extremes[1], run->iterations);
    if (run->samples != NULL) {
        combine_samples(run, sums[1], row);
    }
}

/* Measure one row. Returns false if wrong data was found. */
static bool run_row(struct osu_run *run)
{
    const struct osu_options *options = run->options;
    bool large = run->size > OSU_LARGE_MESSAGE;
    struct osu_row row = {0};

    run->iterations = large ? options->iterations.large : options->iterations.small;
    run->warmup = large ? options->warmup.large : options->warmup.small;
    if (options->percentile_count > 0) {
        run->samples = calloc((size_t)run->iterations, sizeof(double));
        if (run->samples == NULL) {
            fprintf(stderr, "%s: no memory for %d samples; lower -i or leave out -z\n",
                    run->bench->name, run->iterations);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    run->bench->open(run);
    run->bench->measure(run);
    combine(run, &row);
    run->bench->close(run);
    if (run->rank == 0) {
        osu_table_row(run, &row);
    }
    free(run->samples);
    run->samples = NULL;
    return row.wrong == 0;
}

/* Sizes, or depths with one size. */
static int run_rows(struct osu_run *run)
{
    const struct osu_options *options = run->options;
    bool by_depth = run->bench->by_depth;
    int count = by_depth ? options->depth_count : options->size_count;

    if (run->rank == 0) {
        osu_table_header(run);
    }
    for (int i = 0; i < count; i++) {
        run->size = options->sizes[by_depth ? 0 : i];
        run->depth = by_depth ? options->depths[i] : 0;
        if (run->bench->skip(run)) {
            continue;
        }
        if (run_row(run)) {
            continue;
        }
        if (run->rank == 0) {
            fprintf(stderr, "%s: wrong data in messages of %zu bytes\n", run->bench->name,
                    run->size);
        }
        return 1;
    }
    return 0;
}

/* Returns NULL, or why this program cannot run here. */
static const char *unfit(const struct osu_run *run, int thread_level)
{
    const struct osu_bench *bench = run->bench;
    if (run->ranks < bench->min_ranks || (bench->max_ranks != 0 && run->ranks > bench->max_ranks)) {
        return bench->max_ranks == bench->min_ranks ? "it needs exactly two ranks (mpirun -n 2)"
                                                    : "it needs two ranks or more (mpirun -n 2)";
    }
    if (run->options->pairs * 2 > run->ranks) {
        return "there are fewer ranks than two for each pair; lower -p";
    }
    if (thread_level < bench->thread_level) {
        return "this MPI does not provide MPI_THREAD_MULTIPLE with these transports";
    }
    return NULL;
}

static int run_all(struct osu_run *run, int thread_level)
{
    const char *reason = unfit(run, thread_level);
    if (reason != NULL) {
        if (run->rank == 0) {
            fprintf(stderr, "%s: %d ranks: %s\n", run->bench->name, run->ranks, reason);
        }
        return 1;
    }
    int failed = run->bench->setup(run) != 0;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    int status = failed ? 1 : run_rows(run);
    run->bench->teardown(run);
    return status;
}

int osu_bench_main(const struct osu_bench *given, int argc, char **argv)
{
    struct osu_bench bench = osu_bench_complete(given);
    struct osu_options options;
    struct osu_run run = {.bench = &bench, .options = &options};
    int thread_level = MPI_THREAD_SINGLE;

    bench.defaults(&options);
    enum osu_parse_result result =
        osu_options_parse(&options, argc, argv, bench.name, bench.title, bench.letters);
    if (result != OSU_PARSE_RUN) {
        return result == OSU_PARSE_BAD;
    }
    bench.adjust(&options);
    MPI_Init_thread(&argc, &argv, bench.thread_level, &thread_level);
    MPI_Comm_rank(MPI_COMM_WORLD, &run.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &run.ranks);
    int status = run_all(&run, thread_level);
    MPI_Finalize();
    return status;
}
