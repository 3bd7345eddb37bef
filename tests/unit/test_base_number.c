/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/base/number.c. */
#include "unit.h"

#include "base/bits.h"
#include "base/number.h"

#define UNTOUCHED 0xabcdefU

static const char *parse(const char *text, bool with_suffix, uint64_t *value)
{
    *value = UNTOUCHED;
    return ni_number_parse(text, strlen(text), with_suffix, value);
}

static void test_good_numbers(void **state)
{
    static const struct {
        const char *text;
        uint64_t value;
    } rows[] = {
        {"0", 0},
        {"7", 7},
        {"007", 7},
        {"4294967296", 4294967296U},
        {"18446744073709551615", UINT64_MAX},
        {"0x0", 0},
        {"0xff", 255},
        {"0XaB", 171},
        {"0xffffffffffffffff", UINT64_MAX},
    };

    (void)state;
    for (size_t i = 0; i < NI_ARRAY_LENGTH(rows); i++) {
        uint64_t value;

        assert_null(parse(rows[i].text, false, &value));
        assert_true(value == rows[i].value);
        assert_null(parse(rows[i].text, true, &value));
        assert_true(value == rows[i].value);
    }
}

static void test_suffixes(void **state)
{
    static const struct {
        const char *text;
        uint64_t value;
    } rows[] = {
        {"1K", 1024},
        {"1k", 1024},
        {"3M", 3 << 20},
        {"3m", 3 << 20},
        {"2G", (uint64_t)2 << 30},
        {"2g", (uint64_t)2 << 30},
        {"0K", 0},
        {"0x10K", 16384},
        {"17179869183G", (uint64_t)17179869183 << 30},
    };

    (void)state;
    for (size_t i = 0; i < NI_ARRAY_LENGTH(rows); i++) {
        uint64_t value;

        assert_null(parse(rows[i].text, true, &value));
        assert_true(value == rows[i].value);
        assert_non_null(parse(rows[i].text, false, &value));
        assert_true(value == UNTOUCHED);
    }
}

static void test_bad_numbers_say_what_is_wrong(void **state)
{
    static const struct {
        const char *text;
        const char *wrong;
    } rows[] = {
        {"", "it is empty"},
        {"-1", "a sign is not allowed"},
        {"+1", "a sign is not allowed"},
        {" 1", "it is not a number"},
        {"1 ", "there is something other than K, M or G behind the number"},
        {"1\n", "there is something other than K, M or G behind the number"},
        {"abc", "it is not a number"},
        {"K", "it is not a number"},
        {"0x", "there is something other than K, M or G behind the number"},
        {"0xg", "it is not a number"},
        {"0x-1", "a sign is not allowed"},
        {"1.5", "there is something other than K, M or G behind the number"},
        {"12a", "there is something other than K, M or G behind the number"},
        {"32Q", "there is something other than K, M or G behind the number"},
        {"32KB", "there is something other than K, M or G behind the number"},
        {"32KiB", "there is something other than K, M or G behind the number"},
        {"32 K", "there is something other than K, M or G behind the number"},
        {"18446744073709551616", "the number is too large"},
        {"99999999999999999999999", "the number is too large"},
        {"0x10000000000000000", "the number is too large"},
        {"17179869184G", "the number is too large"},
        {"18014398509481984K", "the number is too large"},
    };

    (void)state;
    for (size_t i = 0; i < NI_ARRAY_LENGTH(rows); i++) {
        uint64_t value;
        const char *wrong = parse(rows[i].text, true, &value);

        assert_non_null(wrong);
        assert_string_equal(wrong, rows[i].wrong);
        assert_true(value == UNTOUCHED);
    }
}

static void test_without_suffix_the_message_does_not_offer_one(void **state)
{
    uint64_t value;

    (void)state;
    assert_string_equal(parse("5K", false, &value), "there is something behind the number");
}

static void test_only_length_bytes_are_read(void **state)
{
    uint64_t value = 0;

    (void)state;
    assert_null(ni_number_parse("123junk", 3, true, &value));
    assert_int_equal(value, 123);
    assert_null(ni_number_parse("0x123", 1, true, &value));
    assert_int_equal(value, 0);
    assert_non_null(ni_number_parse("123", 0, true, &value));
}

static void test_sizes_are_printed_so_that_they_read_back(void **state)
{
    static const struct {
        uint64_t value;
        const char *text;
    } rows[] = {
        {0, "0"},
        {1, "1"},
        {1023, "1023"},
        {1024, "1K"},
        {1025, "1025"},
        {1536, "1536"},
        {32768, "32K"},
        {1 << 20, "1M"},
        {(1 << 20) + 1024, "1025K"},
        {1 << 30, "1G"},
        {(uint64_t)1 << 50, "1048576G"},
        {UINT64_MAX, "18446744073709551615"},
    };

    (void)state;
    for (size_t i = 0; i < NI_ARRAY_LENGTH(rows); i++) {
        char text[32];
        uint64_t value;
        int length = ni_number_format_size(text, sizeof text, rows[i].value);

        assert_string_equal(text, rows[i].text);
        assert_int_equal(length, strlen(rows[i].text));
        assert_null(parse(text, true, &value));
        assert_true(value == rows[i].value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_numbers),
        cmocka_unit_test(test_suffixes),
        cmocka_unit_test(test_bad_numbers_say_what_is_wrong),
        cmocka_unit_test(test_without_suffix_the_message_does_not_offer_one),
        cmocka_unit_test(test_only_length_bytes_are_read),
        cmocka_unit_test(test_sizes_are_printed_so_that_they_read_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
