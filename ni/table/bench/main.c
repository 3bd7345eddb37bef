/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/bench/bench.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apeni/param.h>

#include "base/cpu.h"

/*
 * Append, search and remove on the buffer table of the core, beside the doubly linked list in
 * which APEnet+ 4.4.1 kept its buffers at first (Table 19): the buffer that was added first, as
 * 16th, last, one that is not there, and a random one, with a warm cache and a cold one.
 *
 * Searches form a chain: the address that is searched for, and in the cold case the table, follow
 * from the result of the search before. So what is measured is the time until a result is there,
 * not how many searches a processor can overlap. Where a predicted branch leads to the result (a
 * miss, the list at a fixed position) the processor runs ahead all the same; the row "random" is
 * the fair one.
 */

enum {
    SAMPLES_MAX = 1000,
    /* Tables with a warm cache: one would be removed from in less time than a tick of the clock. */
    WARM_TABLES = 16
};

struct settings {
    size_t entries;
    size_t cold_tables;
    size_t samples;
    size_t searches; /* per sample */
    bool csv;
    bool paper;
};

struct cell {
    double median, p25, p75;
};

static const char usage[] =
    "Usage: ni_table [OPTION]...\n"
    "Times append, search and remove on the buffer table and on a doubly linked list, in ns.\n"
    "\n"
    "  -n, --entries=N   buffers in a table (default 32)\n"
    "  -c, --cold=N      tables for the columns with a cold cache, searched in turns (default\n"
    "                    4096)\n"
    "  -s, --samples=N   of which the median is printed (default 21, at most 1000)\n"
    "  -i, --searches=N  searches in a sample (default 4096)\n"
    "  -v, --simd=KIND   auto, avx512, avx2 or scalar (default: the parameter simd)\n"
    "  -p, --paper       the program of APEnet+ 4.3 on 32 buffers, with its Table 19 (-c and -s "
    "apply)\n"
    "      --csv         one line per cell: operation,position,cache,kind,median,p25,p75\n"
    "  -h, --help        this text\n";

/* A number of at least 1 and at most max; anything else ends the program. */
static size_t count_option(const char *text, const char *option, size_t max)
{
    char *end = NULL;
    unsigned long long value = strtoull(text, &end, 10);

    if (text[0] < '0' || text[0] > '9' || *end != '\0' || value < 1 || value > max) {
        fprintf(stderr, "ni_table: --%s %s: wants a number from 1 to %zu\n", option, text, max);
        exit(1);
    }
    return (size_t)value;
}

static void set_table_simd(const char *text)
{
    char error[256] = "";

    if (ni_param_set("simd", text, "command line", error, sizeof(error)) != NI_OK) {
        fprintf(stderr, "ni_table: --simd: %s\n", error);
        exit(1);
    }
}

static void parse_table_options(struct settings *settings, int argc, char **argv)
{
    static const struct option options[] = {{"entries", required_argument, NULL, 'n'},
                                            {"cold", required_argument, NULL, 'c'},
                                            {"samples", required_argument, NULL, 's'},
                                            {"searches", required_argument, NULL, 'i'},
                                            {"simd", required_argument, NULL, 'v'},
                                            {"csv", no_argument, NULL, 'C'},
                                            {"paper", no_argument, NULL, 'p'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    int option = 0;

    while ((option = getopt_long(argc, argv, "n:c:s:i:v:ph", options, NULL)) != -1) {
        switch (option) {
        case 'n':
            settings->entries = count_option(optarg, "entries", 1000000);
            break;
        case 'c':
            settings->cold_tables = count_option(optarg, "cold", 1000000);
            break;
        case 's':
            settings->samples = count_option(optarg, "samples", SAMPLES_MAX);
            break;
        case 'i':
            settings->searches = count_option(optarg, "searches", 1000000000);
            break;
        case 'v':
            set_table_simd(optarg);
            break;
        case 'p':
            settings->paper = true;
            break;
        case 'C':
            settings->csv = true;
            break;
        case 'h':
            fputs(usage, stdout);
            exit(0);
        default:
            fputs("Try ni_table --help.\n", stderr);
            exit(1);
        }
    }
    if (optind < argc) {
        fprintf(stderr, "ni_table: %s: takes no arguments; try ni_table --help\n", argv[optind]);
        exit(1);
    }
}

static struct cell summary(double *samples, size_t count)
{
    return (struct cell){.median = table_quantile(samples, count, 0.5),
                         .p25 = table_quantile(samples, count, 0.25),
                         .p75 = table_quantile(samples, count, 0.75)};
}

enum operation { OPERATION_APPEND, OPERATION_SEARCH, OPERATION_REMOVE };

static const struct row {
    enum operation operation;
    enum table_position position;
    const char *name[2];
} rows[] = {
    {OPERATION_APPEND, POSITION_FIRST, {"append", "all"}},
    {OPERATION_SEARCH, POSITION_FIRST, {"search", "first"}},
    {OPERATION_SEARCH, POSITION_16TH, {"search", "16th"}},
    {OPERATION_SEARCH, POSITION_LAST, {"search", "last"}},
    {OPERATION_SEARCH, POSITION_MISS, {"search", "miss"}},
    {OPERATION_SEARCH, POSITION_RANDOM, {"search", "random"}},
    {OPERATION_REMOVE, POSITION_FIRST, {"remove", "first"}},
    {OPERATION_REMOVE, POSITION_16TH, {"remove", "16th"}},
    {OPERATION_REMOVE, POSITION_LAST, {"remove", "last"}},
    {OPERATION_REMOVE, POSITION_MISS, {"remove", "miss"}},
    {OPERATION_REMOVE, POSITION_RANDOM, {"remove", "random"}},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]), KINDS = 2, CACHES = 2 };

static const struct table_kind *const kinds[KINDS] = {&table_of_core, &table_of_list};
static const char *const caches[CACHES] = {"warm", "cold"};

/* One sample of every row, from an empty set to an empty set. */
static void sample_rows(struct table_set *set, const struct settings *settings, bool cold,
                        double samples[ROWS])
{
    for (unsigned i = 0; i < ROWS; i++) {
        double fill = 0;

        if (rows[i].operation == OPERATION_SEARCH) {
            continue; /* below, all on the same tables */
        }
        fill = table_set_fill(set, cold);
        samples[i] =
            rows[i].operation == OPERATION_APPEND ? fill : table_set_remove(set, rows[i].position);
        table_set_clear(set);
    }
    table_set_fill(set, cold);
    for (unsigned i = 0; i < ROWS; i++) {
        if (rows[i].operation == OPERATION_SEARCH) {
            samples[i] = table_set_search(set, rows[i].position, cold, settings->searches);
        }
    }
    table_set_clear(set);
}

/* Searches must find what they should before their time means anything. */
static void verify(struct table_set *set)
{
    table_set_fill(set, false);
    for (unsigned i = 0; i < ROWS; i++) {
        if (rows[i].operation == OPERATION_SEARCH && !table_set_right(set, rows[i].position)) {
            fprintf(stderr, "ni_table: %s: a search gave the wrong answer\n", set->kind->name);
            exit(1);
        }
    }
    table_set_clear(set);
}

static void measure_rows(const struct settings *settings, const struct table_kind *kind, bool cold,
                         struct cell cells[ROWS])
{
    static double samples[SAMPLES_MAX][ROWS], column[SAMPLES_MAX];
    struct table_set set;

    table_set_make(&set, kind, cold ? settings->cold_tables : WARM_TABLES, settings->entries);
    verify(&set);
    for (size_t i = 0; i < settings->samples; i++) {
        sample_rows(&set, settings, cold, samples[i]);
    }
    table_set_end(&set);
    for (unsigned row = 0; row < ROWS; row++) {
        for (size_t i = 0; i < settings->samples; i++) {
            column[i] = samples[i][row];
        }
        cells[row] = summary(column, settings->samples);
    }
}

static void print_rows_csv(struct cell cells[CACHES][KINDS][ROWS])
{
    printf("operation,position,cache,kind,median,p25,p75\n");
    for (unsigned row = 0; row < ROWS; row++) {
        for (unsigned cache = 0; cache < CACHES; cache++) {
            for (unsigned kind = 0; kind < KINDS; kind++) {
                const struct cell *cell = &cells[cache][kind][row];

                printf("%s,%s,%s,%s,%.2f,%.2f,%.2f\n", rows[row].name[0], rows[row].name[1],
                       caches[cache], kinds[kind]->name, cell->median, cell->p25, cell->p75);
            }
        }
    }
}

static void print_table(const struct settings *settings, struct cell cells[CACHES][KINDS][ROWS])
{
    printf("# Buffer table (%s) and doubly linked list, %zu buffers\n", ni_simd_name(ni_cpu_simd()),
           settings->entries);
    printf("# ns per operation, medians of %zu samples; cold: %zu tables\n", settings->samples,
           settings->cold_tables);
    printf("%-8s %-8s %12s %12s %8s %12s %12s %8s\n", "#", "", "table warm", "list warm", "ratio",
           "table cold", "list cold", "ratio");
    for (unsigned row = 0; row < ROWS; row++) {
        printf("%-8s %-8s", rows[row].name[0], rows[row].name[1]);
        for (unsigned cache = 0; cache < CACHES; cache++) {
            double table = cells[cache][0][row].median, list = cells[cache][1][row].median;

            printf(" %12.1f %12.1f %8.2f", table, list, table / list);
        }
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    static struct cell cells[CACHES][KINDS][ROWS];
    struct settings settings = {
        .entries = 32, .cold_tables = 4096, .samples = 21, .searches = 4096};

    parse_table_options(&settings, argc, argv);
    if (settings.paper) {
        table_19(settings.cold_tables, settings.samples);
        return 0;
    }
    for (unsigned cache = 0; cache < CACHES; cache++) {
        for (unsigned kind = 0; kind < KINDS; kind++) {
            measure_rows(&settings, kinds[kind], cache == 1, cells[cache][kind]);
        }
    }
    if (settings.csv) {
        print_rows_csv(cells);
    } else {
        print_table(&settings, cells);
    }
    return 0;
}
