/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/link/ucx/fault.c. */
#include <apeni/fault.h>

#include "link/inproc/hooks.h"
#include "suite_work.h"

/*
 * Packets that are lost, cut, late or repeated on their way, over the links that can do that, or
 * damaged. What cannot be made good ends the connection on both sides with NI_ERR_PROTOCOL; every
 * operation completes once all the same, and what is said to have succeeded has been done.
 */

enum { MESSAGES = 400, SEEDS = 3 };

/* Work of everybody at everybody else, for one round. */
struct round {
    struct work *works[SUITE_NIS][SUITE_NIS]; /* by initiator and target */
    uint32_t next[SUITE_NIS][SUITE_NIS];      /* message that NI i expects from NI j */
    struct ni_rkey queues[SUITE_NIS];
    uint32_t sent[SUITE_NIS][SUITE_NIS];
};

struct sink {
    struct round *round;
    unsigned index;
};

static void on_message(void *arg, const struct ni_message_info *message)
{
    struct sink *sink = arg;
    const struct suite_ni *from = ni_peer_user(message->source);
    uint32_t number;

    CHECK(message->len == sizeof(number));
    memcpy(&number, message->data, sizeof(number));
    CHECK(number == sink->round->next[sink->index][from->index]);
    sink->round->next[sink->index][from->index]++;
}

static void open_sink(struct suite_ni *ni, void *arg)
{
    struct sink *sink = arg;

    CHECK(ni_region_consumer(ni->ni, on_message, sink, 0, &sink->round->queues[ni->index]) ==
          NI_OK);
}

static struct round *new_round(struct suite *suite)
{
    struct round *round = suite_alloc(suite, sizeof(*round));

    for (unsigned i = 0; i < suite->n; i++) {
        struct sink *sink = suite_alloc(suite, sizeof(*sink));

        *sink = (struct sink){.round = round, .index = i};
        suite_call(suite, i, open_sink, sink);
        for (unsigned j = 0; j < suite->n; j++) {
            if (i != j) {
                round->works[i][j] = work_new(suite, j);
            }
        }
    }
    return round;
}

static void start_all(struct suite *suite, struct round *round)
{
    for (unsigned i = 0; i < suite->n; i++) {
        for (unsigned j = 0; j < suite->n; j++) {
            if (i != j) {
                suite_call(suite, i, work_start, round->works[i][j]);
            }
        }
    }
}

/* A message from everybody to everybody, unless they have lost each other. */
static void send_all(struct suite_ni *ni, void *arg)
{
    struct round *round = arg;

    for (unsigned to = 0; to < ni->suite->n; to++) {
        uint32_t *number = &round->sent[ni->index][to];

        if (to != ni->index) {
            ni_status status = ni_message(ni->ni, ni->peers[to], round->queues[to].handle, 0,
                                          number, sizeof(*number), NULL, 0);

            CHECK(status == NI_OK || status == NI_AGAIN || status == NI_ERR_PROTOCOL);
            *number += status == NI_OK;
        }
    }
}

static bool is_lost(const struct suite *suite, unsigned i, unsigned j)
{
    return atomic_load(&suite->nis[i].downs[j]) != 0;
}

/* Whether two that still have each other have exchanged everything, and both know it if they have
 * not. */
static bool have_all(void *arg)
{
    struct round *round = arg;
    const struct suite *suite = round->works[0][1]->ni->suite;

    for (unsigned i = 0; i < suite->n; i++) {
        for (unsigned j = 0; j < suite->n; j++) {
            bool lost = i != j && is_lost(suite, i, j);

            if (i != j && (lost != is_lost(suite, j, i) ||
                           (!lost && round->next[i][j] != round->sent[j][i]))) {
                return false;
            }
        }
    }
    return true;
}

/* Everything has completed, and both ends of each connection agree about it. Returns the
 * connections that broke. */
static unsigned check_all(struct suite *suite, struct round *round)
{
    unsigned broken = 0;

    suite_until(suite, have_all, round);
    for (unsigned i = 0; i < suite->n; i++) {
        for (unsigned j = 0; j < suite->n; j++) {
            unsigned failed;

            if (i == j) {
                continue;
            }
            failed = work_check(suite, round->works[i][j], NI_ERR_PROTOCOL);
            CHECK(failed == 0 || is_lost(suite, i, j));
            CHECK(is_lost(suite, i, j) == is_lost(suite, j, i));
            CHECK(!is_lost(suite, i, j) || atomic_load(&suite->nis[i].down[j]) == NI_ERR_PROTOCOL);
            CHECK(atomic_load(&suite->nis[i].downs[j]) <= 1);
            CHECK(round->next[i][j] <= round->sent[j][i]);
            broken += i < j && is_lost(suite, i, j);
        }
    }
    return broken;
}

static unsigned run(struct suite *suite)
{
    struct round *round = new_round(suite);

    start_all(suite, round);
    for (int n = 0; n < MESSAGES; n++) {
        for (unsigned i = 0; i < suite->n; i++) {
            suite_call(suite, i, send_all, round);
            (void)ni_progress(suite->nis[i].ni);
        }
    }
    return check_all(suite, round);
}

static void repeated_and_late(struct suite *suite)
{
    ni_fault_arm_random(NI_FAULT_DUP, 100000, suite->seed);
    ni_fault_arm_random(NI_FAULT_DELAY, 30000, suite->seed);
    CHECK(run(suite) == 0);
    CHECK(ni_fault_struck(NI_FAULT_DUP) > 10 && ni_fault_struck(NI_FAULT_DELAY) > 10);
    ni_fault_reset();
}

/* One packet, at some moment, is lost: one connection breaks. */
static void one_lost(struct suite *suite)
{
    ni_fault_arm(NI_FAULT_DROP, 1 + ni_rng_below(&suite->rng, 500), 0);
    CHECK(run(suite) == ni_fault_struck(NI_FAULT_DROP));
    CHECK(ni_fault_struck(NI_FAULT_DROP) == 1);
    ni_fault_reset();
}

static void one_cut(struct suite *suite)
{
    ni_fault_arm(NI_FAULT_TRUNCATE, 1 + ni_rng_below(&suite->rng, 500), 0);
    CHECK(run(suite) == ni_fault_struck(NI_FAULT_TRUNCATE));
    CHECK(ni_fault_struck(NI_FAULT_TRUNCATE) == 1);
    ni_fault_reset();
}

/* One has a header that no correct peer sends. Slots and lanes of shared memory are struck, too. */
static void one_damaged(struct suite *suite)
{
    uint64_t malformed = 0;
    unsigned broken;

    ni_fault_arm(NI_FAULT_CORRUPT, 1 + ni_rng_below(&suite->rng, 500), 0);
    broken = run(suite);
    CHECK(ni_fault_struck(NI_FAULT_CORRUPT) == 1 && broken == 1);
    for (unsigned i = 0; i < suite->n; i++) {
        malformed += suite_stat(&suite->nis[i], "rx_malformed");
    }
    CHECK(malformed >= 1);
    ni_fault_reset();
}

/* Everything, until only some connections are left. */
static void everything(struct suite *suite)
{
    ni_fault_arm_random(NI_FAULT_DROP, 300, suite->seed);
    ni_fault_arm_random(NI_FAULT_TRUNCATE, 300, suite->seed);
    ni_fault_arm_random(NI_FAULT_CORRUPT, 100, suite->seed + 1);
    ni_fault_arm_random(NI_FAULT_DUP, 50000, suite->seed);
    ni_fault_arm_random(NI_FAULT_DELAY, 10000, suite->seed);
    ni_fault_arm_random(NI_FAULT_FULL, 50000, suite->seed);
    (void)run(suite);
    ni_fault_reset();
}

int main(int argc, char **argv)
{
    const unsigned needs = SUITE_NEEDS_HERE | SUITE_NEEDS_LOSS;
    const struct suite_case cases[] = {
        {"repeated_and_late", 3, needs, repeated_and_late},
        {"one_lost", 3, needs, one_lost},
        {"one_cut", 3, needs, one_cut},
        {"one_damaged", 3, SUITE_NEEDS_HERE, one_damaged},
        {"everything", 4, needs, everything},
    };

    suite_between_hosts();
    return suite_main_seeds(argc, argv, cases, sizeof(cases) / sizeof(cases[0]), SEEDS);
}
