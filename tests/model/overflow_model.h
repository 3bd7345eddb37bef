/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MODEL_OVERFLOW_MODEL_H
#define TESTS_MODEL_OVERFLOW_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <apeni/apeni.h>

#include "base/random.h"

/* The two lists of a portal table entry as arrays, walked from the beginning, and the events that
 * must come, which are written down before each call. One of them to a program. */

enum { ENTRIES = 24, HEADERS = 24, ROOM = 400, LONGEST = 160, EVENTS = 64, PIECES = 5 };

struct entry {
    struct ni_me me; /* of bytes, also where they lie in pieces */
    ni_me_handle handle;
    uint64_t used;
    uint64_t age;
    unsigned headers; /* of messages in its buffer */
    bool overflows, linked, taken;
    bool foreign;    /* for another user: refuses all that it matches */
    unsigned pieces; /* 0: the buffer is in one */
    struct ni_iovec piece[PIECES];
    uint8_t room[ROOM + PIECES + 1]; /* with a byte between pieces and at either end */
};

struct header {
    uint64_t bits, serial, length, offset; /* as put */
    struct entry *in;                      /* NULL: the NI has the data */
    uint64_t place, moved;                 /* there */
};

struct overflow_world {
    struct ni *ni;
    struct entry entry[ENTRIES];
    struct header header[HEADERS];
    unsigned headers;
    uint64_t ages, serial, seed, step;
    bool keeps; /* NI_PT_UNEXPECTED */
    struct ni_event expected[EVENTS];
    const struct entry *place[EVENTS]; /* in whose buffer the message lies; NULL: in none */
    unsigned events, seen;
    struct ni_ct *ct;
    uint64_t counted;
    ni_unexpected_handle claimed;
    uint64_t told[NI_EVENT_SEARCH + 1];
};
extern struct overflow_world overflow_world;

/* End the program if it is not so. */
void overflow_must(bool condition, const char *what);
/* ni_event_fn: the next event must be the one that was written down. */
void overflow_on_event(void *arg, const struct ni_event *event);
/* Write one down. in: where its message lies, or NULL. */
void overflow_expect(const struct ni_event *event, const struct entry *in);
/* One of no message. */
void overflow_expect_plain(enum ni_event_kind type, const struct entry *entry);
/* Cut the buffer of an entry into so many pieces, the first of which lies last; 0: it stays in
 * one. */
void overflow_cut(struct entry *entry, unsigned pieces, struct ni_rng *rng);
/* The entry as it is appended. */
struct ni_me overflow_given(const struct entry *entry);
/* Where a message of so many bytes begins in a buffer. */
void *overflow_start(const struct entry *entry, uint64_t place, uint64_t length);
/* All that was written down must have come, and been counted. */
void overflow_all_came(void);
/* The first entry of a list that takes a message, or NULL. */
struct entry *overflow_oldest(bool overflows, uint64_t bits, uint64_t length, uint64_t offset);
/* Bytes of a message that go into an entry, from a place on. */
uint64_t overflow_moved(const struct entry *entry, uint64_t length, uint64_t at);
/* Take room for a message; whether the entry unlinks itself with it. */
bool overflow_place(struct entry *entry, struct header *header);
/* Write down that an entry and a message have met. */
void overflow_expect_met(enum ni_event_kind type, const struct header *header,
                         const struct entry *entry, const struct entry *in, bool unlinks);
/* One message less is in its buffer. */
void overflow_release(struct entry *entry);
/* A header is done with. */
void overflow_forget(struct header *header);
/* The first message that an entry matches, or NULL. */
struct header *overflow_first_header(const struct entry *entry);

#endif
