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

/* ---- with sources that are written anew ------------------------------------------------------ */

/* The next transfer finds new data, dirty in this core's cache. */
static void rewrite(struct perf_side *side)
{
    memset(side->source, side->source[0] + 1, side->size);
}

static uint64_t lead_new_message(struct perf_side *side, uint64_t count)
{
    uint64_t done = 0;

    while (done < count && !side->late) {
        uint64_t before = side->received, begin = ni_now_ns();

        rewrite(side);
        side->untimed += ni_now_ns() - begin;
        perf_issue_wait(side, side->op, side->size);
        while (side->received == before) {
            perf_poll(side);
        }
        done++;
    }
    return done;
}

/* The source for the next answer is written while the leader writes its own. */
static void step_new_message(struct perf_side *side)
{
    if (side->received != side->replied && perf_issue_try(side, side->op, side->size)) {
        side->replied++;
        rewrite(side);
    }
}

static void follow_new_message(struct perf_side *side, struct perf_pair *pair, uint32_t phase)
{
    perf_follow(side, pair, phase, step_new_message);
}

/* ---- transfers ------------------------------------------------------------------------------- */

/* A Read finds its source at the follower. */
static void rewrite_source(struct perf_side *side)
{
    struct perf_control ask = {.what = PERF_REWRITE};
    uint64_t begin = ni_now_ns();

    if (side->op == PERF_READ) {
        (void)perf_control_ask(side, &ask);
    } else {
        rewrite(side);
    }
    side->untimed += ni_now_ns() - begin;
}

static uint64_t lead_transfer(struct perf_side *side, uint64_t count)
{
    uint64_t done = 0;

    while (done < count && !side->late) {
        uint64_t before = side->completed;

        if (side->rewrite) {
            rewrite_source(side);
        }
        perf_issue_wait(side, side->op, side->size);
        while (side->completed == before) {
            perf_poll(side);
        }
        done++;
    }
    return done;
}

/* The target makes progress, and new sources when asked. */
static void step_target(struct perf_side *side)
{
    struct perf_control done = {.what = PERF_DONE};

    if (NI_UNLIKELY(side->todo.what == PERF_REWRITE)) {
        side->todo.what = PERF_NOTHING;
        rewrite(side);
        perf_control_send(side, &done);
    }
}

static void follow_target(struct perf_side *side, struct perf_pair *pair, uint32_t phase)
{
    perf_follow(side, pair, phase, step_target);
}

const struct perf_test *perf_latency_test(enum perf_op op, bool rewritten)
{
    static const struct perf_test new_message = {lead_new_message, follow_new_message,
                                                 step_new_message, 2};

    static const struct perf_test message = {lead_message, follow_message, step_message, 2};
    static const struct perf_test in_place = {lead_inline, follow_inline, step_inline, 2};
    static const struct perf_test transfer = {lead_transfer, follow_target, step_target, 1};

    if (!perf_is_message(op)) {
        return &transfer;
    }
    if (rewritten) {
        return &new_message;
    }
    return op == PERF_MESSAGE ? &message : &in_place;
}
