/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/random.h"

/* Read at run time, so that the compiler must believe that it may be something else. */
static uint64_t always_zero_word;

/* 0, but not before value is known: a data dependency on it. */
static inline uint64_t zero_from_result(uint64_t value)
{
    uint64_t zero = always_zero_word;

    __asm__("" : "+r"(zero));
    return value & zero;
}

/* Prepared positions; a power of two. */
enum { PREPARED = 4096 };

static struct {
    uint64_t start[PREPARED];
    size_t table[PREPARED];
} prepared;

static struct ni_rng rng = {{1, 2, 3, 4}};

static void *must_calloc(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (memory == NULL) {
        fprintf(stderr, "ni_table: out of memory: try fewer tables (-c) or entries (-n)\n");
        exit(1);
    }
    return memory;
}

void table_set_make(struct table_set *set, const struct table_kind *kind, size_t tables,
                    size_t entries)
{
    set->kind = kind;
    set->tables = tables;
    set->entries = entries;
    set->table = must_calloc(tables, sizeof(*set->table));
    set->base = must_calloc(entries, sizeof(*set->base));
    for (size_t i = 0; i < tables; i++) {
        size_t swap = (size_t)ni_rng_below(&rng, i + 1);

        set->table[i] = set->table[swap];
        set->table[swap] = kind->make();
    }
    /* Apart from each other, and in no order: the order of appending says nothing of addresses. */
    for (size_t i = 0; i < entries; i++) {
        size_t swap = (size_t)ni_rng_below(&rng, i + 1);

        set->base[i] = set->base[swap];
        set->base[swap] = 0x7f0000000000 + (uint64_t)i * 4 * TABLE_BUFFER_LEN;
    }
}

void table_set_end(struct table_set *set)
{
    for (size_t i = 0; i < set->tables; i++) {
        set->kind->end(set->table[i]);
    }
    free(set->table);
    free(set->base);
}

/* What it takes to read the clock, the least of a few times. */
static uint64_t clock_ns(void)
{
    static uint64_t least = UINT64_MAX;

    for (int i = 0; i < 1000 && least > 1; i++) {
        uint64_t begin = ni_now_ns(), took = ni_now_ns() - begin;

        least = took < least ? took : least;
    }
    return least;
}

/* Nanoseconds since begin, without those of the clock itself, for each of count operations. */
static double since(uint64_t begin, uint64_t count)
{
    uint64_t took = ni_now_ns() - begin, clock = clock_ns();

    return took > clock ? (double)(took - clock) / (double)count : 0;
}

double table_set_fill(struct table_set *set, bool turns)
{
    uint64_t begin = ni_now_ns(), operations = (uint64_t)set->tables * set->entries;
    size_t outer = turns ? set->entries : set->tables, inner = turns ? set->tables : set->entries;

    for (size_t i = 0; i < outer; i++) {
        for (size_t j = 0; j < inner; j++) {
            set->kind->append(set->table[turns ? j : i], set->base[turns ? i : j],
                              TABLE_BUFFER_LEN);
        }
    }
    return since(begin, operations);
}

static uint64_t start_of(const struct table_set *set, enum table_position position)
{
    size_t last = set->entries - 1;

    switch (position) {
    case POSITION_FIRST:
        return set->base[0];
    case POSITION_16TH:
        return set->base[last < 15 ? last : 15];
    case POSITION_LAST:
        return set->base[last];
    case POSITION_MISS:
        return set->base[last] + 2 * TABLE_BUFFER_LEN;
    default:
        return set->base[ni_rng_below(&rng, set->entries)];
    }
}

static void prepare_set(const struct table_set *set, enum table_position position)
{
    for (size_t i = 0; i < PREPARED; i++) {
        prepared.start[i] = start_of(set, position);
        prepared.table[i] = (size_t)ni_rng_below(&rng, set->tables);
    }
}

/* Each address waits for the result before. */
static uint64_t search_one(const struct table_set *set, size_t count)
{
    uint64_t (*search)(void *, uint64_t, uint64_t) = set->kind->search;
    void *table = set->table[0];
    uint64_t found = 0;

    for (size_t i = 0; i < count; i++) {
        found = search(table, prepared.start[i % PREPARED] + zero_from_result(found), 4096);
    }
    return found;
}

/* Each address and each table wait for the result before. */
static uint64_t search_many(const struct table_set *set, size_t count)
{
    uint64_t (*search)(void *, uint64_t, uint64_t) = set->kind->search;
    uint64_t found = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t zero = zero_from_result(found);
        size_t at = i % PREPARED;

        found = search(set->table[prepared.table[at] + zero], prepared.start[at] + zero, 4096);
    }
    return found;
}

double table_set_search(struct table_set *set, enum table_position position, bool all, size_t count)
{
    uint64_t begin = 0;

    prepare_set(set, position);
    begin = ni_now_ns();
    zero_from_result(all ? search_many(set, count) : search_one(set, count));
    return since(begin, count);
}

double table_set_remove(struct table_set *set, enum table_position position)
{
    uint64_t begin = 0;

    prepare_set(set, position);
    begin = ni_now_ns();
    for (size_t i = 0; i < set->tables; i++) {
        set->kind->remove(set->table[i], prepared.start[i % PREPARED], TABLE_BUFFER_LEN);
    }
    return since(begin, set->tables);
}

void table_set_clear(struct table_set *set)
{
    for (size_t i = 0; i < set->tables; i++) {
        for (size_t j = 0; j < set->entries; j++) {
            set->kind->remove(set->table[i], set->base[j], TABLE_BUFFER_LEN);
        }
    }
}

bool table_set_right(struct table_set *set, enum table_position position)
{
    bool right = true;

    for (size_t i = 0; i < set->tables; i++) {
        uint64_t start = start_of(set, position);
        uint64_t found = set->kind->search(set->table[i], start, 4096);

        right = right && (found != 0) == (position != POSITION_MISS);
    }
    return right;
}

static int compare_ranges(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

double table_quantile(double *samples, size_t count, double fraction)
{
    qsort(samples, count, sizeof(*samples), compare_ranges);
    return samples[(size_t)((double)(count - 1) * fraction + 0.5)];
}
