/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Covers: engine/core/stamps.c
 *
 * Times of another clock: whatever the difference of the clocks and the times that packets take,
 * the converted ones are within the error of the truth; what a peer makes up does no harm.
 */
#include "unit.h"

#include "engine/core/stamps.h"

enum { CLOCK_ERROR = 25 };

/* A packet that left at `depart` by our clock; the sender's is ahead by `ahead`. The fastest
 * packets took `there` to us and `back`. */
static void check(uint64_t depart, int64_t ahead, int64_t there, int64_t back)
{
    struct ni_stamp stamp = {.post = depart - 1000 + (uint64_t)ahead,
                             .depart = depart + (uint64_t)ahead,
                             .arrive = depart + (uint64_t)there,
                             .error_ns = CLOCK_ERROR};
    int64_t off;

    ni_stamps_convert(&stamp, there - ahead, back + ahead);
    off = (int64_t)(stamp.depart - depart);
    assert_true(stamp.error_ns + 2 >= CLOCK_ERROR + (uint64_t)(there + back) / 2);
    assert_true(stamp.error_ns <= CLOCK_ERROR + (uint64_t)(there + back) / 2 + 2);
    assert_true((off < 0 ? -off : off) <= (int64_t)stamp.error_ns);
    assert_true(stamp.depart - stamp.post == 1000);
    /* No packet is faster than the fastest. */
    assert_true((int64_t)(stamp.arrive - stamp.depart) >= -(int64_t)CLOCK_ERROR);
}

static void test_truth(void **state)
{
    static const int64_t aheads[] = {
        0, 1, -1, 5000, -123456789, INT64_C(1) << 50, -(INT64_C(1) << 50)};
    static const int64_t times[] = {0, 1, 200, 4321, 1000000};

    (void)state;
    for (size_t i = 0; i < sizeof(aheads) / sizeof(aheads[0]); i++) {
        for (size_t there = 0; there < sizeof(times) / sizeof(times[0]); there++) {
            for (size_t back = 0; back < sizeof(times) / sizeof(times[0]); back++) {
                check(UINT64_C(1) << 60, aheads[i], times[there], times[back]);
            }
        }
    }
}

static void test_unknown(void **state)
{
    struct ni_stamp stamp = {.post = 5, .depart = 7, .error_ns = CLOCK_ERROR};

    (void)state;
    ni_stamps_convert(&stamp, 3, NI_STAMPS_NONE);
    assert_true(stamp.error_ns == NI_STAMP_UNKNOWN && stamp.post == 5 && stamp.depart == 7);
    stamp.error_ns = CLOCK_ERROR;
    ni_stamps_convert(&stamp, NI_STAMPS_NONE, 3);
    assert_true(stamp.error_ns == NI_STAMP_UNKNOWN && stamp.post == 5 && stamp.depart == 7);
}

/* Numbers that no clocks give: an error that is none is not subtracted. */
static void test_made_up(void **state)
{
    static const int64_t numbers[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1};
    size_t count = sizeof(numbers) / sizeof(numbers[0]);

    (void)state;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            struct ni_stamp stamp = {.post = 5, .depart = 7, .error_ns = CLOCK_ERROR};

            ni_stamps_convert(&stamp, numbers[i], numbers[k]);
            assert_true(stamp.error_ns >= CLOCK_ERROR && stamp.error_ns != NI_STAMP_UNKNOWN);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truth),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_made_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
