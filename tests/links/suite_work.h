/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LINKS_SUITE_WORK_H
#define TESTS_LINKS_SUITE_WORK_H

#include "suite.h"

/*
 * A load of operations of all kinds, short and long, from one NI to another, for cases in which
 * something happens to them: each has to complete once, and what is said to have succeeded has to
 * have been done.
 */

enum { WORK_OPS = 40, WORK_LONG = 256 << 10 };

struct work_op {
    struct suite_done done;
    bool accepted;
};

struct work {
    uint8_t *local, *remote; /* WORK_LONG bytes for each operation */
    struct ni_rkey memory, queue, counter;
    struct work_op ops[WORK_OPS];
    struct suite_done flush;
    unsigned to;
    bool again; /* operation 0 starts another one when it completes */
    struct suite_ni *ni;
    _Atomic uint64_t consumed; /* messages and items that the queue got */
    _Atomic uint64_t refused;  /* operations that a completion could not start */
};

/* Work for anyone at NI number `to`. */
struct work *work_new(struct suite *suite, unsigned to);

/* Start operation number i. */
ni_status work_start_op(struct suite_ni *ni, struct work *work, unsigned i,
                        const struct ni_ack *ack);

/* To be called at the initiator: start all operations that are accepted, and a flush. A peer that
 * is down accepts none. */
void work_start(struct suite_ni *ni, void *work);

/* Whether all that was accepted has completed. */
bool work_is_done(void *work);

/* Wait for that and check: each once, with NI_OK or this status. Returns how many had this
 * status. */
unsigned work_check(struct suite *suite, struct work *work, ni_status expected);

#endif
