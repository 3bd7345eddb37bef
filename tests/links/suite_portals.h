/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LINKS_SUITE_PORTALS_H
#define TESTS_LINKS_SUITE_PORTALS_H

#include "suite.h"

/*
 * What tests of portals share: an NI with one portal table entry that keeps what is unexpected, a
 * descriptor of all memory, and a record of all events by their kind.
 */

enum { SUITE_EVENTS = 20000, SUITE_EVENT_KINDS = NI_EVENT_SEARCH + 1 };

struct suite_end {
    struct suite_ni *ni;
    struct ni_eq *eq;
    struct ni_md md;
    uint32_t pt;
    bool self; /* puts go to the own NI */
    ni_me_handle last;
    _Atomic bool busy; /* somebody records */
    _Atomic uint64_t count[SUITE_EVENT_KINDS];
    struct ni_event *events[SUITE_EVENT_KINDS]; /* the first SUITE_EVENTS */
};

/* Make NI i able to match; its portal table entry has index 0. */
struct suite_end *suite_end_new(struct suite *suite, unsigned i);

/* Post an entry to be used once. At its NI. */
void suite_post(struct suite_ni *ni, struct suite_end *end, void *start, size_t length,
                uint64_t match_bits, uint64_t ignore_bits, ni_initiator match_id, size_t user);

/* Put to NI `to` (or to itself). hdr_data and the user pointer are `user`. */
void suite_put(struct suite_ni *ni, struct suite_end *end, unsigned to, const void *data,
               size_t length, uint64_t match_bits, size_t user, bool ack);

/* Events of a kind so far, and number n of them. */
uint64_t suite_count(const struct suite_end *end, enum ni_event_kind kind);
const struct ni_event *suite_event(const struct suite_end *end, enum ni_event_kind kind,
                                   uint64_t n);
void suite_until_events(struct suite *suite, struct suite_end *end, enum ni_event_kind kind,
                        uint64_t count);

/* Until NI i keeps so many unexpected messages. */
void suite_until_kept(struct suite *suite, unsigned i, uint64_t count);

#endif
