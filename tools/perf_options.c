/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line. */
#include "perf_options.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apelink_config.h"
#include "base/standard.h"

static const struct option long_options[] = {
    {"message-size", required_argument, NULL, 'm'},
    {"iterations", required_argument, NULL, 'i'},
    {"warmup", required_argument, NULL, 'x'},
    {"window-size", required_argument, NULL, 'W'},
    {"validation", no_argument, NULL, 'c'},
    {"rewrite", no_argument, NULL, 'r'},
    {"stamps", no_argument, NULL, 'S'},
    {"pairs", required_argument, NULL, 'p'},
    {"link", required_argument, NULL, 'l'},
    {"devices", required_argument, NULL, 'D'},
    {"cores", required_argument, NULL, 'C'},
    {"reps", required_argument, NULL, 'R'},
    {"ops", required_argument, NULL, 'o'},
    {"digits", required_argument, NULL, 'd'},
    {"json", no_argument, NULL, 'j'},
    {"csv", no_argument, NULL, 's'},
    {"tune", no_argument, NULL, 'T'},
    {"quick", no_argument, NULL, 'q'},
    {"write", required_argument, NULL, 'w'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

/* ---- ends ------------------------------------------------------------------------------------ */

static void complain(const char *format, va_list args)
{
    char text[512];

    vsnprintf(text, sizeof(text), format, args);
    fflush(stdout);
    fprintf(stderr, "apeni-perf: %s\n", text);
}

void perf_bad_use(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    complain(format, args);
    va_end(args);
    exit(PERF_EXIT_BAD_USE);
}

void perf_fail(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    complain(format, args);
    va_end(args);
    /* Not exit: a worker must not run what the director has registered. */
    _exit(PERF_EXIT_FAILED);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void print_help(void)
{
    printf(
        "usage: apeni-perf MODE [options]\n"
        "       apeni-perf --tune [--quick] [--cores A,B] [--write FILE]\n"
        "\n"
        "Measures the network interface without MPI.\n"
        "\n"
        "Modes:\n"
        "  latency   one way of a message; Write, Read and atomics until they have completed\n"
        "  bw        bandwidth one way, a window in flight\n"
        "  bibw      bandwidth both ways at once\n"
        "  rate      messages per second\n"
        "  mbw       bandwidth and rate of several pairs of processes at once\n"
        "  search    search of the buffer table; sizes are numbers of entries\n"
        "  tune      which parameters suit this machine\n"
        "  board     a card by its command packets, without the interface\n"
        "\n"
        "Options:\n"
        "  -m, --message-size [MIN:]MAX | LIST   sizes: powers of two times MIN, or 8,256,4K\n"
        "  -i, --iterations N    in each repetition (default: 10000, fewer above 8 KiB)\n"
        "  -x, --warmup N        before the first repetition (default: a tenth of -i)\n"
        "  -W, --window-size N   transfers in flight (default: 64)\n"
        "  -c, --validation      check data as well; exit status 1 if any is wrong\n"
        "  -r, --rewrite         latency: write the source anew before each transfer, untimed\n"
        "      --stamps          latency of messages: where the time goes\n"
        "  -p, --pairs N         mbw: pairs of processes (default: 1)\n"
        "  -o, --ops LIST        of message, inline, write, read, fetch_op\n"
        "  -l, --link NAME       shm (default), ucx or dev: processes; inproc: two interfaces, one "
        "thread\n"
        "      --devices A[,B]   dev, board: the cards of both; of one card: loop-back\n"
        "  -C, --cores A,B,...   where the processes run, in turn\n"
        "  -R, --reps N          repetitions, whose median is printed (default: 7)\n"
        "      --digits N        behind the decimal point\n"
        "      --csv, --json     print that instead of a table\n"
        "      --quick           tune: below 10 seconds instead of a minute\n"
        "      --write FILE      tune: write it there too, for the environment, or, if FILE ends\n"
        "                        in .conf, as a file of MCA parameters\n"
        "  -h, --help            this text\n"
        "  -V, --version         the version\n"
        "\n"
        "The one-way time of a cache line between the two cores is measured before and after each\n"
        "value. Exit status: 0; 1 when measuring failed; 2 for a bad option.\n");
}

void perf_end_output(void)
{
    if (!ni_standard_written("apeni-perf")) {
        _exit(PERF_EXIT_FAILED);
    }
}

static _Noreturn void print_and_end(bool help)
{
    if (help) {
        print_help();
    } else {
        printf("apeni-perf %s\n", PACKAGE_VERSION);
    }
    perf_end_output();
    exit(PERF_EXIT_GOOD);
}

static const char *long_name(int letter)
{
    for (const struct option *row = long_options; row->name != NULL; row++) {
        if (row->val == letter) {
            return row->name;
        }
    }
    return "";
}

static void apply(struct perf_options *options, int letter, const char *text)
{
    switch (letter) {
    case 'm':
        perf_parse_sizes(options, text);
        break;
    case 'i':
        options->iterations = perf_parse_number("-i", text, 1, PERF_ITERATIONS_MAX);
        break;
    case 'x':
        options->warmup = perf_parse_number("-x", text, 0, PERF_ITERATIONS_MAX);
        break;
    case 'W':
        options->window = perf_parse_number("-W", text, 1, PERF_WINDOW_MAX);
        break;
    case 'c':
        options->check = true;
        break;
    case 'r':
        options->rewrite = true;
        break;
    case 'S':
        options->stamps = true;
        break;
    case 'p':
        options->pairs = perf_parse_number("-p", text, 1, PERF_PAIRS_MAX);
        break;
    case 'l':
        perf_parse_link(options, text);
        break;
    case 'D':
        options->devices = text;
        break;
    case 'C':
        perf_parse_cores(options, text);
        break;
    case 'R':
        options->reps = perf_parse_number("--reps", text, 1, PERF_REPS_MAX);
        break;
    case 'o':
        perf_parse_ops(options, text);
        break;
    case 'd':
        options->digits = (int)perf_parse_number("--digits", text, 0, 12);
        break;
    case 'j':
    case 's':
        options->format = letter == 'j' ? PERF_JSON : PERF_CSV;
        break;
    case 'q':
        options->quick = true;
        break;
    default:
        options->write = text;
    }
}

/* First pass: help, version, the mode, and options that do not exist. */
static enum perf_mode find_mode(int argc, char **argv)
{
    const char *name = NULL;
    int letter, mode;
    bool tune = false;

    opterr = 0;
    while ((letter = getopt_long(argc, argv, ":m:i:x:W:crp:l:C:R:o:hV", long_options, NULL)) !=
           -1) {
        if (letter == 'h' || letter == 'V') {
            print_and_end(letter == 'h');
        }
        if (letter == ':') {
            perf_bad_use("%s: its value is missing; apeni-perf --help lists the options",
                         argv[optind - 1]);
        }
        if (letter == '?' && optopt != 0 && strchr(argv[optind - 1], '=') != NULL) {
            perf_bad_use("%s: this option takes no value", argv[optind - 1]);
        }
        if (letter == '?') {
            char text[3] = {'-', (char)optopt, '\0'};

            perf_bad_use("unknown option \"%s\"; apeni-perf --help lists the options",
                         optopt != 0 && argv[optind - 1][1] != '-' ? text : argv[optind - 1]);
        }
        tune |= letter == 'T';
    }
    name = optind < argc ? argv[optind] : tune ? "tune" : NULL;
    if (optind + 1 < argc) {
        perf_bad_use("unexpected argument \"%s\"", argv[optind + 1]);
    }
    if (name == NULL) {
        perf_bad_use("what is to be measured? One of latency, bw, bibw, rate, mbw, search, tune, "
                     "board");
    }
    name = strcmp(name, "table") == 0 ? "search" : name;
    mode = perf_find(perf_mode_names, PERF_MODES, name, strlen(name));
    if (mode < 0 || (tune && mode != PERF_TUNE)) {
        perf_bad_use("unknown mode \"%s\"; the modes are latency, bw, bibw, rate, mbw, search, "
                     "tune, board",
                     name);
    }
    return (enum perf_mode)mode;
}

void perf_options_parse(struct perf_options *options, int argc, char **argv)
{
    enum perf_mode mode = find_mode(argc, argv);
    const struct perf_mode_row *row = &perf_mode_rows[mode];
    int letter;

    *options = (struct perf_options){.mode = mode,
                                     .warmup = UINT64_MAX,
                                     .reps = 7,
                                     .window = row->window,
                                     .pairs = 1,
                                     .digits = -1,
                                     .op_count = row->default_count};
    memcpy(options->ops, row->defaults, sizeof(row->defaults));
    perf_size_range(options, row->first, row->last);
    optind = 1;
    while ((letter = getopt_long(argc, argv, "m:i:x:W:crp:l:C:R:o:hV", long_options, NULL)) != -1) {
        if (letter == 'T') {
            continue;
        }
        if (strchr(row->letters, letter) == NULL) {
            perf_bad_use("--%s means nothing to the mode %s", long_name(letter),
                         perf_mode_names[mode]);
        }
        apply(options, letter, optarg);
    }
    if (options->stamps) {
        perf_only_messages(options);
    }
    perf_cores_choose(options);
}
