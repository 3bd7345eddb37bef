/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OSU_COMMON_OPTIONS_H
#define OSU_COMMON_OPTIONS_H

/*
 * Command line of the benchmark programs. Names and defaults follow the OSU suite; each program
 * states in its osu_spec which options it takes. Parsing needs no MPI and happens before MPI_Init,
 * so a mistyped option costs no start-up.
 */

#include <stdbool.h>
#include <stddef.h>

#define OSU_MAX_SIZES       64
#define OSU_MAX_PERCENTILES 5
/* Messages above this many bytes use the iteration counts for large messages, as in the OSU
 * suite. */
#define OSU_LARGE_MESSAGE 8192

enum osu_window_kind { OSU_WINDOW_CREATE, OSU_WINDOW_ALLOCATE, OSU_WINDOW_DYNAMIC };

enum osu_sync_kind {
    OSU_SYNC_LOCK,
    OSU_SYNC_FLUSH,
    OSU_SYNC_FLUSH_LOCAL,
    OSU_SYNC_LOCK_ALL,
    OSU_SYNC_PSCW,
    OSU_SYNC_FENCE
};

enum osu_type { OSU_TYPE_CHAR, OSU_TYPE_INT, OSU_TYPE_LONG_LONG, OSU_TYPE_FLOAT };

/* What a message meets at its receiver (osu_deep_queue). */
enum osu_queue { OSU_QUEUE_POSTED, OSU_QUEUE_UNEXPECTED };

/* Which entry of the queue is matched next: the oldest, the newest, or any. */
enum osu_order { OSU_ORDER_FORWARD, OSU_ORDER_REVERSE, OSU_ORDER_RANDOM };

/* Which messages a step is made of (osu_patterns). */
enum osu_pattern_kind {
    OSU_PATTERN_EXCH,
    OSU_PATTERN_RING,
    OSU_PATTERN_HALO6,
    OSU_PATTERN_PERS,
    OSU_PATTERN_ANY,
    OSU_PATTERN_LATE
};

/* Iterations and warm-up rounds for messages up to OSU_LARGE_MESSAGE bytes and above. */
struct osu_counts {
    int small;
    int large;
};

struct osu_options {
    size_t sizes[OSU_MAX_SIZES]; /* bytes, ascending as given */
    int size_count;
    struct osu_counts iterations; /* timed rounds per size */
    struct osu_counts warmup;     /* untimed rounds before them */
    int window;                   /* messages in flight per round (bandwidth tests) */
    bool check;                   /* -c: check each byte received */
    bool used;                    /* -u: messages are written and read */
    bool full;                    /* -f: minimum, maximum and iterations of collectives */
    bool multiple;    /* -b multiple: a buffer of its own for each message of a window */
    bool print_rate;  /* -R: messages per second of osu_mbw_mr */
    int pairs;        /* -p: pairs of ranks, 0: half of the ranks */
    int send_threads; /* -t: threads of rank 0 */
    int recv_threads; /* -t: threads of rank 1 */
    enum osu_window_kind window_kind;
    enum osu_sync_kind sync_kind;
    enum osu_type type;
    size_t memory_limit; /* -M: bytes that one buffer may take */
    double percentiles[OSU_MAX_PERCENTILES];
    int percentile_count; /* -z: 0 without it */
    int digits;           /* digits behind the decimal point */
    /* -d: entries of the queue besides the one that is matched; -N: ranks that sleep. */
    size_t depths[OSU_MAX_SIZES];
    int depth_count;
    enum osu_queue queue;
    enum osu_order order;
    enum osu_pattern_kind pattern;
    int wildcards; /* -a: percent of the receives that name any source or any tag */
    bool memory;   /* osu_init -M: memory per rank */
    bool contact;  /* osu_init -k: exchange a message with each rank before measuring memory */
};

enum osu_parse_result {
    OSU_PARSE_RUN,  /* go on */
    OSU_PARSE_DONE, /* help or version was printed: exit with 0 */
    OSU_PARSE_BAD   /* a message was printed: exit with 1 */
};

/* Groups of defaults, with the values that the OSU suite uses. */
void osu_defaults_latency(struct osu_options *options);
void osu_defaults_bandwidth(struct osu_options *options);
void osu_defaults_collective(struct osu_options *options);
/* A ping-pong of 8 bytes with queues of 0 to 10,000 entries. */
void osu_defaults_depth(struct osu_options *options);
/* A ping-pong of 8 bytes without and with two ranks that sleep. */
void osu_defaults_peers(struct osu_options *options);

/* Replace the list of sizes by the powers of two from first to last times first (0 is followed by
 * 1). */
void osu_set_size_range(struct osu_options *options, size_t first, size_t last);

/*
 * Parse argv into *options, which holds the defaults already.
 * name: of the program; letters: the options it takes, apart from h and v which all take; title:
 * for --version. Prints help, version or the reason why an option is refused, on the first rank
 * only.
 */
enum osu_parse_result osu_options_parse(struct osu_options *options, int argc, char **argv,
                                        const char *name, const char *title, const char *letters);

/* True unless the launcher's environment says that this process is not the first of its job. Needs
 * no MPI. */
bool osu_is_first_process(void);

#endif
