/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/trigger.h"

/*
 * A pairing heap: a tree in which each node runs before its children, which are a list. Two trees
 * become one by making the later root the first child of the other. Taking the root merges its
 * children two by two, and what comes of that from the last to the first.
 */

static bool is_trigger_before(const struct ni_trigger *a, const struct ni_trigger *b)
{
    return a->threshold < b->threshold || (a->threshold == b->threshold && a->age < b->age);
}

/* Neither has siblings; each may be NULL. */
static struct ni_trigger *merge(struct ni_trigger *a, struct ni_trigger *b)
{
    struct ni_trigger *first = a, *second = b;

    if (a == NULL || b == NULL) {
        return a == NULL ? b : a;
    }
    if (is_trigger_before(b, a)) {
        first = b;
        second = a;
    }
    second->sibling = first->child;
    first->child = second;
    return first;
}

void ni_trigger_insert(struct ni_trigger **root, struct ni_trigger *trigger)
{
    trigger->child = NULL;
    trigger->sibling = NULL;
    *root = merge(*root, trigger);
}

/* The first of a list of siblings, which is not empty. *rest: those behind it. */
static struct ni_trigger *detach(struct ni_trigger *list, struct ni_trigger **rest)
{
    *rest = list->sibling;
    list->sibling = NULL;
    return list;
}

struct ni_trigger *ni_trigger_take(struct ni_trigger **root)
{
    struct ni_trigger *first = *root, *left = first->child;
    struct ni_trigger *pairs = NULL, *merged = NULL;

    while (left != NULL) {
        struct ni_trigger *a = detach(left, &left);
        struct ni_trigger *b = left != NULL ? detach(left, &left) : NULL;

        a = merge(a, b);
        a->sibling = pairs;
        pairs = a;
    }
    while (pairs != NULL) {
        struct ni_trigger *pair = detach(pairs, &pairs);

        merged = merge(merged, pair);
    }
    *root = merged;
    return first;
}
