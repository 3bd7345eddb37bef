/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_UNIT_TABLE_FIXTURE_H
#define TESTS_UNIT_TABLE_FIXTURE_H

#include "unit.h"

#include "base/alloc.h"
#include "table/table_inl.h"

/*
 * For the tests of the buffer table: an empty table as the state of each test, no fault armed, and
 * short ways to add regions that a test has nothing special to say about.
 */

enum { KEY = 0x5eed };

static inline int table_set_up(void **state)
{
    struct ni_table *table = NULL;

    ni_fault_reset();
    table = ni_aligned(NI_CACHE_LINE, sizeof(*table));
    if (table == NULL || ni_table_init(table) != NI_OK) {
        return -1;
    }
    *state = table;
    return 0;
}

static inline int table_tear_down(void **state)
{
    ni_fault_reset();
    ni_table_fini(*state);
    ni_free(*state);
    return 0;
}

#define TABLE_TEST(function) \
    cmocka_unit_test_setup_teardown(function, table_set_up, table_tear_down)

static inline ni_handle add_memory(struct ni_table *table, uint64_t base, uint64_t len)
{
    ni_handle handle = 0;

    assert_int_equal(ni_table_add(table, NI_REGION_MEMORY, base, len, NI_ACCESS_ALL, KEY, &handle),
                     NI_OK);
    assert_int_not_equal(handle, 0);
    return handle;
}

static inline ni_handle add_queue(struct ni_table *table)
{
    ni_handle handle = 0;

    assert_int_equal(ni_table_add(table, NI_REGION_QUEUE, 0, 0, 0, KEY, &handle), NI_OK);
    return handle;
}

static inline void remove_region(struct ni_table *table, ni_handle handle)
{
    assert_int_equal(ni_table_remove(table, handle), NI_OK);
}

static inline unsigned handle_generation(ni_handle handle)
{
    return handle >> NI_HANDLE_INDEX_BITS;
}

/* The kinds of vector code that this processor has, scalar first; returns how many. */
static inline unsigned simd_kinds(enum ni_simd kinds[3])
{
    const enum ni_simd all[] = {NI_SIMD_SCALAR, NI_SIMD_AVX2, NI_SIMD_AVX512};
    struct ni_cpu cpu = ni_cpu_probe();
    unsigned count = 0;

    for (unsigned i = 0; i < 3; i++) {
        if (ni_cpu_choose(&cpu, all[i]) == all[i]) {
            kinds[count++] = all[i];
        }
    }
    return count;
}

#endif
