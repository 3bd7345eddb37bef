/* SPDX-License-Identifier: BSD-3-Clause */
#include "match/index.h"

#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/bits.h"
#include "base/random.h"
#include "match/buckets.h"

enum {
    FIRST_BUCKETS = 16,
    BUCKETS_PER_LINE = 2,
    FILL_WANTED = 4, /* keys per bucket at which the table doubles */
    FILL_MAX = 5,    /* and at which it is full when it could not */
    MOVED_AT_ONCE = 2,
};

void ni_match_index_init(struct ni_match_index *index, const struct ni_pool *pool, size_t link_at,
                         uint64_t keep_bits, uint64_t keep_from)
{
    *index = (struct ni_match_index){.keep_bits = keep_bits,
                                     .keep_from = keep_from,
                                     .seed = {ni_random_key(), ni_random_key()},
                                     .link_at = link_at,
                                     .pool = pool};
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

static NI_COLD ni_status make_table(struct ni_match_table *table, uint64_t buckets)
{
    /* Large blocks of calloc are fresh from the kernel and become memory where they are touched, so
     * that even a large table is made at once. The extra line is for aligning. */
    char *memory = ni_calloc(buckets / BUCKETS_PER_LINE + 1, NI_CACHE_LINE);

    if (memory == NULL) {
        return NI_ERR_NOMEM;
    }
    table->memory = memory;
    table->bucket = (void *)(memory + (-(uintptr_t)memory & (NI_CACHE_LINE - 1)));
    table->mask = buckets - 1;
    return NI_OK;
}

_Static_assert(sizeof(struct ni_match_bucket) == NI_CACHE_LINE / BUCKETS_PER_LINE, "no gaps");

/* Move all nodes of one bucket of the old table to the new one. */
static void move_bucket(struct ni_match_index *index, struct ni_match_bucket *bucket)
{
    for (unsigned slot = 0; slot < NI_MATCH_SLOTS; slot++) {
        if ((uint8_t)(bucket->tags >> slot * 8) != 0) {
            uint32_t name = bucket->node[slot];
            uint64_t hash = hash_of(index, ni_match_node_at(index, name));

            (void)ni_match_table_put(&index->table, hash, name);
            ni_match_table_erase(&index->old, hash,
                                 (struct ni_match_slot){.bucket = bucket, .slot = slot});
        }
    }
}

void ni_match_index_fetch(const struct ni_match_index *index, const struct ni_match_node *node)
{
    const struct ni_match_table *table = &index->table;

    if (table->bucket != NULL) {
        __builtin_prefetch(&table->bucket[hash_of(index, node) & table->mask], 1);
    }
}

static void prefetch_nodes(const struct ni_match_index *index, const struct ni_match_bucket *bucket)
{
    for (unsigned slot = 0; slot < NI_MATCH_SLOTS; slot++) {
        if ((uint8_t)(bucket->tags >> slot * 8) != 0) {
            __builtin_prefetch(ni_match_node_at(index, bucket->node[slot]));
        }
    }
}

/* Move some buckets, those whose nodes were asked for from memory last time. */
static NI_COLD void move_buckets(struct ni_match_index *index)
{
    for (unsigned i = 0; i < MOVED_AT_ONCE; i++) {
        if (index->moved + MOVED_AT_ONCE <= index->old.mask) {
            prefetch_nodes(index, &index->old.bucket[index->moved + MOVED_AT_ONCE]);
        }
        move_bucket(index, &index->old.bucket[index->moved++]);
        if (index->moved > index->old.mask) {
            free_table(&index->old);
            return;
        }
    }
}

static inline void move_on(struct ni_match_index *index)
{
    if (NI_UNLIKELY(index->old.bucket != NULL)) {
        move_buckets(index);
    }
}

/* Double the table, or make the first one. */
static NI_COLD ni_status grow_index(struct ni_match_index *index)
{
    struct ni_match_table bigger;
    uint64_t buckets = index->table.bucket == NULL ? FIRST_BUCKETS : 2 * (index->table.mask + 1);
    ni_status status = NI_OK;

    while (index->old.bucket != NULL) {
        move_buckets(index); /* has come to an end long ago unless all additions were refused */
    }
    status = make_table(&bigger, buckets);
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
static inline ni_status make_key_room(struct ni_match_index *index)
{
    uint64_t buckets = index->table.bucket != NULL ? index->table.mask + 1 : 0;

    if (NI_UNLIKELY(index->keys >= FILL_WANTED * buckets) && grow_index(index) != NI_OK &&
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
                                          bool *old, ni_stat_t *attempts)
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
                                             bool *old, ni_stat_t *attempts)
{
    const struct ni_match_recent *recent = &index->recent;

    *old = false;
    if (is_recent(index, key)) {
        ni_stat_add(attempts, !recent->gone);
        key->hash = recent->key.hash;
        return recent->gone ? (struct ni_match_slot){0} : recent->at;
    }
    return search_tables(index, key, old, attempts);
}

struct ni_match_node *ni_match_index_find(struct ni_match_index *index, uint64_t bits,
                                          uint64_t from, ni_stat_t *attempts)
{
    struct ni_match_key key = {.bits = bits, .from = from};
    bool old;

    return ni_match_slot_node(index, find_slot(index, &key, &old, attempts));
}

/* Put a node into the slot that the last one of its key had, if it has not been given to another
 * one; false: it has, or nodes pass over others to it. */
static inline bool put_back(struct ni_match_index *index, const struct ni_match_key *key,
                            uint32_t name)
{
    return is_recent(index, key) &&
           ni_match_table_put_at(&index->table, key->hash, name, index->recent.at);
}

/* Put a node whose key is new into the table. */
static void add_key(struct ni_match_index *index, const struct ni_match_key *key,
                    struct ni_match_node *node)
{
    uint32_t name = ni_match_name_of(index, node);

    if (put_back(index, key, name)) {
        index->recent.gone = false;
    } else {
        struct ni_match_slot at = ni_match_table_put(&index->table, key->hash, name);

        index->recent = (struct ni_match_recent){.key = *key, .at = at};
    }
    *ni_match_link_of(index, node) = (struct ni_match_link){.next = NI_MATCH_NO_NODE, .prev = name};
    index->keys++;
    index->most = ni_max_u64(index->most, index->keys);
}

/* Put a node behind the last one of its key. */
static void enqueue_node(const struct ni_match_index *index, const struct ni_match_node *first,
                         const struct ni_match_node *node)
{
    struct ni_match_link *head = ni_match_link_of(index, first);
    uint32_t name = ni_match_name_of(index, node);

    ni_match_link_of(index, ni_match_node_at(index, head->prev))->next = name;
    *ni_match_link_of(index, node) =
        (struct ni_match_link){.next = NI_MATCH_NO_NODE, .prev = head->prev};
    head->prev = name;
}

ni_status ni_match_index_add(struct ni_match_index *index, struct ni_match_node *node)
{
    struct ni_match_key key = key_of(index, node);
    const struct ni_match_node *first;
    ni_stat_t attempts = 0;
    bool old;

    if (make_key_room(index) != NI_OK) {
        return NI_ERR_NOMEM;
    }
    move_on(index);
    first = ni_match_slot_node(index, find_slot(index, &key, &old, &attempts));
    if (first != NULL) {
        enqueue_node(index, first, node);
    } else {
        add_key(index, &key, node);
    }
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
static void dequeue(struct ni_match_index *index, const struct ni_match_node *node)
{
    struct ni_match_link link = *ni_match_link_of(index, node);
    struct ni_match_link *before = ni_match_link_of(index, ni_match_node_at(index, link.prev));
    bool first = before->next == NI_MATCH_NO_NODE; /* before it is the last */
    bool last = link.next == NI_MATCH_NO_NODE;
    struct ni_match_key key = key_of(index, node);
    struct ni_match_slot at = {0};
    ni_stat_t attempts = 0;
    bool old;

    if (first || last) {
        at = find_slot(index, &key, &old, &attempts);
        NI_ASSERT(at.bucket != NULL);
    }
    if (first) {
        at.bucket->node[at.slot] = link.next;
    } else {
        before->next = link.next;
    }
    ni_match_link_of(index, ni_match_node_at(index, last ? at.bucket->node[at.slot] : link.next))
        ->prev = link.prev;
}

void ni_match_index_remove(struct ni_match_index *index, struct ni_match_node *node)
{
    const struct ni_match_link *link = ni_match_link_of(index, node);

    if (link->prev == ni_match_name_of(index, node)) {
        struct ni_match_key key = key_of(index, node);
        ni_stat_t attempts = 0;
        bool old;
        struct ni_match_slot at = find_slot(index, &key, &old, &attempts);

        NI_ASSERT(ni_match_slot_node(index, at) == node);
        erase(index, &key, at, old);
    } else {
        dequeue(index, node);
    }
    move_on(index);
}
