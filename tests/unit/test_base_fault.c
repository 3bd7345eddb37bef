/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/base/fault.c ni/base/fault_parse.c. */
#include "unit.h"

#include <pthread.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/fault_inl.h"

static int tear_down(void **state)
{
    (void)state;
    ni_fault_reset();
    return 0;
}

static void test_nothing_armed_nothing_strikes_nothing_counts(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        assert_false(ni_fault(NI_FAULT_DROP));
    }
    assert_true(ni_fault_asked(NI_FAULT_DROP) == 0);
    assert_true(ni_fault_struck(NI_FAULT_DROP) == 0);
}

/* Which of the first 64 questions strike, as bits. */
static uint64_t pattern(enum ni_fault_point point)
{
    uint64_t bits = 0;

    for (unsigned i = 0; i < 64; i++) {
        bits |= (uint64_t)ni_fault(point) << i;
    }
    return bits;
}

static void test_nth_and_every(void **state)
{
    (void)state;
    for (unsigned nth = 1; nth <= 10; nth++) {
        for (unsigned every = 0; every <= 10; every++) {
            uint64_t expected = 0;

            for (unsigned i = nth; i <= 64; i += every != 0 ? every : 64) {
                expected |= (uint64_t)1 << (i - 1);
            }
            ni_fault_reset();
            ni_fault_arm(NI_FAULT_DUP, nth, every);
            assert_true(pattern(NI_FAULT_DUP) == expected);
            assert_true(ni_fault_asked(NI_FAULT_DUP) == 64);
            assert_true(ni_fault_struck(NI_FAULT_DUP) == (unsigned)__builtin_popcountll(expected));
        }
    }
}

static void test_arming_counts_from_now(void **state)
{
    (void)state;
    ni_fault_arm(NI_FAULT_FULL, UINT64_MAX, 0); /* only counts */
    assert_true(pattern(NI_FAULT_FULL) == 0);
    assert_true(ni_fault_asked(NI_FAULT_FULL) == 64);
    ni_fault_arm(NI_FAULT_FULL, 2, 0);
    assert_true(pattern(NI_FAULT_FULL) == 2);
    assert_true(ni_fault_asked(NI_FAULT_FULL) == 128);
    assert_true(ni_fault_struck(NI_FAULT_FULL) == 1);
}

static void test_points_are_independent(void **state)
{
    (void)state;
    ni_fault_arm(NI_FAULT_DROP, 1, 0);
    for (int i = 0; i < NI_FAULT_POINTS; i++) {
        if (i != NI_FAULT_DROP) {
            assert_false(ni_fault((enum ni_fault_point)i));
            assert_true(ni_fault_asked((enum ni_fault_point)i) == 1);
        }
    }
    assert_true(ni_fault(NI_FAULT_DROP));
}

static void test_random_repeats_with_its_seed(void **state)
{
    uint64_t first, again, other;

    (void)state;
    ni_fault_arm_random(NI_FAULT_DELAY, 500000, 42);
    first = pattern(NI_FAULT_DELAY);
    ni_fault_arm_random(NI_FAULT_DELAY, 500000, 42);
    again = pattern(NI_FAULT_DELAY);
    ni_fault_arm_random(NI_FAULT_DELAY, 500000, 43);
    other = pattern(NI_FAULT_DELAY);
    assert_true(first == again);
    assert_true(first != other);
}

static void test_random_strikes_as_often_as_asked(void **state)
{
    static const uint32_t rates[] = {0, 1000, 100000, 500000, 999000, 1000000};
    const int asks = 200000;

    (void)state;
    for (size_t i = 0; i < NI_ARRAY_LENGTH(rates); i++) {
        double expected = asks * (rates[i] / 1e6);
        double variance = expected * (1 - rates[i] / 1e6);
        double off;

        ni_fault_reset();
        ni_fault_arm_random(NI_FAULT_DROP, rates[i], 7);
        for (int n = 0; n < asks; n++) {
            (void)ni_fault(NI_FAULT_DROP);
        }
        off = (double)ni_fault_struck(NI_FAULT_DROP) - expected;
        assert_true(off * off <= 36 * variance); /* six sigma; 0 and 1000000 are exact */
    }
}

static void test_reset_forgets(void **state)
{
    (void)state;
    ni_fault_arm(NI_FAULT_DROP, 1, 1);
    ni_fault_arm_random(NI_FAULT_DUP, 1000000, 1);
    assert_true(ni_fault(NI_FAULT_DROP) && ni_fault(NI_FAULT_DUP));
    ni_fault_reset();
    assert_false(ni_fault(NI_FAULT_DROP) || ni_fault(NI_FAULT_DUP));
    assert_true(ni_fault_asked(NI_FAULT_DROP) == 0 && ni_fault_struck(NI_FAULT_DROP) == 0);
    ni_fault_arm(NI_FAULT_DROP, 1, 0);
    assert_false(ni_fault(NI_FAULT_DUP)); /* disarmed, not only hidden */
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(ni_fault_name(NI_FAULT_ALLOC), "alloc");
    assert_string_equal(ni_fault_name(NI_FAULT_SYSCALL), "syscall");
    assert_string_equal(ni_fault_name(NI_FAULT_CORRUPT), "corrupt");
    assert_string_equal(ni_fault_name(NI_FAULT_POINTS), "unknown");
    for (int i = 0; i < NI_FAULT_POINTS; i++) {
        char text[64], error[256];

        snprintf(text, sizeof text, "%s:nth=1", ni_fault_name((enum ni_fault_point)i));
        assert_int_equal(ni_fault_parse(text, error, sizeof error), NI_OK);
        assert_true(ni_fault((enum ni_fault_point)i));
    }
}

static void test_parse(void **state)
{
    char error[256] = "";

    (void)state;
    assert_int_equal(ni_fault_parse("drop:nth=3,every=10;alloc:nth=1;full:ppm=1000000,seed=7;",
                                    error, sizeof error),
                     NI_OK);
    assert_string_equal(error, "");
    assert_true(pattern(NI_FAULT_DROP) == 0x4010040100401004U); /* 3, 13, 23, ... */
    assert_true(pattern(NI_FAULT_ALLOC) == 1);
    assert_true(pattern(NI_FAULT_FULL) == UINT64_MAX);
    assert_true(pattern(NI_FAULT_DELAY) == 0);
}

static void test_parse_of_nothing_arms_nothing(void **state)
{
    char error[256] = "";

    (void)state;
    assert_int_equal(ni_fault_parse("", error, sizeof error), NI_OK);
    assert_false(atomic_load(&ni_fault_any_armed));
}

static void test_parse_errors_name_the_piece_and_arm_nothing(void **state)
{
    static const struct {
        const char *text;
        const char *wrong;
    } rows[] = {
        {"drip:nth=1", "\"drip\": there is no such point; accepted: POINT:nth=N,every=M or "},
        {"drop:nth=1;;alloc:nth=1", "\"\": there is no such point"},
        {"drop", "\"drop\": either nth or ppm is needed"},
        {"drop:", "\"drop:\": either nth or ppm is needed"},
        {"drop:every=4", "\"drop:every=4\": either nth or ppm is needed"},
        {"drop:seed=4", "\"drop:seed=4\": either nth or ppm is needed"},
        {"drop:nht=1", "\"nht=1\": this is none of nth, every, ppm and seed"},
        {"drop:nth", "\"nth\": it is empty"},
        {"drop:nth=", "\"nth=\": it is empty"},
        {"drop:nth=x", "\"nth=x\": it is not a number"},
        {"drop:nth=-1", "\"nth=-1\": a sign is not allowed"},
        {"drop:nth=1x", "\"nth=1x\": there is something behind the number"},
        {"drop:nth=0", "\"nth=0\": it is out of range"},
        {"drop:ppm=1000001", "\"ppm=1000001\": it is out of range"},
        {"drop:nth=1,nth=2", "\"nth=2\": nth is given twice"},
        {"drop:nth=1;drop:nth=2", "\"drop\": this point is named twice"},
        {"drop:nth=1,ppm=2", "\"drop:nth=1,ppm=2\": nth and every do not go with ppm and seed"},
        {"drop:ppm=1,every=2", "\"drop:ppm=1,every=2\": nth and every do not go with ppm and seed"},
        {"alloc:nth=1;drop:nth=1;oops:nth=1", "\"oops\": there is no such point"},
    };

    (void)state;
    for (size_t i = 0; i < NI_ARRAY_LENGTH(rows); i++) {
        char error[512] = "", checked[512] = "";

        assert_int_equal(ni_fault_parse(rows[i].text, error, sizeof error), NI_ERR_PARAM);
        unit_assert_contains(error, rows[i].wrong);
        assert_int_equal(ni_fault_check(rows[i].text, checked, sizeof checked), NI_ERR_PARAM);
        assert_string_equal(error, checked);
        assert_false(atomic_load(&ni_fault_any_armed));
    }
}

static void test_check_does_not_arm(void **state)
{
    char error[256] = "";

    (void)state;
    assert_int_equal(ni_fault_check("drop:nth=1", error, sizeof error), NI_OK);
    assert_false(ni_fault(NI_FAULT_DROP));
}

static void test_allocations_fail_when_told(void **state)
{
    void *block;

    (void)state;
    for (int nth = 1; nth <= 6; nth++) {
        void *got[6];

        block = ni_malloc(8);
        ni_fault_reset();
        ni_fault_arm(NI_FAULT_ALLOC, (uint64_t)nth, 0);
        got[0] = ni_malloc(16);
        got[1] = ni_calloc(2, 8);
        got[2] = ni_realloc(block, 32);
        got[3] = ni_aligned(64, 100);
        got[4] = ni_aligned_zero(64, 100);
        got[5] = ni_strdup("text");
        for (int i = 0; i < 6; i++) {
            assert_int_equal(got[i] == NULL, i == nth - 1);
        }
        if (got[2] == NULL) {
            ni_free(block); /* is still there */
        }
        for (int i = 0; i < 6; i++) {
            ni_free(got[i]);
        }
        assert_true(ni_fault_asked(NI_FAULT_ALLOC) == 6);
    }
}

static void test_allocations_deliver_what_they_promise(void **state)
{
    static const char zeros[128];
    volatile size_t huge = SIZE_MAX; /* or the compiler would object */
    unsigned char *block;
    char *text;

    (void)state;
    block = ni_calloc(4, 32);
    assert_memory_equal(block, zeros, 128);
    ni_free(block);
    block = ni_aligned(4096, 1);
    assert_true((uintptr_t)block % 4096 == 0);
    memset(block, 1, 4096); /* whole units of the alignment */
    ni_free(block);
    block = ni_aligned_zero(64, 100);
    assert_true((uintptr_t)block % 64 == 0);
    assert_memory_equal(block, zeros, 100);
    ni_free(block);
    text = ni_strdup("text");
    assert_string_equal(text, "text");
    ni_free(text);
    assert_null(ni_calloc(huge / 2, 3));
    assert_null(ni_aligned(64, huge - 8));
    ni_free(NULL);
}

#define THREADS 4
#define ASKS    50000

static void *ask_many(void *arg)
{
    uint64_t *struck = arg;

    for (int i = 0; i < ASKS; i++) {
        *struck += ni_fault(NI_FAULT_DROP);
    }
    return NULL;
}

/* Together the threads are struck exactly as often as one thread would be. */
static void test_threads_share_the_plan(void **state)
{
    uint64_t struck[THREADS] = {0}, total = 0;
    pthread_t threads[THREADS];

    (void)state;
    ni_fault_arm(NI_FAULT_DROP, 3, 7);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, ask_many, &struck[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        total += struck[i];
    }
    assert_true(ni_fault_asked(NI_FAULT_DROP) == THREADS * ASKS);
    assert_true(total == (THREADS * ASKS - 3) / 7 + 1);
    assert_true(ni_fault_struck(NI_FAULT_DROP) == total);
}

static void *arm_many(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2000; i++) {
        ni_fault_arm(NI_FAULT_DROP, 1, 1);
        ni_fault_arm_random(NI_FAULT_DROP, 1000, (uint64_t)i);
        ni_fault_reset();
    }
    return NULL;
}

/* Nothing to compare: this one is for ThreadSanitizer, and for a state that is sound afterwards. */
static void test_arming_while_others_ask(void **state)
{
    uint64_t struck = 0;
    pthread_t asker, armer;

    (void)state;
    assert_int_equal(pthread_create(&asker, NULL, ask_many, &struck), 0);
    assert_int_equal(pthread_create(&armer, NULL, arm_many, NULL), 0);
    pthread_join(asker, NULL);
    pthread_join(armer, NULL);
    assert_true(struck <= ASKS);
    assert_false(ni_fault(NI_FAULT_DROP));
    ni_fault_arm(NI_FAULT_DROP, 1, 0);
    assert_true(ni_fault(NI_FAULT_DROP));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_nothing_armed_nothing_strikes_nothing_counts, tear_down),
        cmocka_unit_test_teardown(test_nth_and_every, tear_down),
        cmocka_unit_test_teardown(test_arming_counts_from_now, tear_down),
        cmocka_unit_test_teardown(test_points_are_independent, tear_down),
        cmocka_unit_test_teardown(test_random_repeats_with_its_seed, tear_down),
        cmocka_unit_test_teardown(test_random_strikes_as_often_as_asked, tear_down),
        cmocka_unit_test_teardown(test_reset_forgets, tear_down),
        cmocka_unit_test_teardown(test_names, tear_down),
        cmocka_unit_test_teardown(test_parse, tear_down),
        cmocka_unit_test_teardown(test_parse_of_nothing_arms_nothing, tear_down),
        cmocka_unit_test_teardown(test_parse_errors_name_the_piece_and_arm_nothing, tear_down),
        cmocka_unit_test_teardown(test_check_does_not_arm, tear_down),
        cmocka_unit_test_teardown(test_allocations_fail_when_told, tear_down),
        cmocka_unit_test_teardown(test_allocations_deliver_what_they_promise, tear_down),
        cmocka_unit_test_teardown(test_threads_share_the_plan, tear_down),
        cmocka_unit_test_teardown(test_arming_while_others_ask, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
