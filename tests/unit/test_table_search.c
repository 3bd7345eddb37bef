/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/table/slots_avx2.c ni/table/slots_avx512.c ni/table/slots_scalar.c. */
/* Search by address, with each kind of vector code that the processor has. */
#include "table_fixture.h"

#include <stdlib.h>

enum { NOTHING = -1 };

/* Search with each kind of vector code; all must agree. Returns the index, or NOTHING. */
static int search(struct ni_table *table, uint64_t start, uint64_t len)
{
    enum ni_simd kinds[3];
    unsigned count = simd_kinds(kinds);
    int found = NOTHING;

    for (unsigned i = 0; i < count; i++) {
        ni_handle handle = 0;
        ni_status status = NI_OK;

        ni_table_set_simd(table, kinds[i]);
        status = ni_table_search(table, start, len, &handle);

        int index = status == NI_OK ? (int)ni_handle_index(handle) : NOTHING;

        assert_true(status == NI_OK || (status == NI_ERR_NOTFOUND && handle == 0));
        assert_true(status != NI_OK || ni_table_get(table, handle) != NULL);
        if (i > 0) {
            assert_int_equal(index, found);
        }
        found = index;
    }
    return found;
}

static uint64_t place(unsigned i)
{
    return 0x100000 + (uint64_t)i * 0x1000;
}

/* count regions of 256 bytes at place(0), place(1), ... */
static void fill(struct ni_table *table, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(ni_handle_index(add_memory(table, place(i), 256)), i);
    }
}

static void test_empty(void **state)
{
    assert_int_equal(search(*state, 0x1000, 1), NOTHING);
    assert_int_equal(search(*state, 0, UINT64_MAX), NOTHING);
}

static void check_edges(struct ni_table *table, unsigned i)
{
    int index = (int)i;

    assert_int_equal(search(table, place(i), 256), index);
    assert_int_equal(search(table, place(i), 1), index);
    assert_int_equal(search(table, place(i) + 255, 1), index);
    assert_int_equal(search(table, place(i), 257), NOTHING);
    assert_int_equal(search(table, place(i) - 1, 2), NOTHING);
    assert_int_equal(search(table, place(i) - 1, 1), NOTHING);
    assert_int_equal(search(table, place(i) + 255, 2), NOTHING);
    assert_int_equal(search(table, place(i) + 256, 1), NOTHING);
}

static void test_each_of_32(void **state)
{
    fill(*state, NI_SLOTS);
    for (unsigned i = 0; i < NI_SLOTS; i++) {
        check_edges(*state, i);
    }
}

static void test_each_of_1000(void **state)
{
    fill(*state, 1000);
    for (unsigned i = 0; i < 1000; i++) {
        check_edges(*state, i);
    }
}

static void test_degenerate_ranges(void **state)
{
    struct ni_table *table = *state;

    add_memory(table, 0, UINT64_MAX);
    assert_int_equal(search(table, 0, UINT64_MAX), 0);
    assert_int_equal(search(table, UINT64_MAX - 1, 1), 0);
    assert_int_equal(search(table, 0x1000, 0), NOTHING);
    assert_int_equal(search(table, UINT64_MAX, 1), NOTHING);
    assert_int_equal(search(table, 0x1000, UINT64_MAX), NOTHING);
    assert_int_equal(search(table, UINT64_MAX, UINT64_MAX), NOTHING);
}

/* Signed comparisons of unsigned addresses, on both sides of 2^63. */
static void test_addresses_with_the_top_bit(void **state)
{
    struct ni_table *table = *state;
    uint64_t half = (uint64_t)1 << 63;

    add_memory(table, half - 16, 16);
    add_memory(table, half, 16);
    add_memory(table, half - 8, 16);
    assert_int_equal(search(table, half - 16, 16), 0);
    assert_int_equal(search(table, half, 16), 1);
    assert_int_equal(search(table, half - 1, 2), 2);
    assert_int_equal(search(table, half - 9, 2), 0);
    assert_int_equal(search(table, half - 16, 17), NOTHING);
}

static void test_other_types_are_not_found(void **state)
{
    struct ni_table *table = *state;
    ni_handle handle = 0;

    assert_int_equal(ni_table_add(table, NI_REGION_QUEUE, 0x1000, 256, NI_ACCESS_ALL, 1, &handle),
                     NI_OK);
    assert_int_equal(search(table, 0x1000, 1), NOTHING);
    add_memory(table, 0x1000, 256);
    assert_int_equal(search(table, 0x1000, 1), 1);
    remove_region(table, handle);
    assert_int_equal(search(table, 0x1000, 1), 1);
}

static void test_removed_is_not_found(void **state)
{
    struct ni_table *table = *state;

    fill(table, 100);
    for (unsigned i = 0; i < 100; i += 3) {
        remove_region(table, 1U << 20 | i);
    }
    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(search(table, place(i), 256), i % 3 == 0 ? NOTHING : (int)i);
    }
}

/* Of several regions the one with the smallest index, wherever the slots are. */
static void test_smallest_index_in_slots(void **state)
{
    struct ni_table *table = *state;
    ni_handle a = add_memory(table, 0x1000, 0x1000);
    ni_handle b = add_memory(table, 0x1800, 0x1000);
    ni_handle q = add_queue(table);

    add_memory(table, 0x1000, 0x2000); /* index 3 in slot 2 */
    assert_int_equal(search(table, 0x1800, 0x800), 0);
    assert_int_equal(search(table, 0x2000, 0x800), 1);
    assert_int_equal(search(table, 0x1000, 0x1800), 3);
    remove_region(table, a);
    assert_int_equal(search(table, 0x1800, 0x800), 1);
    remove_region(table, b);
    assert_int_equal(search(table, 0x1800, 0x800), 3);
    /* Index 2 goes to slot 0, in front of index 3 in slot 2; then index 4 to slot 1. */
    remove_region(table, q);
    assert_int_equal(ni_handle_index(add_memory(table, 0x1800, 0x400)), 2);
    assert_int_equal(search(table, 0x1900, 1), 2);
    assert_int_equal(search(table, 0x1c00, 1), 3);
}

/* A region in the tree wins over those in slots if its index is smaller. */
static void test_smallest_index_in_the_tree(void **state)
{
    struct ni_table *table = *state;
    ni_handle q = add_queue(table);

    for (unsigned i = 0; i < NI_SLOTS; i++) {
        add_memory(table, place(i), 256);
    }
    assert_int_equal(ni_handle_index(add_memory(table, place(5), 512)), NI_SLOTS + 1);
    assert_int_equal(search(table, place(5), 256), 6);
    assert_int_equal(search(table, place(5), 512), NI_SLOTS + 1);
    remove_region(table, q);
    assert_int_equal(ni_handle_index(add_memory(table, place(5), 384)), 0);
    assert_int_equal(search(table, place(5), 256), 0);
    assert_int_equal(search(table, place(5), 512), NI_SLOTS + 1);
    assert_int_equal(search(table, place(6), 256), 7);
}

/* While the tree holds nothing, a hit in the slots asks nobody else. */
static void test_empty_tree_costs_nothing(void **state)
{
    struct ni_table *table = *state;

    fill(table, NI_SLOTS + 5);
    assert_int_equal(table->tree_floor, NI_SLOTS);
    for (unsigned i = 0; i < 5; i++) {
        remove_region(table, 1U << 20 | (NI_SLOTS + i));
        assert_true(table->tree_floor == (i < 4 ? NI_SLOTS + i + 1 : UINT32_MAX));
    }
    assert_null(table->tree.root);
}

/* Nested like the skins of an onion, far beyond the slots. */
static void test_nest(void **state)
{
    enum { DEPTH = 500 };
    struct ni_table *table = *state;

    for (unsigned i = 0; i < DEPTH; i++) {
        add_memory(table, 0x100000 + i, 2 * (DEPTH - i));
    }
    for (unsigned i = 0; i < DEPTH; i++) {
        /* Inside of the outermost i + 1 of them. */
        assert_int_equal(search(table, 0x100000 + i, 2 * (DEPTH - i)), 0);
    }
    for (unsigned i = 0; i < DEPTH - 1; i++) {
        remove_region(table, 1U << 20 | i);
        assert_int_equal(search(table, 0x100000 + DEPTH, 1), (int)i + 1);
        assert_int_equal(search(table, 0x100000 + i, 1), NOTHING);
    }
}

static void test_equal_ranges(void **state)
{
    struct ni_table *table = *state;

    for (unsigned i = 0; i < 100; i++) {
        add_memory(table, 0x1000, 64);
    }
    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(search(table, 0x1000, 64), (int)i);
        remove_region(table, 1U << 20 | i);
    }
    assert_int_equal(search(table, 0x1000, 64), NOTHING);
}

/* The parameter decides, as far as the processor can. */
static void test_code_is_chosen_when_the_table_is_made(void **state)
{
    struct ni_table *table = *state;
    enum ni_simd kinds[3];
    unsigned count = simd_kinds(kinds);

    assert_ptr_equal(table->match, ni_slots_match_for(ni_cpu_simd()));
    for (unsigned i = 0; i < count; i++) {
        for (unsigned j = 0; j < i; j++) {
            assert_ptr_not_equal(ni_slots_match_for(kinds[i]), ni_slots_match_for(kinds[j]));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TABLE_TEST(test_empty),
        TABLE_TEST(test_each_of_32),
        TABLE_TEST(test_each_of_1000),
        TABLE_TEST(test_degenerate_ranges),
        TABLE_TEST(test_addresses_with_the_top_bit),
        TABLE_TEST(test_other_types_are_not_found),
        TABLE_TEST(test_removed_is_not_found),
        TABLE_TEST(test_smallest_index_in_slots),
        TABLE_TEST(test_smallest_index_in_the_tree),
        TABLE_TEST(test_empty_tree_costs_nothing),
        TABLE_TEST(test_nest),
        TABLE_TEST(test_equal_ranges),
        TABLE_TEST(test_code_is_chosen_when_the_table_is_made),
    };

    return cmocka_run_group_tests_name("table search", tests, NULL, NULL);
}
