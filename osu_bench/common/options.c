/* SPDX-License-Identifier: BSD-3-Clause */
#ifdef HAVE_CONFIG_H
#include "apelink_config.h"
#endif
#include "common/option_rows.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

/* The letter that the user types for a row, 0 if there is none. */
static int typed_letter(const struct osu_option_row *row)
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

static int argument_kind(const struct osu_option_row *row)
{
    if (row->argument == NULL) {
        return no_argument;
    }
    return row->letter == 'z' ? optional_argument : required_argument;
}

bool osu_is_first_process(void)
{
    static const char *const names[] = {"PRESTO_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                        "PMI_RANK"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *rank = getenv(names[i]);
        if (rank != NULL) {
            return strcmp(rank, "0") == 0;
        }
    }
    return true;
}

static void print_list(const size_t *values, int count)
{
    for (int i = 0; i < count; i++) {
        printf("%s%zu", i == 0 ? "" : ",", values[i]);
    }
}

/* What the options are that are not given, as far as it differs from program to program. */
static void print_defaults(const struct osu_options *options, const char *letters)
{
    static const char *const types[] = {"mpi_char", "mpi_int", "mpi_long_long", "mpi_float"};

    if (strchr(letters, 'i') == NULL) {
        return;
    }
    printf("\nDefaults:");
    if (strchr(letters, 'm') != NULL) {
        printf(" -m %zu:%zu", options->sizes[0], options->sizes[options->size_count - 1]);
    }
    if (strchr(letters, 'd') != NULL) {
        printf(" -d ");
        print_list(options->depths, options->depth_count);
    }
    if (strchr(letters, 'N') != NULL) {
        printf(" -N ");
        print_list(options->depths, options->depth_count);
    }
    printf(" -i %d -x %d", options->iterations.small, options->warmup.small);
    if (strpbrk(letters, "mB") != NULL) {
        printf(" (above %d bytes -i %d -x %d)", OSU_LARGE_MESSAGE, options->iterations.large,
               options->warmup.large);
    }
    if (strpbrk(letters, "TY") != NULL) {
        printf(" -T %s", types[options->type]);
    }
    printf("\n");
}

static void print_help(const char *name, const char *title, const char *letters,
                       const struct osu_options *options)
{
    printf("Usage: %s [options]\n%s, with the options of the OSU suite.\n\nOptions:\n", name,
           title);
    for (int i = 0; i < osu_option_row_count; i++) {
        char left[64];
        const struct osu_option_row *row = &osu_option_rows[i];
        if (row->letter != '#' && strchr(letters, row->letter) == NULL) {
            continue;
        }
        int letter = typed_letter(row);
        snprintf(left, sizeof(left), "%c%c%s --%s%s%s", letter ? '-' : ' ', letter ? letter : ' ',
                 letter ? "," : " ", row->name, row->argument ? " " : "",
                 row->argument ? row->argument : "");
        printf("  %-36s %s\n", left, row->help);
    }
    printf("  %-36s %s\n  %-36s %s\n", "-h, --help", "this text", "-v, --version",
           "name and version");
    print_defaults(options, letters);
}

/* Complain about an option that getopt did not accept; letter is 0 when it was typed by its long
 * name. */
static void complain_unknown(const char *name, int letter, const char *typed)
{
    if (!osu_is_first_process()) {
        return;
    }
    if (letter != 0) {
        fprintf(stderr, "%s: this program has no option -%c", name, letter);
    } else {
        fprintf(stderr, "%s: '%s' is no option, or its value is too much", name, typed);
    }
    fprintf(stderr, "; '%s -h' lists the options\n", name);
}

static void complain_missing(const char *name, const struct osu_option_row *row)
{
    if (osu_is_first_process()) {
        fprintf(stderr, "%s: --%s needs a value: %s\n", name, row->name, row->argument);
    }
}

static void complain_value(const char *name, const struct osu_option_row *row, const char *value,
                           const char *wanted)
{
    if (osu_is_first_process()) {
        fprintf(stderr, "%s: --%s '%s': wanted is %s\n", name, row->name, value ? value : "",
                wanted);
    }
}

/* The getopt tables of a program; index into long_rows is the row number. */
struct getopt_tables {
    char shorts[2 + 3 * (OSU_MOST_OPTION_ROWS + 2)];
    struct option longs[OSU_MOST_OPTION_ROWS + 3];
};

static void build_tables(struct getopt_tables *tables, const char *letters)
{
    char *s = tables->shorts;
    struct option *l = tables->longs;

    *s++ = ':';
    for (int i = 0; i < osu_option_row_count; i++) {
        const struct osu_option_row *row = &osu_option_rows[i];
        if (row->letter != '#' && strchr(letters, row->letter) == NULL) {
            continue;
        }
        int letter = typed_letter(row);
        int kind = argument_kind(row);
        if (letter != 0) {
            *s++ = (char)letter;
            for (int colons = 0; colons < kind; colons++) {
                *s++ = ':';
            }
        }
        *l++ = (struct option){row->name, kind, NULL, 256 + i};
    }
    *l++ = (struct option){"help", no_argument, NULL, 'h'};
    *l++ = (struct option){"version", no_argument, NULL, 'v'};
    *l = (struct option){NULL, 0, NULL, 0};
    memcpy(s, "hv", 3);
}

/* The row of what getopt returned: it knows only options that the program has, so there is one. */
static const struct osu_option_row *find_row(int code, const char *letters)
{
    if (code >= 256) {
        return &osu_option_rows[code - 256];
    }
    for (int i = 0; i < osu_option_row_count; i++) {
        if (strchr(letters, osu_option_rows[i].letter) != NULL &&
            typed_letter(&osu_option_rows[i]) == code) {
            return &osu_option_rows[i];
        }
    }
    abort();
}

enum osu_parse_result osu_options_parse(struct osu_options *options, int argc, char **argv,
                                        const char *name, const char *title, const char *letters)
{
    const struct osu_options defaults = *options;
    struct getopt_tables tables;
    int code;

    build_tables(&tables, letters);
    opterr = 0;
    while ((code = getopt_long(argc, argv, tables.shorts, tables.longs, NULL)) != -1) {
        if (code == 'h' || code == 'v') {
            if (osu_is_first_process() && code == 'h') {
                print_help(name, title, letters, &defaults);
            } else if (osu_is_first_process()) {
                printf("%s (apelink) %s\n", title, PACKAGE_VERSION);
            }
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
        const struct osu_option_row *row = find_row(code, letters);
        const char *wanted = row->parse(optarg, options);
        if (wanted != NULL) {
            complain_value(name, row, optarg, wanted);
            return OSU_PARSE_BAD;
        }
    }
    if (optind < argc) {
        if (osu_is_first_process()) {
            fprintf(stderr, "%s: '%s' is not an option; '%s -h' lists the options\n", name,
                    argv[optind], name);
        }
        return OSU_PARSE_BAD;
    }
    return OSU_PARSE_RUN;
}
