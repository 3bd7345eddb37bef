/* SPDX-License-Identifier: BSD-3-Clause */
/* The mirror that peers read: what is in it, when, and that its reader believes nothing. */
#include "table_fixture.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/random.h"

enum { RECORDS = 8 };

static const uint64_t BASE = 0x7f0000001000, LEN = 100;

static ni_status peer_check(const struct ni_table_export *records, ni_handle handle)
{
    return ni_export_check(records, RECORDS, handle, KEY, BASE, LEN, NI_ACCESS_READ);
}

static uint64_t record_word(struct ni_table_export *record)
{
    return atomic_load_explicit(&record->word, memory_order_relaxed);
}

static void test_layout(void **state)
{
    struct ni_table_export record;

    (void)state;
    assert_int_equal(sizeof(record), 32);
    ni_export_withdraw(&record);
    ni_export_publish(&record, ni_word_make(0xabc12345, NI_REGION_MEMORY, NI_ACCESS_ALL), 1, 2, 3);

    const uint64_t expected[4] = {0x00000701abc12345, 1, 2, 3};

    assert_memory_equal(&record, expected, sizeof(expected));
}

static void test_regions_come_and_go(void **state)
{
    struct ni_table_export records[RECORDS];
    struct ni_table *table = *state;

    memset(records, 0xff, sizeof(records));
    ni_table_set_export(table, records, RECORDS);
    for (unsigned i = 0; i < RECORDS; i++) {
        assert_true(record_word(&records[i]) == 0);
    }

    ni_handle handle = add_memory(table, BASE, LEN);

    assert_int_equal(peer_check(records, handle), NI_OK);
    remove_region(table, handle);
    assert_int_equal(peer_check(records, handle), NI_ERR_REGION);
    assert_true(record_word(&records[0]) == 0);

    ni_handle next = add_memory(table, BASE, LEN);

    assert_int_equal(peer_check(records, handle), NI_ERR_REGION);
    assert_int_equal(peer_check(records, next), NI_OK);
    ni_table_set_export(table, NULL, 0);
}

static void test_reasons_in_order(void **state)
{
    struct ni_table_export records[RECORDS];
    struct ni_table *table = *state;
    ni_handle handle = 0;

    ni_table_set_export(table, records, RECORDS);
    assert_int_equal(ni_table_add(table, NI_REGION_MEMORY, BASE, LEN, NI_ACCESS_READ, KEY, &handle),
                     NI_OK);
    assert_int_equal(ni_export_check(records, 0, handle, 1, 1, 1, 2), NI_ERR_UNSUPPORTED);
    assert_int_equal(ni_export_check(records, RECORDS, handle + 1, 1, 1, 1, 2), NI_ERR_REGION);
    assert_int_equal(ni_export_check(records, RECORDS, handle, 1, 1, 1, 2), NI_ERR_KEY);
    assert_int_equal(ni_export_check(records, RECORDS, handle, KEY, 1, 1, 2), NI_ERR_BOUNDS);
    assert_int_equal(ni_export_check(records, RECORDS, handle, KEY, BASE, 1, 2), NI_ERR_ACCESS);
    assert_int_equal(ni_export_check(records, RECORDS, handle, KEY, BASE, 1, 1), NI_OK);
    assert_int_equal(ni_export_check(records, RECORDS, handle, KEY, BASE, LEN + 1, 1),
                     NI_ERR_BOUNDS);
    assert_int_equal(ni_export_check(records, RECORDS, handle, KEY, BASE + 1, UINT64_MAX, 1),
                     NI_ERR_BOUNDS);
    assert_int_equal(ni_export_check(records, RECORDS, 0, KEY, BASE, 1, 1), NI_ERR_REGION);
    ni_table_set_export(table, NULL, 0);
}

/* Where another region may allow what this one refuses, its owner has to be asked. */
static void test_refusals_that_another_region_may_settle(void **state)
{
    struct ni_table_export records[RECORDS];
    struct ni_table *table = *state;
    ni_handle handle = 0;

    ni_table_set_export(table, records, RECORDS);
    assert_int_equal(ni_table_add(table, NI_REGION_MEMORY, BASE, LEN,
                                  NI_ACCESS_READ | NI_ACCESS_BY_ADDRESS,
                                  ni_table_shared_key(table, KEY), &handle),
                     NI_OK);
    assert_int_equal(peer_check(records, handle), NI_OK);
    assert_int_equal(peer_check(records, handle + (1U << 20)), NI_ERR_UNSUPPORTED);
    assert_int_equal(ni_export_check(records, RECORDS, handle, KEY + 1, BASE, 1, NI_ACCESS_READ),
                     NI_ERR_UNSUPPORTED);
    assert_int_equal(ni_export_check(records, RECORDS, handle, KEY, BASE - 1, 1, NI_ACCESS_READ),
                     NI_ERR_UNSUPPORTED);
    assert_int_equal(ni_export_check(records, RECORDS, handle, KEY, BASE, 1, NI_ACCESS_WRITE),
                     NI_ERR_UNSUPPORTED);
    remove_region(table, handle);
    assert_int_equal(peer_check(records, handle), NI_ERR_REGION);
    ni_table_set_export(table, NULL, 0);
}

static void test_only_memory_below_the_end_is_mirrored(void **state)
{
    struct ni_table_export records[RECORDS + 1];
    struct ni_table *table = *state;
    ni_handle handle[RECORDS + 1];
    ni_handle queue = 0;

    memset(records, 0, sizeof(records));
    ni_table_set_export(table, records, RECORDS);
    assert_int_equal(ni_table_add(table, NI_REGION_QUEUE, BASE, LEN, NI_ACCESS_ALL, KEY, &queue),
                     NI_OK);
    assert_int_equal(peer_check(records, queue), NI_ERR_REGION);
    for (unsigned i = 1; i <= RECORDS; i++) {
        handle[i] = add_memory(table, BASE, LEN);
        assert_int_equal(peer_check(records, handle[i]), i < RECORDS ? NI_OK : NI_ERR_UNSUPPORTED);
    }
    assert_true(record_word(&records[RECORDS]) == 0);
    /* A peer may ask for any index. */
    assert_int_equal(peer_check(records, UINT32_MAX), NI_ERR_UNSUPPORTED);
    ni_table_set_export(table, NULL, 0);
}

static void test_mirror_of_a_table_in_use(void **state)
{
    struct ni_table_export first[RECORDS], second[2];
    struct ni_table *table = *state;
    ni_handle a = add_memory(table, BASE, LEN), b = add_memory(table, BASE, LEN);
    ni_handle queue = add_queue(table), c = add_memory(table, BASE, LEN);

    remove_region(table, b);
    ni_table_set_export(table, first, RECORDS);
    assert_int_equal(peer_check(first, a), NI_OK);
    assert_int_equal(peer_check(first, b), NI_ERR_REGION);
    assert_int_equal(peer_check(first, queue), NI_ERR_REGION);
    assert_int_equal(peer_check(first, c), NI_OK);

    ni_table_set_export(table, second, 2);
    assert_int_equal(peer_check(first, a), NI_ERR_REGION);
    assert_int_equal(ni_export_check(second, 2, a, KEY, BASE, LEN, NI_ACCESS_READ), NI_OK);
    assert_int_equal(ni_export_check(second, 2, c, KEY, BASE, LEN, NI_ACCESS_READ),
                     NI_ERR_UNSUPPORTED);

    ni_table_set_export(table, second, 0);
    assert_true(record_word(&second[0]) == 0);
    remove_region(table, a);
    add_memory(table, BASE, LEN);
    assert_true(record_word(&second[0]) == 0);
}

static void test_fini_empties_the_mirror(void **state)
{
    static _Alignas(NI_CACHE_LINE) struct ni_table table;
    struct ni_table_export records[RECORDS];

    (void)state;
    assert_int_equal(ni_table_init(&table), NI_OK);
    ni_table_set_export(&table, records, RECORDS);

    ni_handle handle = add_memory(&table, BASE, LEN);

    assert_int_equal(peer_check(records, handle), NI_OK);
    ni_table_fini(&table);
    assert_int_equal(peer_check(records, handle), NI_ERR_REGION);
}

/* Whatever a peer writes into its own mirror, its reader gives an answer that fits it. */
static void test_garbage(void **state)
{
    struct ni_table_export record;
    struct ni_rng rng;

    (void)state;
    ni_rng_seed(&rng, 7);
    for (int i = 0; i < 200000; i++) {
        uint64_t word = ni_rng_next(&rng), base = ni_rng_next(&rng) >> ni_rng_below(&rng, 64);
        uint64_t len = ni_rng_next(&rng) >> ni_rng_below(&rng, 64);
        uint64_t at = base + (ni_rng_next(&rng) >> ni_rng_below(&rng, 64));
        uint64_t size = ni_rng_next(&rng) >> ni_rng_below(&rng, 64);
        ni_handle handle = (ni_handle)word & ~(ni_handle)NI_HANDLE_INDEX_MASK;
        ni_status status = NI_OK, refusal = NI_ERR_BOUNDS;

        word &= ~(uint64_t)NI_HANDLE_INDEX_MASK;
        ni_export_withdraw(&record);
        ni_export_publish(&record, word, base, len, KEY);
        status = ni_export_check(&record, 1, handle, KEY, at, size, 0);
        if ((ni_word_access(word) & NI_ACCESS_BY_ADDRESS) != 0) {
            refusal = NI_ERR_UNSUPPORTED;
        }
        assert_int_equal(status, at - base <= len && size <= len - (at - base) ? NI_OK : refusal);
    }
}

/*
 * A record whose word lies at the end of one page and whose fields lie in the next one, which the
 * reader finds locked: between its first load and the others, the fault handler lets the table
 * change.
 */
static struct {
    struct ni_table *table;
    ni_handle handle;
    char *locked;
    size_t page;
    unsigned faults;
} between;

static void change_between_two_loads(int signal)
{
    (void)signal;
    mprotect(between.locked, between.page, PROT_READ | PROT_WRITE);
    between.faults++;
    if (ni_table_remove(between.table, between.handle) != NI_OK ||
        ni_table_add(between.table, NI_REGION_MEMORY, BASE, LEN, NI_ACCESS_ALL, KEY,
                     &between.handle) != NI_OK) {
        _exit(1);
    }
}

static void test_change_in_the_middle_of_a_check(void **state)
{
    const struct sigaction action = {.sa_handler = change_between_two_loads};
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct sigaction before;

    assert_ptr_not_equal(pages, MAP_FAILED);

    struct ni_table_export *record = (struct ni_table_export *)(void *)(pages + page - 8);

    ni_table_set_export(*state, record, 1);

    ni_handle old = add_memory(*state, BASE, LEN);

    between.table = *state;
    between.handle = old;
    between.locked = pages + page;
    between.page = page;
    between.faults = 0;
    assert_int_equal(sigaction(SIGSEGV, &action, &before), 0);
    assert_int_equal(mprotect(between.locked, page, PROT_NONE), 0);
    /* All fields are right, but they are those of another region. */
    assert_int_equal(ni_export_check(record, 1, old, KEY, BASE, LEN, NI_ACCESS_READ),
                     NI_ERR_REGION);
    assert_int_equal(between.faults, 1);
    assert_int_equal(sigaction(SIGSEGV, &before, NULL), 0);
    assert_int_equal(ni_export_check(record, 1, between.handle, KEY, BASE, LEN, NI_ACCESS_READ),
                     NI_OK);
    ni_table_set_export(*state, NULL, 0);
    munmap(pages, 2 * page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),
        TABLE_TEST(test_regions_come_and_go),
        TABLE_TEST(test_reasons_in_order),
        TABLE_TEST(test_refusals_that_another_region_may_settle),
        TABLE_TEST(test_only_memory_below_the_end_is_mirrored),
        TABLE_TEST(test_mirror_of_a_table_in_use),
        cmocka_unit_test(test_fini_empties_the_mirror),
        cmocka_unit_test(test_garbage),
        TABLE_TEST(test_change_in_the_middle_of_a_check),
    };

    return cmocka_run_group_tests_name("table export", tests, NULL, NULL);
}
