/* SPDX-License-Identifier: BSD-3-Clause */
/* The buffer table without memory: a failed addition changes nothing, whichever allocation
 * fails. */
#include "table_fixture.h"

enum { REGIONS = 700 }; /* several chunks, and several blocks of tree nodes */

static void check_all(struct ni_table *table, const ni_handle *handles, unsigned count)
{
    assert_int_equal(ni_table_count(table), count);
    for (unsigned i = 0; i < count; i++) {
        ni_handle found = 0;

        assert_non_null(ni_table_get(table, handles[i]));
        assert_int_equal(ni_table_search(table, 0x1000 + 64 * i, 64, &found), NI_OK);
        assert_int_equal(found, handles[i]);
    }
}

/* Add regions one after the other while the nth allocation fails; returns how often it did. */
static uint64_t add_with_fault(struct ni_table *table, uint64_t nth)
{
    static ni_handle handles[REGIONS];
    uint64_t struck = 0;

    ni_fault_arm(NI_FAULT_ALLOC, nth, 0);
    for (unsigned i = 0; i < REGIONS; i++) {
        ni_handle handle = 0;
        ni_status status = ni_table_add(table, NI_REGION_MEMORY, 0x1000 + 64 * i, 64,
                                        NI_ACCESS_READ, KEY, &handle);

        if (status != NI_OK) {
            assert_int_equal(status, NI_ERR_NOMEM);
            assert_int_equal(handle, 0);
            assert_int_equal(ni_fault_struck(NI_FAULT_ALLOC), 1);
            check_all(table, handles, i);
            handle = add_memory(table, 0x1000 + 64 * i, 64); /* there is memory again */
        }
        assert_int_equal(ni_handle_index(handle), i);
        handles[i] = handle;
    }
    struck = ni_fault_struck(NI_FAULT_ALLOC);
    ni_fault_reset();
    check_all(table, handles, REGIONS);
    return struck;
}

static void test_each_allocation_fails(void **state)
{
    uint64_t nth = 1;

    while (add_with_fault(*state, nth) != 0) {
        table_tear_down(state);
        assert_int_equal(table_set_up(state), 0);
        nth++;
    }
    /* At least one per chunk, and one per region in the tree, where the pool asks each time. */
    assert_true(nth > REGIONS - NI_SLOTS + 4);
}

static void test_init_allocates_nothing(void **state)
{
    static _Alignas(NI_CACHE_LINE) struct ni_table table;

    (void)state;
    ni_fault_arm(NI_FAULT_ALLOC, 1, 1);
    assert_int_equal(ni_table_init(&table), NI_OK);
    assert_int_equal(ni_fault_struck(NI_FAULT_ALLOC), 0);
    ni_fault_reset();
    ni_table_fini(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TABLE_TEST(test_each_allocation_fails),
        TABLE_TEST(test_init_allocates_nothing),
    };

    return cmocka_run_group_tests_name("table without memory", tests, NULL, NULL);
}
