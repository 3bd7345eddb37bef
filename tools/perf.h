/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_PERF_H
#define TOOLS_PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * apeni-perf: measures the network interface without MPI.
 *
 *   apeni-perf.c    modes, help                 perf_side.c     an NI, its peer; sending, waiting
 *   perf_options.c  the command line            perf_line.c     one-way time of a cache line
 *   perf_cores.c    where processes run         perf_latency.c  ping-pong, completion of transfers
 *   perf_team.c     starts and directs workers  perf_stream.c   bandwidth, rate
 *   perf_worker.c   what a worker does          perf_check.c    whether data arrives as it was sent
 *   perf_stats.c    medians, machine states     perf_search.c   search of the buffer table
 *   perf_report.c   table, CSV, JSON            perf_measure.c  the modes latency to mbw
 *   perf_values.c   values of options           perf_tune*.c    --tune
 *   perf_stamps.c   where the time goes         perf_board.c    a card, without the NI
 *                                               perf_cards.c    opens it
 *
 * The process that the user starts opens no interface and is not pinned. It forks workers, two for
 * each pair, a leader and a follower (one process plays both over the link inproc), and sleeps
 * while they measure. It sends each worker a cell, one thing to measure; leaders send results back.
 * Nothing of this outlives it: workers die with it, what they share has no name.
 */

enum {
    PERF_SIZES_MAX = 64,
    PERF_REPS_MAX = 101,
    PERF_CORES_MAX = 64,
    PERF_PAIRS_MAX = 32,
    PERF_SIZE_MAX = 1 << 30, /* bytes of a message */
    PERF_ITERATIONS_MAX = 100000000,
    PERF_WINDOW_MAX = 4096,
    PERF_STAMPS = 4096, /* messages whose times are kept, --stamps */
    PERF_STAMP_PARTS = 4,
};

enum perf_exit { PERF_EXIT_GOOD = 0, PERF_EXIT_FAILED = 1, PERF_EXIT_BAD_USE = 2 };

enum perf_mode {
    PERF_LATENCY,
    PERF_BW,
    PERF_BIBW,
    PERF_RATE,
    PERF_MBW,
    PERF_SEARCH,
    PERF_TUNE,
    PERF_BOARD,
    PERF_MODES
};

/* How a transfer is made. */
enum perf_op {
    PERF_MESSAGE,  /* ni_message to a consumer */
    PERF_INLINE,   /* the same, composed in place (engine/send/fast.h) */
    PERF_WRITE,    /* ni_write with an ack */
    PERF_READ,     /* ni_read */
    PERF_FETCH_OP, /* ni_fetch_op, 4 or 8 bytes */
    PERF_OPS
};

/* Over inproc one process has both sides, over the others each has one. */
enum perf_link { PERF_SHM, PERF_INPROC, PERF_UCX, PERF_DEV, PERF_LINKS };

enum perf_format { PERF_TABLE, PERF_CSV, PERF_JSON };

/* "latency", "message", "shm". */
extern const char *const perf_mode_names[PERF_MODES];
extern const char *const perf_op_names[PERF_OPS];
extern const char *const perf_link_names[PERF_LINKS];

struct perf_options {
    enum perf_mode mode;
    enum perf_link link;
    enum perf_format format;
    uint64_t sizes[PERF_SIZES_MAX]; /* bytes, or entries for PERF_SEARCH */
    int size_count;
    enum perf_op ops[PERF_OPS];
    int op_count;
    int cores[PERF_CORES_MAX];
    int core_count;      /* 0: not given */
    uint64_t iterations; /* 0: by size */
    uint64_t warmup;     /* UINT64_MAX: a tenth of the iterations */
    uint64_t reps;
    uint64_t window;
    uint64_t pairs;
    int digits; /* -1: by unit */
    bool check;
    bool rewrite;
    bool quick;
    bool stamps;
    const char *devices; /* of cards, as --devices has them, or NULL */
    const char *write;   /* file, or NULL */
};

/* Parse the command line. Prints help, version or what is wrong, and ends the process then. */
void perf_options_parse(struct perf_options *options, int argc, char **argv);

/* Prints the text and ends the process with PERF_EXIT_BAD_USE. */
_Noreturn void perf_bad_use(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints the text and ends the process, a worker or not, with PERF_EXIT_FAILED. */
_Noreturn void perf_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Behind the last output of all: as perf_fail if not all of it could be written. */
void perf_end_output(void);

/* ---- perf_cores.c ---------------------------------------------------------------------------- */

/* Choose cores, one hardware thread of each at first, or check those that the user gave: numbers
 * of cores that this process may use, PERF_CORES_MAX at most. Fails with a sentence. */
void perf_cores_choose(struct perf_options *options);

/* Pin the calling process. Fails with a sentence. */
void perf_cores_pin(int core);

/* ---- perf_line.c, perf_stats.c --------------------------------------------------------------- */

/* One-way times of a cache line, ns; count 0: not measured, or disturbed all the time. */
struct perf_line {
    double least, median;
    uint32_t count;
    bool tried;
};

/* Names as in osu_bench/compare: shared, near, between, far; mixed when the two differ, busy when
 * either was disturbed, unknown if not measured, none if there is no line to be measured. */
const char *perf_line_state(const struct perf_line *before, const struct perf_line *after);

/* Mean of both medians, or 0. */
double perf_line_mean(const struct perf_line *before, const struct perf_line *after);

/* Sorts values. count at least 1. */
double perf_median(double *values, size_t count);

/* ---- a cell ---------------------------------------------------------------------------------- */

/* One thing to measure. */
struct perf_cell {
    enum perf_mode mode;
    enum perf_op op;
    uint64_t size;
    uint64_t iterations; /* in a rep; of a stream: windows */
    uint64_t warmup;     /* before the first rep */
    uint32_t reps;
    uint32_t window;
    uint64_t limit_ns; /* no rep begins later than this after the first one */
    bool check;
    bool stamps;  /* say where the time goes, too */
    bool rewrite; /* PERF_LATENCY: the source is written anew before each transfer, not timed */
};

/* Medians, least and largest of: from posted to departed, from there to arrived, from there to
 * delivered; the error of the clocks. count 0: not known. */
struct perf_stamps {
    double ns[PERF_STAMP_PARTS], least[PERF_STAMP_PARTS], most[PERF_STAMP_PARTS];
    uint32_t count;
};

struct perf_result {
    double ns[PERF_REPS_MAX]; /* per item: one way, one transfer, or one message of a stream */
    uint32_t count;           /* reps done, at least 1 */
    struct perf_line before, after;
    struct perf_stamps stamps;
    uint64_t wrong; /* bytes that did not arrive as they were sent */
};

/* ---- perf_team.c ----------------------------------------------------------------------------- */

/* A parameter that workers set before they open their interface. */
struct perf_setting {
    const char *name, *value;
};

struct perf_setup {
    enum perf_link link;
    unsigned pairs;
    int cores[2 * PERF_PAIRS_MAX]; /* of leader 0, follower 0, leader 1 ... */
    uint64_t capacity;             /* longest transfer, bytes */
    bool
        waits; /* sides wait as ni_wait does: spin, yield, block, instead of polling all the time */
    const struct perf_setting *settings;
    size_t setting_count;
    const char *devices; /* the leaders' card, and behind a comma the followers'; NULL: as set */
};

struct perf_team;

/* Start workers; fails with a sentence. */
struct perf_team *perf_team_start(const struct perf_setup *setup);

/* Longest message that ni_message takes between workers, bytes. */
uint64_t perf_team_message_max(const struct perf_team *team);

/* How the workers reach each other, for people. */
const char *perf_team_describe(const struct perf_team *team);

/* Measure; result has setup.pairs elements. */
void perf_team_run(struct perf_team *team, const struct perf_cell *cell,
                   struct perf_result *result);

/* End the workers and free. */
void perf_team_stop(struct perf_team *team);

/* Cores of all workers from a list that is used again when it is too short. */
void perf_setup_cores(struct perf_setup *setup, const int *cores, int count);

/* ---- perf_stamps.c --------------------------------------------------------------------------- */

/* What the result of a cell with stamps says, as PERF_STAMP_PARTS values beside its latency. */
struct perf_value;
void perf_stamps_values(struct perf_value *values, const struct perf_value *latency,
                        const struct perf_result *result);

/* ---- perf_report.c --------------------------------------------------------------------------- */

/* A value with its circumstances. */
struct perf_value {
    char bench[32];     /* "latency_message" */
    const char *column; /* heading in a table */
    uint64_t size;
    bool there; /* false: cannot be measured, such as a message that is too long */
    double value, least, most;
    uint32_t reps;
    const char *unit;
    double line_ns; /* 0: unknown */
    const char *state;
    bool checked;
    uint64_t wrong;
};

void perf_report_begin(const struct perf_options *options, const char *about);
/* All values of one size, in the order of columns. */
void perf_report_row(const struct perf_options *options, const struct perf_value *values,
                     int count);
void perf_report_end(const struct perf_options *options);

/* ---- modes ----------------------------------------------------------------------------------- */

/* latency to mbw. Returns the exit status. */
int perf_measure(struct perf_options *options);
/* From ns per item to what a mode prints: us, messages/s or MB/s. */
double perf_convert(enum perf_mode mode, uint64_t size, double ns);
const char *perf_unit(enum perf_mode mode);

int perf_search(struct perf_options *options);
int perf_board(const struct perf_options *options);
int perf_tune(struct perf_options *options);

#endif
