/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite.h"

/*
 * Gets and atomics that are triggered, each by the end of the one before it: a sequence of steps at
 * a peer, and at the NI itself, that needs nobody once it has begun; and what status registers say
 * of messages that are refused.
 */

enum { STEPS = 4, LONG = 60000 };

struct steps {
    struct ni_ct *step[STEPS + 1]; /* step i begins when this is 1 */
    uint64_t word, operand[STEPS], fetched[STEPS];
    uint8_t *source, *got;
    bool self;
};

static void open_target(struct suite_ni *ni, void *arg)
{
    struct steps *steps = arg;
    const struct ni_me word = {.start = &steps->word,
                               .length = 8,
                               .match_bits = 1,
                               .match_id = NI_INITIATOR_ANY,
                               .options = NI_ME_OP_PUT | NI_ME_OP_GET};
    const struct ni_me source = {.start = steps->source,
                                 .length = LONG,
                                 .match_bits = 2,
                                 .match_id = NI_INITIATOR_ANY,
                                 .options = NI_ME_OP_GET};
    uint32_t pt;

    CHECK(ni_portals_open(ni->ni, NULL, NULL) == NI_OK);
    CHECK(ni_pt_alloc(ni->ni, 0, NULL, 0, &pt) == NI_OK);
    CHECK(ni_me_append(ni->ni, 0, &word, NI_PRIORITY_LIST, NULL, NULL) == NI_OK);
    CHECK(ni_me_append(ni->ni, 0, &source, NI_PRIORITY_LIST, NULL, NULL) == NI_OK);
    suite_fill(steps->source, LONG, 5);
    steps->word = 10;
}

/* Step i ends in counter i + 1. */
static struct ni_md md_of(const struct steps *steps, unsigned i, unsigned options)
{
    return (struct ni_md){.length = SIZE_MAX, .ct = steps->step[i + 1], .options = options};
}

static void check_arguments(struct suite_ni *ni, struct steps *steps)
{
    const struct ni_md md = {.length = 100};
    struct ni_ct *ct = steps->step[0];
    struct ni_peer *peer = ni->peers[1];

    CHECK(ni_triggered_get(ni->ni, &md, 1, 100, peer, 0, 0, 0, NULL, ct, 1) == NI_PTL_ARG_INVALID);
    CHECK(ni_triggered_get(ni->ni, &md, 0, 100, peer, 0, 0, 0, NULL, NULL, 1) ==
          NI_PTL_ARG_INVALID);
    CHECK(ni_triggered_atomic(ni->ni, &md, 0, 3, NI_NO_ACK_REQ, peer, 0, 0, 0, NULL, 0, NI_SUM,
                              NI_UINT64_T, ct, 1) == NI_PTL_ARG_INVALID);
    CHECK(ni_triggered_swap(ni->ni, &md, 0, &md, 0, 8, peer, 0, 0, 0, NULL, 0, NULL, NI_CSWAP,
                            NI_UINT64_T, ct, 1) == NI_PTL_ARG_INVALID);
    CHECK(ni_triggered_fetch_atomic(ni->ni, &md, 0, &md, 0, 8, peer, 256, 0, 0, NULL, 0, NI_SUM,
                                    NI_UINT64_T, ct, 1) == NI_PTL_ARG_INVALID);
    CHECK(suite_stat(ni, "match_triggered") == 0);
}

static void run_steps(struct suite_ni *ni, void *arg)
{
    struct steps *steps = arg;
    struct ni_peer *peer = steps->self ? NULL : ni->peers[1];
    uint64_t expected = 15;
    struct ni_md md[STEPS];

    if (!steps->self) {
        CHECK(ni_portals_open(ni->ni, NULL, NULL) == NI_OK);
    }
    for (unsigned i = 0; i <= STEPS; i++) {
        CHECK(ni_ct_alloc(ni->ni, &steps->step[i]) == NI_OK);
    }
    check_arguments(ni, steps);
    md[0] = md_of(steps, 0, NI_MD_EVENT_CT_ACK);
    for (unsigned i = 1; i < STEPS; i++) {
        md[i] = md_of(steps, i, NI_MD_EVENT_CT_REPLY);
    }
    const struct ni_md from = {.length = SIZE_MAX};

    steps->operand[0] = 5;
    steps->operand[1] = 7;
    steps->operand[2] = 1000;
    /* Armed from the last to the first: 10 + 5, if 15 then 1000, + 7, and the data. */
    CHECK(ni_triggered_get(ni->ni, &md[3], (uintptr_t)steps->got, LONG, peer, 0, 2, 0, NULL,
                           steps->step[3], 1) == NI_OK);
    CHECK(ni_triggered_fetch_atomic(ni->ni, &md[2], (uintptr_t)&steps->fetched[2], &from,
                                    (uintptr_t)&steps->operand[1], 8, peer, 0, 1, 0, NULL, 0,
                                    NI_SUM, NI_UINT64_T, steps->step[2], 1) == NI_OK);
    CHECK(ni_triggered_swap(ni->ni, &md[1], (uintptr_t)&steps->fetched[1], &from,
                            (uintptr_t)&steps->operand[2], 8, peer, 0, 1, 0, NULL, 0, &expected,
                            NI_CSWAP, NI_UINT64_T, steps->step[1], 1) == NI_OK);
    CHECK(ni_triggered_atomic(ni->ni, &md[0], (uintptr_t)&steps->operand[0], 8, NI_ACK_REQ, peer, 0,
                              1, 0, NULL, 0, NI_SUM, NI_UINT64_T, steps->step[0], 1) == NI_OK);
    expected = 0; /* it was read */
    CHECK(ni_ct_inc(steps->step[0], (struct ni_ct_event){.success = 1}) == NI_OK);
}

static void check_steps(struct suite_ni *ni, void *arg)
{
    struct steps *steps = arg;
    struct ni_ct_event event;

    do {
        suite_turn(ni);
        CHECK(ni_ct_get(steps->step[STEPS], &event) == NI_OK && event.failure == 0);
    } while (event.success == 0);
    CHECK(steps->fetched[1] == 15 && steps->fetched[2] == 1000);
    CHECK(suite_filled(steps->got, LONG, 5));
    CHECK(suite_stat(ni, "match_triggered") == 0 && suite_stat(ni, "match_fired") == STEPS);
    /* What is cancelled is given back. */
    CHECK(ni_triggered_get(ni->ni, &(struct ni_md){.length = SIZE_MAX}, (uintptr_t)steps->got, LONG,
                           NULL, 0, 2, 0, NULL, steps->step[0], 2) == NI_OK);
    CHECK(ni_ct_cancel_triggered(ni->ni, steps->step[0]) == NI_OK);
}

static void check_word(struct suite_ni *ni, void *arg)
{
    const struct steps *steps = arg;

    (void)ni;
    CHECK(steps->word == 1007);
}

static uint64_t status_of(struct suite_ni *ni, enum ni_sr reg)
{
    uint64_t value = UINT64_MAX;

    CHECK(ni_portals_status(ni->ni, reg, &value) == NI_OK);
    return value;
}

/* One put to an entry that takes gets only, and one that matches nothing. */
static void violate(struct suite_ni *ni, void *arg)
{
    struct steps *steps = arg;
    const struct ni_md md = {.length = SIZE_MAX};
    struct ni_peer *peer = steps->self ? NULL : ni->peers[1];

    for (uint64_t bits = 2; bits < 4; bits++) {
        CHECK(ni_put(ni->ni, &md, (uintptr_t)steps->got, 8, NI_NO_ACK_REQ, peer, 0, bits, 0, NULL,
                     0) == NI_OK);
    }
}

static void check_violations(struct suite_ni *ni, void *arg)
{
    uint64_t value;

    (void)arg;
    while (status_of(ni, NI_SR_DROP_COUNT) < 2) {
        suite_turn(ni);
    }
    CHECK(status_of(ni, NI_SR_DROP_COUNT) == 2);
    CHECK(status_of(ni, NI_SR_OPERATION_VIOLATIONS) == 1);
    CHECK(status_of(ni, NI_SR_PERMISSION_VIOLATIONS) == 0);
    CHECK(ni_portals_status(ni->ni, (enum ni_sr)3, &value) == NI_PTL_ARG_INVALID);
}

static struct steps *new_steps(struct suite *suite)
{
    struct steps *steps = suite_alloc(suite, sizeof(*steps));

    steps->source = suite_alloc(suite, LONG);
    steps->got = suite_alloc(suite, LONG);
    return steps;
}

static void peer(struct suite *suite)
{
    struct steps *steps = new_steps(suite);

    suite_call(suite, 1, open_target, steps);
    suite_call(suite, 0, run_steps, steps);
    suite_call(suite, 0, check_steps, steps);
    suite_call(suite, 1, check_word, steps);
    suite_call(suite, 0, violate, steps);
    suite_call(suite, 1, check_violations, steps);
}

static void self(struct suite *suite)
{
    struct steps *steps = new_steps(suite);

    steps->self = true;
    suite_call(suite, 0, open_target, steps);
    suite_call(suite, 0, run_steps, steps);
    suite_call(suite, 0, check_steps, steps);
    suite_call(suite, 0, check_word, steps);
    suite_call(suite, 0, violate, steps);
    suite_call(suite, 0, check_violations, steps);
}

static const struct suite_case cases[] = {
    {"peer", 2, SUITE_NEEDS_NOTHING, peer},
    {"self", 2, SUITE_NEEDS_NOTHING, self},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
