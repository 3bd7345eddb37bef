/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/sensors.c. */
#include "unit.h"

#include "base/bits.h"
#include "dnp/sensors.h"

static struct dnp_register_file file;
static char error[256];

static int setup(void **state)
{
    (void)state;
    dnp_registers_reset(&file);
    dnp_sensors_reset(&file);
    return 0;
}

static void test_each_sensor_has_its_register(void **state)
{
    size_t registers = 0;

    (void)state;
    for (size_t i = 0; i < dnp_register_count; i++) {
        registers += strncmp(dnp_registers[i].name, "sensor_", 7) == 0;
    }
    assert_int_equal(registers, dnp_sensor_count);
    for (size_t i = 0; i < dnp_sensor_count; i++) {
        const struct dnp_register *reg = dnp_register_at(dnp_sensors[i].reg);

        assert_string_equal(reg->name + 7, dnp_sensors[i].name);
        assert_int_equal(dnp_get(&file, dnp_sensors[i].reg, 0), dnp_sensors[i].nominal);
    }
}

static void test_values_are_read(void **state)
{
    (void)state;
    assert_int_equal(dnp_sensors_parse(&file,
                                       "# a cold one\n"
                                       "board_temperature -5000 # outside\n"
                                       "\n"
                                       "\tvoltage_12v\t11900\r\n"
                                       "current_12v 0x10",
                                       error, sizeof error),
                     NI_OK);
    assert_int_equal((int32_t)dnp_get(&file, DNP_REG_sensor_board_temperature, 0), -5000);
    assert_int_equal(dnp_get(&file, DNP_REG_sensor_voltage_12v, 0), 11900);
    assert_int_equal(dnp_get(&file, DNP_REG_sensor_current_12v, 0), 16);
    assert_int_equal(dnp_get(&file, DNP_REG_sensor_voltage_3v3, 0), 3300);
}

static void test_lines_that_are_none(void **state)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"voltage_12v 5\nboard 41500", "line 2, \"board 41500\": its first word names no sensor"},
        {"voltage_12v", "line 1, \"voltage_12v\": its second word"},
        {"voltage_12v 12V", "its second word is no number"},
        {"voltage_12v -", "its second word is no number"},
        {"voltage_12v --5", "its second word is no number"},
        {"voltage_12v 2147483648", "its second word is no number of up to 2147483647"},
        {"voltage_12v 1 2", "there is something behind the value"},
    };
    struct dnp_register_file before = file;

    (void)state;
    for (size_t i = 0; i < NI_ARRAY_LENGTH(rows); i++) {
        assert_int_equal(dnp_sensors_parse(&file, rows[i].text, error, sizeof error), NI_ERR_PARAM);
        unit_assert_contains(error, rows[i].says);
        unit_assert_contains(error, "wanted is NAME VALUE");
        assert_memory_equal(&before, &file, sizeof file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_each_sensor_has_its_register, setup),
        cmocka_unit_test_setup(test_values_are_read, setup),
        cmocka_unit_test_setup(test_lines_that_are_none, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
