/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * apeni-info: what this libapeni is, what it can do on this host, and how it is set. It needs no
 * MPI, and but for --links opens no interface.
 */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apeni/param.h>

#include "apelink_config.h"
#include "base/standard.h"
#include "info.h"
#include "info_topology.h"

enum exit_code { EXIT_GOOD = 0, EXIT_BAD_ENVIRONMENT = 1, EXIT_BAD_USE = 2 };

enum { SVG_NODES_MAX = 4096 };

enum section {
    SECTION_BUILD = 1,
    SECTION_HOST = 2,
    SECTION_PARAMS = 4,
    SECTION_STATS = 8,
    SECTION_TOPOLOGY = 16,
    SECTION_LINKS = 32,
    SECTION_FAULTS = 64,
    SECTION_BOARD = 128
};

/* Of a network that may not be there, and what takes long: only when it is asked for. */
#define SECTION_ALL (SECTION_BUILD | SECTION_HOST | SECTION_PARAMS | SECTION_STATS)

struct request {
    unsigned sections;
    enum info_format format;
    bool svg;           /* of the topology */
    const char *faults; /* the page; NULL: the usual one */
    const char *board;  /* the device; NULL: that of the parameter */
    struct info_topology_request topology;
};

static void print_help(void)
{
    printf("usage: apeni-info [--build] [--host] [--links] [--params] [--stats]\n"
           "                  [--json | --markdown]\n"
           "       apeni-info --faults[=PAGE] [--json]\n"
           "       apeni-info --board[=DEVICE] [--json]\n"
           "       apeni-info --topology[=text|svg] [--nodes N] [--route FROM,TO] [--json]\n"
           "\n"
           "Prints what libapeni is and can do here. Without a section: build and host; with\n"
           "--json: all sections but board, faults, links and topology.\n"
           "\n"
           "  -b, --build      version, build options, links compiled in\n"
           "  -o, --host       processor, and what this host allows, by trying it\n"
           "  -l, --links      by which links peers would be reached, by opening them\n"
           "  -p, --params     parameters: value, origin, default, what is accepted, help\n"
           "  -s, --stats      statistics: kind, unit, help\n"
           "  -f, --faults[=PAGE]\n"
           "                   what this host's apelink-hfm knows of all nodes\n"
           "  -c, --board[=DEVICE]\n"
           "                   the APEnet+ card of a device: links, channels, registers\n"
           "  -t, --topology[=text|svg]\n"
           "                   the torus of nodes: coordinates, neighbours, a drawing\n"
           "  -n, --nodes N    how many nodes, where no parameter says it\n"
           "  -r, --route FROM,TO\n"
           "                   the way from a node to another, by number or host\n"
           "  -j, --json       print JSON\n"
           "  -m, --markdown   with --params: print docs/parameters.md\n"
           "  -h, --help       print this text\n"
           "  -V, --version    print the version\n"
           "\n"
           "Exit status: 0; 1 if the environment holds a bad value or an unknown name beginning\n"
           "with APENI_ (which is then named on standard error); 2 for a bad option.\n");
}

static _Noreturn void end(int code)
{
    exit(ni_standard_written("apeni-info") ? code : EXIT_BAD_USE);
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

/* The argument of --topology, if it has one. */
static bool is_svg(const char *text)
{
    if (text != NULL && strcmp(text, "svg") != 0 && strcmp(text, "text") != 0) {
        bad_use("--topology is drawn as text or svg, not", text);
    }
    return text != NULL && *text == 's';
}

static void check_request(const struct request *request)
{
    if (request->format == INFO_FORMAT_MARKDOWN && request->sections != SECTION_PARAMS) {
        bad_use("only --params goes with", "--markdown");
    }
    if (request->svg &&
        (request->sections != SECTION_TOPOLOGY || request->format != INFO_FORMAT_TEXT)) {
        bad_use("no other section or format goes with", "--topology=svg");
    }
    if ((request->sections & SECTION_FAULTS) != 0 && request->sections != SECTION_FAULTS) {
        bad_use("no other section goes with", "--faults");
    }
    if ((request->sections & SECTION_BOARD) != 0 && request->sections != SECTION_BOARD) {
        bad_use("no other section goes with", "--board");
    }
    if ((request->sections & SECTION_TOPOLOGY) == 0 &&
        (request->topology.nodes != NULL || request->topology.route != NULL)) {
        bad_use("--topology is needed for",
                request->topology.nodes != NULL ? "--nodes" : "--route");
    }
}

/* What an option of this letter has shown. */
static unsigned section_of(int letter)
{
    switch (letter) {
    case 'b':
        return SECTION_BUILD;
    case 'o':
        return SECTION_HOST;
    case 'p':
        return SECTION_PARAMS;
    case 's':
        return SECTION_STATS;
    case 'l':
        return SECTION_LINKS;
    case 'f':
        return SECTION_FAULTS;
    case 'c':
        return SECTION_BOARD;
    case 't':
        return SECTION_TOPOLOGY;
    default:
        return 0;
    }
}

/* The option of this letter, or what getopt_long has to say of a wrong one. */
static void take_option(struct request *request, int letter, char **argv)
{
    switch (letter) {
    case 'f':
        request->faults = optarg;
        break;
    case 'c':
        request->board = optarg;
        break;
    case 't':
        request->svg = is_svg(optarg);
        break;
    case 'n':
        request->topology.nodes = optarg;
        break;
    case 'r':
        request->topology.route = optarg;
        break;
    case 'j':
        request->format = INFO_FORMAT_JSON;
        break;
    case 'm':
        request->format = INFO_FORMAT_MARKDOWN;
        break;
    case 'h':
        print_help();
        end(EXIT_GOOD);
    case 'V':
        printf("apeni-info %s\n", PACKAGE_VERSION);
        end(EXIT_GOOD);
    case ':':
        bad_use("this option needs a value:", argv[optind - 1]);
    case '?':
        bad_option(argv);
    default:
        break;
    }
    request->sections |= section_of(letter);
}

static struct request parse_options(int argc, char **argv)
{
    static const struct option options[] = {
        {"build", no_argument, NULL, 'b'},
        {"host", no_argument, NULL, 'o'},
        {"links", no_argument, NULL, 'l'},
        {"params", no_argument, NULL, 'p'},
        {"stats", no_argument, NULL, 's'},
        {"faults", optional_argument, NULL, 'f'},
        {"board", optional_argument, NULL, 'c'},
        {"topology", optional_argument, NULL, 't'},
        {"nodes", required_argument, NULL, 'n'},
        {"route", required_argument, NULL, 'r'},
        {"json", no_argument, NULL, 'j'},
        {"markdown", no_argument, NULL, 'm'},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},
        {NULL, 0, NULL, 0},
    };
    struct request request = {.format = INFO_FORMAT_TEXT};
    int letter;

    opterr = 0;
    while ((letter = getopt_long(argc, argv, ":bolpsf::c::tn:r:jmhV", options, NULL)) != -1) {
        take_option(&request, letter, argv);
    }
    if (optind < argc) {
        bad_use("unexpected argument", argv[optind]);
    }
    check_request(&request);
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

static void print_text(unsigned sections, const struct info_topology *topology)
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
    if ((sections & SECTION_LINKS) != 0) {
        print_facts(info_gather_links, INFO_FORMAT_TEXT, separator);
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
        separator = "\n";
    }
    if ((sections & SECTION_TOPOLOGY) != 0) {
        printf("%s", separator);
        info_topology_print_text(topology);
    }
}

static void print_json(unsigned sections, const struct info_topology *topology)
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
    if ((sections & SECTION_LINKS) != 0) {
        print_facts(info_gather_links, INFO_FORMAT_JSON, separator);
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
        separator = ",\n";
    }
    if ((sections & SECTION_TOPOLOGY) != 0) {
        printf("%s", separator);
        info_topology_print_json(topology);
    }
    printf("\n}\n");
}

static void print_request(const struct request *request, const struct info_topology *topology)
{
    unsigned sections = request->sections;

    if (request->svg) {
        info_topology_print_svg(topology);
        return;
    }
    switch (request->format) {
    case INFO_FORMAT_JSON:
        print_json(sections != 0 ? sections : SECTION_ALL, topology);
        break;
    case INFO_FORMAT_MARKDOWN:
        info_print_params(INFO_FORMAT_MARKDOWN);
        break;
    case INFO_FORMAT_TEXT:
        print_text(sections != 0 ? sections : SECTION_BUILD | SECTION_HOST, topology);
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
    struct info_topology topology = {.map = NULL};

    if ((request.sections & SECTION_FAULTS) != 0) {
        end(info_print_faults(request.faults, request.format) && environment == NI_OK
                ? EXIT_GOOD
                : EXIT_BAD_ENVIRONMENT);
    }
    if ((request.sections & SECTION_BOARD) != 0) {
        end(info_print_board(request.board, request.format) && environment == NI_OK
                ? EXIT_GOOD
                : EXIT_BAD_ENVIRONMENT);
    }
    if ((request.sections & SECTION_TOPOLOGY) != 0 &&
        !info_topology_find(&request.topology, &topology)) {
        return EXIT_BAD_ENVIRONMENT;
    }
    if (request.svg && ni_torus_nodes(&topology.torus) > SVG_NODES_MAX) {
        bad_use("too many nodes for a drawing:", "--topology=svg");
    }
    print_request(&request, &topology);
    info_topology_free(&topology);
    end(environment == NI_OK ? EXIT_GOOD : EXIT_BAD_ENVIRONMENT);
}
