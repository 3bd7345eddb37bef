/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_TABLE_RANGE_TREE_H
#define NI_TABLE_RANGE_TREE_H

#include <stddef.h>
#include <stdint.h>

/*
 * A set of address ranges [begin, end) that may overlap, nest and repeat. An AVL tree ordered by
 * begin, equal ones by the address of the node; each node also knows about its subtree:
 *
 *   max_end    a subtree whose ranges all begin early enough contains a range that reaches as far
 *              as `end` exactly if max_end >= end; so a search that finds nothing never walks
 *              into two subtrees
 *   min_end    if min_end >= end, all of them reach that far and none needs to be looked at
 *   min_index  the smallest index in the subtree: nothing better is to be found below
 *
 *                  [20,30) ends 30..90
 *                 /                   \
 *    [0,90) ends 35..90          [40,50) ends 50..50
 *          \
 *        [10,35) ends 35..35
 *
 * The nodes are members of the user's objects. Nothing allocates, nothing recurses; the height is
 * at most 1.44 log2 of the number of nodes. Not thread-safe.
 */

/* What a node knows about its subtree, itself included. */
struct ni_range_summary {
    uint64_t min_end;
    uint64_t max_end;
    uint32_t min_index;
    uint32_t height;
};

struct ni_range_node {
    struct ni_range_node *child[2];
    uint64_t begin; /* begin < end and index are set by the user, unchanged while in the tree */
    uint64_t end;
    struct ni_range_summary sub;
    uint32_t index; /* what ni_range_tree_min_index compares */
    uint32_t reserved;
};

_Static_assert(sizeof(struct ni_range_node) == 64, "one cache line");

struct ni_range_tree {
    struct ni_range_node *root; /* NULL: empty */
};

/* Put a node in that is in no tree. O(log n). */
void ni_range_tree_insert(struct ni_range_tree *tree, struct ni_range_node *node);

/* Take a node out that is in this tree. O(log n). */
void ni_range_tree_remove(struct ni_range_tree *tree, struct ni_range_node *node);

/*
 * The smallest index below `bound` of the ranges that contain [begin, end), or `bound` if there is
 * none. O(log n) when nothing contains it, when ranges do not overlap, and when ranges that begin
 * later also end later (or earlier) throughout, as sliding windows and nests do; for any set at
 * most O((1 + k) log n), where k ranges contain [begin, end).
 */
uint32_t ni_range_tree_min_index(const struct ni_range_tree *tree, uint64_t begin, uint64_t end,
                                 uint32_t bound);

/*
 * The ranges that share an address with [begin, end), in the order of the tree: the first of them
 * behind `after`, or of all if that is NULL. NULL if there is none. O(log n) each.
 */
struct ni_range_node *ni_range_tree_overlap(const struct ni_range_tree *tree,
                                            const struct ni_range_node *after, uint64_t begin,
                                            uint64_t end);

#endif
