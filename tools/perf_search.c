/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Search of the buffer table: which region contains an address (search_persistent_buf_by_range of
 * APEnet+ 4.3), by ni_region_search. Each search waits for the one before it, so this is the time
 * that one takes, not how many can be overlapped.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <apeni/apeni.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/random.h"
#include "perf.h"

enum { REGION = 256, LEN = 8, ITERATIONS = 20000, LIMIT_ENTRIES = 1 << 20 };

struct table {
    struct ni *ni;
    uint8_t *memory;
    uint64_t entries, mapped;
    uint32_t *order; /* the positions in random order, as a cycle */
};

/* Where searches look. */
enum place { WORST, FIRST, MIDDLE, LAST, RANDOM, MISS, PLACES };

static const char *const place_names[PLACES] = {
    [WORST] = "worst", [FIRST] = "first",   [MIDDLE] = "middle",
    [LAST] = "last",   [RANDOM] = "random", [MISS] = "miss",
};

/* ---- the table ------------------------------------------------------------------------------- */

static void check(ni_status status, const char *what)
{
    if (status != NI_OK) {
        perf_fail("%s: %s", what, ni_status_text(status));
    }
}

/* A cycle through all positions, in random order: order[p] is visited after p. */
static void make_order(struct table *table)
{
    struct ni_rng rng;
    uint32_t count = (uint32_t)table->entries;

    ni_rng_seed(&rng, 1);
    for (uint32_t i = 0; i < count; i++) {
        table->order[i] = i;
    }
    for (uint32_t i = count - 1; i > 0; i--) {
        uint32_t k = (uint32_t)ni_rng_below(&rng, i), saved = table->order[i];

        table->order[i] = table->order[k];
        table->order[k] = saved;
    }
}

static void table_open(struct table *table, struct ni_fabric *fabric, uint64_t entries)
{
    struct ni_open_attr attr = {.fabric = fabric};

    *table = (struct table){.entries = entries, .mapped = (entries + 1) * REGION};
    table->memory = mmap(NULL, table->mapped, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    table->order = calloc(entries, sizeof(*table->order));
    if (table->memory == MAP_FAILED || table->order == NULL) {
        perf_fail("no memory for %llu regions", (unsigned long long)entries);
    }
    make_order(table);
    check(ni_open(&attr, &table->ni), "cannot open a network interface");
    for (uint64_t i = 0; i < entries; i++) {
        struct ni_rkey key;

        check(ni_region_memory(table->ni, table->memory + i * REGION, REGION / 2, NI_ACCESS_ALL,
                               &key),
              "cannot register memory");
    }
}

static void table_close(struct table *table)
{
    ni_close(table->ni);
    munmap(table->memory, table->mapped);
    free(table->order);
}

/* ---- searching ------------------------------------------------------------------------------- */

/* One search at a position; returns 0, but in a way that the next search depends on it. */
NI_ALWAYS_INLINE uint32_t search_at(const struct table *table, uint64_t offset, ni_status expected)
{
    struct ni_rkey key = {.handle = 0};
    ni_status status = ni_region_search(table->ni, table->memory + offset, LEN, &key);

    if (NI_UNLIKELY(status != expected)) {
        perf_fail("a search ended with \"%s\" instead of \"%s\"", ni_status_text(status),
                  ni_status_text(expected));
    }
    __asm__ volatile("" : "+r"(key.handle));
    return key.handle & 0;
}

/* ns per search */
static double time_at(const struct table *table, uint64_t offset, ni_status expected,
                      uint64_t count)
{
    uint64_t begin = ni_now_ns();
    uint32_t zero = 0;

    for (uint64_t i = 0; i < count; i++) {
        zero = search_at(table, offset + zero, expected);
    }
    return (double)(ni_now_ns() - begin) / (double)count;
}

static double time_random(const struct table *table, uint64_t count)
{
    uint64_t begin = ni_now_ns();
    uint32_t at = 0;

    for (uint64_t i = 0; i < count; i++) {
        at = table->order[at] + search_at(table, (uint64_t)at * REGION, NI_OK);
    }
    return (double)(ni_now_ns() - begin) / (double)count;
}

/* The slowest of the positions, at most 64 of them spread over the table. What disturbs some of
 * the runs at a position says nothing about it. */
static double time_worst(const struct table *table, uint64_t count)
{
    enum { RUNS = 5, POSITIONS = 64 };
    uint64_t step = table->entries <= POSITIONS ? 1 : table->entries / POSITIONS;
    double worst = 0;

    for (uint64_t at = 0; at < table->entries; at += step) {
        double ns[RUNS];

        for (int run = 0; run < RUNS; run++) {
            ns[run] = time_at(table, at * REGION, NI_OK, count / 32 + 1);
        }
        worst = fmax(perf_median(ns, RUNS), worst);
    }
    return worst;
}

static double time_place(const struct table *table, enum place place, uint64_t count)
{
    switch (place) {
    case WORST:
        return time_worst(table, count);
    case FIRST:
        return time_at(table, 0, NI_OK, count);
    case MIDDLE:
        return time_at(table, table->entries / 2 * REGION, NI_OK, count);
    case LAST:
        return time_at(table, (table->entries - 1) * REGION, NI_OK, count);
    case RANDOM:
        return time_random(table, count);
    default:
        return time_at(table, REGION / 2 + LEN, NI_ERR_NOTFOUND, count);
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static struct perf_value measure(const struct perf_options *options, const struct table *table,
                                 enum place place)
{
    uint64_t count = options->iterations != 0 ? options->iterations : ITERATIONS;
    uint64_t warmup = options->warmup != UINT64_MAX ? options->warmup : count / 10;
    struct perf_value value = {.column = place_names[place],
                               .size = table->entries,
                               .there = true,
                               .reps = (uint32_t)options->reps,
                               .unit = "ns",
                               .state = "none"};
    double values[PERF_REPS_MAX];

    snprintf(value.bench, sizeof(value.bench), "search_%s", place_names[place]);
    if (warmup != 0) {
        (void)time_place(table, place, warmup);
    }
    for (uint64_t rep = 0; rep < options->reps; rep++) {
        values[rep] = time_place(table, place, count);
    }
    value.value = perf_median(values, (size_t)options->reps);
    value.least = values[0];
    value.most = values[options->reps - 1];
    return value;
}

static void measure_table(const struct perf_options *options, struct ni_fabric *fabric,
                          uint64_t entries)
{
    struct perf_value values[PLACES];
    struct table table;

    table_open(&table, fabric, entries);
    for (enum place place = WORST; place < PLACES; place++) {
        values[place] = measure(options, &table, place);
    }
    perf_report_row(options, values, PLACES);
    table_close(&table);
}

int perf_search(struct perf_options *options)
{
    struct ni_fabric *fabric;
    char about[128];

    for (int i = 0; i < options->size_count; i++) {
        if (options->sizes[i] >= LIMIT_ENTRIES) {
            perf_bad_use("-m: a table has at most %d entries, not %llu", LIMIT_ENTRIES - 1,
                         (unsigned long long)options->sizes[i]);
        }
    }
    options->link = PERF_INPROC;
    perf_cores_pin(options->cores[0]);
    check(ni_fabric_create(NULL, &fabric), "cannot make a fabric");
    snprintf(about, sizeof(about), "ns for one ni_region_search by position; core %d",
             options->cores[0]);
    perf_report_begin(options, about);
    for (int i = 0; i < options->size_count; i++) {
        measure_table(options, fabric, options->sizes[i]);
    }
    perf_report_end(options);
    ni_fabric_destroy(fabric);
    return PERF_EXIT_GOOD;
}
