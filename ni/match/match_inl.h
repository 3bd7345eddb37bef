/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_MATCH_MATCH_INL_H
#define NI_MATCH_MATCH_INL_H

#include "base/assert.h"
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

/* Whether entries lie behind the front. */
static inline bool ni_match_list_is_deep(const struct ni_match_list *list)
{
    return (list->active | list->odd.nodes) != 0;
}

/* Append and remove where the front does not do. */
ni_status ni_match_list_append_behind(struct ni_match_list *list, struct ni_match_entry *entry,
                                      uint64_t ignore);
void ni_match_list_remove_behind(struct ni_match_list *list, struct ni_match_entry *entry);

static inline ni_status ni_match_list_append(struct ni_match_list *list,
                                             struct ni_match_entry *entry, uint64_t bits,
                                             uint64_t ignore, uint32_t initiator)
{
    struct ni_match_block *front = &list->front;

    entry->node.bits = bits & ~ignore;
    entry->node.initiator = initiator;
    entry->node.group = NI_MATCH_FRONT;
    entry->node.label = list->label;
    if (NI_LIKELY(!ni_match_list_is_deep(list) && front->end < NI_MATCH_BLOCK)) {
        ni_match_block_add(front, &entry->node, ignore);
    } else {
        ni_status status = ni_match_list_append_behind(list, entry, ignore);

        if (NI_UNLIKELY(status != NI_OK)) {
            entry->node.group = NI_MATCH_UNLISTED;
            return status;
        }
    }
    entry->sequence = ++list->sequence;
    ni_stat_add(&list->length, 1);
    ni_stat_max(&list->counts.most, ni_stat_get(&list->length));
    return NI_OK;
}

static inline void ni_match_list_remove(struct ni_match_list *list, struct ni_match_entry *entry)
{
    NI_ASSERT(ni_stat_get(&list->length) > 0);
    ni_stat_sub(&list->length, 1);
    if (NI_LIKELY(entry->node.group == NI_MATCH_FRONT)) {
        ni_match_block_remove(&entry->node);
    } else {
        ni_match_list_remove_behind(list, entry);
    }
    entry->node.group = NI_MATCH_UNLISTED;
}

/* The same behind the front, in which no entry matches. */
struct ni_match_entry *ni_match_list_search_behind(struct ni_match_list *list, uint64_t bits,
                                                   uint32_t initiator);

static inline struct ni_match_entry *ni_match_list_search(struct ni_match_list *list, uint64_t bits,
                                                          uint32_t initiator)
{
    const struct ni_match_block *front = &list->front;
    unsigned place;

    ni_stat_add(&list->counts.searches, 1);
    if (NI_LIKELY(front->live != 0)) {
        /* The oldest is what it is most often, and is compared faster than all. */
        place = (unsigned)__builtin_ctzll(front->live);
        if (NI_UNLIKELY(!ni_match_block_fits(front, place, bits, initiator))) {
            place = list->scan.front(front, bits, initiator);
        }
        if (NI_LIKELY(place < NI_MATCH_BLOCK)) {
            return ni_match_entry_of(front->node[place]);
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

    ni_stat_add(&headers->counts.searches, 1);
    if (ni_stat_get(&headers->length) == 0) {
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
