/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/base/config.c. */
/* The process-wide values: defaults, environment, ni_param_set, origins, and what is reported. */
#include "unit.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/config.h"
#include "base/fault_inl.h"

/* Each test begins with an environment without our variables and a configuration read from it. */
static int set_up(void **state)
{
    (void)state;
    for (char **entry = environ; *entry != NULL;) {
        char name[128];

        snprintf(name, sizeof name, "%.*s", (int)strcspn(*entry, "="), *entry);
        if (strncmp(name, "APENI_", 6) == 0) {
            unsetenv(name);
            entry = environ;
        } else {
            entry++;
        }
    }
    ni_config_reload();
    ni_fault_reset();
    return 0;
}

static const char *formatted(const char *name)
{
    static char text[256];
    int length = ni_param_format(ni_param_find(name), text, sizeof text);

    assert_int_equal(length, strlen(text));
    return text;
}

static void test_defaults(void **state)
{
    const struct ni_config *config = ni_config_get();

    (void)state;
    assert_int_equal(config->log_level, NI_LOG_WARN);
    assert_int_equal(config->shm_ring_size, 32768);
    assert_int_equal(config->shm_copy, NI_SHM_COPY_AUTO);
    assert_int_equal(config->bulk_both, 1);
    assert_int_equal(config->simd, NI_SIMD_AUTO);
    assert_string_equal(config->fault, "");
    for (size_t i = 0; i < ni_param_count; i++) {
        assert_string_equal(ni_param_origin(&ni_params[i]), "default");
    }
}

static void test_every_default_reads_back_what_is_printed(void **state)
{
    (void)state;
    for (size_t i = 0; i < ni_param_count; i++) {
        char before[256], error[256] = "";

        snprintf(before, sizeof before, "%s", formatted(ni_params[i].name));
        assert_int_equal(ni_param_set(ni_params[i].name, before, "test", error, sizeof error),
                         NI_OK);
        assert_string_equal(formatted(ni_params[i].name), before);
        assert_string_equal(ni_param_origin(&ni_params[i]), "test");
    }
}

static void test_environment(void **state)
{
    struct unit_log log;

    (void)state;
    setenv("APENI_SHM_RING_SIZE", "64K", 1);
    setenv("APENI_BULK_BOTH", "off", 1);
    setenv("APENI_SHM_COPY", "process_vm", 1);
    setenv("APENI_YIELD", "0x10", 1);
    ni_config_reload();
    assert_int_equal(ni_config_get()->shm_ring_size, 65536);
    assert_int_equal(ni_config_get()->bulk_both, 0);
    assert_int_equal(ni_config_get()->shm_copy, NI_SHM_COPY_PROCESS_VM);
    assert_int_equal(ni_config_get()->yield, 16);
    assert_string_equal(formatted("shm_ring_size"), "64K");
    assert_string_equal(formatted("bulk_both"), "no");
    assert_string_equal(formatted("shm_copy"), "process_vm");
    assert_string_equal(formatted("yield"), "16");
    assert_string_equal(ni_param_origin(ni_param_find("yield")), "environment");
    assert_string_equal(ni_param_origin(ni_param_find("spin")), "default");
    unit_log_start(&log);
    assert_int_equal(ni_config_check_environment(), NI_OK);
    unit_log_stop();
    assert_int_equal(log.count, 0);
}

static void expect_report(const char *variable, const char *value, const char *message)
{
    struct unit_log log;

    setenv(variable, value, 1);
    unit_log_start(&log);
    assert_int_equal(ni_config_check_environment(), NI_ERR_PARAM);
    unit_log_stop();
    unsetenv(variable);
    assert_int_equal(log.count, 1);
    assert_int_equal(log.level, NI_LOG_ERROR);
    assert_string_equal(log.text, message);
}

static void test_bad_values_in_the_environment_are_reported(void **state)
{
    (void)state;
    expect_report("APENI_SHM_RING_SIZE", "32Q",
                  "environment variable APENI_SHM_RING_SIZE = \"32Q\": there is something other "
                  "than K, M or G behind the number; accepted: 4K to 1M bytes, with or without a "
                  "suffix K, M or G");
    expect_report("APENI_PEER_CHECK_MS", "5",
                  "environment variable APENI_PEER_CHECK_MS = \"5\": it is out of range; accepted: "
                  "10 to 60000 ms");
    expect_report("APENI_BULK_BOTH", "maybe",
                  "environment variable APENI_BULK_BOTH = \"maybe\": there is no such choice; "
                  "accepted: no, yes, 0, 1, false, true, off, on");
    expect_report("APENI_SPIN", "",
                  "environment variable APENI_SPIN = \"\": it is empty; accepted: 0 to 1073741824 "
                  "polls");
}

static void test_unknown_names_in_the_environment_are_reported(void **state)
{
    (void)state;
    expect_report("APENI_SHM_RNG_SIZE", "32K",
                  "environment variable APENI_SHM_RNG_SIZE names no parameter; did you mean "
                  "APENI_SHM_RING_SIZE?");
    expect_report("APENI_shm_ring_size", "32K",
                  "environment variable APENI_shm_ring_size names no parameter; did you mean "
                  "APENI_SHM_RING_SIZE?");
    expect_report("APENI_XYZZY_PLUGH", "1",
                  "environment variable APENI_XYZZY_PLUGH names no parameter; apeni-info --params "
                  "lists all");
    expect_report("APENI_", "1",
                  "environment variable APENI_ names no parameter; apeni-info --params lists all");
}

static void test_all_that_is_wrong_is_reported(void **state)
{
    struct unit_log log;

    (void)state;
    setenv("APENI_SPIN", "many", 1);
    setenv("APENI_YEILD", "1", 1);
    setenv("APENI_BLOCK_US", "100", 1);
    setenv("APENINE", "1", 1); /* not our prefix */
    unit_log_start(&log);
    assert_int_equal(ni_config_check_environment(), NI_ERR_PARAM);
    unit_log_stop();
    unsetenv("APENINE");
    assert_int_equal(log.count, 2);
    unit_assert_contains(log.all, "APENI_SPIN = \"many\"");
    unit_assert_contains(log.all, "APENI_YEILD names no parameter; did you mean APENI_YIELD?");
}

static void test_a_bad_value_leaves_the_default(void **state)
{
    (void)state;
    setenv("APENI_SHM_RING_SIZE", "1", 1);
    setenv("APENI_FAULT", "nonsense", 1);
    ni_config_reload();
    assert_int_equal(ni_config_get()->shm_ring_size, 32768);
    assert_string_equal(ni_config_get()->fault, "");
    assert_string_equal(ni_param_origin(ni_param_find("shm_ring_size")), "default");
}

static void test_set(void **state)
{
    char error[256] = "", origin[8] = "mca";

    (void)state;
    assert_int_equal(ni_param_set("bulk_chunk", "1M", origin, error, sizeof error), NI_OK);
    memset(origin, 0, sizeof origin); /* it was copied */
    assert_int_equal(ni_config_get()->bulk_chunk, 1 << 20);
    assert_string_equal(ni_param_origin(ni_param_find("bulk_chunk")), "mca");
    assert_string_equal(error, "");
}

static void test_set_errors_name_parameter_value_and_origin(void **state)
{
    char error[512] = "";

    (void)state;
    assert_int_equal(ni_param_set("spin", "-4", "mca", error, sizeof error), NI_ERR_PARAM);
    assert_string_equal(error, "spin = \"-4\" (mca): a sign is not allowed; accepted: 0 to "
                               "1073741824 polls");
    assert_int_equal(ni_config_get()->spin, 0);
    assert_string_equal(ni_param_origin(ni_param_find("spin")), "default");

    assert_int_equal(ni_param_set("spinn", "4", "mca", error, sizeof error), NI_ERR_PARAM);
    assert_string_equal(error, "there is no parameter \"spinn\" (mca); did you mean spin?");
    assert_int_equal(ni_param_set("xyzzy_plugh", "4", "mca", error, sizeof error), NI_ERR_PARAM);
    assert_string_equal(error, "there is no parameter \"xyzzy_plugh\" (mca); apeni-info --params "
                               "lists all");
}

static void test_a_short_error_buffer_is_respected(void **state)
{
    char error[16];

    (void)state;
    memset(error, '#', sizeof error);
    assert_int_equal(ni_param_set("spin", "x", "test", error, 8), NI_ERR_PARAM);
    assert_string_equal(error, "spin = ");
    assert_int_equal(error[8], '#');
}

static void test_checking_the_environment_does_not_undo_what_was_set(void **state)
{
    char error[256];

    (void)state;
    setenv("APENI_SPIN", "7", 1);
    ni_config_reload();
    assert_int_equal(ni_param_set("spin", "8", "mca", error, sizeof error), NI_OK);
    assert_int_equal(ni_config_check_environment(), NI_OK);
    assert_int_equal(ni_config_get()->spin, 8);
}

static void test_strings_are_copied_and_replaced(void **state)
{
    char error[256] = "", text[32] = "drop:nth=5";

    (void)state;
    assert_int_equal(ni_param_set("fault", text, "test", error, sizeof error), NI_OK);
    memset(text, 'x', sizeof text);
    assert_string_equal(ni_config_get()->fault, "drop:nth=5");
    assert_int_equal(ni_param_set("fault", "", "test", error, sizeof error), NI_OK);
    assert_string_equal(ni_config_get()->fault, "");
}

static void test_the_fault_parameter_arms(void **state)
{
    char error[256] = "";

    (void)state;
    setenv("APENI_FAULT", "full:nth=1", 1);
    ni_config_reload();
    assert_true(ni_fault(NI_FAULT_FULL));
    assert_int_equal(ni_param_set("fault", "delay:nth=1", "test", error, sizeof error), NI_OK);
    assert_false(ni_fault(NI_FAULT_FULL));
    assert_true(ni_fault(NI_FAULT_DELAY));

    /* a bad text changes nothing */
    ni_fault_reset();
    assert_int_equal(ni_param_set("fault", "drop", "test", error, sizeof error), NI_ERR_PARAM);
    unit_assert_contains(error, "fault = \"drop\" (test): \"drop\": either nth or ppm is needed");
    assert_string_equal(ni_config_get()->fault, "delay:nth=1");
    assert_false(ni_fault(NI_FAULT_DROP));

    /* and an empty one disarms */
    ni_fault_arm(NI_FAULT_DELAY, 1, 1);
    assert_int_equal(ni_param_set("fault", "", "test", error, sizeof error), NI_OK);
    assert_false(ni_fault(NI_FAULT_DELAY));
}

static void test_an_empty_fault_parameter_leaves_what_calls_have_armed(void **state)
{
    (void)state;
    ni_fault_arm(NI_FAULT_DROP, 1, 0);
    ni_config_reload();
    assert_true(ni_fault(NI_FAULT_DROP));
    ni_fault_reset();
}

static void test_the_log_level_parameter_reaches_the_log(void **state)
{
    struct unit_log log;
    char error[256];

    (void)state;
    unit_log_start(&log);
    ni_log(NI_LOG_INFO, "quiet");
    assert_int_equal(ni_param_set("log_level", "info", "test", error, sizeof error), NI_OK);
    ni_log(NI_LOG_INFO, "heard");
    unit_log_stop();
    assert_string_equal(log.all, "heard\n");
}

static void *get_config(void *arg)
{
    (void)arg;
    return ni_config_get();
}

static void test_all_threads_see_one_configuration(void **state)
{
    pthread_t threads[8];

    (void)state;
    for (int i = 0; i < 8; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, get_config, NULL), 0);
    }
    for (int i = 0; i < 8; i++) {
        void *config = NULL;

        pthread_join(threads[i], &config);
        assert_ptr_equal(config, ni_config_get());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_threads_see_one_configuration), /* first: it loads */
        cmocka_unit_test_setup(test_defaults, set_up),
        cmocka_unit_test_setup(test_every_default_reads_back_what_is_printed, set_up),
        cmocka_unit_test_setup(test_environment, set_up),
        cmocka_unit_test_setup(test_bad_values_in_the_environment_are_reported, set_up),
        cmocka_unit_test_setup(test_unknown_names_in_the_environment_are_reported, set_up),
        cmocka_unit_test_setup(test_all_that_is_wrong_is_reported, set_up),
        cmocka_unit_test_setup(test_a_bad_value_leaves_the_default, set_up),
        cmocka_unit_test_setup(test_set, set_up),
        cmocka_unit_test_setup(test_set_errors_name_parameter_value_and_origin, set_up),
        cmocka_unit_test_setup(test_a_short_error_buffer_is_respected, set_up),
        cmocka_unit_test_setup(test_checking_the_environment_does_not_undo_what_was_set, set_up),
        cmocka_unit_test_setup(test_strings_are_copied_and_replaced, set_up),
        cmocka_unit_test_setup(test_the_fault_parameter_arms, set_up),
        cmocka_unit_test_setup(test_an_empty_fault_parameter_leaves_what_calls_have_armed, set_up),
        cmocka_unit_test_setup(test_the_log_level_parameter_reaches_the_log, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
