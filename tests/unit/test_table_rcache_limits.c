/* SPDX-License-Identifier: BSD-3-Clause */
/* The registration cache: what goes, and when: limits, invalidation, no memory. */
#include "rcache_fixture.h"

/* Resources run out: what nobody needs is given back, what is held is not. */
static void test_limit_of_the_registrar(void **state)
{
    struct ni_rcache_entry *held = acquire(10, 1, R), *more = NULL;

    (void)state;
    use(20, 1, R);
    use(30, 1, R);
    setting.registrar.refuse_after = 3;
    setting.registrar.reason = NI_ERR_LIMIT;
    more = acquire(40, 1, R);
    assert_int_equal(stats().entries, 2);
    assert_int_equal(stats().evictions, 2);
    setting.registrar.refuse_after = 2;

    struct ni_rcache_entry *none = NULL;

    assert_int_equal(try_acquire(50, 1, R, &none), NI_ERR_LIMIT);
    assert_ptr_equal(acquire(10, 1, R), held);
    release(held);
    release(held);
    release(more);
}

static void test_least_recently_used_goes_first(void **state)
{
    (void)state;
    ni_rcache_destroy(setting.cache);
    open_cache(3, 0);
    use(10, 1, R);
    use(20, 1, R);
    use(30, 1, R);
    use(10, 1, R);
    use(40, 1, R); /* 20 goes */
    assert_int_equal(stats().evictions, 1);
    use(10, 1, R);
    use(30, 1, R);
    use(40, 1, R);
    assert_int_equal(setting.registrar.made, 4);
    use(20, 1, R); /* 10 goes */
    assert_int_equal(setting.registrar.made, 5);
    use(10, 1, R);
    assert_int_equal(setting.registrar.made, 6);
    assert_int_equal(stats().entries, 3);
}

static void test_held_entries_do_not_count(void **state)
{
    struct ni_rcache_entry *held[10];

    (void)state;
    ni_rcache_destroy(setting.cache);
    open_cache(2, 0);
    for (unsigned i = 0; i < 10; i++) {
        held[i] = acquire(10 * i, 1, R);
    }
    assert_int_equal(stats().entries, 10);
    assert_int_equal(stats().evictions, 0);
    for (unsigned i = 0; i < 10; i++) {
        release(held[i]);
        /* What is held, and two more. */
        assert_int_equal(stats().entries, 9 - i + (i == 0 ? 1 : 2));
    }
    assert_int_equal(stats().evictions, 8);
}

static void test_limit_of_bytes(void **state)
{
    (void)state;
    ni_rcache_destroy(setting.cache);
    open_cache(0, 10 * PAGE);
    use(10, 6, R);
    use(20, 4, R);
    assert_int_equal(stats().entries, 2);
    use(30, 1, R);
    assert_int_equal(stats().entries, 2);
    assert_int_equal(stats().bytes, 5 * PAGE);
    use(40, 11, R); /* too large to stay at all; it is the last to go */
    assert_int_equal(stats().entries, 0);
}

static void test_default_limit(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 1024; i++) {
        use(2 * i, 1, R);
    }
    assert_int_equal(stats().entries, 1024);
    assert_int_equal(stats().evictions, 0);
    use(2 * 1024, 1, R); /* the first one goes */
    assert_int_equal(stats().entries, 1024);
    assert_int_equal(stats().evictions, 1);
    use(2, 1, R);
    assert_int_equal(stats().hits, 1);
    use(0, 1, R);
    assert_int_equal(stats().hits, 1);
}

static void test_invalidate_unheld(void **state)
{
    (void)state;
    use(10, 4, R);
    use(20, 4, R);
    use(30, 4, R);
    ni_rcache_invalidate(setting.cache, page(14), 6 * PAGE); /* between two of them */
    assert_int_equal(stats().entries, 3);
    ni_rcache_invalidate(setting.cache, page(13), 0);
    assert_int_equal(stats().entries, 3);
    ni_rcache_invalidate(setting.cache, (char *)page(14) - 1, 1);
    assert_int_equal(stats().entries, 2);
    ni_rcache_invalidate(setting.cache, page(0), SIZE_MAX);
    assert_int_equal(stats().entries, 0);
    assert_int_equal(stats().invalidations, 3);
    use(10, 4, R);
    assert_int_equal(stats().misses, 4);
}

static void test_invalidate_held(void **state)
{
    struct ni_rcache_entry *old = acquire(10, 4, R), *fresh = NULL;

    (void)state;
    ni_rcache_invalidate(setting.cache, page(12), 100);
    assert_true(((struct registration *)ni_rcache_registration(old))->live);
    fresh = acquire(10, 4, R);
    assert_ptr_not_equal(fresh, old);
    assert_int_equal(stats().merges, 0);
    assert_int_equal(stats().entries, 2);
    release(old);
    assert_int_equal(stats().entries, 1);
    assert_ptr_equal(acquire(10, 1, R), fresh);
    release(fresh);
    release(fresh);
}

static void test_destroy_tells_what_is_held(void **state)
{
    struct unit_log log;

    (void)state;
    acquire(10, 4, R);
    acquire(20, 4, R);
    use(30, 4, R);
    unit_log_start(&log);
    ni_rcache_destroy(setting.cache);
    unit_log_stop();
    assert_int_equal(log.count, 1);
    unit_assert_contains(log.text, "2 entries");
    assert_int_equal(setting.registrar.live, 0);
    open_cache(0, 0);
}

/* No memory for the merged range, but for the plain one. */
static void test_first_allocation_fails(void **state)
{
    struct ni_rcache_entry *held = acquire(10, 4, R), *plain = NULL;

    (void)state;
    ni_fault_arm(NI_FAULT_ALLOC, 1, 0);
    plain = acquire(12, 4, R);
    assert_int_equal(ni_fault_struck(NI_FAULT_ALLOC), 1);
    assert_range(plain, 12, 4);
    release(plain);
    release(held);
    assert_int_equal(stats().entries, 2);
}

/* No memory at all: what nobody holds has been given back, what is held goes on being served. */
static void test_all_allocations_fail(void **state)
{
    struct ni_rcache_entry *held = acquire(10, 4, R), *none = NULL;
    struct ni_rcache *cache = NULL;
    const struct ni_rcache_attr attr = {.ops = &registrar_ops};

    (void)state;
    use(20, 4, R);
    ni_fault_arm(NI_FAULT_ALLOC, 1, 1);
    assert_int_equal(try_acquire(12, 4, R, &none), NI_ERR_NOMEM);
    assert_int_equal(ni_fault_struck(NI_FAULT_ALLOC), 3);
    assert_int_equal(ni_rcache_create(&attr, &cache), NI_ERR_NOMEM);
    ni_fault_reset();
    assert_null(cache);
    assert_int_equal(stats().entries, 1);
    assert_ptr_equal(acquire(11, 1, R), held);
    release(held);
    release(held);
    use(12, 4, R);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RCACHE_TEST(test_limit_of_the_registrar),
        RCACHE_TEST(test_least_recently_used_goes_first),
        RCACHE_TEST(test_held_entries_do_not_count),
        RCACHE_TEST(test_limit_of_bytes),
        RCACHE_TEST(test_default_limit),
        RCACHE_TEST(test_invalidate_unheld),
        RCACHE_TEST(test_invalidate_held),
        RCACHE_TEST(test_destroy_tells_what_is_held),
        RCACHE_TEST(test_first_allocation_fails),
        RCACHE_TEST(test_all_allocations_fail),
    };

    return cmocka_run_group_tests_name("registration cache limits", tests, NULL, NULL);
}
