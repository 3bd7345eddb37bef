/* SPDX-License-Identifier: BSD-3-Clause */
#include "placement/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "second.h"

enum {
    TIMES = 15,    /* long transfers */
    MOST = 1 << 20 /* messages */
};

static void fill(uint8_t *bytes, size_t len, unsigned seed)
{
    for (size_t i = 0; i < len; i++) {
        bytes[i] = (uint8_t)(i * 7 + i / 4096 + seed);
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof(*values), compare);
    return values[count / 2];
}

/* us, of one long transfer. */
static double time_long(struct side *side, bool read, size_t len)
{
    uint64_t first = atomic_load(&side->done), before = osu_clock();

    side_transfer(side, read, len);
    side_await(side, &side->done, first + 1);
    return (double)(osu_clock() - before) / 1e3;
}

/* ---- loaded ---------------------------------------------------------------------------------- */

/* Half a round trip of 8 bytes, us. */
static double ping(struct side *side)
{
    uint64_t first = atomic_load(&side->messages), before = osu_clock();

    side_ask(side);
    side_await(side, &side->messages, first + 1);
    return (double)(osu_clock() - before) / 2e3;
}

bool measure_loaded(struct side *side, unsigned rounds, unsigned seed, struct loaded_times *times)
{
    double *pings = malloc(MOST * sizeof(*pings));
    uint64_t first, before;
    size_t count = 0;

    if (pings == NULL) {
        fprintf(stderr, "ni_placement: no memory\n");
        return false;
    }
    (void)time_long(side, false, LOAD); /* memory is there, lanes are made */
    times->alone_us = time_long(side, false, LOAD);
    while (count < rounds && count < MOST) {
        pings[count++] = ping(side);
    }
    times->unloaded_us = median(pings, count);
    fill(side->local, LOAD, seed);
    first = atomic_load(&side->done);
    before = osu_clock();
    side_transfer(side, false, LOAD);
    count = 0;
    do {
        pings[count++] = ping(side);
    } while (atomic_load(&side->done) == first && count < MOST);
    side_await(side, &side->done, first + 1);
    times->beside_us = (double)(osu_clock() - before) / 1e3;
    times->loaded_us = median(pings, count);
    times->messages = count;
    free(pings);
    return side_same(side, LOAD, "a long write");
}

/* ---- computing ------------------------------------------------------------------------------- */

/* Towards a process that computes. -1: it was not over in PATIENCE_S, and ended when the target
 * polled again. */
static double time_patiently(struct side *side, bool read, size_t len)
{
    const uint64_t before = osu_clock(), end = before + PATIENCE_S * UINT64_C(1000000000);
    uint64_t first = atomic_load(&side->done);

    side_transfer(side, read, len);
    if (side_await_until(side, &side->done, first + 1, end)) {
        return (double)(osu_clock() - before) / 1e3;
    }
    side_have_target(side, false);
    side_await(side, &side->done, first + 1);
    return -1;
}

static double median_polling(struct side *side, bool read)
{
    double times[TIMES];

    for (unsigned i = 0; i < TIMES; i++) {
        times[i] = time_long(side, read, LONG);
    }
    return median(times, TIMES);
}

/* -1: it waits for the target's calls. */
static double median_computing(struct side *side, bool read)
{
    double times[TIMES];

    side_have_target(side, true);
    for (unsigned i = 0; i < TIMES; i++) {
        times[i] = time_patiently(side, read, LONG);
        if (times[i] < 0) {
            return -1;
        }
    }
    side_have_target(side, false);
    return median(times, TIMES);
}

bool measure_computing(struct side *side, unsigned seed, struct long_times *writes,
                       struct long_times *reads)
{
    fill(side->local, LONG, seed);
    (void)time_long(side, false, LONG); /* memory is there, lanes are made */
    for (unsigned read = 0; read < 2; read++) {
        struct long_times *times = read != 0 ? reads : writes;

        times->polls_us = median_polling(side, read != 0);
        times->computes_us = median_computing(side, read != 0);
    }
    return side_same(side, LONG, "a long transfer");
}
