/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles: what they name, when they become stale, in which order indices are used again. */
#include "table_fixture.h"

#include "base/random.h"

static void test_layout(void **state)
{
    (void)state;
    assert_int_equal(sizeof(struct ni_table_entry), 64);
    assert_int_equal(_Alignof(struct ni_table_entry), 64);
    assert_int_equal(NI_TABLE_LIMIT, 1048575);
}

static void test_misaligned_table_is_refused(void **state)
{
    char *memory = ni_aligned(NI_CACHE_LINE, sizeof(struct ni_table) + NI_CACHE_LINE);

    (void)state;
    assert_non_null(memory);
    /* Through void: the compiler must not see that the pointer is a bad one. */
    assert_int_equal(ni_table_init((struct ni_table *)(void *)(memory + 16)), NI_ERR_INVALID);
    ni_free(memory);
}

static void test_empty_table_knows_no_handle(void **state)
{
    struct ni_table *table = *state;
    struct ni_rng rng;

    ni_rng_seed(&rng, 1);
    assert_null(ni_table_get(table, 0));
    assert_null(ni_table_get(table, UINT32_MAX));
    for (int i = 0; i < 100000; i++) {
        assert_null(ni_table_get(table, (ni_handle)ni_rng_next(&rng)));
    }
    assert_int_equal(ni_table_count(table), 0);
    assert_int_equal(ni_table_remove(table, 0), NI_ERR_REGION);
    assert_int_equal(ni_table_remove(table, 0xfff00000), NI_ERR_REGION);
}

static void test_first_handle_has_generation_1(void **state)
{
    struct ni_table *table = *state;
    ni_handle handle = add_memory(table, 0x1000, 16);

    assert_int_equal(handle, 1U << 20);
    assert_int_equal(ni_handle_index(handle), 0);
    assert_int_equal(ni_table_count(table), 1);
    /* Index 0 with any other generation is nobody's, 0 in particular. */
    for (unsigned generation = 0; generation < 4096; generation++) {
        struct ni_table_entry *entry = ni_table_get(table, generation << 20);

        assert_true((entry != NULL) == (generation == 1));
    }
}

static void test_entry_holds_what_was_added(void **state)
{
    struct ni_table *table = *state;
    struct ni_region_view region = {.type = NI_REGION_COUNTER,
                                    .access = NI_ACCESS_WRITE | NI_ACCESS_ATOMIC,
                                    .base = 0x123456789abc,
                                    .len = 77,
                                    .key = 0xfedcba9876543210,
                                    .object = {1, UINT64_MAX, 0x8000000000000000}};
    struct ni_region_view view;
    ni_handle handle = 0;

    assert_int_equal(ni_table_insert(table, &region, &handle), NI_OK);

    struct ni_table_entry *entry = ni_table_get(table, handle);

    assert_non_null(entry);
    assert_int_equal(ni_entry_handle(entry), handle);
    assert_int_equal(ni_entry_type(entry), NI_REGION_COUNTER);
    assert_true(ni_entry_key(entry) == region.key);
    for (unsigned i = 0; i < NI_ENTRY_OBJECTS; i++) {
        assert_true(ni_entry_object(entry, i) == region.object[i]);
    }
    assert_true(ni_entry_read(entry, handle, &view));
    assert_int_equal(view.type, region.type);
    assert_int_equal(view.access, region.access);
    assert_true(view.base == region.base && view.len == region.len && view.key == region.key);
    assert_memory_equal(view.object, region.object, sizeof(view.object));

    assert_false(ni_entry_read(entry, handle + (1U << 20), &view));
    remove_region(table, handle);
    assert_false(ni_entry_read(entry, handle, &view));
}

static void test_add_clears_the_objects_of_the_last_owner(void **state)
{
    struct ni_table *table = *state;
    struct ni_region_view region = {.type = NI_REGION_QUEUE, .object = {11, 12, 13}};
    ni_handle handle = 0;

    assert_int_equal(ni_table_insert(table, &region, &handle), NI_OK);
    remove_region(table, handle);
    handle = add_queue(table);
    assert_int_equal(ni_handle_index(handle), 0);
    for (unsigned i = 0; i < NI_ENTRY_OBJECTS; i++) {
        assert_int_equal(ni_entry_object(ni_table_get(table, handle), i), 0);
    }
}

static void test_removed_handle_is_stale(void **state)
{
    struct ni_table *table = *state;
    ni_handle first = add_memory(table, 0x1000, 16);

    remove_region(table, first);
    assert_null(ni_table_get(table, first));
    assert_int_equal(ni_table_remove(table, first), NI_ERR_REGION);

    ni_handle second = add_memory(table, 0x1000, 16);

    assert_int_equal(ni_handle_index(second), ni_handle_index(first));
    assert_int_equal(handle_generation(second), handle_generation(first) + 1);
    assert_null(ni_table_get(table, first));
    assert_int_equal(ni_table_remove(table, first), NI_ERR_REGION);
    assert_non_null(ni_table_get(table, second));
}

static void test_last_freed_index_is_used_first(void **state)
{
    struct ni_table *table = *state;
    ni_handle handle[10];

    for (unsigned i = 0; i < 10; i++) {
        handle[i] = add_queue(table);
        assert_int_equal(ni_handle_index(handle[i]), i);
    }
    remove_region(table, handle[3]);
    remove_region(table, handle[8]);
    remove_region(table, handle[1]);
    assert_int_equal(ni_handle_index(add_queue(table)), 1);
    assert_int_equal(ni_handle_index(add_queue(table)), 8);
    assert_int_equal(ni_handle_index(add_queue(table)), 3);
    assert_int_equal(ni_handle_index(add_queue(table)), 10);
    assert_int_equal(ni_table_count(table), 11);
}

/* Entries do not move while the table grows over several chunks, and all can be found. */
static void test_growth_keeps_entries_in_place(void **state)
{
    enum { COUNT = 5000 };
    static struct ni_table_entry *entries[COUNT];
    static ni_handle handles[COUNT];
    struct ni_table *table = *state;

    for (unsigned i = 0; i < COUNT; i++) {
        handles[i] = add_memory(table, 0x1000 + i * 64, 64);
        entries[i] = ni_table_get(table, handles[i]);
        assert_int_equal((uintptr_t)entries[i] % 64, 0);
    }
    for (unsigned i = 0; i < COUNT; i++) {
        assert_ptr_equal(ni_table_get(table, handles[i]), entries[i]);
        assert_true(ni_entry_handle(entries[i]) == handles[i]);
    }
    assert_int_equal(ni_table_count(table), COUNT);
}

static void test_wrapped_index_rests(void **state)
{
    struct ni_table *table = *state;
    ni_handle handle = add_queue(table);

    for (unsigned generation = 1; generation < NI_TABLE_GENERATIONS; generation++) {
        assert_int_equal(ni_handle_index(handle), 0);
        assert_int_equal(handle_generation(handle), generation);
        remove_region(table, handle);
        handle = add_queue(table);
    }
    assert_int_equal(handle_generation(handle), NI_TABLE_GENERATIONS);
    remove_region(table, handle);
    assert_int_equal(ni_handle_index(add_queue(table)), 1);
}

/* The first handle comes back, but not before a million others. */
static void test_handle_comes_back_late(void **state)
{
    struct ni_table *table = *state;
    ni_handle first = add_queue(table), handle = first;
    uint64_t steps = 0;

    do {
        assert_non_null(ni_table_get(table, handle));
        remove_region(table, handle);
        handle = add_queue(table);
        assert_int_not_equal(handle_generation(handle), 0);
        assert_true(ni_handle_index(handle) <= NI_TABLE_REST);
        steps++;
    } while (handle != first && steps < 10000000);
    assert_int_equal(handle, first);
    assert_int_equal(steps, NI_TABLE_GENERATIONS * (NI_TABLE_REST + 1));
}

static void test_resting_indices_are_used_when_there_are_no_others(void **state)
{
    struct ni_table *table = *state;
    ni_handle handle = 0;

    table->limit = 2;
    for (unsigned i = 0; i < 2 * NI_TABLE_GENERATIONS; i++) {
        handle = add_queue(table);
        remove_region(table, handle);
    }
    /* Both have used up their generations and rest, index 0 for longer. */
    handle = add_queue(table);
    assert_int_equal(ni_handle_index(handle), 0);
    assert_int_equal(handle_generation(handle), 1);
    assert_int_equal(ni_handle_index(add_queue(table)), 1);
    assert_int_equal(ni_table_add(table, NI_REGION_QUEUE, 0, 0, 0, KEY, &handle), NI_ERR_LIMIT);
}

static void test_limit(void **state)
{
    struct ni_table *table = *state;
    ni_handle last = 0, over = 99;

    for (uint32_t i = 0; i < NI_TABLE_LIMIT; i++) {
        last = add_queue(table);
    }
    assert_int_equal(ni_handle_index(last), NI_TABLE_LIMIT - 1);
    assert_int_equal(ni_table_count(table), NI_TABLE_LIMIT);
    assert_int_equal(ni_table_add(table, NI_REGION_QUEUE, 0, 0, 0, KEY, &over), NI_ERR_LIMIT);
    assert_int_equal(over, 99);
    /* The one index that no region has is in reach of a peer. */
    for (unsigned generation = 0; generation < 4096; generation++) {
        assert_null(ni_table_get(table, generation << 20 | NI_HANDLE_INDEX_MASK));
    }
    remove_region(table, last);
    assert_int_equal(ni_handle_index(add_queue(table)), NI_TABLE_LIMIT - 1);
}

static void refuse(struct ni_table *table, int type, uint64_t base, uint64_t len, unsigned access)
{
    ni_handle handle = 99;

    assert_int_equal(
        ni_table_add(table, (enum ni_region_type)type, base, len, access, KEY, &handle),
        NI_ERR_INVALID);
    assert_int_equal(handle, 99);
    assert_int_equal(ni_table_count(table), 0);
}

static void test_bad_regions_are_refused(void **state)
{
    struct ni_table *table = *state;

    refuse(table, NI_REGION_FREE, 0x1000, 16, NI_ACCESS_READ);
    refuse(table, 256 + NI_REGION_MEMORY, 0x1000, 16, NI_ACCESS_READ);
    refuse(table, NI_REGION_MEMORY, 0x1000, 0, NI_ACCESS_READ);
    refuse(table, NI_REGION_MEMORY, 0x1000, 16, 0);
    refuse(table, NI_REGION_MEMORY, 0x1000, 16, 8);
    refuse(table, NI_REGION_QUEUE, 0x1000, 16, NI_ACCESS_ALL + 1);
    refuse(table, NI_REGION_MEMORY, UINT64_MAX, 1, NI_ACCESS_READ);
    refuse(table, NI_REGION_MEMORY, 1, UINT64_MAX, NI_ACCESS_READ);
    refuse(table, NI_REGION_QUEUE, UINT64_MAX - 15, 16, NI_ACCESS_READ);
    add_memory(table, UINT64_MAX - 16, 16);
    add_memory(table, 0, UINT64_MAX);
    add_queue(table);
}

static void test_next_walks_in_order_of_index(void **state)
{
    struct ni_table *table = *state;
    struct ni_table_entry *entry = NULL;
    unsigned seen = 0;
    uint32_t cursor = 0;

    assert_null(ni_table_next(table, &cursor));
    for (unsigned i = 0; i < 300; i++) {
        add_queue(table);
    }
    for (unsigned i = 0; i < 300; i += 2) {
        remove_region(table, 1U << 20 | i);
    }
    for (cursor = 0; (entry = ni_table_next(table, &cursor)) != NULL; seen++) {
        ni_handle handle = ni_entry_handle(entry);

        assert_int_equal(ni_handle_index(handle), 2 * seen + 1);
        remove_region(table, handle);
    }
    assert_int_equal(seen, 150);
    assert_int_equal(ni_table_count(table), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_misaligned_table_is_refused),
        TABLE_TEST(test_empty_table_knows_no_handle),
        TABLE_TEST(test_first_handle_has_generation_1),
        TABLE_TEST(test_entry_holds_what_was_added),
        TABLE_TEST(test_add_clears_the_objects_of_the_last_owner),
        TABLE_TEST(test_removed_handle_is_stale),
        TABLE_TEST(test_last_freed_index_is_used_first),
        TABLE_TEST(test_growth_keeps_entries_in_place),
        TABLE_TEST(test_wrapped_index_rests),
        TABLE_TEST(test_handle_comes_back_late),
        TABLE_TEST(test_resting_indices_are_used_when_there_are_no_others),
        TABLE_TEST(test_limit),
        TABLE_TEST(test_bad_regions_are_refused),
        TABLE_TEST(test_next_walks_in_order_of_index),
    };

    return cmocka_run_group_tests_name("table handles", tests, NULL, NULL);
}
