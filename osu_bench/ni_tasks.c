/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Task dispatch, after FORTH-CC 4.4 and Table 2: masters put empty tasks, workers get them.
 * Distributed: each worker has a queue, which masters share and it alone reads. Central: one queue
 * for all, which the NI of the first master keeps, so that each worker reads it from elsewhere.
 *
 *   ticket, MCS   circular buffers in shared memory, writers (and readers, if there are several)
 *                 under a lock
 *   SRQ, MRQ      single- and multi-reader queues of the NI, through the task pools of
 *                 apeni/tasks.h, which ask for batches of tasks
 *   MRQ one       a request for each task, and its answer before the next, as in the paper
 *
 * Each is timed in turn, several times, with the same threads or processes; medians are printed.
 * That each task is done once is checked.
 */
#ifdef HAVE_CONFIG_H
#include "apelink_config.h"
#endif

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tasks/party.h"
#include "letters.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

/* Table 2: clock cycles for each task on the FPGA, with a lock and with the queue in hardware. */
struct row {
    bool central;
    unsigned masters, workers;
    unsigned paper_lock, paper_queue;
};

static const struct row rows[] = {
    {false, 1, 1, 199, 40}, {false, 2, 1, 152, 40}, {false, 3, 1, 151, 40}, {true, 1, 1, 0, 0},
    {true, 3, 1, 232, 87},  {true, 2, 2, 237, 44},  {true, 1, 3, 270, 35},
};

struct settings {
    const char *mode, *pool; /* NULL: both */
    struct setup setup;
};

static int ascending(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return left < right ? -1 : left > right;
}

static double median(double *values, unsigned count)
{
    qsort(values, count, sizeof(*values), ascending);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* Returns whether all went well. */
static bool run_row(const struct row *row, struct setup setup)
{
    struct arena *arena;
    double ns[WAYS], tasks_for[WAYS], lock;
    char paper[32] = "-";
    bool good;

    setup.central = row->central;
    setup.masters = row->masters;
    setup.workers = row->workers;
    arena = arena_new(&setup);
    if (arena == NULL) {
        fprintf(stderr, "ni_tasks: no memory for queues of %llu tasks: %s\n",
                (unsigned long long)setup.capacity, strerror(errno));
        return false;
    }
    good = arena_run(arena);
    for (unsigned way = 0; way < way_count(&setup); way++) {
        ns[way] = median(arena->ns[way], setup.reps);
        tasks_for[way] = arena->tasks_for[way];
    }
    arena_free(arena);
    if (!good) {
        return false;
    }
    if (row->paper_lock != 0) {
        snprintf(paper, sizeof(paper), "%u/%u %.1f", row->paper_lock, row->paper_queue,
                 (double)row->paper_lock / row->paper_queue);
    }
    lock = ns[WAY_TICKET] < ns[WAY_MCS] ? ns[WAY_TICKET] : ns[WAY_MCS];
    printf("  %uM-%uW%14.1f%12.1f", row->masters, row->workers, ns[WAY_TICKET], ns[WAY_MCS]);
    if (row->central) {
        printf("%12.1f%12.2f%12.2f", ns[WAY_ONE], lock / ns[WAY_ONE], tasks_for[WAY_ONE]);
    }
    printf("%12.1f%12.2f", ns[WAY_NI], lock / ns[WAY_NI]);
    if (row->central) {
        printf("%12.2f", tasks_for[WAY_NI]);
    }
    printf("%16s\n", paper);
    fflush(stdout);
    return true;
}

static bool run_mode(const struct settings *settings, bool processes)
{
    struct setup setup = settings->setup;

    setup.processes = processes;
    for (unsigned central = 0; central < 2; central++) {
        if (settings->pool != NULL &&
            strcmp(settings->pool, central ? "central" : "distributed") != 0) {
            continue;
        }
        printf("# %s tasks between %s: %llu of %zu bytes from each master, queues of %llu\n",
               central ? "Central" : "Distributed", processes ? "processes" : "threads",
               (unsigned long long)setup.tasks, setup.size, (unsigned long long)setup.capacity);
        printf("# %-6s%12s%12s", "", "ticket ns", "MCS ns");
        if (central) {
            printf("%12s%12s%12s%12s%12s%12s", "MRQ one ns", "lock/one", "tasks/pkt", "batches ns",
                   "lock/batch", "tasks/pkt");
        } else {
            printf("%12s%12s", "SRQ ns", "lock/ours");
        }
        printf("%16s\n", "paper, cycles");
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
            if (rows[i].central == (central != 0) && !run_row(&rows[i], setup)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- options --------------------------------------------------------------------------------- */

static void print_help(void)
{
    printf("Usage: ni_tasks [options]\n"
           "Task dispatch through locked queues and through queues of the NI: ns for each task.\n\n"
           "Options:\n"
           "  -m MODE   threads or processes (default: both)\n"
           "  -p POOL   distributed or central (default: both)\n"
           "  -n COUNT  tasks of each master, 1 to 10000000 (default 10000)\n"
           "  -r COUNT  repetitions, after one that warms up, 1 to %d (default 9)\n"
           "  -s BYTES  of a task: 8, 16, 32 or 64 (default 32)\n"
           "  -q COUNT  tasks that a queue holds, a power of two up to 65536 (default 256)\n"
           "  -w COUNT  tasks that a worker of a central pool asks for ahead, up to %d; 0, the\n"
           "            default: as many as the pool finds best\n"
           "  -h        this text\n"
           "  -v        name and version\n\n"
           "Exit status: 0; 1 for a wrong option, or a task that was lost or done twice.\n",
           REPS, NI_TASKS_WINDOW);
}

static bool parse(int letter, unsigned long low, unsigned long high, bool power, unsigned long *out)
{
    char *end;

    errno = 0;
    *out = strtoul(optarg, &end, 10);
    if (errno == 0 && end != optarg && *end == '\0' && *optarg != '-' && *out >= low &&
        *out <= high && (!power || (*out & (*out - 1)) == 0)) {
        return true;
    }
    fprintf(stderr, "ni_tasks: -%c '%s': wanted is a %s from %lu to %lu\n", letter, optarg,
            power ? "power of two" : "number", low, high);
    return false;
}

static bool parse_word(int letter, const char *one, const char *other, const char **out)
{
    *out = optarg;
    if (strcmp(optarg, one) == 0 || strcmp(optarg, other) == 0) {
        return true;
    }
    fprintf(stderr, "ni_tasks: -%c '%s': wanted is %s or %s\n", letter, optarg, one, other);
    return false;
}

/* Returns 0 to go on, 1 to end well, -1 to end badly. */
static int parse_one(struct settings *settings, int letter, char **argv)
{
    struct setup *setup = &settings->setup;
    unsigned long value = 0;
    bool ok = true;

    switch (letter) {
    case 'h':
        print_help();
        return 1;
    case 'v':
        printf("ni_tasks (apelink) %s\n", PACKAGE_VERSION);
        return 1;
    case 'm':
        return parse_word(letter, "threads", "processes", &settings->mode) ? 0 : -1;
    case 'p':
        return parse_word(letter, "distributed", "central", &settings->pool) ? 0 : -1;
    case 'n':
        ok = parse(letter, 1, 10000000, false, &value);
        setup->tasks = value;
        break;
    case 'r':
        ok = parse(letter, 1, REPS, false, &value);
        setup->reps = (unsigned)value;
        break;
    case 's':
        ok = parse(letter, sizeof(struct task), TASK_MAX, true, &value);
        setup->size = value;
        break;
    case 'q':
        ok = parse(letter, 1, 65536, true, &value);
        setup->capacity = value;
        break;
    case 'w':
        ok = parse(letter, 0, NI_TASKS_WINDOW, false, &value);
        setup->window = (unsigned)value;
        break;
    default:
        refuse_letter("ni_tasks", argv);
        return -1;
    }
    return ok ? 0 : -1;
}

static int parse_all(struct settings *settings, int argc, char **argv)
{
    int letter, result = 0;

    while (result == 0 && (letter = next_letter(argc, argv, "m:p:n:r:s:q:w:hv")) != -1) {
        result = parse_one(settings, letter, argv);
    }
    if (result == 0 && optind < argc) {
        fprintf(stderr, "ni_tasks: '%s' is not an option; try -h\n", argv[optind]);
        return -1;
    }
    return result;
}

int main(int argc, char **argv)
{
    struct settings settings = {.setup = {.tasks = 10000, .size = 32, .capacity = 256, .reps = 9}};
    int parsed = parse_all(&settings, argc, argv);

    if (parsed != 0) {
        return parsed < 0;
    }
    for (unsigned processes = 0; processes < 2; processes++) {
        if ((settings.mode == NULL ||
             strcmp(settings.mode, processes ? "processes" : "threads") == 0) &&
            !run_mode(&settings, processes != 0)) {
            return 1;
        }
    }
    return 0;
}
