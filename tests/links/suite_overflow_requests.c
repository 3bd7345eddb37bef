/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite_portals.h"

/* Gets and atomics that only an entry of the overflow list takes, whose buffer is in one or in
 * pieces, and the entry that is told of them later. */

enum { PIECES = 7, BYTES = 200000, LONG = 150000, SUMS = 800 };

enum kind { GET, ATOMIC, FETCH, KINDS };

struct spill {
    struct suite_end *ends[2];
    bool vector;
    struct ni_iovec piece[PIECES];
    uint8_t *room;                                 /* with a byte between pieces */
    uint8_t *flat;                                 /* what the pieces must hold, in order */
    uint8_t *data, *answer;                        /* at the initiator */
    enum kind kind;                                /* of the operation under way */
    uint64_t length, offset, count[KINDS], served; /* served: of all kinds */
    ni_me_handle entry;
};

static const enum ni_event_kind arrival[KINDS] = {NI_EVENT_GET, NI_EVENT_ATOMIC,
                                                  NI_EVENT_FETCH_ATOMIC};
static const enum ni_event_kind late[KINDS] = {NI_EVENT_GET_OVERFLOW, NI_EVENT_ATOMIC_OVERFLOW,
                                               NI_EVENT_FETCH_ATOMIC_OVERFLOW};

/* Where a byte of the buffer is. */
static uint8_t *byte_at(const struct spill *spill, uint64_t offset)
{
    for (unsigned i = 0; spill->vector && i < PIECES; offset -= spill->piece[i++].iov_len) {
        if (offset < spill->piece[i].iov_len) {
            return (uint8_t *)spill->piece[i].iov_base + offset;
        }
    }
    return spill->room + offset;
}

/* The first piece lies last; one is empty. */
static void cut(struct spill *spill)
{
    static const uint64_t lengths[PIECES] = {3, 1000, 0, 21, 60001, 4097, BYTES - 65122};
    uint8_t *place = spill->room + BYTES + PIECES;

    for (unsigned i = 0; i < PIECES; i++) {
        place -= lengths[i];
        spill->piece[i] = (struct ni_iovec){place--, lengths[i]};
    }
}

static struct spill *new_spill(struct suite *suite, bool self, bool vector)
{
    struct spill *spill = suite_alloc(suite, sizeof(*spill));

    spill->ends[0] = suite_end_new(suite, 0);
    spill->ends[0]->self = self;
    spill->ends[1] = self ? spill->ends[0] : suite_end_new(suite, 1);
    spill->vector = vector;
    spill->room = suite_alloc(suite, BYTES + PIECES);
    spill->flat = suite_alloc(suite, BYTES);
    spill->data = suite_alloc(suite, SUMS);
    spill->answer = suite_alloc(suite, LONG);
    suite_fill(spill->data, SUMS, 3);
    suite_fill(spill->flat, BYTES, 4);
    cut(spill);
    for (uint64_t i = 0; i < BYTES; i++) {
        *byte_at(spill, i) = spill->flat[i];
    }
    return spill;
}

static void post(struct suite_ni *ni, void *arg)
{
    struct spill *spill = arg;
    const struct ni_me me = {.start = spill->vector ? (void *)spill->piece : spill->room,
                             .length = spill->vector ? PIECES : BYTES,
                             .ignore_bits = UINT64_MAX,
                             .match_id = NI_INITIATOR_ANY,
                             .options =
                                 NI_ME_OP_PUT | NI_ME_OP_GET | (spill->vector ? NI_ME_IOVEC : 0U)};

    CHECK(ni_me_append(ni->ni, 0, &me, NI_OVERFLOW_LIST, (void *)1, &spill->entry) == NI_OK);
}

static void operate(struct suite_ni *ni, void *arg)
{
    struct spill *spill = arg;
    struct suite_end *end = spill->ends[0];
    struct ni_peer *to = end->self ? NULL : ni->peers[1];
    uintptr_t data = (uintptr_t)spill->data, answer = (uintptr_t)spill->answer;
    int result = NI_OK;

    memset(spill->answer, 0, LONG);
    switch (spill->kind) {
    case GET:
        result = ni_get(ni->ni, &end->md, answer, spill->length, to, 0, spill->served,
                        spill->offset, NULL);
        break;
    case ATOMIC:
        result = ni_atomic(ni->ni, &end->md, data, spill->length, NI_ACK_REQ, to, 0, spill->served,
                           spill->offset, NULL, 0, NI_SUM, NI_UINT32_T);
        break;
    default:
        result = ni_fetch_atomic(ni->ni, &end->md, answer, &end->md, data, spill->length, to, 0,
                                 spill->served, spill->offset, NULL, 0, NI_SUM, NI_UINT32_T);
        break;
    }
    CHECK(result == NI_OK);
}

/* The same with the bytes that must be there. */
static void add(struct spill *spill, uint64_t length)
{
    for (uint64_t i = 0; i < length; i += sizeof(uint32_t)) {
        uint32_t term, sum;

        memcpy(&term, spill->data + i, sizeof(term));
        memcpy(&sum, spill->flat + spill->offset + i, sizeof(sum));
        sum += term;
        memcpy(spill->flat + spill->offset + i, &sum, sizeof(sum));
    }
}

static void check_event(const struct spill *spill, uint64_t moved)
{
    const struct ni_event *event =
        suite_event(spill->ends[1], arrival[spill->kind], spill->count[spill->kind]);

    CHECK(event->ni_fail_type == NI_NI_OK && event->user_ptr == (void *)1);
    CHECK(event->match_bits == spill->served && event->remote_offset == spill->offset);
    CHECK(event->rlength == spill->length && event->mlength == moved);
    CHECK(moved == 0 || event->start == byte_at(spill, spill->offset));
}

/* One operation; both sides know of it, and the bytes are right. */
static void serve(struct suite *suite, struct spill *spill, enum kind kind, uint64_t length,
                  uint64_t offset)
{
    uint64_t left = BYTES - offset, moved = length < left ? length : left;
    const struct ni_event *event;

    spill->kind = kind;
    spill->length = length;
    spill->offset = offset;
    moved -= kind == GET ? 0 : moved % sizeof(uint32_t);
    suite_call(suite, 0, operate, spill);
    suite_until_events(suite, spill->ends[1], arrival[kind], spill->count[kind] + 1);
    check_event(spill, moved);
    if (kind == ATOMIC) {
        suite_until_events(suite, spill->ends[0], NI_EVENT_ACK, spill->count[ATOMIC] + 1);
        event = suite_event(spill->ends[0], NI_EVENT_ACK, spill->count[ATOMIC]);
    } else {
        uint64_t replies = spill->count[GET] + spill->count[FETCH];

        suite_until_events(suite, spill->ends[0], NI_EVENT_REPLY, replies + 1);
        event = suite_event(spill->ends[0], NI_EVENT_REPLY, replies);
        CHECK(memcmp(spill->answer, spill->flat + offset, moved) == 0);
    }
    CHECK(event->ni_fail_type == NI_NI_OK && event->mlength == moved);
    if (kind != GET) {
        add(spill, moved);
    }
    for (uint64_t i = 0; i < BYTES; i++) {
        CHECK(*byte_at(spill, i) == spill->flat[i]);
    }
    spill->count[kind]++;
    spill->served++;
}

/* An entry that matches all of them is told what their arrival was, and the buffer is free. */
static void want(struct suite_ni *ni, void *arg)
{
    struct spill *spill = arg;
    const struct ni_me me = {.ignore_bits = UINT64_MAX,
                             .match_id = NI_INITIATOR_ANY,
                             .options = NI_ME_OP_PUT | NI_ME_OP_GET};

    CHECK(suite_stat(ni, "match_unexpected") == spill->served);
    CHECK(ni_me_unlink(ni->ni, spill->entry) == NI_PTL_IN_USE);
    CHECK(ni_me_append(ni->ni, 0, &me, NI_PRIORITY_LIST, (void *)2, NULL) == NI_OK);
    CHECK(suite_stat(ni, "match_unexpected") == 0);
    CHECK(ni_me_unlink(ni->ni, spill->entry) == NI_OK);
}

static void check_late(const struct spill *spill, enum kind kind)
{
    CHECK(suite_count(spill->ends[1], late[kind]) == spill->count[kind]);
    for (uint64_t n = 0; n < spill->count[kind]; n++) {
        const struct ni_event *first = suite_event(spill->ends[1], arrival[kind], n);
        const struct ni_event *event = suite_event(spill->ends[1], late[kind], n);

        CHECK(event->ni_fail_type == NI_NI_OK && event->user_ptr == (void *)2);
        CHECK(event->start == first->start && event->remote_offset == first->remote_offset);
        CHECK(event->rlength == first->rlength && event->mlength == first->mlength);
        CHECK(event->match_bits == first->match_bits && event->initiator == first->initiator);
    }
}

static void run(struct suite *suite, bool self, bool vector)
{
    static const uint64_t lengths[] = {0, 1, 20, 25, 900, 3000, LONG};
    struct spill *spill = new_spill(suite, self, vector);
    unsigned target = self ? 0 : 1;

    suite_call(suite, target, post, spill);
    for (unsigned i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        serve(suite, spill, GET, lengths[i], (uint64_t)i * 337);
        serve(suite, spill, ATOMIC, SUMS, 1 + (uint64_t)i * 170);
        serve(suite, spill, FETCH, i == 0 ? 4 : SUMS, (uint64_t)i * 10141);
    }
    /* More than there is. */
    serve(suite, spill, GET, LONG, BYTES - 70000);
    serve(suite, spill, FETCH, SUMS, BYTES - 30);
    suite_call(suite, target, want, spill);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        check_late(spill, (enum kind)kind);
    }
}

static void plain(struct suite *suite)
{
    run(suite, false, false);
}

static void plain_self(struct suite *suite)
{
    run(suite, true, false);
}

static void vector(struct suite *suite)
{
    run(suite, false, true);
}

static void vector_self(struct suite *suite)
{
    run(suite, true, true);
}

static const struct suite_case cases[] = {
    {"plain", 2, SUITE_NEEDS_NOTHING, plain},
    {"plain_self", 1, SUITE_NEEDS_NOTHING, plain_self},
    {"vector", 2, SUITE_NEEDS_NOTHING, vector},
    {"vector_self", 1, SUITE_NEEDS_NOTHING, vector_self},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
