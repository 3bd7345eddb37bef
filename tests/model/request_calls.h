/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MODEL_REQUEST_CALLS_H
#define TESTS_MODEL_REQUEST_CALLS_H

#include "request_model.h"

/* Random operations, and the calls that they are. */

enum {
    REQUEST_PT = 3,
    REQUEST_SHORT = 24, /* bytes that move in the order of the calls, either way */
    REQUEST_LONGEST = 20000
};

/* Where they start. */
struct request_end {
    struct ni *ni;
    struct ni_peer *target; /* NULL: itself */
    ni_initiator id;
    struct ni_eq *eq;
    struct ni_ct *ct;
};

struct request {
    struct model_op what;
    struct buffer data, reply;
    uint8_t *flat, *answer; /* what is in data; what must be in reply */
    struct ni_md from, to;
    const struct request_end *end;
    bool ack;
};

uint8_t *random_bytes(uint64_t length, struct ni_rng *rng);

/* Draw one; its number is the user pointer and hdr_data. Short: of at most REQUEST_SHORT bytes. */
void request_draw(struct request *request, uint32_t number, const struct request_end *end,
                  bool is_short, struct ni_rng *rng);
void request_free(struct request *request);

/* Start it, now or when its end's counter is there. */
int request_call(struct request *request);
int request_arm(struct request *request, uint64_t at);

/* An entry without bytes; for_all: that takes any put, once. */
struct model_entry request_entry(uint32_t number, bool for_all, const ni_initiator *ids,
                                 unsigned count, struct ni_rng *rng);
/* The same for ni_me_append. */
struct ni_me request_me(const struct model_entry *entry, struct buffer *buffer);

/* Whether it ends with a REPLY. */
bool request_fetches(const struct request *request);
/* Its event at the target. */
enum ni_event_kind request_kind(const struct request *request);

#endif
