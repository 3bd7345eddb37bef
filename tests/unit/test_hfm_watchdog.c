/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: hfm/watchdog.c, hfm/watchdog.h, hfm/card.h. Against registers, and against the fault
 * manager of a card. */
#include "unit.h"

#include <errno.h>

#include "dnp/lofamo/manager.h"
#include "dnp/sensors.h"
#include "driver/apelink_abi.h"
#include "hfm/watchdog.h"

enum { MS = 1000, WRITE = 5 * MS, READ = 8 * MS, CHANGES = 64 };

struct change {
    unsigned subject;
    uint32_t fault, before;
};

static struct dnp_register_file file;
static bool gone; /* the card cannot be reached */
static uint32_t late_offset,
    late_value; /* 0, or the card writes this before the host's next write */
static struct hfm_watchdog watchdog;
static struct change change[CHANGES];
static unsigned changes;
static uint64_t now;

static unsigned reads, calls;
static bool listing;
static bool wakes; /* the card writes its register once it has been called */

static void woken(void)
{
    if (wakes) {
        wakes = false;
        dnp_set(&file, DNP_REG_dnp_watchdog, 0, 1);
    }
}

static int read_register(void *arg, uint32_t offset, uint32_t *value)
{
    (void)arg;
    reads++;
    calls++;
    assert_int_equal(dnp_registers_read(&file, offset, value), NI_OK);
    if (!listing) {
        woken();
    }
    return gone ? -ENOTCONN : 0;
}

static int write_register(void *arg, uint32_t offset, uint32_t value)
{
    (void)arg;
    calls++;
    assert_true(dnp_register_administered(offset));
    if (gone) {
        return -ENOTCONN;
    }
    if (late_offset != 0 && offset == late_offset) {
        dnp_set(&file, (enum dnp_offset)offset, 0, late_value);
        late_offset = 0;
    }
    assert_int_equal(dnp_registers_write(&file, offset, value), NI_OK);
    return 0;
}

static int reach(void *arg, struct apelink_item *item)
{
    return (item->flags & APELINK_ITEM_WRITE) != 0 ? write_register(arg, item->offset, item->value)
                                                   : read_register(arg, item->offset, &item->value);
}

/* As a driver does it that has the ioctl LIST. */
static int reach_registers(void *arg, struct apelink_item *items, uint32_t count, uint32_t *done)
{
    struct apelink_list list = {.count = count};
    unsigned before = calls;

    memcpy(list.item, items, count * sizeof *items);
    listing = true;
    assert_int_equal(apelink_list_run(&list, reach, arg), 0);
    listing = false;
    memcpy(items, list.item, count * sizeof *items);
    calls = before + 1;
    *done = list.done;
    woken();
    return -(int)list.error;
}

static struct hfm_card card = {read_register, write_register, NULL, NULL};

static void changed(void *arg, unsigned subject, uint32_t fault, uint32_t before)
{
    (void)arg;
    assert_true(changes < CHANGES);
    change[changes++] = (struct change){subject, fault, before};
}

static const struct hfm_listener listener = {changed, NULL};

static int begin(void **state)
{
    (void)state;
    dnp_registers_reset(&file);
    dnp_sensors_reset(&file);
    gone = false;
    late_offset = 0;
    changes = 0;
    now = 100 * MS;
    hfm_watchdog_init(&watchdog, &card, WRITE, READ, now);
    return 0;
}

static void step_at(uint64_t at)
{
    now = at;
    hfm_watchdog_step(&watchdog, now, &listener);
}

/* The next read finds this in dnp_watchdog. */
static void next_read(uint32_t word)
{
    dnp_set(&file, DNP_REG_dnp_watchdog, 0, word);
    step_at(watchdog.read_at + READ);
}

static int setup(void **state)
{
    (void)begin(state);
    next_read(1);
    changes = 0;
    return 0;
}

static void assert_change(unsigned index, unsigned subject, uint32_t fault, uint32_t before)
{
    assert_true(index < changes);
    assert_int_equal(change[index].subject, subject);
    assert_int_equal(change[index].fault, fault);
    assert_int_equal(change[index].before, before);
}

static void test_the_host_writes_its_status(void **state)
{
    (void)state;
    assert_int_equal(begin(state), 0);
    assert_true(hfm_watchdog_due(&watchdog) == now);
    step_at(now);
    assert_int_equal(dnp_get(&file, DNP_REG_host_watchdog, 0), 1);
    assert_true(hfm_watchdog_due(&watchdog) == now + WRITE);
    watchdog.host = DNP_BROKEN | DNP_SICK << 2;
    watchdog.send = true;
    dnp_set(&file, DNP_REG_host_watchdog, 0, 0);
    step_at(now + WRITE - 1);
    assert_int_equal(dnp_get(&file, DNP_REG_host_watchdog, 0), 0);
    step_at(now + 1);
    assert_int_equal(dnp_get(&file, DNP_REG_host_watchdog, 0), 1U << 31 | 1U << 3 | 2U << 1 | 1);
}

static void test_what_is_read_is_made_invalid(void **state)
{
    (void)state;
    next_read(2U << 7 | 1);
    assert_int_equal(dnp_get(&file, DNP_REG_dnp_watchdog, 0), 2U << 7);
    assert_change(0, HFM_OWN, 2U << 6, 0);
    next_read(2U << 7 | 1);
    assert_int_equal(changes, 1);
    next_read(1);
    assert_change(1, HFM_OWN, 0, 2U << 6);
    assert_int_equal(changes, 2);
}

static void test_a_card_that_does_not_write_is_lost(void **state)
{
    (void)state;
    next_read(1U << 7 | 1);
    next_read(1U << 7);
    assert_change(1, HFM_OWN, HFM_CARD_LOST | 1U << 6, 1U << 6);
    next_read(0);
    assert_int_equal(changes, 2);
    next_read(1);
    assert_change(2, HFM_OWN, 0, HFM_CARD_LOST | 1U << 6);
}

static void test_a_card_that_cannot_be_reached_is_lost(void **state)
{
    (void)state;
    gone = true;
    next_read(1);
    assert_change(0, HFM_OWN, HFM_CARD_LOST, 0);
    gone = false;
    next_read(1);
    assert_change(1, HFM_OWN, 0, HFM_CARD_LOST);
}

static void test_a_late_read_accuses_once_later(void **state)
{
    (void)state;
    step_at(watchdog.read_at + READ + (READ - WRITE));
    assert_int_equal(changes, 0);
    step_at(watchdog.read_at + READ + (READ - WRITE));
    assert_change(0, HFM_OWN, HFM_CARD_LOST, 0);
}

static void test_neighbours_are_read_and_acknowledged(void **state)
{
    (void)state;
    dnp_set(&file, DNP_REG_remote_fault, 3, DNP_FAULT_VALID | DNP_FAULT_HOST_LOST);
    dnp_set(&file, DNP_REG_remote_fault, 0, DNP_FAULT_HOST_LOST); /* seen long ago */
    next_read(1U << 3 | 1);
    assert_int_equal(changes, 1);
    assert_change(0, 3, DNP_FAULT_HOST_LOST, 0);
    assert_int_equal(dnp_get(&file, DNP_REG_remote_fault, 3), DNP_FAULT_HOST_LOST);
    next_read(1U << 3 | 1);
    assert_int_equal(changes, 1);
    dnp_set(&file, DNP_REG_remote_fault, 3, DNP_FAULT_VALID);
    next_read(1);
    assert_change(1, 3, 0, DNP_FAULT_HOST_LOST);
}

/* While all is well a read of the card is two reads of registers. */
static void test_neighbours_that_are_well_are_not_read(void **state)
{
    (void)state;
    next_read(1);
    reads = 0;
    next_read(1);
    assert_int_equal(reads, 2);
    next_read(1U << 3 | 1);
    assert_int_equal(reads, 5);
}

/* A card that is a program, and has had no processor: it is there, and late. */
static void test_a_card_that_is_late_is_looked_at_again(void **state)
{
    (void)state;
    wakes = true;
    next_read(0);
    assert_false(wakes);
    assert_int_equal(changes, 0);
    assert_int_equal(dnp_get(&file, DNP_REG_dnp_watchdog, 0) & 1, 0);
    next_read(0); /* and does not write any more */
    assert_change(0, HFM_OWN, HFM_CARD_LOST, 0);
}

/* With a driver that has lists one call does it all; an old one is called for each register. */
/* It was read when it answered, and has its T_write from then on. */
static void test_a_card_that_answers_late_is_read_later(void **state)
{
    (void)state;
    next_read(1);
    hfm_watchdog_answered(&watchdog, now, now + WRITE / 4);
    assert_true(watchdog.read_at == now);
    hfm_watchdog_answered(&watchdog, now, now + READ - MS);
    assert_true(watchdog.read_at == now + READ - MS);
    hfm_watchdog_answered(&watchdog, now, now + READ); /* of a step that has not read */
    assert_true(watchdog.read_at == now + READ - MS);
    step_at(watchdog.read_at + READ - 1);
    assert_int_equal(changes, 0);
    step_at(now + 1); /* and is not excused then */
    assert_int_equal(changes, 1);
    assert_change(0, HFM_OWN, HFM_CARD_LOST, 0);
}

static void test_calls_of_a_round(void **state)
{
    (void)state;
    next_read(1);
    dnp_set(&file, DNP_REG_dnp_watchdog, 0, 1);
    calls = 0;
    watchdog.written_at = watchdog.read_at + READ - WRITE; /* both are due */
    step_at(watchdog.read_at + READ);
    assert_int_equal(dnp_get(&file, DNP_REG_host_watchdog, 0) & 1, 1);
    assert_int_equal(dnp_get(&file, DNP_REG_dnp_watchdog, 0) & 1, 0);
    assert_int_equal(calls, card.list != NULL ? 1 : 4);
    calls = 0;
    next_read(1U << 3 | 1); /* a neighbour fails, of which nothing new is known */
    assert_int_equal(calls, card.list != NULL ? 2 : 5);
}

/* What the card writes between the host's read and its acknowledgement is not lost. */
static void test_what_is_written_between_read_and_clear(void **state)
{
    (void)state;
    late_offset = DNP_REG_dnp_watchdog;
    late_value = 2U << 7 | 1;
    next_read(1U << 9 | 1);
    assert_int_equal(changes, 1);
    assert_change(0, HFM_OWN, 2U << 6 | 1U << 8, 0);
    changes = 0;
    next_read(1);
    dnp_set(&file, DNP_REG_remote_fault, 0, DNP_FAULT_VALID | 1);
    late_offset = DNP_REG_remote_fault;
    late_value = DNP_FAULT_VALID | DNP_FAULT_HOST_LOST;
    changes = 0;
    next_read(1U << 6 | 1); /* X+ fails */
    assert_int_equal(changes, 1);
    assert_change(0, 0, DNP_FAULT_HOST_LOST, 0);
    assert_int_equal(dnp_get(&file, DNP_REG_remote_fault, 0), DNP_FAULT_HOST_LOST);
}

/* Also of what has been acknowledged before this daemon began. */
static void test_the_first_read_tells_everything(void **state)
{
    assert_int_equal(begin(state), 0);
    dnp_set(&file, DNP_REG_remote_fault, 2, DNP_FAULT_HOST_LOST);
    next_read(0);
    assert_change(0, HFM_OWN, HFM_CARD_LOST, 0);
    next_read(1);
    assert_int_equal(changes, 1 + HFM_SUBJECTS);
    assert_change(1, HFM_OWN, 0, HFM_CARD_LOST);
    for (unsigned link = 0; link < DNP_LINKS; link++) {
        assert_change(2 + link, link, link == 2 ? DNP_FAULT_HOST_LOST : 0, 0);
    }
    next_read(1);
    assert_int_equal(changes, 1 + HFM_SUBJECTS);
}

/* Both sides as they are, with any phases: nobody is accused, and who stops is within two reads. */
static void test_the_two_sides_watch_each_other(void **state)
{
    static const struct dnp_core_work work;
    struct dnp_link link[DNP_LINKS];
    struct dnp_lofamo manager;

    for (unsigned phase = 0; phase < 40; phase++) {
        uint64_t stops = 200 * MS + phase * 431;
        bool host_stops = phase % 2 == 0;

        (void)begin(state);
        for (unsigned i = 0; i < DNP_LINKS; i++) {
            link[i] = (struct dnp_link){.registers = &file, .index = i};
        }
        dnp_set(&file, DNP_REG_fault_timer, 0, (uint32_t)(READ / MS) << 16 | WRITE / MS);
        dnp_set(&file, DNP_REG_fault_mask, 0, 1);
        dnp_lofamo_init(&manager, &file, link);
        dnp_lofamo_step(&manager, &work, now);
        watchdog.read_at -= phase * 197 % READ;
        watchdog.written_at -= phase * 89 % WRITE;
        for (uint64_t end = stops + 2 * READ + 1; now < end; now++) {
            if (now < stops || !host_stops) {
                hfm_watchdog_step(&watchdog, now, &listener);
            }
            if (now >= dnp_lofamo_due(&manager) && (now < stops || host_stops)) {
                dnp_lofamo_step(&manager, &work, now);
            }
            if (now < stops) {
                assert_false(manager.watch.lost);
                assert_true(changes == 0 || changes == HFM_SUBJECTS);
            }
        }
        assert_int_equal(manager.watch.lost, host_stops);
        assert_int_equal(watchdog.watch.lost, !host_stops);
    }
}

/* So that a host is woken once for both. */
static void test_a_write_that_is_nearly_due_goes_with_a_read(void **state)
{
    (void)state;
    hfm_watchdog_step(&watchdog, 100 * MS, &listener);
    hfm_watchdog_step(&watchdog, 106 * MS, &listener); /* late */
    hfm_watchdog_step(&watchdog, 109 * MS, &listener); /* reads, 2 ms before it writes */
    assert_int_equal(hfm_watchdog_due(&watchdog), 111 * MS);
    hfm_watchdog_step(&watchdog, 112 * MS, &listener);
    hfm_watchdog_step(&watchdog, 116 * MS, &listener);
    assert_int_equal(hfm_watchdog_due(&watchdog), 117 * MS); /* not without a read */
    hfm_watchdog_step(&watchdog, 117 * MS, &listener);
    hfm_watchdog_step(&watchdog, 123 * MS, &listener);
    hfm_watchdog_step(&watchdog, 127 * MS, &listener); /* reads, 1 ms before */
    assert_int_equal(hfm_watchdog_due(&watchdog), 132 * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_the_host_writes_its_status, setup),
        cmocka_unit_test_setup(test_what_is_read_is_made_invalid, setup),
        cmocka_unit_test_setup(test_a_card_that_does_not_write_is_lost, setup),
        cmocka_unit_test_setup(test_a_card_that_cannot_be_reached_is_lost, setup),
        cmocka_unit_test_setup(test_a_late_read_accuses_once_later, setup),
        cmocka_unit_test_setup(test_neighbours_are_read_and_acknowledged, setup),
        cmocka_unit_test_setup(test_neighbours_that_are_well_are_not_read, setup),
        cmocka_unit_test_setup(test_a_card_that_answers_late_is_read_later, setup),
        cmocka_unit_test_setup(test_calls_of_a_round, setup),
        cmocka_unit_test_setup(test_a_card_that_is_late_is_looked_at_again, setup),
        cmocka_unit_test_setup(test_what_is_written_between_read_and_clear, setup),
        cmocka_unit_test(test_the_first_read_tells_everything),
        cmocka_unit_test_setup(test_the_two_sides_watch_each_other, setup),
        cmocka_unit_test_setup(test_a_write_that_is_nearly_due_goes_with_a_read, begin),
    };

    int failed = cmocka_run_group_tests_name("an old driver", tests, NULL, NULL);

    card.list = reach_registers;
    return failed + cmocka_run_group_tests_name("a driver with lists", tests, NULL, NULL);
}
