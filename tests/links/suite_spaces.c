/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite_portals.h"

/* Entries that manage their space, and entries that truncate nothing. */

enum { LONGEST = 1 << 20 };

struct buffers {
    struct suite_end *ends[2];
    uint8_t *from, *to;
};

enum { SPACE = 50000, PIECE = 12000, PIECES = 5, MIN_FREE = 8000 };

static void put_pieces(struct suite_ni *ni, void *arg)
{
    struct buffers *cut = arg;

    suite_fill(cut->from, SPACE, 4);
    for (unsigned i = 0; i < PIECES; i++) {
        suite_put(ni, cut->ends[0], 1, cut->from + (size_t)i * PIECE % SPACE, PIECE, 6, i, true);
    }
}

static void post_managed(struct suite_ni *ni, void *arg)
{
    struct buffers *cut = arg;
    struct ni_me me = {.start = cut->to,
                       .length = SPACE,
                       .match_bits = 6,
                       .match_id = NI_INITIATOR_ANY,
                       .min_free = MIN_FREE,
                       .options = NI_ME_OP_PUT | NI_ME_MANAGE_LOCAL | NI_ME_NO_TRUNCATE};

    CHECK(ni_me_append(ni->ni, 0, &me, NI_PRIORITY_LIST, (void *)1, &cut->ends[1]->last) == NI_OK);
    me.min_free = SPACE + 1;
    CHECK(ni_me_append(ni->ni, 0, &me, NI_PRIORITY_LIST, (void *)1, NULL) == NI_PTL_ARG_INVALID);
}

static void unlinked_already(struct suite_ni *ni, void *arg)
{
    struct buffers *cut = arg;

    CHECK(ni_me_unlink(ni->ni, cut->ends[1]->last) == NI_PTL_ARG_INVALID);
}

static void check_managed(const struct buffers *cut, enum ni_event_kind type)
{
    CHECK(suite_filled(cut->to, 4 * PIECE, 4));
    for (unsigned n = 0; n < 4; n++) {
        const struct ni_event *event = suite_event(cut->ends[1], type, n);

        CHECK(event->mlength == PIECE && event->remote_offset % PIECE == 0);
        CHECK(event->start == cut->to + event->remote_offset);
        CHECK(event->remote_offset == event->hdr_data * PIECE);
    }
}

/* Four pieces fill it up to less than min_free: then it unlinks itself, the fifth is kept. */
static void managed(struct suite *suite)
{
    struct buffers *cut = suite_alloc(suite, sizeof(*cut));

    cut->ends[0] = suite_end_new(suite, 0);
    cut->ends[1] = suite_end_new(suite, 1);
    cut->from = suite_alloc(suite, 2 * SPACE);
    cut->to = suite_alloc(suite, SPACE);
    suite_call(suite, 1, post_managed, cut);
    suite_call(suite, 0, put_pieces, cut);
    suite_until_events(suite, cut->ends[1], NI_EVENT_PUT, 4);
    suite_until_kept(suite, 1, 1);
    check_managed(cut, NI_EVENT_PUT);
    CHECK(suite_count(cut->ends[1], NI_EVENT_AUTO_UNLINK) == 1);
    CHECK(suite_event(cut->ends[1], NI_EVENT_AUTO_UNLINK, 0)->user_ptr == (void *)1);
    suite_call(suite, 1, unlinked_already, cut);
    suite_until_events(suite, cut->ends[0], NI_EVENT_ACK, 4);
    CHECK(suite_event(cut->ends[0], NI_EVENT_ACK, 3)->remote_offset == 3 * PIECE);
    suite_call(suite, 1, post_managed, cut);
    suite_until_events(suite, cut->ends[1], NI_EVENT_PUT_OVERFLOW, 1);
    CHECK(suite_event(cut->ends[1], NI_EVENT_PUT_OVERFLOW, 0)->remote_offset == 0);
}

static void post_exact(struct suite_ni *ni, void *arg)
{
    struct buffers *cut = arg;

    for (unsigned i = 0; i < 2; i++) {
        const struct ni_me me = {.start = cut->to,
                                 .length = i == 0 ? 100 : LONGEST,
                                 .match_bits = 8,
                                 .match_id = NI_INITIATOR_ANY,
                                 .options = NI_ME_OP_PUT | NI_ME_USE_ONCE | NI_ME_NO_TRUNCATE |
                                            NI_ME_EVENT_UNLINK_DISABLE};

        CHECK(ni_me_append(ni->ni, 0, &me, NI_PRIORITY_LIST, (void *)(uintptr_t)i, NULL) == NI_OK);
    }
}

static void put_both(struct suite_ni *ni, void *arg)
{
    struct buffers *cut = arg;

    suite_put(ni, cut->ends[0], 1, cut->from, LONGEST, 8, 0, false);
    suite_put(ni, cut->ends[0], 1, cut->from, 100, 8, 1, false);
}

/* A message passes over the entry that is too short for it, an entry over such messages. */
static void not_truncated(struct suite *suite)
{
    struct buffers *cut = suite_alloc(suite, sizeof(*cut));

    cut->ends[0] = suite_end_new(suite, 0);
    cut->ends[1] = suite_end_new(suite, 1);
    cut->from = suite_alloc(suite, LONGEST);
    cut->to = suite_alloc(suite, LONGEST);
    for (unsigned round = 0; round < 2; round++) {
        enum ni_event_kind type = round == 0 ? NI_EVENT_PUT : NI_EVENT_PUT_OVERFLOW;

        if (round == 0) {
            suite_call(suite, 1, post_exact, cut);
        }
        suite_call(suite, 0, put_both, cut);
        if (round == 1) {
            suite_until_kept(suite, 1, 2);
            suite_call(suite, 1, post_exact, cut);
        }
        suite_until_events(suite, cut->ends[1], type, 2);
        for (unsigned n = 0; n < 2; n++) {
            const struct ni_event *event = suite_event(cut->ends[1], type, n);

            CHECK(event->mlength == event->rlength);
            CHECK((event->hdr_data == 0) == (event->user_ptr == (void *)1));
        }
    }
}

static const struct suite_case cases[] = {
    {"managed", 2, SUITE_NEEDS_NOTHING, managed},
    {"not_truncated", 2, SUITE_NEEDS_NOTHING, not_truncated},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
