/* SPDX-License-Identifier: BSD-3-Clause */
#include "overflow_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct overflow_world overflow_world;

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "model_overflow: %s (seed %llu, step %llu, event %u of %u)\n", what,
            (unsigned long long)overflow_world.seed, (unsigned long long)overflow_world.step,
            overflow_world.seen, overflow_world.events);
    exit(1);
}

void overflow_must(bool condition, const char *what)
{
    if (!condition) {
        fail(what);
    }
}

/* ---- buffers --------------------------------------------------------------------------------- */

void overflow_cut(struct entry *entry, unsigned pieces, struct ni_rng *rng)
{
    uint64_t left = entry->me.length;
    uint8_t *place = entry->room + ROOM + PIECES;

    memset(entry->room, 0, sizeof(entry->room));
    entry->me.start = entry->room + 1;
    entry->pieces = pieces;
    for (unsigned i = 0; i < pieces; i++) {
        uint64_t len = i + 1 == pieces ? left : ni_rng_below(rng, left + 1);

        place -= len;
        entry->piece[i] = (struct ni_iovec){place--, len};
        left -= len;
    }
}

struct ni_me overflow_given(const struct entry *entry)
{
    struct ni_me me = entry->me;

    if (entry->pieces != 0) {
        me.start = (void *)(uintptr_t)entry->piece;
        me.length = entry->pieces;
        me.options |= NI_ME_IOVEC;
    }
    return me;
}

static uint8_t *byte_at(const struct entry *entry, uint64_t offset)
{
    for (unsigned i = 0; i < entry->pieces; offset -= entry->piece[i++].iov_len) {
        if (offset < entry->piece[i].iov_len) {
            return (uint8_t *)entry->piece[i].iov_base + offset;
        }
    }
    return (uint8_t *)entry->me.start + offset;
}

void *overflow_start(const struct entry *entry, uint64_t place, uint64_t length)
{
    return entry->pieces != 0 && length == 0 ? overflow_given(entry).start : byte_at(entry, place);
}

/* ---- events ---------------------------------------------------------------------------------- */

static void check_data(const struct entry *in, const struct ni_event *event)
{
    const uint8_t *room = in->room;

    for (uint64_t i = 0; i < event->mlength; i++) {
        overflow_must(*byte_at(in, event->remote_offset + i) == (uint8_t)event->hdr_data, "data");
    }
    for (unsigned i = 0; i < in->pieces; i++) {
        const uint8_t *base = in->piece[i].iov_base;

        overflow_must(base[-1] == 0 && base[in->piece[i].iov_len] == 0, "a byte between pieces");
    }
    overflow_must(room[0] == 0 && room[ROOM + PIECES] == 0, "a byte beside the buffer");
}

void overflow_on_event(void *arg, const struct ni_event *event)
{
    const struct ni_event *want = &overflow_world.expected[overflow_world.seen];
    const struct entry *in = overflow_world.place[overflow_world.seen];

    (void)arg;
    overflow_must(overflow_world.seen < overflow_world.events, "an event that nobody expects");
    overflow_must(event->type == want->type, "type of the event");
    overflow_must(event->ni_fail_type == want->ni_fail_type, "failure of the event");
    overflow_must(event->user_ptr == want->user_ptr, "another entry was expected");
    overflow_must(event->start == want->start || event->type == NI_EVENT_AUTO_UNLINK, "place");
    overflow_world.told[event->type]++;
    overflow_world.seen++;
    overflow_world.claimed = event->unexpected;
    if (want->rlength == UINT64_MAX) {
        return; /* of no message */
    }
    overflow_must(event->hdr_data == want->hdr_data, "another message was expected");
    overflow_must(event->rlength == want->rlength && event->mlength == want->mlength, "lengths");
    overflow_must(event->remote_offset == want->remote_offset, "offset");
    if (in != NULL) {
        check_data(in, event);
    }
}

void overflow_expect(const struct ni_event *event, const struct entry *in)
{
    overflow_must(overflow_world.events < EVENTS, "too many events");
    overflow_world.place[overflow_world.events] = in;
    overflow_world.expected[overflow_world.events++] = *event;
}

void overflow_expect_plain(enum ni_event_kind type, const struct entry *entry)
{
    overflow_expect(&(struct ni_event){.type = type,
                                       .user_ptr = (void *)(uintptr_t)entry,
                                       .start = overflow_given(entry).start,
                                       .rlength = UINT64_MAX},
                    NULL);
}

void overflow_all_came(void)
{
    struct ni_ct_event count;

    overflow_must(ni_ct_get(overflow_world.ct, &count) == NI_OK && count.failure == 0 &&
                      count.success == overflow_world.counted,
                  "the counting event");
    overflow_must(overflow_world.seen == overflow_world.events, "an event did not come");
    overflow_world.seen = overflow_world.events = 0;
}

/* ---- the lists ------------------------------------------------------------------------------- */

static bool fits(const struct entry *entry, uint64_t bits, uint64_t length, uint64_t offset)
{
    const struct ni_me *me = &entry->me;
    uint64_t at = (me->options & NI_ME_MANAGE_LOCAL) != 0 ? entry->used : offset;

    return ((me->match_bits ^ bits) & ~me->ignore_bits) == 0 && me->match_id != 1 &&
           ((me->options & NI_ME_NO_TRUNCATE) == 0 || at + length <= me->length);
}

struct entry *overflow_oldest(bool overflows, uint64_t bits, uint64_t length, uint64_t offset)
{
    struct entry *first = NULL;

    for (unsigned i = 0; i < ENTRIES; i++) {
        struct entry *entry = &overflow_world.entry[i];

        if (entry->linked && entry->overflows == overflows && fits(entry, bits, length, offset) &&
            (first == NULL || entry->age < first->age)) {
            first = entry;
        }
    }
    return first;
}

uint64_t overflow_moved(const struct entry *entry, uint64_t length, uint64_t at)
{
    uint64_t room = at >= entry->me.length ? 0 : entry->me.length - at;

    return length < room ? length : room;
}

/* A message goes to an entry's buffer; whether the entry unlinks itself. */
bool overflow_place(struct entry *entry, struct header *header)
{
    bool manages = (entry->me.options & NI_ME_MANAGE_LOCAL) != 0;

    header->place = manages ? entry->used : header->offset;
    header->moved = overflow_moved(entry, header->length, header->place);
    entry->used += manages ? header->moved : 0;
    return (entry->me.options & NI_ME_USE_ONCE) != 0 ||
           (manages && entry->me.length - entry->used < entry->me.min_free);
}

/* Events of a message that has met an entry, in whose buffer (`in`) it lies. */
void overflow_expect_met(enum ni_event_kind type, const struct header *header,
                         const struct entry *entry, const struct entry *in, bool unlinks)
{
    unsigned quiet = type == NI_EVENT_PUT ? NI_ME_EVENT_COMM_DISABLE : NI_ME_EVENT_OVER_DISABLE;
    unsigned counted = type == NI_EVENT_PUT ? NI_ME_EVENT_CT_COMM : NI_ME_EVENT_CT_OVERFLOW;

    if ((entry->me.options & counted) != 0) {
        overflow_world.counted +=
            (entry->me.options & NI_ME_EVENT_CT_BYTES) != 0 ? header->moved : 1;
    }
    if (unlinks && (entry->me.options & NI_ME_EVENT_UNLINK_DISABLE) == 0) {
        overflow_expect_plain(NI_EVENT_AUTO_UNLINK, entry);
    }
    if ((entry->me.options & quiet) == 0) {
        overflow_expect(
            &(struct ni_event){.type = type,
                               .user_ptr = (void *)(uintptr_t)entry,
                               .start = overflow_start(in, header->place, header->moved),
                               .hdr_data = header->serial,
                               .rlength = header->length,
                               .mlength = header->moved,
                               .remote_offset = header->place},
            in);
    }
}

void overflow_release(struct entry *entry)
{
    entry->headers--;
    if (entry->headers == 0 && !entry->linked) {
        entry->taken = false;
        if ((entry->me.options & NI_ME_EVENT_UNLINK_DISABLE) == 0) {
            overflow_expect_plain(NI_EVENT_AUTO_FREE, entry);
        }
    }
}

void overflow_forget(struct header *header)
{
    size_t behind = (size_t)(&overflow_world.header[--overflow_world.headers] - header);

    memmove(header, header + 1, behind * sizeof(*header));
}

struct header *overflow_first_header(const struct entry *entry)
{
    for (unsigned i = 0; i < overflow_world.headers; i++) {
        if (fits(entry, overflow_world.header[i].bits, overflow_world.header[i].length,
                 overflow_world.header[i].offset)) {
            return &overflow_world.header[i];
        }
    }
    return NULL;
}
