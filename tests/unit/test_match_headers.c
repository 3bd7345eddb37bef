/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/match/headers.c ni/match/index.c. */
/* Unexpected headers: the rule, the order, and the tables for kinds of searches. */
#include "match_fixture.h"

enum { DEEP = NI_ASAN || NI_TSAN ? 20000 : 200000 };

static void test_empty(void **state)
{
    struct match_fixture *match = match_make(1);

    (void)state;
    assert_int_equal(arrived(match, 0, UINT64_MAX, NI_MATCH_ANY), NONE);
    assert_int_equal(arrive(match, 0, 5, 6), NI_OK);
    assert_int_equal(arrived(match, 5, 0, 6), 0);
    assert_int_equal(arrived(match, 4, 0, 6), NONE);
    assert_int_equal(arrived(match, 4, 1, 6), 0);
    assert_int_equal(arrived(match, 5, 0, 7), NONE);
    assert_int_equal(arrived(match, 5, 0, NI_MATCH_ANY), 0);
    assert_int_equal(arrived_next(match, 0, 5, 0, NI_MATCH_ANY), NONE);
    consume(match, 0);
    assert_int_equal(arrived(match, 5, 0, 6), NONE);
    match_end(match);
}

/* Header i has tag i % 50 and comes from i % 7. */
static void arrive_many(struct match_fixture *match, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(arrive(match, i, i % 50, (uint32_t)(i % 7)), NI_OK);
    }
}

/* The four kinds of MPI, walked and then by table. */
static void test_kinds(void **state)
{
    enum { HEADERS = 700 };
    struct match_fixture *match = match_make(HEADERS);

    (void)state;
    arrive_many(match, HEADERS);
    for (size_t i = 0; i < 30; i++) {
        consume(match, i);
    }
    for (int round = 0; round < 200; round++) {
        assert_int_equal(arrived(match, 3, 0, 3), 353);
        assert_int_equal(arrived(match, 29, 0, NI_MATCH_ANY), 79);
        assert_int_equal(arrived(match, 0, ANY_TAG, 1), 36);
        assert_int_equal(arrived(match, 0, ANY_TAG, NI_MATCH_ANY), 30);
        assert_int_equal(arrived(match, 0, 1, 4), 151);
        assert_int_equal(arrived(match, 3, 0, 9), NONE);
        assert_int_equal(arrived(match, 3, 4, 9), NONE);
    }
    assert_int_equal(match->headers.kinds, (1U << NI_MATCH_INDEXES) - 1);
    match_end(match);
}

/* Visit all that match and remove every other one, by each way of searching. */
static void check_visit(uint64_t ignore, uint32_t initiator, int made)
{
    enum { HEADERS = 1400 };
    struct match_fixture *match = match_make(HEADERS);
    int visited = 0, left = 0;
    long at;

    arrive_many(match, HEADERS);
    for (int i = 0; i < made; i++) {
        arrived(match, 3, ignore, initiator);
        arrived(match, 999, ignore & 0xff, initiator);
    }
    at = arrived(match, 3, ignore, initiator);
    while (at != NONE) {
        long next = arrived_next(match, at, 3, ignore, initiator);

        assert_true(next == NONE || next > at);
        if (visited++ % 2 == 0) {
            consume(match, (size_t)at);
        }
        at = next;
    }
    for (at = arrived(match, 3, ignore, initiator); at != NONE;
         at = arrived_next(match, at, 3, ignore, initiator)) {
        left++;
    }
    assert_int_equal(visited, HEADERS / (ignore != 0 ? 1 : 50) / (initiator == 3 ? 7 : 1));
    assert_int_equal(left, visited / 2);
    match_end(match);
}

static void test_visit(void **state)
{
    (void)state;
    for (int made = 0; made < 200; made += 100) {
        check_visit(0, 3, made);
        check_visit(0, NI_MATCH_ANY, made);
        check_visit(ANY_TAG, 3, made);
        check_visit(ANY_TAG, NI_MATCH_ANY, made);
        check_visit(UINT64_MAX, NI_MATCH_ANY, made);
    }
}

/* On from a header that does not match itself. */
static void test_next(void **state)
{
    enum { HEADERS = 200 };
    struct match_fixture *match = match_make(HEADERS);

    (void)state;
    arrive_many(match, HEADERS);
    for (int i = 0; i < 500; i++) {
        arrived(match, 999, 0, NI_MATCH_ANY);
    }
    assert_int_not_equal(match->headers.kinds, 0);
    for (int i = 0; i < HEADERS; i++) {
        int next = i / 50 * 50 + (i % 50 < 20 ? 20 : 70);

        assert_int_equal(arrived_next(match, i, 20, 0, NI_MATCH_ANY), next < HEADERS ? next : NONE);
    }
    match_end(match);
}

/* A kind that nobody used while the list went from empty to empty is forgotten. */
static void test_forgets(void **state)
{
    enum { HEADERS = 200 };
    struct match_fixture *match = match_make(HEADERS);

    (void)state;
    for (int round = 0; round < 4; round++) {
        arrive_many(match, HEADERS);
        for (int i = 0; round < 2 && i < 100; i++) {
            arrived(match, 999, 0, 1);
        }
        assert_int_equal(match->headers.kinds, round < 3 ? 1 : 0);
        for (size_t i = 0; i < HEADERS; i++) {
            consume(match, HEADERS - 1 - i);
        }
    }
    match_end(match);
}

/* Deep: all is found, in few comparisons however deep, while wildcards take from the front. */
static void test_deep(void **state)
{
    struct match_fixture *match = match_make(DEEP);
    uint64_t before = 0;

    (void)state;
    for (size_t i = 0; i < DEEP; i++) {
        assert_int_equal(arrive(match, i, i, (uint32_t)(i % 1000)), NI_OK);
    }
    for (size_t i = 0; i < 1000; i++) {
        size_t number = DEEP - 1 - i;

        assert_int_equal(arrived(match, number, 0, (uint32_t)(number % 1000)), (int)number);
        consume(match, number);
    }
    before = ni_stat_get(&match->headers.counts.attempts);
    for (size_t i = 0; i < DEEP - 1000; i++) {
        size_t number = i * 7919 % (DEEP - 1000);

        assert_int_equal(arrived(match, number, 0, (uint32_t)(number % 1000)), (int)number);
        if (i % 2 == 0) {
            consume(match, number);
        }
    }
    assert_true(ni_stat_get(&match->headers.counts.attempts) - before < DEEP + DEEP / 4);
    match_end(match);
}

/* The nth allocation fails, for each n that there is: at worst a header is refused. */
static void test_nomem(void **state)
{
    enum { HEADERS = 300 };
    uint64_t asked = 1;

    (void)state;
    for (uint64_t nth = 1; nth <= asked; nth++) {
        struct match_fixture *match = match_make(HEADERS);
        int refused = 0;

        ni_fault_arm(NI_FAULT_ALLOC, nth, 0);
        for (size_t i = 0; i < HEADERS; i++) {
            if (arrive(match, i, i, 1) != NI_OK) {
                refused++;
                assert_int_equal(ni_stat_get(&match->headers.length), i);
                assert_int_equal(arrive(match, i, i, 1), NI_OK);
            }
            for (size_t j = 0; j < 4; j++) {
                assert_int_equal(arrived(match, i / 2 + j % 2, 0, j < 2 ? 1 : NI_MATCH_ANY),
                                 i / 2 + j % 2 <= i ? (int)(i / 2 + j % 2) : NONE);
            }
        }
        asked = ni_fault_asked(NI_FAULT_ALLOC);
        assert_true(refused <= 1);
        for (size_t i = 0; i < HEADERS; i++) {
            assert_int_equal(arrived(match, i, 0, 1), (int)i);
            consume(match, i);
        }
        assert_int_equal(ni_stat_get(&match->headers.length), 0);
        match_end(match);
    }
    assert_true(asked > 10);
}

/* Few left of many: neighbouring blocks become one. */
static void test_joins_blocks(void **state)
{
    enum { HEADERS = 4096 };
    struct match_fixture *match = match_make(HEADERS);
    long at = NONE;

    (void)state;
    arrive_many(match, HEADERS);
    for (size_t i = 0; i < HEADERS; i++) {
        if (i % 32 != 5) {
            consume(match, i);
        }
    }
    assert_true(match->headers.blocks.blocks <= HEADERS / 32 / 4);
    at = arrived(match, 0, UINT64_MAX, NI_MATCH_ANY);
    for (int i = 5; i < HEADERS; i += 32) {
        assert_int_equal(at, i);
        at = arrived_next(match, at, 0, UINT64_MAX, NI_MATCH_ANY);
    }
    assert_int_equal(at, NONE);
    match_end(match);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),   cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_visit),   cmocka_unit_test(test_next),
        cmocka_unit_test(test_forgets), cmocka_unit_test(test_deep),
        cmocka_unit_test(test_nomem),   cmocka_unit_test(test_joins_blocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
