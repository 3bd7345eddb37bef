/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite_barriers.h"

#include <sched.h>

/*
 * Nobody leaves as long as what it has to pass on finds no room: it may make no more progress then,
 * and the others would wait for it.
 */

enum { LOOKS = 64, MESSAGES = 5000 };

static const unsigned both[] = {0, 2}; /* flat, and a tree */

static void drop(void *arg, const struct ni_message_info *message)
{
    (void)arg;
    (void)message;
}

static void make_queue(struct suite_ni *ni, void *arg)
{
    struct group *group = arg;

    CHECK(ni_region_consumer(ni->ni, drop, NULL, 0, &group->queues[ni->index]) == NI_OK);
}

static struct group *new_group_with_queues(struct suite *suite, unsigned arity)
{
    struct group *group = bar_new_group(suite, suite->n, arity);

    group->last = suite->n;
    for (unsigned i = 0; i < suite->n; i++) {
        suite_call(suite, i, make_queue, group);
    }
    return group;
}

/* Without progress, so that nothing waits but what comes behind. Returns whether there is no more
 * room. */
static bool fill_lane(struct suite_ni *ni, unsigned to, const struct group *group)
{
    uint64_t message[6] = {0};
    ni_status status = NI_OK;

    for (unsigned i = 0; i < MESSAGES && status == NI_OK; i++) {
        status = ni_message(ni->ni, ni->peers[to], group->queues[to].handle, 0, NULL, 0, message,
                            sizeof(message));
    }
    CHECK(status == NI_OK || status == NI_AGAIN);
    return status == NI_AGAIN;
}

static void fill_one(struct suite_ni *ni, void *arg)
{
    CHECK(fill_lane(ni, 1, arg));
}

/* All others have come, and were heard: but nobody could be told. */
static void check_held(struct suite_ni *ni, void *arg)
{
    struct group *group = arg;

    for (unsigned i = 0; i < LOOKS; i++) {
        CHECK(ni_barrier_test(group->member[ni->index].barrier) == NI_INPROGRESS);
    }
    CHECK(ni_barrier_enter(group->member[ni->index].barrier) == NI_ERR_INVALID);
}

static void make_room(struct suite_ni *ni, void *arg)
{
    (void)arg;
    for (unsigned i = 0; i < LOOKS; i++) {
        (void)ni_progress(ni->ni);
    }
}

/* No other makes progress meanwhile; between hosts what was sent may need that. */
static void leave_alone(struct suite_ni *ni, void *arg)
{
    struct group *group = arg;
    ni_status status;

    while ((status = ni_barrier_test(group->member[ni->index].barrier)) == NI_INPROGRESS) {
        if (ni->suite->link->far) {
            suite_turn(ni);
        }
    }
    CHECK(status == NI_OK);
}

/* NI 0 has no room for what it has to tell NI 1, which then makes some. */
void bar_full_lane(struct suite *suite)
{
    for (unsigned n = 0; n < 2; n++) {
        struct group *group = new_group_with_queues(suite, both[n]);

        for (unsigned round = 0; round < ROUNDS; round++) {
            suite_call(suite, 0, fill_one, group);
            for (unsigned i = 0; i < suite->n; i++) {
                suite_call(suite, i, bar_enter_others, group);
            }
            if (!suite->link->far) { /* there it may have been the link that had no room */
                suite_call(suite, 0, check_held, group);
            }
            suite_call(suite, 1, make_room, group);
            for (unsigned i = 0; i < suite->n; i++) {
                suite_call(suite, i, leave_alone, group);
            }
        }
        bar_free_group(suite, group);
    }
}

/* As there, but a member dies that had come. NI 0 is through, and does not wait for who may have
 * given up. */
void bar_full_lane_and_death(struct suite *suite)
{
    struct group *group = new_group_with_queues(suite, 0);

    suite_call(suite, 0, fill_one, group);
    for (unsigned i = 0; i < suite->n; i++) {
        suite_call(suite, i, bar_enter_others, group);
    }
    suite_call(suite, 0, check_held, group);
    suite_call(suite, 2, bar_leave_for_good, group); /* its memory is ours */
    suite_kill(suite, 2);
    for (unsigned times = 0; times < 2; times++) {
        suite_call(suite, 0, leave_alone, group);
    }
    suite_call(suite, 1, make_room, group);
    for (unsigned i = 0; i < 2; i++) {
        suite_call(suite, i, bar_leave_for_good, group);
    }
}

/* Who has left does nothing for those that have not. */
static void leave_and_rest(struct suite_ni *ni, void *arg)
{
    struct group *group = arg;
    struct ni_barrier *barrier = group->member[ni->index].barrier;

    for (uint64_t round = 1; round <= MANY; round++) {
        for (unsigned i = 0; i < ni->suite->n; i++) {
            if (i != ni->index) {
                (void)fill_lane(ni, i, group);
            }
        }
        CHECK(ni_barrier_enter(barrier) == NI_OK);
        CHECK(ni_barrier_wait(barrier) == NI_OK);
        atomic_fetch_add(&group->left, 1);
        while (atomic_load(&group->left) < round * ni->suite->n) {
            if (ni->suite->link->far) {
                suite_turn(ni);
            }
            sched_yield();
        }
    }
}

void bar_full_lanes(struct suite *suite)
{
    for (unsigned n = 0; n < 2; n++) {
        struct group *group = new_group_with_queues(suite, both[n]);

        for (unsigned i = 0; i < suite->n; i++) {
            suite_begin(suite, i, leave_and_rest, group);
        }
        for (unsigned i = 0; i < suite->n; i++) {
            suite_end(suite, i);
        }
        bar_free_group(suite, group);
    }
}
