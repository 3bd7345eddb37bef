/* SPDX-License-Identifier: BSD-3-Clause */
/* What each option takes, and where it goes. */
#include "common/option_rows.h"
#include "common/parse.h"

#include <string.h>

/* Timed and warm-up rounds together fit into an int. */
#define MOST_ROUNDS 1000000000

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
    const char *wanted = osu_parse_int(value, 1, MOST_ROUNDS, &out->iterations.small);
    out->iterations.large = out->iterations.small;
    return wanted != NULL ? "a number from 1 to 1000000000" : NULL;
}

static const char *take_warmup(const char *value, struct osu_options *out)
{
    const char *wanted = osu_parse_int(value, 0, MOST_ROUNDS, &out->warmup.small);
    out->warmup.large = out->warmup.small;
    return wanted != NULL ? "a number from 0 to 1000000000" : NULL;
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

static const char *take_used(const char *value, struct osu_options *out)
{
    (void)value;
    out->used = true;
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
    if (strcmp(value, "mpi_float") == 0) {
        return "mpi_char, mpi_int or mpi_long_long";
    }
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

static const char *take_pattern(const char *value, struct osu_options *out)
{
    static const struct word words[] = {{"exch", OSU_PATTERN_EXCH},
                                        {"ring", OSU_PATTERN_RING},
                                        {"halo6", OSU_PATTERN_HALO6},
                                        {"pers", OSU_PATTERN_PERS},
                                        {"any", OSU_PATTERN_ANY},
                                        {"late", OSU_PATTERN_LATE},
                                        {NULL, 0}};
    int pattern = (int)out->pattern;
    const char *wanted = parse_word(value, words, "exch, ring, halo6, pers, any or late", &pattern);
    out->pattern = (enum osu_pattern_kind)pattern;
    return wanted;
}

static const char *take_peers(const char *value, struct osu_options *out)
{
    return osu_parse_depths(value, out) != NULL
               ? "a list of up to 64 numbers of ranks, such as 0,2,31"
               : NULL;
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

/* '#' is the letter of the long option --digits, which has no short form; 'B', 'C' and 'Y' stand
 * for second rows. */
const struct osu_option_row osu_option_rows[] = {
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
    {'P', "pattern", "PATTERN", "exch, ring, halo6, pers, any or late (default exch)",
     take_pattern},
    {'N', "peers", "COUNT[,..]", "ranks that have talked to both and sleep, a row for each",
     take_peers},
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
    {'Y', "type", "TYPE", "mpi_char, mpi_int or mpi_long_long", take_integer_type},
    {'f', "full", NULL, "print minimum, maximum and iterations as well", take_full},
    {'M', "mem-limit", "BYTES", "the most that one buffer may take (default 512M)", take_limit},
    {'z', "tail-lat", "[P,..]", "percentiles of single iterations, written -z50,90,99",
     osu_parse_percentiles},
    {'c', "validation", NULL, "check each byte received; timings then include less reuse of caches",
     take_check},
    {'u', "used", NULL,
     "write each message anew before it is sent and read what has come, within the time",
     take_used},
    {'C', "memory", NULL, "print the memory of a rank: peak, resident, proportional, private",
     take_memory},
    {'k', "contact", NULL, "exchange a message with each rank, and include what that costs",
     take_contact},
    {'#', "digits", "N", "digits behind the decimal point", take_digits},
};

const int osu_option_row_count = (int)(sizeof(osu_option_rows) / sizeof(osu_option_rows[0]));

_Static_assert(sizeof(osu_option_rows) / sizeof(osu_option_rows[0]) <= OSU_MOST_OPTION_ROWS,
               "the tables for getopt have room for all rows");
