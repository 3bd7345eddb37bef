/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/link.h, dnp/link_tx.c, dnp/link_rx.c. */
#include "unit.h"

#include "dnp/link.h"
#include "dnp_fixture.h"

enum { SIZE = 512, LATENCY = 55, QUEUE = 1024 };

struct end {
    struct dnp_register_file registers;
    struct dnp_link link;
    struct apelink_word words[DNP_VCS * SIZE];
    struct dnp_fifo out;
    struct apelink_word out_words[QUEUE];
    struct apelink_word cable[LATENCY + 1]; /* to the other end; by cycle */
    bool there[LATENCY + 1];
};

struct pair {
    struct end end[2];
    struct ni_rng rng;
    uint64_t now;
};

static struct pair *pair_new(void)
{
    struct pair *pair = calloc(1, sizeof *pair);

    assert_non_null(pair);
    ni_rng_seed(&pair->rng, 1);
    for (unsigned i = 0; i < 2; i++) {
        struct end *end = &pair->end[i];

        dnp_registers_reset(&end->registers);
        dnp_link_init(&end->link, &end->registers, i, end->words, SIZE, 0);
        dnp_fifo_init(&end->out, end->out_words, QUEUE);
    }
    return pair;
}

/* One cycle of both ends over cables of LATENCY cycles. */
static void cycle(struct pair *pair)
{
    unsigned slot = (unsigned)(pair->now % (LATENCY + 1));

    for (unsigned i = 0; i < 2; i++) {
        struct end *end = &pair->end[i];

        end->there[slot] = dnp_link_send(&end->link, pair->now, &end->cable[slot]);
    }
    pair->now++;
    slot = (unsigned)(pair->now % (LATENCY + 1));
    for (unsigned i = 0; i < 2; i++) {
        if (pair->end[!i].there[slot]) {
            dnp_link_receive(&pair->end[i].link, pair->now, pair->end[!i].cable[slot]);
        }
    }
}

/* Begin the first packet that waits at an end, on a channel, if there is room for it. */
static void begin(struct end *end, uint8_t vc)
{
    struct apelink_header header;
    uint32_t words = first_packet(&end->out, &header);

    if (words != 0 && !dnp_link_busy(&end->link) && dnp_link_room(&end->link, vc, words)) {
        dnp_link_begin(&end->link, &end->out, vc, words);
    }
}

static uint32_t reg(const struct end *end, enum dnp_offset offset)
{
    return dnp_get(&end->registers, offset, end->link.index);
}

/* Magic, Start, header, payload, footer: 64 bytes beside the payload (P of the paper). */
static void test_a_packet_word_by_word(void **state)
{
    struct pair *pair = pair_new();
    struct end *end = &pair->end[0];
    struct apelink_header header = {.len = 20};
    struct apelink_footer footer = {.tag = 7};
    struct apelink_word expected[4], word;
    struct dnp_control start;

    (void)state;
    put_packet(&end->out, &header, &footer, &pair->rng);
    for (uint32_t i = 0; i < 4; i++) {
        expected[i] = dnp_fifo_peek(&end->out, i);
    }
    assert_false(dnp_link_send(&end->link, 0, &word));
    begin(end, 1);
    assert_true(dnp_link_send(&end->link, 1, &word));
    assert_true(apelink_word_equal(word, DNP_MAGIC));
    assert_true(dnp_link_send(&end->link, 2, &word));
    assert_true(dnp_control_unpack(word, &start));
    assert_int_equal(start.kind, DNP_START);
    assert_int_equal(start.vc, 1);
    assert_int_equal(start.words, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(dnp_link_send(&end->link, 3 + i, &word));
        assert_true(apelink_word_equal(word, expected[i]));
    }
    assert_false(dnp_link_busy(&end->link));
    assert_false(dnp_link_send(&end->link, 7, &word));
    assert_int_equal(dnp_link_outstanding(&end->link, 1), 4);
    free(pair);
}

/* Words that leave together are those that leave one by one. */
static void test_bursts(void **state)
{
    struct pair *one = pair_new(), *many = pair_new();
    struct apelink_header header = {.len = 4096};
    struct apelink_footer footer = {.tag = 7};
    struct apelink_word words[QUEUE], word;
    uint32_t n = 0, more;

    (void)state;
    put_packet(&one->end[0].out, &header, &footer, &one->rng);
    put_packet(&many->end[0].out, &header, &footer, &many->rng);
    begin(&one->end[0], 0);
    begin(&many->end[0], 0);
    while ((more = dnp_link_send_burst(&many->end[0].link, 40, words + n, 100)) > 0) {
        n += more;
    }
    assert_true(n > DNP_PACKET_WORDS + 4);
    for (uint32_t i = 0; i < n; i++) {
        assert_true(dnp_link_send(&one->end[0].link, 40, &word));
        assert_true(apelink_word_equal(word, words[i]));
    }
    assert_false(dnp_link_send(&one->end[0].link, 40, &word));
    free(one);
    free(many);
}

/* What arrives in pieces of any length is what arrives word by word: of four packets with Magic in
 * them one is damaged and one cut. */
static void test_bursts_received(void **state)
{
    struct pair *from = pair_new(), *one = pair_new(), *many = pair_new();
    struct apelink_header header = {.len = 1000};
    struct apelink_footer footer = {.tag = 7};
    struct apelink_word words[QUEUE];
    uint32_t n = 0, more, at = 0;

    (void)state;
    for (int i = 0; i < 4; i++) {
        put_packet(&from->end[0].out, &header, &footer, &from->rng);
        begin(&from->end[0], 0);
        while ((more = dnp_link_send_burst(&from->end[0].link, 40, words + n, 100)) > 0) {
            n += more;
        }
    }
    assert_true(n > 4 * 65);
    words[30].lo ^= 1;
    n--;
    memmove(&words[100], &words[101], (n - 100) * sizeof *words);
    for (uint32_t i = 0; i < n; i++) {
        dnp_link_receive(&one->end[1].link, 50, words[i]);
    }
    for (uint32_t piece = 1; at < n; at += piece, piece = piece % 97 + 1) {
        piece = piece < n - at ? piece : n - at;
        dnp_link_receive_burst(&many->end[1].link, 50, words + at, piece);
    }
    assert_int_equal(reg(&one->end[1], DNP_REG_link_crc_errors), 1);
    assert_int_equal(reg(&one->end[1], DNP_REG_link_cut_packets), 1);
    assert_memory_equal(&one->end[1].registers, &many->end[1].registers,
                        sizeof one->end[1].registers);
    assert_int_equal(dnp_fifo_ready(&one->end[1].link.rx.fifo[0]),
                     dnp_fifo_ready(&many->end[1].link.rx.fifo[0]));
    assert_int_equal(one->end[1].link.rx.seen[0], many->end[1].link.rx.seen[0]);
    free(from);
    free(one);
    free(many);
}

/* A word of the packet that is Magic costs one more, and is counted once. */
static void test_magic_as_payload(void **state)
{
    struct pair *pair = pair_new();
    struct dnp_fifo *in = &pair->end[1].link.rx.fifo[0];
    struct apelink_header header = {.len = 16};
    struct apelink_word words[3] = {apelink_header_pack(&header), DNP_MAGIC, {0, 0}};

    (void)state;
    words[2] = dnp_footer_seal(words[2], dnp_crc(0, words, 2));
    for (int i = 0; i < 3; i++) {
        dnp_fifo_put(&pair->end[0].out, words[i]);
    }
    dnp_fifo_commit(&pair->end[0].out);
    begin(&pair->end[0], 0);
    for (int i = 0; i < 2 * LATENCY; i++) {
        cycle(pair);
    }
    assert_int_equal(dnp_fifo_ready(in), 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(apelink_word_equal(dnp_fifo_take(in), words[i]));
    }
    assert_int_equal(reg(&pair->end[1], DNP_REG_link_stray_words), 0);
    free(pair);
}

/* Credits take the packet's words away at the other side, also while nothing is sent. */
static void test_room_comes_back_by_credits(void **state)
{
    struct pair *pair = pair_new();
    struct end *end = &pair->end[0];
    struct apelink_header header = {.len = APELINK_PAYLOAD_MAX};
    struct apelink_footer footer = {.tag = 7};

    (void)state;
    put_packet(&end->out, &header, &footer, &pair->rng);
    put_packet(&end->out, &header, &footer, &pair->rng);
    begin(end, 0);
    for (int i = 0; i < 2000; i++) {
        begin(end, 0);
        cycle(pair);
    }
    /* T_RED of 506 has room for one packet of 258 words only. */
    assert_int_equal(dnp_fifo_ready(&end->out), DNP_PACKET_WORDS);
    assert_int_equal(dnp_link_outstanding(&end->link, 0), DNP_PACKET_WORDS);
    assert_true(dnp_link_room(&end->link, 1, DNP_PACKET_WORDS));
    /* Not before fewer than T_YELLOW = 249 words are there. */
    dnp_fifo_skip(&pair->end[1].link.rx.fifo[0], 9);
    for (int i = 0; i < 2000; i++) {
        cycle(pair);
    }
    assert_int_equal(dnp_link_outstanding(&end->link, 0), 249);
    assert_false(dnp_link_room(&end->link, 0, 2));
    dnp_fifo_skip(&pair->end[1].link.rx.fifo[0], 1);
    for (int i = 0; i < 2000; i++) {
        cycle(pair);
    }
    assert_true(dnp_link_room(&end->link, 0, 2));
    assert_true(dnp_link_room(&end->link, 0, DNP_PACKET_WORDS));
    free(pair);
}

/* E1 E2 E3 of 3.1.1.1, with T_RED = 506 and C = 35: 0.595 of all cycles carry payload. */
static void test_efficiency_of_the_paper(void **state)
{
    struct pair *pair = pair_new();
    struct end *end = &pair->end[0], *other = &pair->end[1];
    struct apelink_header header = {.len = APELINK_PAYLOAD_MAX};
    struct apelink_footer footer = {.tag = 7};
    enum { CYCLES = 500000 };
    uint64_t packets;

    (void)state;
    dnp_set(&other->registers, DNP_REG_link_credit, 0, 1U << 16 | 35);
    dnp_set(&end->registers, DNP_REG_link_credit, 0, 1U << 16 | 35);
    for (int i = 0; i < CYCLES; i++) {
        if (dnp_fifo_room(&end->out) >= DNP_PACKET_WORDS) {
            put_packet(&end->out, &header, &footer, &pair->rng);
        }
        begin(end, 0);
        cycle(pair);
        if (dnp_fifo_ready(&other->link.rx.fifo[0]) > 0) {
            (void)dnp_fifo_take(&other->link.rx.fifo[0]);
        }
    }
    packets = dnp_get64(&other->registers, DNP_REG_link_packets, 1);
    assert_in_range(packets * 256 * 1000 / CYCLES, 585, 600);
    printf("%.3f of the cycles carry payload\n", (double)packets * 256 / CYCLES);
    free(pair);
}

/* Diagnostic messages are in the spare bits: no word more. */
static void test_spare_bits_are_carried(void **state)
{
    struct pair *pair = pair_new();

    (void)state;
    pair->end[0].link.tx.spare = 0x80000042;
    for (int i = 0; i < 3 * LATENCY; i++) {
        cycle(pair);
    }
    assert_int_equal(pair->end[1].link.rx.spare, 0x80000042);
    assert_int_equal(reg(&pair->end[1], DNP_REG_link_up), 1);
    free(pair);
}

static void test_a_silent_link_is_down(void **state)
{
    struct pair *pair = pair_new();
    struct dnp_link *link = &pair->end[0].link;
    struct apelink_word word;

    (void)state;
    dnp_set(&pair->end[0].registers, DNP_REG_link_timeout, 0, 10000);
    for (int i = 0; i < 9000; i++) {
        cycle(pair);
        assert_false(dnp_link_down(link, pair->now));
    }
    assert_int_equal(reg(&pair->end[0], DNP_REG_link_up), 1);
    for (int i = 0; i < 20000; i++) {
        (void)dnp_link_send(link, pair->now++, &word);
    }
    assert_true(dnp_link_down(link, pair->now));
    assert_int_equal(reg(&pair->end[0], DNP_REG_link_up), 0);
    for (uint32_t up = 0; up < 2; up++) { /* the first credit opens it, a while later */
        dnp_link_receive(link, pair->now, DNP_MAGIC);
        dnp_link_receive(link, pair->now,
                         dnp_control_pack(&(struct dnp_control){.kind = DNP_CREDIT}));
        assert_false(dnp_link_down(link, pair->now));
        assert_int_equal(dnp_link_shut(link, pair->now), !up);
        assert_int_equal(reg(&pair->end[0], DNP_REG_link_up), up);
        pair->now += 10000 / DNP_LINK_SHUT;
    }
    dnp_set(&pair->end[0].registers, DNP_REG_link_timeout, 0, 0);
    assert_false(dnp_link_down(link, pair->now + ((uint64_t)1 << 40)));
    free(pair);
}

/* A card that is switched on anew counts from 0; credits make that good on both sides. */
static void test_a_neighbour_that_begins_anew(void **state)
{
    struct pair *pair = pair_new();
    struct end *end = &pair->end[0], *other = &pair->end[1];
    struct apelink_header header = {.len = APELINK_PAYLOAD_MAX};
    struct apelink_footer footer = {.tag = 7};

    (void)state;
    put_packet(&end->out, &header, &footer, &pair->rng);
    put_packet(&end->out, &header, &footer, &pair->rng);
    begin(end, 0);
    for (int i = 0; i < 200; i++) {
        cycle(pair);
    }
    dnp_link_init(&other->link, &other->registers, 1, other->words, SIZE, pair->now);
    for (int i = 0; i < 5000; i++) {
        cycle(pair);
    }
    assert_int_equal(dnp_link_outstanding(&end->link, 0), 0);
    begin(end, 0);
    for (int i = 0; i < 1000; i++) {
        cycle(pair);
    }
    assert_int_equal(dnp_fifo_ready(&other->link.rx.fifo[0]), DNP_PACKET_WORDS);
    free(pair);
}

/* What has a right CRC and is no packet all the same, or has no room. */
static void test_bad_packets_are_dropped(void **state)
{
    struct pair *pair = pair_new();
    struct end *end = &pair->end[0];
    struct apelink_header header = {.len = 32};
    struct apelink_footer footer = {.tag = 7};

    (void)state;
    put_packet(&end->out, &header, &footer, &pair->rng);
    header.len = APELINK_PAYLOAD_MAX;
    /* Longer than its header says. */
    dnp_link_begin(&end->link, &end->out, 0, 4);
    end->link.tx.left = 3;
    for (int i = 0; i < 100; i++) {
        cycle(pair);
    }
    assert_int_equal(reg(&pair->end[1], DNP_REG_link_crc_errors), 1);
    assert_int_equal(dnp_fifo_held(&pair->end[1].link.rx.fifo[0]), 0);
    dnp_fifo_init(&end->out, end->out_words, QUEUE);
    /* Two packets of 258 words into 512, whatever credits say. */
    put_packet(&end->out, &header, &footer, &pair->rng);
    put_packet(&end->out, &header, &footer, &pair->rng);
    for (int i = 0; i < 2; i++) {
        dnp_link_begin(&end->link, &end->out, 0, DNP_PACKET_WORDS);
        for (int j = 0; j < 1000; j++) {
            cycle(pair);
        }
    }
    assert_int_equal(reg(&pair->end[1], DNP_REG_link_bad_packets), 1);
    assert_int_equal(dnp_fifo_held(&pair->end[1].link.rx.fifo[0]), DNP_PACKET_WORDS);
    assert_int_equal(reg(&pair->end[1], DNP_REG_link_lost_words), 3 + DNP_PACKET_WORDS);
    free(pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_packet_word_by_word),
        cmocka_unit_test(test_bursts),
        cmocka_unit_test(test_bursts_received),
        cmocka_unit_test(test_magic_as_payload),
        cmocka_unit_test(test_room_comes_back_by_credits),
        cmocka_unit_test(test_efficiency_of_the_paper),
        cmocka_unit_test(test_spare_bits_are_carried),
        cmocka_unit_test(test_a_silent_link_is_down),
        cmocka_unit_test(test_a_neighbour_that_begins_anew),
        cmocka_unit_test(test_bad_packets_are_dropped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
