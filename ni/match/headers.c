/* SPDX-License-Identifier: BSD-3-Clause */
#include "match/match.h"

#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/cpu.h"

/*
 * Unexpected headers. All are in the blocks; each is in the tables of all kinds that are in use.
 */

enum {
    /* Up to so many blocks a walk is as good as a table. */
    BLOCKS_WALKED = 1,
    /* Putting the nodes of a block into a table costs as much as comparing so many blocks. */
    BLOCK_COST = 16,
};

/* Make an empty table for a kind of searches that has a number. */
static void init_kind(struct ni_match_headers *headers, unsigned number, uint64_t ignore,
                      uint32_t any)
{
    struct ni_match_kind *kind = &headers->kind[number];

    *kind = (struct ni_match_kind){.ignore = ignore, .any = any};
    ni_match_index_init(&kind->index, headers->pool,
                        offsetof(struct ni_match_header, link) +
                            number * sizeof(struct ni_match_link),
                        ~ignore, any == NI_MATCH_ANY ? 0 : UINT32_MAX);
    headers->kinds |= 1U << number;
}

void ni_match_headers_init(struct ni_match_headers *headers, const struct ni_pool *pool)
{
    memset(headers, 0, sizeof(*headers));
    headers->scan = ni_match_scan_for(ni_cpu_simd());
    headers->pool = pool;
    ni_match_blocks_init(&headers->blocks);
}

void ni_match_headers_fini(struct ni_match_headers *headers)
{
    for (unsigned i = 0; i < NI_MATCH_INDEXES; i++) {
        ni_match_index_fini(&headers->kind[i].index);
    }
    ni_match_blocks_fini(&headers->blocks);
    ni_match_headers_init(headers, headers->pool);
}

/* Put a node into the table of a kind; NI_ERR_NOMEM: nothing has changed. */
static ni_status add_to_kind(struct ni_match_headers *headers, unsigned number,
                             struct ni_match_node *node)
{
    ni_status status = ni_match_index_add(&headers->kind[number].index, node);

    if (status == NI_OK) {
        node->in |= (uint8_t)(1U << number);
    }
    return status;
}

static void take_from_kind(struct ni_match_headers *headers, unsigned number,
                           struct ni_match_node *node)
{
    ni_match_index_remove(&headers->kind[number].index, node);
    node->in &= (uint8_t) ~(1U << number);
}

/* Forget a kind, its table and that the nodes are in it. */
static NI_COLD void drop_kind(struct ni_match_headers *headers, unsigned number)
{
    for (struct ni_match_block *block = headers->blocks.first; block != NULL; block = block->next) {
        for (uint64_t left = block->live; left != 0; left &= left - 1) {
            struct ni_match_node *node = block->node[__builtin_ctzll(left)];

            if ((node->in & 1U << number) != 0) {
                take_from_kind(headers, number, node);
            }
        }
    }
    ni_match_index_fini(&headers->kind[number].index);
    headers->kinds &= ~(1U << number);
}

/* Put all headers into the table of a new kind; false, and no such kind, when out of memory. */
static NI_COLD bool fill_kind(struct ni_match_headers *headers, unsigned number)
{
    for (struct ni_match_block *block = headers->blocks.first; block != NULL; block = block->next) {
        for (uint64_t left = block->live; left != 0; left &= left - 1) {
            if (add_to_kind(headers, number, block->node[__builtin_ctzll(left)]) != NI_OK) {
                drop_kind(headers, number);
                return false;
            }
        }
    }
    return true;
}

/* The number of a free kind; if there is none, the one that was used least recently is dropped. */
static unsigned free_kind(struct ni_match_headers *headers)
{
    unsigned oldest = 0;

    for (unsigned i = 0; i < NI_MATCH_INDEXES; i++) {
        if ((headers->kinds & 1U << i) == 0) {
            return i;
        }
        if (headers->kind[i].last < headers->kind[oldest].last) {
            oldest = i;
        }
    }
    drop_kind(headers, oldest);
    return oldest;
}

/* The kind of a search that found nothing in the first block; NULL if it has no table and is to do
 * without. */
static NI_COLD struct ni_match_kind *make_kind(struct ni_match_headers *headers, uint64_t ignore,
                                               uint32_t any)
{
    unsigned number;

    if (headers->blocks.blocks <= BLOCKS_WALKED) {
        return NULL;
    }
    headers->walked += headers->blocks.blocks;
    if (headers->walked < BLOCK_COST * headers->blocks.blocks) {
        return NULL;
    }
    headers->walked = 0;
    number = free_kind(headers);
    init_kind(headers, number, ignore, any);
    return fill_kind(headers, number) ? &headers->kind[number] : NULL;
}

static inline struct ni_match_kind *find_kind(struct ni_match_headers *headers, uint64_t ignore,
                                              uint32_t any)
{
    for (uint32_t left = headers->kinds; left != 0; left &= left - 1) {
        struct ni_match_kind *kind = &headers->kind[__builtin_ctz(left)];

        if (kind->ignore == ignore && kind->any == any) {
            return kind;
        }
    }
    return NULL;
}

static void add_to_kinds(struct ni_match_headers *headers, struct ni_match_header *header)
{
    for (uint32_t left = headers->kinds; left != 0; left &= left - 1) {
        unsigned number = (unsigned)__builtin_ctz(left);

        if (add_to_kind(headers, number, &header->node) != NI_OK) {
            drop_kind(headers, number); /* searches will walk */
        }
    }
}

ni_status ni_match_headers_append(struct ni_match_headers *headers, struct ni_match_header *header,
                                  uint64_t bits, uint32_t initiator)
{
    ni_status status;

    header->node = (struct ni_match_node){.bits = bits, .initiator = initiator};
    status = ni_match_blocks_append(&headers->blocks, &header->node, 0);
    if (status != NI_OK) {
        return status;
    }
    add_to_kinds(headers, header);
    ni_stat_add(&headers->length, 1);
    ni_stat_max(&headers->counts.most, ni_stat_get(&headers->length));
    return NI_OK;
}

/* The list is empty: forget the kinds that were of no use since it last was. */
static void judge_kinds(struct ni_match_headers *headers)
{
    headers->walked = 0;
    for (uint32_t left = headers->kinds; left != 0; left &= left - 1) {
        unsigned number = (unsigned)__builtin_ctz(left);

        if (headers->kind[number].searched == 0) {
            drop_kind(headers, number);
        } else {
            headers->kind[number].searched = 0;
        }
    }
}

void ni_match_headers_remove(struct ni_match_headers *headers, struct ni_match_header *header)
{
    NI_ASSERT(ni_stat_get(&headers->length) > 0);
    ni_match_blocks_remove(&headers->blocks, &header->node);
    if (header->node.in != 0) {
        headers->steps.taken = ni_pool_index(headers->pool, header);
    }
    for (uint32_t left = header->node.in; left != 0; left &= left - 1) {
        take_from_kind(headers, (unsigned)__builtin_ctz(left), &header->node);
    }
    ni_stat_sub(&headers->length, 1);
    if (ni_stat_get(&headers->length) == 0 && headers->kinds != 0) {
        judge_kinds(headers);
    }
    if (headers->blocks.blocks > 1 && headers->note.word != NULL) {
        *headers->note.word = headers->note.mark;
    }
}

struct ni_match_header *ni_match_headers_search_behind(struct ni_match_headers *headers,
                                                       uint64_t bits, uint64_t ignore,
                                                       uint32_t initiator)
{
    uint32_t any = initiator == NI_MATCH_ANY ? NI_MATCH_ANY : 0;
    struct ni_match_kind *kind = find_kind(headers, ignore, any);

    if (kind == NULL) {
        kind = make_kind(headers, ignore, any);
    }
    if (kind == NULL) {
        return ni_match_header_of(ni_match_blocks_find(headers->blocks.first->next, 0,
                                                       headers->scan.from, bits, ignore, initiator,
                                                       &headers->counts.attempts));
    }
    kind->searched = 1;
    kind->last = ni_stat_get(&headers->counts.searches);
    return ni_match_header_of(ni_match_index_find(&kind->index, bits & kind->index.keep_bits,
                                                  initiator & kind->index.keep_from,
                                                  &headers->counts.attempts));
}

struct ni_match_header *ni_match_headers_next(struct ni_match_headers *headers,
                                              const struct ni_match_header *after, uint64_t bits,
                                              uint64_t ignore, uint32_t initiator)
{
    uint32_t any = initiator == NI_MATCH_ANY ? NI_MATCH_ANY : 0;
    const struct ni_match_kind *kind = find_kind(headers, ignore, any);

    if (kind != NULL && ((after->node.bits ^ bits) & ~ignore) == 0 &&
        (any == NI_MATCH_ANY || after->node.initiator == initiator)) {
        return ni_match_header_of(ni_match_index_next(&kind->index, &after->node));
    }
    return ni_match_header_of(ni_match_blocks_find(after->node.block, after->node.place + 1U,
                                                   headers->scan.from, bits, ignore, initiator,
                                                   &headers->counts.attempts));
}
