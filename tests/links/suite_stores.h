/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LINKS_SUITE_STORES_H
#define TESTS_LINKS_SUITE_STORES_H

#include <apeni/store.h>

#include "suite.h"

/* What the suites of remote stores have in common. */

enum { SUITE_STORES = 4096 };

struct suite_stores {
    uint8_t *memory[SUITE_NIS];
    struct ni_rkey rkey[SUITE_NIS];
    struct ni_rkey read_only, queue;
    _Atomic uint64_t messages;
    _Atomic uint64_t seen; /* by a consumer, in memory */
    struct suite_done done;
};

/* SUITE_STORES bytes of memory, open to all, in each NI. */
struct suite_stores *suite_stores_world(struct suite *suite);
struct ni_remote suite_stores_place(const struct suite_stores *world, unsigned i, size_t at);

/* At an NI: `queue` of the world, whose messages are counted and dropped. */
void suite_stores_drop(struct suite_ni *ni, void *world);

/* Whether stores make packets at all: not where the peer's memory is ours. */
bool suite_stores_packets(const struct suite_ni *ni);

/* Each until it has an end, while all NIs that live here move, too. */
void suite_store(struct suite_ni *ni, const struct suite_stores *world, unsigned to, size_t at,
                 uint64_t value, unsigned width);
/* to SUITE_NIS: all */
ni_status suite_fence(struct suite_ni *ni, unsigned to);
uint64_t suite_load(struct suite_ni *ni, const struct suite_stores *world, unsigned from, size_t at,
                    unsigned width);

#endif
