/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>

#include <apeni/fault.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "match/match.h"
#include "match_model.h"

/*
 * Posted entries against a linear walk: random appends, removals and searches, with entries deleted
 * or kept, and every way on behind what was found. Each answer must be that of the walk, with each
 * kind of vector code that the processor has, and whichever allocation fails.
 *
 *   model_match_list [SEED [STEPS]]   repeats one seed
 */

enum {
    SEEDS = NI_ASAN || NI_TSAN ? 150 : 600,
    STEPS = NI_ASAN || NI_TSAN ? 10000 : 30000,
    MOST = 4000,
};

struct trace {
    struct ni_match_list list;
    struct ni_match_entry entry[MOST];
    uint32_t free[MOST]; /* numbers of entries that are in no list */
    size_t frees;
    struct model_walk walk;
    struct model_taste taste;
    struct ni_rng rng;
    bool filling;
    uint64_t seed, step;
};

static struct {
    uint64_t operations, found, missed, ways_on, refused;
} total;

static void fail(const struct trace *trace, const char *what)
{
    fprintf(stderr,
            "model_match_list: %s (seed %llu, step %llu, %zu entries). "
            "Repeat with: model_match_list %llu %llu\n",
            what, (unsigned long long)trace->seed, (unsigned long long)trace->step,
            trace->walk.count, (unsigned long long)trace->seed,
            (unsigned long long)trace->step + 1);
    exit(1);
}

static long number_of(const struct trace *trace, const struct ni_match_entry *entry)
{
    return entry == NULL ? -1 : entry - trace->entry;
}

static void step_append(struct trace *trace)
{
    struct model_item item = model_draw_wild(&trace->taste, &trace->rng);
    ni_status status;

    if (trace->walk.count >= trace->taste.most) {
        trace->filling = false;
        return;
    }
    item.number = trace->free[trace->frees - 1];
    status = ni_match_list_append(&trace->list, &trace->entry[item.number], item.bits, item.ignore,
                                  item.initiator);
    if (status == NI_OK) {
        trace->frees--;
        model_append(&trace->walk, &item);
    } else if (status == NI_ERR_NOMEM && ni_fault_struck(NI_FAULT_ALLOC) > 0) {
        total.refused++;
    } else {
        fail(trace, "an entry was not appended");
    }
}

static void remove_at(struct trace *trace, size_t place)
{
    uint32_t number = trace->walk.item[place].number;

    ni_match_list_remove(&trace->list, &trace->entry[number]);
    model_remove(&trace->walk, place);
    trace->free[trace->frees++] = number;
    if (trace->walk.count == 0) {
        trace->filling = true;
    }
}

static void step_remove(struct trace *trace)
{
    if (trace->walk.count != 0) {
        remove_at(trace, (size_t)ni_rng_below(&trace->rng, trace->walk.count));
    }
}

/* What arrives: anything, or what one of the entries waits for. */
static struct model_item draw_header(struct trace *trace)
{
    struct model_item header = model_draw_exact(&trace->taste, &trace->rng);

    if (trace->walk.count != 0 && ni_rng_below(&trace->rng, 4) != 0) {
        size_t place = (size_t)ni_rng_below(&trace->rng, trace->walk.count);
        const struct model_item *item = &trace->walk.item[place];

        header.bits = item->bits ^ (ni_rng_next(&trace->rng) & item->ignore);
        header.initiator = item->initiator == MODEL_ANY ? header.initiator : item->initiator;
    }
    return header;
}

/* Follow the matches behind the first one, all or a few. */
static void follow(struct trace *trace, const struct model_item *header, long number, size_t place)
{
    for (uint64_t left = ni_rng_below(&trace->rng, 40); number >= 0 && left > 0; left--) {
        const struct ni_match_entry *next = ni_match_list_next(&trace->list, &trace->entry[number],
                                                               header->bits, header->initiator);

        number = model_first(&trace->walk, place + 1, header, &place);
        if (number_of(trace, next) != number) {
            fail(trace, "the next match is not that of the walk");
        }
        total.ways_on++;
    }
}

static void step_search(struct trace *trace)
{
    struct model_item header = draw_header(trace);
    const struct ni_match_entry *found =
        ni_match_list_search(&trace->list, header.bits, header.initiator);
    size_t place = 0;
    long number = model_first(&trace->walk, 0, &header, &place);

    if (number_of(trace, found) != number) {
        fail(trace, "the first match is not that of the walk");
    }
    if (number < 0) {
        total.missed++;
        return;
    }
    total.found++;
    switch (ni_rng_below(&trace->rng, 8)) {
    case 0:
        follow(trace, &header, number, place);
        break;
    case 1:
    case 2:
        break;
    default:
        remove_at(trace, place);
    }
}

/* Behind any entry, whether or not it matches itself. */
static void step_next(struct trace *trace)
{
    struct model_item header = draw_header(trace);
    size_t place;

    if (trace->walk.count == 0) {
        return;
    }
    place = (size_t)ni_rng_below(&trace->rng, trace->walk.count);
    follow(trace, &header, (long)trace->walk.item[place].number, place);
}

static void step(struct trace *trace)
{
    uint64_t choice = ni_rng_below(&trace->rng, 32);

    total.operations++;
    if (choice < (trace->filling ? 20U : 9U)) {
        step_append(trace);
    } else if (choice < 23) {
        step_search(trace);
    } else if (choice < 24) {
        step_next(trace);
    } else if (!trace->filling || choice < 26) {
        step_remove(trace);
    } else {
        step_search(trace);
    }
    if (trace->list.length != trace->walk.count || trace->list.counts.most > trace->taste.most) {
        fail(trace, "the list miscounts its entries");
    }
}

static void run(uint64_t seed, uint64_t steps)
{
    static struct trace trace;
    struct ni_cpu cpu = ni_cpu_probe();
    static const enum ni_simd simd[] = {NI_SIMD_AVX512, NI_SIMD_AVX2, NI_SIMD_SCALAR};

    trace.seed = seed;
    trace.filling = true;
    trace.frees = MOST;
    for (uint32_t i = 0; i < MOST; i++) {
        trace.free[i] = i;
    }
    ni_rng_seed(&trace.rng, seed);
    trace.taste = model_draw_taste(&trace.rng);
    ni_match_list_init(&trace.list);
    trace.list.scan = ni_match_scan_for(ni_cpu_choose(&cpu, simd[seed % 3]));
    /* The table's copies of what entries point to are for fetching only, whatever they are. */
    trace.list.index.pointer = seed % 4 < 2 ? offsetof(struct ni_match_entry, ignore) : 0;
    if (seed % 8 == 7) {
        ni_fault_arm_random(NI_FAULT_ALLOC, 300000, seed);
    }
    for (trace.step = 0; trace.step < steps; trace.step++) {
        step(&trace);
    }
    ni_fault_reset();
    ni_match_list_fini(&trace.list);
    model_free(&trace.walk);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        run(strtoull(argv[1], NULL, 0), argc > 2 ? strtoull(argv[2], NULL, 0) : STEPS);
        return 0;
    }
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        run(seed, STEPS);
    }
    printf("%llu operations: %llu matches, %llu misses, %llu ways on, %llu without memory\n",
           (unsigned long long)total.operations, (unsigned long long)total.found,
           (unsigned long long)total.missed, (unsigned long long)total.ways_on,
           (unsigned long long)total.refused);
    if (total.found == 0 || total.missed == 0 || total.ways_on == 0 || total.refused == 0) {
        fprintf(stderr, "model_match_list: the traces leave something out\n");
        return 1;
    }
    return 0;
}
