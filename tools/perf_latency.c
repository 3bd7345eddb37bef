/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Latency. Of messages: half of the round trip of a ping-pong, each side copying what came to a
 * buffer of its own. Of Write, Read and atomics: from the call until the completion is there.
 */
#include "perf_side.h"

/* ---- messages: each kind has loops of its own, without a branch on the kind ------------------ */

NI_ALWAYS_INLINE uint64_t ping(struct perf_side *side, enum perf_op op, uint64_t count)
{
    uint64_t size = side->size, done = 0;

    while (done < count && !side->late) {
        uint64_t before = side->received;

        perf_issue_wait(side, op, size);
        while (side->received == before) {
            perf_poll(side);
        }
        done++;
    }
    return done;
}

NI_ALWAYS_INLINE void pong(struct perf_side *side, enum perf_op op)
{
    if (side->received != side->replied && perf_issue_try(side, op, side->size)) {
        side->replied++;
    }
}

static uint64_t lead_message(struct perf_side *side, uint64_t count)
{
    return ping(side, PERF_MESSAGE, count);
}

static uint64_t lead_inline(struct perf_side *side, uint64_t count)
{
    return ping(side, PERF_INLINE, count);
}

static void step_message(struct perf_side *side)
{
    pong(side, PERF_MESSAGE);
}

static void step_inline(struct perf_side *side)
{
    pong(side, PERF_INLINE);
}

static void follow_message(struct perf_side *side, struct perf_pair *pair, uint32_t phase)
{
    perf_follow(side, pair, phase, step_message);
}

static void follow_inline(struct perf_side *side, struct perf_pair *pair, uint32_t phase)
{
    perf_follow(side, pair, phase, step_inline);
}

/* ---- transfers ------------------------------------------------------------------------------- */

static uint64_t lead_transfer(struct perf_side *side, uint64_t count)
{
    uint64_t done = 0;

    while (done < count && !side->late) {
        uint64_t before = side->completed;

        perf_issue_wait(side, side->op, side->size);
        while (side->completed == before) {
            perf_poll(side);
        }
        done++;
    }
    return done;
}

/* The target makes progress, nothing else. */
static void step_target(struct perf_side *side)
{
    (void)side;
}

static void follow_target(struct perf_side *side, struct perf_pair *pair, uint32_t phase)
{
    perf_follow(side, pair, phase, step_target);
}

const struct perf_test *perf_latency_test(enum perf_op op)
{
    static const struct perf_test message = {lead_message, follow_message, step_message, 2};
    static const struct perf_test in_place = {lead_inline, follow_inline, step_inline, 2};
    static const struct perf_test transfer = {lead_transfer, follow_target, step_target, 1};

    if (op == PERF_MESSAGE) {
        return &message;
    }
    return op == PERF_INLINE ? &in_place : &transfer;
}
