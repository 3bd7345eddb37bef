/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>

#include <apeni/fault.h>

#include "base/alloc.h"
#include "match_trace.h"

enum {
    SEEDS = NI_ASAN || NI_TSAN ? 150 : 600,
    STEPS = NI_ASAN || NI_TSAN ? 10000 : 30000,
};

struct trace {
    const struct match_trace_list *list;
    uint32_t free[MATCH_TRACE_MOST]; /* numbers of nodes that are not in it */
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
    fprintf(stderr, "%s: %s (seed %llu, step %llu, %zu %s). Repeat with: %s %llu %llu\n",
            trace->list->program, what, (unsigned long long)trace->seed,
            (unsigned long long)trace->step, trace->walk.count, trace->list->nodes,
            trace->list->program, (unsigned long long)trace->seed,
            (unsigned long long)trace->step + 1);
    exit(1);
}

static struct model_item draw(struct trace *trace, bool wild)
{
    return wild ? model_draw_wild(&trace->taste, &trace->rng)
                : model_draw_exact(&trace->taste, &trace->rng);
}

static void step_append(struct trace *trace)
{
    struct model_item item = draw(trace, trace->list->wild);
    ni_status status;

    if (trace->walk.count >= trace->taste.most) {
        trace->filling = false;
        return;
    }
    item.number = trace->free[trace->frees - 1];
    status = trace->list->append(&item);
    if (status == NI_OK) {
        trace->frees--;
        model_append(&trace->walk, &item);
    } else if (status == NI_ERR_NOMEM && ni_fault_struck(NI_FAULT_ALLOC) > 0) {
        total.refused++;
    } else {
        fail(trace, "one was not appended");
    }
}

static void remove_at(struct trace *trace, size_t place)
{
    uint32_t number = trace->walk.item[place].number;

    trace->list->remove(number);
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

/* What is looked for: anything, or what one of the nodes matches. */
static struct model_item draw_wanted(struct trace *trace)
{
    struct model_item wanted = draw(trace, !trace->list->wild);

    if (trace->walk.count != 0 && ni_rng_below(&trace->rng, 4) != 0) {
        size_t place = (size_t)ni_rng_below(&trace->rng, trace->walk.count);
        const struct model_item *item = &trace->walk.item[place];

        wanted.bits = item->bits ^ (ni_rng_next(&trace->rng) & (item->ignore | wanted.ignore));
        if (item->initiator != MODEL_ANY && wanted.initiator != MODEL_ANY) {
            wanted.initiator = item->initiator;
        }
    }
    return wanted;
}

/* Follow the matches behind the first one, all or a few. */
static void follow(struct trace *trace, const struct model_item *wanted, long number, size_t place)
{
    for (uint64_t left = ni_rng_below(&trace->rng, 40); number >= 0 && left > 0; left--) {
        long next = trace->list->next((uint32_t)number, wanted);

        number = model_first(&trace->walk, place + 1, wanted, &place);
        if (next != number) {
            fail(trace, "the next match is not that of the walk");
        }
        total.ways_on++;
    }
}

static void step_search(struct trace *trace)
{
    struct model_item wanted = draw_wanted(trace);
    long found = trace->list->search(&wanted);
    size_t place = 0;
    long number = model_first(&trace->walk, 0, &wanted, &place);

    if (found != number) {
        fail(trace, "the first match is not that of the walk");
    }
    if (number < 0) {
        total.missed++;
        return;
    }
    total.found++;
    switch (ni_rng_below(&trace->rng, 8)) {
    case 0:
        follow(trace, &wanted, number, place);
        break;
    case 1:
    case 2:
        break;
    default:
        remove_at(trace, place);
    }
}

/* Behind any node, whether or not it matches itself. */
static void step_next(struct trace *trace)
{
    struct model_item wanted = draw_wanted(trace);
    size_t place;

    if (trace->walk.count == 0) {
        return;
    }
    place = (size_t)ni_rng_below(&trace->rng, trace->walk.count);
    follow(trace, &wanted, (long)trace->walk.item[place].number, place);
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
    if (trace->list->length() != trace->walk.count || trace->list->most() > trace->taste.most) {
        fail(trace, "the list miscounts");
    }
}

static void run(const struct match_trace_list *list, uint64_t seed, uint64_t steps)
{
    static struct trace trace;
    static const enum ni_simd simd[] = {NI_SIMD_AVX512, NI_SIMD_AVX2, NI_SIMD_SCALAR};

    trace.list = list;
    trace.seed = seed;
    trace.filling = true;
    trace.frees = MATCH_TRACE_MOST;
    for (uint32_t i = 0; i < MATCH_TRACE_MOST; i++) {
        trace.free[i] = i;
    }
    ni_rng_seed(&trace.rng, seed);
    trace.taste = model_draw_taste(&trace.rng);
    list->init(simd[seed % 3]);
    if (seed % 8 == 7) {
        ni_fault_arm_random(NI_FAULT_ALLOC, 300000, seed);
    }
    for (trace.step = 0; trace.step < steps; trace.step++) {
        step(&trace);
    }
    ni_fault_reset();
    list->fini();
    model_free(&trace.walk);
}

void match_trace_pool(struct ni_pool *nodes, size_t node_size)
{
    ni_status status = ni_pool_init_packed(nodes, node_size, 0, 0);

    for (uint32_t i = 0; status == NI_OK && i < MATCH_TRACE_MOST; i++) {
        status = ni_pool_get(nodes) != NULL ? NI_OK : NI_ERR_NOMEM;
    }
    if (status != NI_OK) {
        fprintf(stderr, "no memory for %d nodes\n", MATCH_TRACE_MOST);
        exit(1);
    }
}

int match_trace_main(const struct match_trace_list *list, int argc, char **argv)
{
    if (argc > 1) {
        run(list, strtoull(argv[1], NULL, 0), argc > 2 ? strtoull(argv[2], NULL, 0) : STEPS);
        return 0;
    }
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        run(list, seed, STEPS);
    }
    printf("%llu operations: %llu matches, %llu misses, %llu ways on, %llu without memory\n",
           (unsigned long long)total.operations, (unsigned long long)total.found,
           (unsigned long long)total.missed, (unsigned long long)total.ways_on,
           (unsigned long long)total.refused);
    if (total.found == 0 || total.missed == 0 || total.ways_on == 0 || total.refused == 0) {
        fprintf(stderr, "%s: the traces leave something out\n", list->program);
        return 1;
    }
    return 0;
}
