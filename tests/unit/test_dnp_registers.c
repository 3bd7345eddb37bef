/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/registers.def, dnp/registers.h, dnp/registers.c. */
#include "unit.h"

#include "base/bits.h"
#include "dnp/limits.h"
#include "dnp/registers.h"

static uint32_t end_of(const struct dnp_register *reg)
{
    return reg->offset + (uint32_t)reg->width / 8 * reg->count;
}

static void test_registers_lie_in_order_and_apart(void **state)
{
    uint32_t end = DNP_REGISTERS_BEGIN;

    (void)state;
    for (size_t i = 0; i < dnp_register_count; i++) {
        const struct dnp_register *reg = &dnp_registers[i];

        assert_true(reg->offset >= end);
        assert_true(reg->width == 32 || reg->width == 64);
        assert_true(reg->count == 1 || reg->count == DNP_LINKS || reg->count == DNP_CHANNELS ||
                    reg->count == 3); /* dimensions */
        assert_int_equal(reg->offset % (reg->width / 8U), 0);
        end = end_of(reg);
    }
    assert_true(end <= DNP_REGISTERS_END);
}

static void test_fields_belong_to_a_register_and_do_not_overlap(void **state)
{
    (void)state;
    for (size_t i = 0; i < dnp_field_count; i++) {
        const struct dnp_field *field = &dnp_fields[i];
        size_t owners = 0;

        assert_true(field->low <= field->high && field->high < 32);
        for (size_t j = 0; j < dnp_register_count; j++) {
            owners += strcmp(dnp_registers[j].name, field->reg) == 0;
        }
        assert_int_equal(owners, 1);
        for (size_t j = 0; j < i; j++) {
            if (strcmp(dnp_fields[j].reg, field->reg) == 0) {
                assert_true(dnp_fields[j].high < field->low || field->high < dnp_fields[j].low);
            }
        }
    }
}

/* As the paper prints them. */
static void test_offsets_of_table_2(void **state)
{
    (void)state;
    assert_int_equal(DNP_REG_dnp_watchdog, 0x474);
    assert_int_equal(DNP_REG_host_watchdog, 0x478);
    assert_int_equal(DNP_REG_remote_fault, 0x44c);
    assert_int_equal(dnp_register_at(0x460)->offset, DNP_REG_remote_fault);
    assert_int_equal(DNP_REG_fault_thresholds, 0x46c);
    assert_int_equal(DNP_REG_fault_timer, 0x464);
    assert_int_equal(DNP_REG_fault_mask, 0x468);
}

static void test_bits_of_tables_3_4_6_and_18(void **state)
{
    (void)state;
    assert_int_equal(DNP_LOW_dnp_watchdog_core, 7);
    assert_int_equal(DNP_LOW_dnp_watchdog_temperature, 13);
    assert_int_equal(DNP_LOW_dnp_watchdog_link_x_plus, 25);
    assert_int_equal(dnp_register_bits(DNP_REG_dnp_watchdog), 0x87ffffff);
    assert_int_equal(dnp_register_bits(DNP_REG_host_watchdog), 0x8000007f);
    assert_int_equal(dnp_register_bits(DNP_REG_remote_fault), 0x83ffffff);
    assert_int_equal(dnp_register_bits(DNP_REG_remote_fault + 20), 0x83ffffff);
    assert_int_equal(dnp_register_bits(DNP_REG_nanet_command), 0xfc000000);
    assert_int_equal(dnp_register_bits(DNP_REG_wr_ptr), 0xffffffff);
    assert_int_equal(dnp_register_bits(DNP_REGISTERS_BEGIN), 0);
}

static void test_what_there_is_can_be_read(void **state)
{
    struct dnp_register_file file;
    uint32_t value;

    (void)state;
    dnp_registers_reset(&file);
    for (uint32_t offset = 0; offset < 0x1000; offset++) {
        ni_status status = dnp_registers_read(&file, offset, &value);

        if (offset % 4 != 0) {
            assert_int_equal(status, NI_ERR_ALIGN);
        } else {
            assert_int_equal(status, dnp_register_at(offset) != NULL ? NI_OK : NI_ERR_NOTFOUND);
        }
    }
    assert_int_equal(dnp_registers_read(&file, DNP_REG_board_magic, &value), NI_OK);
    assert_memory_equal(&value, "APEN", 4);
    assert_int_equal(dnp_registers_read(&file, UINT32_MAX - 3, &value), NI_ERR_NOTFOUND);
}

/* Of any value only bits of fields may get in, and only where the host writes. */
static void test_hosts_write_what_is_theirs(void **state)
{
    struct dnp_register_file file, before;

    (void)state;
    for (uint32_t offset = 0; offset < 0x1000; offset += 4) {
        const struct dnp_register *reg = dnp_register_at(offset);
        ni_status status;

        dnp_registers_reset(&file);
        before = file;
        status = dnp_registers_write(&file, offset, UINT32_MAX);
        if (reg == NULL) {
            assert_int_equal(status, NI_ERR_NOTFOUND);
        } else if (reg->access == DNP_READ) {
            assert_int_equal(status, NI_ERR_ACCESS);
        } else if (reg->access == DNP_CLEAR) {
            assert_int_equal(status, NI_OK);
        } else if (dnp_register_bits(offset) != UINT32_MAX) {
            assert_int_equal(status, NI_ERR_INVALID);
        }
        if (status != NI_OK || reg->access == DNP_CLEAR) {
            assert_memory_equal(&file, &before, sizeof file);
        }
        assert_int_equal(dnp_registers_write(&file, offset + 1, 0), NI_ERR_ALIGN);
    }
}

static void test_clearing_loses_nothing_that_the_card_adds(void **state)
{
    struct dnp_register_file file;

    (void)state;
    dnp_registers_reset(&file);
    dnp_set(&file, DNP_REG_dnp_watchdog, 0, 0x0a000001);
    assert_int_equal(dnp_registers_write(&file, DNP_REG_dnp_watchdog, ~1U), NI_OK);
    assert_int_equal(dnp_get(&file, DNP_REG_dnp_watchdog, 0), 0x0a000000);
    assert_int_equal(dnp_registers_write(&file, DNP_REG_dnp_watchdog, UINT32_MAX), NI_OK);
    assert_int_equal(dnp_get(&file, DNP_REG_dnp_watchdog, 0), 0x0a000000);
}

static void test_values_with_which_no_card_works(void **state)
{
    static const struct {
        uint32_t offset, value;
        ni_status status;
    } rows[] = {
        {DNP_REG_link_thresholds, 257, NI_ERR_INVALID},
        {DNP_REG_link_thresholds, 258, NI_ERR_INVALID},
        {DNP_REG_link_thresholds, 1U << 16 | 258, NI_OK},
        {DNP_REG_link_thresholds, 257U << 16 | 257, NI_ERR_INVALID},
        {DNP_REG_link_thresholds, 257U << 16 | 258, NI_ERR_INVALID},
        {DNP_REG_link_thresholds, 2U << 16 | 259, NI_OK},
        {DNP_REG_link_thresholds, 1U << 16 | DNP_RED_MAX, NI_OK},
        {DNP_REG_link_thresholds, 1U << 16 | (DNP_RED_MAX + 1), NI_ERR_INVALID},
        {DNP_REG_link_credit, 35, NI_ERR_INVALID},
        {DNP_REG_link_credit, 1U << 16, NI_ERR_INVALID},
        {DNP_REG_link_credit, 1U << 16 | 35, NI_OK},
        {DNP_REG_tx_ring_size, 0, NI_OK},
        {DNP_REG_tx_ring_size + 12, 1, NI_OK},
        {DNP_REG_tx_ring_size, 3, NI_ERR_INVALID},
        {DNP_REG_tx_ring_size + 12, 131072, NI_ERR_INVALID},
        {DNP_REG_event_ring_size, 65536, NI_OK},
        {DNP_REG_event_ring_size + 4, 65535, NI_ERR_INVALID},
        {DNP_REG_board_torus, 0x00100400, NI_ERR_INVALID},
        {DNP_REG_board_torus, 0x02008020, NI_OK},
        {DNP_REG_board_torus, 0x3fffffff, NI_ERR_INVALID},
        {DNP_REG_wr_ptr, UINT32_MAX, NI_OK},
        {DNP_REG_fault_timer, UINT32_MAX, NI_ERR_INVALID},
        {DNP_REG_fault_timer, 65535U << 16 | 65534, NI_OK},
        {DNP_REG_fault_timer, 5U << 16 | 5, NI_ERR_INVALID},
        {DNP_REG_fault_timer, 65535, NI_OK},
        {DNP_REG_host_watchdog, 0x8000002b, NI_OK},
        {DNP_REG_host_watchdog, 3U << 1, NI_ERR_INVALID},
        {DNP_REG_host_watchdog, 3U << 5, NI_ERR_INVALID},
        {DNP_REG_fault_emulation, 3U << 25, NI_ERR_INVALID},
        {DNP_REG_fault_emulation, 2U << 25 | 0x7e, NI_OK},
        {DNP_REG_fault_thresholds, 5U << 24 | 5U << 16 | 90U << 8 | 90U, NI_OK},
        {DNP_REG_fault_thresholds, 5U << 24 | 6U << 16 | 90U << 8 | 90U, NI_ERR_INVALID},
        {DNP_REG_fault_thresholds, 5U << 24 | 5U << 16 | 90U << 8 | 91U, NI_ERR_INVALID},
        {DNP_REG_fault_cold, 0x8000, NI_OK},
        {DNP_REG_fault_cold, 0x0080, NI_ERR_INVALID},
        {DNP_REG_fault_core, 4U << 16 | 5, NI_ERR_INVALID},
        {DNP_REG_fault_core, 5, NI_OK},
        {DNP_REG_link_sick, 5, NI_ERR_INVALID},
        {DNP_REG_link_sick, 1U << 16, NI_OK},
    };

    (void)state;
    for (size_t i = 0; i < NI_ARRAY_LENGTH(rows); i++) {
        struct dnp_register_file file;

        dnp_registers_reset(&file);
        assert_int_equal(dnp_registers_write(&file, rows[i].offset, rows[i].value), rows[i].status);
    }
}

static void test_what_an_administrator_may_write(void **state)
{
    (void)state;
    for (uint32_t offset = 0; offset < 0x1000; offset += 4) {
        const struct dnp_register *reg = dnp_register_at(offset);
        bool fault = offset <= 0x480,
             failed = offset == 0x704 || offset == 0x708 || offset == 0x70c || offset == 0x8c8,
             route = offset >= 0x8cc && offset < 0x8d8;

        assert_int_equal(dnp_register_administered(offset), fault || failed || route);
        assert_true((!failed && !route) || reg->access == DNP_WRITE);
    }
}

/* What a card has when it is switched on is what a host might write. */
static void test_reset_values_make_sense(void **state)
{
    struct dnp_register_file file;

    (void)state;
    dnp_registers_reset(&file);
    for (size_t i = 0; i < dnp_register_count; i++) {
        const struct dnp_register *reg = &dnp_registers[i];

        for (uint32_t at = reg->offset; reg->access == DNP_WRITE && at < end_of(reg); at += 4) {
            uint32_t value;

            assert_int_equal(dnp_registers_read(&file, at, &value), NI_OK);
            assert_int_equal(dnp_registers_write(&file, at, value), NI_OK);
        }
    }
}

static void test_halves_and_fields(void **state)
{
    struct dnp_register_file file;
    uint32_t word = 0;

    (void)state;
    dnp_registers_reset(&file);
    dnp_set64(&file, DNP_REG_link_packets, 5, UINT32_MAX);
    dnp_add64(&file, DNP_REG_link_packets, 5, 1);
    assert_true(dnp_get64(&file, DNP_REG_link_packets, 5) == (uint64_t)1 << 32);
    assert_int_equal(dnp_get(&file, DNP_REG_link_packets, 11), 1);
    assert_true(dnp_get64(&file, DNP_REG_link_packets, 4) == 0);
    word = DNP_FIELD_PUT(word, board_place_y, 1023);
    word = DNP_FIELD_PUT(word, board_place_z, 5);
    word = DNP_FIELD_PUT(word, board_place_y, 7);
    assert_int_equal(word, 5 << 20 | 7 << 10);
    assert_int_equal(DNP_FIELD_GET(word, board_place_y), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registers_lie_in_order_and_apart),
        cmocka_unit_test(test_fields_belong_to_a_register_and_do_not_overlap),
        cmocka_unit_test(test_offsets_of_table_2),
        cmocka_unit_test(test_bits_of_tables_3_4_6_and_18),
        cmocka_unit_test(test_what_there_is_can_be_read),
        cmocka_unit_test(test_hosts_write_what_is_theirs),
        cmocka_unit_test(test_clearing_loses_nothing_that_the_card_adds),
        cmocka_unit_test(test_values_with_which_no_card_works),
        cmocka_unit_test(test_what_an_administrator_may_write),
        cmocka_unit_test(test_reset_values_make_sense),
        cmocka_unit_test(test_halves_and_fields),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
