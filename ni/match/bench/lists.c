/* SPDX-License-Identifier: BSD-3-Clause */
#include "match/bench/bench.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/cpu.h"

static int compare_times(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

struct match_time match_summary(double *samples, size_t count)
{
    qsort(samples, count, sizeof(*samples), compare_times);
    return (struct match_time){.median = samples[count / 2], .least = samples[0]};
}

void match_wrong(const char *name, size_t entries)
{
    fprintf(stderr, "ni_match_list: %s, %zu entries: a search gave the wrong answer\n", name,
            entries);
    exit(1);
}

struct match_want *match_make_wants(size_t entries, unsigned masks)
{
    static const uint64_t ignore[] = {0, 0x7fffffff, UINT32_MAX, 0xff};
    struct match_want *want = match_must_calloc(entries, sizeof(*want));

    for (size_t i = 0; i < entries; i++) {
        want[i] = (struct match_want){.bits = (uint64_t)i << 32 | (i * 7919 & 0xffffff),
                                      .ignore = ignore[i % masks],
                                      .initiator = (uint32_t)(i % 64)};
    }
    return want;
}

size_t match_place(size_t length, unsigned position)
{
    return (length - 1) * position / (MATCH_POSITIONS - 1);
}

/* The core operation of MATCH Fig. 5: identical headers, nothing is deleted. */
static double one_sample(const struct match_list_kind *kind, void *list, size_t length,
                         const struct match_want *header, size_t place)
{
    size_t wrong = 0;
    uint64_t begin = ni_cycles(), took;

    for (unsigned i = 0; i < MATCH_HEADERS; i++) {
        wrong |= kind->search(list, header->bits, header->initiator) ^ place;
    }
    took = ni_cycles() - begin;
    if (wrong != 0) {
        match_wrong(kind->name, length);
    }
    return ni_cycles_to_ns(took);
}

static void measure_list(const struct match_settings *settings, const struct match_list_kind *kind,
                         size_t length, struct match_time results[MATCH_POSITIONS])
{
    static double samples[MATCH_SAMPLES_MAX];
    struct match_want *want = match_make_wants(length, 1);
    void *list = kind->make(want, length);

    if (kind->search(list, want[length - 1].bits, want[0].initiator + 1000) != SIZE_MAX) {
        match_wrong(kind->name, length);
    }
    for (unsigned position = 0; position < MATCH_POSITIONS; position++) {
        size_t place = match_place(length, position);

        /* The first one primes the caches. */
        one_sample(kind, list, length, &want[place], place);
        for (size_t i = 0; i < settings->samples; i++) {
            samples[i] = one_sample(kind, list, length, &want[place], place);
        }
        results[position] = match_summary(samples, settings->samples);
    }
    kind->end(list);
    free(want);
}

void match_measure_lists(const struct match_settings *settings, match_results results)
{
    for (size_t i = 0; i < settings->lengths; i++) {
        for (unsigned kind = 0; kind < MATCH_LIST_KINDS; kind++) {
            measure_list(settings, match_list_kinds[kind], settings->length[i], results[i][kind]);
        }
    }
}

static void print_lists_csv(const struct match_settings *settings, match_results results)
{
    printf("part,kind,length,position,median_ns,least_ns\n");
    for (size_t i = 0; i < settings->lengths; i++) {
        for (unsigned kind = 0; kind < MATCH_LIST_KINDS; kind++) {
            for (unsigned position = 0; position < MATCH_POSITIONS; position++) {
                const struct match_time *time = &results[i][kind][position];

                printf("list,%s,%zu,%u,%.1f,%.1f\n", match_list_kinds[kind]->name,
                       settings->length[i], position * 10, time->median, time->least);
            }
        }
    }
}

/* One length: total, per item and relative to the linear list, as MATCH Figs. 6 and 7. */
static void print_length(size_t length, struct match_time results[][MATCH_POSITIONS])
{
    double sum[MATCH_LIST_KINDS] = {0};

    printf("\n# %zu entries: %d matches, ns | ns per entry passed | times as fast as linear\n",
           length, MATCH_HEADERS);
    printf("%-6s %9s %9s %9s | %8s %8s %8s | %8s %8s\n", "# at", "match", "linear", "array",
           "match", "linear", "array", "match", "array");
    for (unsigned position = 0; position < MATCH_POSITIONS; position++) {
        double items = (double)(MATCH_HEADERS * (match_place(length, position) + 1));
        double match = results[0][position].median, linear = results[1][position].median,
               array = results[2][position].median;

        printf("%4u %% %9.0f %9.0f %9.0f | %8.3f %8.3f %8.3f | %8.2f %8.2f\n", position * 10, match,
               linear, array, match / items, linear / items, array / items, linear / match,
               linear / array);
        sum[0] += match;
        sum[1] += linear;
        sum[2] += array;
    }
    printf("%6s %9.0f %9.0f %9.0f | %8s %8s %8s | %8.2f %8.2f\n", "all", sum[0], sum[1], sum[2], "",
           "", "", sum[1] / sum[0], sum[1] / sum[2]);
}

void match_print_lists(const struct match_settings *settings, match_results results)
{
    if (settings->csv) {
        print_lists_csv(settings, results);
        return;
    }
    printf("# List benchmark of MATCH Fig. 5: the match list (%s), a linear list of 64-byte "
           "entries, a SIMD linear array; medians of %zu samples\n",
           ni_simd_name(ni_cpu_simd()), settings->samples);
    for (size_t i = 0; i < settings->lengths; i++) {
        print_length(settings->length[i], results[i]);
    }
}
