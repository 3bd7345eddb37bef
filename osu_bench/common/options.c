/* SPDX-License-Identifier: BSD-3-Clause */
#ifdef HAVE_CONFIG_H
#include "apelink_config.h"
#endif
#include "common/options.h"
#include "common/parse.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

/* One row per option: parsing and help both come from here. A letter may have two rows with different programs. */
struct option_row {
    int letter;
    const char *name; /* long name */
    const char *
        argument; /* name of the value in the help text; NULL: takes none; "[..]": may be left out */
    const char *help;
    const char *(*parse)(const char *value, struct osu_options *out);
};

struct word {
    const char *name;
    int value;
};

/* Look value up among words; NULL if found. */
static const char *parse_word(const char *value, const struct word *words, const char *wanted,
                              int *out)
{
    for (; words->name != NULL; words++) {
        if (strcmp(words->name, value) == 0) {
            *out = words->value;
            return NULL;
        }
    }
    return wanted;
}

static const char *take_iterations(const char *value, struct osu_options *out)
{
    const char *wanted = osu_parse_int(value, 1, INT_MAX / 2, &out->iterations.small);
    out->iterations.large = out->iterations.small;
    return wanted != NULL ? "a number from 1 up" : NULL;
}

static const char *take_warmup(const char *value, struct osu_options *out)
{
    const char *wanted = osu_parse_int(value, 0, INT_MAX / 2, &out->warmup.small);
    out->warmup.large = out->warmup.small;
    return wanted != NULL ? "a number from 0 up" : NULL;
}

static const char *take_window(const char *value, struct osu_options *out)
{
    return osu_parse_int(value, 1, 65536, &out->window) != NULL ? "a number from 1 to 65536" : NULL;
}

static const char *take_pairs(const char *value, struct osu_options *out)
{
    return osu_parse_int(value, 1, 65536, &out->pairs) != NULL ? "a number from 1 to 65536" : NULL;
}

static const char *take_check(const char *value, struct osu_options *out)
{
    (void)value;
    out->check = true;
    return NULL;
}

static const char *take_full(const char *value, struct osu_options *out)
{
    (void)value;
    out->full = true;
    return NULL;
}

static const char *take_rate(const char *value, struct osu_options *out)
{
    int flag = 0;
    const char *wanted = osu_parse_int(value, 0, 1, &flag);
    out->print_rate = flag != 0;
    return wanted != NULL ? "0 or 1" : NULL;
}

static const char *take_buffers(const char *value, struct osu_options *out)
{
    static const struct word words[] = {{"single", 0}, {"multiple", 1}, {NULL, 0}};
    int flag = 0;
    const char *wanted = parse_word(value, words, "single or multiple", &flag);
    out->multiple = flag != 0;
    return wanted;
}

static const char *take_window_kind(const char *value, struct osu_options *out)
{
    static const struct word words[] = {{"create", OSU_WINDOW_CREATE},
                                        {"allocate", OSU_WINDOW_ALLOCATE},
                                        {"dynamic", OSU_WINDOW_DYNAMIC},
                                        {NULL, 0}};
    int kind = (int)out->window_kind;
    const char *wanted = parse_word(value, words, "create, allocate or dynamic", &kind);
    out->window_kind = (enum osu_window_kind)kind;
    return wanted;
}

static const char *take_sync(const char *value, struct osu_options *out)
{
    static const struct word words[] = {{"lock", OSU_SYNC_LOCK},
                                        {"flush", OSU_SYNC_FLUSH},
                                        {"flush_local", OSU_SYNC_FLUSH_LOCAL},
                                        {"lock_all", OSU_SYNC_LOCK_ALL},
                                        {"pscw", OSU_SYNC_PSCW},
                                        {"fence", OSU_SYNC_FENCE},
                                        {NULL, 0}};
    int kind = (int)out->sync_kind;
    const char *wanted =
        parse_word(value, words, "lock, flush, flush_local, lock_all, pscw or fence", &kind);
    out->sync_kind = (enum osu_sync_kind)kind;
    return wanted;
}

static const char *take_type(const char *value, struct osu_options *out)
{
    static const struct word words[] = {{"mpi_char", OSU_TYPE_CHAR},
                                        {"mpi_int", OSU_TYPE_INT},
                                        {"mpi_long_long", OSU_TYPE_LONG_LONG},
                                        {"mpi_float", OSU_TYPE_FLOAT},
                                        {NULL, 0}};
    int type = (int)out->type;
    const char *wanted =
        parse_word(value, words, "mpi_char, mpi_int, mpi_long_long or mpi_float", &type);
    out->type = (enum osu_type)type;
    return wanted;
}

static const char *take_integer_type(const char *value, struct osu_options *out)
{
    if (strcmp(value, "mpi_float") == 0)
        return "mpi_char, mpi_int or mpi_long_long";
    return take_type(value, out);
}

static const char *take_queue(const char *value, struct osu_options *out)
{
    static const struct word words[] = {
        {"posted", OSU_QUEUE_POSTED}, {"unexpected", OSU_QUEUE_UNEXPECTED}, {NULL, 0}};
    int queue = (int)out->queue;
    const char *wanted = parse_word(value, words, "posted or unexpected", &queue);
    out->queue = (enum osu_queue)queue;
    return wanted;
}

static const char *take_order(const char *value, struct osu_options *out)
{
    static const struct word words[] = {{"forward", OSU_ORDER_FORWARD},
                                        {"reverse", OSU_ORDER_REVERSE},
                                        {"random", OSU_ORDER_RANDOM},
                                        {NULL, 0}};
    int order = (int)out->order;
    const char *wanted = parse_word(value, words, "forward, reverse or random", &order);
    out->order = (enum osu_order)order;
    return wanted;
}

static const char *take_wildcards(const char *value, struct osu_options *out)
{
    return osu_parse_int(value, 0, 100, &out->wildcards) != NULL ? "a percentage from 0 to 100"
                                                                 : NULL;
}

static const char *take_limit(const char *value, struct osu_options *out)
{
    return osu_parse_bytes(value, &out->memory_limit);
}

static const char *take_digits(const char *value, struct osu_options *out)
{
    return osu_parse_int(value, 0, 9, &out->digits) != NULL ? "a number from 0 to 9" : NULL;
}

static const char *take_memory(const char *value, struct osu_options *out)
{
    (void)value;
    out->memory = true;
    return NULL;
}

static const char *take_contact(const char *value, struct osu_options *out)
{
    (void)value;
    out->contact = true;
    return NULL;
}

/* '#' is the letter of the long option --digits, which has no short form; 'B', 'C' and 'Y' stand for second rows. */
static const struct option_row rows[] = {
    {'m', "message-size", "[MIN:]MAX",
     "sizes in bytes, doubling from MIN to MAX, or a list 8,256,4K", osu_parse_sizes},
    {'B', "message-size", "BYTES", "size of a message (default 8)", osu_parse_one_size},
    {'d', "depth", "DEPTH[,..]",
     "entries in the queue besides the one that is matched, a row for each", osu_parse_depths},
    {'q', "queue", "KIND", "what is deep: posted receives, or unexpected messages (default posted)",
     take_queue},
    {'o', "order", "ORDER",
     "entry that is matched next: forward (the oldest), reverse (the newest) or random (default)",
     take_order},
    {'a', "wildcards", "PERCENT",
     "receives with MPI_ANY_SOURCE or MPI_ANY_TAG, half of each (default 0)", take_wildcards},
    {'i', "iterations", "ITER", "timed iterations for each size", take_iterations},
    {'x', "warmup", "ITER", "iterations before them that are not timed", take_warmup},
    {'W', "window-size", "SIZE", "messages in flight at a time (default 64)", take_window},
    {'p', "num-pairs", "PAIRS", "pairs of ranks (default: half of the ranks)", take_pairs},
    {'R', "print-rate", "0|1", "print messages per second (default 1)", take_rate},
    {'b', "buffer-num", "single|multiple", "one buffer for a whole window, or one for each message",
     take_buffers},
    {'t', "num-threads", "[SEND:]RECV", "threads of rank 0 and of rank 1 (default 1:2)",
     osu_parse_threads},
    {'w', "win-option", "KIND", "window: create, allocate or dynamic (default allocate)",
     take_window_kind},
    {'s', "sync-option", "KIND",
     "lock, flush, flush_local, lock_all, pscw or fence (default flush)", take_sync},
    {'T', "type", "TYPE", "mpi_char, mpi_int, mpi_long_long or mpi_float", take_type},
    {'Y', "type", "TYPE", "mpi_char, mpi_int or mpi_long_long (default)", take_integer_type},
    {'f', "full", NULL, "print minimum, maximum and iterations as well", take_full},
    {'M', "mem-limit", "BYTES", "the most that one buffer may take (default 512M)", take_limit},
    {'z', "tail-lat", "[P,..]", "percentiles of single iterations, written -z50,90,99",
     osu_parse_percentiles},
    {'c', "validation", NULL, "check each byte received; timings then include less reuse of caches",
     take_check},
    {'C', "memory", NULL, "print the memory of a rank: peak, resident, proportional, private",
     take_memory},
    {'k', "contact", NULL, "exchange a message with each rank, and include what that costs",
     take_contact},
    {'#', "digits", "N", "digits behind the decimal point", take_digits},
};

#define ROW_COUNT ((int)(sizeof(rows) / sizeof(rows[0])))

/* The letter that the user types for a row, 0 if there is none. */
static int typed_letter(const struct option_row *row)
{
    switch (row->letter) {
    case 'Y':
        return 'T';
    case 'B':
        return 'm';
    case 'C':
        return 'M';
    case '#':
        return 0;
    default:
        return row->letter;
    }
}

static int argument_kind(const struct option_row *row)
{
    if (row->argument == NULL)
        return no_argument;
    return row->letter == 'z' ? optional_argument : required_argument;
}

bool osu_is_first_process(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *rank = getenv(names[i]);
        if (rank != NULL)
            return strcmp(rank, "0") == 0;
    }
    return true;
}

void osu_set_size_range(struct osu_options *options, size_t first, size_t last)
{
    int count = 0;
    for (size_t size = first; size <= last && count < OSU_MAX_SIZES; size = size ? size * 2 : 1)
        options->sizes[count++] = size;
    options->size_count = count;
}

static void defaults_common(struct osu_options *options)
{
    memset(options, 0, sizeof(*options));
    osu_set_size_range(options, 1, (size_t)4 << 20);
    options->window = 64;
    options->print_rate = true;
    options->send_threads = 1;
    options->recv_threads = 2;
    options->window_kind = OSU_WINDOW_ALLOCATE;
    options->sync_kind = OSU_SYNC_FLUSH;
    options->memory_limit = (size_t)512 << 20;
    options->digits = 2;
}

void osu_defaults_latency(struct osu_options *options)
{
    defaults_common(options);
    options->iterations = (struct osu_counts){10000, 1000};
    options->warmup = (struct osu_counts){100, 10};
}

void osu_defaults_bandwidth(struct osu_options *options)
{
    defaults_common(options);
    options->iterations = (struct osu_counts){100, 20};
    options->warmup = (struct osu_counts){10, 2};
}

void osu_defaults_collective(struct osu_options *options)
{
    defaults_common(options);
    osu_set_size_range(options, 1, (size_t)1 << 20);
    options->iterations = (struct osu_counts){1000, 100};
    options->warmup = (struct osu_counts){100, 10};
}

void osu_defaults_depth(struct osu_options *options)
{
    static const size_t depths[] = {0, 1, 10, 100, 1000, 10000};

    osu_defaults_latency(options);
    osu_set_size_range(options, 8, 8);
    memcpy(options->depths, depths, sizeof(depths));
    options->depth_count = (int)(sizeof(depths) / sizeof(depths[0]));
    options->queue = OSU_QUEUE_POSTED;
    options->order = OSU_ORDER_RANDOM;
}

static void print_help(const char *name, const char *title, const char *letters)
{
    printf("Usage: %s [options]\n%s, with the options of the OSU suite.\n\nOptions:\n", name,
           title);
    for (int i = 0; i < ROW_COUNT; i++) {
        char left[64];
        const struct option_row *row = &rows[i];
        if (row->letter != '#' && strchr(letters, row->letter) == NULL)
            continue;
        int letter = typed_letter(row);
        snprintf(left, sizeof(left), "%c%c%s --%s%s%s", letter ? '-' : ' ', letter ? letter : ' ',
                 letter ? "," : " ", row->name, row->argument ? " " : "",
                 row->argument ? row->argument : "");
        printf("  %-36s %s\n", left, row->help);
    }
    printf("  %-36s %s\n  %-36s %s\n", "-h, --help", "this text", "-v, --version",
           "name and version");
}

/* Complain about an option that getopt did not accept; letter is 0 when it was typed by its long name. */
static void complain_unknown(const char *name, int letter, const char *typed)
{
    if (!osu_is_first_process())
        return;
    if (letter != 0)
        fprintf(stderr, "%s: this program has no option -%c", name, letter);
    else
        fprintf(stderr, "%s: '%s' is no option, or its value is too much", name, typed);
    fprintf(stderr, "; '%s -h' lists the options\n", name);
}

static void complain_missing(const char *name, const struct option_row *row)
{
    if (osu_is_first_process())
        fprintf(stderr, "%s: --%s needs a value: %s\n", name, row->name, row->argument);
}

static void complain_value(const char *name, const struct option_row *row, const char *value,
                           const char *wanted)
{
    if (osu_is_first_process())
        fprintf(stderr, "%s: --%s '%s': wanted is %s\n", name, row->name, value ? value : "",
                wanted);
}

/* The getopt tables of a program; index into long_rows is the row number. */
struct getopt_tables {
    char shorts[2 + 3 * (ROW_COUNT + 2)];
    struct option longs[ROW_COUNT + 3];
};

static void build_tables(struct getopt_tables *tables, const char *letters)
{
    char *s = tables->shorts;
    struct option *l = tables->longs;

    *s++ = ':';
    for (int i = 0; i < ROW_COUNT; i++) {
        const struct option_row *row = &rows[i];
        if (row->letter != '#' && strchr(letters, row->letter) == NULL)
            continue;
        int letter = typed_letter(row);
        int kind = argument_kind(row);
        if (letter != 0) {
            *s++ = (char)letter;
            for (int colons = 0; colons < kind; colons++)
                *s++ = ':';
        }
        *l++ = (struct option){row->name, kind, NULL, 256 + i};
    }
    *l++ = (struct option){"help", no_argument, NULL, 'h'};
    *l++ = (struct option){"version", no_argument, NULL, 'v'};
    *l = (struct option){NULL, 0, NULL, 0};
    memcpy(s, "hv", 3);
}

/* The row of what getopt returned: it knows only options that the program has, so there is one. */
static const struct option_row *find_row(int code, const char *letters)
{
    if (code >= 256)
        return &rows[code - 256];
    for (int i = 0; i < ROW_COUNT; i++) {
        if (strchr(letters, rows[i].letter) != NULL && typed_letter(&rows[i]) == code)
            return &rows[i];
    }
    abort();
}

enum osu_parse_result osu_options_parse(struct osu_options *options, int argc, char **argv,
                                        const char *name, const char *title, const char *letters)
{
    struct getopt_tables tables;
    int code;

    build_tables(&tables, letters);
    opterr = 0;
    while ((code = getopt_long(argc, argv, tables.shorts, tables.longs, NULL)) != -1) {
        if (code == 'h' || code == 'v') {
            if (osu_is_first_process() && code == 'h')
                print_help(name, title, letters);
            else if (osu_is_first_process())
                printf("%s (apelink) %s\n", title, PACKAGE_VERSION);
            return OSU_PARSE_DONE;
        }
        if (code == '?') {
            complain_unknown(name, optopt < 256 ? optopt : 0, argv[optind - 1]);
            return OSU_PARSE_BAD;
        }
        if (code == ':') {
            complain_missing(name, find_row(optopt, letters));
            return OSU_PARSE_BAD;
        }
        const struct option_row *row = find_row(code, letters);
        const char *wanted = row->parse(optarg, options);
        if (wanted != NULL) {
            complain_value(name, row, optarg, wanted);
            return OSU_PARSE_BAD;
        }
    }
    if (optind < argc) {
        if (osu_is_first_process())
            fprintf(stderr, "%s: '%s' is not an option; '%s -h' lists the options\n", name,
                    argv[optind], name);
        return OSU_PARSE_BAD;
    }
    return OSU_PARSE_RUN;
}
