/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_PRESTO_COLL_MOCK_H
#define TESTS_PRESTO_COLL_MOCK_H

/*
 * Ranks without a network: the functions of the core that collectives use, for up to 16 ranks of
 * one thread. Messages arrive when the test says so, in a random order, except that what one rank
 * sends another arrives in the order in which it was sent. Short sends are complete at once or on
 * arrival, long ones when they are received, and their data is read only then. Nothing here can
 * wait: blocking calls abort.
 */

#include "core/core.h"

void mock_begin(int ranks, uint64_t seed);
/* False: something was left over, and it is said what. */
bool mock_end(void);

/* The nth message that is received from now on, the first one being 1, fails for want of memory, at
 * both sides. */
void mock_fail(size_t nth);
/* Whether it has. */
bool mock_failed(void);

struct pri_rank *mock_rank(int rank);

/* Lets a random message arrive, or a random rank make progress. */
void mock_step(void);

#endif
