/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_MATCH_INDEX_H
#define NI_MATCH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
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
 *         many nodes passed over this full bucket to one further on. So a search compares seven
 *         tags at once in a plain 64-bit word, goes on only if something did pass over, and as a
 *         rule touches the one node that it returns. A removed node leaves nothing behind.
 * Growth  At five nodes per bucket the number of buckets doubles. The old table stays; each
 *         addition and removal moves two of its buckets, so that none of them stalls. Without
 *         memory to double, the table fills up to six per bucket before an addition fails. A table
 *         that has become far too large for what it held goes when it is empty.
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
    NI_MATCH_ID_CHUNK0_BITS = 6,
    NI_MATCH_ID_CHUNK0 = 1 << NI_MATCH_ID_CHUNK0_BITS,
};

/* Nodes by number: chunks of 64, 128, 256 ... which never move. A free number holds the next free
 * one. */
struct ni_match_ids {
    void **chunk[NI_MATCH_ID_CHUNKS];
    uint32_t free;  /* first free number, 0: none */
    uint32_t fresh; /* first number never used */
    uint32_t end;   /* first number without a chunk */
    /* For ahead.c. */
    uint32_t given; /* the number that came back last */
    uint32_t seen;  /* `given` when it was last looked at, and by how much it had changed then */
    uint32_t step;
};

struct ni_match_bucket {
    NI_LINE_ALIGNED uint64_t tags; /* a byte per slot; the highest byte counts who passed over */
    struct ni_match_node *node[NI_MATCH_SLOTS];
};

/* What the nodes of a bucket point to, see struct ni_match_index. */
struct ni_match_beyond {
    NI_LINE_ALIGNED const void *slot[NI_MATCH_SLOTS];
};

struct ni_match_table {
    struct ni_match_bucket *bucket; /* NULL: none */
    struct ni_match_beyond *beyond; /* for each of them; NULL: none */
    void *memory;                   /* of both */
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
    uint32_t number; /* which link of a node is this index's */
    /* Whoever finds a node goes on to what a pointer in its object names, and would wait for the
     * node, then for that. Where the pointer is, in bytes from the node, makes the table keep a
     * copy beside the bucket, so that a search asks for both at once; 0: there is none. Before a
     * node is added its pointer is set, to anything: nobody looks at what it names. */
    uint32_t pointer;
    struct ni_match_ids *ids;
};

/* Empty. */
void ni_match_ids_init(struct ni_match_ids *ids);

/* Free the memory; nodes are not touched. */
void ni_match_ids_fini(struct ni_match_ids *ids);

/* An empty index without memory, number < NI_MATCH_INDEXES, of nodes that are numbered in ids. */
void ni_match_index_init(struct ni_match_index *index, struct ni_match_ids *ids, uint32_t number,
                         uint64_t keep_bits, uint64_t keep_from);

/* Free the tables; nodes and ids are not touched. */
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
                                          uint64_t from, uint64_t *attempts);

/* A node of this index is supposed to be found next: fetch the bucket in which it is, and what it
 * points to. */
void ni_match_index_fetch(const struct ni_match_index *index, const struct ni_match_node *node);

/* The link of a node in an index. Nodes are followed by their links. */
static inline struct ni_match_link *ni_match_link_of(struct ni_match_node *node, uint32_t number)
{
    return (struct ni_match_link *)(void *)(node + 1) + number;
}

/* Where the pointer of a number is, which has a chunk. */
static inline void **ni_match_ids_where(const struct ni_match_ids *ids, uint32_t id)
{
    uint32_t shifted = id + NI_MATCH_ID_CHUNK0;
    unsigned top = 31U ^ (unsigned)__builtin_clz(shifted);

    return &ids->chunk[top - NI_MATCH_ID_CHUNK0_BITS][shifted ^ 1U << top];
}

/* The node with a number that is in use. */
static inline struct ni_match_node *ni_match_ids_at(const struct ni_match_ids *ids, uint32_t id)
{
    return *ni_match_ids_where(ids, id);
}

/* The next node of the same key; NULL behind the last. */
static inline struct ni_match_node *ni_match_index_next(const struct ni_match_index *index,
                                                        const struct ni_match_node *node)
{
    uint32_t next = ni_match_link_of((struct ni_match_node *)(uintptr_t)node, index->number)->next;

    return next != 0 ? ni_match_ids_at(index->ids, next) : NULL;
}

#endif
