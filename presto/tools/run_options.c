/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apelink_config.h"
#include "base/standard.h"
#include "tools/run.h"

static const char help[] =
    "usage: prestorun [-n RANKS] [OPTION...] COMMAND [ARGUMENT...]\n"
    "Run COMMAND as the ranks of a Presto job on this host.\n"
    "\n"
    "  -n, --np RANKS        number of ranks (default: the processors that may be used)\n"
    "      --bind-to WHAT    core: each rank on a processor of its own, one after the other;\n"
    "                        none: wherever the system puts it (default)\n"
    "      --tag-output      begin each line with the rank and the stream it comes from\n"
    "      --timeout SECONDS end the job after so long, with exit status 124\n"
    "      --keep-going      do not end the other ranks when one has failed\n"
    "      --wdir DIRECTORY  run COMMAND there\n"
    "  -x NAME[=VALUE]       set a variable of the ranks' environment\n"
    "      --oversubscribe   accepted: more ranks than processors are always allowed, and yield\n"
    "  -v, --verbose         say which ranks start and end, by which link rank 0 reaches\n"
    "                        the others, and what each of them has sent and received\n"
    "  -h, --help            print this\n"
    "  -V, --version         print the version\n"
    "\n"
    "Rank 0 reads prestorun's standard input. Exit status: that of the first rank that failed,\n"
    "128 + N if that was ended by signal N, else 0; 127 if COMMAND cannot be run.\n";

enum { BIND_TO = 256, TAG_OUTPUT, TIMEOUT, KEEP_GOING, OVERSUBSCRIBE, WDIR };

static const struct option options_known[] = {
    {"np", required_argument, NULL, 'n'},
    {"bind-to", required_argument, NULL, BIND_TO},
    {"tag-output", no_argument, NULL, TAG_OUTPUT},
    {"timeout", required_argument, NULL, TIMEOUT},
    {"keep-going", no_argument, NULL, KEEP_GOING},
    {"oversubscribe", no_argument, NULL, OVERSUBSCRIBE},
    {"wdir", required_argument, NULL, WDIR},
    {"verbose", no_argument, NULL, 'v'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

static _Noreturn void refuse(const char *option, const char *value, const char *wanted)
{
    fprintf(stderr, "prestorun: %s %s: %s; prestorun --help lists the options\n", option, value,
            wanted);
    exit(2);
}

static _Noreturn void print_and_end(const char *text)
{
    fputs(text, stdout);
    exit(ni_standard_written("prestorun") ? 0 : 1);
}

static int ranks_of(const char *text)
{
    char *end;
    long n;

    errno = 0;
    n = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || n < 1 || n > RUN_MAX_RANKS) {
        refuse("-n", text, "a number of ranks from 1 to 4096 is needed");
    }
    return (int)n;
}

static double seconds_of(const char *text)
{
    char *end;
    double seconds = strtod(text, &end);

    if (end == text || *end != '\0' || !(seconds > 0 && seconds < 1e9)) {
        refuse("--timeout", text, "a number of seconds above 0 is needed");
    }
    return seconds;
}

static enum run_bind bind_of(const char *text)
{
    if (strcmp(text, "core") == 0) {
        return RUN_BIND_CORE;
    }
    if (strcmp(text, "none") != 0) {
        refuse("--bind-to", text, "core or none is needed");
    }
    return RUN_BIND_NONE;
}

/* NAME=VALUE; NAME alone has its value already. */
static void set_variable(char *text)
{
    char *equals = strchr(text, '=');

    if (equals == text || *text == '\0') {
        refuse("-x", text, "the name of a variable is needed");
    }
    if (equals != NULL) {
        *equals = '\0';
        (void)setenv(text, equals + 1, 1);
    }
}

/* The ranks begin where we are. */
static void go_to(const char *directory)
{
    if (chdir(directory) != 0) {
        refuse("--wdir", directory, strerror(errno));
    }
}

static void take(int option, struct run_options *options)
{
    switch (option) {
    case 'n':
        options->ranks = ranks_of(optarg);
        break;
    case 'x':
        set_variable(optarg);
        break;
    case BIND_TO:
        options->bind = bind_of(optarg);
        break;
    case TAG_OUTPUT:
        options->tag_output = true;
        break;
    case TIMEOUT:
        options->timeout = seconds_of(optarg);
        break;
    case KEEP_GOING:
        options->keep_going = true;
        break;
    case OVERSUBSCRIBE:
        break;
    case WDIR:
        go_to(optarg);
        break;
    case 'v':
        options->verbose = true;
        break;
    case 'h':
        print_and_end(help);
    case 'V':
        print_and_end("prestorun (" PACKAGE_NAME ") " PACKAGE_VERSION "\n");
    default:
        fputs("prestorun --help lists the options\n", stderr);
        exit(2);
    }
}

void run_options_parse(int argc, char **argv, struct run_options *options)
{
    int option;

    /* With one dash, too, as mpirun takes them: -np 4. */
    while ((option = getopt_long_only(argc, argv, "+n:x:vhV", options_known, NULL)) != -1) {
        take(option, options);
    }
    if (optind == argc) {
        fputs("prestorun: no command to run; prestorun --help shows how to call it\n", stderr);
        exit(2);
    }
    options->command = argv + optind;
}
