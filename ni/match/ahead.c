/* SPDX-License-Identifier: BSD-3-Clause */
#include "match/match.h"

#include "base/bits.h"

/*
 * What may be matched next. A program that posts many receives and waits for them one after the
 * other, or receives many messages in the order in which they came, takes out items whose indices
 * in the pool are in equal steps: a pool hands out new ones in order, and then first what came back
 * last. An item that lies outside of the caches is fetched two steps before it is wanted, its
 * bucket one step before, when its node can be looked at without waiting.
 */

/* All lines of an item. */
static void fetch_item(const struct ni_pool *pool, const void *item)
{
    const char *end = (const char *)ni_pool_tag(pool, item);

    for (const char *at = item; at < end; at += NI_CACHE_LINE) {
        __builtin_prefetch(at, 1);
    }
    __builtin_prefetch(end, 1);
}

/* The node that is supposed to be taken out next, NULL if none is. It may be in another list. */
static const struct ni_match_node *guess(const struct ni_pool *pool, struct ni_match_steps *steps)
{
    uint32_t step = steps->taken - steps->seen;
    uint32_t next = steps->taken + step, then = next + step;
    bool steady = step == steps->step && step != 0;

    steps->seen = steps->taken;
    steps->step = step;
    if (!steady) {
        return NULL;
    }
    if (then < ni_pool_index_end(pool)) {
        fetch_item(pool, ni_pool_slot_item(pool, then));
    }
    return ni_pool_at(pool, next);
}

const struct ni_match_node *ni_match_list_ahead(struct ni_match_list *list)
{
    const struct ni_match_node *node = guess(list->index.pool, &list->steps);

    if (node != NULL) {
        ni_match_index_fetch(&list->index, node);
    }
    return node;
}

/* Where nobody has searched for others, the oldest is in no table but in the first block. */
const struct ni_match_node *ni_match_headers_ahead(struct ni_match_headers *headers)
{
    const struct ni_match_block *first = headers->blocks.first;
    const struct ni_match_node *node = guess(headers->pool, &headers->steps), *oldest = NULL;

    for (uint32_t left = node != NULL ? node->in & headers->kinds : 0; left != 0;
         left &= left - 1) {
        ni_match_index_fetch(&headers->kind[__builtin_ctz(left)].index, node);
    }
    if (first != NULL && first->live != 0) {
        oldest = first->node[__builtin_ctzll(first->live)];
        fetch_item(headers->pool, oldest);
    }
    return node != NULL ? node : oldest;
}
