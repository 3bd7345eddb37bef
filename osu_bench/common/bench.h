/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OSU_COMMON_BENCH_H
#define OSU_COMMON_BENCH_H

/*
 * The life of a benchmark program. A program is one struct osu_bench and a main() that hands it to
 * osu_bench_main():
 *
 *   options are parsed; MPI_Init; the number of ranks is checked
 *   setup                                  once: memory for the largest size
 *   for each size that is not skipped:
 *       open                               all ranks: windows, data
 *       measure                            default: rounds, see below
 *       the times of the ranks are combined into one row, printed by rank 0
 *       close
 *   teardown; MPI_Finalize; exit status 1 if -c found wrong data
 *
 * Rounds: the warm-up rounds and the timed rounds run in one loop and the clock is read twice.
 * Where single rounds matter (-c, -z, or bench.apart), it is read around each of them; with -c,
 * prepare and verify run outside the timed part, and a barrier after prepare keeps messages from
 * overtaking it.
 *
 * Members left NULL or 0 get the defaults named beside them.
 */

#include "common/options.h"

#include <stdint.h>

enum osu_metric {
    OSU_LATENCY,  /* value: microseconds per round times scale() */
    OSU_BANDWIDTH /* value: MB (1e6 bytes) per second; a round is scale() messages of run->size */
};

struct osu_run;

struct osu_bench {
    const char *name;    /* of the program */
    const char *title;   /* "OSU-style MPI Latency Test" */
    const char *letters; /* options taken, see common/options.c */
    const char *axis;    /* first column; default "Size"; "" for none */
    const char *heading; /* second column */
    enum osu_metric metric;
    int min_ranks;
    int max_ranks;    /* 0: any number */
    int thread_level; /* that MPI must provide; default MPI_THREAD_SINGLE */
    bool apart;       /* rounds are timed one by one with an untimed barrier behind each */
    bool rate;        /* a column of messages per second, unless -R 0 */
    bool by_depth;    /* a row for each depth of -d, all with messages of one size */
    void (*defaults)(struct osu_options *options);
    /* Called after parsing: what follows from the options together. Default: nothing. */
    void (*adjust)(struct osu_options *options);

    /* Returns 0, or -1 after a message on stderr. Default: nothing. */
    int (*setup)(struct osu_run *run);
    void (*teardown)(struct osu_run *run);
    /* Further lines of the header, rank 0 only. */
    void (*describe)(const struct osu_run *run);
    /* True if run->size makes no sense for this program. */
    bool (*skip)(const struct osu_run *run);
    void (*open)(struct osu_run *run);
    void (*close)(struct osu_run *run);
    /* Sets run->seconds, and adds to run->errors. Default: rounds. */
    void (*measure)(struct osu_run *run);
    void (*prepare)(struct osu_run *run, int round);
    void (*round)(struct osu_run *run, int round);
    /* Returns the number of wrong bytes. */
    size_t (*verify)(struct osu_run *run, int round);
    /* True if the time of this rank counts. Default: that of rank 0. */
    bool (*timed)(const struct osu_run *run);
    /* Default: 1. */
    double (*scale)(const struct osu_run *run);
};

struct osu_run {
    const struct osu_bench *bench; /* completed: no member is NULL */
    const struct osu_options *options;
    int rank;
    int ranks;
    size_t size;  /* bytes of a message */
    size_t depth; /* bench->by_depth: of the queue, entries */
    int iterations;
    int warmup;
    double seconds;  /* all timed rounds of this rank */
    double *samples; /* seconds of each timed round of this rank; NULL without -z */
    uint64_t errors; /* wrong bytes found by this rank */
};

/* The same with the defaults for what is NULL. */
struct osu_bench osu_bench_complete(const struct osu_bench *given);

/* Runs the program. Returns its exit status. */
int osu_bench_main(const struct osu_bench *bench, int argc, char **argv);

/* The default of osu_bench.measure, for programs that extend it. */
void osu_measure_rounds(struct osu_run *run);

/* For osu_bench.timed: every rank counts. */
bool osu_timed_everywhere(const struct osu_run *run);

/* For osu_bench.scale: one way of a round trip. */
double osu_scale_half(const struct osu_run *run);

/* The largest size of the list. */
size_t osu_largest_size(const struct osu_options *options);

#endif
