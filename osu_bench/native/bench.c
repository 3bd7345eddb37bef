/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/bench.h"

#include <stdio.h>
#include <string.h>

#include "common/table.h"
#include "native/native.h"

pr_mgr_t osu_native;

void osu_native_must(int error, const char *what)
{
    if (error == PR_OK) {
        return;
    }
    fprintf(stderr, "%s: %s\n", what, pr_error_string(error));
    pr_abort(osu_native, 1);
}

/* ---- all ranks ------------------------------------------------------------------------------- */

/* What a rank has found. */
struct share {
    double seconds, counts;
    uint64_t errors;
};

enum { TAG_SHARE = 1000, TAG_SUM };

static void add(struct share *sum, const struct share *one)
{
    sum->seconds += one->seconds;
    sum->counts += one->counts;
    sum->errors += one->errors;
}

/* The sum over all ranks, to all. */
static void sum_up(const struct osu_run *run, struct share *mine)
{
    struct share other;

    if (run->rank != 0) {
        osu_native_must(pr_send_bytes(osu_native, 0, TAG_SHARE, mine, sizeof(*mine)), "send");
        osu_native_must(pr_recv_bytes(osu_native, 0, TAG_SUM, mine, sizeof(*mine), NULL),
                        "receive");
        return;
    }
    for (int i = 1; i < run->ranks; i++) {
        osu_native_must(pr_recv_bytes(osu_native, i, TAG_SHARE, &other, sizeof(other), NULL),
                        "receive");
        add(mine, &other);
    }
    for (int i = 1; i < run->ranks; i++) {
        osu_native_must(pr_send_bytes(osu_native, i, TAG_SUM, mine, sizeof(*mine)), "send");
    }
}

void osu_native_barrier(void)
{
    struct osu_run all = {0};
    struct share none = {0, 0, 0};

    osu_native_must(pr_get_self_rank(osu_native, &all.rank), "rank");
    osu_native_must(pr_get_num_procs(osu_native, &all.ranks), "size");
    sum_up(&all, &none);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static double metric_of(const struct osu_run *run, double seconds)
{
    double scale = run->bench->scale(run);

    if (run->bench->metric == OSU_LATENCY) {
        return seconds * 1e6 * scale / run->iterations;
    }
    return seconds > 0 ? (double)run->size * scale * run->iterations / seconds / 1e6 : 0;
}

/* Measure one row. Returns false if wrong data was found. */
static bool run_row(struct osu_run *run)
{
    const struct osu_options *options = run->options;
    bool large = run->size > OSU_LARGE_MESSAGE;
    bool counts = run->bench->timed(run);
    struct osu_row row = {0};
    struct share share;

    run->iterations = large ? options->iterations.large : options->iterations.small;
    run->warmup = large ? options->warmup.large : options->warmup.small;
    run->bench->open(run);
    run->bench->measure(run);
    share = (struct share){
        .seconds = counts ? run->seconds : 0, .counts = counts, .errors = run->errors};
    sum_up(run, &share);
    run->bench->close(run);
    row.value = metric_of(run, share.seconds / share.counts);
    row.wrong = share.errors;
    if (run->rank == 0) {
        osu_table_row(run, &row);
    }
    return row.wrong == 0;
}

static int run_rows(struct osu_run *run)
{
    if (run->rank == 0) {
        osu_table_header(run);
    }
    for (int i = 0; i < run->options->size_count; i++) {
        run->size = run->options->sizes[i];
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
static const char *unfit(const struct osu_run *run)
{
    const struct osu_bench *bench = run->bench;

    if (run->ranks < bench->min_ranks || (bench->max_ranks != 0 && run->ranks > bench->max_ranks)) {
        return bench->max_ranks == bench->min_ranks ? "it needs exactly two ranks (prestorun -n 2)"
                                                    : "it needs two ranks or more (prestorun -n 2)";
    }
    if (run->options->pairs * 2 > run->ranks) {
        return "there are fewer ranks than two for each pair; lower -p";
    }
    return NULL;
}

static int run_all(struct osu_run *run)
{
    const char *reason = unfit(run);
    struct share failed = {0, 0, 0};

    if (reason != NULL) {
        if (run->rank == 0) {
            fprintf(stderr, "%s: %d ranks: %s\n", run->bench->name, run->ranks, reason);
        }
        return 1;
    }
    failed.errors = run->bench->setup(run) != 0;
    sum_up(run, &failed);
    int status = failed.errors != 0 ? 1 : run_rows(run);
    run->bench->teardown(run);
    return status;
}

int osu_bench_main(const struct osu_bench *given, int argc, char **argv)
{
    struct osu_bench bench = osu_bench_complete(given);
    struct osu_options options;
    struct osu_run run = {.bench = &bench, .options = &options};

    bench.defaults(&options);
    enum osu_parse_result result =
        osu_options_parse(&options, argc, argv, bench.name, bench.title, bench.letters);
    if (result != OSU_PARSE_RUN) {
        return result == OSU_PARSE_BAD;
    }
    osu_native_must(pr_init(&osu_native), bench.name);
    osu_native_must(pr_get_self_rank(osu_native, &run.rank), "rank");
    osu_native_must(pr_get_num_procs(osu_native, &run.ranks), "size");
    int status = run_all(&run);
    osu_native_must(pr_fini(osu_native), bench.name);
    return status;
}
