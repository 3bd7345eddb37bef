/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: driver/word.h, dnp/crc.c, dnp/fifo.h, driver/packet.c, dnp/control.c. */
#include "unit.h"

#include "dnp_fixture.h"

/* One bit at a time. */
static uint32_t naive_crc(const uint8_t *bytes, size_t n)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < n; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320U : crc >> 1;
        }
    }
    return ~crc;
}

static void test_crc(void **state)
{
    struct apelink_word zero = {0, 0};
    struct ni_rng rng;

    (void)state;
    assert_int_equal(dnp_crc(0, &zero, 1), 0xecbb4b55); /* as zlib computes it */
    ni_rng_seed(&rng, 1);
    for (uint32_t n = 0; n < 64; n++) {
        uint8_t bytes[64 * APELINK_WORD];
        struct apelink_word words[64];
        uint32_t crc = 0;

        for (uint32_t i = 0; i < n; i++) {
            words[i] = (struct apelink_word){ni_rng_next(&rng), ni_rng_next(&rng)};
            apelink_word_to(words[i], bytes + (size_t)i * APELINK_WORD);
            crc = dnp_crc(crc, &words[i], 1);
        }
        assert_int_equal(dnp_crc(0, words, n), naive_crc(bytes, (size_t)n * APELINK_WORD));
        assert_int_equal(crc, dnp_crc(0, words, n));
        assert_int_equal(crc, dnp_crc(dnp_crc(0, words, n / 3), words + n / 3, n - n / 3));
    }
}

static void test_headers_come_back(void **state)
{
    const struct apelink_header header = {.address = 0x123456789abcdef0U,
                                          .to = {1023, 512, 1},
                                          .len = 4096,
                                          .operation = APELINK_ANSWER,
                                          .port = 3,
                                          .gpu = true,
                                          .gpu_id = 1,
                                          .last = true,
                                          .physical = true};
    struct apelink_header back;

    (void)state;
    assert_true(apelink_header_unpack(apelink_header_pack(&header), &back));
    assert_int_equal(back.address, header.address);
    assert_int_equal(back.to.x, 1023);
    assert_int_equal(back.to.y, 512);
    assert_int_equal(back.to.z, 1);
    assert_int_equal(back.len, 4096);
    assert_int_equal(back.operation, APELINK_ANSWER);
    assert_int_equal(back.port, 3);
    assert_true(back.gpu && back.last && back.physical);
    assert_int_equal(back.gpu_id, 1);
}

/* Table 18's bits are those of the header's last 32 bits. */
static void test_bits_of_table_18(void **state)
{
    (void)state;
    assert_int_equal(apelink_header_pack(&(struct apelink_header){.port = 3}).hi >> 32, 3U << 26);
    assert_int_equal(apelink_header_pack(&(struct apelink_header){.gpu = true}).hi >> 32, 1U << 28);
    assert_int_equal(apelink_header_pack(&(struct apelink_header){.gpu_id = 1}).hi >> 32, 1U << 29);
    assert_int_equal(apelink_header_pack(&(struct apelink_header){.last = true}).hi >> 32,
                     1U << 30);
    assert_int_equal(apelink_header_pack(&(struct apelink_header){.physical = true}).hi >> 32,
                     1U << 31);
}

static void test_headers_without_sense(void **state)
{
    struct apelink_header header = {.len = 4097};

    (void)state;
    assert_false(apelink_header_unpack(apelink_header_pack(&header), &header));
    header = (struct apelink_header){.operation = APELINK_OPERATIONS};
    assert_false(apelink_header_unpack(apelink_header_pack(&header), &header));
    header = (struct apelink_header){.operation = APELINK_GET, .len = 0};
    assert_false(apelink_header_unpack(apelink_header_pack(&header), &header));
    header = (struct apelink_header){.operation = APELINK_REFUSE, .len = 16};
    assert_false(apelink_header_unpack(apelink_header_pack(&header), &header));
    for (unsigned bit = 0; bit < 64; bit++) {
        bool named = bit < 30 || (bit >= 32 && bit < 48) || bit >= 58;

        if (!named) {
            assert_false(
                apelink_header_unpack((struct apelink_word){0, (uint64_t)1 << bit}, &header));
        }
    }
}

static void test_footers_are_sealed(void **state)
{
    const struct apelink_footer footer = {
        .from = {3, 4, 5}, .port = 2, .tag = 0xdeadbeef, .stamp = 77, .crc = 0};
    struct apelink_word sealed = dnp_footer_seal(apelink_footer_pack(&footer), 0x1234);
    struct apelink_footer back = apelink_footer_unpack(sealed);

    (void)state;
    assert_int_equal(back.from.x, 3);
    assert_int_equal(back.from.y, 4);
    assert_int_equal(back.from.z, 5);
    assert_int_equal(back.port, 2);
    assert_int_equal(back.tag, 0xdeadbeef);
    assert_int_equal(back.stamp, 77);
    assert_true(dnp_footer_sealed(sealed, 0x1234));
    assert_false(dnp_footer_sealed(sealed, 0x1235));
    for (unsigned bit = 0; bit < 128; bit++) {
        struct apelink_word wrong = sealed;

        *(bit < 64 ? &wrong.lo : &wrong.hi) ^= (uint64_t)1 << bit % 64;
        assert_false(dnp_footer_sealed(wrong, 0x1234));
    }
}

static void test_requests_come_back(void **state)
{
    const struct apelink_request request = {0xfedcba9876543210U, UINT32_MAX};
    struct apelink_request back;

    (void)state;
    assert_true(apelink_request_unpack(apelink_request_pack(&request), &back));
    assert_true(back.address == request.address && back.len == request.len);
    assert_false(apelink_request_unpack((struct apelink_word){0, (uint64_t)1 << 32}, &back));
}

/* Whatever single bit of an announced word is wrong, it is none. */
static void test_announced_words_are_checked(void **state)
{
    struct dnp_control words[] = {
        {.kind = DNP_START, .vc = 1, .words = 258, .sent = {0, 65535}},
        {.kind = DNP_CREDIT, .taken = {1, 65535}, .sent = {65534, 2}, .spare = 0x87654321},
        {.kind = DNP_LITERAL},
    };
    struct dnp_control back;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct apelink_word word = dnp_control_pack(&words[i]);

        assert_true(dnp_control_unpack(word, &back));
        assert_memory_equal(&back, &words[i], sizeof back);
        assert_false(apelink_word_equal(word, DNP_MAGIC));
        for (unsigned bit = 0; bit < 128; bit++) {
            struct apelink_word wrong = word;

            *(bit < 64 ? &wrong.lo : &wrong.hi) ^= (uint64_t)1 << bit % 64;
            assert_false(dnp_control_unpack(wrong, &back));
        }
    }
    words[0].words = 1;
    assert_false(dnp_control_unpack(dnp_control_pack(&words[0]), &back));
    words[0].words = 259;
    assert_false(dnp_control_unpack(dnp_control_pack(&words[0]), &back));
    assert_false(dnp_control_unpack(DNP_MAGIC, &back));
    assert_false(dnp_control_unpack((struct apelink_word){0, 0}, &back));
}

static void test_fifo_shows_whole_packets(void **state)
{
    struct apelink_word words[8];
    struct dnp_fifo fifo;

    (void)state;
    dnp_fifo_init(&fifo, words, 8);
    for (uint64_t lap = 0; lap < 20; lap++) {
        dnp_fifo_put(&fifo, (struct apelink_word){lap, 0});
        dnp_fifo_put(&fifo, (struct apelink_word){lap, 1});
        dnp_fifo_put(&fifo, (struct apelink_word){lap, 2});
        assert_int_equal(dnp_fifo_ready(&fifo), 0);
        assert_int_equal(dnp_fifo_held(&fifo), 3);
        assert_int_equal(dnp_fifo_room(&fifo), 5);
        if (lap % 2 == 0) {
            dnp_fifo_cancel(&fifo);
            assert_int_equal(dnp_fifo_held(&fifo), 0);
            continue;
        }
        dnp_fifo_commit(&fifo);
        assert_int_equal(dnp_fifo_ready(&fifo), 3);
        assert_int_equal(dnp_fifo_peek(&fifo, 2).hi, 2);
        assert_int_equal(dnp_fifo_take(&fifo).lo, lap);
        dnp_fifo_skip(&fifo, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crc),
        cmocka_unit_test(test_headers_come_back),
        cmocka_unit_test(test_bits_of_table_18),
        cmocka_unit_test(test_headers_without_sense),
        cmocka_unit_test(test_footers_are_sealed),
        cmocka_unit_test(test_requests_come_back),
        cmocka_unit_test(test_announced_words_are_checked),
        cmocka_unit_test(test_fifo_shows_whole_packets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
