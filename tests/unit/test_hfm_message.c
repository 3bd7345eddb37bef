/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: hfm/message.c, hfm/message.h. */
#include "unit.h"

#include "base/random.h"
#include "hfm/message.h"
#include "hfm/watchdog.h"

static const struct dnp_key key = {{1, 2}}, other_key = {{1, 3}};

static const struct hfm_message report = {
    .kind = HFM_REPORT,
    .subject = HFM_OWN,
    .from = 0x12345678,
    .about = 0x9abcdef0,
    .fault = HFM_CARD_LOST | DNP_FAULT_HOST_LOST,
    .worst = HFM_CARD_LOST | 0x02aaaaaa,
    .session = 0xfedcba9876543210U,
    .answers = 77,
    .number = 0x1122334455667788U,
    .flags = HFM_FLAG_ACTS | HFM_FLAG_ACKED,
    .term = 0x0102030405060708U,
    .have = 0x8877665544332211U,
    .via = 0xfffefdfc,
    .age_us = 0x13579bdf,
};

static void test_what_is_packed_is_unpacked(void **state)
{
    uint8_t bytes[HFM_MESSAGE_SIZE];
    struct hfm_message message;

    (void)state;
    hfm_message_pack(&report, &key, bytes);
    assert_memory_equal(bytes, "HFMM\2\3\6\5", 8);
    assert_true(hfm_message_unpack(&message, &key, bytes, sizeof bytes));
    assert_int_equal(message.kind, report.kind);
    assert_int_equal(message.subject, report.subject);
    assert_int_equal(message.from, report.from);
    assert_int_equal(message.about, report.about);
    assert_int_equal(message.fault, report.fault);
    assert_int_equal(message.worst, report.worst);
    assert_true(message.session == report.session && message.answers == report.answers &&
                message.number == report.number);
    assert_true(message.term == report.term && message.have == report.have);
    assert_int_equal(message.flags, report.flags);
    assert_int_equal(message.via, report.via);
    assert_int_equal(message.age_us, report.age_us);
}

static void test_other_keys_lengths_and_bits_are_refused(void **state)
{
    uint8_t bytes[HFM_MESSAGE_SIZE + 1] = {0};
    struct hfm_message message;

    (void)state;
    hfm_message_pack(&report, &key, bytes);
    assert_false(hfm_message_unpack(&message, &other_key, bytes, HFM_MESSAGE_SIZE));
    assert_false(hfm_message_unpack(&message, &key, bytes, HFM_MESSAGE_SIZE - 1));
    assert_false(hfm_message_unpack(&message, &key, bytes, HFM_MESSAGE_SIZE + 1));
    assert_false(hfm_message_unpack(&message, &key, bytes, 0));
    for (unsigned bit = 0; bit < HFM_MESSAGE_SIZE * 8; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(hfm_message_unpack(&message, &key, bytes, HFM_MESSAGE_SIZE));
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_true(hfm_message_unpack(&message, &key, bytes, HFM_MESSAGE_SIZE));
}

/* Also who has the key may err. */
static void test_messages_without_sense_are_refused(void **state)
{
    struct hfm_message bad[8], message;
    uint8_t bytes[HFM_MESSAGE_SIZE];

    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        bad[i] = report;
    }
    bad[0].kind = HFM_KINDS;
    bad[1].kind = (enum hfm_kind)0;
    bad[2].subject = HFM_SILENCE + 1;
    bad[3].session = 0;
    bad[4].number = 0;
    bad[5].fault = 3;
    bad[6].worst = 3U << 24;
    bad[7].flags = HFM_FLAGS + 1;
    for (unsigned i = 0; i < 8; i++) {
        hfm_message_pack(&bad[i], &key, bytes);
        assert_false(hfm_message_unpack(&message, &key, bytes, sizeof bytes));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_packed_is_unpacked),
        cmocka_unit_test(test_other_keys_lengths_and_bits_are_refused),
        cmocka_unit_test(test_messages_without_sense_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
