/* SPDX-License-Identifier: BSD-3-Clause */
/* Rounds of measurements, and how long they may take. */
#include "perf_tune.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <apeni/param.h>

#include "apelink_config.h"
#include "base/bits.h"
#include "base/clock.h"
#include "base/config.h"
#include "base/number.h"
#include "base/param_text.h"

enum {
    SECONDS = 54,
    SECONDS_QUICK = 8,
    ROUNDS = 12, /* more say no more on a quiet machine */
    ROUNDS_QUICK = 4,
};

#define SECOND_NS UINT64_C(1000000000)

const char *perf_size_text(uint64_t size, char *text, size_t len)
{
    (void)ni_number_format_size(text, len, size);
    return text;
}

/* ---- one run: a fresh pair of processes ------------------------------------------------------ */

/* How much to do: about a millisecond in each of three repetitions. */
static struct perf_cell probe_cell(const struct perf_probe *probe, bool quick)
{
    bool stream = probe->mode != PERF_LATENCY;
    uint64_t window = stream ? 64 : 1;
    /* Something like 300 ns and 5 bytes in a ns; some us if the processes take turns on a core. */
    uint64_t each = (((probe->how & PERF_TOGETHER) != 0 ? 10000 : 300) + probe->size / 5) * window;
    uint64_t count = ni_max_u64(UINT64_C(1000000) / each, 2);

    return (struct perf_cell){
        .mode = probe->mode,
        .op = probe->op,
        .size = probe->size,
        .iterations = count,
        /* The NI itself needs a few milliseconds to observe how far the peer is. */
        .warmup = 3 * count,
        .reps = 3,
        .window = (uint32_t)window,
        .rewrite = (probe->how & PERF_REWRITE) != 0,
        .limit_ns = quick ? 15 * SECOND_NS / 1000 : 40 * SECOND_NS / 1000,
    };
}

/* Whatever else runs makes it longer, never shorter. */
static double least_of(const double *values, uint32_t count)
{
    double least = values[0];

    for (uint32_t i = 1; i < count; i++) {
        least = values[i] < least ? values[i] : least;
    }
    return least;
}

static void take_sample(struct perf_samples *samples, struct perf_result *result)
{
    if (samples->count < PERF_SAMPLES_MAX) {
        samples->sample[samples->count++] = (struct perf_sample){
            .ns = least_of(result->ns, result->count),
            .line_ns = perf_line_mean(&result->before, &result->after),
            .state = perf_line_state(&result->before, &result->after),
        };
    }
}

static uint64_t longest(const struct perf_trial *trial)
{
    uint64_t size = 4096;

    for (int i = 0; i < trial->probe_count; i++) {
        size = ni_max_u64(size, trial->sweep->probes[i].size);
    }
    return size;
}

/* The probes with one arrangement of cores. */
static void run_probes(const struct perf_tuning *tuning, struct perf_trial *trial, int value,
                       const int *cores, bool together)
{
    const struct perf_sweep *sweep = trial->sweep;
    struct perf_setting settings[PERF_CHOSEN_MAX + 2];
    struct perf_setup setup = {.link = PERF_SHM,
                               .pairs = 1,
                               .capacity = longest(trial),
                               .settings = settings,
                               .waits = sweep->waits};
    struct perf_team *team;

    for (size_t i = 0; i < tuning->chosen_count; i++) {
        settings[setup.setting_count++] = tuning->chosen[i];
    }
    if (trial->values[value] != NULL) {
        settings[setup.setting_count++] = (struct perf_setting){sweep->param, trial->values[value]};
    }
    if (sweep->fixed.name != NULL) {
        settings[setup.setting_count++] = sweep->fixed;
    }
    perf_setup_cores(&setup, cores, together ? 1 : 2);
    team = perf_team_start(&setup);
    for (int i = 0; i < trial->probe_count; i++) {
        const struct perf_probe *probe = &sweep->probes[i];
        struct perf_cell cell = probe_cell(probe, tuning->options->quick);
        struct perf_result result;

        if (((probe->how & PERF_TOGETHER) != 0) != together) {
            continue;
        }
        if ((probe->op == PERF_MESSAGE || probe->op == PERF_INLINE) &&
            probe->size > perf_team_message_max(team)) {
            continue;
        }
        perf_team_run(team, &cell, &result);
        take_sample(&trial->samples[value][i], &result);
    }
    perf_team_stop(team);
}

static void run_value(const struct perf_tuning *tuning, struct perf_trial *trial, int value,
                      bool swap)
{
    const int *cores = tuning->options->cores;
    int both[2] = {cores[swap], cores[!swap]};
    int together = 0;

    for (int i = 0; i < trial->probe_count; i++) {
        together += (trial->sweep->probes[i].how & PERF_TOGETHER) != 0;
    }
    if (together < trial->probe_count) {
        run_probes(tuning, trial, value, both, false);
    }
    if (together > 0) {
        run_probes(tuning, trial, value, both, true);
    }
}

void perf_trial_run(struct perf_tuning *tuning, struct perf_trial *trial, uint64_t deadline)
{
    int most = tuning->options->quick ? ROUNDS_QUICK : ROUNDS;

    for (int round = 0; round < most; round++) {
        perf_tune_progress(tuning, trial->sweep->param, round);
        for (int i = 0; i < trial->value_count; i++) {
            /* Another one begins each round. */
            int value = (i + round) % trial->value_count;

            if (ni_now_ns() > deadline) {
                return;
            }
            run_value(tuning, trial, value, round % 2 != 0);
        }
        trial->rounds++;
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

/* The values to try: the present one, then those of the sweep that differ from it. */
static void trial_init(const struct perf_tuning *tuning, struct perf_trial *trial,
                       const struct perf_sweep *sweep)
{
    const struct ni_param *param = ni_param_find(sweep->param);
    const uint64_t *present = (const void *)((const char *)ni_config_get() + param->offset);
    int most = tuning->options->quick ? sweep->quick_values : PERF_VALUES_MAX;

    memset(trial, 0, sizeof(*trial));
    trial->sweep = sweep;
    (void)ni_param_format(param, trial->present, sizeof(trial->present));
    trial->value_count = 1;
    trial->probe_count = tuning->options->quick ? sweep->quick_probes : sweep->probe_count;
    for (int i = 0; sweep->values[i] != NULL && i < most; i++) {
        uint64_t value = 0;
        char error[256];

        if (ni_param_parse(param, sweep->values[i], &value, error, sizeof(error)) == NI_OK &&
            value != *present) {
            trial->values[trial->value_count++] = sweep->values[i];
        }
    }
}

void perf_tune_progress(const struct perf_tuning *tuning, const char *what, int round)
{
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[K%d/%d %s, round %d", tuning->step, tuning->steps, what, round + 1);
    } else if (round == 0) {
        fprintf(stderr, "%d/%d %s\n", tuning->step, tuning->steps, what);
    }
}

static void run_sweeps(struct perf_tuning *tuning)
{
    struct perf_trial *trial = malloc(sizeof(*trial));

    if (trial == NULL) {
        perf_fail("out of memory");
    }
    for (size_t i = 0; i < perf_sweep_count; i++) {
        uint64_t left = tuning->deadline - ni_min_u64(ni_now_ns(), tuning->deadline);

        if (tuning->options->quick && perf_sweeps[i].quick_values == 0) {
            continue;
        }
        tuning->step++;
        trial_init(tuning, trial, &perf_sweeps[i]);
        perf_trial_run(tuning, trial,
                       ni_now_ns() + left / (uint64_t)(tuning->steps - tuning->step + 1));
        perf_trial_judge(trial);
        perf_trial_print(tuning, trial);
    }
    tuning->step++;
    perf_tune_eager(tuning, tuning->deadline);
    perf_tune_print_untried(tuning);
    free(trial);
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[K");
    }
}

static FILE *open_text(char **text, size_t *size)
{
    FILE *file = open_memstream(text, size);

    if (file == NULL) {
        perf_fail("out of memory");
    }
    return file;
}

static void write_head(FILE *file, const struct perf_tuning *tuning)
{
    time_t now = time(NULL);
    char date[32];

    strftime(date, sizeof(date), "%Y-%m-%d", localtime(&now));
    fprintf(file,
            "# apeni-perf %s, %s: what suits this machine, cores %d and %d.\n"
            "# Each value ran in processes of its own, in turn with the others, in both "
            "directions.\n",
            PACKAGE_VERSION, date, tuning->options->cores[0], tuning->options->cores[1]);
}

static void write_part(FILE *file, const char *title, const char *lines, bool active)
{
    bool any = false;

    fprintf(file, "\n# %s\n", title);
    for (const char *line = lines; *line != '\0';) {
        size_t len = strcspn(line, "\n");

        any |= *line != '#';
        fprintf(file, "%s%.*s\n", active || *line == '#' ? "" : "# ", (int)len, line);
        line += len + (line[len] == '\n');
    }
    if (!any) {
        fprintf(file, "# nothing to set: no value was better than the present one\n");
    }
}

/* Which of the two kinds of lines are more than comments. */
static void write_all(FILE *file, const struct perf_tuning *tuning, const char *const text[3],
                      bool environment, bool mca)
{
    write_head(file, tuning);
    fputs(text[0], file);
    write_part(file, "For the environment:", text[1], environment);
    write_part(file,
               "For a file of MCA parameters (openmpi-mca-params.conf, mpirun --am FILE):", text[2],
               mca);
}

/* Before anything is measured, lest a mistyped name cost a minute. */
static FILE *open_file(const char *path)
{
    FILE *file = fopen(path, "w");

    if (file == NULL) {
        perf_fail("--write \"%s\": %s", path, strerror(errno));
    }
    return file;
}

static void write_file(FILE *file, const struct perf_tuning *tuning, const char *const text[3])
{
    const char *path = tuning->options->write;
    const char *dot = strrchr(path, '.');
    bool mca = dot != NULL && strcmp(dot, ".conf") == 0;

    write_all(file, tuning, text, !mca, mca);
    if (fclose(file) != 0) {
        perf_fail("--write \"%s\": %s", path, strerror(errno));
    }
}

static int sweeps_to_run(const struct perf_options *options)
{
    int count = 0;

    for (size_t i = 0; i < perf_sweep_count; i++) {
        count += !options->quick || perf_sweeps[i].quick_values > 0;
    }
    return count;
}

int perf_tune(struct perf_options *options)
{
    char *text[3];
    size_t size[3];
    struct perf_tuning tuning = {
        .options = options,
        .evidence = open_text(&text[0], &size[0]),
        .environment = open_text(&text[1], &size[1]),
        .mca = open_text(&text[2], &size[2]),
        .deadline = ni_now_ns() + (options->quick ? SECONDS_QUICK : SECONDS) * SECOND_NS,
        .steps = sweeps_to_run(options) + 1,
    };

    FILE *file = options->write != NULL ? open_file(options->write) : NULL;

    run_sweeps(&tuning);
    if (fclose(tuning.evidence) != 0 || fclose(tuning.environment) != 0 ||
        fclose(tuning.mca) != 0) {
        perf_fail("out of memory");
    }
    write_all(stdout, &tuning, (const char *const *)text, true, true);
    if (file != NULL) {
        write_file(file, &tuning, (const char *const *)text);
    }
    for (int i = 0; i < 3; i++) {
        free(text[i]);
    }
    perf_end_output();
    return PERF_EXIT_GOOD;
}
