/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: hfm/service.c, hfm/service.h. */
#include "unit.h"

#include "hfm/service.h"

enum { PERIOD = 1000 };

static struct hfm_service service;
static uint64_t now;

static int setup(void **state)
{
    (void)state;
    now = 0;
    hfm_service_init(&service, PERIOD, now);
    assert_true(hfm_service_step(&service, now));
    assert_int_equal(service.asked, 1);
    return 0;
}

/* The next ping, `late` after its time. */
static void ping(uint64_t late)
{
    now = hfm_service_due(&service) - 1;
    assert_false(hfm_service_step(&service, now));
    now += 1 + late;
    assert_true(hfm_service_step(&service, now));
}

static void test_pongs_are_normal(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 10; i++) {
        hfm_service_pong(&service, service.asked);
        ping(i);
        assert_int_equal(service.asked, i + 2);
        assert_int_equal(hfm_service_status(&service), DNP_NORMAL);
    }
}

static void test_two_periods_without_a_pong_are_broken(void **state)
{
    (void)state;
    ping(0);
    assert_int_equal(hfm_service_status(&service), DNP_NORMAL);
    ping(PERIOD - 1);
    assert_int_equal(hfm_service_status(&service), DNP_BROKEN);
    for (unsigned i = 0; i < 10; i++) {
        ping(0);
        assert_int_equal(hfm_service_status(&service), DNP_BROKEN);
    }
    hfm_service_pong(&service, service.asked);
    assert_int_equal(hfm_service_status(&service), DNP_NORMAL);
    ping(0);
    assert_int_equal(hfm_service_status(&service), DNP_NORMAL);
}

/* The answer to the ping before comes during the second time-out. */
static void test_a_late_pong_counts_and_an_old_one_does_not(void **state)
{
    (void)state;
    ping(0);
    hfm_service_pong(&service, 1);
    ping(0);
    ping(0);
    assert_int_equal(hfm_service_status(&service), DNP_NORMAL);
    hfm_service_pong(&service, 1);
    hfm_service_pong(&service, 2);
    hfm_service_pong(&service, 0);
    hfm_service_pong(&service, service.asked + 1);
    hfm_service_pong(&service, UINT64_MAX);
    ping(0);
    assert_int_equal(hfm_service_status(&service), DNP_BROKEN);
}

/* Who was stopped for long asks again before it judges, however often that happens. */
static void test_periods_of_a_late_monitor_do_not_count(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 10; i++) {
        ping(PERIOD + i);
        assert_int_equal(hfm_service_status(&service), DNP_NORMAL);
    }
    ping(PERIOD - 1);
    assert_int_equal(hfm_service_status(&service), DNP_NORMAL);
    for (unsigned i = 0; i < 10; i++) {
        ping(PERIOD * (i + 1));
        assert_int_equal(hfm_service_status(&service), DNP_NORMAL);
    }
    ping(0);
    assert_int_equal(hfm_service_status(&service), DNP_BROKEN);
}

/* A pong makes good what was missed before it, and lateness does not make what is broken good. */
static void test_a_late_monitor_forgets_nothing(void **state)
{
    (void)state;
    ping(0);
    ping(PERIOD);
    hfm_service_pong(&service, service.asked);
    ping(PERIOD);
    ping(0);
    assert_int_equal(hfm_service_status(&service), DNP_NORMAL);
    ping(PERIOD);
    ping(0);
    assert_int_equal(hfm_service_status(&service), DNP_BROKEN);
    ping(PERIOD);
    assert_int_equal(hfm_service_status(&service), DNP_BROKEN);
    hfm_service_pong(&service, service.asked - 1);
    assert_int_equal(hfm_service_status(&service), DNP_NORMAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_pongs_are_normal, setup),
        cmocka_unit_test_setup(test_two_periods_without_a_pong_are_broken, setup),
        cmocka_unit_test_setup(test_a_late_pong_counts_and_an_old_one_does_not, setup),
        cmocka_unit_test_setup(test_periods_of_a_late_monitor_do_not_count, setup),
        cmocka_unit_test_setup(test_a_late_monitor_forgets_nothing, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
