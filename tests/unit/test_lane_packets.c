/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/link/lane.c. */
#include "base/bits.h"
#include "lane_pair.h"
#include "unit.h"

/*
 * What ni_lane_check lets pass, and the layout that both sides rely on.
 */

enum { LINES = 16, BULK = 1024, RING_MAX = LINES / 2 * NI_LINE };

struct header {
    unsigned head;
    uint32_t len;
    uint32_t lines; /* expected; 0: refused */
};

/* The packet that ni_lane_check is asked about, at the last line of the ring. */
static uint32_t check(struct lane_pair *pair, unsigned kind, unsigned head, uint32_t len,
                      uint32_t offset, const uint8_t **payload)
{
    uint64_t word0 = ni_packet_word0(1, kind, head, 0);
    struct ni_packet *packet;

    lane_pair_start_at(pair, LINES - 1, 1);
    packet = ni_lane_at(&pair->tx);
    memcpy((uint8_t *)packet + NI_PACKET_BULK_AT, &offset, sizeof(offset));
    return ni_lane_check(&pair->rx, packet, word0, ni_packet_word1(len, 0), payload);
}

static void ring_packets(void **state)
{
    static const struct header headers[] = {
        {16, 0, 1},
        {16, 48, 1},
        {16, 49, 2},
        {17, 47, 1},
        {17, 48, 2},
        {64, 0, 1},
        {64, 1, 2},
        {64, RING_MAX, LINES / 2 + 1},
        {16, RING_MAX, LINES / 2 + 1},
        {16, RING_MAX - 16, LINES / 2},
        /* a head inside of the header or behind its line */
        {0, 0, 0},
        {8, 8, 0},
        {15, 10, 0},
        {65, 0, 0},
        {128, 0, 0},
        {255, 1, 0},
        /* longer than any lane packet */
        {16, RING_MAX + 1, 0},
        {64, RING_MAX + 1, 0},
        {16, INT32_MAX, 0},
        {64, UINT32_MAX - 63, 0},
        {16, UINT32_MAX - 15, 0},
        {64, UINT32_MAX, 0},
    };
    struct lane_pair pair;

    (void)state;
    lane_pair_init(&pair, LINES, 0, false);
    for (size_t i = 0; i < NI_ARRAY_LENGTH(headers); i++) {
        const struct header *header = &headers[i];
        const uint8_t *payload = NULL;
        uint32_t lines = check(&pair, NI_PACKET_MESSAGE, header->head, header->len, 0, &payload);

        assert_int_equal(lines, header->lines);
        if (lines != 0) {
            assert_ptr_equal(payload, pair.ring + (LINES - 1) * NI_LINE + header->head);
            assert_true(payload + header->len <=
                        pair.ring + (size_t)ni_lane_ring_lines(LINES) * NI_LINE);
        }
    }
    lane_pair_fini(&pair);
}

static void bulk_packets(void **state)
{
    static const struct {
        uint32_t offset, len, lines;
    } cases[] = {
        {0, 0, 1},
        {0, BULK, 1},
        {1, BULK - 1, 1},
        {BULK - 1, 1, 1},
        {BULK - 1, 0, 1},
        {BULK, 0, 0},
        {0, BULK + 1, 0},
        {1, BULK, 0},
        {BULK - 1, 2, 0},
        {UINT32_MAX, 1, 0},
        {UINT32_MAX, UINT32_MAX, 0},
        {64, UINT32_MAX - 63, 0},
        {64, UINT32_MAX - 64, 0},
    };
    struct lane_pair pair;

    (void)state;
    lane_pair_init(&pair, LINES, BULK, false);
    for (size_t i = 0; i < NI_ARRAY_LENGTH(cases); i++) {
        const uint8_t *payload = NULL;
        uint32_t lines = check(&pair, NI_PACKET_MESSAGE | NI_PACKET_IN_BULK, NI_PACKET_HEADER,
                               cases[i].len, cases[i].offset, &payload);

        assert_int_equal(lines, cases[i].lines);
        if (lines != 0) {
            assert_ptr_equal(payload, pair.bulk + cases[i].offset);
        }
    }
    lane_pair_fini(&pair);
}

static void bulk_packet_without_bulk_area(void **state)
{
    const uint8_t *payload;
    struct lane_pair pair;

    (void)state;
    lane_pair_init(&pair, LINES, 0, false);
    assert_int_equal(check(&pair, NI_PACKET_IN_BULK, NI_PACKET_HEADER, 0, 0, &payload), 0);
    assert_int_equal(check(&pair, NI_PACKET_IN_BULK, NI_PACKET_HEADER, 1, 0, &payload), 0);
    lane_pair_fini(&pair);
}

/* Only the expected sequence number is a packet; 0 never is. */
static void sequence_numbers(void **state)
{
    static const uint32_t expected[] = {1, 2, 1000, UINT32_MAX - 1, UINT32_MAX};
    struct lane_pair pair;
    uint64_t word0;

    (void)state;
    lane_pair_init(&pair, LINES, 0, false);
    for (size_t i = 0; i < NI_ARRAY_LENGTH(expected); i++) {
        uint32_t seq = expected[i];

        lane_pair_start_at(&pair, 5, seq);
        for (uint32_t near = seq - 20; near != seq + 20; near++) {
            atomic_store_explicit(&ni_lane_at(&pair.tx)->word0,
                                  ni_packet_word0(near, NI_PACKET_NOP, NI_PACKET_HEADER, 0),
                                  memory_order_relaxed);
            assert_int_equal(ni_lane_peek(&pair.rx, &word0) != NULL, near == seq);
        }
        assert_int_not_equal(ni_lane_next_seq(seq), 0);
    }
    assert_int_equal(ni_lane_next_seq(UINT32_MAX), 1);
    lane_pair_fini(&pair);
}

static void header_fields_survive(void **state)
{
    uint64_t word0 = ni_packet_word0(0xfedcba98, NI_PACKET_COPY, 55, 0xabcd);
    uint64_t word1 = ni_packet_word1(0x89abcdef, 0x12345678);

    (void)state;
    assert_int_equal(ni_packet_seq(word0), 0xfedcba98);
    assert_int_equal(ni_packet_kind(word0), NI_PACKET_COPY);
    assert_int_equal(ni_packet_head(word0), 55);
    assert_int_equal(ni_packet_tag(word0), 0xabcd);
    assert_false(ni_packet_in_bulk(word0));
    assert_true(ni_packet_in_bulk(word0 | (uint64_t)NI_PACKET_IN_BULK << 32));
    assert_int_equal(ni_packet_kind(word0 | (uint64_t)NI_PACKET_IN_BULK << 32), NI_PACKET_COPY);
    assert_int_equal(ni_packet_len(word1), 0x89abcdef);
    assert_int_equal(ni_packet_region(word1), 0x12345678);
}

static void shared_layout_is_pinned(void **state)
{
    (void)state;
    assert_int_equal(sizeof(struct ni_packet), 64);
    assert_int_equal(offsetof(struct ni_packet, word1), 8);
    assert_int_equal(sizeof(struct ni_packet_remote), 40);
    assert_int_equal(sizeof(struct ni_packet_ack), 24);
    assert_int_equal(sizeof(struct ni_packet_copy), 32);
    assert_int_equal(sizeof(struct ni_packet_bulk), 8);
    assert_int_equal(NI_PACKET_BULK_AT, 56);
    assert_int_equal(sizeof(struct ni_shared_copy), 64);
    assert_int_equal(offsetof(struct ni_lane_page, shared_copies), 128);
    assert_int_equal(sizeof(struct ni_lane_page), 128 + 64 * NI_LANE_SHARED_COPIES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ring_packets),
        cmocka_unit_test(bulk_packets),
        cmocka_unit_test(bulk_packet_without_bulk_area),
        cmocka_unit_test(sequence_numbers),
        cmocka_unit_test(header_fields_survive),
        cmocka_unit_test(shared_layout_is_pinned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
