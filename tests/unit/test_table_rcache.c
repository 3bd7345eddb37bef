/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/table/rcache.c. */
/* The registration cache: what is served again, what is merged, what happens on refusal. */
#include "rcache_fixture.h"

static void test_bad_attributes(void **state)
{
    const struct ni_rcache_ops no_reg = {.dereg = registrar_dereg};
    const struct ni_rcache_ops no_dereg = {.reg = registrar_reg};
    struct ni_rcache_attr attr = {.ops = &no_reg};
    struct ni_rcache *cache = NULL;

    (void)state;
    assert_int_equal(ni_rcache_create(&attr, &cache), NI_ERR_INVALID);
    attr.ops = &no_dereg;
    assert_int_equal(ni_rcache_create(&attr, &cache), NI_ERR_INVALID);
    attr.ops = NULL;
    assert_int_equal(ni_rcache_create(&attr, &cache), NI_ERR_INVALID);
    assert_null(cache);
    ni_rcache_destroy(NULL);
}

static void test_bad_ranges(void **state)
{
    struct ni_rcache_entry *entry = NULL;
    void *last = (void *)(uintptr_t)(UINT64_MAX - 10);

    (void)state;
    assert_int_equal(ni_rcache_acquire(setting.cache, page(0), 0, R, &entry), NI_ERR_INVALID);
    assert_int_equal(ni_rcache_acquire(setting.cache, page(0), SIZE_MAX, R, &entry),
                     NI_ERR_INVALID);
    assert_int_equal(ni_rcache_acquire(setting.cache, last, 5, R, &entry), NI_ERR_INVALID);
    assert_int_equal(ni_rcache_acquire(setting.cache, last, 50, R, &entry), NI_ERR_INVALID);
    assert_null(entry);
    assert_int_equal(stats().misses, 0);
}

static void test_whole_pages(void **state)
{
    struct ni_rcache_entry *entry = NULL;

    (void)state;
    assert_int_equal(ni_rcache_acquire(setting.cache, (char *)page(3) + 100, PAGE, R, &entry),
                     NI_OK);
    assert_range(entry, 3, 2);
    release(entry);
    assert_int_equal(ni_rcache_acquire(setting.cache, (char *)page(4) + 1, 1, R, &entry), NI_OK);
    assert_range(entry, 3, 2);
    release(entry);
}

static void test_again_is_a_hit(void **state)
{
    struct ni_rcache_entry *first = acquire(10, 4, R);

    (void)state;
    assert_ptr_equal(acquire(10, 4, R), first);
    assert_ptr_equal(acquire(11, 2, R), first);
    release(first);
    release(first);
    release(first);
    assert_ptr_equal(acquire(13, 1, R), first);
    release(first);
    assert_int_equal(setting.registrar.made, 1);
    assert_int_equal(stats().hits, 3);
    assert_int_equal(stats().misses, 1);
    assert_int_equal(stats().bytes, 4 * PAGE);
}

static void test_neighbours_stay_apart(void **state)
{
    (void)state;
    use(10, 4, R);
    use(14, 4, R);
    use(6, 4, R);
    assert_int_equal(stats().entries, 3);
    assert_int_equal(stats().merges, 0);
}

static void test_more_access_replaces(void **state)
{
    (void)state;
    use(10, 4, R);

    struct ni_rcache_entry *both = acquire(11, 1, W);

    assert_range(both, 10, 4);
    assert_ptr_equal(acquire(10, 1, R), both);
    release(both);
    release(both);
    assert_int_equal(stats().entries, 1);
    assert_int_equal(stats().merges, 1);
}

static void test_overlap_merges(void **state)
{
    (void)state;
    use(10, 4, R);
    use(20, 4, W);
    use(30, 4, R);

    struct ni_rcache_entry *merged = acquire(13, 8, R);

    assert_range(merged, 10, 14);
    assert_ptr_equal(acquire(10, 1, R | W), merged);
    release(merged);
    release(merged);
    assert_int_equal(stats().entries, 2);
    assert_int_equal(stats().merges, 1);
    assert_int_equal(stats().bytes, 18 * PAGE);
}

static void test_larger_swallows(void **state)
{
    struct ni_rcache_entry *large = NULL;

    (void)state;
    use(10, 1, R);
    use(12, 1, R);
    large = acquire(8, 10, R);
    assert_range(large, 8, 10);
    assert_int_equal(stats().entries, 1);
    assert_int_equal(stats().merges, 1);
    assert_ptr_equal(acquire(12, 1, R), large);
    release(large);
    release(large);
}

static void test_held_entry_outlives_its_merging(void **state)
{
    struct ni_rcache_entry *old = acquire(10, 4, R);
    struct ni_rcache_entry *merged = acquire(12, 4, R);

    (void)state;
    assert_range(merged, 10, 6);
    assert_int_equal(stats().entries, 2);
    assert_range(old, 10, 4);
    assert_true(((struct registration *)ni_rcache_registration(old))->live);
    assert_ptr_equal(acquire(10, 4, R), merged);
    release(old);
    assert_int_equal(stats().entries, 1);
    release(merged);
    release(merged);
    assert_int_equal(stats().entries, 1);
}

static void test_plain_range_when_the_merged_one_is_refused(void **state)
{
    struct ni_rcache_entry *plain = NULL;

    (void)state;
    use(10, 4, R);
    setting.registrar.refuse_len = 5 * PAGE;
    setting.registrar.reason = NI_ERR_ACCESS;
    plain = acquire(12, 4, W);
    assert_range(plain, 12, 4);
    assert_int_equal(setting.registrar.refused, 1);
    assert_int_equal(stats().entries, 2);
    assert_int_equal(stats().merges, 0);
    /* Both are served, each for what it allows. */
    assert_ptr_equal(acquire(13, 1, W), plain);
    release(plain);
    release(plain);
    plain = acquire(10, 4, R);
    assert_range(plain, 10, 4);
    release(plain);
    assert_int_equal(stats().hits, 2);
    ni_rcache_invalidate(setting.cache, page(13), 1);
    assert_int_equal(stats().invalidations, 2);
    assert_int_equal(stats().entries, 0);
}

static void test_refusal_changes_nothing(void **state)
{
    struct ni_rcache_entry *held = acquire(10, 4, R), *none = NULL;

    (void)state;
    use(20, 1, R);
    setting.registrar.refuse_len = 1;
    setting.registrar.reason = NI_ERR_UNSUPPORTED;
    assert_int_equal(try_acquire(12, 4, R, &none), NI_ERR_UNSUPPORTED);
    assert_int_equal(try_acquire(40, 4, R, &none), NI_ERR_UNSUPPORTED);
    assert_int_equal(setting.registrar.refused, 3);
    assert_int_equal(stats().entries, 2);
    assert_ptr_equal(acquire(11, 1, R), held);
    release(held);
    release(held);
    use(20, 1, R);
    assert_int_equal(setting.registrar.made, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RCACHE_TEST(test_bad_attributes),
        RCACHE_TEST(test_bad_ranges),
        RCACHE_TEST(test_whole_pages),
        RCACHE_TEST(test_again_is_a_hit),
        RCACHE_TEST(test_neighbours_stay_apart),
        RCACHE_TEST(test_more_access_replaces),
        RCACHE_TEST(test_overlap_merges),
        RCACHE_TEST(test_larger_swallows),
        RCACHE_TEST(test_held_entry_outlives_its_merging),
        RCACHE_TEST(test_plain_range_when_the_merged_one_is_refused),
        RCACHE_TEST(test_refusal_changes_nothing),
    };

    return cmocka_run_group_tests_name("registration cache", tests, NULL, NULL);
}
