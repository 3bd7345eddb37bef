/* SPDX-License-Identifier: BSD-3-Clause */
/* The copies of nodes' pointers that a table keeps beside its buckets. */
#include "match_fixture.h"

#include "base/random.h"

enum { ENTRIES = 3000, KEYS = 1200, STEPS = NI_ASAN || NI_TSAN ? 20000 : 200000, CHECKED = 499 };

struct object {
    struct ni_match_entry entry;
    const void *to;
    bool posted;
};

/* Each node that a table names has its pointer beside it. Returns how many there are. */
static uint64_t check_table(const struct ni_match_table *table)
{
    uint64_t nodes = 0;

    if (table->bucket == NULL) {
        return 0;
    }
    assert_non_null(table->beyond);
    for (uint64_t i = 0; i <= table->mask; i++) {
        for (unsigned slot = 0; slot < NI_MATCH_SLOTS; slot++) {
            if ((uint8_t)(table->bucket[i].tags >> slot * 8) != 0) {
                const void *node = table->bucket[i].node[slot];

                assert_ptr_equal(table->beyond[i].slot[slot], ((const struct object *)node)->to);
                nodes++;
            }
        }
    }
    return nodes;
}

/* Entries of many keys, some of which are equal, come and go: alone, from either end of the queue of their
 * key, while the table grows and when it has. */
static void test_copies(void **state)
{
    struct object *object = calloc(ENTRIES, sizeof(*object));
    struct ni_match_list *list = ni_aligned_zero(NI_CACHE_LINE, sizeof(*list));
    struct ni_rng rng;
    bool grew = false;

    (void)state;
    assert_non_null(object);
    assert_non_null(list);
    ni_rng_seed(&rng, 1);
    ni_match_list_init(list);
    list->index.pointer = offsetof(struct object, to);
    for (int step = 0; step < STEPS; step++) {
        struct object *one = &object[ni_rng_below(&rng, ENTRIES)];

        if (one->posted) {
            ni_match_list_remove(list, &one->entry);
        } else {
            one->to = (const char *)object + ni_rng_below(&rng, 1000000);
            assert_int_equal(
                ni_match_list_append(list, &one->entry, ni_rng_below(&rng, KEYS), 0, 1), NI_OK);
        }
        one->posted = !one->posted;
        grew = grew || list->index.old.bucket != NULL;
        if (step % CHECKED == 0) {
            assert_int_equal(check_table(&list->index.table) + check_table(&list->index.old),
                             list->index.keys);
        }
    }
    assert_true(grew);
    assert_true(list->index.keys > KEYS / 2);
    ni_match_list_fini(list);
    ni_free(list);
    free(object);
}

/* Who has none has no room for them. */
static void test_none(void **state)
{
    struct match_fixture *match = match_make(ENTRIES);

    (void)state;
    for (size_t i = 0; i < ENTRIES; i++) {
        assert_int_equal(post(match, i, i, 0, 1), NI_OK);
    }
    assert_non_null(match->list.index.table.bucket);
    assert_null(match->list.index.table.beyond);
    match_end(match);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
