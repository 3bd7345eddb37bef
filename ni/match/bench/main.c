/* SPDX-License-Identifier: BSD-3-Clause */
#include "match/bench/bench.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include <apeni/param.h>

static const char usage[] =
    "Usage: ni_match_list [OPTION]...\n"
    "Times matches by the list benchmark of MATCH Fig. 5, on the match list of the core, a linear\n"
    "list of 64-byte entries and a linear array that is compared with vector code, and then "
    "single\n"
    "operations on the match list of the core: searches that hit any entry, one behind the other\n"
    "(warm, any) or each waiting for the last one's result (next), and removing and appending.\n"
    "\n"
    "  -l, --lists=N,...  entries in the lists (default 10,30,100,300,10000)\n"
    "  -m, --most=N       entries in the largest list of the single operations, which begin at 1\n"
    "                     (default 1000000); 0: without them\n"
    "  -s, --samples=N    of which the median and the least are taken (default 21, at most 1000)\n"
    "  -v, --simd=KIND    auto, avx512, avx2 or scalar (default: the parameter simd)\n"
    "  -p, --plot=FILE    draw the lists' times with gnuplot; FILE ends in .svg or .png\n"
    "      --csv          lines part,kind,length,position,median_ns,least_ns; part list: of 64\n"
    "                     matches, position in %; parts search and renew: of one operation\n"
    "  -h, --help         this text\n";

/* The number at the beginning of a text and what follows it; any other text ends the program. */
static size_t length_option(const char *text, const char **rest, const char *option, size_t least,
                            size_t most)
{
    char *end = NULL;
    unsigned long long value = strtoull(text, &end, 10);

    if (text[0] < '0' || text[0] > '9' || (*end != '\0' && (rest == NULL || *end != ',')) ||
        value < least || value > most) {
        fprintf(stderr, "ni_match_list: --%s %s: wants a number from %zu to %zu\n", option, text,
                least, most);
        exit(1);
    }
    if (rest != NULL) {
        *rest = end;
    }
    return (size_t)value;
}

static void set_lists(struct match_settings *settings, const char *text)
{
    settings->lengths = 0;
    for (;;) {
        if (settings->lengths == MATCH_LENGTHS_MAX) {
            fprintf(stderr, "ni_match_list: --lists: takes at most %d numbers\n",
                    MATCH_LENGTHS_MAX);
            exit(1);
        }
        settings->length[settings->lengths++] = length_option(text, &text, "lists", 1, 1000000);
        if (*text == '\0') {
            return;
        }
        text++;
    }
}

static void set_match_simd(const char *text)
{
    char error[256] = "";

    if (ni_param_set("simd", text, "command line", error, sizeof(error)) != NI_OK) {
        fprintf(stderr, "ni_match_list: --simd: %s\n", error);
        exit(1);
    }
}

static void parse_match_options(struct match_settings *settings, int argc, char **argv)
{
    static const struct option options[] = {
        {"lists", required_argument, NULL, 'l'},   {"most", required_argument, NULL, 'm'},
        {"samples", required_argument, NULL, 's'}, {"simd", required_argument, NULL, 'v'},
        {"plot", required_argument, NULL, 'p'},    {"csv", no_argument, NULL, 'C'},
        {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0}};
    int option = 0;

    while ((option = getopt_long(argc, argv, "l:m:s:v:p:h", options, NULL)) != -1) {
        switch (option) {
        case 'l':
            set_lists(settings, optarg);
            break;
        case 'm':
            settings->most = length_option(optarg, NULL, "most", 0, 100000000);
            break;
        case 's':
            settings->samples = length_option(optarg, NULL, "samples", 1, MATCH_SAMPLES_MAX);
            break;
        case 'v':
            set_match_simd(optarg);
            break;
        case 'p':
            settings->plot = optarg;
            break;
        case 'C':
            settings->csv = true;
            break;
        case 'h':
            fputs(usage, stdout);
            exit(0);
        default:
            fputs("Try ni_match_list --help.\n", stderr);
            exit(1);
        }
    }
    if (optind < argc) {
        fprintf(stderr, "ni_match_list: %s: takes no arguments; try ni_match_list --help\n",
                argv[optind]);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    static match_results results;
    struct match_settings settings = {
        .length = {10, 30, 100, 300, 10000}, .lengths = 5, .samples = 21, .most = 1000000};

    parse_match_options(&settings, argc, argv);
    if (settings.plot != NULL && !match_can_plot(&settings)) {
        return 1;
    }
    match_measure_lists(&settings, results);
    match_print_lists(&settings, results);
    match_single(&settings);
    return settings.plot != NULL && !match_plot(&settings, results) ? 1 : 0;
}
