/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_PERF_TUNE_H
#define TOOLS_PERF_TUNE_H

#include <stdio.h>

#include "perf.h"

/*
 * --tune. A sweep tries values of one parameter: for each a fresh pair of processes, which takes a
 * few measurements, the probes. Values take turns, in many rounds, whose directions alternate; so
 * what changes on the machine meanwhile meets all of them. What was measured in another state than
 * most of it does not count. What a sweep recommends is set in those that follow.
 *
 *   perf_tune.c         rounds, time         perf_tune_print.c   evidence, recommendations
 *   perf_tune_sweeps.c  what is tried        perf_tune_judge.c   what the samples say
 *   perf_tune_eager.c   messages, or a single copy?
 */

enum {
    PERF_VALUES_MAX = 10,
    PERF_PROBES_MAX = 16,
    PERF_SAMPLES_MAX = 32, /* of one probe with one value */
    PERF_CHOSEN_MAX = 16,
};

enum {
    PERF_REWRITE = 1,  /* the source is written anew before each transfer */
    PERF_TOGETHER = 2, /* both processes on one core */
};

struct perf_probe {
    enum perf_mode mode;
    enum perf_op op;
    uint64_t size;
    unsigned how; /* of the bits below */
};

struct perf_sweep {
    const char *param;
    const char *values[PERF_VALUES_MAX]; /* NULL-terminated; besides the present value */
    struct perf_setting fixed;           /* set in all runs; name NULL: nothing */
    bool waits;                          /* see struct perf_setup */
    struct perf_probe probes[PERF_PROBES_MAX];
    int probe_count;
    int quick_values, quick_probes; /* of these with --quick; no values: the sweep is left out */
};

extern const struct perf_sweep perf_sweeps[];
extern const size_t perf_sweep_count;

/* Parameters that are left to people, and why. Those of no sweep are here. */
struct perf_untried {
    const char *param, *why;
};
extern const struct perf_untried perf_untried[];
extern const size_t perf_untried_count;

struct perf_sample {
    double ns; /* per item */
    double line_ns;
    const char *state;
};

/* The samples of one probe with one value. */
struct perf_samples {
    struct perf_sample sample[PERF_SAMPLES_MAX];
    int count;
    /* of those in the state that counts */
    int used;
    double ns, low, high; /* median and quartiles; 0: none */
};

/* A sweep under way: value 0 is the present one. */
struct perf_trial {
    const struct perf_sweep *sweep;
    char present[32];
    const char *values[PERF_VALUES_MAX + 1]; /* [0] NULL: not set */
    int value_count, probe_count;
    struct perf_samples samples[PERF_VALUES_MAX + 1][PERF_PROBES_MAX];
    int rounds;
    const char *state;                 /* that counts */
    double line_ns;                    /* median in it */
    double score[PERF_VALUES_MAX + 1]; /* time against that of the present value; 0: unknown */
    int best;                          /* the value to recommend; 0: leave it */
    bool too_busy;                     /* nothing can be said */
};

/* Text under way, and how it all ends. Lines that begin with # in environment and mca are what is
 * left as it is. */
struct perf_tuning {
    struct perf_options *options;
    FILE *evidence, *environment, *mca;
    /* What was recommended so far: sweeps that follow run with it. */
    struct perf_setting chosen[PERF_CHOSEN_MAX];
    size_t chosen_count;
    uint64_t deadline; /* ns, for all */
    int step, steps;   /* for the progress line */
};

/* Measure until the deadline (ns) or often enough. */
void perf_trial_run(struct perf_tuning *tuning, struct perf_trial *trial, uint64_t deadline);
/* Judge: state, medians, scores, best. */
void perf_trial_judge(struct perf_trial *trial);
/* Evidence, and a recommendation if there is one. */
void perf_trial_print(struct perf_tuning *tuning, const struct perf_trial *trial);

/* Settings for a value that is recommended, or, as comments, for one that is left as it is. */
void perf_tune_setting(struct perf_tuning *tuning, const char *param, const char *value, bool keep);

/* What was not tried, with the reason. */
void perf_tune_print_untried(struct perf_tuning *tuning);

/* Until which size a message is faster than a single copy that a message announces. */
void perf_tune_eager(struct perf_tuning *tuning, uint64_t deadline);

/* Say what is under way, on standard error. */
void perf_tune_progress(const struct perf_tuning *tuning, const char *what, int round);

/* "64K", "latency write 64K". Return text. */
const char *perf_size_text(uint64_t size, char *text, size_t len);

#endif
