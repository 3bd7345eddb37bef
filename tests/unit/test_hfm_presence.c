/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: hfm/presence.c, hfm/presence.h. */
#include "unit.h"

#include "hfm/presence.h"

enum { NODES = 4, PERIOD = 10, LIMIT = 40, GRACE = 200, BEGIN = 1000 };

static struct hfm_presence presence;
static uint64_t number;

static int setup(void **state)
{
    (void)state;
    number = 0;
    return hfm_presence_init(&presence, 0, NODES, PERIOD, LIMIT, BEGIN, GRACE);
}

static int teardown(void **state)
{
    (void)state;
    hfm_presence_fini(&presence);
    return 0;
}

static void ping_all(uint64_t now)
{
    number++;
    for (uint32_t node = 1; node < NODES; node++) {
        assert_true(hfm_presence_ping(&presence, node, 5, number, false, now));
    }
}

/* Steps each period, up to now. Returns the last. */
static bool steps_to(uint64_t now)
{
    bool changed = false;

    while (presence.stepped < now) {
        uint64_t next = presence.stepped + PERIOD;

        changed = hfm_presence_step(&presence, next < now ? next : now);
    }
    return changed;
}

static void test_silence_begins_at_the_limit_and_ends_with_a_ping(void **state)
{
    (void)state;
    (void)steps_to(BEGIN + 190);
    ping_all(BEGIN + 190);
    assert_false(steps_to(BEGIN + 190 + LIMIT - 1));
    assert_true(presence.due <= BEGIN + 190 + LIMIT);
    assert_true(hfm_presence_ping(&presence, 2, 5, 9, false, BEGIN + 229));
    assert_true(steps_to(BEGIN + 190 + LIMIT));
    assert_true(presence.of[1].silent && !presence.of[2].silent && presence.of[3].silent);
    assert_false(presence.of[0].silent); /* itself */
    assert_false(hfm_presence_alone(&presence));
    assert_true(hfm_presence_ping(&presence, 1, 5, 9, false, BEGIN + 235));
    assert_true(steps_to(BEGIN + 235));
    assert_false(presence.of[1].silent);
    assert_true(hfm_presence_silent_for(&presence, 3, 45, BEGIN + 235));
    assert_false(hfm_presence_silent_for(&presence, 3, 46, BEGIN + 235));
}

static void test_old_pings_do_not_count(void **state)
{
    (void)state;
    ping_all(BEGIN);
    assert_false(hfm_presence_ping(&presence, 1, 5, 1, false, BEGIN + 500)); /* again */
    assert_false(hfm_presence_ping(&presence, 1, 4, 9, false, BEGIN + 500)); /* before it began */
    assert_true(hfm_presence_ping(&presence, 1, 6, 1, false, BEGIN + 500));  /* it began anew */
}

static void test_nodes_have_time_to_begin(void **state)
{
    (void)state;
    assert_false(steps_to(BEGIN + GRACE - 1));
    assert_true(steps_to(BEGIN + GRACE));
    assert_true(hfm_presence_alone(&presence));
}

/* The time to begin is over with the first ping. */
static void test_one_that_has_begun_may_be_silent_early(void **state)
{
    (void)state;
    (void)steps_to(BEGIN + 20);
    assert_true(hfm_presence_ping(&presence, 1, 5, 1, false, BEGIN + 20));
    assert_false(steps_to(BEGIN + 20 + LIMIT - 1));
    assert_true(steps_to(BEGIN + 20 + LIMIT));
    assert_true(presence.of[1].silent && !presence.of[2].silent);
}

static void test_a_listener_that_is_late_each_time_finds_it_after_as_many_steps(void **state)
{
    (void)state;
    (void)steps_to(BEGIN + 190);
    ping_all(BEGIN + 190);
    assert_false(hfm_presence_step(&presence, BEGIN + 190 + 2 * LIMIT));
    for (unsigned i = 3; i < 6; i++) { /* late again */
        assert_false(hfm_presence_step(&presence, BEGIN + 190 + i * LIMIT));
    }
    assert_true(hfm_presence_step(&presence, BEGIN + 190 + 6 * LIMIT));
    assert_true(presence.of[1].silent);
}

/* As on a machine that withholds its cores, from all, again and again. */
static void test_time_that_is_away_in_pieces_does_not_count(void **state)
{
    (void)state;
    (void)steps_to(BEGIN + 190);
    ping_all(BEGIN + 190);
    assert_false(hfm_presence_step(&presence, BEGIN + 207));
    assert_false(hfm_presence_step(&presence, BEGIN + 220));
    assert_false(hfm_presence_step(&presence, BEGIN + 237)); /* it was there for three periods */
    assert_false(hfm_presence_step(&presence, BEGIN + 246));
    assert_true(hfm_presence_step(&presence, BEGIN + 247));
    assert_true(presence.of[1].silent);
}

static void test_one_that_was_away_still_finds_what_is_silent(void **state)
{
    (void)state;
    (void)steps_to(BEGIN + 190);
    ping_all(BEGIN + 190);
    assert_false(hfm_presence_step(&presence, BEGIN + 190 + 5 * LIMIT));
    assert_false(steps_to(BEGIN + 190 + 6 * LIMIT - 1));
    assert_true(steps_to(BEGIN + 190 + 6 * LIMIT));
}

static void test_one_that_leaves_is_not_silent(void **state)
{
    (void)state;
    (void)steps_to(BEGIN + 190);
    ping_all(BEGIN + 190);
    assert_true(hfm_presence_ping(&presence, 1, 5, 7, true, BEGIN + 191));
    assert_true(steps_to(BEGIN + 191));
    assert_true(presence.of[1].left);
    (void)steps_to(BEGIN + 190 + LIMIT);
    assert_false(presence.of[1].silent);
    assert_true(presence.of[2].silent);
    assert_true(hfm_presence_ping(&presence, 1, 6, 1, false, BEGIN + 900));
    (void)steps_to(BEGIN + 900);
    assert_false(presence.of[1].left);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_silence_begins_at_the_limit_and_ends_with_a_ping,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_old_pings_do_not_count, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nodes_have_time_to_begin, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_that_has_begun_may_be_silent_early, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(
            test_a_listener_that_is_late_each_time_finds_it_after_as_many_steps, setup, teardown),
        cmocka_unit_test_setup_teardown(test_time_that_is_away_in_pieces_does_not_count, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_one_that_was_away_still_finds_what_is_silent, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_one_that_leaves_is_not_silent, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
