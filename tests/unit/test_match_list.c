/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/match/list.c ni/match/block.c ni/match/scan_avx2.c ni/match/scan_avx512.c
 * ni/match/scan_scalar.c. */
/* Posted entries: the rule, the order, the moves between front, groups and the rest. */
#include "match_fixture.h"

#include "match/buckets.h"

enum { DEEP = NI_ASAN || NI_TSAN ? 50000 : 1000000 };

static void test_empty(void **state)
{
    struct match_fixture *match = match_make(1);

    (void)state;
    assert_int_equal(posted(match, 0, 0), NONE);
    assert_int_equal(posted(match, UINT64_MAX, 7), NONE);
    assert_int_equal(post(match, 0, 0, 0, 0), NI_OK);
    assert_int_equal(posted(match, 0, 0), 0);
    unpost(match, 0);
    assert_int_equal(posted(match, 0, 0), NONE);
    assert_int_equal(ni_stat_get(&match->list.length), 0);
    assert_int_equal(ni_stat_get(&match->list.counts.most), 1);
    assert_int_equal(ni_stat_get(&match->list.counts.searches), 4);
    match_end(match);
}

/* One entry, in the front or, behind `before` others, in a group. */
static void check_rule(size_t before)
{
    struct match_fixture *match = match_make(before + 1);
    int one = (int)before;

    for (size_t i = 0; i < before; i++) {
        assert_int_equal(post(match, i, 0xdead, 0, 99), NI_OK);
    }
    assert_int_equal(post(match, before, 0x1200ff, 0xff, 5), NI_OK);
    assert_int_equal(posted(match, 0x120000, 5), one);
    assert_int_equal(posted(match, 0x1200ab, 5), one);
    assert_int_equal(posted(match, 0x1201ab, 5), NONE);
    assert_int_equal(posted(match, (uint64_t)1 << 63 | 0x120000, 5), NONE);
    assert_int_equal(posted(match, 0x120000, 6), NONE);
    unpost(match, before);
    assert_int_equal(posted(match, 0x120000, 5), NONE);

    assert_int_equal(post(match, before, 42, 0, NI_MATCH_ANY), NI_OK);
    assert_int_equal(posted(match, 42, 0), one);
    assert_int_equal(posted(match, 42, NI_MATCH_ANY - 1), one);
    assert_int_equal(posted(match, 43, 0), NONE);
    unpost(match, before);

    assert_int_equal(post(match, before, 42, UINT64_MAX, NI_MATCH_ANY), NI_OK);
    assert_int_equal(posted(match, 0, 0), one);
    assert_int_equal(posted(match, UINT64_MAX, 12345), one);
    match_end(match);
}

static void test_rule(void **state)
{
    (void)state;
    check_rule(0);
    check_rule(NI_MATCH_BLOCK - 1);
    check_rule(NI_MATCH_BLOCK);
    check_rule(100);
}

/* What is older wins, whichever group it is in. */
static void test_order_across_groups(void **state)
{
    enum { ROUNDS = 50 };
    struct match_fixture *match = match_make(4 * ROUNDS);

    (void)state;
    for (size_t i = 0; i < 4 * ROUNDS; i += 4) {
        assert_int_equal(post(match, i, 7, 0, 1), NI_OK);
        assert_int_equal(post(match, i + 1, 0, ANY_TAG, 1), NI_OK);
        assert_int_equal(post(match, i + 2, 7, 0, NI_MATCH_ANY), NI_OK);
        assert_int_equal(post(match, i + 3, 0, ANY_TAG, NI_MATCH_ANY), NI_OK);
    }
    for (int i = 0; i < 4 * ROUNDS; i += 4) {
        assert_int_equal(posted(match, 7, 2), i + 2);
        assert_int_equal(posted(match, 8, 2), i + 3);
        assert_int_equal(posted(match, 8, 1), i + 1);
        for (int j = 0; j < 4; j++) {
            assert_int_equal(posted(match, 7, 1), i + j);
            unpost(match, (size_t)(i + j));
        }
    }
    assert_int_equal(posted(match, 7, 1), NONE);
    match_end(match);
}

/* All of one key: first, last and middle ones go, the others stay in order. */
static void test_equal_keys(void **state)
{
    enum { ENTRIES = 1000 };
    struct match_fixture *match = match_make(ENTRIES);
    long found = NONE;

    (void)state;
    for (size_t i = 0; i < ENTRIES; i++) {
        assert_int_equal(post(match, i, 3, 0, 3), NI_OK);
    }
    for (size_t i = 0; i < ENTRIES; i += 3) {
        unpost(match, i);
    }
    unpost(match, ENTRIES - 2);
    found = posted(match, 3, 3);
    for (int i = 0; i < ENTRIES; i++) {
        if (i % 3 != 0 && i != ENTRIES - 2) {
            assert_int_equal(found, i);
            found = posted_next(match, found, 3, 3);
        }
    }
    assert_int_equal(found, NONE);
    match_end(match);
}

/* The way on from an entry that does not match, between groups and entries without one. */
static void test_next(void **state)
{
    enum { ENTRIES = 300 };
    struct match_fixture *match = match_make(ENTRIES);

    (void)state;
    for (size_t i = 0; i < ENTRIES; i++) {
        /* Every third one matches 0; ten kinds of ignore bits. */
        assert_int_equal(post(match, i, i % 3 == 0 ? 0 : 1, (uint64_t)1 << (10 + i % 10), 0),
                         NI_OK);
    }
    for (int i = 0; i < ENTRIES; i++) {
        int next = i / 3 * 3 + 3;

        assert_int_equal(posted_next(match, i, 0, 0), next < ENTRIES ? next : NONE);
    }
    match_end(match);
}

/* A short list needs no memory, however often its entries come and go. */
static void test_short_list(void **state)
{
    struct match_fixture *match = match_make(NI_MATCH_BLOCK);

    (void)state;
    ni_fault_arm(NI_FAULT_ALLOC, 1, 1);
    for (size_t round = 0; round < 1000; round++) {
        size_t depth = round % 12 + 1;

        for (size_t i = 0; i < depth; i++) {
            assert_int_equal(post(match, i, i, round, 0), NI_OK);
        }
        for (size_t i = 0; i < depth; i++) {
            unpost(match, (i + round) % depth);
        }
    }
    assert_int_equal(ni_fault_asked(NI_FAULT_ALLOC), 0);
    match_end(match);
}

/* A list that is a little deeper needs memory once. */
static void test_less_short_list(void **state)
{
    enum { DEPTH = NI_MATCH_BLOCK + 4 };
    struct match_fixture *match = match_make(DEPTH);

    (void)state;
    for (size_t round = 0; round < 100; round++) {
        for (size_t i = 0; i < DEPTH; i++) {
            assert_int_equal(post(match, i, i, 0, 0), NI_OK);
        }
        for (size_t i = 0; i < DEPTH; i++) {
            unpost(match, i);
        }
        ni_fault_arm(NI_FAULT_ALLOC, 1, 1);
    }
    assert_int_equal(ni_fault_asked(NI_FAULT_ALLOC), 0);
    match_end(match);
}

/* More kinds of ignore bits than groups: those that repeat get one, and the order is kept. */
static void test_many_masks(void **state)
{
    enum { MASKS = 60, EACH = 20, ENTRIES = MASKS * EACH };
    struct match_fixture *match = match_make(ENTRIES);

    (void)state;
    for (size_t i = 0; i < ENTRIES; i++) {
        assert_int_equal(post(match, i, 0, (uint64_t)1 << i % MASKS, 0), NI_OK);
    }
    assert_int_equal(match->list.active, UINT32_MAX);
    assert_true(match->list.odd.nodes > 0);
    for (int i = 0; i < ENTRIES; i++) {
        uint64_t bits = (uint64_t)1 << i % MASKS;

        assert_int_equal(posted(match, bits, 0), i);
        assert_int_equal(posted_next(match, i, bits, 0), i + MASKS < ENTRIES ? i + MASKS : NONE);
        unpost(match, (size_t)i);
    }
    assert_int_equal(match->list.active, 0);
    assert_int_equal(match->list.odd.nodes, 0);
    match_end(match);
}

/* Deep lists: all is found, with hardly more than one comparison each, on the way up and down. */
static void test_deep(void **state)
{
    struct match_fixture *match = match_make(DEEP);
    uint64_t searches = 0;

    (void)state;
    for (size_t i = 0; i < DEEP; i++) {
        assert_int_equal(post(match, i, (uint64_t)i << 20, 0xfffff, (uint32_t)(i % 1000)), NI_OK);
        if (i % 16 == 0) {
            assert_int_equal(posted(match, (uint64_t)(i / 2) << 20, (uint32_t)(i / 2 % 1000)),
                             (int)(i / 2));
        }
    }
    for (size_t i = 0; i < DEEP; i++) {
        size_t number = i * 7919 % DEEP;

        assert_int_equal(posted(match, (uint64_t)number << 20 | i % 99, (uint32_t)(number % 1000)),
                         (int)number);
        unpost(match, number);
    }
    searches = ni_stat_get(&match->list.counts.searches);
    assert_true(ni_stat_get(&match->list.counts.attempts) < searches + searches / 4);
    assert_int_equal(ni_stat_get(&match->list.counts.most), DEEP);
    assert_int_equal(ni_stat_get(&match->list.length), 0);
    match_end(match);
}

/* Every hash the same: slow, but right. */
static void test_one_bucket(void **state)
{
    enum { ENTRIES = 2000 };
    struct match_fixture *match = match_make(ENTRIES);

    (void)state;
    match->list.index.seed[1] = ni_match_from(1, 0);
    for (size_t i = 0; i < ENTRIES; i++) {
        assert_int_equal(post(match, i, i, 0, 1), NI_OK);
    }
    for (size_t i = 0; i < ENTRIES; i += 2) {
        unpost(match, i);
    }
    for (int i = 0; i < ENTRIES; i++) {
        assert_int_equal(posted(match, (uint64_t)i, 1), i % 2 == 0 ? NONE : i);
    }
    for (size_t i = 0; i < ENTRIES; i += 2) {
        assert_int_equal(post(match, i, i, 0, 1), NI_OK);
        unpost(match, i + 1);
        assert_int_equal(posted(match, i, 1), (int)i);
        assert_int_equal(posted(match, i + 1, 1), NONE);
    }
    match_end(match);
}

/* Nodes that found their bucket full, added up over all that they passed. */
static uint64_t passed_over(const struct ni_match_index *index)
{
    uint64_t passed = 0;

    for (uint64_t i = 0; i <= index->table.mask; i++) {
        passed += ni_match_passed(index->table.bucket[i].tags);
    }
    return passed;
}

/* Keys in equal steps, as numbers of messages are, spread well whatever the seed. */
static void test_steps(void **state)
{
    enum { ENTRIES = 5000, SEEDS = NI_ASAN || NI_TSAN ? 5 : 50 };
    struct match_fixture *match = match_make(ENTRIES);

    (void)state;
    for (unsigned shift = 0; shift <= 48; shift += 12) {
        for (int seed = 0; seed < SEEDS; seed++) {
            for (size_t i = 0; i < ENTRIES; i++) {
                assert_int_equal(post(match, i, (uint64_t)i << shift, 0, 7), NI_OK);
            }
            assert_true(passed_over(&match->list.index) < ENTRIES / 4);
            for (size_t i = 0; i < ENTRIES; i++) {
                unpost(match, i);
            }
            assert_int_equal(passed_over(&match->list.index), 0);
            ni_match_list_fini(&match->list);
        }
    }
    match_end(match);
}

/* Entries that are posted anew as soon as they were unlinked, also while the table grows, and
 * others get the places that they had. */
static void test_renewed(void **state)
{
    enum { ENTRIES = 1500, SEEDS = NI_ASAN || NI_TSAN ? 10 : 60 };
    struct match_fixture *match = match_make(ENTRIES);

    (void)state;
    for (int seed = 0; seed < SEEDS; seed++) {
        for (size_t i = 0; i < ENTRIES; i++) {
            size_t renewed = i < NI_MATCH_BLOCK ? i : NI_MATCH_BLOCK + i * 7919 % (i - 63);

            assert_int_equal(post(match, i, i, 0, 1), NI_OK);
            assert_int_equal(posted(match, renewed, 1), (int)renewed);
            unpost(match, renewed);
            assert_int_equal(posted(match, renewed, 1), NONE);
            assert_int_equal(post(match, renewed, renewed, 0, 1), NI_OK);
            assert_int_equal(posted(match, renewed, 1), (int)renewed);
        }
        for (size_t i = 0; i < ENTRIES; i++) {
            assert_int_equal(posted(match, i, 1), (int)i);
            unpost(match, i);
            assert_int_equal(posted(match, i, 1), NONE);
        }
        assert_int_equal(ni_stat_get(&match->list.length), 0);
        ni_match_list_fini(&match->list);
    }
    match_end(match);
}

/* A table that was large and has become far too large goes when the list is empty. */
static void test_shrinks(void **state)
{
    enum { ENTRIES = 5000 };
    struct match_fixture *match = match_make(ENTRIES);
    size_t depth = ENTRIES;

    (void)state;
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < depth; i++) {
            assert_int_equal(post(match, i, i, 0, 1), NI_OK);
        }
        for (size_t i = 0; i < depth; i++) {
            unpost(match, i);
        }
        assert_true(round == 0 || match->list.index.table.bucket == NULL ||
                    match->list.index.table.mask < 64);
        depth = NI_MATCH_BLOCK + 40;
    }
    match_end(match);
}

/* The nth allocation fails, for each n that there is. */
static void test_nomem(void **state)
{
    enum { ENTRIES = 1500, KINDS = 12 };
    uint64_t asked = 1;

    (void)state;
    for (uint64_t nth = 1; nth <= asked; nth++) {
        struct match_fixture *match = match_make(ENTRIES);
        int refused = 0;

        ni_fault_arm(NI_FAULT_ALLOC, nth, 0);
        for (size_t i = 0; i < ENTRIES; i++) {
            uint64_t ignore = i % 2 == 0 ? 0 : (uint64_t)0x100 << i % KINDS;
            ni_status status = post(match, i, (uint64_t)i << 32, ignore, 1);

            if (status != NI_OK) {
                assert_int_equal(status, NI_ERR_NOMEM);
                assert_int_equal(posted(match, (uint64_t)i << 32, 1), NONE);
                refused++;
                assert_int_equal(post(match, i, (uint64_t)i << 32, ignore, 1), NI_OK);
            }
        }
        asked = ni_fault_asked(NI_FAULT_ALLOC);
        assert_true(refused <= 1);
        for (int i = 0; i < ENTRIES; i++) {
            assert_int_equal(posted(match, (uint64_t)i << 32, 1), i);
            unpost(match, (size_t)i);
        }
        match_end(match);
    }
    assert_true(asked > 5);
}

/* A table that cannot grow takes some more and then refuses; with memory it goes on. */
static void test_full(void **state)
{
    enum { ENTRIES = 3000 };
    struct match_fixture *match = match_make(ENTRIES);
    size_t count = 0;

    (void)state;
    for (count = 0; count < 1000; count++) {
        assert_int_equal(post(match, count, count, 0, 1), NI_OK);
    }
    ni_fault_arm(NI_FAULT_ALLOC, 1, 1);
    while (post(match, count, count, 0, 1) == NI_OK) {
        count++;
        assert_true(count < ENTRIES);
    }
    assert_int_equal(ni_stat_get(&match->list.length), count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(posted(match, i, 1), (int)i);
    }
    ni_fault_reset();
    for (; count < ENTRIES; count++) {
        assert_int_equal(post(match, count, count, 0, 1), NI_OK);
    }
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(posted(match, i, 1), (int)i);
    }
    match_end(match);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_rule),
        cmocka_unit_test(test_order_across_groups),
        cmocka_unit_test(test_equal_keys),
        cmocka_unit_test(test_next),
        cmocka_unit_test(test_short_list),
        cmocka_unit_test(test_less_short_list),
        cmocka_unit_test(test_many_masks),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_one_bucket),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_renewed),
        cmocka_unit_test(test_shrinks),
        cmocka_unit_test(test_nomem),
        cmocka_unit_test(test_full),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
