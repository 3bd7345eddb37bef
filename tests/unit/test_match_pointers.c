/* SPDX-License-Identifier: BSD-3-Clause */
/* What is fetched before it is wanted: the copies of nodes' pointers that a table keeps beside its
 * buckets, and what is supposed to be matched next. */
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

/* Entries of many keys, some of which are equal, come and go: alone, from either end of the queue
 * of their key, while the table grows and when it has. */
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

/* ---- ahead ----------------------------------------------------------------------------------- */

enum { MARK = 7, ALL = 600 };

/* Take one out, give its memory back, and look ahead if that was said to be worth while. */
static const struct ni_match_node *take_entry(struct ni_match_list *list,
                                              struct ni_match_entry **entry, uint32_t *word)
{
    bool front = (*entry)->node.block == &list->front;

    *word = 0;
    ni_match_list_remove(list, *entry);
    free(*entry);
    *entry = NULL;
    assert_int_equal(*word, front ? 0 : MARK);
    return *word != 0 ? ni_match_list_ahead(list, sizeof(**entry)) : NULL;
}

/* Entries are taken out in steps: two equal ones, and the next one is known. */
static void steps_of_entries(int first, int step)
{
    struct ni_match_list *list = ni_aligned_zero(NI_CACHE_LINE, sizeof(*list));
    struct ni_match_entry *entry[ALL];
    uint32_t word = 0;
    int taken = 0;

    assert_non_null(list);
    ni_match_list_init(list);
    ni_match_list_note(list, &word, MARK);
    for (int i = 0; i < ALL; i++) {
        entry[i] = calloc(1, sizeof(*entry[i]));
        assert_non_null(entry[i]);
        assert_int_equal(ni_match_list_append(list, entry[i], (uint64_t)i * 3, 0, 1), NI_OK);
    }
    for (int i = first; i >= NI_MATCH_BLOCK && i < ALL; i += step) {
        const struct ni_match_node *next = take_entry(list, &entry[i], &word);
        bool known = ++taken > 2 && i + step < ALL && i + step >= NI_MATCH_BLOCK;

        assert_ptr_equal(next, known ? &entry[i + step]->node : NULL);
    }
    assert_true(taken > 100);
    for (int i = 0; i < ALL; i++) {
        if (entry[i] != NULL) {
            assert_ptr_equal(ni_match_list_search(list, (uint64_t)i * 3, 1), entry[i]);
            (void)take_entry(list, &entry[i], &word);
        }
    }
    ni_match_list_fini(list);
    ni_free(list);
}

static void test_entries_ahead(void **state)
{
    (void)state;
    steps_of_entries(NI_MATCH_BLOCK + 1, 1);
    steps_of_entries(NI_MATCH_BLOCK + 3, 5);
    steps_of_entries(ALL - 1, -1);
}

static const struct ni_match_node *take_header(struct ni_match_headers *headers,
                                               struct ni_match_header **header, uint32_t *word)
{
    *word = 0;
    ni_match_headers_remove(headers, *header);
    free(*header);
    *header = NULL;
    assert_int_equal(*word, headers->blocks.blocks > 1 ? MARK : 0);
    return *word != 0 ? ni_match_headers_ahead(headers, sizeof(**header)) : NULL;
}

/* Headers in the order of arrival, without a table; or backwards, by one. */
static void steps_of_headers(bool backwards)
{
    struct ni_match_headers headers;
    struct ni_match_header *header[ALL];
    uint32_t word = 0;

    ni_match_headers_init(&headers);
    ni_match_headers_note(&headers, &word, MARK);
    for (int i = 0; i < ALL; i++) {
        header[i] = calloc(1, sizeof(*header[i]));
        assert_non_null(header[i]);
        assert_int_equal(ni_match_headers_append(&headers, header[i], (uint64_t)i * 3, 1), NI_OK);
    }
    for (int i = 0; backwards && headers.kinds == 0; i++) {
        assert_true(i < 1000);
        assert_ptr_equal(ni_match_headers_search(&headers, (uint64_t)(ALL - 1) * 3, 0, 1),
                         header[ALL - 1]);
    }
    for (int taken = 1; taken < ALL; taken++) {
        int i = backwards ? ALL - taken : taken - 1;
        const struct ni_match_node *next = take_header(&headers, &header[i], &word);

        if (word != 0) {
            assert_ptr_equal(next, &header[!backwards ? i + 1 : taken > 2 ? i - 1 : 0]->node);
        }
    }
    (void)take_header(&headers, &header[backwards ? 0 : ALL - 1], &word);
    ni_match_headers_fini(&headers);
}

static void test_headers_ahead(void **state)
{
    (void)state;
    steps_of_headers(false);
    steps_of_headers(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_entries_ahead),
        cmocka_unit_test(test_headers_ahead),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
