/* SPDX-License-Identifier: BSD-3-Clause */
#include "match/bench/bench.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/random.h"
#include "match/match.h"

/*
 * Single operations on the match list of the core.
 *
 *   warm   the headers are a thousand random ones, in turns, so that what they touch is in the
 *          cache after the first turn
 *   next   the same, but each search waits for the result of the one before
 *   any    each header is drawn from all: beyond the size of the caches each search goes to memory
 */

enum { WARM_HEADERS = 1024, ANY_HEADERS = 1 << 18, SEARCHES = 1 << 14 };

static struct ni_rng rng = {{1, 2, 3, 4}};

/* Read at run time, so that the compiler must believe that it may be something else. */
static uint64_t always_zero_word;

/* 0, but not before value is known: a data dependency on it. */
static inline uint64_t zero_from_node(uint64_t value)
{
    uint64_t zero = always_zero_word;

    __asm__("" : "+r"(zero));
    return value & zero;
}

/* Searches in the one direction or the other, of a list that holds all entries or headers. */
struct searched {
    const char *name;
    bool unexpected;
    unsigned masks;
    struct match_want *want; /* of each node */
    size_t length;
    struct ni_match_list list;
    struct ni_match_headers headers;
    struct ni_pool nodes; /* entries or headers */
};

static void must_append(ni_status status)
{
    if (status != NI_OK) {
        fprintf(stderr, "ni_match_list: out of memory: try fewer entries (-m)\n");
        exit(1);
    }
}

static inline void *node_at(const struct searched *searched, size_t number)
{
    return ni_pool_slot_item(&searched->nodes, (uint32_t)number);
}

static inline void append_want(struct searched *searched, void *node, const struct match_want *want)
{
    must_append(searched->unexpected
                    ? ni_match_headers_append(&searched->headers, node, want->bits, want->initiator)
                    : ni_match_list_append(&searched->list, node, want->bits, want->ignore,
                                           want->initiator));
}

static void fill_list(struct searched *searched, size_t length)
{
    searched->length = length;
    searched->want = match_make_wants(length, searched->masks);
    match_must_pool(&searched->nodes, length,
                    searched->unexpected ? sizeof(struct ni_match_header)
                                         : sizeof(struct ni_match_entry));
    ni_match_list_init(&searched->list, &searched->nodes, 0);
    ni_match_headers_init(&searched->headers, &searched->nodes);
    for (size_t i = 0; i < length; i++) {
        append_want(searched, node_at(searched, i), &searched->want[i]);
    }
}

static void empty(struct searched *searched)
{
    ni_match_list_fini(&searched->list);
    ni_match_headers_fini(&searched->headers);
    ni_pool_fini(&searched->nodes);
    free(searched->want);
}

static inline const void *search(struct searched *searched, const struct match_want *want,
                                 uint64_t zero)
{
    if (searched->unexpected) {
        return ni_match_headers_search(&searched->headers, want->bits + zero, want->ignore,
                                       want->initiator);
    }
    return ni_match_list_search(&searched->list, want->bits + zero, want->initiator);
}

struct prepared {
    struct match_want want;
    const void *node; /* that is to be found */
};

/* Not 0 if a search was wrong. */
static size_t searches(struct searched *searched, const struct prepared *prepared, size_t count)
{
    uintptr_t wrong = 0;

    for (size_t i = 0; i < SEARCHES; i++) {
        const struct prepared *one = &prepared[i & (count - 1)];

        wrong |= (uintptr_t)search(searched, &one->want, 0) ^ (uintptr_t)one->node;
    }
    return wrong;
}

/* The same; each search waits for the result of the one before. */
static size_t searches_in_turn(struct searched *searched, const struct prepared *prepared,
                               size_t count)
{
    uintptr_t wrong = 0;

    for (size_t i = 0; i < SEARCHES; i++) {
        const struct prepared *one = &prepared[i & (count - 1)];

        wrong |=
            (uintptr_t)search(searched, &one->want, zero_from_node(wrong)) ^ (uintptr_t)one->node;
    }
    return wrong;
}

/* Nanoseconds per search. */
static double turn(struct searched *searched, const struct prepared *prepared, size_t count,
                   bool wait)
{
    uint64_t begin = ni_now_ns(), took;
    size_t wrong =
        wait ? searches_in_turn(searched, prepared, count) : searches(searched, prepared, count);

    took = ni_now_ns() - begin;
    if (wrong != 0) {
        match_wrong(searched->name, searched->length);
    }
    return (double)took / SEARCHES;
}

static struct prepared *prepare_searches(const struct searched *searched, size_t count)
{
    struct prepared *prepared = match_must_calloc(count, sizeof(*prepared));

    for (size_t i = 0; i < count; i++) {
        size_t number = (size_t)ni_rng_below(&rng, searched->length);

        prepared[i] =
            (struct prepared){.want = searched->want[number], .node = node_at(searched, number)};
    }
    return prepared;
}

/* The samples of `any` begin at different places of what is prepared: none repeats the last. */
static struct match_time measure_search(struct searched *searched,
                                        const struct match_settings *settings, size_t count,
                                        bool wait)
{
    static double samples[MATCH_SAMPLES_MAX];
    struct prepared *prepared = prepare_searches(searched, count);
    size_t turns = count > SEARCHES ? count / SEARCHES : 1;

    turn(searched, prepared, count, wait);
    for (size_t i = 0; i < settings->samples; i++) {
        samples[i] = turn(searched, prepared + (i + 1) % turns * SEARCHES * (turns > 1),
                          count > SEARCHES ? SEARCHES : count, wait);
    }
    free(prepared);
    return match_summary(samples, settings->samples);
}

/* Nanoseconds for taking out the oldest node and appending it again. */
static double renew(struct searched *searched)
{
    uint64_t begin = ni_now_ns();

    for (size_t i = 0, number = 0; i < SEARCHES; i++) {
        void *node = node_at(searched, number);

        if (searched->unexpected) {
            ni_match_headers_remove(&searched->headers, node);
        } else {
            ni_match_list_remove(&searched->list, node);
        }
        append_want(searched, node, &searched->want[number]);
        number = number + 1 < searched->length ? number + 1 : 0;
    }
    return (double)(ni_now_ns() - begin) / SEARCHES;
}

static struct match_time measure_renewal(struct searched *searched,
                                         const struct match_settings *settings)
{
    static double samples[MATCH_SAMPLES_MAX];

    renew(searched);
    for (size_t i = 0; i < settings->samples; i++) {
        samples[i] = renew(searched);
    }
    return match_summary(samples, settings->samples);
}

static void print_search(const struct match_settings *settings, const struct searched *searched,
                         const char *part, const char *position, struct match_time time)
{
    if (settings->csv) {
        printf("%s,%s,%zu,%s,%.1f,%.1f\n", part, searched->name, searched->length, position,
               time.median, time.least);
    } else {
        printf(" %7.1f %7.1f", time.median, time.least);
    }
}

static void one_length(const struct match_settings *settings, struct searched *searched,
                       size_t length)
{
    fill_list(searched, length);
    if (!settings->csv) {
        printf("%-20s %8zu", searched->name, length);
    }
    print_search(settings, searched, "search", "warm",
                 measure_search(searched, settings, WARM_HEADERS, false));
    print_search(settings, searched, "search", "next",
                 measure_search(searched, settings, WARM_HEADERS, true));
    print_search(settings, searched, "search", "any",
                 measure_search(searched, settings, ANY_HEADERS, false));
    print_search(settings, searched, "renew", "oldest", measure_renewal(searched, settings));
    if (!settings->csv) {
        printf("\n");
    }
    fflush(stdout);
    empty(searched);
}

void match_single(const struct match_settings *settings)
{
    static struct searched kinds[] = {
        {.name = "posted 1 mask", .masks = 1},
        {.name = "posted 4 masks", .masks = 4},
        {.name = "unexpected 1 mask", .unexpected = true, .masks = 1},
        {.name = "unexpected 4 masks", .unexpected = true, .masks = 4}};

    if (settings->most == 0) {
        return;
    }
    if (!settings->csv) {
        printf("\n# Single operations, ns: median and least of %zu samples\n", settings->samples);
        printf("%-20s %8s %15s %15s %15s %15s\n", "# kind", "entries", "search warm", "search next",
               "search any", "remove+append");
    }
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        for (size_t length = 1; length <= settings->most; length *= 10) {
            one_length(settings, &kinds[i], length);
        }
    }
}
