/* SPDX-License-Identifier: BSD-3-Clause */
#include <apeni/fault.h>

#include "base/bits.h"
#include "lane_pair.h"
#include "unit.h"

/*
 * Credits and the bulk area: what the sender may take, and what it makes of the numbers that the
 * receiver stores.
 */

enum { LINES = 16, BULK = 1024 };

static void send(struct lane_pair *pair, uint32_t lines)
{
    assert_true(ni_lane_room(&pair->tx, lines));
    ni_lane_at(&pair->tx)->word1 = ni_packet_word1((lines - 1) * NI_LINE, 0);
    ni_lane_commit(&pair->tx, ni_packet_word0(0, NI_PACKET_MESSAGE, NI_LINE, 0), lines);
}

static void send_bulk(struct lane_pair *pair, uint8_t *place, uint32_t len)
{
    ni_lane_at(&pair->tx)->word1 = ni_packet_word1(len, 0);
    ni_lane_commit_bulk(&pair->tx, ni_packet_word0(0, NI_PACKET_MESSAGE, NI_PACKET_HEADER, 0), 1,
                        place, len);
}

static void receive(struct lane_pair *pair, uint32_t lines)
{
    const uint8_t *payload;
    uint64_t word0;
    const struct ni_packet *packet = ni_lane_peek(&pair->rx, &word0);

    assert_non_null(packet);
    assert_int_equal(ni_lane_check(&pair->rx, packet, word0, packet->word1, &payload), lines);
    ni_lane_advance(&pair->rx, lines);
    ni_lane_publish(&pair->rx);
}

static void set_consumed(struct lane_pair *pair, uint32_t value)
{
    atomic_store_explicit(&pair->page->consumed, value, memory_order_relaxed);
}

static void no_lane_has_no_room(void **state)
{
    struct ni_lane_tx tx = {0};

    (void)state;
    assert_false(ni_lane_room(&tx, 1));
    ni_lane_warm(&tx);
}

static void all_but_one_line_can_be_filled(void **state)
{
    struct lane_pair pair;

    (void)state;
    lane_pair_init(&pair, LINES, 0, false);
    for (uint32_t i = 0; i < LINES - 1; i++) {
        send(&pair, 1);
    }
    assert_false(ni_lane_room(&pair.tx, 1));
    receive(&pair, 1);
    assert_true(ni_lane_room(&pair.tx, 1));
    assert_false(ni_lane_room(&pair.tx, 2));
    lane_pair_fini(&pair);
}

static void credits_wait_for_the_outermost_consumer(void **state)
{
    struct lane_pair pair;

    (void)state;
    lane_pair_init(&pair, LINES, 0, false);
    send(&pair, 8);
    send(&pair, 7);
    pair.rx.depth = 1;
    receive(&pair, 8);
    receive(&pair, 7);
    assert_false(ni_lane_room(&pair.tx, 1));
    pair.rx.depth = 0;
    ni_lane_publish(&pair.rx);
    assert_true(ni_lane_room(&pair.tx, LINES - 1));
    lane_pair_fini(&pair);
}

static void full_fault_strikes_although_there_is_room(void **state)
{
    struct lane_pair pair;

    (void)state;
    lane_pair_init(&pair, LINES, 0, false);
    ni_fault_arm(NI_FAULT_FULL, 2, 0);
    assert_true(ni_lane_room(&pair.tx, 1));
    assert_false(ni_lane_room(&pair.tx, 1));
    assert_true(ni_lane_room(&pair.tx, 1));
    assert_int_equal(ni_fault_struck(NI_FAULT_FULL), 1);
    ni_fault_reset();
    lane_pair_fini(&pair);
}

/* A lane that goes on in a larger ring has got no credits by that: ni_probe_credits takes what the
 * limit says for what was last loaded. */
static void a_larger_ring_is_no_credit(void **state)
{
    struct lane_pair pair;

    (void)state;
    lane_pair_init(&pair, LINES, 0, false);
    send(&pair, 8);
    receive(&pair, 8);
    assert_true(ni_lane_refresh(&pair.tx));
    send(&pair, 5);
    lane_pair_widen(&pair, 4 * LINES, false);
    ni_lane_tx_move(&pair.tx, NI_NOP_RING, pair.ring, pair.lines, pair.payload_map);
    assert_int_equal(pair.tx.limit - (pair.tx.mask + 1),
                     atomic_load_explicit(&pair.page->consumed, memory_order_relaxed));
    /* The packets before it and the one that says so: the larger ring has room beside them. */
    assert_true(ni_lane_room(&pair.tx, 4 * LINES - 5 - 1 - 1));
    assert_false(ni_lane_room(&pair.tx, 4 * LINES - 5 - 1));
    lane_pair_drop_old(&pair);
    lane_pair_fini(&pair);
}

/* Any value that a receiver may store, for counters anywhere: either it is refused, or the lane
 * goes on with no more room than a ring has. */
static void impossible_credits_are_refused(void **state)
{
    static const uint32_t starts[] = {0, 1, UINT32_MAX - 3, UINT32_MAX / 2, UINT32_MAX / 2 + 1};
    static const int64_t offsets[] = {-1, LINES + 1, 2 * LINES, INT32_MAX, -(int64_t)INT32_MAX - 1};

    (void)state;
    for (size_t i = 0; i < NI_ARRAY_LENGTH(starts) * NI_ARRAY_LENGTH(offsets); i++) {
        struct lane_pair pair;

        lane_pair_init(&pair, LINES, 0, false);
        lane_pair_start_at(&pair, starts[i / NI_ARRAY_LENGTH(offsets)], 1);
        send(&pair, 3);
        set_consumed(&pair, pair.tx.head - (uint32_t)offsets[i % NI_ARRAY_LENGTH(offsets)]);
        assert_false(ni_lane_refresh(&pair.tx));
        assert_true(pair.tx.limit - pair.tx.head <= LINES);
        lane_pair_fini(&pair);
    }
}

static void credits_that_go_back_take_nothing_back(void **state)
{
    struct lane_pair pair;

    (void)state;
    lane_pair_init(&pair, LINES, 0, false);
    send(&pair, 8);
    receive(&pair, 8);
    assert_true(ni_lane_refresh(&pair.tx));
    set_consumed(&pair, 2);
    assert_true(ni_lane_refresh(&pair.tx));
    assert_true(ni_lane_room(&pair.tx, LINES - 1));
    lane_pair_fini(&pair);
}

static void bulk_restarts_at_zero_when_drained(void **state)
{
    struct lane_pair pair;

    (void)state;
    lane_pair_init(&pair, LINES, BULK, false);
    for (int i = 0; i < 100; i++) {
        uint8_t *place = ni_lane_bulk_reserve(&pair.tx, 700, 0);

        assert_ptr_equal(place, pair.bulk);
        send_bulk(&pair, place, 700);
        assert_null(ni_lane_bulk_reserve(&pair.tx, 700, 0));
        receive(&pair, 1);
    }
    lane_pair_fini(&pair);
}

/* Room is taken back packet by packet, not only when nothing is left. */
static void bulk_goes_round_while_in_use(void **state)
{
    struct lane_pair pair;
    uint32_t at = 0;

    (void)state;
    lane_pair_init(&pair, LINES, BULK, false);
    for (int i = 0; i < 3; i++) {
        send_bulk(&pair, ni_lane_bulk_reserve(&pair.tx, 256, 0), 256);
    }
    for (int i = 0; i < 100; i++) {
        uint8_t *place = ni_lane_bulk_reserve(&pair.tx, 256, 0);

        assert_ptr_equal(place, pair.bulk + (768 + at) % BULK);
        send_bulk(&pair, place, 256);
        assert_null(ni_lane_bulk_reserve(&pair.tx, 1, 0));
        receive(&pair, 1);
        at += 256;
    }
    lane_pair_fini(&pair);
}

static uint32_t more_of_it(struct lane_pair *pair)
{
    uint8_t *place = ni_lane_bulk_reserve(&pair->tx, 256, 0);

    if (place == NULL) {
        return UINT32_MAX;
    }
    send_bulk(pair, place, 256);
    return (uint32_t)(place - pair->bulk);
}

static bool grow_twice(struct ni_lane_tx *tx, uint32_t end)
{
    assert_in_range(end, tx->bulk_size + 1, tx->bulk_most);
    tx->bulk_size *= 2;
    return true;
}

/* There is more of it when nothing is free: at once, or when its end is reached again. */
static void bulk_grows_where_it_was_full(void **state)
{
    struct lane_pair pair;
    int packet;

    (void)state;
    lane_pair_init(&pair, LINES, BULK, false);
    pair.tx.bulk_size = pair.rx.bulk_size = BULK / 4;
    pair.tx.grow = grow_twice;
    assert_int_equal(more_of_it(&pair), 0);
    assert_int_equal(more_of_it(&pair), 256);
    assert_int_equal(pair.tx.bulk_size, BULK / 2);
    pair.rx.bulk_size = BULK / 2;
    for (packet = 0; packet < 10; packet++) { /* never full: it goes round */
        receive(&pair, 1);
        assert_int_equal(more_of_it(&pair), packet % 2 * 256);
    }
    receive(&pair, 1);
    assert_int_equal(more_of_it(&pair), 0);
    assert_int_equal(more_of_it(&pair), UINT32_MAX); /* from 256 on it is in use, and up to there */
    assert_int_equal(pair.tx.bulk_size, BULK / 2);
    receive(&pair, 1);
    assert_int_equal(more_of_it(&pair), 256);
    receive(&pair, 1);
    assert_int_equal(more_of_it(&pair), 512);
    assert_int_equal(pair.tx.bulk_size, BULK);
    lane_pair_fini(&pair);
}

static void bulk_places_are_skewed(void **state)
{
    struct lane_pair pair;

    (void)state;
    lane_pair_init(&pair, LINES, BULK, false);
    for (uint32_t skew = 0; skew < 200; skew++) {
        uint8_t *place = ni_lane_bulk_reserve(&pair.tx, 100, skew);

        assert_int_equal((uintptr_t)(place + skew) % NI_LINE, 0);
    }
    /* All of the area can be used, whichever byte ought to start a line. */
    assert_ptr_equal(ni_lane_bulk_reserve(&pair.tx, BULK, 0), pair.bulk);
    assert_ptr_equal(ni_lane_bulk_reserve(&pair.tx, BULK, 14), pair.bulk);
    assert_ptr_equal(ni_lane_bulk_reserve(&pair.tx, BULK - 49, 14), pair.bulk);
    assert_ptr_equal(ni_lane_bulk_reserve(&pair.tx, BULK - 50, 14), pair.bulk + 50);
    assert_null(ni_lane_bulk_reserve(&pair.tx, BULK + 1, 0));
    assert_null(ni_lane_bulk_reserve(&pair.tx, UINT32_MAX, 14));
    lane_pair_fini(&pair);
}

static void bulk_payloads_under_way_are_limited(void **state)
{
    struct lane_pair pair;

    (void)state;
    lane_pair_init(&pair, 128, 128 * NI_LINE, false);
    for (int i = 0; i < NI_LANE_BULK_RECORDS; i++) {
        uint8_t *place = ni_lane_bulk_reserve(&pair.tx, 1, 0);

        assert_non_null(place);
        send_bulk(&pair, place, 1);
    }
    assert_null(ni_lane_bulk_reserve(&pair.tx, 1, 0));
    receive(&pair, 1);
    assert_non_null(ni_lane_bulk_reserve(&pair.tx, 1, 0));
    lane_pair_fini(&pair);
}

/* A lane without a bulk area, and a receiver that gave impossible credits. */
static void no_bulk_no_place(void **state)
{
    struct lane_pair pair;

    (void)state;
    lane_pair_init(&pair, LINES, 0, false);
    assert_null(ni_lane_bulk_reserve(&pair.tx, 1, 0));
    lane_pair_fini(&pair);
    lane_pair_init(&pair, LINES, BULK, false);
    send_bulk(&pair, ni_lane_bulk_reserve(&pair.tx, 1, 0), 1);
    set_consumed(&pair, 1000);
    assert_null(ni_lane_bulk_reserve(&pair.tx, 1, 0));
    lane_pair_fini(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_lane_has_no_room),
        cmocka_unit_test(all_but_one_line_can_be_filled),
        cmocka_unit_test(credits_wait_for_the_outermost_consumer),
        cmocka_unit_test(full_fault_strikes_although_there_is_room),
        cmocka_unit_test(a_larger_ring_is_no_credit),
        cmocka_unit_test(impossible_credits_are_refused),
        cmocka_unit_test(credits_that_go_back_take_nothing_back),
        cmocka_unit_test(bulk_restarts_at_zero_when_drained),
        cmocka_unit_test(bulk_goes_round_while_in_use),
        cmocka_unit_test(bulk_grows_where_it_was_full),
        cmocka_unit_test(bulk_places_are_skewed),
        cmocka_unit_test(bulk_payloads_under_way_are_limited),
        cmocka_unit_test(no_bulk_no_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
