/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/arrive/multipath_in.c. */
#include "multipath_parts.h"

#include "base/config.h"

/*
 * Parts of spread transfers, whatever the order in which they come, and numbers that begin again at
 * 0. What no honest sender writes is in test_engine_multipath_lies.c.
 */

static bool flag_is_up(void)
{
    uint64_t value;

    memcpy(&value, there + LEN - 8, sizeof(value));
    return value != 0;
}

static void check_part(uint64_t at, uint32_t seq)
{
    for (unsigned i = 0; i < PART; i++) {
        assert_int_equal(there[at * PART + i], 0x40 + seq % 32);
    }
}

/* ---- honest ones, out of order --------------------------------------------------------------- */

/* The last to arrive completes, also where it is not the last one. */
static void any_order(void **state)
{
    static const uint32_t order[] = {3, 1, 0, 2};
    struct setup setup;
    struct lie lie;

    (void)state;
    open_setup(&setup);
    for (unsigned i = 0; i < 4; i++) {
        lie = honest(order[i], order[i] == 3 ? NI_PART_NOTED : 0, 4, order[i]);
        assert_false(flag_is_up());
        assert_int_equal(deliver(&setup, &lie), NI_OK);
        check_part(order[i], order[i]);
    }
    assert_true(flag_is_up());
    assert_int_equal(pair_stat(setup.pair.b, "parts_early"), 2);
    assert_int_equal(setup.pair.ba->arrive.parts->base, 4);
    pair_close(&setup.pair);
}

/* The last one waits for all before it, whichever transfer they are of. */
static void held(void **state)
{
    struct setup setup;
    struct lie last = honest(4, NI_PART_ORDERED | NI_PART_NOTED, 2, 1), lie;

    (void)state;
    open_setup(&setup);
    for (uint32_t seq = 3; seq < 4; seq--) {
        for (unsigned i = 0; i < 1000; i++) {
            assert_int_equal(deliver(&setup, &last), NI_AGAIN);
        }
        lie = honest(seq, seq == 3 ? NI_PART_ORDERED : 0, seq == 3 ? 2 : 3, seq % 3);
        assert_int_equal(deliver(&setup, &lie), NI_OK);
        assert_false(flag_is_up());
    }
    assert_int_equal(deliver(&setup, &last), NI_OK);
    assert_true(flag_is_up());
    assert_int_equal(pair_stat(setup.pair.b, "parts_held"), 1);
    assert_int_equal(ni_peer_status(setup.pair.ba), NI_OK);
    pair_close(&setup.pair);
}

/* Whom a note calls may poll for long: what is next in order does not wait until it returns. */
static void poll_on(void *arg, const struct ni_message_info *message)
{
    struct setup *setup = arg;
    struct lie last = honest(1, NI_PART_ORDERED | NI_PART_NOTED, 2, 1);

    assert_int_equal(message->len, sizeof(uint64_t));
    assert_int_equal(deliver(setup, &last), NI_OK);
    assert_true(flag_is_up());
}

static void in_a_call(void **state)
{
    struct setup setup;
    struct ni_rkey consumer;
    struct lie lie = honest(0, NI_PART_NOTED, 1, 0);

    (void)state;
    open_setup(&setup);
    assert_int_equal(ni_region_consumer(setup.pair.b, poll_on, &setup, 0, &consumer), NI_OK);
    lie.told = &consumer;
    assert_int_equal(deliver(&setup, &lie), NI_OK);
    assert_true(flag_is_up());
    assert_int_equal(setup.pair.ba->arrive.parts->base, 2);
    lie = honest(2, 0, 2, 0);
    assert_int_equal(deliver(&setup, &lie), NI_OK);
    pair_close(&setup.pair);
}

/* ---- answers --------------------------------------------------------------------------------- */

static void answers(void **state)
{
    struct setup setup;
    struct pair_done done = {0};
    struct lie lie = honest(1, NI_PART_ANSWER, 2, 1);

    (void)state;
    open_setup(&setup);
    memset(here, 0, sizeof(here));
    lie.token = start_read(&setup, 2 * PART, &done);
    assert_int_equal(deliver(&setup, &lie), NI_OK);
    assert_int_equal(done.count, 0);
    lie.seq = 0;
    lie.offset = 0;
    assert_int_equal(deliver(&setup, &lie), NI_OK);
    assert_int_equal(done.count, 1);
    assert_int_equal(done.value, 2 * PART);
    assert_int_equal(here[0] + here[2 * PART - 1], 0x40 + 0x41);
    assert_int_equal(here[2 * PART], 0);
    /* Late ones name nothing, but count in the window. */
    lie.seq = 2;
    assert_int_equal(deliver(&setup, &lie), NI_OK);
    assert_int_equal(setup.pair.ba->arrive.parts->base, 3);
    /* A refusal ends it. */
    lie = honest(3, NI_PART_ANSWER, 2, 0);
    lie.token = start_read(&setup, 2 * PART, &done);
    lie.key = (uint16_t)NI_ERR_KEY;
    assert_int_equal(deliver(&setup, &lie), NI_OK);
    assert_int_equal(done.count, 2);
    assert_int_equal(done.status, NI_ERR_KEY);
    pair_close(&setup.pair);
}

/* ---- numbers that begin again ---------------------------------------------------------------- */

static void write_long(struct setup *setup, enum ni_multipath how)
{
    struct pair_done done = {0};
    struct ni_ack ack = pair_ack(&done);
    struct ni_remote where = pair_remote(there, &setup->region);

    memset(there, 0, LEN);
    for (unsigned i = 0; i < LEN; i++) {
        here[i] = (uint8_t)(i * 7 + i / 251);
    }
    assert_int_equal(
        ni_write_multipath(setup->pair.a, setup->pair.ab, here, LEN, &where, NULL, NULL, &ack, how),
        NI_OK);
    pair_settle(&setup->pair);
    assert_int_equal(done.count, 1);
    assert_int_equal(done.status, NI_OK);
    assert_memory_equal(there, here, LEN);
}

static void wrap(void **state)
{
    struct setup setup;
    char error[128];

    (void)state;
    assert_int_equal(ni_param_set("rails", "4", "test", error, sizeof(error)), NI_OK);
    assert_int_equal(ni_param_set("segment_size", "1K", "test", error, sizeof(error)), NI_OK);
    open_setup(&setup);
    write_long(&setup, NI_MULTIPATH_COUNTERS);
    setup.pair.ab->send.spread->seq = setup.pair.ab->send.spread->taken = UINT32_MAX - 49;
    setup.pair.ba->arrive.parts->base = setup.pair.ba->arrive.parts->told = UINT32_MAX - 49;
    for (unsigned i = 0; i < 60; i++) {
        write_long(&setup, i % 3 == 0 ? NI_MULTIPATH_COUNTERS : NI_MULTIPATH_RESEQUENCE);
    }
    assert_true(setup.pair.ab->send.spread->seq > UINT32_MAX);
    assert_true(setup.pair.ba->arrive.parts->base < 1000);
    /* More than were sent. */
    setup.pair.ba->send.spread = setup.pair.ab->send.spread;
    send_credit(&setup, (uint32_t)setup.pair.ab->send.spread->seq + 1, NI_ERR_PROTOCOL);
    setup.pair.ba->send.spread = NULL;
    pair_close(&setup.pair);
    ni_config_reload();
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order), cmocka_unit_test(held), cmocka_unit_test(in_a_call),
        cmocka_unit_test(answers),   cmocka_unit_test(wrap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
