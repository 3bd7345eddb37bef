/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MODEL_OVERFLOW_MODEL_H
#define TESTS_MODEL_OVERFLOW_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <apeni/apeni.h>

/* The two lists of a portal table entry as arrays, walked from the beginning, and the events that must
 * come, which are written down before each call. One of them to a program. */

enum { ENTRIES = 24, HEADERS = 24, ROOM = 400, LONGEST = 160, EVENTS = 64 };

struct entry {
    struct ni_me me;
    ni_me_handle handle;
    uint64_t used;
    uint64_t age;
    unsigned headers; /* of messages in its buffer */
    bool overflows, linked, taken;
    uint8_t room[ROOM];
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
    unsigned events, seen;
    ni_unexpected_handle claimed;
    uint64_t told[NI_EVENT_SEARCH + 1];
};
extern struct overflow_world overflow_world;

/* End the program if it is not so. */
void overflow_must(bool condition, const char *what);
/* ni_event_fn: the next event must be the one that was written down. */
void overflow_on_event(void *arg, const struct ni_event *event);
/* Write one down. */
void overflow_expect(const struct ni_event *event);
/* All that was written down must have come. */
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
