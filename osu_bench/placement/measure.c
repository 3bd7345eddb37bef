/* SPDX-License-Identifier: BSD-3-Clause */
#include "placement/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "clock.h"
#include "second.h"

enum {
    QUEUE = 128,   /* requests in a work queue, and reads under way, for bandwidth */
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

/* ---- reads ----------------------------------------------------------------------------------- */

/* A queue pair of our NI, with the target's memory as the only target. */
struct pair {
    struct ni_qp_request requests[QUEUE];
    struct ni_qp_completion completions[QUEUE];
    struct ni_qp_ends ends;
    struct ni_qp qp;
    ni_handle handle, local;
    uint16_t target;
    unsigned under_way;
    bool failed;
};

static struct pair *open_pair(struct side *side, uint32_t unroll)
{
    struct pair *pair = second_memory(sizeof(*pair), MAP_PRIVATE);
    const struct ni_qp_attr attr = {.requests = pair->requests,
                                    .request_count = QUEUE,
                                    .completions = pair->completions,
                                    .completion_count = QUEUE,
                                    .ends = &pair->ends,
                                    .unroll = unroll};
    struct ni_rkey rkey;

    second_must(ni_region_memory(side->ni, side->local, LARGEST, NI_ACCESS_WRITE, &rkey),
                "register what is read to");
    second_must(ni_qp_create(side->ni, &attr, &pair->handle), "make a queue pair");
    second_must(
        ni_qp_target(side->ni, pair->handle, side->peer, &side->shared->rkey, &pair->target),
        "name the target");
    ni_qp_open(&pair->qp, &attr);
    pair->local = rkey.handle;
    return pair;
}

static void close_pair(struct side *side, struct pair *pair)
{
    (void)ni_region_deregister(side->ni, pair->handle);
    (void)ni_region_deregister(side->ni, pair->local);
    munmap(pair, sizeof(*pair));
}

/* Until no more than so many are under way. */
static void reap(struct side *side, struct pair *pair, unsigned most)
{
    struct ni_qp_result result;

    for (unsigned empty = 0; pair->under_way > most;) {
        if (ni_qp_poll(&pair->qp, &result)) {
            pair->under_way--;
            pair->failed = pair->failed || result.status != NI_OK;
            empty = 0;
        } else {
            side_move(side, &empty);
        }
    }
}

/* Reads with up to `window` under way, 1: one after the other; ns for all. */
static uint64_t read_by(struct side *side, struct pair *pair, size_t size, unsigned rounds,
                        unsigned window)
{
    const struct ni_qp_work work = {.op = NI_QP_READ,
                                    .target = pair->target,
                                    .len = (uint32_t)size,
                                    .local = side->local,
                                    .remote = (uintptr_t)side->shared->target};
    uint64_t before = osu_clock();
    unsigned empty = 0;

    for (unsigned n = 0; n < rounds; n++) {
        reap(side, pair, window - 1);
        while (!ni_qp_post(&pair->qp, &work)) {
            side_move(side, &empty);
        }
        pair->under_way++;
    }
    reap(side, pair, 0);
    return osu_clock() - before;
}

bool measure_reads(struct side *side, uint32_t unroll, unsigned rounds, struct read_times *times)
{
    struct pair *pair = open_pair(side, unroll);
    bool good = true;

    /* The other process has to wake up, and the first packets make the lane. */
    (void)read_by(side, pair, SMALLEST, rounds, 1);
    for (unsigned i = 0; i < SIZES && good; i++) {
        size_t size = (size_t)SMALLEST << i;

        fill(side->shared->target, size, i);
        memset(side->local, 0, size);
        times->latency_us[i] = (double)read_by(side, pair, size, rounds, 1) / 1e3 / rounds;
        good = side_same(side, size, "a read");
        times->bandwidth[i] =
            (double)size * rounds * 1e3 / (double)read_by(side, pair, size, rounds, QUEUE);
    }
    if (pair->failed) {
        fprintf(stderr, "ni_placement: a read failed\n");
        good = false;
    }
    close_pair(side, pair);
    return good;
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
