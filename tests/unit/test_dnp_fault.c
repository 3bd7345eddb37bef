/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/lofamo/fault.h, dnp/lofamo/watch.h, dnp/registers.def. The rows of Tables 2 to 6 as
 * they are printed, the words made of them, and the mutual watchdog's reader. */
#include "unit.h"

#include "base/bits.h"
#include "base/random.h"
#include "dnp/lofamo/fault.h"
#include "dnp/lofamo/watch.h"

struct row {
    const char *name;
    unsigned high, low;
};

static const struct row table_3[] = {
    {"valid", 0, 0},
    {"neighbour_z_minus", 1, 1},
    {"neighbour_z_plus", 2, 2},
    {"neighbour_y_minus", 3, 3},
    {"neighbour_y_plus", 4, 4},
    {"neighbour_x_minus", 5, 5},
    {"neighbour_x_plus", 6, 6},
    {"core", 8, 7},
    {"current", 10, 9},
    {"voltage", 12, 11},
    {"temperature", 14, 13},
    {"link_z_minus", 16, 15},
    {"link_z_plus", 18, 17},
    {"link_y_minus", 20, 19},
    {"link_y_plus", 22, 21},
    {"link_x_minus", 24, 23},
    {"link_x_plus", 26, 25},
    {"busy", 31, 31},
};

static const struct row table_4[] = {
    {"valid", 0, 0},      {"service_network", 2, 1}, {"memory", 4, 3},
    {"peripheral", 6, 5}, {"send", 31, 31},
};

static const struct row table_6[] = {
    {"service_network", 1, 0}, {"memory", 3, 2},
    {"peripheral", 5, 4},      {"core", 7, 6},
    {"current", 9, 8},         {"voltage", 11, 10},
    {"temperature", 13, 12},   {"link_z_minus", 15, 14},
    {"link_z_plus", 17, 16},   {"link_y_minus", 19, 18},
    {"link_y_plus", 21, 20},   {"link_x_minus", 23, 22},
    {"link_x_plus", 25, 24},   {"valid", 31, 31},
};

static void assert_rows(const char *reg, const struct row *rows, size_t n)
{
    size_t at = 0;

    for (size_t i = 0; i < dnp_field_count; i++) {
        if (strcmp(dnp_fields[i].reg, reg) == 0) {
            assert_true(at < n);
            assert_string_equal(dnp_fields[i].name, rows[at].name);
            assert_int_equal(dnp_fields[i].high, rows[at].high);
            assert_int_equal(dnp_fields[i].low, rows[at].low);
            at++;
        }
    }
    assert_int_equal(at, n);
}

static void test_every_row_of_tables_3_4_and_6(void **state)
{
    (void)state;
    assert_rows("dnp_watchdog", table_3, NI_ARRAY_LENGTH(table_3));
    assert_rows("host_watchdog", table_4, NI_ARRAY_LENGTH(table_4));
    assert_rows("remote_fault", table_6, NI_ARRAY_LENGTH(table_6));
}

static void test_every_row_of_tables_2_and_5(void **state)
{
    static const struct {
        const char *name;
        uint32_t offset, number; /* of the register of 32 bits from 0x400 on, as printed */
    } rows[] = {
        {"dnp_watchdog", 0x474, 29}, {"host_watchdog", 0x478, 30}, {"remote_fault", 0x44c, 19},
        {"remote_fault", 0x450, 20}, {"remote_fault", 0x454, 21},  {"remote_fault", 0x458, 22},
        {"remote_fault", 0x45c, 23}, {"remote_fault", 0x460, 24},  {"fault_thresholds", 0x46c, 27},
        {"fault_timer", 0x464, 25},  {"fault_mask", 0x468, 26},    {"fault_emulation", 0x470, 28},
    };

    (void)state;
    for (size_t i = 0; i < NI_ARRAY_LENGTH(rows); i++) {
        assert_string_equal(dnp_register_at(rows[i].offset)->name, rows[i].name);
        assert_int_equal((rows[i].offset - 0x400) / 4, rows[i].number);
        assert_int_equal(dnp_register_at(rows[i].offset)->width, 32);
    }
}

/* What the card tells is what the two watchdog registers have, field by field of the same name. */
static void test_messages_are_made_of_watchdogs(void **state)
{
    (void)state;
    for (size_t i = 0; i < NI_ARRAY_LENGTH(table_6) - 1; i++) {
        for (size_t j = 0; j < NI_ARRAY_LENGTH(table_3); j++) {
            if (strcmp(table_3[j].name, table_6[i].name) == 0) {
                assert_int_equal(dnp_fault_of_card(3U << table_3[j].low), 3U << table_6[i].low);
            }
        }
        for (size_t j = 0; j < NI_ARRAY_LENGTH(table_4); j++) {
            if (strcmp(table_4[j].name, table_6[i].name) == 0) {
                assert_int_equal(dnp_fault_of_host(3U << table_4[j].low), 3U << table_6[i].low);
            }
        }
    }
    assert_int_equal(dnp_fault_of_card(0xf800007f), 0); /* neighbours, spare, valid, busy */
    assert_int_equal(dnp_fault_of_host(0xffffff81), 0);
}

static void test_links_have_their_fields(void **state)
{
    (void)state;
    for (unsigned link = 0; link < DNP_LINKS; link++) {
        assert_int_equal(dnp_fault_link_low(link), table_6[12 - link].low);
        assert_int_equal(dnp_fault_neighbour(link), 1U << table_3[6 - link].low);
    }
}

static void test_the_worst_of_each_field(void **state)
{
    struct ni_rng rng;

    (void)state;
    ni_rng_seed(&rng, 1);
    for (unsigned round = 0; round < 10000; round++) {
        uint32_t a = 0, b = 0, worst = 0;

        for (unsigned low = 0; low < 32; low += 2) {
            uint32_t left = (uint32_t)ni_rng_below(&rng, 3),
                     right = (uint32_t)ni_rng_below(&rng, 3);

            a |= left << low;
            b |= right << low;
            worst |= (left > right ? left : right) << low;
        }
        assert_int_equal(dnp_fault_worst(a, b), worst);
        assert_true(dnp_fault_makes_sense(a));
        assert_false(dnp_fault_makes_sense(a | 3U << 2 * ni_rng_below(&rng, 13)));
    }
    assert_true(dnp_fault_makes_sense(0xfc000000)); /* spare bits and valid */
}

static void test_messages_without_a_valid_bit_are_none(void **state)
{
    (void)state;
    assert_int_equal(dnp_fault_message(0x7fffffff), 0);
    assert_int_equal(dnp_fault_message(0x80000000), 0x80000000);
    assert_int_equal(dnp_fault_message(0xfeaaaaaa), 0x82aaaaaa);
}

static void test_a_register_that_is_not_written_is_lost(void **state)
{
    struct dnp_watch watch = {0};

    (void)state;
    dnp_watch_read(&watch, true, false);
    assert_false(watch.lost);
    dnp_watch_read(&watch, false, false);
    assert_true(watch.lost);
    dnp_watch_read(&watch, true, false);
    assert_false(watch.lost);
}

static void test_who_is_late_accuses_at_the_second_read(void **state)
{
    struct dnp_watch watch = {0};

    (void)state;
    dnp_watch_read(&watch, false, true);
    assert_false(watch.lost);
    dnp_watch_read(&watch, false, true);
    assert_true(watch.lost);
    dnp_watch_read(&watch, false, true); /* nor does it take back what it has said */
    assert_true(watch.lost);
    dnp_watch_read(&watch, true, true);
    assert_false(watch.lost);
    dnp_watch_read(&watch, false, true);
    dnp_watch_read(&watch, true, false);
    dnp_watch_read(&watch, false, true);
    assert_false(watch.lost);
    dnp_watch_read(&watch, false, false);
    assert_true(watch.lost);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_row_of_tables_2_and_5),
        cmocka_unit_test(test_every_row_of_tables_3_4_and_6),
        cmocka_unit_test(test_messages_are_made_of_watchdogs),
        cmocka_unit_test(test_links_have_their_fields),
        cmocka_unit_test(test_the_worst_of_each_field),
        cmocka_unit_test(test_messages_without_a_valid_bit_are_none),
        cmocka_unit_test(test_a_register_that_is_not_written_is_lost),
        cmocka_unit_test(test_who_is_late_accuses_at_the_second_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
