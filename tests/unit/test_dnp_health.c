/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/lofamo/health.c, dnp/lofamo/health.h. */
#include "unit.h"

#include "base/bits.h"
#include "dnp/lofamo/health.h"
#include "dnp/sensors.h"

enum { KIB_WORDS = 1024 / APELINK_WORD };

static struct dnp_register_file file;
static struct dnp_link_health health;

static int setup(void **state)
{
    (void)state;
    dnp_registers_reset(&file);
    dnp_sensors_reset(&file);
    health = (struct dnp_link_health){0};
    dnp_set(&file, DNP_REG_link_sick, 0, 100U << 16 | 4); /* 4 errors in 100 KiB */
    return 0;
}

static void transfer(uint32_t kibibytes, uint32_t crc_errors)
{
    dnp_add64(&file, DNP_REG_link_words, 2, kibibytes * KIB_WORDS);
    dnp_add(&file, DNP_REG_link_crc_errors, 2, crc_errors);
}

static enum dnp_status look(void)
{
    return dnp_link_health_look(&health, &file, 2, false);
}

static void test_few_errors_are_normal(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 20; i++) {
        transfer(50, 1);
        assert_int_equal(look(), DNP_NORMAL);
    }
}

static void test_errors_over_bytes_are_sick_until_enough_is_good(void **state)
{
    (void)state;
    transfer(99, 3);
    assert_int_equal(look(), DNP_NORMAL);
    transfer(0, 1);
    assert_int_equal(look(), DNP_SICK);
    for (unsigned i = 0; i < 10; i++) {
        transfer(9, 0);
        assert_int_equal(look(), DNP_SICK);
    }
    assert_int_equal(look(), DNP_SICK); /* nothing was transferred */
    transfer(10, 0);
    assert_int_equal(look(), DNP_NORMAL);
}

/* The rate counts, however many bytes came between two looks. */
static void test_as_many_errors_in_more_bytes_are_normal(void **state)
{
    (void)state;
    transfer(101, 4);
    assert_int_equal(look(), DNP_NORMAL);
    transfer(1000, 39);
    assert_int_equal(look(), DNP_NORMAL);
    transfer(1000, 40);
    assert_int_equal(look(), DNP_SICK);
}

static void test_all_that_is_lost_is_sick(void **state)
{
    (void)state;
    dnp_set(&file, DNP_REG_link_lost_words, 2, UINT32_MAX); /* they wrap */
    dnp_set(&file, DNP_REG_link_cut_packets, 2, UINT32_MAX);
    dnp_link_health_begin(&health, &file, 2);
    dnp_set(&file, DNP_REG_link_lost_words, 2, 3);
    dnp_set(&file, DNP_REG_link_cut_packets, 2, 3);
    assert_int_equal(look(), DNP_SICK);
}

static void test_links_down_are_broken_and_errors_may_be_ignored(void **state)
{
    (void)state;
    assert_int_equal(dnp_link_health_look(&health, &file, 2, true), DNP_BROKEN);
    assert_int_equal(look(), DNP_NORMAL);
    transfer(1, 1000);
    assert_int_equal(look(), DNP_SICK);
    dnp_set(&file, DNP_REG_link_sick, 0, 100U << 16);
    transfer(1, 1000);
    assert_int_equal(look(), DNP_NORMAL);
}

static void test_core_that_makes_no_progress(void **state)
{
    struct dnp_core_health core = {0, 1000};
    struct dnp_core_work work = {.waiting = true};

    (void)state;
    dnp_set(&file, DNP_REG_board_cycle, 0, 1000);
    dnp_set(&file, DNP_REG_fault_core, 0, 20U << 16 | 5);
    assert_int_equal(dnp_core_health_look(&core, &file, &work, 5999), DNP_NORMAL);
    assert_int_equal(dnp_core_health_look(&core, &file, &work, 6000), DNP_SICK);
    assert_int_equal(dnp_core_health_look(&core, &file, &work, 20999), DNP_SICK);
    assert_int_equal(dnp_core_health_look(&core, &file, &work, 21000), DNP_BROKEN);
    work.progress++;
    assert_int_equal(dnp_core_health_look(&core, &file, &work, 21001), DNP_NORMAL);
    work.waiting = false;
    assert_int_equal(dnp_core_health_look(&core, &file, &work, 90000), DNP_NORMAL);
    work.waiting = true;
    assert_int_equal(dnp_core_health_look(&core, &file, &work, 94999), DNP_NORMAL);
    dnp_set(&file, DNP_REG_fault_core, 0, 0);
    assert_int_equal(dnp_core_health_look(&core, &file, &work, UINT64_MAX), DNP_NORMAL);
}

static void test_cycles_of_milliseconds(void **state)
{
    (void)state;
    dnp_set(&file, DNP_REG_board_cycle, 0, 4);
    assert_true(dnp_cycles_of_ms(&file, 1) == 250000);
    assert_true(dnp_cycles_of_ms(&file, 65535) == (uint64_t)65535 * 250000);
    assert_true(dnp_cycles_of_ms(&file, 0) == 0);
    dnp_set(&file, DNP_REG_board_cycle, 0, 3000000);
    assert_true(dnp_cycles_of_ms(&file, 1) == 1);
}

/* Values at the edges of the thresholds that a card begins with: 85 and 95 degrees, 0 and -20
 * below, and deviations of 5 and 20 percent. */
static void test_sensors_at_thresholds(void **state)
{
    static const struct {
        enum dnp_offset reg;
        int32_t value;
        uint32_t fault;
    } rows[] = {
        {DNP_REG_sensor_board_temperature, 84999, 0},
        {DNP_REG_sensor_board_temperature, 85000, DNP_SICK << 12},
        {DNP_REG_sensor_core_temperature, 94999, DNP_SICK << 12},
        {DNP_REG_sensor_core_temperature, 95000, DNP_BROKEN << 12},
        {DNP_REG_sensor_core_temperature, 1, 0},
        {DNP_REG_sensor_core_temperature, 0, DNP_SICK << 12},
        {DNP_REG_sensor_board_temperature, -19999, DNP_SICK << 12},
        {DNP_REG_sensor_board_temperature, -20000, DNP_BROKEN << 12},
        {DNP_REG_sensor_current_12v, 2099, 0},
        {DNP_REG_sensor_current_12v, 2100, DNP_SICK << 8},
        {DNP_REG_sensor_current_12v, 2400, DNP_BROKEN << 8},
        {DNP_REG_sensor_current_12v, 0, DNP_BROKEN << 8},
        {DNP_REG_sensor_voltage_12v, 11401, 0},
        {DNP_REG_sensor_voltage_12v, 11400, DNP_SICK << 10},
        {DNP_REG_sensor_voltage_3v3, 2640, DNP_BROKEN << 10},
        {DNP_REG_sensor_voltage_1v1, 1155, DNP_SICK << 10},
        {DNP_REG_sensor_voltage_1v4, INT32_MAX, DNP_BROKEN << 10},
        {DNP_REG_sensor_voltage_1v4, INT32_MIN, DNP_BROKEN << 10},
    };

    (void)state;
    dnp_set(&file, DNP_REG_fault_thresholds, 0, 20U << 24 | 5U << 16 | 95U << 8 | 85U);
    assert_int_equal(dnp_sensors_look(&file), 0);
    for (size_t i = 0; i < NI_ARRAY_LENGTH(rows); i++) {
        dnp_sensors_reset(&file);
        dnp_set(&file, rows[i].reg, 0, (uint32_t)rows[i].value);
        assert_int_equal(dnp_sensors_look(&file), rows[i].fault);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_few_errors_are_normal, setup),
        cmocka_unit_test_setup(test_errors_over_bytes_are_sick_until_enough_is_good, setup),
        cmocka_unit_test_setup(test_as_many_errors_in_more_bytes_are_normal, setup),
        cmocka_unit_test_setup(test_all_that_is_lost_is_sick, setup),
        cmocka_unit_test_setup(test_links_down_are_broken_and_errors_may_be_ignored, setup),
        cmocka_unit_test_setup(test_core_that_makes_no_progress, setup),
        cmocka_unit_test_setup(test_cycles_of_milliseconds, setup),
        cmocka_unit_test_setup(test_sensors_at_thresholds, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
