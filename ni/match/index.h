/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_MATCH_INDEX_H
#define NI_MATCH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <apeni/status.h>

#include "base/compiler.h"
#include "base/pool.h"
#include "match/block.h"

/*
 * A hash table of match nodes under one key.
 *
 * The key of a node is its bits and its initiator and group, each cut down to what the index keeps.
 * Nodes of equal key form a queue in the order of adding; the table names the first. Nodes begin
 * the items of one pool, whose indices are their names: half as long as pointers.
 *
 * Table   Buckets of half a cache line: six nodes, a byte of the hash for each (0: free), and how
 *         many nodes passed over this full bucket to one further on. So a search compares six tags
 *         at once in a plain 64-bit word, goes on only if something did pass over, and as a rule
 *         touches the one node that it returns. A removed node leaves nothing behind.
 * Growth  At four nodes per bucket the number of buckets doubles. The old table stays; each
 *         addition and removal moves two of its buckets, so that none of them stalls. Without
 *         memory to double, the table fills up to five per bucket before an addition fails. A table
 *         that has become far too large for what it held goes when it is empty.
 * Memory  A node has 8 to 16 bytes of the table, and 8 more while that grows.
 * Queue   first -> next ... -> none, and back by prev, the first one's prev being the last.
 *
 * Not thread-safe.
 */

/* No node has this name. */
#define NI_MATCH_NO_NODE UINT32_MAX

enum { NI_MATCH_SLOTS = 6 };

struct ni_match_bucket {
    uint64_t tags; /* a byte per slot; the highest two count who passed over */
    uint32_t node[NI_MATCH_SLOTS];
};

struct ni_match_table {
    struct ni_match_bucket *bucket; /* NULL: none */
    void *memory;                   /* in which they lie */
    uint64_t mask;                  /* buckets - 1 */
};

/* Where in a table a node lies. */
struct ni_match_slot {
    struct ni_match_bucket *bucket; /* NULL: nowhere */
    unsigned slot;
};

/* A key, and the hash of it. */
struct ni_match_key {
    uint64_t bits;
    uint64_t from;
    uint64_t hash;
};

/* The key that was used last, and where it is: programs post many receives of one key, and then get
 * as many messages. Or where it was: they also post the receive anew that has just had its
 * message. */
struct ni_match_recent {
    struct ni_match_key key;
    struct ni_match_slot at; /* in the table, not in the old one; bucket NULL: no key */
    bool gone;               /* the key is in neither table */
};

struct ni_match_index {
    struct ni_match_recent recent;
    struct ni_match_table table;
    struct ni_match_table old; /* being moved */
    uint64_t moved;            /* buckets of the old table that are empty */
    uint64_t keys;             /* different ones, in both tables */
    uint64_t most;             /* keys since there was none */
    uint64_t keep_bits;
    uint64_t keep_from; /* of initiator and group << 32 */
    uint64_t seed[2];
    size_t link_at; /* bytes from a node to its link in this index */
    const struct ni_pool *pool;
};

/* An empty index without memory, of nodes that begin items of a pool. */
void ni_match_index_init(struct ni_match_index *index, const struct ni_pool *pool, size_t link_at,
                         uint64_t keep_bits, uint64_t keep_from);

/* Free the tables; nodes are not touched. */
void ni_match_index_fini(struct ni_match_index *index);

/* Add a node that is not in this index. NI_ERR_NOMEM: the node and the results of all searches are
 * as before. O(1). */
ni_status ni_match_index_add(struct ni_match_index *index, struct ni_match_node *node);

/* Take out a node that is in this index. O(1). */
void ni_match_index_remove(struct ni_match_index *index, struct ni_match_node *node);

/* What of a node's initiator and group goes into its key, before it is cut down. */
static inline uint64_t ni_match_from(uint32_t initiator, uint32_t group)
{
    return initiator | (uint64_t)group << 32;
}

/* The first node whose key is this one, which must be cut down to what is kept; NULL if there is
 * none. Adds the nodes compared to *attempts. */
struct ni_match_node *ni_match_index_find(struct ni_match_index *index, uint64_t bits,
                                          uint64_t from, ni_stat_t *attempts);

/* A node of this index is supposed to be found next: fetch the bucket in which it is. */
void ni_match_index_fetch(const struct ni_match_index *index, const struct ni_match_node *node);

/* The node with a name that is in use. */
static inline struct ni_match_node *ni_match_node_at(const struct ni_match_index *index,
                                                     uint32_t name)
{
    return ni_pool_slot_item(index->pool, name);
}

static inline uint32_t ni_match_name_of(const struct ni_match_index *index,
                                        const struct ni_match_node *node)
{
    return ni_pool_index(index->pool, node);
}

static inline struct ni_match_link *ni_match_link_of(const struct ni_match_index *index,
                                                     const struct ni_match_node *node)
{
    return (struct ni_match_link *)((uintptr_t)node + index->link_at);
}

/* The next node of the same key; NULL behind the last. */
static inline struct ni_match_node *ni_match_index_next(const struct ni_match_index *index,
                                                        const struct ni_match_node *node)
{
    uint32_t next = ni_match_link_of(index, node)->next;

    return next != NI_MATCH_NO_NODE ? ni_match_node_at(index, next) : NULL;
}

#endif
