/* SPDX-License-Identifier: BSD-3-Clause */
/* What the samples of a sweep say. */
#include "perf_tune.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"

/* The state in which most samples were taken. */
static const char *main_state(const struct perf_trial *trial)
{
    static const char *const states[] = {"near",  "far",  "between", "shared",
                                         "mixed", "busy", "none"};
    int most = 0, which = 0;

    for (int s = 0; s < (int)NI_ARRAY_LENGTH(states); s++) {
        int count = 0;

        for (int v = 0; v < trial->value_count; v++) {
            for (int p = 0; p < trial->probe_count; p++) {
                const struct perf_samples *samples = &trial->samples[v][p];

                /* On one core there is no line, and no state. */
                if ((trial->sweep->probes[p].how & PERF_TOGETHER) != 0) {
                    continue;
                }
                for (int i = 0; i < samples->count; i++) {
                    count += strcmp(samples->sample[i].state, states[s]) == 0;
                }
            }
        }
        if (count > most) {
            most = count;
            which = s;
        }
    }
    return states[which];
}

static void judge_samples(struct perf_samples *samples, bool together, const char *state,
                          double *lines, int *line_count)
{
    double ns[PERF_SAMPLES_MAX];
    size_t count = 0;

    for (int i = 0; i < samples->count; i++) {
        if (together) {
            ns[count++] = samples->sample[i].ns;
        } else if (strcmp(samples->sample[i].state, state) == 0) {
            ns[count++] = samples->sample[i].ns;
            lines[(*line_count)++] = samples->sample[i].line_ns;
        }
    }
    samples->used = (int)count;
    if (count != 0) {
        samples->ns = perf_median(ns, count);
        samples->low = ns[count / 4];
        samples->high = ns[count - 1 - count / 4];
    }
}

/* Geometric mean over the probes of the time against that of the present value; 0: unknown. */
static double score_of(const struct perf_trial *trial, int value)
{
    double sum = 0;

    for (int p = 0; p < trial->probe_count; p++) {
        double mine = trial->samples[value][p].ns, present = trial->samples[0][p].ns;

        if (mine <= 0 || present <= 0) {
            return 0;
        }
        sum += log(mine / present);
    }
    return trial->probe_count == 0 ? 0 : exp(sum / trial->probe_count);
}

/* Whether a value is better by more than what is noise: where it differs from the present one
 * beyond the quartiles of both, it is better, and that is so for some probe. */
static bool clearly_better(const struct perf_trial *trial, int value)
{
    enum { USED_LEAST = 2 };
    int better = 0;

    for (int p = 0; p < trial->probe_count; p++) {
        const struct perf_samples *mine = &trial->samples[value][p];
        const struct perf_samples *present = &trial->samples[0][p];

        if (mine->used < USED_LEAST || present->used < USED_LEAST || mine->low > present->high) {
            return false;
        }
        better += mine->high < present->low;
    }
    return better > 0;
}

void perf_trial_judge(struct perf_trial *trial)
{
    /* Gains below this are not worth a setting. */
    const double worth = 0.95;
    static double lines[(PERF_VALUES_MAX + 1) * PERF_PROBES_MAX * PERF_SAMPLES_MAX];
    int line_count = 0;

    trial->state = main_state(trial);
    trial->too_busy = strcmp(trial->state, "busy") == 0 || strcmp(trial->state, "mixed") == 0;
    for (int v = 0; v < trial->value_count; v++) {
        for (int p = 0; p < trial->probe_count; p++) {
            judge_samples(&trial->samples[v][p], (trial->sweep->probes[p].how & PERF_TOGETHER) != 0,
                          trial->state, lines, &line_count);
        }
    }
    trial->line_ns = line_count == 0 ? 0 : perf_median(lines, (size_t)line_count);
    for (int v = 0; v < trial->value_count; v++) {
        double score = trial->score[v] = score_of(trial, v);

        if (!trial->too_busy && score > 0 && score < worth && clearly_better(trial, v) &&
            (trial->best == 0 || score < trial->score[trial->best])) {
            trial->best = v;
        }
    }
}
