/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_MATCH_BUCKETS_H
#define NI_MATCH_BUCKETS_H

#include <stdbool.h>

#include "match/index.h"

/*
 * One table of buckets: open addressing by whole buckets. What a bucket is, is in index.h.
 *
 * A node's home is the bucket that its hash names. It lies there or, when all slots were taken, in
 * the first bucket behind with a free one; each full bucket on the way counts it. The count sticks
 * at 65535: from then on searches pass over that bucket in vain at times, and still end at one that
 * nobody passed over, or when they have seen all.
 */

#define NI_MATCH_BYTES     0x0101010101010101U
#define NI_MATCH_SLOT_BITS 0x0000808080808080U /* the top bit of each slot's byte */
#define NI_MATCH_PASSED    ((uint64_t)1 << 48) /* one node that passed over */

enum { NI_MATCH_PASSED_STUCK = 0xffff };

/* The seed keeps peers from choosing bits that collide. The second product is for keys in equal
 * steps: behind the first one they still are, and some seeds make of that a few buckets for all. */
static inline uint64_t ni_match_hash(const struct ni_match_index *index, uint64_t bits,
                                     uint64_t from)
{
    unsigned __int128 product =
        (unsigned __int128)(bits ^ index->seed[0]) * (from ^ index->seed[1]);

    uint64_t hash = (uint64_t)product ^ (uint64_t)(product >> 64);

    hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93U;
    return hash ^ hash >> 32;
}

/* The low bits of a hash name the bucket, the high ones are the tag, which is not 0. */
static inline uint64_t ni_match_tag(uint64_t hash)
{
    uint64_t tag = hash >> 56;

    return tag + (tag == 0);
}

/* The slots with a tag: the top bit of their bytes. Behind the lowest one that is right, others may
 * be named that are not. */
static inline uint64_t ni_match_tagged(uint64_t tags, uint64_t tag)
{
    uint64_t differ = tags ^ tag * NI_MATCH_BYTES;

    return (differ - NI_MATCH_BYTES) & ~differ & NI_MATCH_SLOT_BITS;
}

static inline unsigned ni_match_passed(uint64_t tags)
{
    return (unsigned)(tags >> 48);
}

static inline struct ni_match_node *ni_match_slot_node(const struct ni_match_index *index,
                                                       struct ni_match_slot at)
{
    return at.bucket != NULL ? ni_match_node_at(index, at.bucket->node[at.slot]) : NULL;
}

static inline bool ni_match_is_key(const struct ni_match_index *index,
                                   const struct ni_match_node *node, uint64_t bits, uint64_t from)
{
    uint64_t differ = ((node->bits ^ bits) & index->keep_bits) |
                      ((ni_match_from(node->initiator, node->group) ^ from) & index->keep_from);

    return differ == 0;
}

/* Where in a table the first node of a key is. */
static inline struct ni_match_slot ni_match_table_find(const struct ni_match_index *index,
                                                       const struct ni_match_table *table,
                                                       uint64_t hash, uint64_t bits, uint64_t from,
                                                       ni_stat_t *attempts)
{
    uint64_t tag = ni_match_tag(hash);

    for (uint64_t n = 0; n <= table->mask; n++) {
        struct ni_match_bucket *bucket = &table->bucket[(hash + n) & table->mask];
        uint64_t tags = bucket->tags;

        for (uint64_t left = ni_match_tagged(tags, tag); left != 0; left &= left - 1) {
            unsigned slot = (unsigned)__builtin_ctzll(left) / 8;
            const struct ni_match_node *node = ni_match_node_at(index, bucket->node[slot]);

            ni_stat_add(attempts, 1);
            /* Most likely it is the one, and the search that finds it goes on to the rest of its
             * item. */
            __builtin_prefetch((const char *)node + NI_CACHE_LINE, 1);
            if (NI_LIKELY((uint8_t)(tags >> slot * 8) == tag &&
                          ni_match_is_key(index, node, bits, from))) {
                return (struct ni_match_slot){.bucket = bucket, .slot = slot};
            }
        }
        if (NI_LIKELY(ni_match_passed(tags) == 0)) {
            break;
        }
    }
    return (struct ni_match_slot){0};
}

static inline void ni_match_slot_fill(struct ni_match_slot at, uint64_t hash, uint32_t name)
{
    at.bucket->tags |= ni_match_tag(hash) << at.slot * 8;
    at.bucket->node[at.slot] = name;
}

/* Put a node into a certain slot, if that is free and in the node's home. */
static inline bool ni_match_table_put_at(struct ni_match_table *table, uint64_t hash, uint32_t name,
                                         struct ni_match_slot at)
{
    bool fits = at.bucket == &table->bucket[hash & table->mask] &&
                (uint8_t)(at.bucket->tags >> at.slot * 8) == 0;

    if (fits) {
        ni_match_slot_fill(at, hash, name);
    }
    return fits;
}

/* Put a node into a table that has a free slot: that. */
static inline struct ni_match_slot ni_match_table_put(struct ni_match_table *table, uint64_t hash,
                                                      uint32_t name)
{
    for (uint64_t number = hash & table->mask;; number = (number + 1) & table->mask) {
        struct ni_match_bucket *bucket = &table->bucket[number];
        uint64_t free = ni_match_tagged(bucket->tags, 0);

        if (NI_LIKELY(free != 0)) {
            struct ni_match_slot at = {.bucket = bucket,
                                       .slot = (unsigned)__builtin_ctzll(free) / 8};

            ni_match_slot_fill(at, hash, name);
            return at;
        }
        if (ni_match_passed(bucket->tags) < NI_MATCH_PASSED_STUCK) {
            bucket->tags += NI_MATCH_PASSED;
        }
    }
}

/* Free the slot of a node with this hash. */
static inline void ni_match_table_erase(struct ni_match_table *table, uint64_t hash,
                                        struct ni_match_slot at)
{
    at.bucket->tags &= ~((uint64_t)0xff << at.slot * 8);
    for (uint64_t n = hash & table->mask; &table->bucket[n] != at.bucket;
         n = (n + 1) & table->mask) {
        if (ni_match_passed(table->bucket[n].tags) < NI_MATCH_PASSED_STUCK) {
            table->bucket[n].tags -= NI_MATCH_PASSED;
        }
    }
}

#endif
