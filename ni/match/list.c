/* SPDX-License-Identifier: BSD-3-Clause */
#include "match/match.h"

#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/cpu.h"

/*
 * Posted entries. Where an entry is follows from its group: the front, further blocks (odd), or the
 * table.
 *
 * Entries go to the front while nothing lies behind it. So whatever is in the front is older than
 * all else, and a hit there needs no further search.
 */

enum {
    /* Odd entries of one kind that earn it a group. */
    ODD_REPEATED = 8,
    /* Gaps that make it worth while to move the other nodes of the front. */
    FRONT_GAPS = NI_MATCH_BLOCK / 4,
};

void ni_match_list_init(struct ni_match_list *list, const struct ni_pool *pool, uint8_t label)
{
    memset(list, 0, sizeof(*list));
    list->scan = ni_match_scan_for(ni_cpu_simd());
    list->label = label;
    ni_match_index_init(&list->index, pool, offsetof(struct ni_match_node, link), UINT64_MAX,
                        UINT64_MAX);
    ni_match_blocks_init(&list->odd);
    ni_match_block_init(&list->front);
}

void ni_match_list_fini(struct ni_match_list *list)
{
    ni_match_index_fini(&list->index);
    ni_match_blocks_fini(&list->odd);
    ni_match_list_init(list, list->index.pool, list->label);
}

static uint32_t *odd_kind(struct ni_match_list *list, uint64_t ignore, uint32_t any)
{
    uint64_t hash = (ignore ^ any) * 0x9e3779b97f4a7c15U;

    return &list->odd_kind[hash >> (64 - 6)];
}

_Static_assert(NI_MATCH_ODD_KINDS == 1 << 6, "the bits of the hash in odd_kind");

/* The number of a group, made if need be; NI_MATCH_ODD if this kind is to do without. */
static unsigned choose_group(struct ni_match_list *list, uint64_t ignore, uint32_t any)
{
    unsigned groups = 0;

    for (uint32_t left = list->active; left != 0; left &= left - 1) {
        unsigned number = (unsigned)__builtin_ctz(left);

        if (list->group[number].ignore == ignore && list->group[number].any == any) {
            return number;
        }
        groups++;
    }
    if (groups < NI_MATCH_GROUPS_FREE ||
        (groups < NI_MATCH_GROUPS && *odd_kind(list, ignore, any) >= ODD_REPEATED)) {
        unsigned number = (unsigned)__builtin_ctz(~list->active);

        list->group[number] = (struct ni_match_group){.ignore = ignore, .any = any};
        return number;
    }
    return NI_MATCH_ODD;
}

/* Whether the front can take an entry, after closing gaps if that frees enough. */
static bool front_room(struct ni_match_list *list)
{
    struct ni_match_block *front = &list->front;

    if (ni_match_list_is_deep(list)) {
        return false;
    }
    if (front->end == NI_MATCH_BLOCK &&
        ni_match_block_nodes(front) <= NI_MATCH_BLOCK - FRONT_GAPS) {
        ni_match_block_pack(front);
    }
    return front->end < NI_MATCH_BLOCK;
}

ni_status ni_match_list_append_behind(struct ni_match_list *list, struct ni_match_entry *entry,
                                      uint64_t ignore)
{
    uint32_t any = entry->node.initiator == NI_MATCH_ANY ? NI_MATCH_ANY : 0;
    unsigned group;
    ni_status status;

    if (front_room(list)) {
        ni_match_block_add(&list->front, &entry->node, ignore);
        return NI_OK;
    }
    group = choose_group(list, ignore, any);
    entry->node.group = (uint8_t)group;
    if (group == NI_MATCH_ODD) {
        status = ni_match_blocks_append(&list->odd, &entry->node, ignore);
        if (status == NI_OK) {
            ++*odd_kind(list, ignore, any);
        }
        return status;
    }
    status = ni_match_index_add(&list->index, &entry->node);
    if (status == NI_OK) {
        list->group[group].entries++;
        list->active |= 1U << group;
    }
    return status;
}

void ni_match_list_remove_behind(struct ni_match_list *list, struct ni_match_entry *entry)
{
    unsigned group = entry->node.group;

    if (list->note.word != NULL) {
        *list->note.word = list->note.mark;
    }
    if (group == NI_MATCH_ODD) {
        uint32_t any = entry->node.initiator == NI_MATCH_ANY ? NI_MATCH_ANY : 0;

        --*odd_kind(list, entry->node.block->ignore[entry->node.place], any);
        ni_match_blocks_remove(&list->odd, &entry->node);
    } else {
        ni_match_index_remove(&list->index, &entry->node);
        list->steps.taken = ni_match_name_of(&list->index, &entry->node);
        if (--list->group[group].entries == 0) {
            list->active &= ~(1U << group);
        }
    }
}

/* The first entry of a group that a header matches. */
static inline struct ni_match_entry *search_group(struct ni_match_list *list, unsigned number,
                                                  uint64_t bits, uint32_t initiator)
{
    const struct ni_match_group *group = &list->group[number];

    return ni_match_entry_of(ni_match_index_find(&list->index, bits & ~group->ignore,
                                                 ni_match_from(initiator | group->any, number),
                                                 &list->counts.attempts));
}

/* The older of two, either of which may be missing. */
static inline struct ni_match_entry *older(struct ni_match_entry *a, struct ni_match_entry *b)
{
    if (a == NULL || b == NULL) {
        return a != NULL ? a : b;
    }
    return a->sequence < b->sequence ? a : b;
}

struct ni_match_entry *ni_match_list_search_behind(struct ni_match_list *list, uint64_t bits,
                                                   uint32_t initiator)
{
    struct ni_match_entry *found = NULL;

    for (uint32_t left = list->active; left != 0; left &= left - 1) {
        found = older(found, search_group(list, (unsigned)__builtin_ctz(left), bits, initiator));
    }
    if (NI_UNLIKELY(list->odd.nodes != 0)) {
        found = older(
            found, ni_match_entry_of(ni_match_blocks_find(list->odd.first, 0, list->scan.from, bits,
                                                          0, initiator, &list->counts.attempts)));
    }
    return found;
}

/* The first entry of a group that a header matches and that is younger than another entry. */
static struct ni_match_entry *next_in_group(struct ni_match_list *list, unsigned number,
                                            const struct ni_match_entry *after, uint64_t bits,
                                            uint32_t initiator)
{
    struct ni_match_entry *entry = search_group(list, number, bits, initiator);

    if (entry != NULL && after->node.group == number && after->node.bits == entry->node.bits &&
        after->node.initiator == entry->node.initiator) {
        return ni_match_entry_of(ni_match_index_next(&list->index, &after->node));
    }
    while (entry != NULL && entry->sequence <= after->sequence) {
        entry = ni_match_entry_of(ni_match_index_next(&list->index, &entry->node));
        ni_stat_add(&list->counts.attempts, 1);
    }
    return entry;
}

/* The same among the entries without a group. */
static struct ni_match_entry *next_odd(struct ni_match_list *list,
                                       const struct ni_match_entry *after, uint64_t bits,
                                       uint32_t initiator)
{
    bool odd = after->node.group == NI_MATCH_ODD;
    const struct ni_match_block *block = odd ? after->node.block : list->odd.first;
    unsigned from = odd ? after->node.place + 1U : 0;
    struct ni_match_entry *entry;

    do {
        entry = ni_match_entry_of(ni_match_blocks_find(block, from, list->scan.from, bits, 0,
                                                       initiator, &list->counts.attempts));
        if (entry != NULL) {
            block = entry->node.block;
            from = entry->node.place + 1U;
        }
    } while (entry != NULL && entry->sequence <= after->sequence);
    return entry;
}

struct ni_match_entry *ni_match_list_next(struct ni_match_list *list,
                                          const struct ni_match_entry *after, uint64_t bits,
                                          uint32_t initiator)
{
    struct ni_match_entry *found = NULL;

    if (after->node.group == NI_MATCH_FRONT) {
        struct ni_match_node *node =
            ni_match_blocks_find(&list->front, after->node.place + 1U, list->scan.from, bits, 0,
                                 initiator, &list->counts.attempts);

        return node != NULL ? ni_match_entry_of(node)
                            : ni_match_list_search_behind(list, bits, initiator);
    }
    for (uint32_t left = list->active; left != 0; left &= left - 1) {
        found = older(found,
                      next_in_group(list, (unsigned)__builtin_ctz(left), after, bits, initiator));
    }
    return older(found, next_odd(list, after, bits, initiator));
}
