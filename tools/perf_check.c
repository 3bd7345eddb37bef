/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether data arrives as it was sent: the leader names a pattern, the side that sends fills its
 * source with it, the side that receives compares its sink. Not timed.
 */
#include "perf_side.h"

enum { ROUNDS = 16 };

static uint8_t pattern(uint32_t seed, uint64_t at)
{
    return (uint8_t)(seed * 37 + at * 7 + (at >> 8) * 3 + (at >> 16));
}

static void fill(uint8_t *bytes, uint64_t size, uint32_t seed)
{
    for (uint64_t at = 0; at < size; at++) {
        bytes[at] = pattern(seed, at);
    }
}

/* Wrong bytes; the next check begins without the right ones. */
static uint64_t compare(uint8_t *bytes, uint64_t size, uint32_t seed)
{
    uint64_t wrong = 0;

    for (uint64_t at = 0; at < size; at++) {
        wrong += bytes[at] != pattern(seed, at);
        bytes[at] = (uint8_t)~bytes[at];
    }
    return wrong;
}

/* ---- follower -------------------------------------------------------------------------------- */

void perf_step_check(struct perf_side *side)
{
    struct perf_control todo = side->todo, verdict = {.what = PERF_VERDICT};

    if (todo.what == PERF_NOTHING) {
        return;
    }
    side->todo.what = PERF_NOTHING;
    if (todo.what == PERF_VERIFY) {
        verdict.count = compare(side->sink, todo.size, todo.seed);
    } else if (todo.what == PERF_WORD) {
        verdict.count = atomic_load_explicit(side->word, memory_order_relaxed) != todo.size;
    } else {
        fill(side->source, todo.size, todo.seed);
        if (todo.what == PERF_SEND && !perf_issue_try(side, side->op, todo.size)) {
            side->todo = todo; /* later */
            return;
        }
    }
    perf_control_send(side, &verdict);
}

/* ---- leader ---------------------------------------------------------------------------------- */

/* To the follower, by message or Write. */
static uint64_t check_there(struct perf_side *side, uint32_t seed)
{
    struct perf_control verify = {.what = PERF_VERIFY, .seed = seed, .size = side->size};
    uint64_t before = side->completed;

    fill(side->source, side->size, seed);
    perf_issue_wait(side, side->op, side->size);
    while (!perf_is_message(side->op) && side->completed == before) {
        perf_poll(side);
    }
    return perf_control_ask(side, &verify);
}

/* From the follower, by its message or our Read. */
static uint64_t check_back(struct perf_side *side, uint32_t seed)
{
    bool message = perf_is_message(side->op);
    struct perf_control send = {
        .what = message ? PERF_SEND : PERF_FILL, .seed = seed, .size = side->size};
    uint64_t before = side->completed;

    (void)perf_control_ask(side, &send);
    if (!message) {
        perf_issue_wait(side, side->op, side->size);
        while (side->completed == before) {
            perf_poll(side);
        }
    }
    return compare(side->sink, side->size, seed);
}

/* Each atomic gives the sum of those before it. */
static uint64_t check_atomic(struct perf_side *side)
{
    uint64_t wrong = 0, first = 0;
    struct perf_control word = {.what = PERF_WORD};

    for (uint64_t i = 0; i < ROUNDS; i++) {
        uint64_t before = side->completed;

        perf_issue_wait(side, side->op, side->size);
        while (side->completed == before) {
            perf_poll(side);
        }
        first = i == 0 ? side->ack_value : first;
        wrong += side->ack_value != first + i;
    }
    word.size = first + ROUNDS;
    return wrong + perf_control_ask(side, &word);
}

uint64_t perf_check(struct perf_side *side)
{
    uint64_t wrong = 0;

    if (side->op == PERF_FETCH_OP) {
        return check_atomic(side);
    }
    for (uint32_t seed = 1; seed <= ROUNDS; seed++) {
        if (side->op != PERF_READ) {
            wrong += check_there(side, seed);
        }
        if (side->op != PERF_WRITE) {
            wrong += check_back(side, seed + ROUNDS);
        }
    }
    return wrong;
}
