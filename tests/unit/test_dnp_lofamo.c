/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/lofamo/manager.c, dnp/lofamo/manager.h, dnp/lofamo/lifama.h. A fault manager with a
 * host and links that the test plays, a cycle being a microsecond. */
#include "unit.h"

#include "dnp/lofamo/manager.h"
#include "dnp/sensors.h"

enum { MS = 1000, WRITE_MS = 5, READ_MS = 8 };

static struct dnp_register_file file;
static struct dnp_link link_[DNP_LINKS];
static struct dnp_lofamo lofamo;
static struct dnp_core_work work;
static uint64_t now;
static bool host_lives;
static uint32_t host_says;

static void put(enum dnp_offset reg, uint32_t value)
{
    assert_int_equal(dnp_registers_write(&file, (uint32_t)reg, value), NI_OK);
}

static uint32_t get(enum dnp_offset reg)
{
    uint32_t value;

    assert_int_equal(dnp_registers_read(&file, (uint32_t)reg, &value), NI_OK);
    return value;
}

/* A credit leaves or arrives on a link, with this in its spare bits. */
static void credit_leaves(unsigned link)
{
    link_[link].tx.told_spare = link_[link].tx.spare;
}

static void credit_arrives(unsigned link, uint32_t spare)
{
    struct dnp_link_rx *rx = &link_[link].rx;

    rx->heard_at = now;
    dnp_set(&file, DNP_REG_link_up, link, 1);
    rx->spare = dnp_fault_message(spare);
    rx->spare_worst = dnp_fault_worst(rx->spare_worst, rx->spare);
}

/* A millisecond, in which the host writes, if it lives, and credits leave and arrive. */
static void one_ms(void)
{
    if (host_lives && now / MS % WRITE_MS == 0) {
        put(DNP_REG_host_watchdog, host_says | 1);
    }
    for (uint64_t end = now + MS; now < end; now++) {
        if (now >= dnp_lofamo_due(&lofamo)) {
            dnp_lofamo_step(&lofamo, &work, now);
        }
    }
    for (unsigned i = 0; i < DNP_LINKS; i++) {
        credit_leaves(i);
        credit_arrives(i, link_[i].rx.spare);
    }
}

static void run_ms(unsigned ms)
{
    while (ms-- > 0) {
        one_ms();
    }
}

static int setup(void **state)
{
    (void)state;
    dnp_registers_reset(&file);
    dnp_sensors_reset(&file);
    now = 0;
    work = (struct dnp_core_work){0};
    host_lives = true;
    host_says = 0;
    for (unsigned i = 0; i < DNP_LINKS; i++) {
        link_[i] = (struct dnp_link){.registers = &file, .index = i};
    }
    dnp_lofamo_init(&lofamo, &file, link_);
    put(DNP_REG_link_timeout, 50 * MS);
    put(DNP_REG_fault_timer, (uint32_t)READ_MS << 16 | WRITE_MS);
    put(DNP_REG_fault_mask, 1);
    run_ms(20);
    return 0;
}

static void assert_told(uint32_t message)
{
    for (unsigned i = 0; i < DNP_LINKS; i++) {
        assert_int_equal(link_[i].tx.spare, message);
    }
}

static void test_nothing_happens_until_it_is_enabled(void **state)
{
    (void)state;
    put(DNP_REG_fault_mask, 0);
    run_ms(20);
    assert_int_equal(get(DNP_REG_dnp_watchdog), 0);
    assert_int_equal(get(DNP_REG_host_watchdog), 1);
    host_lives = false;
    run_ms(100);
    assert_true(dnp_lofamo_due(&lofamo) == UINT64_MAX);
    assert_told(0);
    put(DNP_REG_fault_mask, 1);
    assert_true(dnp_lofamo_due(&lofamo) <= now);
    one_ms();
    assert_int_equal(get(DNP_REG_dnp_watchdog), 1);
}

/* Each side finds what the other has written at each read. */
static void test_all_are_well(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 100; i++) {
        run_ms(READ_MS);
        assert_int_equal(get(DNP_REG_dnp_watchdog), 1);
        put(DNP_REG_dnp_watchdog, ~1U);
        assert_int_equal(get(DNP_REG_dnp_watchdog), 0);
        assert_false(lofamo.watch.lost);
    }
    assert_told(0);
}

static void test_a_host_that_stops_is_told_of_within_two_reads(void **state)
{
    (void)state;
    host_lives = false;
    run_ms(2 * READ_MS + 1);
    assert_told(DNP_FAULT_VALID | DNP_FAULT_HOST_LOST);
    host_lives = true;
    run_ms(READ_MS + WRITE_MS);
    assert_told(0);
}

static void test_a_broken_service_network_and_the_send_bit_are_told(void **state)
{
    static const struct {
        uint32_t says, told;
    } rows[] = {
        {2U << 1, DNP_FAULT_VALID | 2U},
        {1U << 1, DNP_FAULT_VALID | 1U},
        {2U << 3 | 1U << 5, 0}, /* the host tells it itself */
        {2U << 3 | 1U << 5 | 1U << 31, DNP_FAULT_VALID | 2U << 2 | 1U << 4},
        {1U << 31, DNP_FAULT_VALID},
        {0, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        host_says = rows[i].says;
        run_ms(READ_MS + WRITE_MS);
        assert_told(rows[i].told);
        assert_int_equal(get(DNP_REG_dnp_watchdog), 1);
    }
}

/* Late is a read READ_MS - WRITE_MS after its time. */
static void test_who_was_late_together_with_the_host_waits_once(void **state)
{
    (void)state;
    put(DNP_REG_host_watchdog, 0);
    now = lofamo.read_at + (2 * READ_MS - WRITE_MS) * MS;
    dnp_lofamo_step(&lofamo, &work, now);
    assert_false(lofamo.watch.lost);
    now += 60 * MS;
    dnp_lofamo_step(&lofamo, &work, now);
    assert_true(lofamo.watch.lost);
    run_ms(READ_MS + WRITE_MS);
    assert_false(lofamo.watch.lost);
    put(DNP_REG_host_watchdog, 0);
    now = lofamo.read_at + (2 * READ_MS - WRITE_MS) * MS - 1;
    dnp_lofamo_step(&lofamo, &work, now);
    assert_true(lofamo.watch.lost);
}

/* It shows that it is there, and its host has time to do so, once for each read. */
static void test_who_was_away_writes_at_once_and_reads_later(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        put(DNP_REG_host_watchdog, 0);
        now = lofamo.read_at + READ_MS * MS - 1;
        dnp_lofamo_step(&lofamo, &work, now);
        put(DNP_REG_dnp_watchdog, ~1U);
        dnp_lofamo_away(&lofamo, now);
        assert_true(dnp_lofamo_due(&lofamo) <= now);
        dnp_lofamo_step(&lofamo, &work, now);
        assert_int_equal(get(DNP_REG_dnp_watchdog), 1);
        now += WRITE_MS * MS - 1;
        dnp_lofamo_away(&lofamo, now);
        dnp_lofamo_step(&lofamo, &work, now);
        assert_false(lofamo.watch.lost);
        put(DNP_REG_host_watchdog, i == 0);
        now++;
        dnp_lofamo_step(&lofamo, &work, now);
        assert_int_equal(lofamo.watch.lost, i == 1);
    }
    put(DNP_REG_fault_mask, 0);
    dnp_lofamo_step(&lofamo, &work, now);
    dnp_lofamo_away(&lofamo, now);
    assert_true(dnp_lofamo_due(&lofamo) == UINT64_MAX);
}

static void test_links_core_and_sensors_are_in_their_fields(void **state)
{
    (void)state;
    put(DNP_REG_link_sick, 1U << 16 | 1);
    dnp_add(&file, DNP_REG_link_crc_errors, 3, 1);
    link_[4].rx.heard_at = 0;
    now = 60 * MS;
    lofamo.written_at = lofamo.read_at = now;
    for (unsigned i = 0; i < WRITE_MS; i++) {
        for (unsigned link = 0; link < DNP_LINKS; link++) {
            link_[link].rx.heard_at = link == 4 ? 0 : now;
        }
        now += MS;
    }
    dnp_set(&file, DNP_REG_sensor_voltage_12v, 0, 13000);
    dnp_lofamo_step(&lofamo, &work, now);
    assert_int_equal(dnp_fault_of_card(get(DNP_REG_dnp_watchdog)), 1U << 18 | 2U << 16 | 1U << 10);
    assert_int_equal(get(DNP_REG_link_up + 16), 0);
}

static void test_masked_bits_stay_0_and_emulated_ones_are_added(void **state)
{
    (void)state;
    dnp_set(&file, DNP_REG_sensor_voltage_12v, 0, 99999);
    put(DNP_REG_fault_emulation, 2U << 7 | 1U << 25 | 1U << 11 | 1U << 6);
    put(DNP_REG_dnp_watchdog, 0);
    run_ms(WRITE_MS);
    assert_int_equal(get(DNP_REG_dnp_watchdog), 1U << 25 | 2U << 11 | 2U << 7 | 1U << 6 | 1);
    put(DNP_REG_fault_mask, 3U << 11 | 1U << 6 | 1);
    put(DNP_REG_dnp_watchdog, 0);
    run_ms(WRITE_MS);
    assert_int_equal(get(DNP_REG_dnp_watchdog), 1U << 25 | 2U << 7 | 1);
    host_says = 1U << 31;
    run_ms(READ_MS + WRITE_MS);
    assert_told(DNP_FAULT_VALID | 1U << 24 | 2U << 6);
    assert_int_equal(dnp_registers_write(&file, DNP_REG_fault_emulation, 3U << 7), NI_ERR_INVALID);
}

/* What the host has not seen stays, the worst of each field; what it has seen goes. */
static void test_the_host_sees_the_worst_since_it_looked(void **state)
{
    (void)state;
    put(DNP_REG_dnp_watchdog, ~1U);
    put(DNP_REG_fault_emulation, 2U << 7);
    run_ms(WRITE_MS);
    put(DNP_REG_fault_emulation, 1U << 7 | 1U << 13);
    run_ms(WRITE_MS);
    assert_int_equal(get(DNP_REG_dnp_watchdog), 1U << 13 | 2U << 7 | 1);
    put(DNP_REG_dnp_watchdog, ~1U);
    run_ms(WRITE_MS);
    assert_int_equal(get(DNP_REG_dnp_watchdog), 1U << 13 | 1U << 7 | 1);
}

static void test_neighbours_are_shown_until_acknowledged(void **state)
{
    const uint32_t broken = DNP_FAULT_VALID | DNP_FAULT_HOST_LOST;

    (void)state;
    put(DNP_REG_dnp_watchdog, ~1U);
    credit_arrives(1, broken);
    credit_arrives(1, 0);
    run_ms(WRITE_MS + 1);
    assert_int_equal(get(DNP_REG_remote_fault + 4), broken);
    assert_int_equal(get(DNP_REG_remote_fault), 0);
    assert_int_equal(get(DNP_REG_dnp_watchdog), 1U << 5 | 1);
    put(DNP_REG_remote_fault + 4, ~DNP_FAULT_VALID);
    put(DNP_REG_dnp_watchdog, ~1U);
    run_ms(WRITE_MS + 1);
    assert_int_equal(get(DNP_REG_remote_fault + 4), DNP_FAULT_VALID);
    assert_int_equal(get(DNP_REG_dnp_watchdog), 1);
    put(DNP_REG_remote_fault + 4, 0);
    run_ms(2 * WRITE_MS);
    assert_int_equal(get(DNP_REG_remote_fault + 4), 0); /* nothing new: the alarm is over */
    credit_arrives(1, broken);
    run_ms(WRITE_MS + 1);
    put(DNP_REG_remote_fault + 4, ~DNP_FAULT_VALID);
    run_ms(4 * WRITE_MS);
    assert_int_equal(get(DNP_REG_remote_fault + 4), DNP_FAULT_HOST_LOST);
    assert_int_equal(get(DNP_REG_dnp_watchdog) & 1U << 5, 1U << 5);
}

/* A message changes only after a credit with the one before; of several that wait the worst goes.
 */
static void test_messages_wait_for_credits(void **state)
{
    struct dnp_link *link = &link_[0];
    struct dnp_lifama lifama = {0};

    (void)state;
    dnp_lifama_tell(&lifama, link, DNP_FAULT_VALID | 1);
    assert_int_equal(link->tx.spare, DNP_FAULT_VALID | 1);
    assert_true(dnp_lifama_busy(link));
    dnp_lifama_tell(&lifama, link, DNP_FAULT_VALID | 2);
    dnp_lifama_tell(&lifama, link, DNP_FAULT_VALID | 4);
    assert_int_equal(link->tx.spare, DNP_FAULT_VALID | 1);
    credit_leaves(0);
    assert_false(dnp_lifama_busy(link));
    dnp_lifama_tell(&lifama, link, 0);
    assert_int_equal(link->tx.spare, DNP_FAULT_VALID | 6);
    credit_leaves(0);
    dnp_lifama_tell(&lifama, link, 0);
    assert_int_equal(link->tx.spare, 0);
}

static void test_busy_until_all_links_have_sent(void **state)
{
    (void)state;
    host_says = 1U << 31;
    run_ms(READ_MS + WRITE_MS);
    assert_told(DNP_FAULT_VALID);
    link_[2].tx.told_spare = 0; /* no credit has left there */
    now = lofamo.written_at + WRITE_MS * MS;
    dnp_lofamo_step(&lofamo, &work, now);
    assert_int_equal(get(DNP_REG_dnp_watchdog), 1U << 31 | 1);
    dnp_set(&file, DNP_REG_link_up, 2, 0); /* where none can leave */
    now = lofamo.written_at + WRITE_MS * MS;
    dnp_lofamo_step(&lofamo, &work, now);
    assert_int_equal(get(DNP_REG_dnp_watchdog), 1);
}

static void test_disabling_withdraws_what_was_told(void **state)
{
    (void)state;
    host_says = 2U << 1;
    run_ms(READ_MS + WRITE_MS);
    assert_told(DNP_FAULT_VALID | 2);
    put(DNP_REG_fault_mask, 0);
    one_ms();
    assert_told(0);
    assert_int_equal(get(DNP_REG_dnp_watchdog) & 1, 0);
}

static void test_either_period_may_be_none(void **state)
{
    (void)state;
    put(DNP_REG_fault_timer, WRITE_MS);
    host_lives = false;
    run_ms(100);
    assert_told(0);
    put(DNP_REG_dnp_watchdog, ~1U);
    run_ms(WRITE_MS);
    assert_int_equal(get(DNP_REG_dnp_watchdog), 1);
    put(DNP_REG_fault_timer, (uint32_t)READ_MS << 16);
    put(DNP_REG_dnp_watchdog, ~1U);
    run_ms(100);
    assert_told(DNP_FAULT_VALID | DNP_FAULT_HOST_LOST);
    assert_int_equal(get(DNP_REG_dnp_watchdog), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_nothing_happens_until_it_is_enabled, setup),
        cmocka_unit_test_setup(test_all_are_well, setup),
        cmocka_unit_test_setup(test_a_host_that_stops_is_told_of_within_two_reads, setup),
        cmocka_unit_test_setup(test_a_broken_service_network_and_the_send_bit_are_told, setup),
        cmocka_unit_test_setup(test_who_was_late_together_with_the_host_waits_once, setup),
        cmocka_unit_test_setup(test_who_was_away_writes_at_once_and_reads_later, setup),
        cmocka_unit_test_setup(test_links_core_and_sensors_are_in_their_fields, setup),
        cmocka_unit_test_setup(test_masked_bits_stay_0_and_emulated_ones_are_added, setup),
        cmocka_unit_test_setup(test_the_host_sees_the_worst_since_it_looked, setup),
        cmocka_unit_test_setup(test_neighbours_are_shown_until_acknowledged, setup),
        cmocka_unit_test_setup(test_messages_wait_for_credits, setup),
        cmocka_unit_test_setup(test_busy_until_all_links_have_sent, setup),
        cmocka_unit_test_setup(test_disabling_withdraws_what_was_told, setup),
        cmocka_unit_test_setup(test_either_period_may_be_none, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
