/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_MATCH_MATCH_INL_H
#define NI_MATCH_MATCH_INL_H

#include "match/match.h"

/*
 * The part of a search that short lists do not get beyond.
 */

/* The entry or header of a node, its first member; NULL of NULL. */
static inline struct ni_match_entry *ni_match_entry_of(struct ni_match_node *node)
{
    return (struct ni_match_entry *)(void *)node;
}

static inline struct ni_match_header *ni_match_header_of(struct ni_match_node *node)
{
    return (struct ni_match_header *)(void *)node;
}

_Static_assert(offsetof(struct ni_match_entry, node) == 0, "its first member");
_Static_assert(offsetof(struct ni_match_header, node) == 0, "its first member");

/* The same behind the front, in which no entry matches. */
struct ni_match_entry *ni_match_list_search_behind(struct ni_match_list *list, uint64_t bits,
                                                   uint32_t initiator);

static inline struct ni_match_entry *ni_match_list_search(struct ni_match_list *list, uint64_t bits,
                                                          uint32_t initiator)
{
    list->counts.searches++;
    if (list->front.live != 0) {
        unsigned place = list->scan.front(&list->front, bits, initiator);

        if (place < NI_MATCH_BLOCK) {
            return ni_match_entry_of(list->front.node[place]);
        }
    }
    return ni_match_list_search_behind(list, bits, initiator);
}

/* The same behind the first block, in which no header matches. */
struct ni_match_header *ni_match_headers_search_behind(struct ni_match_headers *headers,
                                                       uint64_t bits, uint64_t ignore,
                                                       uint32_t initiator);

static inline struct ni_match_header *ni_match_headers_search(struct ni_match_headers *headers,
                                                              uint64_t bits, uint64_t ignore,
                                                              uint32_t initiator)
{
    const struct ni_match_block *first = headers->blocks.first;
    unsigned place;

    headers->counts.searches++;
    if (headers->length == 0) {
        return NULL;
    }
    place = headers->scan.from(first, 0, bits, ignore, initiator);
    if (place < NI_MATCH_BLOCK) {
        return ni_match_header_of(first->node[place]);
    }
    if (first->next == NULL) {
        return NULL;
    }
    return ni_match_headers_search_behind(headers, bits, ignore, initiator);
}

#endif
