/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/bench/bench.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

/*
 * The benchmark program of APEnet+ 4.3, whose cycles are in Table 19: 32 buffers are appended; the
 * first, 16th and last are searched for, then removed; the 16th is searched for again, in vain.
 * Each phase runs over all tables of a set before the next one begins: over a few of them (warm),
 * or over so many that none is in a cache any more (cold). Its instructions are counted by the
 * processor, where the kernel lets us ask.
 */

enum { BUFFERS = 32, PHASES = 4, SAMPLES_MAX = 1000, WARM_TABLES = 16, SEARCHED_LEN = 4096 };

static const size_t places[] = {0, 15, 31};

enum { PLACES = sizeof(places) / sizeof(places[0]) };

/* Cycles in the paper: software on Nios II and DLX, the dedicated processor at its best. */
static const struct {
    const char *name;
    unsigned nios2, dlx, d64opt;
} paper[PHASES + 1] = {
    {"append 0..31", 6839, 4867, 419},     {"search 0, 16, 31", 1802, 2454, 304},
    {"remove 0, 16, 31", 1192, 3523, 560}, {"search 16", 596, 787, 166},
    {"total", 10433, 11631, 1449},
};

struct cost {
    double ns, instructions;
};

/* ---- instructions ---------------------------------------------------------------------------- */

/* A counter of this thread's instructions in user space; -1 if there is none, errno says why. */
static int open_counter(void)
{
    struct perf_event_attr attr;

    memset(&attr, 0, sizeof(attr));
    attr.size = sizeof(attr);
    attr.type = PERF_TYPE_HARDWARE;
    attr.config = PERF_COUNT_HW_INSTRUCTIONS;
    attr.exclude_kernel = 1;
    attr.exclude_hv = 1;
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static uint64_t read_counter(int counter)
{
    uint64_t value = 0;

    if (counter >= 0 && read(counter, &value, sizeof(value)) != (ssize_t)sizeof(value)) {
        value = 0;
    }
    return value;
}

/* ---- the phases ------------------------------------------------------------------------------ */

static uint64_t search_all(struct table_set *set, size_t table)
{
    uint64_t found = 0;

    for (size_t i = 0; i < PLACES; i++) {
        found += set->kind->search(set->table[table], set->base[places[i]], SEARCHED_LEN) != 0;
    }
    return found;
}

/* Appending takes turns, so that the nodes of one list do not lie side by side, as they would not
 * in a program that does other things, too. */
static void append_all(struct table_set *set)
{
    for (size_t i = 0; i < BUFFERS; i++) {
        for (size_t t = 0; t < set->tables; t++) {
            set->kind->append(set->table[t], set->base[i], TABLE_BUFFER_LEN);
        }
    }
}

/* Returns what searches have found. */
static uint64_t run_phase(struct table_set *set, unsigned phase)
{
    uint64_t found = 0;

    if (phase == 0) {
        append_all(set);
        return 0;
    }
    for (size_t t = 0; t < set->tables; t++) {
        switch (phase) {
        case 1:
            found += search_all(set, t);
            break;
        case 2:
            for (size_t i = 0; i < PLACES; i++) {
                set->kind->remove(set->table[t], set->base[places[i]], TABLE_BUFFER_LEN);
            }
            break;
        default:
            found += set->kind->search(set->table[t], set->base[places[1]], SEARCHED_LEN) != 0;
        }
    }
    return found;
}

static void must_find(const struct table_set *set, unsigned phase, uint64_t found)
{
    if (found != (phase == 1 ? PLACES * set->tables : 0)) {
        fprintf(stderr, "ni_table: %s: a search gave the wrong answer\n", set->kind->name);
        exit(1);
    }
}

/* All phases, once; costs for each table. */
static void sample_phases(struct table_set *set, int counter, struct cost costs[PHASES])
{
    for (unsigned phase = 0; phase < PHASES; phase++) {
        uint64_t instructions = read_counter(counter), begin = ni_now_ns();
        uint64_t found = run_phase(set, phase);

        costs[phase].ns = (double)(ni_now_ns() - begin) / (double)set->tables;
        costs[phase].instructions =
            (double)(read_counter(counter) - instructions) / (double)set->tables;
        must_find(set, phase, found);
    }
    table_set_clear(set);
}

/* Medians, and their sum in the last row. */
static void measure_phases(const struct table_kind *kind, size_t tables, size_t samples,
                           int counter, struct cost costs[PHASES + 1])
{
    static struct cost all[SAMPLES_MAX][PHASES];
    static double column[SAMPLES_MAX];
    struct table_set set;

    table_set_make(&set, kind, tables, BUFFERS);
    sample_phases(&set, counter, all[0]);
    for (size_t i = 0; i < samples; i++) {
        sample_phases(&set, counter, all[i]);
    }
    table_set_end(&set);
    costs[PHASES] = (struct cost){0, 0};
    for (unsigned phase = 0; phase < PHASES; phase++) {
        for (size_t i = 0; i < samples; i++) {
            column[i] = all[i][phase].ns;
        }
        costs[phase].ns = table_quantile(column, samples, 0.5);
        for (size_t i = 0; i < samples; i++) {
            column[i] = all[i][phase].instructions;
        }
        costs[phase].instructions = table_quantile(column, samples, 0.5);
        costs[PHASES].ns += costs[phase].ns;
        costs[PHASES].instructions += costs[phase].instructions;
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

static void print_pair(double table, double list)
{
    printf(" %9.0f %9.0f %6.2f", table, list, list > 0 ? table / list : 0);
}

static void print_phases(struct cost costs[2][2][PHASES + 1], bool counted)
{
    printf(
        "# The program of APEnet+ 4.3 on the buffer table and on the list of 4.4.1; for each table "
        "of 32 buffers\n");
    printf("# %-16s|%28s|%28s|%28s| cycles in Table 19\n", "", "ns, warm", "ns, cold",
           "instructions");
    printf("# %-16s", "");
    for (unsigned i = 0; i < 3; i++) {
        printf(" %9s %9s %6s", "table", "list", "ratio");
    }
    printf(" %8s %7s %7s\n", "Nios II", "DLX", "D64OPT");
    for (unsigned row = 0; row <= PHASES; row++) {
        printf("  %-16s", paper[row].name);
        print_pair(costs[0][0][row].ns, costs[0][1][row].ns);
        print_pair(costs[1][0][row].ns, costs[1][1][row].ns);
        if (counted) {
            print_pair(costs[0][0][row].instructions, costs[0][1][row].instructions);
        } else {
            printf(" %9s %9s %6s", "-", "-", "-");
        }
        printf(" %8u %7u %7u\n", paper[row].nios2, paper[row].dlx, paper[row].d64opt);
    }
}

void table_19(size_t cold_tables, size_t samples)
{
    static const struct table_kind *const kinds[] = {&table_of_core, &table_of_list};
    static struct cost costs[2][2][PHASES + 1];
    int counter = open_counter();

    if (counter < 0) {
        printf("# no instructions: perf_event_open: %s\n", strerror(errno));
    }
    for (unsigned cold = 0; cold < 2; cold++) {
        for (unsigned kind = 0; kind < 2; kind++) {
            measure_phases(kinds[kind], cold ? cold_tables : WARM_TABLES, samples, counter,
                           costs[cold][kind]);
        }
    }
    print_phases(costs, counter >= 0);
    if (counter >= 0) {
        (void)close(counter);
    }
}
