/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/range_tree.h"

#include <stdbool.h>

#include "base/assert.h"
#include "base/bits.h"

/* Deeper than an AVL tree of 2^32 nodes can be. */
enum { DEPTH_MAX = 48 };

/* The pointers that lead from the root to a place, the last one to the place itself. */
struct path {
    struct ni_range_node **link[DEPTH_MAX];
    unsigned depth;
    unsigned changed; /* the node at this depth has itself changed, not only what is below it */
};

static void path_push(struct path *path, struct ni_range_node **link)
{
    NI_ASSERT(path->depth < DEPTH_MAX);
    path->link[path->depth++] = link;
}

static bool node_before(const struct ni_range_node *a, const struct ni_range_node *b)
{
    return a->begin != b->begin ? a->begin < b->begin : (uintptr_t)a < (uintptr_t)b;
}

static uint32_t node_height(const struct ni_range_node *node)
{
    return node != NULL ? node->sub.height : 0;
}

/* Compute from the children what a node knows about its subtree. */
static void node_refresh(struct ni_range_node *node)
{
    struct ni_range_summary sub = {node->end, node->end, node->index, 0};

    for (int side = 0; side < 2; side++) {
        const struct ni_range_node *child = node->child[side];

        if (child == NULL) {
            continue;
        }
        sub.min_end = ni_min_u64(sub.min_end, child->sub.min_end);
        sub.max_end = ni_max_u64(sub.max_end, child->sub.max_end);
        sub.min_index = child->sub.min_index < sub.min_index ? child->sub.min_index : sub.min_index;
        sub.height = child->sub.height > sub.height ? child->sub.height : sub.height;
    }
    sub.height++;
    node->sub = sub;
}

static bool summary_equal(const struct ni_range_summary *a, const struct ni_range_summary *b)
{
    return a->height == b->height && a->min_index == b->min_index && a->min_end == b->min_end &&
           a->max_end == b->max_end;
}

/* Lift the child on one side above its parent; returns it. */
static struct ni_range_node *node_lift(struct ni_range_node *parent, int side)
{
    struct ni_range_node *child = parent->child[side];

    parent->child[side] = child->child[!side];
    child->child[!side] = parent;
    node_refresh(parent);
    node_refresh(child);
    return child;
}

/* Balance a subtree whose children are balanced and differ in height by at most two; returns its
 * new top. */
static struct ni_range_node *node_balance(struct ni_range_node *node)
{
    uint32_t left = node_height(node->child[0]);
    uint32_t right = node_height(node->child[1]);
    int side = right > left;
    struct ni_range_node *tall = node->child[side];

    if (left <= right + 1 && right <= left + 1) {
        node_refresh(node);
        return node;
    }
    if (node_height(tall->child[!side]) > node_height(tall->child[side])) {
        node->child[side] = node_lift(tall, !side);
    }
    return node_lift(node, side);
}

/* Balance and refresh from the end of the path upwards, up to where a subtree is to those above
 * what it was before. */
static void path_balance(struct path *path)
{
    while (path->depth > 0) {
        struct ni_range_node **link = path->link[--path->depth];
        struct ni_range_summary before = (*link)->sub;

        *link = node_balance(*link);
        if (path->depth < path->changed && summary_equal(&before, &(*link)->sub)) {
            break;
        }
    }
}

void ni_range_tree_insert(struct ni_range_tree *tree, struct ni_range_node *node)
{
    struct path path = {.depth = 0, .changed = DEPTH_MAX};
    struct ni_range_node **link = &tree->root;

    NI_ASSERT(node->begin < node->end);
    while (*link != NULL) {
        path_push(&path, link);
        link = &(*link)->child[node_before(*link, node)];
    }
    node->child[0] = NULL;
    node->child[1] = NULL;
    node_refresh(node);
    *link = node;
    path_balance(&path);
}

/* Put the next node in order, which has no left child, into the place of `node`, to which the path
 * leads; afterwards the path leads to the parent of the place that it left. */
static void replace_by_next(struct path *path, struct ni_range_node *node)
{
    unsigned place = path->depth;
    struct ni_range_node **link = &node->child[1];

    while ((*link)->child[0] != NULL) {
        path_push(path, link);
        link = &(*link)->child[0];
    }

    struct ni_range_node *next = *link;

    *link = next->child[1];
    next->child[0] = node->child[0];
    next->child[1] = node->child[1];
    next->sub = node->sub; /* as those above know it */
    *path->link[place - 1] = next;
    path->changed = place;
    if (path->depth > place) {
        path->link[place] = &next->child[1]; /* it was a member of node */
    }
}

void ni_range_tree_remove(struct ni_range_tree *tree, struct ni_range_node *node)
{
    struct path path = {.depth = 0, .changed = DEPTH_MAX};
    struct ni_range_node **link = &tree->root;

    path_push(&path, link);
    while (*link != node) {
        NI_ASSERT(*link != NULL);
        link = &(*link)->child[node_before(*link, node)];
        path_push(&path, link);
    }
    if (node->child[0] != NULL && node->child[1] != NULL) {
        replace_by_next(&path, node);
    } else {
        *link = node->child[node->child[0] == NULL];
        path.depth--;
    }
    path_balance(&path);
}

/* The smallest index below best in a subtree of ranges that all begin early enough. */
static uint32_t min_index_reaching(const struct ni_range_node *top, uint64_t end, uint32_t best)
{
    const struct ni_range_node *stack[DEPTH_MAX];
    unsigned depth = 0;

    if (top != NULL) {
        stack[depth++] = top;
    }
    while (depth > 0) {
        const struct ni_range_node *node = stack[--depth];

        if (node->sub.max_end < end || node->sub.min_index >= best) {
            continue;
        }
        if (node->sub.min_end >= end) {
            best = node->sub.min_index;
            continue;
        }
        if (node->end >= end && node->index < best) {
            best = node->index;
        }

        /* The side with the smaller index first: what it finds may rule out the other. */
        const struct ni_range_node *left = node->child[0];
        const struct ni_range_node *right = node->child[1];
        int first = left == NULL || (right != NULL && right->sub.min_index < left->sub.min_index);

        if (node->child[!first] != NULL) {
            stack[depth++] = node->child[!first];
        }
        if (node->child[first] != NULL) {
            stack[depth++] = node->child[first];
        }
    }
    return best;
}

uint32_t ni_range_tree_min_index(const struct ni_range_tree *tree, uint64_t begin, uint64_t end,
                                 uint32_t bound)
{
    const struct ni_range_node *node = tree->root;
    uint32_t best = bound;

    while (node != NULL && node->sub.max_end >= end && node->sub.min_index < best) {
        if (node->begin > begin) {
            node = node->child[0];
            continue;
        }
        if (node->end >= end && node->index < best) {
            best = node->index;
        }
        best = min_index_reaching(node->child[0], end, best);
        node = node->child[1];
    }
    return best;
}

/* The first node of a subtree that ends behind begin, or NULL. */
static struct ni_range_node *first_reaching(struct ni_range_node *node, uint64_t begin)
{
    if (node == NULL || node->sub.max_end <= begin) {
        return NULL;
    }
    for (;;) {
        struct ni_range_node *left = node->child[0];

        if (left != NULL && left->sub.max_end > begin) {
            node = left;
        } else if (node->end > begin) {
            return node;
        } else {
            node = node->child[1]; /* max_end is from there */
        }
    }
}

struct ni_range_node *ni_range_tree_overlap(const struct ni_range_tree *tree,
                                            const struct ni_range_node *after, uint64_t begin,
                                            uint64_t end)
{
    struct ni_range_node *behind[DEPTH_MAX];
    struct ni_range_node *found = NULL;
    unsigned depth = 0;

    if (after == NULL) {
        found = first_reaching(tree->root, begin);
    } else {
        struct ni_range_node *node = tree->root;

        while (node != NULL) {
            bool is_behind = node_before(after, node);

            if (is_behind) {
                behind[depth++] = node;
            }
            node = node->child[!is_behind];
        }
        /* The deepest comes next in order, then what is to its right, then the one above. */
        while (found == NULL && depth > 0) {
            node = behind[--depth];
            found = node->end > begin ? node : first_reaching(node->child[1], begin);
        }
    }
    /* Whatever comes later begins later still. */
    return found != NULL && found->begin < end ? found : NULL;
}
