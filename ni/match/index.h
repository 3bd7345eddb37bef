/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_MATCH_INDEX_H
#define NI_MATCH_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include <apeni/status.h>

#include "base/compiler.h"
#include "match/block.h"

/*
 * A hash table of match nodes under one key, and the numbers by which nodes name each other.
 *
 * The key of a node is its bits and its initiator and group, each cut down to what the index keeps.
 * Nodes of equal key form a queue in the order of adding; the table names the first.
 *
 * Table   Buckets of one cache line: seven pointers, a byte of the hash for each (0: free), and how
 *         many nodes passed over this full bucket to one further on. So a search compares seven tags
 *         at once in a plain 64-bit word, goes on only if something did pass over, and as a rule touches
 *         the one node that it returns. A removed node leaves nothing behind.
 * Growth  At five nodes per bucket the number of buckets doubles. The old table stays; each addition
 *         and removal moves two of its buckets, so that none of them stalls. Without memory to double
 *         the table fills up to six per bucket before an addition fails.
 * Queue   first -> next ... -> 0, and back by prev, the first one's prev being the last.
 *
 * Not thread-safe.
 */

/* Neighbours in the queue of equal keys, by number. */
struct ni_match_link {
    uint32_t next; /* 0: none */
    uint32_t prev;
};

enum {
    /* Tables in which one node may be. */
    NI_MATCH_INDEXES = 4,
    NI_MATCH_SLOTS = 7,
    NI_MATCH_ID_CHUNKS = 26,
    NI_MATCH_ID_CHUNK0 = 64,
};

/* Nodes by number: chunks of 64, 128, 256 ... which never move. A free number holds the next free one. */
struct ni_match_ids {
    void **chunk[NI_MATCH_ID_CHUNKS];
    uint32_t free;  /* first free number, 0: none */
    uint32_t fresh; /* first number never used */
    uint32_t end;   /* first number without a chunk */
};

struct ni_match_bucket {
    NI_LINE_ALIGNED uint64_t tags; /* a byte per slot; the highest byte counts who passed over */
    struct ni_match_node *node[NI_MATCH_SLOTS];
};

struct ni_match_table {
    struct ni_match_bucket *bucket; /* NULL: none */
    void *memory;                   /* of the buckets */
    uint64_t mask;                  /* buckets - 1 */
};

struct ni_match_index {
    struct ni_match_table table;
    struct ni_match_table old; /* being moved */
    uint64_t moved;            /* buckets of the old table that are empty */
    uint64_t keys;             /* different ones, in both tables */
    uint64_t keep_bits;
    uint64_t keep_from; /* of initiator and group << 32 */
    uint64_t seed[2];
    uint32_t number; /* which link of a node is this index's */
    struct ni_match_ids *ids;
};

#endif
