/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/arrive/multipath_in.c. */
#include "multipath_parts.h"

/*
 * Parts of spread transfers as no honest sender writes them: numbers twice, too far ahead, or
 * never; more bytes than there are; fields that contradict each other. Each is refused and counted,
 * and ends the connection; none is waited for without end.
 */

/* The connection ends, what we had asked for ends with it, and it is counted. */
static void expect_cut(struct setup *setup, const struct lie *lie, uint64_t refused)
{
    struct pair_done done = {0};
    struct ni_ack ack = pair_ack(&done);
    struct ni_remote nowhere = {.addr = 4096, .key = 1, .handle = 1};

    assert_int_equal(ni_read(setup->pair.b, setup->pair.ba, here, 8, &nowhere, &ack), NI_OK);
    assert_int_equal(deliver(setup, lie), NI_ERR_PROTOCOL);
    assert_int_equal(ni_peer_status(setup->pair.ba), NI_ERR_PROTOCOL);
    assert_int_equal(done.count, 1);
    assert_int_equal(done.status, NI_ERR_PROTOCOL);
    assert_int_equal(pair_stat(setup->pair.b, "parts_refused"), refused);
    assert_int_equal(pair_stat(setup->pair.b, "rx_malformed"), 1);
    pair_settle(&setup->pair);
    pair_close(&setup->pair);
}

static void twice(void **state)
{
    struct setup setup;
    struct lie lie = honest(5, 0, 9, 5);

    (void)state;
    open_setup(&setup);
    assert_int_equal(deliver(&setup, &lie), NI_OK);
    expect_cut(&setup, &lie, 1);

    open_setup(&setup);
    lie = honest(0, 0, 9, 0);
    assert_int_equal(deliver(&setup, &lie), NI_OK);
    lie.offset = 8 * PART; /* bytes that are missing, but a number that is not */
    expect_cut(&setup, &lie, 1);
}

static void too_far_ahead(void **state)
{
    struct setup setup;
    struct lie lie = honest(NI_PARTS_WINDOW - 1, 0, 9, 5);

    (void)state;
    open_setup(&setup);
    assert_int_equal(deliver(&setup, &lie), NI_OK);
    lie.seq++;
    expect_cut(&setup, &lie, 1);
}

static void too_many_bytes(void **state)
{
    struct setup setup;
    struct lie lie = honest(0, 0, 2, 0);

    (void)state;
    open_setup(&setup);
    lie.len = PART + 1;
    assert_int_equal(deliver(&setup, &lie), NI_OK);
    lie.seq = 1;
    lie.offset = PART - 1;
    expect_cut(&setup, &lie, 1);

    open_setup(&setup);
    lie = honest(0, 0, 2, 0);
    assert_int_equal(deliver(&setup, &lie), NI_OK);
    lie = honest(1, 0, 3, 1); /* of the same transfer, which has another length now */
    expect_cut(&setup, &lie, 1);
}

/* A number that was never given to a part: the last part that waits for it is given up. */
static void never_sent(void **state)
{
    struct setup setup;
    struct lie last = honest(1, NI_PART_ORDERED, 2, 1);
    uint64_t looks = 0;
    ni_status status;

    (void)state;
    open_setup(&setup);
    do {
        status = deliver(&setup, &last);
        assert_true(++looks <= NI_PARTS_LOOKS + 1);
    } while (status == NI_AGAIN);
    assert_int_equal(status, NI_ERR_PROTOCOL);
    assert_int_equal(ni_peer_status(setup.pair.ba), NI_ERR_PROTOCOL);
    assert_int_equal(pair_stat(setup.pair.b, "parts_refused"), 1);
    pair_settle(&setup.pair);
    pair_close(&setup.pair);
}

static void contradictions(void **state)
{
    const struct lie lies[] = {
        {.len = 8, .total = 16, .counter = NI_PARTS_COUNTERS},
        {.len = 8, .total = 16, .zero = 1},
        {.len = 8, .total = 16, .offset = 9},
        {.len = 8, .total = 16, .offset = 17},
        {.len = 8, .total = 16, .offset = NI_PART_OFFSET},
        {.len = 8, .total = 16, .flags = NI_PART_NOTED},
        {.len = 8, .total = 8, .flags = NI_PART_NOTED | NI_PART_ANSWER},
        {.len = 0, .total = 16, .short_by = 1},
        {.len = 0, .total = 0, .flags = NI_PART_NOTED, .short_by = 1},
    };
    struct setup setup;

    (void)state;
    for (unsigned i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        open_setup(&setup);
        expect_cut(&setup, &lies[i], 0);
    }
}

/* Parts that we have never sent cannot have been taken. */
static void false_credits(void **state)
{
    struct setup setup;

    (void)state;
    open_setup(&setup);
    send_credit(&setup, 0, NI_ERR_PROTOCOL);
    assert_int_equal(ni_peer_status(setup.pair.ba), NI_ERR_PROTOCOL);
    pair_close(&setup.pair);
}

static void false_answers(void **state)
{
    struct setup setup;

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct pair_done done = {0};
        struct lie lie = honest(0, NI_PART_ANSWER, 2, 0);

        open_setup(&setup);
        lie.token = start_read(&setup, 2 * PART, &done);
        if (i == 0) {
            lie.total = 4 * PART;
            lie.offset = 3 * PART; /* behind the end of what was asked */
        } else if (i == 1) {
            lie.key = NI_AGAIN;
        } else {
            lie.len = 2 * PART - 1;
            assert_int_equal(deliver(&setup, &lie), NI_OK);
            lie.seq = 1;
        }
        assert_int_equal(deliver(&setup, &lie), NI_ERR_PROTOCOL);
        assert_int_equal(done.count, 1);
        assert_int_equal(done.status, NI_ERR_PROTOCOL);
        pair_settle(&setup.pair);
        pair_close(&setup.pair);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(twice),          cmocka_unit_test(too_far_ahead),
        cmocka_unit_test(too_many_bytes), cmocka_unit_test(never_sent),
        cmocka_unit_test(contradictions), cmocka_unit_test(false_credits),
        cmocka_unit_test(false_answers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
