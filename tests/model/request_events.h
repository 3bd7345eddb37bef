/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MODEL_REQUEST_EVENTS_H
#define TESTS_MODEL_REQUEST_EVENTS_H

#include "request_calls.h"

/* Events at a target: those that must come, and those that have. */

enum { MODEL_EVENTS = 256 };

struct events {
    struct ni_event seen[MODEL_EVENTS], expected[MODEL_EVENTS];
    unsigned seen_count, expected_count;
    uint64_t count[NI_EVENT_SEARCH + 1]; /* of all time, by kind */
};

/* What an operation gives that has met an entry with this buffer. late: it had been kept. */
void events_expect(struct events *events, const struct request *request,
                   const struct model_outcome *outcome, const struct buffer *buffer, bool late);
/* One has come; false if there is no room for it. */
bool events_see(struct events *events, const struct ni_event *event);
/* Whether they are the same; both are forgotten. Events of what had to be fetched come when they
 * come, others in order. */
bool events_agree(struct events *events, bool in_order);

#endif
