/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/base/param_table.c ni/base/param_text.c. */
/* The table of parameters, their text forms, and suggestions. */
#include "unit.h"

#include <ctype.h>

#include <apeni/param.h>

#include "base/bits.h"
#include "base/config.h"
#include "base/param_text.h"

/* A table of our own, so that the messages do not change with the real one. */
static const char *const choice_names[] = {"auto", "fast", "careful", NULL};

static const struct ni_param row_uint = {"wait", NI_PARAM_UINT, "5", 2,          10,
                                         "ms",   NULL,          0,   "A number."};
static const struct ni_param row_plain = {"depth", NI_PARAM_UINT,           "5", 0, 7, "", NULL,
                                          0,       "A number without unit."};
static const struct ni_param row_size = {"room",  NI_PARAM_SIZE, "8K", 4096,     1 << 20,
                                         "bytes", NULL,          0,    "A size."};
static const struct ni_param row_bool = {"both", NI_PARAM_BOOL, "yes", 0,        1,
                                         "",     NULL,          0,     "A bool."};
static const struct ni_param row_enum = {"way", NI_PARAM_ENUM, "auto", 0,          0,
                                         "",    choice_names,  0,      "A choice."};
static const struct ni_param row_string = {"note", NI_PARAM_STRING, "",       0, 0, "",
                                           NULL,   SIZE_MAX,        "A text."};

static void expect_parsed(const struct ni_param *param, const char *text, uint64_t expected)
{
    char error[256] = "";
    uint64_t value = UINT64_MAX;

    assert_int_equal(ni_param_parse(param, text, &value, error, sizeof error), NI_OK);
    assert_string_equal(error, "");
    assert_true(value == expected);
}

static void expect_refused(const struct ni_param *param, const char *text, const char *expected)
{
    char error[256] = "";
    uint64_t value = 0;

    assert_int_equal(ni_param_parse(param, text, &value, error, sizeof error), NI_ERR_PARAM);
    assert_string_equal(error, expected);
}

static void test_uint(void **state)
{
    (void)state;
    expect_parsed(&row_uint, "2", 2);
    expect_parsed(&row_uint, "10", 10);
    expect_parsed(&row_uint, "0xa", 10);
    expect_refused(&row_uint, "1", "it is out of range; accepted: 2 to 10 ms");
    expect_refused(&row_uint, "11", "it is out of range; accepted: 2 to 10 ms");
    expect_refused(&row_uint, "", "it is empty; accepted: 2 to 10 ms");
    expect_refused(&row_uint, "-3", "a sign is not allowed; accepted: 2 to 10 ms");
    expect_refused(&row_uint, "3K", "there is something behind the number; accepted: 2 to 10 ms");
    expect_refused(&row_uint, "99999999999999999999",
                   "the number is too large; accepted: 2 to 10 ms");
    expect_refused(&row_plain, "x", "it is not a number; accepted: 0 to 7");
}

static void test_size(void **state)
{
    (void)state;
    expect_parsed(&row_size, "4096", 4096);
    expect_parsed(&row_size, "4K", 4096);
    expect_parsed(&row_size, "1M", 1 << 20);
    expect_refused(
        &row_size, "2M",
        "it is out of range; accepted: 4K to 1M bytes, with or without a suffix K, M or G");
    expect_refused(&row_size, "4Q",
                   "there is something other than K, M or G behind the number; accepted: 4K to 1M "
                   "bytes, with or without a suffix K, M or G");
}

static void test_bool(void **state)
{
    static const char *const no[] = {"0", "no", "false", "off", "NO", "False"};
    static const char *const yes[] = {"1", "yes", "true", "on", "YES", "On"};

    (void)state;
    for (size_t i = 0; i < NI_ARRAY_LENGTH(no); i++) {
        expect_parsed(&row_bool, no[i], 0);
        expect_parsed(&row_bool, yes[i], 1);
    }
    expect_refused(&row_bool, "2",
                   "there is no such choice; accepted: no, yes, 0, 1, false, true, off, on");
    expect_refused(&row_bool, "",
                   "there is no such choice; accepted: no, yes, 0, 1, false, true, off, on");
}

static void test_enum(void **state)
{
    (void)state;
    expect_parsed(&row_enum, "auto", 0);
    expect_parsed(&row_enum, "careful", 2);
    expect_parsed(&row_enum, "FAST", 1);
    expect_refused(&row_enum, "quick", "there is no such choice; accepted: auto, fast, careful");
    expect_refused(&row_enum, "1", "there is no such choice; accepted: auto, fast, careful");
    expect_refused(&row_enum, "fas", "there is no such choice; accepted: auto, fast, careful");
}

static void test_string(void **state)
{
    char error[64] = "", text[64];
    uint64_t value = 0;

    (void)state;
    assert_int_equal(ni_param_parse(&row_string, "", &value, error, sizeof error), NI_OK);
    assert_int_equal(ni_param_parse(&row_string, "any; thing", &value, error, sizeof error), NI_OK);
    assert_int_equal(ni_param_accepted(&row_string, text, sizeof text), 4);
    assert_string_equal(text, "text");
}

static void test_the_fault_string_is_checked(void **state)
{
    char error[512] = "";
    uint64_t value = 0;
    const struct ni_param *fault = ni_param_find("fault");

    (void)state;
    assert_non_null(fault);
    assert_int_equal(ni_param_parse(fault, "alloc:nth=1", &value, error, sizeof error), NI_OK);
    assert_int_equal(ni_param_parse(fault, "alock:nth=1", &value, error, sizeof error),
                     NI_ERR_PARAM);
    unit_assert_contains(error, "\"alock\": there is no such point");
}

static void test_a_short_buffer_for_the_list_is_filled_and_ended(void **state)
{
    char text[10];
    int length;

    (void)state;
    memset(text, '#', sizeof text);
    length = ni_param_accepted(&row_enum, text, sizeof text);
    assert_int_equal(length, strlen("auto, fast, careful"));
    assert_string_equal(text, "auto, fas");
}

static void test_environment_names(void **state)
{
    char text[64];

    (void)state;
    assert_int_equal(ni_param_env_name("shm_ring_size", text, sizeof text), 19);
    assert_string_equal(text, "APENI_SHM_RING_SIZE");
    assert_int_equal(ni_param_env_name("shm_ring_size", text, 8), 19);
    assert_string_equal(text, "APENI_S");
}

static void test_type_names(void **state)
{
    (void)state;
    assert_string_equal(ni_param_type_name(NI_PARAM_UINT), "uint");
    assert_string_equal(ni_param_type_name(NI_PARAM_SIZE), "size");
    assert_string_equal(ni_param_type_name(NI_PARAM_BOOL), "bool");
    assert_string_equal(ni_param_type_name(NI_PARAM_ENUM), "enum");
    assert_string_equal(ni_param_type_name(NI_PARAM_STRING), "string");
    assert_string_equal(ni_param_type_name((enum ni_param_type)99), "unknown");
}

/* Every row of params.def: a name in lower case that is not taken, a default within the range, a
 * sentence of help. */
static void test_the_rows_are_sound(void **state)
{
    (void)state;
    assert_true(ni_param_count > 0);
    for (size_t i = 0; i < ni_param_count; i++) {
        const struct ni_param *param = &ni_params[i];
        char error[512] = "";
        uint64_t value = 0;

        assert_ptr_equal(ni_param_find(param->name), param); /* so the name is unique */
        assert_true(strlen(param->name) < 64);
        for (const char *c = param->name; *c != '\0'; c++) {
            assert_true(islower((unsigned char)*c) || isdigit((unsigned char)*c) || *c == '_');
        }
        if (ni_param_parse(param, param->default_text, &value, error, sizeof error) != NI_OK) {
            fail_msg("default of %s: %s", param->name, error);
        }
        if (param->type == NI_PARAM_UINT || param->type == NI_PARAM_SIZE) {
            assert_true(param->min < param->max);
        }
        assert_int_equal(param->type == NI_PARAM_ENUM, param->names != NULL);
        assert_true(isupper((unsigned char)param->help[0]));
        assert_int_equal(param->help[strlen(param->help) - 1], '.');
    }
}

static void test_enum_constants_match_their_names(void **state)
{
    (void)state;
    assert_string_equal(ni_param_find("log_level")->names[NI_LOG_ERROR], "error");
    assert_string_equal(ni_param_find("log_level")->names[NI_LOG_WARN], "warn");
    assert_string_equal(ni_param_find("log_level")->names[NI_LOG_INFO], "info");
    assert_string_equal(ni_param_find("log_level")->names[NI_LOG_DEBUG], "debug");
    assert_string_equal(ni_param_find("shm_copy")->names[NI_SHM_COPY_PROCESS_VM], "process_vm");
    assert_string_equal(ni_param_find("simd")->names[NI_SIMD_AVX2], "avx2");
}

static void test_find(void **state)
{
    (void)state;
    assert_null(ni_param_find(""));
    assert_null(ni_param_find("shm_ring"));
    assert_null(ni_param_find("SHM_RING_SIZE"));
    assert_string_equal(ni_param_find("shm_ring_size")->name, "shm_ring_size");
    assert_int_equal(ni_param_find("shm_ring_size")->type, NI_PARAM_SIZE);
}

static void expect_suggestion(const char *name, const char *expected)
{
    const char *got = ni_param_suggest(name);

    if (expected == NULL) {
        assert_null(got);
        return;
    }
    if (got == NULL || strcmp(got, expected) != 0) {
        fail_msg("for \"%s\": \"%s\" instead of \"%s\"", name, got == NULL ? "nothing" : got,
                 expected);
    }
}

static void test_suggestions(void **state)
{
    char longest[200];

    (void)state;
    expect_suggestion("shm_ring_size", "shm_ring_size");
    expect_suggestion("shm_rng_size", "shm_ring_size");   /* left out */
    expect_suggestion("shm_riing_size", "shm_ring_size"); /* doubled */
    expect_suggestion("shm_rong_size", "shm_ring_size");  /* replaced */
    expect_suggestion("shm_rign_size", "shm_ring_size");  /* swapped */
    expect_suggestion("SHM_RING_SIZ", "shm_ring_size");
    expect_suggestion("ring_size", "shm_ring_size"); /* a part of one name */
    expect_suggestion("sipn", "spin");
    expect_suggestion("loglevel", "log_level");
    expect_suggestion("", NULL);
    expect_suggestion("xyzzy_plugh_frobnicate", NULL);
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    expect_suggestion(longest, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uint),
        cmocka_unit_test(test_size),
        cmocka_unit_test(test_bool),
        cmocka_unit_test(test_enum),
        cmocka_unit_test(test_string),
        cmocka_unit_test(test_the_fault_string_is_checked),
        cmocka_unit_test(test_a_short_buffer_for_the_list_is_filled_and_ended),
        cmocka_unit_test(test_environment_names),
        cmocka_unit_test(test_type_names),
        cmocka_unit_test(test_the_rows_are_sound),
        cmocka_unit_test(test_enum_constants_match_their_names),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_suggestions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
