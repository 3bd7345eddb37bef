/* SPDX-License-Identifier: BSD-3-Clause */
/* What a worker does: opens its interface, meets its other half, then measures cell after cell. */
#include "perf_team.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apeni/inproc.h>
#include <apeni/param.h>

enum { GREETINGS = 32 /* messages that make sure that rings are there */ };

/* ---- phases ---------------------------------------------------------------------------------- */

/* Leader: wait until the follower has begun the phase. */
static void phase_begin(struct perf_pair *pair, uint32_t phase)
{
    /* Pairs with B1. */
    for (unsigned polls = 1;
         (int32_t)(atomic_load_explicit(&pair->begun, memory_order_acquire) - phase) < 0; polls++) {
        if (polls % 1024 == 0) {
            sched_yield();
        }
    }
}

static void phase_end(struct perf_pair *pair, uint32_t phase)
{
    atomic_store_explicit(&pair->ended, phase, memory_order_release); /* E1 */
}

/* Follower */
static void phase_join(struct perf_pair *pair, uint32_t phase)
{
    atomic_store_explicit(&pair->begun, phase, memory_order_release); /* B1 */
}

/* All leaders begin a rep together. */
static void meet(struct perf_shared *shared, unsigned leaders)
{
    uint32_t round = atomic_load_explicit(&shared->rounds, memory_order_relaxed);

    /* Acquire and release: the last to come sees what all have done, all see what it has. */
    if (atomic_fetch_add_explicit(&shared->arrived, 1, memory_order_acq_rel) + 1 == leaders) {
        atomic_store_explicit(&shared->arrived, 0, memory_order_relaxed);
        /* M1: pairs with the acquire load below. */
        atomic_store_explicit(&shared->rounds, round + 1, memory_order_release);
        return;
    }
    for (unsigned polls = 1; atomic_load_explicit(&shared->rounds, memory_order_acquire) == round;
         polls++) {
        if (polls % 1024 == 0) {
            sched_yield();
        }
    }
}

/* ---- the leader's part of a cell ------------------------------------------------------------- */

static const struct perf_test *test_of(const struct perf_cell *cell)
{
    return cell->mode == PERF_LATENCY ? perf_latency_test(cell->op, cell->rewrite)
                                      : perf_stream_test(cell->mode == PERF_BIBW);
}

/* Whether to begin another rep: decided by leader 0 for all. It names the rep, because a leader
 * that is slow to look may see what is decided next. */
static bool go_on(const struct perf_worker *worker, const struct perf_side *side, uint32_t rep)
{
    _Atomic uint32_t *last = &worker->shared->last;

    if (worker->pair == 0) {
        bool late = rep > 0 && ni_now_ns() > side->deadline;

        atomic_store_explicit(last, late ? rep : UINT32_MAX, memory_order_relaxed);
    }
    meet(worker->shared, worker->setup->pairs);
    return atomic_load_explicit(last, memory_order_relaxed) != rep;
}

static void run_reps(const struct perf_worker *worker, struct perf_side *side,
                     const struct perf_cell *cell, struct perf_result *result)
{
    const struct perf_test *test = test_of(cell);
    double items = (double)test->ways * (cell->mode == PERF_LATENCY ? 1 : (double)cell->window);

    if (side->partner != NULL) {
        side->partner->step = test->step;
    }
    (void)test->lead(side, cell->warmup);
    if (cell->stamps) {
        perf_stamps_skip(side);
    }
    while (result->count < cell->reps && go_on(worker, side, result->count)) {
        uint64_t begin, done;

        side->late = false;
        side->untimed = 0;
        begin = ni_now_ns();
        done = test->lead(side, cell->iterations);
        result->ns[result->count++] =
            (double)(ni_now_ns() - begin - side->untimed) / ((double)done * items);
    }
    if (cell->stamps) {
        perf_stamps_collect(side, &result->stamps);
    }
}

static void lead_check(struct perf_side *side, const struct perf_cell *cell,
                       struct perf_result *result)
{
    perf_side_reset(side, cell);
    if (side->partner != NULL) {
        perf_side_reset(side->partner, cell);
        side->partner->step = perf_step_check;
    }
    if (cell->check) {
        result->wrong = perf_check(side);
    }
}

/* Over inproc, and on one core, there is no line to be measured. */
static void lead_line(const struct perf_worker *worker, struct perf_line *line)
{
    const struct perf_setup *setup = worker->setup;

    *line = (struct perf_line){.tried = false};
    if (setup->link != PERF_INPROC && worker->pair == 0 && setup->cores[0] != setup->cores[1]) {
        perf_line_measure(&worker->shared->pair[0], line);
    }
}

static void lead_cell(const struct perf_worker *worker, struct perf_side *side,
                      const struct perf_cell *cell, struct perf_result *result, uint32_t *phase)
{
    struct perf_pair *pair = &worker->shared->pair[worker->pair];
    bool alone = side->partner != NULL;

    *result = (struct perf_result){.count = 0};
    for (uint32_t part = 0; part < 4; part++) {
        ++*phase;
        if (!alone) {
            phase_begin(pair, *phase);
        }
        if (part == 0) {
            lead_line(worker, &result->before);
        } else if (part == 1) {
            lead_check(side, cell, result);
        } else if (part == 2) {
            perf_side_reset(side, cell);
            if (alone) {
                perf_side_reset(side->partner, cell);
            }
            run_reps(worker, side, cell, result);
        } else {
            lead_line(worker, &result->after);
        }
        phase_end(pair, *phase);
    }
}

/* ---- the follower's -------------------------------------------------------------------------- */

static void follow_check(struct perf_side *side, struct perf_pair *pair, uint32_t phase)
{
    perf_follow(side, pair, phase, perf_step_check);
}

static void follow_cell(struct perf_side *side, const struct perf_cell *cell,
                        struct perf_pair *pair, uint32_t *phase)
{
    for (uint32_t part = 0; part < 4; part++) {
        ++*phase;
        perf_side_reset(side, cell);
        phase_join(pair, *phase);
        if (part == 1) {
            follow_check(side, pair, *phase);
        } else if (part == 2) {
            test_of(cell)->follow(side, pair, *phase);
        } else {
            perf_line_answer(pair, *phase);
        }
    }
}

/* ---- life ------------------------------------------------------------------------------------ */

static void set_param(const char *name, const char *value)
{
    char error[512];

    if (ni_param_set(name, value, "apeni-perf", error, sizeof(error)) != NI_OK) {
        perf_fail("%s", error);
    }
}

/* Of two devices the second is the followers'. */
static void apply_device(const char *devices, bool leader)
{
    const char *comma = strchr(devices, ',');
    char first[PATH_MAX];

    snprintf(first, sizeof(first), "%.*s", (int)strcspn(devices, ","), devices);
    set_param("dev_device", leader || comma == NULL ? first : comma + 1);
}

static void apply_settings(const struct perf_worker *worker)
{
    const struct perf_setup *setup = worker->setup;

    if (setup->link != PERF_INPROC) {
        set_param("links", perf_link_names[setup->link]);
    }
    if (setup->devices != NULL) {
        apply_device(setup->devices, worker->leader);
    }
    for (size_t i = 0; i < setup->setting_count; i++) {
        set_param(setup->settings[i].name, setup->settings[i].value);
    }
}

static unsigned distinct_cores(const struct perf_setup *setup)
{
    unsigned count = 0;

    for (unsigned i = 0; i < 2 * setup->pairs; i++) {
        bool seen = false;

        for (unsigned k = 0; k < i; k++) {
            seen |= setup->cores[k] == setup->cores[i];
        }
        count += !seen;
    }
    return count;
}

/* Ping-pong of a few messages, and say what was found out. */
static void greet(const struct perf_worker *worker, struct perf_side *side, uint32_t *phase)
{
    struct perf_pair *pair = &worker->shared->pair[worker->pair];
    struct perf_cell cell = {.mode = PERF_LATENCY, .size = 8, .limit_ns = UINT64_C(10000000000)};
    const struct perf_test *test = perf_latency_test(PERF_MESSAGE, false);
    struct perf_ready ready = {.message_max = 0};

    perf_side_reset(side, &cell);
    ++*phase;
    if (!worker->leader) {
        phase_join(pair, *phase);
        test->follow(side, pair, *phase);
        return;
    }
    if (side->partner != NULL) {
        perf_side_reset(side->partner, &cell);
        side->partner->step = test->step;
    } else {
        phase_begin(pair, *phase);
    }
    (void)test->lead(side, GREETINGS);
    phase_end(pair, *phase);
    ready.message_max = ni_message_max(side->peer);
    (void)ni_peer_describe(side->peer, ready.describe, sizeof(ready.describe));
    perf_packet_send(worker->socket, &ready, sizeof(ready));
}

static void work(const struct perf_worker *worker, struct perf_side *side)
{
    struct perf_pair *pair = &worker->shared->pair[worker->pair];
    struct perf_cell cell;
    struct perf_result result;
    uint32_t phase = 0;

    greet(worker, side, &phase);
    while (perf_packet_receive(worker->socket, &cell, sizeof(cell))) {
        side->op = cell.op;
        if (side->partner != NULL) {
            side->partner->op = cell.op;
        }
        if (worker->leader) {
            lead_cell(worker, side, &cell, &result, &phase);
            perf_packet_send(worker->socket, &result, sizeof(result));
        } else {
            follow_cell(side, &cell, pair, &phase);
        }
    }
}

static struct perf_side *new_side(void)
{
    struct perf_side *side = aligned_alloc(64, ni_align_up(sizeof(*side), 64));

    if (side == NULL) {
        perf_fail("out of memory");
    }
    memset(side, 0, sizeof(*side));
    return side;
}

/* One process, both sides. */
static void work_inproc(const struct perf_worker *worker)
{
    struct perf_side *leader = new_side(), *follower = new_side();
    struct ni_fabric *fabric;
    ni_status status = ni_fabric_create(NULL, &fabric);

    if (status != NI_OK) {
        perf_fail("cannot make a fabric: %s", ni_status_text(status));
    }
    perf_side_open(leader, fabric, worker->setup->capacity, 1, 1);
    perf_side_open(follower, fabric, worker->setup->capacity, 1, 1);
    perf_side_connect(leader, &follower->ours);
    perf_side_connect(follower, &leader->ours);
    leader->partner = follower;
    follower->partner = leader;
    work(worker, leader);
    perf_side_close(leader);
    perf_side_close(follower);
    ni_fabric_destroy(fabric);
    free(leader);
    free(follower);
}

static void work_apart(const struct perf_worker *worker)
{
    const struct perf_setup *setup = worker->setup;
    struct perf_side *side = new_side();
    struct perf_hello theirs;

    if (setup->link == PERF_DEV) {
        side->host_key = worker->leader ? 1 : 2; /* cards are between hosts */
    }
    perf_side_open(side, NULL, setup->capacity, 2 * setup->pairs, distinct_cores(setup));
    side->waits = setup->waits;
    side->patience = setup->waits ? 0 : side->patience;
    perf_packet_send(worker->socket, &side->ours, sizeof(side->ours));
    if (perf_packet_receive(worker->socket, &theirs, sizeof(theirs))) {
        perf_side_connect(side, &theirs);
        work(worker, side);
    }
    perf_side_close(side);
    free(side);
}

void perf_worker_run(const struct perf_worker *worker)
{
    perf_cores_pin(worker->setup->cores[2 * worker->pair + !worker->leader]);
    apply_settings(worker);
    if (worker->setup->link != PERF_INPROC) {
        work_apart(worker);
    } else {
        work_inproc(worker);
    }
    exit(PERF_EXIT_GOOD);
}
