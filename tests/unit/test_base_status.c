/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/base/status.c. */
#include "unit.h"

#include <apeni/status.h>

#include "base/bits.h"

static const struct {
    ni_status status;
    const char *name;
    const char *text;
} rows[] = {
#define ROW(name, value, text) {name, #name, text},
    NI_STATUS_LIST(ROW)
#undef ROW
};

static void test_every_status_has_its_name_and_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < NI_ARRAY_LENGTH(rows); i++) {
        assert_string_equal(ni_status_name(rows[i].status), rows[i].name);
        assert_string_equal(ni_status_text(rows[i].status), rows[i].text);
    }
}

static void test_values_and_texts_are_distinct(void **state)
{
    (void)state;
    for (size_t i = 0; i < NI_ARRAY_LENGTH(rows); i++) {
        for (size_t j = 0; j < i; j++) {
            assert_int_not_equal(rows[i].status, rows[j].status);
            assert_string_not_equal(rows[i].text, rows[j].text);
        }
    }
}

static void test_only_errors_are_negative(void **state)
{
    (void)state;
    assert_int_equal(NI_OK, 0);
    for (size_t i = 0; i < NI_ARRAY_LENGTH(rows); i++) {
        int is_error = strncmp(rows[i].name, "NI_ERR_", 7) == 0;

        assert_int_equal(is_error, rows[i].status < 0);
    }
}

static void test_unknown_values_have_a_text(void **state)
{
    (void)state;
    assert_string_equal(ni_status_text((ni_status)-999), "unknown status");
    assert_string_equal(ni_status_text((ni_status)12345), "unknown status");
    assert_string_equal(ni_status_name((ni_status)-999), "NI_UNKNOWN");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_status_has_its_name_and_text),
        cmocka_unit_test(test_values_and_texts_are_distinct),
        cmocka_unit_test(test_only_errors_are_negative),
        cmocka_unit_test(test_unknown_values_have_a_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
