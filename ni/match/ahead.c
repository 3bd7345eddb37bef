/* SPDX-License-Identifier: BSD-3-Clause */
#include "match/match.h"

#include "base/bits.h"

/*
 * What may be matched next. Whoever posts many receives and waits for them one after the other, or
 * receives many messages in the order in which they came, takes out nodes whose numbers are in
 * equal steps: numbers are given in order, and a node that comes gets the one that came back last.
 * A node that lies outside of the caches is fetched two steps before it is wanted, its bucket and
 * what it points to one step before, when the node itself can be looked at without waiting.
 */

/* The node with a number, or NULL: it has none, or is unknown. A free number holds the next one,
 * which is no address that anything has. */
static struct ni_match_node *node_at(const struct ni_match_ids *ids, uint32_t id)
{
    uintptr_t at;

    if (id == 0 || id >= ids->fresh) {
        return NULL;
    }
    at = (uintptr_t)*ni_match_ids_where(ids, id);
    return at > UINT32_MAX ? (struct ni_match_node *)at : NULL;
}

static void fetch(const struct ni_match_node *node, size_t size)
{
    for (size_t at = 0; node != NULL && at < size; at += NI_CACHE_LINE) {
        __builtin_prefetch((const char *)node + at, 1);
    }
}

/* The node that is supposed to be taken out next, NULL if none is. */
static const struct ni_match_node *guess(struct ni_match_ids *ids, size_t size)
{
    uint32_t step = ids->given - ids->seen;
    bool steady = step == ids->step && step != 0;

    ids->seen = ids->given;
    ids->step = step;
    if (!steady) {
        return NULL;
    }
    fetch(node_at(ids, ids->given + 2 * step), size);
    return node_at(ids, ids->given + step);
}

const struct ni_match_node *ni_match_list_ahead(struct ni_match_list *list, size_t size)
{
    const struct ni_match_node *node = guess(&list->ids, size);

    if (node != NULL) {
        ni_match_index_fetch(&list->index, node);
    }
    return node;
}

/* The oldest has no number, where nobody has searched for others: it is in the first block, and is
 * not looked for in a table. */
const struct ni_match_node *ni_match_headers_ahead(struct ni_match_headers *headers, size_t size)
{
    const struct ni_match_block *first = headers->blocks.first;
    const struct ni_match_node *node = guess(&headers->ids, size), *oldest = NULL;

    for (uint32_t left = node != NULL ? node->in : 0; left != 0; left &= left - 1) {
        ni_match_index_fetch(&headers->kind[__builtin_ctz(left)].index, node);
    }
    if (first != NULL && first->live != 0) {
        oldest = first->node[__builtin_ctzll(first->live)];
        fetch(oldest, size);
    }
    return node != NULL ? node : oldest;
}
