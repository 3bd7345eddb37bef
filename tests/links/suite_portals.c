/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/portals/deliver.c ni/portals/entry.c ni/portals/incoming.c ni/portals/plain.c
 * ni/portals/put.c ni/portals/put_open.c ni/portals/put_send.c. */
#include "suite_portals.h"

/*
 * Puts and match entries: all sizes, expected and not, order and wildcards, truncation, answers,
 * searches, unlinking, the own NI, and peers that go away.
 */

enum { SIZES = 14, LONGEST = 1 << 20 };

static const uint32_t sizes[SIZES] = {0,    1,    8,    31,    32,    33,         64,
                                      1000, 2048, 2049, 32768, 32769, 100 * 1000, LONGEST};

/* ---- expected and unexpected, all sizes ------------------------------------------------------ */

struct all_sizes {
    struct suite_end *ends[2];
    uint8_t *from, *to;
    bool ack;
};

static uint64_t bits_of(unsigned i)
{
    return (uint64_t)i * 0x100000001U;
}

static void post_sizes(struct suite_ni *ni, void *arg)
{
    struct all_sizes *all = arg;

    for (unsigned i = 0; i < SIZES; i++) {
        suite_post(ni, all->ends[1], all->to + (size_t)i * LONGEST, sizes[i], bits_of(i), 0,
                   NI_INITIATOR_ANY, i);
    }
}

/* In reverse, so that nothing matches merely because it is first. */
static void put_sizes(struct suite_ni *ni, void *arg)
{
    struct all_sizes *all = arg;

    for (unsigned i = SIZES; i-- > 0;) {
        suite_fill(all->from + (size_t)i * LONGEST, sizes[i], i + 1);
        suite_put(ni, all->ends[0], 1, all->from + (size_t)i * LONGEST, sizes[i], bits_of(i), i,
                  all->ack);
    }
}

static void check_sizes(const struct all_sizes *all, enum ni_event_kind type)
{
    bool seen[SIZES] = {false};

    for (unsigned n = 0; n < SIZES; n++) {
        const struct ni_event *event = suite_event(all->ends[1], type, n);
        size_t i = (size_t)(uintptr_t)event->user_ptr;

        CHECK(i < SIZES && !seen[i]);
        seen[i] = true;
        CHECK(event->ni_fail_type == NI_NI_OK);
        CHECK(event->rlength == sizes[i] && event->mlength == sizes[i]);
        CHECK(event->match_bits == bits_of((unsigned)i) && event->hdr_data == i);
        CHECK(event->start == all->to + i * LONGEST);
        CHECK(suite_filled(all->to + i * LONGEST, sizes[i], i + 1));
    }
    CHECK(suite_count(all->ends[1], type) == SIZES);
}

static struct all_sizes *new_sizes(struct suite *suite, unsigned target)
{
    struct all_sizes *all = suite_alloc(suite, sizeof(*all));

    all->ends[0] = suite_end_new(suite, 0);
    all->ends[1] = target == 0 ? all->ends[0] : suite_end_new(suite, target);
    all->from = suite_alloc(suite, (size_t)SIZES * LONGEST);
    all->to = suite_alloc(suite, (size_t)SIZES * LONGEST);
    return all;
}

static void expected(struct suite *suite)
{
    struct all_sizes *all = new_sizes(suite, 1);

    suite_call(suite, 1, post_sizes, all);
    suite_call(suite, 0, put_sizes, all);
    suite_until_events(suite, all->ends[1], NI_EVENT_PUT, SIZES);
    suite_until_events(suite, all->ends[0], NI_EVENT_SEND, SIZES);
    check_sizes(all, NI_EVENT_PUT);
    suite_rest(suite);
    CHECK(suite_count(all->ends[0], NI_EVENT_SEND) == SIZES);
    CHECK(suite_count(all->ends[0], NI_EVENT_ACK) == 0);
}

static void unexpected(struct suite *suite)
{
    struct all_sizes *all = new_sizes(suite, 1);

    suite_call(suite, 0, put_sizes, all);
    suite_until_kept(suite, 1, SIZES);
    CHECK(suite_count(all->ends[1], NI_EVENT_PUT) == 0);
    suite_call(suite, 1, post_sizes, all);
    suite_until_events(suite, all->ends[1], NI_EVENT_PUT_OVERFLOW, SIZES);
    suite_until_events(suite, all->ends[0], NI_EVENT_SEND, SIZES);
    check_sizes(all, NI_EVENT_PUT_OVERFLOW);
    suite_rest(suite);
    CHECK(suite_count(all->ends[0], NI_EVENT_SEND) == SIZES);
}

static void to_oneself(struct suite *suite)
{
    struct all_sizes *all = new_sizes(suite, 0);

    all->ack = true;
    all->ends[0]->self = true;
    suite_call(suite, 0, post_sizes, all);
    suite_call(suite, 0, put_sizes, all);
    suite_until_events(suite, all->ends[0], NI_EVENT_ACK, SIZES);
    check_sizes(all, NI_EVENT_PUT);
    CHECK(suite_count(all->ends[0], NI_EVENT_SEND) == SIZES);
    memset(all->to, 0, (size_t)SIZES * LONGEST);
    suite_call(suite, 0, put_sizes, all);
    CHECK(suite_count(all->ends[0], NI_EVENT_ACK) == SIZES);
    suite_call(suite, 0, post_sizes, all);
    suite_until_events(suite, all->ends[0], NI_EVENT_ACK, 2 * SIZES);
    check_sizes(all, NI_EVENT_PUT_OVERFLOW);
    CHECK(suite_count(all->ends[0], NI_EVENT_SEND) == 2 * SIZES);
}

/* ---- answers --------------------------------------------------------------------------------- */

static void answers(struct suite *suite)
{
    struct all_sizes *all = new_sizes(suite, 1);

    all->ack = true;
    suite_call(suite, 1, post_sizes, all);
    suite_call(suite, 0, put_sizes, all);
    suite_until_events(suite, all->ends[0], NI_EVENT_ACK, SIZES);
    for (unsigned n = 0; n < SIZES; n++) {
        const struct ni_event *event = suite_event(all->ends[0], NI_EVENT_ACK, n);
        size_t i = (size_t)(uintptr_t)event->user_ptr;

        CHECK(event->ni_fail_type == NI_NI_OK && event->mlength == sizes[i]);
    }
    /* What is kept is not answered before it has matched. */
    suite_call(suite, 0, put_sizes, all);
    suite_until_kept(suite, 1, SIZES);
    suite_rest(suite);
    CHECK(suite_count(all->ends[0], NI_EVENT_ACK) == SIZES);
    suite_call(suite, 1, post_sizes, all);
    suite_until_events(suite, all->ends[0], NI_EVENT_ACK, 2 * SIZES);
    suite_until_events(suite, all->ends[0], NI_EVENT_SEND, 2 * SIZES);
}

struct refused {
    struct suite_end *end;
    uint8_t *data;
    uint32_t pt;
};

static void put_refused(struct suite_ni *ni, void *arg)
{
    struct refused *refused = arg;
    struct suite_end end = *refused->end;

    end.pt = refused->pt;
    suite_put(ni, &end, 1, refused->data, 8, 1, 0, true);
    suite_put(ni, &end, 1, refused->data, 5000, 1, 0, true);
    suite_put(ni, &end, 1, refused->data, LONGEST, 1, 0, true);
}

static void alloc_strict(struct suite_ni *ni, void *arg)
{
    uint32_t index;

    (void)arg;
    CHECK(ni_pt_alloc(ni->ni, 0, NULL, 9, &index) == NI_OK && index == 9);
}

/* Without an entry, or where nothing is kept. */
static void refusals(struct suite *suite)
{
    struct refused *refused = suite_alloc(suite, sizeof(*refused));
    struct suite_end *other = suite_end_new(suite, 1);

    refused->end = suite_end_new(suite, 0);
    refused->data = suite_alloc(suite, LONGEST);
    refused->pt = 200;
    suite_call(suite, 0, put_refused, refused);
    suite_until_events(suite, refused->end, NI_EVENT_ACK, 3);
    suite_call(suite, 1, alloc_strict, NULL);
    refused->pt = 9;
    suite_call(suite, 0, put_refused, refused);
    suite_until_events(suite, refused->end, NI_EVENT_ACK, 6);
    suite_until_events(suite, refused->end, NI_EVENT_SEND, 6);
    for (unsigned n = 0; n < 6; n++) {
        CHECK(suite_event(refused->end, NI_EVENT_ACK, n)->ni_fail_type == NI_NI_DROPPED);
        CHECK(suite_event(refused->end, NI_EVENT_ACK, n)->mlength == 0);
    }
    CHECK(suite_count(other, NI_EVENT_PUT) == 0);
}

/* ---- truncation ------------------------------------------------------------------------------ */

struct truncation {
    struct suite_end *ends[2];
    uint8_t *from, *to;
};

enum { CUT = 3 };
static const uint32_t cut_from[CUT] = {20, 10000, LONGEST};
static const uint32_t cut_to[CUT] = {7, 9000, LONGEST - 5};

static void post_short(struct suite_ni *ni, void *arg)
{
    struct truncation *cut = arg;

    for (unsigned i = 0; i < CUT; i++) {
        suite_post(ni, cut->ends[1], cut->to + (size_t)i * LONGEST, cut_to[i], i, 0,
                   NI_INITIATOR_ANY, i);
    }
    suite_post(ni, cut->ends[1], NULL, 0, CUT, 0, NI_INITIATOR_ANY, CUT);
}

static void put_long(struct suite_ni *ni, void *arg)
{
    struct truncation *cut = arg;

    suite_fill(cut->from, LONGEST, 1);
    for (unsigned i = 0; i < CUT; i++) {
        suite_put(ni, cut->ends[0], 1, cut->from, cut_from[i], i, i, true);
    }
    suite_put(ni, cut->ends[0], 1, cut->from, LONGEST, CUT, 0, true);
}

static void check_cut(const struct truncation *cut, enum ni_event_kind type)
{
    for (unsigned n = 0; n < CUT + 1; n++) {
        const struct ni_event *event = suite_event(cut->ends[1], type, n);
        size_t i = (size_t)(uintptr_t)event->user_ptr;

        CHECK(event->rlength == (i < CUT ? cut_from[i] : LONGEST));
        CHECK(event->mlength == (i < CUT ? cut_to[i] : 0));
        if (i < CUT) {
            CHECK(suite_filled(cut->to + i * LONGEST, cut_to[i], 1));
            CHECK(cut->to[i * LONGEST + cut_to[i]] == 0);
        }
    }
}

static void truncation(struct suite *suite)
{
    struct truncation *cut = suite_alloc(suite, sizeof(*cut));

    cut->ends[0] = suite_end_new(suite, 0);
    cut->ends[1] = suite_end_new(suite, 1);
    cut->from = suite_alloc(suite, LONGEST);
    cut->to = suite_alloc(suite, (size_t)CUT * LONGEST);
    suite_call(suite, 1, post_short, cut);
    suite_call(suite, 0, put_long, cut);
    suite_until_events(suite, cut->ends[1], NI_EVENT_PUT, CUT + 1);
    suite_until_events(suite, cut->ends[0], NI_EVENT_ACK, CUT + 1);
    check_cut(cut, NI_EVENT_PUT);
    memset(cut->to, 0, (size_t)CUT * LONGEST);
    suite_call(suite, 0, put_long, cut);
    suite_until_kept(suite, 1, CUT + 1);
    suite_call(suite, 1, post_short, cut);
    suite_until_events(suite, cut->ends[1], NI_EVENT_PUT_OVERFLOW, CUT + 1);
    suite_until_events(suite, cut->ends[0], NI_EVENT_ACK, 2 * (CUT + 1));
    check_cut(cut, NI_EVENT_PUT_OVERFLOW);
}

/* ---- offsets at the target ------------------------------------------------------------------- */

static void put_at_offsets(struct suite_ni *ni, void *arg)
{
    struct truncation *cut = arg;
    const struct ni_md md = {.length = SIZE_MAX, .eq = cut->ends[0]->eq};

    suite_fill(cut->from, 200000, 2);
    CHECK(ni_put(ni->ni, &md, (uintptr_t)cut->from, 10, NI_ACK_REQ, ni->peers[1], 0, 5, 0, NULL,
                 0) == NI_OK);
    CHECK(ni_put(ni->ni, &md, (uintptr_t)cut->from + 10, 5000, NI_NO_ACK_REQ, ni->peers[1], 0, 5,
                 10, NULL, 0) == NI_OK);
    CHECK(ni_put(ni->ni, &md, (uintptr_t)cut->from + 5010, 190000, NI_ACK_REQ, ni->peers[1], 0, 5,
                 5010, NULL, 0) == NI_OK);
    CHECK(ni_put(ni->ni, &md, (uintptr_t)cut->from, 100, NI_ACK_REQ, ni->peers[1], 0, 5, 300000,
                 NULL, 0) == NI_OK);
}

static void post_persistent(struct suite_ni *ni, void *arg)
{
    struct truncation *cut = arg;
    const struct ni_me me = {.start = cut->to,
                             .length = 200000,
                             .match_bits = 5,
                             .match_id = NI_INITIATOR_ANY,
                             .options = NI_ME_OP_PUT};

    CHECK(ni_me_append(ni->ni, cut->ends[1]->pt, &me, NI_PRIORITY_LIST, NULL,
                       &cut->ends[1]->last) == NI_OK);
}

static void unlink_persistent(struct suite_ni *ni, void *arg)
{
    struct truncation *cut = arg;

    CHECK(ni_me_unlink(ni->ni, cut->ends[1]->last) == NI_OK);
    CHECK(ni_me_unlink(ni->ni, cut->ends[1]->last) == NI_PTL_ARG_INVALID);
}

/* An entry that stays takes what is kept, then what comes, each at its offset. */
static void offsets(struct suite *suite)
{
    struct truncation *cut = suite_alloc(suite, sizeof(*cut));

    cut->ends[0] = suite_end_new(suite, 0);
    cut->ends[1] = suite_end_new(suite, 1);
    cut->from = suite_alloc(suite, LONGEST);
    cut->to = suite_alloc(suite, LONGEST);
    suite_call(suite, 0, put_at_offsets, cut);
    suite_until_kept(suite, 1, 4);
    suite_call(suite, 1, post_persistent, cut);
    suite_until_events(suite, cut->ends[1], NI_EVENT_PUT_OVERFLOW, 4);
    CHECK(suite_filled(cut->to, 195010, 2));
    memset(cut->to, 0, 200000);
    suite_call(suite, 0, put_at_offsets, cut);
    suite_until_events(suite, cut->ends[1], NI_EVENT_PUT, 4);
    suite_until_events(suite, cut->ends[0], NI_EVENT_ACK, 6);
    CHECK(suite_filled(cut->to, 195010, 2));
    for (unsigned i = 195010; i < 200000; i++) {
        CHECK(cut->to[i] == 0);
    }
    suite_call(suite, 1, unlink_persistent, cut);
}

static const struct suite_case cases[] = {
    {"expected", 2, SUITE_NEEDS_NOTHING, expected},
    {"unexpected", 2, SUITE_NEEDS_NOTHING, unexpected},
    {"to_oneself", 1, SUITE_NEEDS_NOTHING, to_oneself},
    {"answers", 2, SUITE_NEEDS_NOTHING, answers},
    {"refusals", 2, SUITE_NEEDS_NOTHING, refusals},
    {"truncation", 2, SUITE_NEEDS_NOTHING, truncation},
    {"offsets", 2, SUITE_NEEDS_NOTHING, offsets},
};

int main(int argc, char **argv)
{
    suite_between_hosts();
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
