/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LINKS_SUITE_MULTIPATH_H
#define TESTS_LINKS_SUITE_MULTIPATH_H

#include "base/bits.h"
#include "suite.h"

/*
 * Transfers from NI 0 to NI 1 that are spread over rails.
 */

enum {
    MULTIPATH_MOST = 40000, /* bytes of the longest */
    MULTIPATH_RAILS = 4,
    MULTIPATH_ITEMS = 4, /* in the queue */
    MULTIPATH_LOG = 512,
    MULTIPATH_LENS = 5,
    MULTIPATH_WAYS = 4,
};

/* The first two spread whatever the NI was opened with. */
extern const enum ni_multipath multipath_ways[MULTIPATH_WAYS];
extern const uint32_t multipath_lens[MULTIPATH_LENS]; /* of one packet, and of more */

struct multipath_target {
    uint8_t *memory, *local; /* MULTIPATH_MOST bytes each, at NI 1 and at NI 0 */
    ni_word *flag;           /* at NI 1 */
    struct ni_rkey memory_key, flag_key, consumer_key, queue_key, counter_key;
    _Atomic uint64_t logged, counted;
    uint64_t log[MULTIPATH_LOG]; /* what the consumer got */
};

/* One transfer, and what is asked of an NI. */
struct multipath_sent {
    struct multipath_target *target;
    bool noted;
    struct ni_note note;
    uint32_t len, wrong_key;
    enum ni_multipath how;
    struct suite_done departed, done;
    int accepted;
    uint64_t value;
};

struct multipath_target *multipath_target(struct suite *suite);
struct multipath_sent *multipath_sent(struct suite *suite, struct multipath_target *target,
                                      enum ni_multipath how);
/* Its note from now on. */
void multipath_note(struct multipath_sent *sent, const struct ni_rkey *rkey, const void *at,
                    uint64_t value);
/* Make the data, which is not there yet. */
void multipath_fill(struct multipath_target *target, uint32_t len, uint64_t seed);

void multipath_begin(struct suite *suite, struct multipath_sent *sent);
/* The same, and all leaves that can while the target does nothing, where the controller decides
 * that. */
void multipath_push(struct suite *suite, struct multipath_sent *sent);
/* Its status; both ends are told, once. */
ni_status multipath_end(struct suite *suite, struct multipath_sent *sent);

#endif
