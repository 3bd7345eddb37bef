/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/core/rcache_region.c. */
/* The registration cache on the regions of an NI. The region functions are stand-ins of this file
 * on a table of its own, so that the test needs no engine. */
#include "table_fixture.h"

#include <apeni/rcache.h>

static struct ni_table *regions;

ni_status ni_region_memory(struct ni *ni, void *base, size_t len, unsigned access,
                           struct ni_rkey *rkey)
{
    assert_ptr_equal(ni, regions);
    *rkey = (struct ni_rkey){.access = access, .key = KEY + (uintptr_t)base};
    return ni_table_add(regions, NI_REGION_MEMORY, (uintptr_t)base, len, access, rkey->key,
                        &rkey->handle);
}

ni_status ni_region_deregister(struct ni *ni, ni_handle handle)
{
    assert_ptr_equal(ni, regions);
    return ni_table_remove(regions, handle);
}

static struct ni_rcache *open_cache(struct ni_table *table)
{
    const struct ni_rcache_attr attr = {.ni = (struct ni *)table};
    struct ni_rcache *cache = NULL;

    regions = table;
    assert_int_equal(ni_rcache_create(&attr, &cache), NI_OK);
    return cache;
}

static void test_rkey_names_the_region(void **state)
{
    struct ni_table *table = *state;
    struct ni_rcache *cache = open_cache(table);
    struct ni_rcache_entry *entry = NULL;
    void *base = (void *)0x10000;

    assert_int_equal(ni_rcache_acquire(cache, base, 100, NI_ACCESS_READ, &entry), NI_OK);

    const struct ni_rkey *rkey = ni_rcache_rkey(entry);

    assert_ptr_equal(ni_rcache_registration(entry), rkey);
    assert_int_equal(rkey->access, NI_ACCESS_READ);
    assert_int_equal(
        ni_table_check(table, rkey->handle, rkey->key, 0x10000, 4096, NI_ACCESS_READ, NULL), NI_OK);
    ni_rcache_release(cache, entry);
    assert_int_equal(ni_table_count(table), 1);
    ni_rcache_invalidate(cache, base, 1);
    assert_int_equal(ni_table_count(table), 0);
    ni_rcache_destroy(cache);
}

static void test_refused_region(void **state)
{
    struct ni_rcache *cache = open_cache(*state);
    struct ni_rcache_entry *entry = NULL;

    assert_int_equal(ni_rcache_acquire(cache, (void *)0x10000, 1, 0, &entry), NI_ERR_INVALID);
    assert_null(entry);
    assert_int_equal(ni_table_count(*state), 0);
    ni_rcache_destroy(cache);
}

/* Fail each allocation of a first acquire in turn, until there are no more to fail. */
static void test_each_allocation_fails(void **state)
{
    uint64_t nth = 0, struck = 0;

    do {
        struct ni_rcache *cache = open_cache(*state);
        struct ni_rcache_entry *entry = NULL;
        ni_status status = NI_OK;

        ni_fault_arm(NI_FAULT_ALLOC, ++nth, 0);
        status = ni_rcache_acquire(cache, (void *)0x10000, 100, NI_ACCESS_READ, &entry);
        struck = ni_fault_struck(NI_FAULT_ALLOC);
        ni_fault_reset();
        assert_int_equal(status, struck != 0 ? NI_ERR_NOMEM : NI_OK);
        assert_int_equal(ni_table_count(*state), struck != 0 ? 0 : 1);
        if (status == NI_OK) {
            ni_rcache_release(cache, entry);
        }
        ni_rcache_destroy(cache);
        assert_int_equal(ni_table_count(*state), 0);
    } while (struck != 0);
    assert_int_equal(nth, 4); /* the entry, its rkey, the table's first chunk; then none */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TABLE_TEST(test_rkey_names_the_region),
        TABLE_TEST(test_refused_region),
        TABLE_TEST(test_each_allocation_fails),
    };

    return cmocka_run_group_tests_name("registration cache of regions", tests, NULL, NULL);
}
