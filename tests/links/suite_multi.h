/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LINKS_SUITE_MULTI_H
#define TESTS_LINKS_SUITE_MULTI_H

#include "suite.h"

/*
 * A multi-reader queue of NI 1, used by all NIs, its owner included. Each step of a case is a call:
 * where NIs live by themselves the controller waits until the owner has seen what was sent, so that
 * the order of arrivals is known.
 */

enum { MULTI_OWNER = 1, MULTI_STEPS = 4096 };

/* An item that is sent, or a request for one. */
struct multi_step {
    struct multi_queue *queue;
    struct suite_done done;
    uint64_t request;
    uint8_t item[NI_QUEUE_ITEM_MAX];
    ni_status status; /* of the call */
};

struct multi_queue {
    struct suite *suite;
    struct ni_rkey rkey;
    size_t item, capacity;
    unsigned flags, access;
    const char *stat_name;
    uint64_t stat;
    uint32_t used; /* of steps */
    struct multi_step steps[MULTI_STEPS];
};

struct multi_queue *multi_new(struct suite *suite, size_t item, size_t capacity, unsigned flags);
void multi_deregister(struct multi_queue *queue);

/* NI i sends an item that follows from the seed; the result of its ack. */
ni_status multi_enqueue(struct multi_queue *queue, unsigned i, uint64_t seed);
/* The same, not waiting for the ack. */
struct multi_step *multi_send(struct multi_queue *queue, unsigned i, uint64_t seed);
/* NI i asks for an item; returns when the owner has seen it, or it is over. */
struct multi_step *multi_ask(struct multi_queue *queue, unsigned i);
/* It is taken back; returns when it is over. */
void multi_cancel(struct multi_step *step, unsigned i);

bool multi_is_over(const struct multi_step *step);
/* Wait until it is over; with this item, or this status. */
void multi_check_item(struct multi_step *step, uint64_t seed);
void multi_check_status(struct multi_step *step, ni_status status);

/* A statistic of the owner. */
uint64_t multi_stat(struct multi_queue *queue, const char *name);
void multi_until_waiting(struct multi_queue *queue, uint64_t requests);

#endif
