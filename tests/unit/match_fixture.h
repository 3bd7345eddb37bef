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
    struct ni_match_entry *entry;
    struct ni_match_header *header;
};

static inline struct match_fixture *match_make(size_t nodes)
{
    struct match_fixture *match = ni_aligned_zero(NI_CACHE_LINE, sizeof(*match));

    assert_non_null(match);
    match->entry = calloc(nodes, sizeof(*match->entry));
    match->header = calloc(nodes, sizeof(*match->header));
    assert_non_null(match->entry);
    assert_non_null(match->header);
    ni_match_list_init(&match->list);
    ni_match_headers_init(&match->headers);
    return match;
}

static inline void match_end(struct match_fixture *match)
{
    ni_fault_reset();
    ni_match_list_fini(&match->list);
    ni_match_headers_fini(&match->headers);
    free(match->entry);
    free(match->header);
    ni_free(match);
}

static inline ni_status post(struct match_fixture *match, size_t number, uint64_t bits,
                             uint64_t ignore, uint32_t initiator)
{
    return ni_match_list_append(&match->list, &match->entry[number], bits, ignore, initiator);
}

static inline void unpost(struct match_fixture *match, size_t number)
{
    ni_match_list_remove(&match->list, &match->entry[number]);
}

static inline long posted(struct match_fixture *match, uint64_t bits, uint32_t initiator)
{
    const struct ni_match_entry *found = ni_match_list_search(&match->list, bits, initiator);

    return found != NULL ? found - match->entry : NONE;
}

static inline long posted_next(struct match_fixture *match, long after, uint64_t bits,
                               uint32_t initiator)
{
    const struct ni_match_entry *found =
        ni_match_list_next(&match->list, &match->entry[after], bits, initiator);

    return found != NULL ? found - match->entry : NONE;
}

static inline ni_status arrive(struct match_fixture *match, size_t number, uint64_t bits,
                               uint32_t initiator)
{
    return ni_match_headers_append(&match->headers, &match->header[number], bits, initiator);
}

static inline void consume(struct match_fixture *match, size_t number)
{
    ni_match_headers_remove(&match->headers, &match->header[number]);
}

static inline long arrived(struct match_fixture *match, uint64_t bits, uint64_t ignore,
                           uint32_t initiator)
{
    const struct ni_match_header *found =
        ni_match_headers_search(&match->headers, bits, ignore, initiator);

    return found != NULL ? found - match->header : NONE;
}

static inline long arrived_next(struct match_fixture *match, long after, uint64_t bits,
                                uint64_t ignore, uint32_t initiator)
{
    const struct ni_match_header *found =
        ni_match_headers_next(&match->headers, &match->header[after], bits, ignore, initiator);

    return found != NULL ? found - match->header : NONE;
}

#endif
