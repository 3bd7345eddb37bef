/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_FUZZ_FAKE_UCX_H
#define TESTS_FUZZ_FAKE_UCX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * UCX without a network, in the place of ni/link/ucx/library.c, for one link at a time. What the
 * link sends is read, when the request ends, and thrown away; what it receives is what fake_say was
 * given. Calls that UCX would not bear end the program.
 *
 * Time is what looks at the clock make of it, a microsecond each: an input does the same each time,
 * and a process that gets no core for a while has not waited in vain for its peers.
 */

enum fake_ways {
    FAKE_SLOW = 1,          /* what is sent and fetched is under way until progress is made */
    FAKE_FAILS_TO_SEND = 2, /* of those under way, one in two */
    FAKE_FAILS_TO_FETCH = 4,
    FAKE_REFUSES = 8, /* no more endpoints */
};

/* Everything as it was at first; nothing may be open. */
void fake_reset(void);
void fake_set_ways(unsigned ways);
/* With the next progress, a message arrives; here: with its data, which otherwise is fetched. */
void fake_say(const void *header, size_t header_len, const void *data, size_t len, bool here);
/* Messages that have not arrived yet. */
unsigned fake_unheard(void);
/* Endpoints that the link has made, and the token with which the peer of one is to sign; 0: it was
 * not told any. */
unsigned fake_endpoints(void);
uint64_t fake_token(unsigned number);
/* From now on all peers answer when the link says bye, and those that were told no token, or never
 * spoke, hang up. */
void fake_part(void);
/* With the next progress, the connection of one ends. */
void fake_hang_up(unsigned number);
/* Whether everything was closed and given back. */
bool fake_is_clean(void);

#endif
