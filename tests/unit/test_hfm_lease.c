/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: hfm/lease.c, hfm/lease.h. */
#include "unit.h"

#include "hfm/lease.h"

enum { PERIOD = 10, LEASE = 30, TERM = 100 };

static struct hfm_candidate candidate;

static void begin(uint32_t rank)
{
    hfm_candidate_init(&candidate, rank, 3, 2, PERIOD, LEASE, TERM, 1000);
}

static void test_a_vote_is_for_one_and_lasts_a_lease(void **state)
{
    struct hfm_voter voter;

    (void)state;
    hfm_voter_init(&voter, LEASE, 1000);
    assert_false(hfm_voter_asked(&voter, 0, TERM, 1000 + LEASE - 1)); /* what it had promised */
    assert_true(hfm_voter_asked(&voter, 0, TERM, 1000 + LEASE));
    assert_false(hfm_voter_asked(&voter, 1, TERM + 1, 1000 + 2 * LEASE - 1));
    assert_true(hfm_voter_asked(&voter, 0, TERM, 1000 + 2 * LEASE - 1));
    assert_false(hfm_voter_asked(&voter, 1, TERM, 1000 + 4 * LEASE)); /* two of one term */
    assert_true(hfm_voter_asked(&voter, 1, TERM + 1, 1000 + 4 * LEASE));
    assert_false(hfm_voter_asked(&voter, 0, TERM, 1000 + 8 * LEASE)); /* an old term */
}

static void test_a_quorum_makes_a_master_until_its_votes_end(void **state)
{
    (void)state;
    begin(0);
    assert_true(hfm_candidate_step(&candidate, 1000));
    hfm_candidate_answered(&candidate, 0, 1, true, TERM, 1005);
    assert_false(candidate.acts);
    hfm_candidate_answered(&candidate, 0, 1, true, TERM, 1005); /* the same vote again */
    assert_false(candidate.acts);
    hfm_candidate_answered(&candidate, 2, 1, true, TERM, 1006);
    assert_true(candidate.acts);
    assert_int_equal(candidate.acts_until, 1000 + LEASE); /* from when it asked */
    assert_true(hfm_candidate_step(&candidate, 1010));
    hfm_candidate_answered(&candidate, 0, 2, true, TERM, 1011);
    assert_int_equal(candidate.acts_until, 1000 + LEASE); /* of a quorum */
    assert_true(hfm_candidate_step(&candidate, 1020));
    assert_true(hfm_candidate_due(&candidate) <= 1000 + LEASE);
    (void)hfm_candidate_step(&candidate, 1000 + LEASE);
    assert_false(candidate.acts);
    assert_true(candidate.term > TERM);
}

static void test_answers_that_come_late_or_twice_give_no_time(void **state)
{
    (void)state;
    begin(0);
    for (int i = 0; i < HFM_ASKS + 2; i++) {
        assert_true(hfm_candidate_step(&candidate, 1000 + i * PERIOD));
    }
    hfm_candidate_answered(&candidate, 0, 1, true, TERM, 1000);
    hfm_candidate_answered(&candidate, 1, 1, true, TERM, 1000); /* too old to be remembered */
    hfm_candidate_answered(&candidate, 0, HFM_ASKS + 9, true, TERM, 1000);
    hfm_candidate_answered(&candidate, 1, HFM_ASKS + 9, true, TERM, 1000); /* never asked */
    assert_false(candidate.acts);
    hfm_candidate_answered(&candidate, 0, 20, true, TERM, 1400);
    hfm_candidate_answered(&candidate, 1, 20, true, TERM, 1400); /* their lease is over */
    assert_false(candidate.acts);
    hfm_candidate_answered(&candidate, 5, HFM_ASKS + 2, true, TERM, 1400); /* no voter */
    assert_false(candidate.acts);
}

static void test_a_worse_candidate_waits_and_a_refused_one_raises_its_term(void **state)
{
    (void)state;
    begin(1);
    assert_false(hfm_candidate_step(&candidate, 1000));
    hfm_candidate_heard(&candidate, 0, false, TERM + 7, 1005);
    assert_int_equal(candidate.term, TERM + 8);
    assert_false(hfm_candidate_step(&candidate, 1005 + LEASE));
    assert_true(hfm_candidate_step(&candidate, 1005 + LEASE + PERIOD));
    hfm_candidate_answered(&candidate, 0, 1, false, TERM + 20, 1060);
    assert_int_equal(candidate.term, TERM + 21);
    hfm_candidate_heard(&candidate, 2, false, TERM, 1070); /* a worse one */
    assert_true(hfm_candidate_step(&candidate, 1070));
    hfm_candidate_heard(&candidate, 2, true, TERM, 1080); /* but it acts */
    assert_false(hfm_candidate_step(&candidate, 1080 + LEASE));
}

/* One that asks and is never given a quorum must not keep the others waiting for ever. */
static void test_it_does_not_give_way_for_ever(void **state)
{
    unsigned asked = 0;

    (void)state;
    begin(1);
    for (uint64_t now = 1000; now < 1000 + 40 * LEASE; now++) {
        if (now % PERIOD == 0) {
            hfm_candidate_heard(&candidate, 0, false, TERM, now);
        }
        asked += hfm_candidate_step(&candidate, now);
    }
    assert_true(asked > 8);
}

static void test_a_larger_term_elsewhere_ends_a_master(void **state)
{
    (void)state;
    begin(0);
    assert_true(hfm_candidate_step(&candidate, 1000));
    hfm_candidate_answered(&candidate, 0, 1, true, TERM, 1001);
    hfm_candidate_answered(&candidate, 1, 1, true, TERM, 1001);
    hfm_candidate_raise(&candidate, TERM);
    assert_true(candidate.acts);
    hfm_candidate_raise(&candidate, TERM + 5);
    assert_false(candidate.acts);
    assert_int_equal(candidate.term, TERM + 6);
}

/* A refusal names a larger term: what was granted for the smaller one is no vote for that. */
static void test_votes_for_another_term_do_not_count(void **state)
{
    (void)state;
    hfm_candidate_init(&candidate, 0, 5, 3, PERIOD, LEASE, TERM, 1000);
    assert_true(hfm_candidate_step(&candidate, 1000));
    hfm_candidate_answered(&candidate, 0, 1, true, TERM, 1001);
    hfm_candidate_answered(&candidate, 2, 1, true, TERM, 1001);
    hfm_candidate_answered(&candidate, 3, 1, false, TERM + 1, 1002);
    assert_int_equal(candidate.term, TERM + 2);
    assert_true(hfm_candidate_step(&candidate, 1010));
    hfm_candidate_answered(&candidate, 3, 2, true, TERM + 2, 1011);
    assert_false(candidate.acts);
    hfm_candidate_answered(&candidate, 0, 2, true, TERM + 2, 1012);
    hfm_candidate_answered(&candidate, 2, 2, true, TERM + 2, 1012);
    assert_true(candidate.acts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_vote_is_for_one_and_lasts_a_lease),
        cmocka_unit_test(test_a_quorum_makes_a_master_until_its_votes_end),
        cmocka_unit_test(test_answers_that_come_late_or_twice_give_no_time),
        cmocka_unit_test(test_a_worse_candidate_waits_and_a_refused_one_raises_its_term),
        cmocka_unit_test(test_it_does_not_give_way_for_ever),
        cmocka_unit_test(test_a_larger_term_elsewhere_ends_a_master),
        cmocka_unit_test(test_votes_for_another_term_do_not_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
