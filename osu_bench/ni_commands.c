/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Posting strategies for command regions, after FORTH-PCI, V-D: one-way transfers of growing size,
 * cut into descriptors of 4 KiB at most, as fast as the strategy gives them to the NI.
 *
 *   v1  the descriptors of a transfer are written ahead, the start flag of the last one releases
 *       them, and the next transfer begins when that one has departed
 *   v2  the lines are a circular queue: each descriptor has a start flag, and is written as soon as
 *       a look finds its line free
 *   v3  the same with one look for each four descriptors
 *
 * As in the paper a line is given back at departure (its local notification), and time ends when
 * the last one has departed. MB are MiB there, and the time is that of one descriptor, which
 * moves 4 KiB at most: so both are here.
 *
 * The target is another process (shm) or another NI of this one (inproc). What arrived is compared
 * with what was sent.
 */
#ifdef HAVE_CONFIG_H
#include "apelink_config.h"
#endif

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/strategies.h"
#include "letters.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

struct settings {
    const char *link; /* NULL: both */
    unsigned transfers;
    size_t largest;
};

static bool count_is_right(const struct commands *bench)
{
    uint64_t taken = commands_taken(bench), posted = 0;

    for (unsigned s = 0; s < COMMANDS_STRATEGIES; s++) {
        const struct commands_counts *counts = commands_counts(bench, s);

        printf("# v%u: %llu descriptors, %llu start flags, %llu looks for free lines\n", s + 1,
               (unsigned long long)counts->posted, (unsigned long long)counts->starts,
               (unsigned long long)counts->looks);
        posted += counts->posted;
    }
    if (taken == posted) {
        return true;
    }
    fprintf(stderr, "ni_commands: %llu descriptors posted, %llu taken\n",
            (unsigned long long)posted, (unsigned long long)taken);
    return false;
}

static void print_head(bool inproc, unsigned transfers)
{
    printf("# Posting strategies over %s: %u transfers of each size, descriptors of %u bytes\n",
           inproc ? "inproc" : "shm", transfers, (unsigned)COMMANDS_PIECE);
    printf("# v1: wait for departure of each transfer; v2: a look for each descriptor; v3: one for "
           "%u\n",
           commands_per_look[COMMANDS_STRATEGIES - 1]);
    printf("# us/d: for each descriptor\n");
    printf("# FORTH-PCI V-D: v1 up to 632 MiB/s; v2 6.2 us for each descriptor of long transfers, "
           "v3 3 %% less\n");
    printf("# %-8s%12s%12s%12s%12s%12s%12s%10s\n", "Size", "v1 MiB/s", "v2 MiB/s", "v3 MiB/s",
           "v1 us/d", "v2 us/d", "v3 us/d", "v3/v2");
}

static void print_row(size_t size, const double *ns)
{
    printf("  %-8zu", size);
    for (unsigned s = 0; s < COMMANDS_STRATEGIES; s++) {
        printf("%12.1f", (double)size / ns[s] * 1e9 / (1 << 20));
    }
    for (unsigned s = 0; s < COMMANDS_STRATEGIES; s++) {
        printf("%12.4f", ns[s] / 1e3 / commands_pieces(size));
    }
    printf("%10.2f\n", ns[2] / ns[1]);
    fflush(stdout);
}

static bool run(const struct settings *settings, bool inproc)
{
    struct commands *bench = commands_open(inproc);
    bool good = commands_warm_up(bench, settings->transfers);

    print_head(inproc, settings->transfers);
    for (size_t size = 64; good && size <= settings->largest; size *= 2) {
        double ns[COMMANDS_STRATEGIES];

        for (unsigned s = 0; s < COMMANDS_STRATEGIES; s++) {
            ns[s] = commands_measure(bench, s, size, settings->transfers);
            good = good && ns[s] > 0;
        }
        if (good) {
            print_row(size, ns);
        }
    }
    good = good && count_is_right(bench);
    return commands_close(bench) && good;
}

/* ---- options --------------------------------------------------------------------------------- */

static void print_help(void)
{
    printf("Usage: ni_commands [options]\n"
           "Transfers of growing size by three ways to post their descriptors: MiB/s, and us for "
           "each descriptor.\n\n"
           "Options:\n"
           "  -l LINK   inproc or shm (default: both)\n"
           "  -n COUNT  transfers of each size, 1 to 10000000 (default 1000)\n"
           "  -m BYTES  largest size, 64 to %d (default that)\n"
           "  -h        this text\n"
           "  -v        name and version\n\n"
           "Exit status: 0; 1 for a wrong option, wrong data, or a link that does not work here.\n",
           COMMANDS_LARGEST);
}

static bool parse(char letter, const char *text, unsigned long low, unsigned long high,
                  unsigned long *out)
{
    char *end;

    errno = 0;
    *out = strtoul(text, &end, 10);
    if (errno == 0 && end != text && *end == '\0' && *text != '-' && *out >= low && *out <= high) {
        return true;
    }
    fprintf(stderr, "ni_commands: -%c '%s': wanted is a number from %lu to %lu\n", letter, text,
            low, high);
    return false;
}

/* Returns 0 to go on, 1 to end well, -1 to end badly. */
static int parse_one(struct settings *settings, int letter, char **argv)
{
    unsigned long value;

    switch (letter) {
    case 'h':
        print_help();
        return 1;
    case 'v':
        printf("ni_commands (apelink) %s\n", PACKAGE_VERSION);
        return 1;
    case 'l':
        settings->link = optarg;
        if (strcmp(optarg, "inproc") == 0 || strcmp(optarg, "shm") == 0) {
            return 0;
        }
        fprintf(stderr, "ni_commands: -l '%s': wanted is inproc or shm\n", optarg);
        return -1;
    case 'n':
        if (!parse('n', optarg, 1, 10000000, &value)) {
            return -1;
        }
        settings->transfers = (unsigned)value;
        return 0;
    case 'm':
        if (!parse('m', optarg, 64, COMMANDS_LARGEST, &value)) {
            return -1;
        }
        settings->largest = value;
        return 0;
    default:
        refuse_letter("ni_commands", argv);
        return -1;
    }
}

static int parse_all(struct settings *settings, int argc, char **argv)
{
    int letter, result = 0;

    while (result == 0 && (letter = next_letter(argc, argv, "l:n:m:hv")) != -1) {
        result = parse_one(settings, letter, argv);
    }
    if (result == 0 && optind < argc) {
        fprintf(stderr, "ni_commands: '%s' is not an option; try -h\n", argv[optind]);
        return -1;
    }
    return result;
}

int main(int argc, char **argv)
{
    struct settings settings = {.transfers = 1000, .largest = COMMANDS_LARGEST};
    int parsed = parse_all(&settings, argc, argv);

    if (parsed != 0) {
        return parsed < 0;
    }
    for (unsigned inproc = 0; inproc < 2; inproc++) {
        if ((settings.link == NULL || strcmp(settings.link, inproc ? "inproc" : "shm") == 0) &&
            !run(&settings, inproc != 0)) {
            return 1;
        }
    }
    return 0;
}
