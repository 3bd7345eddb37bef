/* SPDX-License-Identifier: BSD-3-Clause */
#include "match/block.h"

#include "base/alloc.h"
#include "base/assert.h"

void ni_match_block_init(struct ni_match_block *block)
{
    block->live = 0;
    block->end = 0;
    block->next = NULL;
    block->prev = NULL;
}

/* Append all nodes of `from`, whose places lie at or behind those of `to` that they get. */
static void move_all(struct ni_match_block *to, struct ni_match_block *from)
{
    uint64_t left = from->live;

    from->live = 0;
    for (; left != 0; left &= left - 1) {
        unsigned place = (unsigned)__builtin_ctzll(left);

        ni_match_block_add(to, from->node[place], from->ignore[place]);
    }
}

void ni_match_block_pack(struct ni_match_block *block)
{
    block->end = 0;
    move_all(block, block);
}

void ni_match_blocks_init(struct ni_match_blocks *blocks)
{
    *blocks = (struct ni_match_blocks){0};
}

void ni_match_blocks_fini(struct ni_match_blocks *blocks)
{
    struct ni_match_block *block = blocks->first;

    while (block != NULL) {
        struct ni_match_block *next = block->next;

        ni_free(block);
        block = next;
    }
    ni_free(blocks->spare);
    ni_match_blocks_init(blocks);
}

/* Put an empty block at the end. */
static NI_COLD ni_status add_block(struct ni_match_blocks *blocks)
{
    struct ni_match_block *block = blocks->spare;

    if (block == NULL) {
        block = ni_aligned(NI_CACHE_LINE, sizeof(*block));
        if (block == NULL) {
            return NI_ERR_NOMEM;
        }
    }
    blocks->spare = NULL;
    ni_match_block_init(block);
    block->prev = blocks->last;
    if (blocks->last != NULL) {
        blocks->last->next = block;
    } else {
        blocks->first = block;
    }
    blocks->last = block;
    blocks->blocks++;
    return NI_OK;
}

/* Take out an empty block. */
static NI_COLD void drop_block(struct ni_match_blocks *blocks, struct ni_match_block *block)
{
    if (block->prev != NULL) {
        block->prev->next = block->next;
    } else {
        blocks->first = block->next;
    }
    if (block->next != NULL) {
        block->next->prev = block->prev;
    } else {
        blocks->last = block->prev;
    }
    blocks->blocks--;
    if (blocks->spare == NULL) {
        blocks->spare = block;
    } else {
        ni_free(block);
    }
}

ni_status ni_match_blocks_append(struct ni_match_blocks *blocks, struct ni_match_node *node,
                                 uint64_t ignore)
{
    if (NI_UNLIKELY(blocks->last == NULL || blocks->last->end == NI_MATCH_BLOCK)) {
        ni_status status = add_block(blocks);

        if (status != NI_OK) {
            return status;
        }
    }
    ni_match_block_add(blocks->last, node, ignore);
    blocks->nodes++;
    return NI_OK;
}

/* Whether two neighbours should be one. Each joining saves a block that took
 * NI_MATCH_BLOCK appends to fill, and moves at most half as many nodes. */
static bool sparse(const struct ni_match_block *block, const struct ni_match_block *next)
{
    return ni_match_block_nodes(block) + ni_match_block_nodes(next) <= NI_MATCH_BLOCK / 2;
}

static NI_COLD void join_blocks(struct ni_match_blocks *blocks, struct ni_match_block *block)
{
    struct ni_match_block *next = block->next;

    ni_match_block_pack(block);
    move_all(block, next);
    drop_block(blocks, next);
}

void ni_match_blocks_remove(struct ni_match_blocks *blocks, struct ni_match_node *node)
{
    struct ni_match_block *block = node->block;

    ni_match_block_remove(node);
    blocks->nodes--;
    if (block->live == 0) {
        if (blocks->nodes != 0) {
            drop_block(blocks, block);
        }
    } else if (block->next != NULL && sparse(block, block->next)) {
        join_blocks(blocks, block);
    } else if (block->prev != NULL && sparse(block->prev, block)) {
        join_blocks(blocks, block->prev);
    }
}

struct ni_match_node *ni_match_blocks_find(const struct ni_match_block *block, unsigned from,
                                           ni_match_scan_fn scan, uint64_t bits, uint64_t ignore,
                                           uint32_t initiator, ni_stat_t *attempts)
{
    for (; block != NULL; block = block->next) {
        unsigned place = NI_MATCH_BLOCK;

        if (from < NI_MATCH_BLOCK) {
            place = scan(block, from, bits, ignore, initiator);
            ni_stat_add(attempts, 1);
        }
        if (place < NI_MATCH_BLOCK) {
            return block->node[place];
        }
        from = 0;
    }
    return NULL;
}
