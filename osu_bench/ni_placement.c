/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the engine runs, and what that costs and saves: the placements tile, edge and split,
 * between two processes over shared memory.
 *
 *   reads      latency of one-sided reads, 64 B to 16 KiB, by one initiator, and bandwidth by
 * several (soNUMA-NI, Fig. 6 and 7), each a thread with a queue pair of 128 requests, unrolled by
 *              cache lines and not. With tile each has an NI; with edge and split one NI is for all
 *              of them, with one engine thread.
 *   loaded     latency of a small message while a transfer of 64 MiB runs between the same two NIs
 *   computing  time of transfers of 4 MiB towards a process that polls, and one that computes and
 *              calls nothing. Where only the target's calls take packets (tile, over a link that
 *              does not copy by the kernel) they wait for those, which the row then says.
 *
 * What arrived is compared with what was sent. Times mean something only if each process has a
 * core, and each engine thread another.
 */
#ifdef HAVE_CONFIG_H
#include "apelink_config.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "placement/measure.h"
#include "letters.h"
#include "second.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

const char second_program[] = "ni_placement";

enum {
    PLACEMENTS = 3,
    INITIATORS = 4, /* unless said otherwise */
};

static const enum ni_placement placements[PLACEMENTS] = {NI_PLACEMENT_TILE, NI_PLACEMENT_EDGE,
                                                         NI_PLACEMENT_SPLIT};
static const char *const names[PLACEMENTS] = {"tile", "edge", "split"};
static const char *const experiments[] = {"reads", "loaded", "computing"};

struct settings {
    const char *experiment; /* NULL: all */
    unsigned rounds, initiators;
};

/* ---- tables ---------------------------------------------------------------------------------- */

/* The initiators, the target's process, and an engine thread for each of the two processes. */
static long cores_for(const struct settings *settings)
{
    return (long)settings->initiators + 3;
}

static bool run_reads_unrolled(const struct settings *settings, uint32_t unroll)
{
    struct read_times times[PLACEMENTS];

    for (unsigned p = 0; p < PLACEMENTS; p++) {
        struct side *side = side_start(placements[p]);
        bool good;

        printf("# %s\n", side->where);
        good = measure_reads(side, unroll, settings->initiators, settings->rounds, &times[p]);
        if (!side_stop(side) || !good) {
            return false;
        }
    }
    printf(
        "# One-sided reads through queue pairs of 128, unroll %u: latency (us) by one initiator, "
        "bandwidth (MB/s) by %u, %u of each size\n",
        (unsigned)unroll, settings->initiators, settings->rounds);
    if (sysconf(_SC_NPROCESSORS_ONLN) < cores_for(settings)) {
        printf("# There are fewer than %ld cores: initiators, target and engine threads share "
               "them, so "
               "that placements cannot be compared\n",
               cores_for(settings));
    }
    printf("# %-8s%11s%11s%11s%11s%11s%11s\n", "Size", "tile us", "edge us", "split us",
           "tile MB/s", "edge MB/s", "split MB/s");
    for (unsigned i = 0; i < SIZES; i++) {
        printf("  %-8zu", (size_t)SMALLEST << i);
        for (unsigned p = 0; p < PLACEMENTS; p++) {
            printf("%11.3f", times[p].latency_us[i]);
        }
        for (unsigned p = 0; p < PLACEMENTS; p++) {
            printf("%11.1f", times[p].bandwidth[i]);
        }
        printf("\n");
    }
    return true;
}

/* As in the paper, a cache line at a time, and as the engine does it. */
static bool run_reads(const struct settings *settings)
{
    return run_reads_unrolled(settings, NI_QP_UNROLL_MIN) && run_reads_unrolled(settings, 0);
}

static bool run_loaded(const struct settings *settings)
{
    bool good = true;

    printf("# A message of 8 bytes beside a write of %u MiB: median of half a round trip; time of "
           "the write\n",
           (unsigned)LOAD >> 20);
    printf("# %-10s%14s%14s%10s%12s%18s%12s\n", "Placement", "unloaded us", "loaded us", "ratio",
           "messages", "write alone us", "beside us");
    for (unsigned p = 0; p < PLACEMENTS && good; p++) {
        struct side *side = side_start(placements[p]);
        struct loaded_times times;

        good = measure_loaded(side, settings->rounds, p, &times);
        if (good) {
            printf("  %-10s%14.3f%14.3f%10.2f%12zu%18.1f%12.1f\n", names[p], times.unloaded_us,
                   times.loaded_us, times.loaded_us / times.unloaded_us, times.messages,
                   times.alone_us, times.beside_us);
        }
        good = side_stop(side) && good;
    }
    return good;
}

static void print_long(const struct long_times *times)
{
    if (times->computes_us < 0) {
        printf("%12.1f%12s%8s", times->polls_us, "waits", "-");
    } else {
        printf("%12.1f%12.1f%8.2f", times->polls_us, times->computes_us,
               times->computes_us / times->polls_us);
    }
}

static bool run_computing(const struct settings *settings)
{
    bool good = true, waited = false;

    (void)settings;
    printf("# Transfers of %u MiB: median time (us) towards a process that polls, and one that "
           "computes\n",
           (unsigned)LONG >> 20);
    printf("# %-10s%12s%12s%8s%12s%12s%8s\n", "Placement", "write poll", "compute", "ratio",
           "read poll", "compute", "ratio");
    for (unsigned p = 0; p < PLACEMENTS && good; p++) {
        struct side *side = side_start(placements[p]);
        struct long_times writes, reads;

        good = measure_computing(side, p, &writes, &reads);
        printf("  %-10s", names[p]);
        print_long(&writes);
        print_long(&reads);
        printf("\n");
        waited = waited || writes.computes_us < 0 || reads.computes_us < 0;
        good = side_stop(side) && good;
    }
    if (waited) {
        printf(
            "# waits: not over after %u s, but when the target made calls; its NI needs a thread "
            "for that (placement edge or split)\n",
            (unsigned)PATIENCE_S);
    }
    return good;
}

/* ---- command line ---------------------------------------------------------------------------- */

static int usage(FILE *out)
{
    fprintf(out,
            "Usage: ni_placement [-e EXPERIMENT] [-i INITIATORS] [-n ROUNDS]\n"
            "Compares the placements tile, edge and split of the engine, over shared memory "
            "or the links of\n"
            "APENI_LINKS.\n\n"
            "  -e EXPERIMENT  reads, loaded or computing (default: all)\n"
            "  -i INITIATORS  threads that read, each with a queue pair, for bandwidth (default "
            "4)\n"
            "  -n ROUNDS      reads of each size, messages (default 2000)\n"
            "  -h, -v         this text; the version\n");
    return out == stdout ? 0 : 1;
}

static bool is_experiment(const char *name)
{
    for (unsigned i = 0; i < sizeof(experiments) / sizeof(experiments[0]); i++) {
        if (strcmp(name, experiments[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* The value of an option, 1 to most; says so if it is not. */
static bool read_number(char letter, unsigned most, unsigned *number)
{
    char *end;
    unsigned long value = strtoul(optarg, &end, 10);

    *number = (unsigned)value;
    if (*optarg != '-' && *end == '\0' && value >= 1 && value <= most) {
        return true;
    }
    fprintf(stderr, "ni_placement: -%c '%s': wanted is a number from 1 to %u\n", letter, optarg,
            most);
    return false;
}

/* -1: go on; otherwise the status to exit with. */
static int parse(int argc, char **argv, struct settings *settings)
{
    int option;

    while ((option = next_letter(argc, argv, "e:i:n:hv")) != -1) {
        switch (option) {
        case 'e':
            settings->experiment = optarg;
            if (is_experiment(optarg)) {
                break;
            }
            fprintf(stderr, "ni_placement: -e '%s': wanted is reads, loaded or computing\n",
                    optarg);
            return 1;
        case 'i':
            if (read_number('i', INITIATORS_MAX, &settings->initiators)) {
                break;
            }
            return 1;
        case 'n':
            if (read_number('n', 10000000, &settings->rounds)) {
                break;
            }
            return 1;
        case 'h':
            return usage(stdout);
        case 'v':
            printf("ni_placement (apelink) %s\n", PACKAGE_VERSION);
            return 0;
        default:
            refuse_letter("ni_placement", argv);
            return 1;
        }
    }
    if (optind == argc) {
        return -1;
    }
    fprintf(stderr, "ni_placement: '%s' is not an option\n", argv[optind]);
    return 1;
}

int main(int argc, char **argv)
{
    bool (*const run[])(const struct settings *) = {run_reads, run_loaded, run_computing};
    struct settings settings = {.rounds = 2000, .initiators = INITIATORS};
    int status = parse(argc, argv, &settings);

    if (status >= 0) {
        return status;
    }
    for (unsigned i = 0; i < sizeof(run) / sizeof(run[0]); i++) {
        if (settings.experiment != NULL && strcmp(settings.experiment, experiments[i]) != 0) {
            continue;
        }
        if (!run[i](&settings)) {
            return 1;
        }
    }
    return 0;
}
