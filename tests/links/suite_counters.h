/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LINKS_SUITE_COUNTERS_H
#define TESTS_LINKS_SUITE_COUNTERS_H

#include "suite.h"

/* What the cases about counters have in common: at each NI memory, a queue and a counter. */

enum { CNT_MEMORY = 200000, CNT_QUEUE = 4096 };

struct cnt_place {
    uint8_t *memory;
    struct ni_rkey memory_key, queue_key, counter_key;
    struct suite_done done; /* told each time the counter is zero */
};

struct cnt_world {
    struct suite *suite;
    struct cnt_place places[SUITE_NIS];
};

/* counters begin at `value`; capacity is that of the queues, of 8-byte items. */
struct cnt_world *cnt_world_new(struct suite *suite, int64_t value, size_t capacity);

/* Set a counter of NI `at` (its own for the NI that calls) and wait for the result. */
ni_status cnt_set(struct suite_ni *ni, unsigned at, const struct ni_rkey *counter,
                  const struct ni_counter_setting *setting);
/* Add to it without being told. */
void cnt_post(struct suite_ni *ni, unsigned at, const struct ni_rkey *counter, int64_t value);
/* The next item of the NI's queue, waiting for it. */
uint64_t cnt_pop(struct suite_ni *ni, const struct cnt_world *world);
int64_t cnt_read(const struct suite_ni *ni, const struct ni_rkey *counter);

/* A notification of value to a region of which the key is known. */
static inline struct ni_notice cnt_notice(enum ni_notice_at at, struct ni_peer *peer,
                                          const struct ni_rkey *rkey, uint64_t value)
{
    return (struct ni_notice){.at = at,
                              .width = 8,
                              .peer = peer,
                              .where = {.key = rkey->key, .handle = rkey->handle},
                              .value = value};
}

#endif
