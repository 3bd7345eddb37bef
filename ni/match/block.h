/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_MATCH_BLOCK_H
#define NI_MATCH_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include <apeni/status.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/compiler.h"
#include "base/cpu.h"
#include "base/stats.h"

/*
 * Blocks of up to 64 match nodes in order, as a structure of arrays: 16 at once are compared with
 * what is wanted. A list of blocks keeps any number of nodes in order: appended at the
 * end of the last block, removed by clearing a bit, and two neighbours that are together at most
 * half a block become one, so that a walk never compares many more places than there are nodes.
 *
 * Not thread-safe.
 */

struct ni_match_block;

/* Neighbours among nodes of one key, see index.h. */
struct ni_match_link {
    uint32_t next; /* NI_MATCH_NO_NODE: none */
    uint32_t prev;
};

/* What both directions of the match list embed in their nodes. */
struct ni_match_node {
    uint64_t bits;
    uint32_t initiator; /* or UINT32_MAX for any */
    uint8_t group;      /* where an entry is, see match.h; 0 in a header */
    uint8_t place;      /* in the block */
    uint8_t in;         /* in which hash tables a header is, a bit each */
    uint8_t label;      /* of the list of an entry */
    union {
        struct ni_match_block *block; /* what is in one */
        struct ni_match_link link;    /* an entry that is in the hash table instead */
    };
};

_Static_assert(sizeof(struct ni_match_node) == 24, "of an entry's 88 bytes");

enum {
    NI_MATCH_BLOCK = 64,
    NI_MATCH_ROW = 16, /* places that are compared at once */
};

/* A place whose bit in `live` is clear may hold anything. */
struct ni_match_block {
    NI_LINE_ALIGNED uint64_t bits[NI_MATCH_BLOCK];
    uint64_t ignore[NI_MATCH_BLOCK];
    uint32_t initiator[NI_MATCH_BLOCK];
    struct ni_match_node *node[NI_MATCH_BLOCK];
    uint64_t live; /* places in use, a bit each */
    uint32_t end;  /* the first place that was never used; all live ones are below */
    struct ni_match_block *next;
    struct ni_match_block *prev;
};

_Static_assert(NI_MATCH_BLOCK == 64, "the bits of live");

/* The lowest live place of a block, none below `from`, that differs from `bits` at most where the
 * place or `ignore` says so, and whose initiator is the wanted one, or either of the two is any
 * (UINT32_MAX); NI_MATCH_BLOCK if there is none. from < NI_MATCH_BLOCK. */
typedef unsigned (*ni_match_scan_fn)(const struct ni_match_block *block, unsigned from,
                                     uint64_t bits, uint64_t ignore, uint32_t initiator);

/* The same from the first place on, without more to ignore, for an initiator that is not any: what
 * short lists of entries spend their time on. */
typedef unsigned (*ni_match_scan_front_fn)(const struct ni_match_block *block, uint64_t bits,
                                           uint32_t initiator);

struct ni_match_scan {
    ni_match_scan_fn from;
    ni_match_scan_front_fn front;
};

unsigned ni_match_scan_scalar(const struct ni_match_block *block, unsigned from, uint64_t bits,
                              uint64_t ignore, uint32_t initiator);
unsigned ni_match_scan_front_scalar(const struct ni_match_block *block, uint64_t bits,
                                    uint32_t initiator);
#if defined(__x86_64__)
unsigned ni_match_scan_avx2(const struct ni_match_block *block, unsigned from, uint64_t bits,
                            uint64_t ignore, uint32_t initiator);
unsigned ni_match_scan_front_avx2(const struct ni_match_block *block, uint64_t bits,
                                  uint32_t initiator);
unsigned ni_match_scan_avx512(const struct ni_match_block *block, unsigned from, uint64_t bits,
                              uint64_t ignore, uint32_t initiator);
unsigned ni_match_scan_front_avx512(const struct ni_match_block *block, uint64_t bits,
                                    uint32_t initiator);
#endif

/* The functions for a kind of vector code, which the processor must have. Pure. */
struct ni_match_scan ni_match_scan_for(enum ni_simd simd);

/* The live places from `from` on, a bit each. */
static inline uint64_t ni_match_block_left(const struct ni_match_block *block, unsigned from)
{
    return block->live >> from << from;
}

/* Where the row of the lowest of them starts; the end of the block if there is none. */
static inline unsigned ni_match_row_first(const struct ni_match_block *block, uint64_t left)
{
    return left != 0 ? (unsigned)__builtin_ctzll(left) / NI_MATCH_ROW * NI_MATCH_ROW : block->end;
}

/* Those of one row. */
static inline uint32_t ni_match_row_left(uint64_t left, unsigned row)
{
    return (uint32_t)(left >> row) & ((1U << NI_MATCH_ROW) - 1);
}

/* Make an empty block that is in no list. */
void ni_match_block_init(struct ni_match_block *block);

/* How many nodes are in a block. */
static inline unsigned ni_match_block_nodes(const struct ni_match_block *block)
{
    return (unsigned)__builtin_popcountll(block->live);
}

/* Append a node to a block with room at its end. O(1). */
static inline void ni_match_block_add(struct ni_match_block *block, struct ni_match_node *node,
                                      uint64_t ignore)
{
    unsigned place = block->end++;

    NI_ASSERT(place < NI_MATCH_BLOCK);
    block->bits[place] = node->bits;
    block->ignore[place] = ignore;
    block->initiator[place] = node->initiator;
    block->node[place] = node;
    block->live |= UINT64_C(1) << place;
    node->block = block;
    node->place = (uint8_t)place;
}

/* Close the gaps. */
void ni_match_block_pack(struct ni_match_block *block);

/* Whether one live place is what a header with these bits of this initiator, not any, looks for. */
static inline bool ni_match_block_fits(const struct ni_match_block *block, unsigned place,
                                       uint64_t bits, uint32_t initiator)
{
    return ((block->bits[place] ^ bits) & ~block->ignore[place]) == 0 &&
           (block->initiator[place] == initiator || block->initiator[place] == UINT32_MAX);
}

/* Take a node out of the block in which it is. O(1). */
static inline void ni_match_block_remove(struct ni_match_node *node)
{
    struct ni_match_block *block = node->block;

    block->live &= ~(UINT64_C(1) << node->place);
    if (block->live == 0) {
        block->end = 0;
    }
}

/* Blocks in order. */
struct ni_match_blocks {
    struct ni_match_block *first; /* NULL before the first append; an empty one may be left */
    struct ni_match_block *last;
    struct ni_match_block *spare; /* an empty one, so that a single node costs no allocation */
    uint64_t nodes;
    uint64_t blocks;
};

/* Empty. */
void ni_match_blocks_init(struct ni_match_blocks *blocks);

/* Free all blocks; nodes are not touched. */
void ni_match_blocks_fini(struct ni_match_blocks *blocks);

/* Append a node at the end. NI_ERR_NOMEM: nothing has changed. O(1). */
ni_status ni_match_blocks_append(struct ni_match_blocks *blocks, struct ni_match_node *node,
                                 uint64_t ignore);

/* Take a node out. O(1). */
void ni_match_blocks_remove(struct ni_match_blocks *blocks, struct ni_match_node *node);

/* The first node of this block or a later one that matches, places before `from` of this block not
 * counted; NULL if there is none. Adds the blocks compared to *attempts. */
struct ni_match_node *ni_match_blocks_find(const struct ni_match_block *block, unsigned from,
                                           ni_match_scan_fn scan, uint64_t bits, uint64_t ignore,
                                           uint32_t initiator, ni_stat_t *attempts);

#endif
