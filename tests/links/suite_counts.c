/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/core/counts.c. */
#include "suite.h"

/*
 * Counting events: operations and bytes, at both ends, of expected and unexpected messages,
 * failures, set, increment, wait and poll.
 */

enum { PUTS = 20, LONG = 50000 };

struct counts {
    struct ni_ct *put, *overflow;      /* at the target: messages, bytes */
    struct ni_ct *sent, *acked, *left; /* at the initiator */
    uint8_t *from, *to; /* each put has its own place at the target: writes to one would race */
    unsigned pt;
};

static void open_target(struct suite_ni *ni, void *arg)
{
    struct counts *counts = arg;
    struct ni_ct_event event;
    uint32_t index;

    CHECK(ni_ct_alloc(ni->ni, &counts->put) == NI_PTL_NO_INIT);
    CHECK(ni_portals_open(ni->ni, NULL, NULL) == NI_OK);
    CHECK(ni_ct_alloc(ni->ni, &counts->put) == NI_OK);
    CHECK(ni_ct_alloc(ni->ni, &counts->overflow) == NI_OK);
    CHECK(ni_ct_get(counts->put, &event) == NI_OK && event.success == 0 && event.failure == 0);
    /* Without an event queue: counts are enough. */
    CHECK(ni_pt_alloc(ni->ni, NI_PT_UNEXPECTED, NULL, 0, &index) == NI_OK);
}

static void open_initiator(struct suite_ni *ni, void *arg)
{
    struct counts *counts = arg;

    CHECK(ni_portals_open(ni->ni, NULL, NULL) == NI_OK);
    CHECK(ni_ct_alloc(ni->ni, &counts->sent) == NI_OK);
    CHECK(ni_ct_alloc(ni->ni, &counts->acked) == NI_OK);
    CHECK(ni_ct_alloc(ni->ni, &counts->left) == NI_OK);
}

static void post(struct suite_ni *ni, void *arg)
{
    struct counts *counts = arg;

    for (unsigned i = 0; i < PUTS; i++) {
        const struct ni_me me = {.start = counts->to + (size_t)i * LONG,
                                 .length = LONG,
                                 .match_bits = i,
                                 .match_id = NI_INITIATOR_ANY,
                                 .ct = i % 2 == 0 ? counts->put : counts->overflow,
                                 .options = NI_ME_OP_PUT | NI_ME_USE_ONCE | NI_ME_EVENT_CT_COMM |
                                            NI_ME_EVENT_CT_OVERFLOW |
                                            (i % 2 == 0 ? 0U : NI_ME_EVENT_CT_BYTES)};

        CHECK(ni_me_append(ni->ni, 0, &me, NI_PRIORITY_LIST, NULL, NULL) == NI_OK);
    }
}

static void put(struct suite_ni *ni, void *arg)
{
    struct counts *counts = arg;
    const struct ni_md md = {.length = SIZE_MAX,
                             .ct = counts->acked,
                             .options = NI_MD_EVENT_CT_ACK | NI_MD_EVENT_CT_BYTES};
    const struct ni_md sends = {
        .length = SIZE_MAX, .ct = counts->sent, .options = NI_MD_EVENT_CT_SEND};
    const struct ni_md result = {.length = SIZE_MAX,
                                 .ct = counts->left,
                                 .options = NI_MD_EVENT_CT_SEND | NI_MD_SENT_BY_RESULT};
    const struct ni_md *mds[] = {&md, &sends, &result, &md};

    /* Lengths 8 and LONG, both for odd and even numbers. */
    for (unsigned i = 0; i < PUTS; i++) {
        int status = ni_put(ni->ni, mds[i % 4], (uintptr_t)counts->from, i % 4 < 2 ? LONG : 8,
                            i % 4 == 0 || i % 4 == 3 ? NI_ACK_REQ : NI_NO_ACK_REQ, ni->peers[1],
                            counts->pt, i, 0, NULL, i);

        CHECK(status == NI_OK || (i % 4 == 2 && status == NI_PTL_SENT));
    }
}

static void await_target(struct suite_ni *ni, void *arg)
{
    struct counts *counts = arg;
    struct ni_ct_event event;
    struct ni_ct *both[2] = {counts->overflow, counts->put};
    const uint64_t tests[2] = {UINT64_MAX, PUTS / 2 + 1}, reachable[2] = {UINT64_MAX, PUTS / 2};
    unsigned which;

    if (ni->suite->link->mode != SUITE_HERE) {
        CHECK(ni_ct_wait(ni->ni, counts->put, PUTS / 2, &event) == NI_OK);
    }
    while (ni_ct_get(counts->put, &event) == NI_OK && event.success < PUTS / 2) {
        suite_turn(ni);
    }
    while (ni_ct_get(counts->overflow, &event) == NI_OK && event.success < PUTS / 4 * (LONG + 8)) {
        suite_turn(ni);
    }
    CHECK(event.success == PUTS / 4 * (LONG + 8) && event.failure == 0);
    CHECK(ni_ct_poll(ni->ni, both, tests, 2, 1000, &event, &which) == NI_PTL_CT_NONE_REACHED);
    CHECK(ni_ct_poll(ni->ni, both, reachable, 2, 1000, &event, &which) == NI_OK && which == 1);
    CHECK(ni_ct_poll(ni->ni, both, reachable, 0, 1000, &event, &which) == NI_PTL_ARG_INVALID);
    CHECK(ni_ct_set(counts->put, (struct ni_ct_event){.success = 5}) == NI_OK);
    CHECK(ni_ct_inc(counts->put, (struct ni_ct_event){.success = 2}) == NI_OK);
    CHECK(ni_ct_inc(counts->put, (struct ni_ct_event){.failure = 3}) == NI_OK);
    CHECK(ni_ct_inc(counts->put, (struct ni_ct_event){1, 1}) == NI_PTL_ARG_INVALID);
    /* A failure ends waiting. */
    CHECK(ni_ct_wait(ni->ni, counts->put, 1000, &event) == NI_OK);
    CHECK(event.success == 7 && event.failure == 3);
    CHECK(ni_ct_set(counts->put, (struct ni_ct_event){0, 0}) == NI_OK);
    CHECK(ni_ct_set(counts->overflow, (struct ni_ct_event){0, 0}) == NI_OK);
}

static void await_initiator(struct suite_ni *ni, void *arg)
{
    struct counts *counts = arg;
    struct ni_ct_event event;

    while (ni_ct_get(counts->acked, &event) == NI_OK && event.success < PUTS / 4 * (LONG + 8)) {
        CHECK(event.failure == 0);
        suite_turn(ni);
    }
    while (ni_ct_get(counts->sent, &event) == NI_OK && event.success < PUTS / 4) {
        suite_turn(ni);
    }
    CHECK(ni_ct_get(counts->left, &event) == NI_OK && event.success == PUTS / 4);
    CHECK(ni_ct_set(counts->acked, (struct ni_ct_event){0, 0}) == NI_OK);
    CHECK(ni_ct_set(counts->sent, (struct ni_ct_event){0, 0}) == NI_OK);
    CHECK(ni_ct_set(counts->left, (struct ni_ct_event){0, 0}) == NI_OK);
}

static void await_failures(struct suite_ni *ni, void *arg)
{
    struct counts *counts = arg;
    struct ni_ct_event event;

    while (ni_ct_get(counts->acked, &event) == NI_OK && event.failure < PUTS / 2) {
        suite_turn(ni);
    }
    CHECK(event.failure == PUTS / 2 && event.success == 0);
    CHECK(ni_ct_free(ni->ni, counts->left) == NI_OK);
}

static void both_ways(struct suite *suite)
{
    struct counts *counts = suite_alloc(suite, sizeof(*counts));

    counts->from = suite_alloc(suite, LONG);
    counts->to = suite_alloc(suite, (size_t)PUTS * LONG);
    suite_call(suite, 1, open_target, counts);
    suite_call(suite, 0, open_initiator, counts);
    for (unsigned round = 0; round < 2; round++) {
        if (round == 0) {
            suite_call(suite, 1, post, counts);
        }
        suite_call(suite, 0, put, counts);
        if (round == 1) {
            suite_rest(suite);
            suite_call(suite, 1, post, counts);
        }
        suite_call(suite, 1, await_target, counts);
        suite_call(suite, 0, await_initiator, counts);
    }
    counts->pt = 99;
    suite_call(suite, 0, put, counts);
    suite_call(suite, 0, await_failures, counts);
}

static const struct suite_case cases[] = {
    {"both_ways", 2, SUITE_NEEDS_NOTHING, both_ways},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
