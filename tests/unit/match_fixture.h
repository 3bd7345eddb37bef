/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_UNIT_MATCH_FIXTURE_H
#define TESTS_UNIT_MATCH_FIXTURE_H

#include "unit.h"

#include <stdlib.h>

#include <apeni/fault.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "match/match.h"

/*
 * A list of each direction with room for nodes, which are named by their numbers.
 */

enum { NONE = -1, ANY_TAG = 0x7fffffff };

struct match_fixture {
    struct ni_match_list list;
    struct ni_match_headers headers;
    struct ni_pool entries;
    struct ni_pool arrivals; /* headers */
};

/* A pool of items that are all out: their numbers are their indices. */
static inline void match_make_pool(struct ni_pool *pool, size_t items, size_t size)
{
    assert_int_equal(ni_pool_init_packed(pool, size, 0, 0), NI_OK);
    for (size_t i = 0; i < items; i++) {
        assert_non_null(ni_pool_get(pool));
    }
}

static inline struct match_fixture *match_make(size_t nodes)
{
    struct match_fixture *match = ni_aligned_zero(NI_CACHE_LINE, sizeof(*match));

    assert_non_null(match);
    match_make_pool(&match->entries, nodes, sizeof(struct ni_match_entry));
    match_make_pool(&match->arrivals, nodes, sizeof(struct ni_match_header));
    ni_match_list_init(&match->list, &match->entries, 0);
    ni_match_headers_init(&match->headers, &match->arrivals);
    return match;
}

static inline void match_end(struct match_fixture *match)
{
    ni_fault_reset();
    ni_match_list_fini(&match->list);
    ni_match_headers_fini(&match->headers);
    ni_pool_fini(&match->entries);
    ni_pool_fini(&match->arrivals);
    ni_free(match);
}

static inline struct ni_match_entry *entry_at(const struct match_fixture *match, size_t number)
{
    return ni_pool_slot_item(&match->entries, (uint32_t)number);
}

static inline long entry_number(const struct match_fixture *match,
                                const struct ni_match_entry *entry)
{
    return entry != NULL ? (long)ni_pool_index(&match->entries, entry) : NONE;
}

static inline struct ni_match_header *header_at(const struct match_fixture *match, size_t number)
{
    return ni_pool_slot_item(&match->arrivals, (uint32_t)number);
}

static inline long header_number(const struct match_fixture *match,
                                 const struct ni_match_header *header)
{
    return header != NULL ? (long)ni_pool_index(&match->arrivals, header) : NONE;
}

static inline ni_status post(struct match_fixture *match, size_t number, uint64_t bits,
                             uint64_t ignore, uint32_t initiator)
{
    return ni_match_list_append(&match->list, entry_at(match, number), bits, ignore, initiator);
}

static inline void unpost(struct match_fixture *match, size_t number)
{
    ni_match_list_remove(&match->list, entry_at(match, number));
}

static inline long posted(struct match_fixture *match, uint64_t bits, uint32_t initiator)
{
    return entry_number(match, ni_match_list_search(&match->list, bits, initiator));
}

static inline long posted_next(struct match_fixture *match, long after, uint64_t bits,
                               uint32_t initiator)
{
    return entry_number(
        match, ni_match_list_next(&match->list, entry_at(match, (size_t)after), bits, initiator));
}

static inline ni_status arrive(struct match_fixture *match, size_t number, uint64_t bits,
                               uint32_t initiator)
{
    return ni_match_headers_append(&match->headers, header_at(match, number), bits, initiator);
}

static inline void consume(struct match_fixture *match, size_t number)
{
    ni_match_headers_remove(&match->headers, header_at(match, number));
}

static inline long arrived(struct match_fixture *match, uint64_t bits, uint64_t ignore,
                           uint32_t initiator)
{
    return header_number(match, ni_match_headers_search(&match->headers, bits, ignore, initiator));
}

static inline long arrived_next(struct match_fixture *match, long after, uint64_t bits,
                                uint64_t ignore, uint32_t initiator)
{
    return header_number(match,
                         ni_match_headers_next(&match->headers, header_at(match, (size_t)after),
                                               bits, ignore, initiator));
}

#endif
