/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/table/table.c. */
/* The judgement on a peer's access: which reason is given, and the edges of the range. */
#include "table_fixture.h"

static const uint64_t BASE = 0x7f0000001000, LEN = 100;

/* A region for READ and WRITE. */
static ni_handle add_readable(struct ni_table *table)
{
    ni_handle handle = 0;

    assert_int_equal(ni_table_add(table, NI_REGION_MEMORY, BASE, LEN,
                                  NI_ACCESS_READ | NI_ACCESS_WRITE, KEY, &handle),
                     NI_OK);
    return handle;
}

static ni_status read_at(struct ni_table *table, ni_handle handle, uint64_t addr, uint64_t len)
{
    struct ni_table_entry *entry = NULL;
    ni_status status = ni_table_check(table, handle, KEY, addr, len, NI_ACCESS_READ, &entry);

    /* The entry is set exactly on success. */
    assert_true((status == NI_OK) == (entry != NULL));
    assert_true(entry == NULL || entry == ni_table_get(table, handle));
    return status;
}

static void test_reasons_in_order(void **state)
{
    struct ni_table *table = *state;
    ni_handle handle = add_readable(table), stale = handle + (1U << 20);
    unsigned bad = NI_ACCESS_ATOMIC;

    /* From everything wrong to nothing wrong. */
    assert_int_equal(ni_table_check(table, stale, 1, 1, 1, bad, NULL), NI_ERR_REGION);
    assert_int_equal(ni_table_check(table, handle, 1, 1, 1, bad, NULL), NI_ERR_KEY);
    assert_int_equal(ni_table_check(table, handle, KEY, 1, 1, bad, NULL), NI_ERR_BOUNDS);
    assert_int_equal(ni_table_check(table, handle, KEY, BASE, 1, bad, NULL), NI_ERR_ACCESS);
    assert_int_equal(ni_table_check(table, handle, KEY, BASE, 1, NI_ACCESS_READ, NULL), NI_OK);
    /* Each alone. */
    assert_int_equal(ni_table_check(table, stale, KEY, BASE, 1, 1, NULL), NI_ERR_REGION);
    assert_int_equal(ni_table_check(table, 5, KEY, BASE, 1, 1, NULL), NI_ERR_REGION);
    assert_int_equal(ni_table_check(table, UINT32_MAX, KEY, BASE, 1, 1, NULL), NI_ERR_REGION);
    assert_int_equal(ni_table_check(table, handle, KEY + 1, BASE, 1, 1, NULL), NI_ERR_KEY);
}

static void test_bounds(void **state)
{
    struct ni_table *table = *state;
    ni_handle handle = add_readable(table);

    assert_int_equal(read_at(table, handle, BASE, LEN), NI_OK);
    assert_int_equal(read_at(table, handle, BASE + LEN - 1, 1), NI_OK);
    assert_int_equal(read_at(table, handle, BASE, LEN + 1), NI_ERR_BOUNDS);
    assert_int_equal(read_at(table, handle, BASE - 1, 1), NI_ERR_BOUNDS);
    assert_int_equal(read_at(table, handle, BASE - 1, 2), NI_ERR_BOUNDS);
    assert_int_equal(read_at(table, handle, BASE + LEN, 1), NI_ERR_BOUNDS);
    assert_int_equal(read_at(table, handle, BASE + LEN - 1, 2), NI_ERR_BOUNDS);
    assert_int_equal(read_at(table, handle, BASE + 50, 51), NI_ERR_BOUNDS);
}

static void test_no_bytes(void **state)
{
    struct ni_table *table = *state;
    ni_handle handle = add_readable(table);

    assert_int_equal(read_at(table, handle, BASE, 0), NI_OK);
    assert_int_equal(read_at(table, handle, BASE + LEN, 0), NI_OK);
    assert_int_equal(read_at(table, handle, BASE + LEN + 1, 0), NI_ERR_BOUNDS);
    assert_int_equal(read_at(table, handle, BASE - 1, 0), NI_ERR_BOUNDS);
    assert_int_equal(read_at(table, handle, 0, 0), NI_ERR_BOUNDS);
}

static void test_overflow(void **state)
{
    struct ni_table *table = *state;
    ni_handle handle = add_readable(table);

    assert_int_equal(read_at(table, handle, BASE, UINT64_MAX), NI_ERR_BOUNDS);
    assert_int_equal(read_at(table, handle, BASE + 10, 0 - (uint64_t)10), NI_ERR_BOUNDS);
    assert_int_equal(read_at(table, handle, BASE + 10, UINT64_MAX - BASE), NI_ERR_BOUNDS);
    assert_int_equal(read_at(table, handle, UINT64_MAX, 1), NI_ERR_BOUNDS);
    assert_int_equal(read_at(table, handle, UINT64_MAX, UINT64_MAX), NI_ERR_BOUNDS);
    assert_int_equal(read_at(table, handle, 0, BASE), NI_ERR_BOUNDS);
}

static void test_ends_of_the_address_space(void **state)
{
    struct ni_table *table = *state;
    ni_handle low = add_memory(table, 0, 10);
    ni_handle high = add_memory(table, UINT64_MAX - 10, 10);

    assert_int_equal(read_at(table, low, 0, 10), NI_OK);
    assert_int_equal(read_at(table, low, UINT64_MAX, 1), NI_ERR_BOUNDS);
    assert_int_equal(read_at(table, low, UINT64_MAX, 2), NI_ERR_BOUNDS);
    assert_int_equal(read_at(table, high, UINT64_MAX - 10, 10), NI_OK);
    assert_int_equal(read_at(table, high, UINT64_MAX - 10, 11), NI_ERR_BOUNDS);
    assert_int_equal(read_at(table, high, UINT64_MAX, 0), NI_OK);
    assert_int_equal(read_at(table, high, 0, 0), NI_ERR_BOUNDS);
}

static void test_each_access_needs_its_bit(void **state)
{
    struct ni_table *table = *state;

    for (unsigned has = 1; has <= NI_ACCESS_ALL; has++) {
        ni_handle handle = 0;

        assert_int_equal(ni_table_add(table, NI_REGION_MEMORY, BASE, LEN, has, KEY, &handle),
                         NI_OK);
        for (unsigned wants = 0; wants < 256; wants++) {
            assert_int_equal(ni_table_check(table, handle, KEY, BASE, 1, wants, NULL),
                             (wants & ~has) == 0 ? NI_OK : NI_ERR_ACCESS);
        }
        remove_region(table, handle);
    }
}

static void test_removed_region_is_refused(void **state)
{
    struct ni_table *table = *state;
    ni_handle handle = add_readable(table);

    remove_region(table, handle);
    assert_int_equal(read_at(table, handle, BASE, 1), NI_ERR_REGION);
    add_readable(table);
    assert_int_equal(read_at(table, handle, BASE, 1), NI_ERR_REGION);
}

static void test_regions_of_other_types_have_the_bounds_they_were_given(void **state)
{
    struct ni_table *table = *state;
    ni_handle handle = add_queue(table);

    assert_int_equal(read_at(table, handle, 0, 1), NI_ERR_BOUNDS);
    assert_int_equal(read_at(table, handle, BASE, 1), NI_ERR_BOUNDS);
    assert_int_equal(read_at(table, handle, 0, 0), NI_ERR_ACCESS);
}

/* ---- NI_ACCESS_BY_ADDRESS -------------------------------------------------------------------- */

static ni_handle add_by_address(struct ni_table *table, uint64_t base, unsigned access)
{
    ni_handle handle = 0;

    assert_int_equal(ni_table_add(table, NI_REGION_MEMORY, base, LEN, access | NI_ACCESS_BY_ADDRESS,
                                  ni_table_shared_key(table, KEY), &handle),
                     NI_OK);
    return handle;
}

static void test_another_region_settles(void **state)
{
    struct ni_table *table = *state;
    ni_handle gone = add_by_address(table, BASE, NI_ACCESS_ALL);
    ni_handle other, here;
    struct ni_table_entry *entry = NULL;

    remove_region(table, gone);
    other = add_by_address(table, BASE + 1000, NI_ACCESS_ALL);
    here = add_by_address(table, BASE, NI_ACCESS_READ);
    assert_int_equal(ni_table_check(table, other, KEY, BASE, LEN, NI_ACCESS_READ, &entry), NI_OK);
    assert_ptr_equal(entry, ni_table_get(table, here));
    assert_int_equal(ni_table_check(table, gone, KEY, BASE, LEN, NI_ACCESS_READ, NULL), NI_OK);
    assert_int_equal(ni_table_check(table, 0, KEY, BASE, LEN, NI_ACCESS_READ, NULL), NI_OK);
    assert_int_equal(ni_table_check(table, UINT32_MAX, KEY, BASE, 1, NI_ACCESS_READ, NULL), NI_OK);
    /* The reason is that of the region named. */
    assert_int_equal(ni_table_check(table, other, KEY, BASE, 1, NI_ACCESS_WRITE, NULL),
                     NI_ERR_BOUNDS);
    assert_int_equal(ni_table_check(table, here, KEY, BASE, 1, NI_ACCESS_WRITE, NULL),
                     NI_ERR_ACCESS);
    assert_int_equal(ni_table_check(table, gone, KEY, BASE, LEN + 1, NI_ACCESS_READ, NULL),
                     NI_ERR_REGION);
    assert_int_equal(ni_table_check(table, here, KEY + 1, BASE, 1, NI_ACCESS_READ, NULL),
                     NI_ERR_KEY);
    assert_int_equal(ni_table_check(table, gone, 0, BASE, 1, NI_ACCESS_READ, NULL), NI_ERR_REGION);
}

/* However far behind it is, beyond the first chunk and the slots. */
static void test_the_last_region_settles(void **state)
{
    struct ni_table *table = *state;
    ni_handle first = add_by_address(table, BASE, NI_ACCESS_ALL);

    for (uint64_t i = 1; i < 1000; i++) {
        add_by_address(table, BASE + i * 1000, NI_ACCESS_ALL);
    }
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t addr = BASE + i * 1000;

        assert_int_equal(ni_table_check(table, first, KEY, addr, LEN, 1, NULL), NI_OK);
        assert_int_equal(ni_table_check(table, first, KEY, addr, LEN + 1, 1, NULL), NI_ERR_BOUNDS);
    }
}

/* Without the bit a region stands in for none, even with the same key, and none does for it. */
static void test_the_bit_decides(void **state)
{
    struct ni_table *table = *state;
    ni_handle handle = add_by_address(table, BASE, NI_ACCESS_ALL);

    add_memory(table, BASE + 1000, LEN);
    assert_int_equal(ni_table_check(table, handle, KEY, BASE + 1000, 1, 1, NULL), NI_ERR_BOUNDS);
}

static void test_the_bit_is_for_memory_with_the_shared_key(void **state)
{
    struct ni_table *table = *state;
    unsigned access = NI_ACCESS_ALL | NI_ACCESS_BY_ADDRESS;
    ni_handle handle;

    assert_int_equal(ni_table_add(table, NI_REGION_MEMORY, BASE, LEN, access, KEY, &handle),
                     NI_ERR_INVALID);
    assert_true(ni_table_shared_key(table, KEY) == KEY);
    assert_true(ni_table_shared_key(table, KEY + 1) == KEY);
    assert_int_equal(ni_table_add(table, NI_REGION_MEMORY, BASE, LEN, access, KEY + 1, &handle),
                     NI_ERR_INVALID);
    assert_int_equal(ni_table_add(table, NI_REGION_QUEUE, 0, 0, access, KEY, &handle),
                     NI_ERR_INVALID);
    assert_int_equal(
        ni_table_add(table, NI_REGION_MEMORY, BASE, LEN, NI_ACCESS_BY_ADDRESS, KEY, &handle),
        NI_ERR_INVALID);
    assert_int_equal(ni_table_count(table), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TABLE_TEST(test_reasons_in_order),
        TABLE_TEST(test_bounds),
        TABLE_TEST(test_no_bytes),
        TABLE_TEST(test_overflow),
        TABLE_TEST(test_ends_of_the_address_space),
        TABLE_TEST(test_each_access_needs_its_bit),
        TABLE_TEST(test_removed_region_is_refused),
        TABLE_TEST(test_regions_of_other_types_have_the_bounds_they_were_given),
        TABLE_TEST(test_another_region_settles),
        TABLE_TEST(test_the_last_region_settles),
        TABLE_TEST(test_the_bit_decides),
        TABLE_TEST(test_the_bit_is_for_memory_with_the_shared_key),
    };

    return cmocka_run_group_tests_name("table check", tests, NULL, NULL);
}
