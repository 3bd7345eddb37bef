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
 * Nodes are embedded in the caller's objects, belong to the list from append to remove, and must
 * stay where they are meanwhile, as must the list itself. Their members are for reading only.
 *
 * Not thread-safe: one thread at a time, searches included (they count).
 */

/* The initiator of an entry or a search that takes any; no initiator has this number. */
#define NI_MATCH_ANY UINT32_MAX

enum {
    /* Groups of entries, that is kinds of ignore bits that are hashed at the same time. */
    NI_MATCH_GROUPS = 32,
    /* Groups that are given to whatever ignore bits come first; the others want to be earned. */
    NI_MATCH_GROUPS_FREE = 4,
    /* Counters of ignore bits without a group, by hash. */
    NI_MATCH_ODD_KINDS = 64,
};

/* A posted entry. */
struct ni_match_entry {
    struct ni_match_node node; /* bits without the ignored ones, initiator */
    struct ni_match_link link; /* must follow node */
    uint64_t ignore;
    uint64_t sequence; /* of appending, from 1 */
};

/* An unexpected header. */
struct ni_match_header {
    struct ni_match_node node;                   /* bits, initiator */
    struct ni_match_link link[NI_MATCH_INDEXES]; /* must follow node */
};

_Static_assert(sizeof(struct ni_match_entry) == 56, "a node leaves room for 64 bytes in 128");
_Static_assert(sizeof(struct ni_match_header) == 64, "a node leaves room for 64 bytes in 128");
_Static_assert(offsetof(struct ni_match_entry, link) == sizeof(struct ni_match_node), "link");
_Static_assert(offsetof(struct ni_match_header, link) == sizeof(struct ni_match_node), "link");

/* What happened to a list since it was made. An attempt is one comparison beyond the first block of
 * 64 nodes, which every search makes: of another block, or of one node that a hash table named. */
struct ni_match_counts {
    uint64_t searches;
    uint64_t attempts;
    uint64_t most; /* nodes at one time */
};

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

struct ni_match_list {
    struct ni_match_scan scan;
    uint64_t length;   /* entries */
    uint64_t sequence; /* of the last one appended */
    struct ni_match_counts counts;
    uint32_t active; /* groups with entries, a bit each */
    struct ni_match_group group[NI_MATCH_GROUPS];
    struct ni_match_index index;
    struct ni_match_ids ids;
    struct ni_match_note note;
    struct ni_match_blocks odd;            /* entries without a group */
    uint32_t odd_kind[NI_MATCH_ODD_KINDS]; /* how many there are, by hash of the ignore bits */
    struct ni_match_block front;           /* entries older than all others */
};

/* An empty list. */
void ni_match_list_init(struct ni_match_list *list);

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
    uint64_t length; /* headers */
    struct ni_match_counts counts;
    uint64_t walked; /* blocks compared by searches without a table since one was last made */
    uint32_t kinds;  /* in use, a bit each */
    struct ni_match_note note;
    struct ni_match_blocks blocks;
    struct ni_match_ids ids;
    struct ni_match_kind kind[NI_MATCH_INDEXES];
};

/* As for entries. */
void ni_match_headers_init(struct ni_match_headers *headers);
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

/* Fetch what is supposed to be taken out next, if nodes go in equal steps of their numbers or,
 * headers, in the order of arrival: the objects, whose first member is a node, of size bytes, and
 * the bucket in which the next one is. Returns that, NULL if nothing is supposed. No result of any
 * search depends on it. */
const struct ni_match_node *ni_match_list_ahead(struct ni_match_list *list, size_t size);
const struct ni_match_node *ni_match_headers_ahead(struct ni_match_headers *headers, size_t size);

#include "match/match_inl.h"

#endif
