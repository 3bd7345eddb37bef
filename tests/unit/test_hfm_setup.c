/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: hfm/setup.c, hfm/setup.h. */
#include "unit.h"

#include <errno.h>

#include "dnp/lofamo/fault.h"
#include "dnp/registers.h"
#include "dnp/way.h"
#include "hfm/setup.h"

enum { MS = 1000000 };

static struct dnp_register_file file;
static uint32_t written[16];
static unsigned writes;
static int refuses;
static struct hfm_config config;
static struct hfm_setup setup_;

static int read_register(void *arg, uint32_t offset, uint32_t *value)
{
    (void)arg;
    assert_int_equal(dnp_registers_read(&file, offset, value), NI_OK);
    return 0;
}

static int write_register(void *arg, uint32_t offset, uint32_t value)
{
    (void)arg;
    assert_true(writes < 16);
    written[writes++] = offset;
    assert_int_equal(dnp_registers_write(&file, offset, value), NI_OK);
    return refuses;
}

static const struct hfm_card card = {read_register, write_register, NULL, NULL};

static int setup(void **state)
{
    char error[200];

    (void)state;
    writes = 0;
    refuses = 0;
    dnp_registers_reset(&file);
    dnp_set(&file, DNP_REG_board_torus, 0, 2 | 2 << 10 | 1 << 20);
    dnp_set(&file, DNP_REG_board_place, 0, 1 | 1 << 10);
    assert_int_equal(hfm_config_parse(&config,
                                      "torus 2x2x1\nkey /k\nnode 0 1.1.1.1:1 master\n"
                                      "node 1 1.1.1.1:2\nnode 2 1.1.1.1:3\nnode 3 1.1.1.1:4\n"
                                      "here 3\nalign 20\nwatchdog 4 9\nmask current\n"
                                      "links X+ X- Y+\nset link_timeout 5000\n",
                                      error, sizeof error),
                     NI_OK);
    hfm_setup_init(&setup_, &card, &config);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    hfm_config_free(&config);
    return 0;
}

static void links_up(unsigned n)
{
    for (unsigned link = 0; link < n; link++) {
        dnp_set(&file, (enum dnp_offset)DNP_REG_link_up, link, 1);
    }
}

static void test_the_steps_in_their_order(void **state)
{
    static const uint32_t order[] = {DNP_REG_link_timeout, DNP_REG_fault_mask, DNP_REG_fault_timer,
                                     DNP_REG_fault_mask};
    uint32_t mask = hfm_setup_mask(&config);

    (void)state;
    assert_int_equal(hfm_setup_step(&setup_, 100), HFM_SETUP_WAITS);
    links_up(2);
    assert_int_equal(hfm_setup_step(&setup_, 100 + 5 * MS), HFM_SETUP_WAITS);
    assert_int_equal(writes, 0);
    links_up(3);
    assert_int_equal(hfm_setup_step(&setup_, 100 + 10 * MS), HFM_SETUP_DONE);
    assert_string_equal(setup_.text, "");
    assert_int_equal(writes, 4);
    assert_memory_equal(written, order, sizeof order);
    assert_int_equal(dnp_get(&file, DNP_REG_fault_timer, 0), 9 << 16 | 4);
    assert_int_equal(dnp_get(&file, DNP_REG_fault_mask, 0), mask | 1);
    assert_int_equal(dnp_get(&file, DNP_REG_link_timeout, 0), 5000);
    /* current; links Y-, Z+, Z- and the nodes behind them */
    assert_int_equal(mask, 3U << 9 | 3U << 19 | 3U << 17 | 3U << 15 | 1U << 3 | 1U << 2 | 1U << 1);
}

static void test_links_are_not_waited_for_forever(void **state)
{
    (void)state;
    links_up(1);
    assert_int_equal(hfm_setup_step(&setup_, 100), HFM_SETUP_WAITS);
    assert_int_equal(hfm_setup_step(&setup_, 100 + 20 * MS), HFM_SETUP_DONE);
    assert_string_equal(setup_.text, "X-, Y+");
}

static void test_a_card_elsewhere_is_refused(void **state)
{
    (void)state;
    dnp_set(&file, DNP_REG_board_place, 0, 1);
    assert_int_equal(hfm_setup_step(&setup_, 100), HFM_SETUP_FAILED);
    unit_assert_contains(setup_.text, "the card is at 1 0 0 of a torus of 2x2x1, where the "
                                      "configuration has node 3 at 1 1 0 of 2x2x1");
    assert_int_equal(writes, 0);
}

static void test_registers_that_cannot_be_written(void **state)
{
    (void)state;
    links_up(3);
    refuses = -EPERM;
    assert_int_equal(hfm_setup_step(&setup_, 100), HFM_SETUP_FAILED);
    unit_assert_contains(setup_.text, "cannot be written, which takes root");
}

static uint32_t missing_here(const void *arg, uint32_t node)
{
    const struct hfm_config *at = arg;

    return node == at->here ? hfm_setup_missing(at) : 0;
}

static bool has_way_and_back(uint32_t node)
{
    struct dnp_cable_end broken[2];

    return dnp_way(&config.torus, config.here, node, missing_here, &config, broken) &&
           dnp_way(&config.torus, node, config.here, missing_here, &config, broken);
}

/* Links without cables are not there: no way passes them, and what the card says of them counts for
 * nothing. */
static void test_no_way_by_links_without_cables(void **state)
{
    (void)state;
    assert_int_equal(hfm_setup_missing(&config),
                     DNP_BROKEN << dnp_fault_link_low(NI_TORUS_Y_MINUS));
    for (uint32_t node = 0; node < 4; node++) {
        assert_true(has_way_and_back(node)); /* the other way round */
    }
    config.links = 1 << NI_TORUS_X_PLUS | 1 << NI_TORUS_X_MINUS;
    assert_true(has_way_and_back(2) && has_way_and_back(3));
    assert_false(has_way_and_back(0) || has_way_and_back(1)); /* of the other row */
    config.links = 1 << NI_TORUS_Y_MINUS;
    assert_true(has_way_and_back(1));
    assert_false(has_way_and_back(0) || has_way_and_back(2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_steps_in_their_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_links_are_not_waited_for_forever, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_card_elsewhere_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_registers_that_cannot_be_written, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_way_by_links_without_cables, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
