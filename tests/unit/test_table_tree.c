/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/table/range_tree.c. */
/* The tree of ranges by itself: balance, what nodes know about subtrees, overlaps in order. */
#include "unit.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/random.h"
#include "table/range_tree.h"

enum { NODES = 2000 };

static struct ni_range_node nodes[NODES];

static void insert(struct ni_range_tree *tree, unsigned i, uint64_t begin, uint64_t end)
{
    nodes[i].begin = begin;
    nodes[i].end = end;
    nodes[i].index = i;
    ni_range_tree_insert(tree, &nodes[i]);
}

/* What a walk over a subtree finds, to compare with what its top says. */
struct walked {
    uint64_t min_end, max_end;
    uint32_t min_index, height, count;
};

static struct walked walk(const struct ni_range_node *node)
{
    struct walked all = {.min_end = UINT64_MAX, .min_index = UINT32_MAX};
    uint32_t height[2];

    if (node == NULL) {
        return all;
    }
    all = (struct walked){node->end, node->end, node->index, 0, 1};
    for (int side = 0; side < 2; side++) {
        struct walked child = walk(node->child[side]);

        height[side] = child.height;
        all.count += child.count;
        all.min_end = child.min_end < all.min_end ? child.min_end : all.min_end;
        all.max_end = child.max_end > all.max_end ? child.max_end : all.max_end;
        all.min_index = child.min_index < all.min_index ? child.min_index : all.min_index;
    }
    assert_true(height[0] <= height[1] + 1 && height[1] <= height[0] + 1);
    all.height = 1 + (height[0] > height[1] ? height[0] : height[1]);
    assert_true(node->sub.height == all.height);
    assert_true(node->sub.min_end == all.min_end && node->sub.max_end == all.max_end);
    assert_true(node->sub.min_index == all.min_index);
    return all;
}

/* Everything overlaps [0, UINT64_MAX): the order of the tree. */
static void check_order(const struct ni_range_tree *tree, unsigned count)
{
    const struct ni_range_node *last = NULL, *node = NULL;
    unsigned seen = 0;

    while ((node = ni_range_tree_overlap(tree, last, 0, UINT64_MAX)) != NULL) {
        assert_true(last == NULL || last->begin < node->begin ||
                    (last->begin == node->begin && last < node));
        last = node;
        seen++;
    }
    assert_int_equal(seen, count);
    assert_int_equal(walk(tree->root).count, count);
}

static void test_empty(void **state)
{
    struct ni_range_tree tree = {NULL};

    (void)state;
    assert_null(ni_range_tree_overlap(&tree, NULL, 0, UINT64_MAX));
    assert_int_equal(ni_range_tree_min_index(&tree, 1, 2, 77), 77);
}

static void build_and_clear(uint64_t (*begin)(unsigned i), uint32_t max_height)
{
    struct ni_range_tree tree = {NULL};

    for (unsigned i = 0; i < NODES; i++) {
        insert(&tree, i, begin(i), begin(i) + 10);
        if (i % 64 == 0) {
            check_order(&tree, i + 1);
        }
    }
    assert_true(tree.root->sub.height <= max_height);
    for (unsigned i = 0; i < NODES; i++) {
        /* An order of removal that has nothing to do with that of insertion. */
        ni_range_tree_remove(&tree, &nodes[i * 769 % NODES]);
        if (i % 64 == 0) {
            check_order(&tree, NODES - i - 1);
        }
    }
    assert_null(tree.root);
}

static uint64_t ascending(unsigned i)
{
    return i;
}

static uint64_t descending(unsigned i)
{
    return NODES - i;
}

static uint64_t zigzag(unsigned i)
{
    return i % 2 == 0 ? i : 2 * NODES - i;
}

static uint64_t equal(unsigned i)
{
    (void)i;
    return 5;
}

static void test_balance(void **state)
{
    (void)state;
    /* 1.44 log2(2002) - 0.33 = 15.5 */
    build_and_clear(ascending, 15);
    build_and_clear(descending, 15);
    build_and_clear(zigzag, 15);
    build_and_clear(equal, 15);
}

static void test_bound_is_returned_unless_beaten(void **state)
{
    struct ni_range_tree tree = {NULL};

    (void)state;
    insert(&tree, 5, 10, 20);
    insert(&tree, 9, 0, 100);
    assert_int_equal(ni_range_tree_min_index(&tree, 12, 14, 100), 5);
    assert_int_equal(ni_range_tree_min_index(&tree, 12, 14, 5), 5);
    assert_int_equal(ni_range_tree_min_index(&tree, 12, 14, 3), 3);
    assert_int_equal(ni_range_tree_min_index(&tree, 12, 21, 100), 9);
    assert_int_equal(ni_range_tree_min_index(&tree, 12, 101, 100), 100);
}

struct naive_best {
    uint32_t index;
    unsigned overlaps;
};

static struct naive_best naive(unsigned count, uint64_t begin, uint64_t end, const bool *in)
{
    struct naive_best best = {.index = UINT32_MAX};

    for (unsigned i = 0; i < count; i++) {
        if (in[i] && nodes[i].begin <= begin && nodes[i].end >= end && i < best.index) {
            best.index = i;
        }
        best.overlaps += in[i] && nodes[i].begin < end && nodes[i].end > begin;
    }
    return best;
}

/* Random ranges of lengths up to max in a space of 1000 addresses: compare with a walk over all. */
static void compare_with_naive(uint64_t seed, uint64_t max)
{
    struct ni_range_tree tree = {NULL};
    bool in[200] = {false};
    unsigned present = 0;
    struct ni_rng rng;

    ni_rng_seed(&rng, seed);
    for (unsigned step = 0; step < 5000; step++) {
        unsigned i = (unsigned)ni_rng_below(&rng, 200);
        uint64_t begin = ni_rng_below(&rng, 1000), end = begin + 1 + ni_rng_below(&rng, max);

        if (in[i]) {
            ni_range_tree_remove(&tree, &nodes[i]);
            present--;
        } else {
            insert(&tree, i, begin, end);
            present++;
        }
        in[i] = !in[i];

        begin = ni_rng_below(&rng, 1000);
        end = begin + 1 + ni_rng_below(&rng, max);

        struct naive_best best = naive(200, begin, end, in);
        const struct ni_range_node *node = NULL;

        assert_int_equal(ni_range_tree_min_index(&tree, begin, end, UINT32_MAX), best.index);
        while ((node = ni_range_tree_overlap(&tree, node, begin, end)) != NULL) {
            assert_true(node->begin < end && node->end > begin);
            best.overlaps--;
        }
        assert_int_equal(best.overlaps, 0);
        assert_int_equal(walk(tree.root).count, present);
        if (step % 100 == 0) {
            check_order(&tree, present);
        }
    }
}

static void test_like_naive(void **state)
{
    (void)state;
    compare_with_naive(1, 3);
    compare_with_naive(2, 30);
    compare_with_naive(3, 300);
    compare_with_naive(4, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_balance),
        cmocka_unit_test(test_bound_is_returned_unless_beaten),
        cmocka_unit_test(test_like_naive),
    };

    return cmocka_run_group_tests_name("range tree", tests, NULL, NULL);
}
