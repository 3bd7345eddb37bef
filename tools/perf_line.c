/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The raw one-way time of a cache line between the two workers of a pair, on their cores: half of
 * a round trip of an eight-byte number, each direction in a line of its own. It is the floor of
 * any message, and it tells in which state the machine is.
 */
#include "perf_side.h"

enum {
    REPS = 5,
    ROUNDS = 1000,
    WARMUP = 100,
    LIMIT_MS = 30,         /* for all; a quiet machine needs 0.5 to 3 ms */
    POLLS_PER_LOOK = 4096, /* at the clock, which costs as much as a transfer */
};

/* One repetition of so many rounds; false if the deadline passes. */
static bool play(struct perf_pair *pair, int rounds, uint64_t deadline)
{
    uint64_t round = atomic_load_explicit(&pair->ping, memory_order_relaxed);

    for (int i = 0; i < rounds; i++) {
        unsigned polls = 0;

        round++;
        /* L1: pairs with the acquire load in perf_line_answer. A message would need both, though
         * here nothing but the number is handed over. */
        atomic_store_explicit(&pair->ping, round, memory_order_release);
        /* Pairs with L2. */
        while (atomic_load_explicit(&pair->pong, memory_order_acquire) != round) {
            if (++polls % POLLS_PER_LOOK == 0) {
                sched_yield();
                if (ni_now_ns() > deadline) {
                    return false;
                }
            }
        }
    }
    return true;
}

void perf_line_measure(struct perf_pair *pair, struct perf_line *line)
{
    uint64_t deadline = ni_now_ns() + LIMIT_MS * UINT64_C(1000000);
    double ns[REPS];

    *line = (struct perf_line){.tried = true};
    if (!play(pair, WARMUP, deadline)) {
        return;
    }
    while (line->count < REPS) {
        uint64_t begin = ni_now_ns();

        if (!play(pair, ROUNDS, deadline)) {
            break;
        }
        ns[line->count++] = (double)(ni_now_ns() - begin) / (2.0 * ROUNDS);
    }
    if (line->count != 0) {
        line->median = perf_median(ns, line->count);
        line->least = ns[0];
    }
}

void perf_line_answer(struct perf_pair *pair, uint32_t phase)
{
    uint64_t last = atomic_load_explicit(&pair->pong, memory_order_relaxed);
    unsigned polls = 0;

    for (;;) {
        /* Pairs with L1. */
        uint64_t round = atomic_load_explicit(&pair->ping, memory_order_acquire);

        if (round != last) {
            /* L2: pairs with the acquire load in play. */
            atomic_store_explicit(&pair->pong, round, memory_order_release);
            last = round;
            polls = 0;
        } else if (++polls % 64 == 0) {
            if (perf_ended(pair, phase)) {
                return;
            }
            if (polls % POLLS_PER_LOOK == 0) {
                sched_yield();
            }
        }
    }
}
