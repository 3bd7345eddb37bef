/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * apeni-info: what this libapeni is, what it can do on this host, and how it is set. It opens no
 * interface and needs no MPI.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include <apeni/param.h>

#include "apelink_config.h"
#include "info.h"

enum exit_code { EXIT_GOOD = 0, EXIT_BAD_ENVIRONMENT = 1, EXIT_BAD_USE = 2 };

enum section { SECTION_BUILD = 1, SECTION_HOST = 2, SECTION_PARAMS = 4, SECTION_STATS = 8 };

#define SECTION_ALL (SECTION_BUILD | SECTION_HOST | SECTION_PARAMS | SECTION_STATS)

struct request {
    unsigned sections;
    enum info_format format;
};

static void print_help(void)
{
    printf("usage: apeni-info [--build] [--host] [--params] [--stats] [--json | --markdown]\n"
           "\n"
           "Prints what libapeni is and can do here. Without a section: build and host; with\n"
           "--json: all sections.\n"
           "\n"
           "  -b, --build      version, build options, links compiled in\n"
           "  -o, --host       processor, and what this host allows, by trying it\n"
           "  -p, --params     parameters: value, origin, default, what is accepted, help\n"
           "  -s, --stats      statistics: kind, unit, help\n"
           "  -j, --json       print JSON\n"
           "  -m, --markdown   with --params: print docs/parameters.md\n"
           "  -h, --help       print this text\n"
           "  -V, --version    print the version\n"
           "\n"
           "Exit status: 0; 1 if the environment holds a bad value or an unknown name beginning\n"
           "with APENI_ (which is then named on standard error); 2 for a bad option.\n");
}

static _Noreturn void bad_use(const char *what, const char *which)
{
    fprintf(stderr, "apeni-info: %s \"%s\"; apeni-info --help lists the options\n", what, which);
    exit(EXIT_BAD_USE);
}

/* The option that getopt_long has just refused, as it was written. */
static _Noreturn void bad_option(char **argv)
{
    char letter[3] = {'-', (char)optopt, '\0'};

    if (optopt == 0) {
        bad_use("unknown option", argv[optind - 1]);
    }
    /* a long option with an argument that it does not take sets optopt to its letter */
    if (argv[optind - 1][0] == '-' && argv[optind - 1][1] == '-') {
        bad_use("this option takes no argument:", argv[optind - 1]);
    }
    bad_use("unknown option", letter);
}

static struct request parse_options(int argc, char **argv)
{
    static const struct option options[] = {
        {"build", no_argument, NULL, 'b'},
        {"host", no_argument, NULL, 'o'},
        {"params", no_argument, NULL, 'p'},
        {"stats", no_argument, NULL, 's'},
        {"json", no_argument, NULL, 'j'},
        {"markdown", no_argument, NULL, 'm'},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},
        {NULL, 0, NULL, 0},
    };
    struct request request = {0, INFO_FORMAT_TEXT};
    int letter;

    opterr = 0;
    while ((letter = getopt_long(argc, argv, "bopsjmhV", options, NULL)) != -1) {
        switch (letter) {
        case 'b':
            request.sections |= SECTION_BUILD;
            break;
        case 'o':
            request.sections |= SECTION_HOST;
            break;
        case 'p':
            request.sections |= SECTION_PARAMS;
            break;
        case 's':
            request.sections |= SECTION_STATS;
            break;
        case 'j':
            request.format = INFO_FORMAT_JSON;
            break;
        case 'm':
            request.format = INFO_FORMAT_MARKDOWN;
            break;
        case 'h':
            print_help();
            exit(EXIT_GOOD);
        case 'V':
            printf("apeni-info %s\n", PACKAGE_VERSION);
            exit(EXIT_GOOD);
        default:
            bad_option(argv);
        }
    }
    if (optind < argc) {
        bad_use("unexpected argument", argv[optind]);
    }
    if (request.format == INFO_FORMAT_MARKDOWN && request.sections != SECTION_PARAMS) {
        bad_use("only --params goes with", "--markdown");
    }
    return request;
}

static void print_facts(void (*gather)(struct info_facts *facts), enum info_format format,
                        const char *separator)
{
    struct info_facts facts = {.count = 0};

    gather(&facts);
    printf("%s", separator);
    if (format == INFO_FORMAT_JSON) {
        info_print_json(&facts);
    } else {
        info_print_text(&facts);
    }
}

static void print_text(unsigned sections)
{
    const char *separator = "";

    if ((sections & SECTION_BUILD) != 0) {
        print_facts(info_gather_build, INFO_FORMAT_TEXT, separator);
        separator = "\n";
    }
    if ((sections & SECTION_HOST) != 0) {
        print_facts(info_gather_cpu, INFO_FORMAT_TEXT, separator);
        print_facts(info_gather_host, INFO_FORMAT_TEXT, "\n");
        separator = "\n";
    }
    if ((sections & SECTION_PARAMS) != 0) {
        printf("%s", separator);
        info_print_params(INFO_FORMAT_TEXT);
        separator = "";
    }
    if ((sections & SECTION_STATS) != 0) {
        printf("%s", separator);
        info_print_stats(INFO_FORMAT_TEXT);
    }
}

static void print_json(unsigned sections)
{
    const char *separator = "{\n";

    if ((sections & SECTION_BUILD) != 0) {
        print_facts(info_gather_build, INFO_FORMAT_JSON, separator);
        separator = ",\n";
    }
    if ((sections & SECTION_HOST) != 0) {
        print_facts(info_gather_cpu, INFO_FORMAT_JSON, separator);
        print_facts(info_gather_host, INFO_FORMAT_JSON, ",\n");
        separator = ",\n";
    }
    if ((sections & SECTION_PARAMS) != 0) {
        printf("%s", separator);
        info_print_params(INFO_FORMAT_JSON);
        separator = ",\n";
    }
    if ((sections & SECTION_STATS) != 0) {
        printf("%s", separator);
        info_print_stats(INFO_FORMAT_JSON);
    }
    printf("\n}\n");
}

static void print_request(const struct request *request)
{
    unsigned sections = request->sections;

    switch (request->format) {
    case INFO_FORMAT_JSON:
        print_json(sections != 0 ? sections : SECTION_ALL);
        break;
    case INFO_FORMAT_MARKDOWN:
        info_print_params(INFO_FORMAT_MARKDOWN);
        break;
    case INFO_FORMAT_TEXT:
        print_text(sections != 0 ? sections : SECTION_BUILD | SECTION_HOST);
        if (sections == 0) {
            printf("\napeni-info --params lists the parameters, --stats the statistics.\n");
        }
        break;
    }
}

int main(int argc, char **argv)
{
    struct request request = parse_options(argc, argv);
    ni_status environment = ni_config_check_environment();

    print_request(&request);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("apeni-info: standard output");
        return EXIT_BAD_USE;
    }
    return environment == NI_OK ? EXIT_GOOD : EXIT_BAD_ENVIRONMENT;
}
