/* SPDX-License-Identifier: BSD-3-Clause */
/* Evidence and recommendations of a sweep. */
#include "perf_tune.h"

#include <math.h>
#include <string.h>

#include <apeni/param.h>

#include "base/param_text.h"

enum { VALUE_COLUMN = 10, PROBE_COLUMN = 25 };

static void print_heads(FILE *file, const struct perf_trial *trial)
{
    fprintf(file, "#   %-*s", VALUE_COLUMN, "value");
    for (int i = 0; i < trial->probe_count; i++) {
        const struct perf_probe *probe = &trial->sweep->probes[i];
        char head[80], size[16];

        snprintf(head, sizeof(head), "%s %s %s%s%s", perf_mode_names[probe->mode],
                 perf_op_names[probe->op], perf_size_text(probe->size, size, sizeof(size)),
                 (probe->how & PERF_REWRITE) != 0 ? " new" : "",
                 (probe->how & PERF_TOGETHER) != 0 ? " 1 core" : "");
        fprintf(file, "%*s", PROBE_COLUMN + 2, head);
    }
    fprintf(file, "   time, 1 = now\n");
}

static void print_value(FILE *file, const struct perf_trial *trial, int value)
{
    const char *name = value == 0 ? trial->present : trial->values[value];

    fprintf(file, "#   %-*s", VALUE_COLUMN, name);
    for (int i = 0; i < trial->probe_count; i++) {
        const struct perf_probe *probe = &trial->sweep->probes[i];
        double ns = trial->samples[value][i].ns;
        char text[48] = "-";

        if (ns > 0) {
            double shown = perf_convert(probe->mode, probe->size, ns);

            snprintf(text, sizeof(text), "%.*f %s", probe->mode == PERF_LATENCY ? 3 : 0, shown,
                     perf_unit(probe->mode));
        }
        fprintf(file, "%*s", PROBE_COLUMN + 2, text);
    }
    if (trial->score[value] > 0) {
        fprintf(file, "   %.2f%s", trial->score[value],
                value == 0             ? " (now)"
                : value == trial->best ? " <- best"
                                       : "");
    }
    fprintf(file, "\n");
}

/*
 * far_ns is a threshold between states, tried by its two ends: always far, never far. The value
 * to set lies below or above the line's time in this state, so that other states stay as they are.
 */
static void far_value(const struct perf_trial *trial, char *text, size_t size)
{
    bool always = strcmp(trial->values[trial->best], "1") == 0;

    snprintf(text, size, "%.0f", always ? ceil(trial->line_ns / 2) : ceil(trial->line_ns * 3));
}

void perf_tune_setting(struct perf_tuning *tuning, const char *param, const char *value, bool keep)
{
    const char *mark = keep ? "# as it is: " : "";
    char env[128];

    (void)ni_param_env_name(param, env, sizeof(env));
    fprintf(tuning->environment, "%s%s=%s\n", mark, env, value);
    if (strncmp(param, "match_", strlen("match_")) != 0) { /* those are not the BTL's */
        fprintf(tuning->mca, "%sbtl_apelink_%s = %s\n", mark, param, value);
    }
    fprintf(tuning->mca, "%smtl_match_%s = %s\n", mark, param, value);
    fprintf(tuning->mca, "%spml_match_%s = %s\n", mark, param, value);
}

void perf_tune_print_untried(struct perf_tuning *tuning)
{
    FILE *file = tuning->evidence;
    char present[256];

    fprintf(file, "#\n# Not tried:\n");
    for (size_t i = 0; i < perf_untried_count; i++) {
        (void)ni_param_format(ni_param_find(perf_untried[i].param), present, sizeof(present));
        fprintf(file, "#   %-18s now %s: %s\n", perf_untried[i].param, *present ? present : "empty",
                perf_untried[i].why);
    }
    for (size_t i = 0; tuning->options->quick && i < perf_sweep_count; i++) {
        const char *param = perf_sweeps[i].param;

        if (perf_sweeps[i].quick_values == 0) {
            (void)ni_param_format(ni_param_find(param), present, sizeof(present));
            fprintf(file, "#   %-18s now %s: --quick leaves it out\n", param, present);
        }
    }
}

static void recommend(struct perf_tuning *tuning, const struct perf_trial *trial)
{
    const char *param = trial->sweep->param;
    char value[32];

    snprintf(value, sizeof(value), "%s", trial->values[trial->best]);
    if (strcmp(param, "far_ns") == 0) {
        far_value(trial, value, sizeof(value));
    }
    fprintf(tuning->evidence, "#   -> %s\n", value);
    perf_tune_setting(tuning, param, value, false);
    if (tuning->chosen_count < PERF_CHOSEN_MAX) {
        tuning->chosen[tuning->chosen_count++] =
            (struct perf_setting){param, trial->values[trial->best]};
    }
}

void perf_trial_print(struct perf_tuning *tuning, const struct perf_trial *trial)
{
    FILE *file = tuning->evidence;
    const struct perf_sweep *sweep = trial->sweep;

    fprintf(file, "#\n# %s, now %s", sweep->param, trial->present);
    if (sweep->fixed.name != NULL) {
        fprintf(file, " (with %s = %s)", sweep->fixed.name, sweep->fixed.value);
    }
    fprintf(file, "; state %s, line %.0f ns, %d full rounds\n", trial->state, trial->line_ns,
            trial->rounds);
    print_heads(file, trial);
    for (int value = 0; value < trial->value_count; value++) {
        print_value(file, trial, value);
    }
    if (trial->best != 0) {
        recommend(tuning, trial);
    } else {
        fprintf(file, "#   -> leave it%s\n", trial->too_busy ? ": the machine was too busy" : "");
        perf_tune_setting(tuning, sweep->param, trial->present, true);
    }
}
