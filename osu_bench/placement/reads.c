/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "clock.h"
#include "placement/measure.h"
#include "second.h"

/*
 * Reads by several initiators, as the cores of the paper's chip: threads with a queue pair each.
 * With tile each has an interface of its own, which it drives itself. With edge and split there is
 * one for all of them, with one engine thread.
 */

enum {
    QUEUE = 128 /* requests in a work queue, and reads under way, for bandwidth */
};

/* A queue pair, with the target's memory as the only target. */
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

/* What all initiators do together. */
struct run {
    const struct shared *shared;
    size_t size;
    unsigned rounds, window, threads;
    _Atomic unsigned ready, started;
};

struct initiator {
    struct ni *ni;
    struct ni_peer *peer;
    bool own_ni; /* not the side's */
    uint8_t *local;
    struct pair *pair;
    struct run *run;
    uint64_t begin, end; /* osu_clock */
    pthread_t thread;
};

/* ---- one initiator --------------------------------------------------------------------------- */

static void open_pair(struct initiator *initiator, const struct shared *shared, uint32_t unroll)
{
    struct pair *pair = second_memory(sizeof(*pair), MAP_PRIVATE);
    const struct ni_qp_attr attr = {.requests = pair->requests,
                                    .request_count = QUEUE,
                                    .completions = pair->completions,
                                    .completion_count = QUEUE,
                                    .ends = &pair->ends,
                                    .unroll = unroll};
    struct ni_rkey rkey;

    second_must(ni_region_memory(initiator->ni, initiator->local, LARGEST, NI_ACCESS_WRITE, &rkey),
                "register what is read to");
    second_must(ni_qp_create(initiator->ni, &attr, &pair->handle), "make a queue pair");
    second_must(
        ni_qp_target(initiator->ni, pair->handle, initiator->peer, &shared->rkey, &pair->target),
        "name the target");
    ni_qp_open(&pair->qp, &attr);
    pair->local = rkey.handle;
    initiator->pair = pair;
}

static void open_initiator(struct side *side, unsigned number, uint32_t unroll,
                           struct initiator *initiator)
{
    *initiator = (struct initiator){.ni = side->ni, .peer = side->peer};
    initiator->local = side->local + (size_t)number * LARGEST;
    initiator->own_ni = side->placement == NI_PLACEMENT_TILE && number != 0;
    if (initiator->own_ni) {
        side_open_ni(side, &initiator->ni, &initiator->peer);
    }
    open_pair(initiator, side->shared, unroll);
}

static void close_initiator(struct initiator *initiator)
{
    (void)ni_region_deregister(initiator->ni, initiator->pair->handle);
    (void)ni_region_deregister(initiator->ni, initiator->pair->local);
    munmap(initiator->pair, sizeof(*initiator->pair));
    if (initiator->own_ni) {
        ni_close(initiator->ni);
    }
}

/* Until no more than so many are under way. */
static void reap(struct initiator *initiator, unsigned most)
{
    struct pair *pair = initiator->pair;
    struct ni_qp_result result;

    for (unsigned empty = 0; pair->under_way > most;) {
        if (ni_qp_poll(&pair->qp, &result)) {
            pair->under_way--;
            pair->failed = pair->failed || result.status != NI_OK;
            empty = 0;
        } else {
            side_move(initiator->ni, &empty);
        }
    }
}

static void read_all(struct initiator *initiator)
{
    const struct run *run = initiator->run;
    struct pair *pair = initiator->pair;
    const struct ni_qp_work work = {.op = NI_QP_READ,
                                    .target = pair->target,
                                    .len = (uint32_t)run->size,
                                    .local = initiator->local,
                                    .remote = (uintptr_t)run->shared->target};
    unsigned empty = 0;

    for (unsigned n = 0; n < run->rounds; n++) {
        reap(initiator, run->window - 1);
        while (!ni_qp_post(&pair->qp, &work)) {
            side_move(initiator->ni, &empty);
        }
        pair->under_way++;
    }
    reap(initiator, 0);
}

static void *initiator_main(void *arg)
{
    struct initiator *initiator = arg;
    struct run *run = initiator->run;

    atomic_fetch_add(&run->ready, 1);
    while (atomic_load(&run->ready) < run->threads) {
        sched_yield();
    }
    initiator->begin = osu_clock();
    read_all(initiator);
    initiator->end = osu_clock();
    return NULL;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Reads by the first so many, each with up to `window` under way, 1: one after the other; ns for
 * all. */
static uint64_t read_by(struct initiator *all, unsigned threads, const struct shared *shared,
                        size_t size, unsigned rounds, unsigned window)
{
    struct run run = {
        .shared = shared, .size = size, .rounds = rounds, .window = window, .threads = threads};
    uint64_t begin = UINT64_MAX, end = 0;

    for (unsigned i = 0; i < threads; i++) {
        all[i].run = &run;
        if (i != 0 && pthread_create(&all[i].thread, NULL, initiator_main, &all[i]) != 0) {
            fprintf(stderr, "ni_placement: no thread for initiator %u of %u\n", i + 1, threads);
            exit(1);
        }
    }
    (void)initiator_main(&all[0]);
    for (unsigned i = 0; i < threads; i++) {
        if (i != 0) {
            (void)pthread_join(all[i].thread, NULL);
        }
        begin = all[i].begin < begin ? all[i].begin : begin;
        end = all[i].end > end ? all[i].end : end;
    }
    return end - begin;
}

static bool all_same(const struct side *side, const struct initiator *all, unsigned count,
                     size_t size)
{
    for (unsigned i = 0; i < count; i++) {
        if (memcmp(all[i].local, side->shared->target, size) != 0 || all[i].pair->failed) {
            fprintf(stderr, "ni_placement: a read by initiator %u: %s\n", i + 1,
                    all[i].pair->failed ? "it failed" : "wrong data");
            return false;
        }
    }
    return true;
}

static bool measure_size(struct side *side, struct initiator *all, unsigned count, unsigned i,
                         unsigned rounds, struct read_times *times)
{
    size_t size = (size_t)SMALLEST << i;
    unsigned each = (rounds + count - 1) / count;
    const struct shared *shared = side->shared;

    for (size_t at = 0; at < size; at++) {
        side->shared->target[at] = (uint8_t)(at * 7 + at / 4096 + i);
    }
    memset(side->local, 0, (size_t)count * LARGEST);
    times->latency_us[i] = (double)read_by(all, 1, shared, size, rounds, 1) / 1e3 / rounds;
    times->bandwidth[i] =
        (double)size * each * count * 1e3 / (double)read_by(all, count, shared, size, each, QUEUE);
    return all_same(side, all, count, size);
}

bool measure_reads(struct side *side, uint32_t unroll, unsigned initiators, unsigned rounds,
                   struct read_times *times)
{
    struct initiator all[INITIATORS_MAX];
    bool good = true;

    for (unsigned i = 0; i < initiators; i++) {
        open_initiator(side, i, unroll, &all[i]);
        all[i].run = NULL;
    }
    /* The other process has to wake up, and the first packets make the lanes. */
    (void)read_by(all, initiators, side->shared, SMALLEST, rounds < 50 ? rounds : 50, 1);
    for (unsigned i = 0; i < SIZES && good; i++) {
        good = measure_size(side, all, initiators, i, rounds, times);
    }
    for (unsigned i = 0; i < initiators; i++) {
        close_initiator(&all[i]);
    }
    return good;
}
