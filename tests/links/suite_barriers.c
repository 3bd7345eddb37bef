/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/sync/barrier.c. */
#include "suite_barriers.h"

/*
 * Barriers of every arity, with one member at each NI or several: nobody leaves before all have
 * come, round after round; members that end. With lanes that are full: suite_barriers_full.c.
 */

static const unsigned arities[] = {0, 1, 3};

enum { ARITIES = sizeof(arities) / sizeof(arities[0]) };

static void create(struct suite_ni *ni, void *arg)
{
    struct group *group = arg;

    for (unsigned m = ni->index; m < group->members; m += ni->suite->n) {
        CHECK(ni_barrier_create(ni->ni, group->members, m, group->arity, &group->member[m].barrier,
                                &group->member[m].address) == NI_OK);
        CHECK(ni_barrier_enter(group->member[m].barrier) == NI_ERR_INVALID);
    }
}

static void join(struct suite_ni *ni, void *arg)
{
    struct group *group = arg;
    struct ni_barrier_address addresses[MEMBERS];
    struct ni_peer *peers[MEMBERS];

    for (unsigned m = 0; m < group->members; m++) {
        addresses[m] = group->member[m].address;
        peers[m] = ni->peers[m % ni->suite->n];
    }
    for (unsigned m = ni->index; m < group->members; m += ni->suite->n) {
        struct ni_barrier *barrier = group->member[m].barrier;

        CHECK(ni_barrier_connect(barrier, NULL, addresses) == NI_ERR_INVALID);
        CHECK(ni_barrier_connect(barrier, peers, addresses) == NI_OK);
        CHECK(ni_barrier_connect(barrier, peers, addresses) == NI_ERR_EXISTS);
        CHECK(ni_barrier_test(barrier) == NI_OK);
    }
}

void bar_leave_for_good(struct suite_ni *ni, void *arg)
{
    struct group *group = arg;

    for (unsigned m = ni->index; m < group->members; m += ni->suite->n) {
        ni_barrier_free(group->member[m].barrier);
    }
    ni_barrier_free(NULL);
}

struct group *bar_new_group(struct suite *suite, unsigned members, unsigned arity)
{
    struct group *group = suite_alloc(suite, sizeof(*group));

    group->members = members;
    group->arity = arity;
    for (unsigned i = 0; i < suite->n; i++) {
        suite_call(suite, i, create, group);
    }
    for (unsigned i = 0; i < suite->n; i++) {
        suite_call(suite, i, join, group);
    }
    return group;
}

void bar_free_group(struct suite *suite, struct group *group)
{
    for (unsigned i = 0; i < suite->n; i++) {
        suite_call(suite, i, bar_leave_for_good, group);
    }
}

/* ---- step by step ---------------------------------------------------------------------------- */

/* All members of the NI but `last`, or that one alone. */
void bar_enter_others(struct suite_ni *ni, void *arg)
{
    struct group *group = arg;

    for (unsigned m = ni->index; m < group->members; m += ni->suite->n) {
        if (m != group->last) {
            CHECK(ni_barrier_enter(group->member[m].barrier) == NI_OK);
            CHECK(ni_barrier_enter(group->member[m].barrier) == NI_ERR_INVALID);
        }
    }
}

static void enter_last(struct suite_ni *ni, void *arg)
{
    struct group *group = arg;

    (void)ni;
    CHECK(ni_barrier_enter(group->member[group->last].barrier) == NI_OK);
}

static void check_waiting(struct suite_ni *ni, void *arg)
{
    struct group *group = arg;

    for (unsigned m = ni->index; m < group->members; m += ni->suite->n) {
        if (m != group->last) {
            CHECK(ni_barrier_test(group->member[m].barrier) == NI_INPROGRESS);
        }
    }
}

static void leave(struct suite_ni *ni, void *arg)
{
    struct group *group = arg;

    for (unsigned m = ni->index; m < group->members; m += ni->suite->n) {
        ni_status status;

        while ((status = ni_barrier_test(group->member[m].barrier)) == NI_INPROGRESS) {
            suite_turn(ni);
        }
        CHECK(status == NI_OK);
    }
}

static void step_through(struct suite *suite, unsigned members, unsigned arity, unsigned rounds)
{
    struct group *group = bar_new_group(suite, members, arity);

    for (unsigned round = 0; round < rounds; round++) {
        group->last = (unsigned)ni_rng_below(&suite->rng, members);
        for (unsigned i = 0; i < suite->n; i++) {
            suite_call(suite, i, bar_enter_others, group);
        }
        if (round == 0 && suite->link->mode == SUITE_HERE) {
            suite_rest(suite);
        }
        for (unsigned i = 0; i < suite->n; i++) {
            suite_call(suite, i, check_waiting, group);
        }
        suite_call(suite, group->last % suite->n, enter_last, group);
        for (unsigned i = 0; i < suite->n; i++) {
            suite_call(suite, i, leave, group);
        }
    }
    bar_free_group(suite, group);
}

static void steps(struct suite *suite)
{
    for (unsigned i = 0; i < ARITIES; i++) {
        step_through(suite, suite->n, arities[i], ROUNDS);
    }
}

/* Several members at each NI; a root that tells more than counters have notifications. */
static void shared(struct suite *suite)
{
    step_through(suite, MEMBERS, MEMBERS, 1);
    step_through(suite, 8, 0, ROUNDS); /* flat */
}

/* One member alone waits for nobody. */
static void alone(struct suite *suite)
{
    for (unsigned arity = 0; arity < 3; arity++) {
        struct group *group = bar_new_group(suite, 1, arity);

        for (unsigned round = 0; round < 3; round++) {
            suite_call(suite, 0, enter_last, group);
            suite_call(suite, 0, leave, group);
        }
        bar_free_group(suite, group);
    }
}

/* ---- all at the same time -------------------------------------------------------------------- */

static void rounds_here(struct suite_ni *ni, void *arg)
{
    struct group *group = arg;
    struct ni_barrier *barrier = group->member[ni->index].barrier;

    for (unsigned round = 0; round < MANY; round++) {
        /* What is seen behind the barrier is the barrier's doing. */
        atomic_fetch_add_explicit(&group->entered[round], 1, memory_order_relaxed);
        CHECK(ni_barrier_enter(barrier) == NI_OK);
        CHECK(ni_barrier_wait(barrier) == NI_OK);
        CHECK(atomic_load_explicit(&group->entered[round], memory_order_relaxed) == group->members);
    }
}

/* In the end each closes as soon as it is through. */
static void all_at_once(struct suite *suite)
{
    for (unsigned n = 0; n < ARITIES; n += 2) { /* flat, and a tree */
        struct group *group = bar_new_group(suite, suite->n, arities[n]);

        for (unsigned i = 0; i < suite->n; i++) {
            suite_begin(suite, i, rounds_here, group);
        }
        for (unsigned i = 0; i < suite->n; i++) {
            suite_end(suite, i);
        }
        bar_free_group(suite, group);
    }
}

static void rounds_and_close(struct suite_ni *ni, void *arg)
{
    struct group *group = arg;

    rounds_here(ni, arg);
    ni_barrier_free(group->member[ni->index].barrier);
    ni_close(ni->ni);
    ni->ni = NULL;
}

static void through_and_gone(struct suite *suite)
{
    struct group *group = bar_new_group(suite, suite->n, 2);

    for (unsigned i = 0; i < suite->n; i++) {
        suite_begin(suite, i, rounds_and_close, group);
    }
    for (unsigned i = 0; i < suite->n; i++) {
        suite_end(suite, i);
    }
}

/* ---- a member that dies ---------------------------------------------------------------------- */

static void await_failure(struct suite_ni *ni, void *arg)
{
    struct group *group = arg;
    struct ni_barrier *barrier = group->member[ni->index].barrier;
    ni_status status;

    while ((status = ni_barrier_test(barrier)) == NI_INPROGRESS) {
        suite_turn(ni);
    }
    CHECK(status == NI_ERR_PEER_DEAD);
    ni_barrier_free(barrier);
}

static void death(struct suite *suite)
{
    struct group *groups[] = {bar_new_group(suite, suite->n, 0), bar_new_group(suite, suite->n, 1)};
    unsigned last = suite->n - 1;

    for (unsigned g = 0; g < 2; g++) {
        groups[g]->last = last;
        for (unsigned i = 0; i < suite->n; i++) {
            suite_call(suite, i, bar_enter_others, groups[g]);
        }
        suite_call(suite, last, bar_leave_for_good, groups[g]); /* its memory, where that is ours */
    }
    suite_kill(suite, last);
    for (unsigned i = 0; i < last; i++) {
        suite_call(suite, i, await_failure, groups[0]);
        suite_call(suite, i, await_failure, groups[1]);
    }
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void refused_here(struct suite_ni *ni, void *arg)
{
    struct ni_barrier *barrier = NULL;
    struct ni_barrier_address address;

    (void)arg;
    CHECK(ni_barrier_create(ni->ni, 0, 0, 0, &barrier, &address) == NI_ERR_INVALID);
    CHECK(ni_barrier_create(ni->ni, 2, 2, 0, &barrier, &address) == NI_ERR_INVALID);
    CHECK(ni_barrier_create(ni->ni, NI_BARRIER_MEMBERS + 1, 0, 0, &barrier, &address) ==
          NI_ERR_INVALID);
    CHECK(barrier == NULL && suite_stat(ni, "regions") == 0);
    CHECK(ni_barrier_create(ni->ni, NI_BARRIER_MEMBERS, 7, 3, &barrier, &address) == NI_OK);
    CHECK(suite_stat(ni, "regions") == 2);
    ni_barrier_free(barrier);
    CHECK(suite_stat(ni, "regions") == 0);
}

static void refused(struct suite *suite)
{
    suite_call(suite, 0, refused_here, NULL);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"steps", 4, SUITE_NEEDS_NOTHING, steps},
        {"shared", 3, SUITE_NEEDS_NOTHING, shared},
        {"alone", 1, SUITE_NEEDS_NOTHING, alone},
        {"all_at_once", 4, SUITE_NEEDS_APART, all_at_once},
        {"through_and_gone", 4, SUITE_NEEDS_APART, through_and_gone},
        {"full_lane", 3, SUITE_NEEDS_HERE, bar_full_lane},
        {"full_lane_and_death", 3, SUITE_NEEDS_HERE | SUITE_NEEDS_KILL, bar_full_lane_and_death},
        {"full_lanes", 4, SUITE_NEEDS_APART, bar_full_lanes},
        {"death", 4, SUITE_NEEDS_KILL, death},
        {"refused", 1, SUITE_NEEDS_NOTHING, refused},
    };

    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
