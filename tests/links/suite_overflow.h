/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LINKS_SUITE_OVERFLOW_H
#define TESTS_LINKS_SUITE_OVERFLOW_H

#include "suite_portals.h"

/* What tests of overflow lists share: a flood of messages, into buffers of an overflow list that
 * are called slabs here. */

enum {
    SLABS = 3,
    SLAB = 4096,
    PUTS = 12,
    SLAB_PIECES = 9,
    LONG = 150000,
    KINDS = SUITE_EVENT_KINDS,
    MOST = 64
};

struct flood {
    bool self;
    uint32_t length;  /* of each put */
    unsigned options; /* of the portal table entry */
    unsigned extra;   /* options of the overflow entries */
    uint32_t headers; /* limit */
    struct ni_eq *eq[2];
    uint8_t *from, *slab[SLABS];
    bool vector;                               /* the slabs are in pieces */
    struct ni_iovec piece[SLABS][SLAB_PIECES]; /* then */
    uint8_t *to; /* a place for each put: two may arrive at the same time */
    size_t slab_length;
    _Atomic uint64_t count[2][KINDS];
    struct ni_event events[KINDS][MOST]; /* at the target */
    uint64_t refused;                    /* ACKs of puts that were refused */
    enum ni_ni_fail refusal;
    ni_me_handle slab_entry[SLABS];
};

/* Events of a kind so far, at the target. */
uint64_t flood_told(struct flood *flood, enum ni_event_kind kind);
/* Messages of a length, to a peer or to oneself. */
struct flood *flood_new(struct suite *suite, uint32_t length, bool self);
/* Cut its slabs into pieces, some without a byte, the first of which lies last. */
void flood_cut(struct suite *suite, struct flood *flood);
/* What the entry of a slab calls its buffer. */
void *flood_slab_start(struct flood *flood, unsigned i);
/* Open both ends. */
void flood_open_both(struct suite *suite, struct flood *flood);
/* Append a buffer to the overflow list. */
void flood_post_slab(struct suite_ni *ni, struct flood *flood, unsigned i);
/* All of them. At the target. */
void flood_post_slabs(struct suite_ni *ni, void *arg);
/* Put messages, numbers first to end - 1. */
void flood_put_from(struct suite_ni *ni, struct flood *flood, uint64_t first, uint64_t end);
/* All of them. At the initiator. */
void flood_put_all(struct suite_ni *ni, void *arg);
/* The buffer of the entry that wants a message. */
uint8_t *flood_place_of(const struct flood *flood, uint64_t bits);
/* That entry. */
struct ni_me flood_wanted(struct flood *flood, uint64_t bits, unsigned options);
/* Append all of these. At the target. */
void flood_want_all(struct suite_ni *ni, void *arg);
/* What a PUT_OVERFLOW says is right. */
void flood_check_spilled(const struct flood *flood, const struct ni_event *event);
/* The target keeps nothing. */
void flood_nothing_left(struct suite_ni *ni, void *arg);

#endif
