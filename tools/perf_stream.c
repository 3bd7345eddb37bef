/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streams: a window of transfers, then a wait until the window is through, and so on. A window of
 * messages is through when the receiver has answered it with a short one; of Writes and Reads, when
 * all have completed. Both ways, each side does the same, and a window of messages is through when
 * as many have come from the other side.
 */
#include "perf_side.h"

enum {
    ANSWER = 4,        /* bytes */
    ROUNDS_ASKED = 16, /* windows both ways before the leader looks whether time is up */
};

/* ---- one way --------------------------------------------------------------------------------- */

static uint64_t lead_one_way(struct perf_side *side, uint64_t count)
{
    enum perf_op op = side->op;
    bool messages = perf_is_message(op);
    uint64_t done = 0;

    while (done < count && !side->late) {
        uint64_t end = side->issued + side->window, answers = side->received;

        while (side->issued < end) {
            perf_issue_wait(side, op, side->size);
            side->issued++;
        }
        while (messages ? side->received == answers : side->completed != side->issued) {
            perf_poll(side);
        }
        done++;
    }
    return done;
}

/* Answer each window of messages. The target of other transfers makes progress, nothing else. */
static void step_one_way(struct perf_side *side)
{
    if (side->received - side->replied >= side->window &&
        perf_issue_try(side, PERF_MESSAGE, ANSWER)) {
        side->replied += side->window;
    }
}

static void follow_one_way(struct perf_side *side, struct perf_pair *pair, uint32_t phase)
{
    perf_follow(side, pair, phase, step_one_way);
}

/* ---- both ways ------------------------------------------------------------------------------- */

/* Issue what there is room for, go on to the next window. Does not wait. */
static inline void pump(struct perf_side *side)
{
    uint64_t end = (side->rounds_done + 1) * side->window;

    while (side->issued < end && perf_issue_try(side, side->op, side->size)) {
        side->issued++;
    }
    if (side->issued == end && (perf_is_message(side->op) ? side->received >= side->issued
                                                          : side->completed == side->issued)) {
        side->rounds_done++;
    }
}

/* Both sides do so many windows. */
static void do_both_ways(struct perf_side *side, uint64_t count)
{
    struct perf_control start = {.what = PERF_START, .count = count};
    uint64_t end = side->rounds_done + count;

    side->answer.what = PERF_NOTHING;
    perf_control_send(side, &start);
    while (side->rounds_done < end) {
        pump(side);
        perf_poll(side);
    }
    while (side->answer.what != PERF_DONE) {
        perf_poll(side);
    }
}

static uint64_t lead_both_ways(struct perf_side *side, uint64_t count)
{
    uint64_t done = 0;

    while (done < count && !side->late) {
        uint64_t some = count - done < ROUNDS_ASKED ? count - done : ROUNDS_ASKED;

        do_both_ways(side, some);
        done += some;
    }
    return done;
}

static void step_both_ways(struct perf_side *side)
{
    struct perf_control done = {.what = PERF_DONE};

    if (NI_UNLIKELY(side->todo.what == PERF_START)) {
        side->rounds = side->rounds_done + side->todo.count;
        side->todo.what = PERF_NOTHING;
    }
    if (side->rounds_done < side->rounds) {
        pump(side);
        if (side->rounds_done == side->rounds) {
            perf_control_send(side, &done);
        }
    }
}

static void follow_both_ways(struct perf_side *side, struct perf_pair *pair, uint32_t phase)
{
    perf_follow(side, pair, phase, step_both_ways);
}

const struct perf_test *perf_stream_test(bool both_ways)
{
    static const struct perf_test one = {lead_one_way, follow_one_way, step_one_way, 1};
    static const struct perf_test both = {lead_both_ways, follow_both_ways, step_both_ways, 2};

    return both_ways ? &both : &one;
}
