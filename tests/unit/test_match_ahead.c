/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/match/ahead.c. */
/* What is fetched before it is wanted: what is supposed to be matched next. */
#include "match_fixture.h"

enum { MARK = 7, ALL = 600 };

/* Take one out, give it back, and look ahead if that was said to be worth while. */
static const struct ni_match_node *take_entry(struct match_fixture *match, size_t number,
                                              uint32_t *word)
{
    struct ni_match_entry *entry = entry_at(match, number);
    bool front = entry->node.group == NI_MATCH_FRONT;

    *word = 0;
    ni_match_list_remove(&match->list, entry);
    ni_pool_put(&match->entries, entry);
    assert_int_equal(*word, front ? 0 : MARK);
    return *word != 0 ? ni_match_list_ahead(&match->list) : NULL;
}

/* Entries are taken out in steps: two equal ones, and the next one is known. */
static void steps_of_entries(int first, int step)
{
    struct match_fixture *match = match_make(ALL);
    uint32_t word = 0;
    int taken = 0;

    ni_match_list_note(&match->list, &word, MARK);
    for (size_t i = 0; i < ALL; i++) {
        assert_int_equal(post(match, i, i * 3, 0, 1), NI_OK);
    }
    for (int i = first; i >= NI_MATCH_BLOCK && i < ALL; i += step) {
        const struct ni_match_node *next = take_entry(match, (size_t)i, &word);
        bool known = ++taken > 2 && i + step < ALL;

        assert_ptr_equal(next, known ? &entry_at(match, (size_t)(i + step))->node : NULL);
    }
    assert_true(taken > 100);
    for (size_t i = 0; i < ALL; i++) {
        if (ni_pool_at(&match->entries, (uint32_t)i) != NULL) {
            assert_int_equal(posted(match, i * 3, 1), (int)i);
            (void)take_entry(match, i, &word);
        }
    }
    match_end(match);
}

static void test_entries_ahead(void **state)
{
    (void)state;
    steps_of_entries(NI_MATCH_BLOCK + 1, 1);
    steps_of_entries(NI_MATCH_BLOCK + 3, 5);
    steps_of_entries(ALL - 1, -1);
}

/* What would be next has been taken out, or was never there: nothing is fetched. */
static void test_nothing_ahead(void **state)
{
    struct match_fixture *match = match_make(ALL);
    uint32_t word = 0;

    (void)state;
    ni_match_list_note(&match->list, &word, MARK);
    for (size_t i = 0; i < ALL; i++) {
        assert_int_equal(post(match, i, i, 0, 1), NI_OK);
    }
    (void)take_entry(match, 104, &word);
    (void)take_entry(match, 101, &word);
    (void)take_entry(match, 102, &word);
    assert_null(take_entry(match, 103, &word));
    (void)take_entry(match, ALL - 3, &word);
    (void)take_entry(match, ALL - 2, &word);
    assert_null(take_entry(match, ALL - 1, &word));
    match_end(match);
}

static const struct ni_match_node *take_header(struct match_fixture *match, size_t number,
                                               uint32_t *word)
{
    struct ni_match_header *header = header_at(match, number);

    *word = 0;
    ni_match_headers_remove(&match->headers, header);
    ni_pool_put(&match->arrivals, header);
    assert_int_equal(*word, match->headers.blocks.blocks > 1 ? MARK : 0);
    return *word != 0 ? ni_match_headers_ahead(&match->headers) : NULL;
}

/* Headers in the order of arrival, without a table; or backwards, by one. */
static void steps_of_headers(bool backwards)
{
    struct match_fixture *match = match_make(ALL);
    uint32_t word = 0;

    ni_match_headers_note(&match->headers, &word, MARK);
    for (size_t i = 0; i < ALL; i++) {
        assert_int_equal(arrive(match, i, i * 3, 1), NI_OK);
    }
    for (int i = 0; backwards && match->headers.kinds == 0; i++) {
        assert_true(i < 1000);
        assert_int_equal(arrived(match, (ALL - 1) * 3, 0, 1), ALL - 1);
    }
    for (size_t taken = 1; taken < ALL; taken++) {
        size_t i = backwards ? ALL - taken : taken - 1;
        const struct ni_match_node *next = take_header(match, i, &word);

        if (word != 0) {
            size_t wanted = !backwards ? i + 1 : taken > 2 ? i - 1 : 0;

            assert_ptr_equal(next, &header_at(match, wanted)->node);
        }
    }
    (void)take_header(match, backwards ? 0 : ALL - 1, &word);
    match_end(match);
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
        cmocka_unit_test(test_entries_ahead),
        cmocka_unit_test(test_nothing_ahead),
        cmocka_unit_test(test_headers_ahead),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
