/* SPDX-License-Identifier: BSD-3-Clause */
#include "match/index.h"

#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/bits.h"
#include "base/random.h"
#include "match/buckets.h"
#include "match/ids.h"

enum {
    FIRST_BUCKETS = 16,
    FILL_WANTED = 5, /* keys per bucket at which the table doubles */
    FILL_MAX = 6,    /* and at which it is full when it could not */
    MOVED_AT_ONCE = 2,
};

void ni_match_index_init(struct ni_match_index *index, struct ni_match_ids *ids, uint32_t number,
                         uint64_t keep_bits, uint64_t keep_from)
{
    *index = (struct ni_match_index){.keep_bits = keep_bits,
                                     .keep_from = keep_from,
                                     .seed = {ni_random_key(), ni_random_key()},
                                     .number = number,
                                     .ids = ids};
}

static void free_table(struct ni_match_table *table)
{
    ni_free(table->memory);
    *table = (struct ni_match_table){0};
}

static void forget_recent(struct ni_match_index *index)
{
    index->recent.at.bucket = NULL;
}

void ni_match_index_fini(struct ni_match_index *index)
{
    forget_recent(index);
    free_table(&index->table);
    free_table(&index->old);
    index->keys = 0;
}

static uint64_t hash_of(const struct ni_match_index *index, const struct ni_match_node *node)
{
    return ni_match_hash(index, node->bits & index->keep_bits,
                         ni_match_from(node->initiator, node->group) & index->keep_from);
}

static NI_COLD ni_status make_table(struct ni_match_table *table, uint64_t buckets, bool pointers)
{
    uint64_t lines = pointers ? 2 * buckets : buckets;
    /* Large blocks of calloc are fresh from the kernel and become memory where they are touched, so
     * that even a large table is made at once. The extra line is for aligning. */
    char *memory = ni_calloc(lines + 1, NI_CACHE_LINE);

    if (memory == NULL) {
        return NI_ERR_NOMEM;
    }
    table->memory = memory;
    table->bucket = (void *)(memory + (-(uintptr_t)memory & (NI_CACHE_LINE - 1)));
    table->beyond = pointers ? (void *)(table->bucket + buckets) : NULL;
    table->mask = buckets - 1;
    return NI_OK;
}

_Static_assert(sizeof(struct ni_match_bucket) == NI_CACHE_LINE, "a line");
_Static_assert(sizeof(struct ni_match_beyond) == NI_CACHE_LINE, "a line");

/* What a node points to, if the table is to know it. */
static inline const void *beyond_of(const struct ni_match_index *index,
                                    const struct ni_match_node *node)
{
    const void *beyond = NULL;

    if (index->pointer != 0) {
        memcpy(&beyond, (const char *)node + index->pointer, sizeof(beyond));
    }
    return beyond;
}

/* Move all nodes of one bucket of the old table to the new one. */
static void move_bucket(struct ni_match_index *index, uint64_t number)
{
    struct ni_match_bucket *bucket = &index->old.bucket[number];
    const struct ni_match_beyond *beyond = index->old.beyond;

    for (unsigned slot = 0; slot < NI_MATCH_SLOTS; slot++) {
        if ((uint8_t)(bucket->tags >> slot * 8) != 0) {
            uint64_t hash = hash_of(index, bucket->node[slot]);

            (void)ni_match_table_put(&index->table, hash, bucket->node[slot],
                                     beyond != NULL ? beyond[number].slot[slot] : NULL);
            ni_match_table_erase(&index->old, hash,
                                 (struct ni_match_slot){.bucket = bucket, .slot = slot});
        }
    }
}

void ni_match_index_fetch(const struct ni_match_index *index, const struct ni_match_node *node)
{
    const struct ni_match_table *table = &index->table;
    uint64_t number = hash_of(index, node) & table->mask;

    if (table->bucket != NULL) {
        __builtin_prefetch(&table->bucket[number], 1);
    }
    if (table->beyond != NULL) {
        __builtin_prefetch(&table->beyond[number], 1);
        __builtin_prefetch(beyond_of(index, node), 1);
    }
}

static void prefetch_nodes(const struct ni_match_bucket *bucket)
{
    for (unsigned slot = 0; slot < NI_MATCH_SLOTS; slot++) {
        __builtin_prefetch(bucket->node[slot]);
    }
}

/* Move some buckets, those that were asked for from memory last time. */
static NI_COLD void move_some(struct ni_match_index *index)
{
    for (unsigned i = 0; i < MOVED_AT_ONCE; i++) {
        if (index->moved + MOVED_AT_ONCE <= index->old.mask) {
            prefetch_nodes(&index->old.bucket[index->moved + MOVED_AT_ONCE]);
        }
        move_bucket(index, index->moved++);
        if (index->moved > index->old.mask) {
            free_table(&index->old);
            return;
        }
    }
}

static inline void move_on(struct ni_match_index *index)
{
    if (NI_UNLIKELY(index->old.bucket != NULL)) {
        move_some(index);
    }
}

/* Double the table, or make the first one. */
static NI_COLD ni_status grow(struct ni_match_index *index)
{
    struct ni_match_table bigger;
    uint64_t buckets = index->table.bucket == NULL ? FIRST_BUCKETS : 2 * (index->table.mask + 1);
    ni_status status = NI_OK;

    while (index->old.bucket != NULL) {
        move_some(index); /* has come to an end long ago unless all additions were refused */
    }
    status = make_table(&bigger, buckets, index->pointer != 0);
    if (status != NI_OK) {
        return status;
    }
    forget_recent(index);
    index->old = index->table;
    index->table = bigger;
    index->moved = 0;
    return NI_OK;
}

/* See that there is room for one more key. */
static inline ni_status make_room(struct ni_match_index *index)
{
    uint64_t buckets = index->table.bucket != NULL ? index->table.mask + 1 : 0;

    if (NI_UNLIKELY(index->keys >= FILL_WANTED * buckets) && grow(index) != NI_OK &&
        index->keys >= FILL_MAX * buckets) {
        return NI_ERR_NOMEM;
    }
    return NI_OK;
}

/* The key of a node, without its hash. */
static inline struct ni_match_key key_of(const struct ni_match_index *index,
                                         const struct ni_match_node *node)
{
    return (struct ni_match_key){
        .bits = node->bits & index->keep_bits,
        .from = ni_match_from(node->initiator, node->group) & index->keep_from,
    };
}

static inline bool is_recent(const struct ni_match_index *index, const struct ni_match_key *key)
{
    const struct ni_match_recent *recent = &index->recent;

    return recent->at.bucket != NULL && recent->key.bits == key->bits &&
           recent->key.from == key->from;
}

/* In which of the tables the first node of a key is, and where. */
static struct ni_match_slot search_tables(struct ni_match_index *index, struct ni_match_key *key,
                                          bool *old, uint64_t *attempts)
{
    uint64_t hash = ni_match_hash(index, key->bits, key->from);
    struct ni_match_slot at = {0};

    key->hash = hash;
    if (NI_LIKELY(index->table.bucket != NULL)) {
        at = ni_match_table_find(index, &index->table, hash, key->bits, key->from, attempts);
    }
    if (NI_LIKELY(at.bucket != NULL)) {
        index->recent = (struct ni_match_recent){.key = *key, .at = at};
    } else if (NI_UNLIKELY(index->old.bucket != NULL)) {
        at = ni_match_table_find(index, &index->old, hash, key->bits, key->from, attempts);
        *old = at.bucket != NULL;
    }
    return at;
}

/* The same, with the hash of the key. Found in the table, it is the recent key afterwards. */
static inline struct ni_match_slot find_slot(struct ni_match_index *index, struct ni_match_key *key,
                                             bool *old, uint64_t *attempts)
{
    const struct ni_match_recent *recent = &index->recent;

    *old = false;
    if (is_recent(index, key)) {
        *attempts += !recent->gone;
        key->hash = recent->key.hash;
        return recent->gone ? (struct ni_match_slot){0} : recent->at;
    }
    return search_tables(index, key, old, attempts);
}

struct ni_match_node *ni_match_index_find(struct ni_match_index *index, uint64_t bits,
                                          uint64_t from, uint64_t *attempts)
{
    struct ni_match_key key = {.bits = bits, .from = from};
    bool old;

    return ni_match_slot_node(find_slot(index, &key, &old, attempts));
}

/* Put a node into the slot that the last one of its key had, if it has not been given to another
 * one; false: it has, or nodes pass over others to it. */
static inline bool put_back(struct ni_match_index *index, const struct ni_match_key *key,
                            struct ni_match_node *node)
{
    struct ni_match_slot at = index->recent.at;

    return is_recent(index, key) &&
           ni_match_table_put_at(&index->table, key->hash, node, beyond_of(index, node), at);
}

/* Put a node whose key is new into the table. */
static void add_key(struct ni_match_index *index, const struct ni_match_key *key,
                    struct ni_match_node *node)
{
    if (put_back(index, key, node)) {
        index->recent.gone = false;
    } else {
        struct ni_match_slot at =
            ni_match_table_put(&index->table, key->hash, node, beyond_of(index, node));

        index->recent = (struct ni_match_recent){.key = *key, .at = at};
    }
    *ni_match_link_of(node, index->number) = (struct ni_match_link){.next = 0, .prev = node->id};
    index->keys++;
    index->most = ni_max_u64(index->most, index->keys);
}

/* Put a node with a number behind the last one of its key. */
static void enqueue(const struct ni_match_index *index, struct ni_match_node *first,
                    struct ni_match_node *node)
{
    struct ni_match_link *head = ni_match_link_of(first, index->number);
    struct ni_match_link *link = ni_match_link_of(node, index->number);
    struct ni_match_node *last = ni_match_ids_at(index->ids, head->prev);

    ni_match_link_of(last, index->number)->next = node->id;
    *link = (struct ni_match_link){.next = 0, .prev = head->prev};
    head->prev = node->id;
}

ni_status ni_match_index_add(struct ni_match_index *index, struct ni_match_node *node)
{
    struct ni_match_key key = key_of(index, node);
    struct ni_match_node *first;
    uint64_t attempts = 0;
    bool old;

    if (make_room(index) != NI_OK ||
        (node->id == 0 && ni_match_ids_take(index->ids, node) != NI_OK)) {
        return NI_ERR_NOMEM;
    }
    move_on(index);
    first = ni_match_slot_node(find_slot(index, &key, &old, &attempts));
    if (first != NULL) {
        enqueue(index, first, node);
    } else {
        add_key(index, &key, node);
    }
    node->in |= (uint8_t)(1U << index->number);
    return NI_OK;
}

/* Whether an empty table is so much too large for what it held that it is to go. The smallest
 * stays: lists that just need it would make it each time. */
static bool oversized(const struct ni_match_index *index)
{
    uint64_t buckets = index->table.mask + 1;

    return index->old.bucket != NULL || (buckets > FIRST_BUCKETS && index->most < buckets / 4);
}

/* The last node of a key goes. */
static void erase(struct ni_match_index *index, const struct ni_match_key *key,
                  struct ni_match_slot at, bool old)
{
    ni_match_table_erase(old ? &index->old : &index->table, key->hash, at);
    if (NI_UNLIKELY(old)) {
        forget_recent(index);
    } else {
        index->recent.gone = true;
    }
    if (--index->keys == 0) {
        if (oversized(index)) {
            ni_match_index_fini(index);
        }
        index->most = 0;
    }
}

/* Take a node out of the queue of its key, which has others. */
static void dequeue(struct ni_match_index *index, struct ni_match_node *node)
{
    struct ni_match_link link = *ni_match_link_of(node, index->number);
    struct ni_match_node *prev = ni_match_ids_at(index->ids, link.prev);
    struct ni_match_link *before = ni_match_link_of(prev, index->number);
    struct ni_match_key key = key_of(index, node);
    struct ni_match_slot at;
    uint64_t attempts = 0;
    bool old;

    if (before->next == node->id && link.next != 0) {
        struct ni_match_node *next = ni_match_ids_at(index->ids, link.next);

        before->next = link.next;
        ni_match_link_of(next, index->number)->prev = link.prev;
        return;
    }
    at = find_slot(index, &key, &old, &attempts);
    NI_ASSERT(at.bucket != NULL);
    if (link.next == 0) {
        before->next = 0;
        ni_match_link_of(at.bucket->node[at.slot], index->number)->prev = link.prev;
    } else {
        struct ni_match_node *next = ni_match_ids_at(index->ids, link.next);

        ni_match_link_of(next, index->number)->prev = link.prev;
        ni_match_slot_set(old ? &index->old : &index->table, at, next, beyond_of(index, next));
    }
}

void ni_match_index_remove(struct ni_match_index *index, struct ni_match_node *node)
{
    struct ni_match_link *link = ni_match_link_of(node, index->number);

    if (link->prev == node->id) {
        struct ni_match_key key = key_of(index, node);
        uint64_t attempts = 0;
        bool old;
        struct ni_match_slot at = find_slot(index, &key, &old, &attempts);

        NI_ASSERT(ni_match_slot_node(at) == node);
        erase(index, &key, at, old);
    } else {
        dequeue(index, node);
    }
    move_on(index);
    node->in &= (uint8_t) ~(1U << index->number);
    if (node->in == 0) {
        ni_match_ids_give(index->ids, node);
    }
}
