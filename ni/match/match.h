/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_MATCH_MATCH_H
#define NI_MATCH_MATCH_H

#include <stddef.h>
#include <stdint.h>

#include <apeni/status.h>

#include "match/block.h"
#include "match/index.h"

/*
 * The match list, in both directions (MATCH 3.1, Portals 4):
 *
 *   struct ni_match_list     posted entries with match bits, ignore bits and an initiator, one or
 *                            any. An arriving header is looked up: the FIRST entry in the order of
 *                            appending with
 *                                ((entry bits ^ header bits) & ~ignore) == 0
 *                            whose initiator is any or the header's.
 *   struct ni_match_headers  headers that arrived before an entry matched them. An entry that is
 *                            posted, or a search, is looked up: the FIRST header in the order of
 *                            arrival that it matches by the same rule.
 *
 * Results are exactly those of a linear walk, but the cost does not grow with the depth:
 *
 *   entries   The oldest (up to 64, while nothing lies deeper) are in one block (block.h). Behind
 *             it, entries with equal ignore bits and equal kind of initiator (one, any) form a
 *             group; all groups share one hash table (index.h), in which equal keys form a queue. A
 *             search asks once per group in use, and takes the result with the lowest sequence
 *             number. Ignore bits that do not repeat get no group: these entries are in further
 *             blocks, searched one after the other.
 *   headers   All are in blocks, in order. A search compares the first block; behind that it asks a
 *             hash table of all headers under its ignore bits. Searches without one walk the
 *             blocks, until that has cost as much as making one; then it is kept up to date,
 *             until the list was empty twice and nobody searched so in between. Up to
 *             NI_MATCH_INDEXES kinds of searches have a table; a further kind takes over the one
 *             that was used least recently.
 *
 * Life: init; then append, search, next and remove in any order; fini, with or without nodes in it.
 * Nodes are the first members of items of a pool, several lists of which may share it, and belong
 * to the list from append to remove, as their items do to the caller. Their members are for reading
 * only. The list itself must stay where it is.
 *
 * Memory: a posted entry is 32 bytes, and 8 to 24 of the table or 29 of a block.
 *
 * Not thread-safe: one thread at a time, searches included (they count).
 */

/* The initiator of an entry or a search that takes any; no initiator has this number. */
#define NI_MATCH_ANY UINT32_MAX

enum {
    /* Groups of entries, that is kinds of ignore bits that are hashed at the same time. */
    NI_MATCH_GROUPS = 32,
    /* node.group of an entry that has none: in blocks behind the front; in the front; in no list
     * any more. */
    NI_MATCH_ODD = NI_MATCH_GROUPS,
    NI_MATCH_FRONT,
    NI_MATCH_UNLISTED,
    /* Groups that are given to whatever ignore bits come first; the others want to be earned. */
    NI_MATCH_GROUPS_FREE = 4,
    /* Counters of ignore bits without a group, by hash. */
    NI_MATCH_ODD_KINDS = 64,
    /* Kinds of searches for headers that have a table at the same time. */
    NI_MATCH_INDEXES = 4,
};

/* A posted entry. */
struct ni_match_entry {
    struct ni_match_node node; /* bits without the ignored ones, initiator */
    uint64_t sequence;         /* of appending, from 1 */
};

/* An unexpected header. */
struct ni_match_header {
    struct ni_match_node node; /* bits, initiator */
    struct ni_match_link link[NI_MATCH_INDEXES];
};

_Static_assert(sizeof(struct ni_match_entry) == 32, "of an entry's 88 bytes");
_Static_assert(sizeof(struct ni_match_header) == 56, "within a line");

/* What happened to a list since it was made. An attempt is one comparison beyond the first block of
 * 64 nodes, which every search makes: of another block, or of one node that a hash table named.
 * These, and a list's length, are statistics: a thread that only reads them is no data race. */
struct ni_match_counts {
    ni_stat_t searches;
    ni_stat_t attempts;
    ni_stat_t most; /* nodes at one time */
};

/* What another list did before it was given up. */
static inline void ni_match_counts_add(struct ni_match_counts *counts,
                                       const struct ni_match_counts *more)
{
    ni_stat_add(&counts->searches, ni_stat_get(&more->searches));
    ni_stat_add(&counts->attempts, ni_stat_get(&more->attempts));
}

struct ni_match_group {
    uint64_t ignore;
    uint32_t entries;
    uint32_t any; /* NI_MATCH_ANY if the entries' initiator is any, else 0 */
};

/* Whom to tell that there may be something to be fetched ahead, and how. */
struct ni_match_note {
    uint32_t *word; /* NULL: nobody */
    uint32_t mark;
};

/* The index in the pool of what was taken out of a table last, and what it is supposed to tell. */
struct ni_match_steps {
    uint32_t taken;
    uint32_t seen; /* `taken` when it was last looked at, and by how much it had changed then */
    uint32_t step;
};

struct ni_match_list {
    struct ni_match_scan scan;
    ni_stat_t length;  /* entries */
    uint64_t sequence; /* of the last one appended */
    struct ni_match_counts counts;
    uint32_t active; /* groups with entries, a bit each */
    struct ni_match_group group[NI_MATCH_GROUPS];
    uint8_t label; /* of its entries */
    struct ni_match_index index;
    struct ni_match_steps steps;
    struct ni_match_note note;
    struct ni_match_blocks odd;            /* entries without a group */
    uint32_t odd_kind[NI_MATCH_ODD_KINDS]; /* how many there are, by hash of the ignore bits */
    struct ni_match_block front;           /* entries older than all others */
};

/* An empty list, whose entries begin items of a pool. label: any number; entries carry it. */
void ni_match_list_init(struct ni_match_list *list, const struct ni_pool *pool, uint8_t label);

/* Give back the memory; entries are forgotten, not touched. */
void ni_match_list_fini(struct ni_match_list *list);

/* Append an entry, which is in no list. initiator: one, or NI_MATCH_ANY. NI_ERR_NOMEM: the list
 * is as before. O(1). */
static inline ni_status ni_match_list_append(struct ni_match_list *list,
                                             struct ni_match_entry *entry, uint64_t bits,
                                             uint64_t ignore, uint32_t initiator);

/* Take out an entry that is in the list. O(1). */
static inline void ni_match_list_remove(struct ni_match_list *list, struct ni_match_entry *entry);

/* The first entry that matches a header; NULL if there is none. initiator is not NI_MATCH_ANY. */
static inline struct ni_match_entry *ni_match_list_search(struct ni_match_list *list, uint64_t bits,
                                                          uint32_t initiator);

/* The first entry behind another one that matches a header: the way on for who cannot use what the
 * search found. `after` is in the list. As a search, but in each other group it passes over the
 * entries of the same key that are older than `after`. */
struct ni_match_entry *ni_match_list_next(struct ni_match_list *list,
                                          const struct ni_match_entry *after, uint64_t bits,
                                          uint32_t initiator);

/* A kind of searches that has its own table. */
struct ni_match_kind {
    struct ni_match_index index;
    uint64_t ignore;
    uint32_t any;      /* NI_MATCH_ANY if the searches take any initiator, else 0 */
    uint32_t searched; /* since the list was last empty */
    uint64_t last;     /* the number of the search that last used it */
};

struct ni_match_headers {
    struct ni_match_scan scan;
    ni_stat_t length; /* headers */
    struct ni_match_counts counts;
    uint64_t walked; /* blocks compared by searches without a table since one was last made */
    uint32_t kinds;  /* in use, a bit each */
    struct ni_match_note note;
    struct ni_match_blocks blocks;
    const struct ni_pool *pool;
    struct ni_match_steps steps;
    struct ni_match_kind kind[NI_MATCH_INDEXES];
};

/* As for entries. */
void ni_match_headers_init(struct ni_match_headers *headers, const struct ni_pool *pool);
void ni_match_headers_fini(struct ni_match_headers *headers);

/* Append a header, which is in no list. initiator is not NI_MATCH_ANY. NI_ERR_NOMEM: the list is as
 * before. O(1) for each kind of searches that has a table. */
ni_status ni_match_headers_append(struct ni_match_headers *headers, struct ni_match_header *header,
                                  uint64_t bits, uint32_t initiator);

/* Take out a header that is in the list. O(1). */
void ni_match_headers_remove(struct ni_match_headers *headers, struct ni_match_header *header);

/* The first header that has these bits, those in ignore aside, from one initiator or from
 * NI_MATCH_ANY; NULL if there is none. With ignore UINT64_MAX and NI_MATCH_ANY the first of all.
 * Out of memory it is only slower. */
static inline struct ni_match_header *ni_match_headers_search(struct ni_match_headers *headers,
                                                              uint64_t bits, uint64_t ignore,
                                                              uint32_t initiator);

/* The first one behind another that is in the list (and need not match itself). To visit all that
 * match and remove some: ask for the next before removing one. */
struct ni_match_header *ni_match_headers_next(struct ni_match_headers *headers,
                                              const struct ni_match_header *after, uint64_t bits,
                                              uint64_t ignore, uint32_t initiator);

/* ---- ahead ----------------------------------------------------------------------------------- */

/* Who has time now and then may have what is wanted next brought into the caches meanwhile. The
 * mark is written to a word when a node of a long list has been taken out; NULL: no more. */
static inline void ni_match_list_note(struct ni_match_list *list, uint32_t *word, uint32_t mark)
{
    list->note = (struct ni_match_note){.word = word, .mark = mark};
}

static inline void ni_match_headers_note(struct ni_match_headers *headers, uint32_t *word,
                                         uint32_t mark)
{
    headers->note = (struct ni_match_note){.word = word, .mark = mark};
}

/* Fetch what is supposed to be taken out next, if items go in equal steps of their indices or,
 * headers, in the order of arrival: the items, and the bucket in which the next one is. Returns
 * that, NULL if nothing is supposed. No result of any search depends on it. */
const struct ni_match_node *ni_match_list_ahead(struct ni_match_list *list);
const struct ni_match_node *ni_match_headers_ahead(struct ni_match_headers *headers);

#include "match/match_inl.h"

#endif
