/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copy in and out, or a single copy? A long message is sent either as a message, which both sides
 * copy, or by a short message upon which the receiver reads the data. The longest size for which
 * the former is faster is the eager limit of the BTL, which counts its header, and match_eager of
 * the portal table, which does not.
 */
#include "perf_tune.h"

#include <string.h>

#include <apeni/param.h>

enum { FIRST = 1024, SIZES = 7, HEADER = 64 };

/* Messages, then Reads, of FIRST << 0 to FIRST << (SIZES - 1) bytes; the short message last. */
static const struct perf_sweep eager = {
    .param = "btl_apelink_eager_limit",
    .probes =
        {
            {PERF_LATENCY, PERF_MESSAGE, FIRST << 0, 0},
            {PERF_LATENCY, PERF_MESSAGE, FIRST << 1, 0},
            {PERF_LATENCY, PERF_MESSAGE, FIRST << 2, 0},
            {PERF_LATENCY, PERF_MESSAGE, FIRST << 3, 0},
            {PERF_LATENCY, PERF_MESSAGE, FIRST << 4, 0},
            {PERF_LATENCY, PERF_MESSAGE, FIRST << 5, 0},
            {PERF_LATENCY, PERF_MESSAGE, FIRST << 6, 0},
            {PERF_LATENCY, PERF_READ, FIRST << 0, 0},
            {PERF_LATENCY, PERF_READ, FIRST << 1, 0},
            {PERF_LATENCY, PERF_READ, FIRST << 2, 0},
            {PERF_LATENCY, PERF_READ, FIRST << 3, 0},
            {PERF_LATENCY, PERF_READ, FIRST << 4, 0},
            {PERF_LATENCY, PERF_READ, FIRST << 5, 0},
            {PERF_LATENCY, PERF_READ, FIRST << 6, 0},
            {PERF_LATENCY, PERF_MESSAGE, HEADER, 0},
        },
    .probe_count = 2 * SIZES + 1,
};

static void print_sizes(FILE *file, const struct perf_trial *trial, uint64_t *limit)
{
    const struct perf_samples *samples = trial->samples[0];
    double announce = samples[2 * SIZES].ns;
    bool faster = true;

    for (int i = 0; i < SIZES; i++) {
        double message = samples[i].ns, copy = announce + samples[SIZES + i].ns;
        char size[16];

        if (message <= 0 || announce <= 0 || samples[SIZES + i].ns <= 0) {
            fprintf(file, "#   %-10s not measured in this state\n",
                    perf_size_text((uint64_t)FIRST << i, size, sizeof(size)));
            faster = false;
            continue;
        }
        fprintf(file, "#   %-10s%12.3f us%12.3f us   %.2f\n",
                perf_size_text((uint64_t)FIRST << i, size, sizeof(size)), message / 1000,
                copy / 1000, message / copy);
        faster = faster && message <= copy;
        if (faster) {
            *limit = (uint64_t)FIRST << i;
        }
    }
}

void perf_tune_eager(struct perf_tuning *tuning, uint64_t deadline)
{
    static struct perf_trial trial;
    FILE *file = tuning->evidence;
    uint64_t limit = 0;
    char size[16];

    memset(&trial, 0, sizeof(trial));
    trial.sweep = &eager;
    trial.value_count = 1;
    trial.probe_count = eager.probe_count;
    perf_trial_run(tuning, &trial, deadline);
    perf_trial_judge(&trial);
    fprintf(file,
            "#\n# Copy in and out (message), or a single copy (short message, Read); state %s, "
            "line %.0f ns, %d full rounds\n#   %-10s%15s%15s   ratio\n",
            trial.state, trial.line_ns, trial.rounds, "size", "message", "single copy");
    print_sizes(file, &trial, &limit);
    if (limit == 0 || trial.too_busy) {
        char present[32];

        (void)ni_param_format(ni_param_find("match_eager"), present, sizeof(present));
        fprintf(file, "#   -> leave it%s\n", trial.too_busy ? ": the machine was too busy" : "");
        perf_tune_setting(tuning, "match_eager", present, true);
        return;
    }
    fprintf(file, "#   -> eager limit %llu (%llu and a header)\n",
            (unsigned long long)(limit + HEADER), (unsigned long long)limit);
    fprintf(tuning->mca, "btl_apelink_eager_limit = %llu\n", (unsigned long long)(limit + HEADER));
    perf_tune_setting(tuning, "match_eager", perf_size_text(limit, size, sizeof(size)), false);
}
