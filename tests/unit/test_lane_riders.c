/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/link/lane.c. */
#include "lane_pair.h"
#include "unit.h"

/*
 * Packets that ride in the line of another: which do, what the receiver finds, and that the line
 * is not written again before.
 */

enum { LINES = 32, COMMON = 7, QUEUE = 3 };

static const struct lane_short a_put = {.kind = NI_PACKET_PUT,
                                        .tag = 5,
                                        .region = NI_HANDLE_PORTAL,
                                        .len = 8,
                                        .common = COMMON,
                                        .rest = {1, 2}};

static const struct lane_short a_message = {.kind = NI_PACKET_MESSAGE,
                                            .tag = 9,
                                            .region = QUEUE,
                                            .len = 22,
                                            .common = COMMON,
                                            .rest = {3, 4}};

static struct lane_pair open_pair(void)
{
    struct lane_pair pair;

    lane_pair_init(&pair, LINES, 0, false);
    return pair;
}

static bool send(struct lane_pair *pair, const struct lane_short *packet)
{
    assert_true(ni_lane_room(&pair->tx, 1));
    return lane_pair_send_short(pair, packet);
}

/* Take the next packet, which is this one. Returns where it is. */
static const struct ni_packet *take(struct lane_pair *pair, const struct lane_short *sent)
{
    uint64_t word0, body[3];
    const struct ni_packet *packet;
    const uint8_t *payload;

    assert_true(ni_lane_has_packet(&pair->rx));
    packet = ni_lane_peek(&pair->rx, &word0);
    assert_non_null(packet);
    assert_int_equal(word0, lane_short_word0(sent) | pair->rx.seq);
    assert_int_equal(packet->word0, word0);
    assert_int_equal(packet->word1, ni_packet_word1(sent->len, sent->region));
    assert_int_equal(ni_lane_check(&pair->rx, packet, word0, packet->word1, &payload), 1);
    lane_short_body(sent, body);
    assert_memory_equal((const uint8_t *)packet + NI_PACKET_HEADER, body,
                        ni_packet_head(word0) - NI_PACKET_HEADER + sent->len);
    ni_lane_advance(&pair->rx, 1);
    ni_lane_publish(&pair->rx);
    return packet;
}

static void nothing_more(struct lane_pair *pair)
{
    uint64_t word0;

    assert_false(ni_lane_has_packet(&pair->rx));
    assert_null(ni_lane_peek(&pair->rx, &word0));
}

static void every_second_rides(void **state)
{
    const struct lane_short *kinds[] = {&a_put, &a_message};

    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        struct lane_pair pair = open_pair();

        for (int i = 0; i < 6; i++) {
            assert_int_equal(send(&pair, kinds[kind]), i % 2);
        }
        for (int i = 0; i < 6; i++) {
            assert_int_equal(take(&pair, kinds[kind]) == &pair.rx.rider, i % 2);
        }
        nothing_more(&pair);
        lane_pair_fini(&pair);
    }
}

static void found_when_it_comes_later(void **state)
{
    struct lane_pair pair = open_pair();

    (void)state;
    assert_false(send(&pair, &a_put));
    take(&pair, &a_put);
    nothing_more(&pair);
    assert_true(send(&pair, &a_put));
    take(&pair, &a_put);
    nothing_more(&pair);
    assert_false(send(&pair, &a_put));
    take(&pair, &a_put);
    lane_pair_fini(&pair);
}

static void only_with_what_it_has_in_common(void **state)
{
    struct lane_short other[3] = {a_put, a_put, a_message};

    (void)state;
    other[0].common++;
    other[1].region++;
    for (int i = 0; i < 3; i++) {
        struct lane_pair pair = open_pair();

        assert_false(send(&pair, &a_put));
        assert_false(send(&pair, &other[i]));
        take(&pair, &a_put);
        take(&pair, &other[i]);
        nothing_more(&pair);
        lane_pair_fini(&pair);
    }
}

static void not_behind_an_idle_poll_nor_in_a_stream(void **state)
{
    struct lane_pair pair = open_pair();
    struct lane_short answered = a_put;

    (void)state;
    assert_false(send(&pair, &a_put));
    ni_lane_warm(&pair.tx);
    assert_false(send(&pair, &a_put));
    take(&pair, &a_put);
    take(&pair, &a_put);
    for (int round = 0; round < 2; round++) {
        answered.heard++;
        ni_lane_warm(&pair.tx);
        for (int i = 0; i < LANE_PAIR_RIDES + 4; i++) {
            assert_int_equal(send(&pair, &answered), i % 2 != 0 && i < LANE_PAIR_RIDES);
            take(&pair, &answered);
        }
    }
    nothing_more(&pair);
    lane_pair_fini(&pair);
}

static void not_where_the_link_copies(void **state)
{
    struct lane_pair pair = open_pair();

    (void)state;
    pair.tx.rides = 0;
    pair.rx.rides = 0;
    assert_false(send(&pair, &a_put));
    assert_false(send(&pair, &a_put));
    take(&pair, &a_put);
    take(&pair, &a_put);
    lane_pair_fini(&pair);
}

/* The sender has a line less while its receiver has taken only the first packet in it. */
static void its_line_is_kept(void **state)
{
    struct lane_pair pair = open_pair();

    (void)state;
    assert_false(send(&pair, &a_put));
    assert_true(send(&pair, &a_put));
    take(&pair, &a_put);
    assert_true(ni_lane_refresh(&pair.tx));
    assert_int_equal(pair.tx.limit - pair.tx.head, LINES - 2);
    while (ni_lane_room(&pair.tx, 1)) {
        ni_lane_warm(&pair.tx);
        send(&pair, &a_message);
    }
    ni_lane_claim_more(&pair.tx);
    take(&pair, &a_put);
    take(&pair, &a_message);
    assert_true(ni_lane_refresh(&pair.tx));
    assert_true(ni_lane_room(&pair.tx, 1));
    lane_pair_fini(&pair);
}

/* Where its receiver has taken all, the line of the last packet is free, and claimed. */
static void not_in_a_line_that_is_free(void **state)
{
    struct lane_pair pair = open_pair();
    int sent = 0;

    (void)state;
    send(&pair, &a_put);
    take(&pair, &a_put);
    assert_true(ni_lane_refresh(&pair.tx));
    assert_int_equal(pair.tx.limit - pair.tx.head, LINES);
    ni_lane_claim_more(&pair.tx);
    ni_lane_claim_more(&pair.tx);
    do {
        send(&pair, &a_put);
        sent++;
    } while (pair.tx.limit - pair.tx.head > 1);
    for (; sent > 0; sent--) {
        take(&pair, &a_put);
    }
    nothing_more(&pair);
    lane_pair_fini(&pair);
}

/* Who is in a callback with one that rides still has it when the callback has taken the next. */
static void stays_for_who_reads_it(void **state)
{
    struct lane_pair pair = open_pair();
    struct lane_short second = a_put, fourth = a_put;
    const struct ni_packet *outer, *inner;

    (void)state;
    second.rest[1] = 20;
    fourth.rest[1] = 40;
    send(&pair, &a_put);
    assert_true(send(&pair, &second));
    send(&pair, &a_put);
    assert_true(send(&pair, &fourth));
    take(&pair, &a_put);
    outer = take(&pair, &second);
    pair.rx.depth++;
    take(&pair, &a_put);
    inner = take(&pair, &fourth);
    assert_int_equal(outer->body[2], 20);
    assert_int_equal(inner->body[2], 40);
    pair.rx.depth--;
    nothing_more(&pair);
    lane_pair_fini(&pair);
}

static void write_rider(struct lane_pair *pair, uint64_t word0)
{
    struct ni_packet *line = (struct ni_packet *)(void *)ni_lane_line(&pair->rx, pair->rx.tail - 1);

    line->body[NI_RIDER_BODY] = word0 | pair->rx.seq;
}

/* What a liar writes there is refused, or is not looked at. */
static void lies_are_refused(void **state)
{
    static const uint64_t lies[] = {
        (uint64_t)NI_PACKET_PUT << 32 | 9ULL << 40,     /* too long */
        (uint64_t)NI_PACKET_MESSAGE << 32 | 8ULL << 40, /* of another kind than its line's */
        (uint64_t)(NI_PACKET_PUT | NI_PACKET_IN_BULK) << 32,
        (uint64_t)NI_PACKET_WRITE << 32,
    };

    (void)state;
    for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        struct lane_pair pair = open_pair();
        const struct ni_packet *packet;
        const uint8_t *payload;
        uint64_t word0;

        send(&pair, &a_put);
        take(&pair, &a_put);
        write_rider(&pair, lies[i]);
        packet = ni_lane_peek(&pair.rx, &word0);
        assert_non_null(packet);
        assert_int_equal(ni_lane_check(&pair.rx, packet, word0, packet->word1, &payload), 0);
        assert_int_equal(ni_lane_refusal(&pair.rx), NI_ERR_PROTOCOL);
        lane_pair_fini(&pair);
    }
}

/* Behind a packet with no place for a rider, the bytes there are its payload. */
static void payload_is_no_rider(void **state)
{
    struct lane_pair pair = open_pair();
    const uint8_t *payload;
    uint64_t word0;
    struct ni_packet *packet = ni_lane_at(&pair.tx);

    (void)state;
    packet->word1 = ni_packet_word1(NI_PACKET_INLINE, QUEUE);
    packet->body[NI_RIDER_BODY] = ni_packet_word0(2, NI_PACKET_MESSAGE, 8, 0);
    ni_lane_commit(&pair.tx, ni_packet_word0(0, NI_PACKET_MESSAGE, NI_PACKET_HEADER, 0), 1);
    packet = ni_lane_peek(&pair.rx, &word0);
    assert_non_null(packet);
    assert_int_equal(ni_lane_check(&pair.rx, packet, word0, packet->word1, &payload), 1);
    ni_lane_advance(&pair.rx, 1);
    nothing_more(&pair);
    lane_pair_fini(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_second_rides),
        cmocka_unit_test(found_when_it_comes_later),
        cmocka_unit_test(only_with_what_it_has_in_common),
        cmocka_unit_test(not_behind_an_idle_poll_nor_in_a_stream),
        cmocka_unit_test(not_where_the_link_copies),
        cmocka_unit_test(its_line_is_kept),
        cmocka_unit_test(not_in_a_line_that_is_free),
        cmocka_unit_test(stays_for_who_reads_it),
        cmocka_unit_test(lies_are_refused),
        cmocka_unit_test(payload_is_no_rider),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
