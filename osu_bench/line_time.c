/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The raw one-way time of a cache line between two cores: two pinned threads pass an eight-byte
 * number to and fro, each writing a line of its own that the other one polls. It is the floor of
 * any message over shared memory, and it tells in which state the machine is, so it takes little
 * time and never more than a limit, however busy the cores.
 */
#ifdef HAVE_CONFIG_H
#include "apelink_config.h"
#endif

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "letters.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

#define MAX_REPS 1000
/* The prefetcher may fetch lines in pairs, so the two lines are not neighbours. */
#define APART 256
/* Reading the clock costs as much as a transfer, so it is read now and then only. */
#define POLLS_PER_LOOK 4096

struct settings {
    int core[2];
    int rounds; /* round trips in a repetition */
    int reps;
    int limit_ms; /* for everything */
};

/*
 * ping and pong each hold the number of the last round that its writer has begun. The store of a
 * number releases nothing but itself, yet release and acquire are what a message would use.
 */
static struct {
    _Alignas(
        APART) _Atomic uint64_t ping; /* written by the first thread (A), polled by the second */
    _Alignas(
        APART) _Atomic uint64_t pong; /* written by the second thread (B), polled by the first */
    _Alignas(APART) atomic_bool stop;
} shared;

/* Returns 0, or an errno value. */
static int pin_to(int core)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    return sched_setaffinity(0, sizeof(set), &set) == 0 ? 0 : errno;
}

static void *answer(void *argument)
{
    const int *core = argument;
    uint64_t round = 1;

    if (pin_to(*core) != 0) {
        return NULL;
    }
    while (!atomic_load_explicit(&shared.stop, memory_order_relaxed)) {
        /* A: pairs with the store in play(). */
        if (atomic_load_explicit(&shared.ping, memory_order_acquire) != round) {
            continue;
        }
        /* B: pairs with the load in play(). */
        atomic_store_explicit(&shared.pong, round, memory_order_release);
        round++;
    }
    return NULL;
}

/* Play rounds first to first + count - 1. Returns false if the deadline passes. */
static bool play(uint64_t first, int count, uint64_t deadline)
{
    for (uint64_t round = first; round < first + (uint64_t)count; round++) {
        unsigned polls = 0;
        atomic_store_explicit(&shared.ping, round, memory_order_release);
        while (atomic_load_explicit(&shared.pong, memory_order_acquire) != round) {
            if (++polls % POLLS_PER_LOOK == 0 && osu_clock() > deadline) {
                return false;
            }
        }
    }
    return true;
}

/* Fill ns with the one-way times of the repetitions that fit into the limit; returns how many those
 * are. */
static int measure(const struct settings *settings, double *ns)
{
    uint64_t deadline = osu_clock() + (uint64_t)settings->limit_ms * 1000000u;
    uint64_t first = 1;
    int done = 0;
    int warmup = settings->rounds / 10 + 1;

    if (!play(first, warmup, deadline)) {
        return 0;
    }
    first += (uint64_t)warmup;
    while (done < settings->reps && osu_clock() < deadline) {
        uint64_t begin = osu_clock();
        if (!play(first, settings->rounds, deadline)) {
            break;
        }
        ns[done++] = (double)(osu_clock() - begin) / (2.0 * settings->rounds);
        first += (uint64_t)settings->rounds;
    }
    return done;
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

static void print_help(void)
{
    printf("Usage: line_time [options]\n"
           "Prints the one-way time of a cache line between two cores: half of a round trip, in "
           "ns.\n\n"
           "Options:\n"
           "  -a CORE    first core (default: the first that this process may use)\n"
           "  -b CORE    second core (default: the second)\n"
           "  -n ROUNDS  round trips in a repetition, 1 to 10000000 (default 4000)\n"
           "  -r REPS    repetitions, 1 to %d (default 5)\n"
           "  -l MS      stop after this many milliseconds, 1 to 60000 (default 90)\n"
           "  -h         this text\n"
           "  -v         name and version\n\n"
           "Exit status: 0; 1 for a wrong option or core; 2 if not one repetition fitted into the "
           "limit,\nwhich means that something else runs on these cores.\n",
           MAX_REPS);
}

static int parse(const char *name, const char *text, int low, int high, int *out)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno == 0 && end != text && *end == '\0' && value >= low && value <= high) {
        *out = (int)value;
        return 0;
    }
    fprintf(stderr, "line_time: %s '%s': wanted is a number from %d to %d\n", name, text, low,
            high);
    return -1;
}

/* Set the cores that were not given to the first ones allowed. Returns -1 with a message if there
 * are too few. */
static int choose_cores(struct settings *settings)
{
    cpu_set_t allowed;

    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) {
        fprintf(stderr, "line_time: cannot read the cores of this process: %s\n", strerror(errno));
        return -1;
    }
    for (int side = 0; side < 2; side++) {
        for (int core = 0; core < CPU_SETSIZE && settings->core[side] < 0; core++) {
            if (CPU_ISSET(core, &allowed) && core != settings->core[1 - side]) {
                settings->core[side] = core;
            }
        }
        if (settings->core[side] < 0) {
            fprintf(stderr, "line_time: this process may use one core only; two are needed "
                            "(taskset, cpuset)\n");
            return -1;
        }
        if (!CPU_ISSET(settings->core[side], &allowed)) {
            fprintf(stderr, "line_time: core %d does not exist or is not allowed here\n",
                    settings->core[side]);
            return -1;
        }
    }
    if (settings->core[0] != settings->core[1]) {
        return 0;
    }
    fprintf(stderr, "line_time: both cores are %d; give two different ones (-a, -b)\n",
            settings->core[0]);
    return -1;
}

/* Returns 0 to go on, 1 to end well, -1 to end badly. */
static int parse_all(struct settings *settings, int argc, char **argv)
{
    int letter;
    int failed = 0;

    while (failed == 0 && (letter = next_letter(argc, argv, "a:b:n:r:l:hv")) != -1) {
        if (letter == 'a') {
            failed = parse("-a", optarg, 0, CPU_SETSIZE - 1, &settings->core[0]);
        } else if (letter == 'b') {
            failed = parse("-b", optarg, 0, CPU_SETSIZE - 1, &settings->core[1]);
        } else if (letter == 'n') {
            failed = parse("-n", optarg, 1, 10000000, &settings->rounds);
        } else if (letter == 'r') {
            failed = parse("-r", optarg, 1, MAX_REPS, &settings->reps);
        } else if (letter == 'l') {
            failed = parse("-l", optarg, 1, 60000, &settings->limit_ms);
        } else if (letter == 'h' || letter == 'v') {
            if (letter == 'h') {
                print_help();
            } else {
                printf("line_time (apelink) %s\n", PACKAGE_VERSION);
            }
            return 1;
        } else {
            refuse_letter("line_time", argv);
            return -1;
        }
    }
    if (failed == 0 && optind < argc) {
        fprintf(stderr, "line_time: '%s' is not an option; try -h\n", argv[optind]);
        return -1;
    }
    return failed;
}

/* Run both threads; returns the number of repetitions measured, -1 after a message. */
static int run(struct settings *settings, double *ns)
{
    pthread_t other;

    int error = pthread_create(&other, NULL, answer, &settings->core[1]);
    if (error == 0) {
        error = pin_to(settings->core[0]);
        int done = error == 0 ? measure(settings, ns) : 0;
        atomic_store_explicit(&shared.stop, true, memory_order_relaxed);
        pthread_join(other, NULL);
        if (error == 0) {
            return done;
        }
    }
    fprintf(stderr, "line_time: cannot run on core %d: %s\n", settings->core[0], strerror(error));
    return -1;
}

int main(int argc, char **argv)
{
    static double ns[MAX_REPS];
    struct settings settings = {{-1, -1}, 4000, 5, 90};

    int parsed = parse_all(&settings, argc, argv);
    if (parsed != 0) {
        return parsed < 0;
    }
    if (choose_cores(&settings) != 0) {
        return 1;
    }
    int done = run(&settings, ns);
    if (done < 0) {
        return 1;
    }
    if (done == 0) {
        fprintf(stderr, "line_time: not one repetition within %d ms; are cores %d and %d busy?\n",
                settings.limit_ms, settings.core[0], settings.core[1]);
        return 2;
    }
    qsort(ns, (size_t)done, sizeof(ns[0]), compare_doubles);
    printf("# One-way time of a cache line between cores %d and %d, ns\n", settings.core[0],
           settings.core[1]);
    printf("# %-10s%12s%12s%12s\n", "Reps", "Min", "Median", "Max");
    printf("  %-10d%12.1f%12.1f%12.1f\n", done, ns[0], ns[done / 2], ns[done - 1]);
    return 0;
}
