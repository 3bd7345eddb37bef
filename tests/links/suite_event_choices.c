/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/portals/fail.c. */
#include "suite_portals.h"

/* Whom events are told to, and whom not: descriptors without events of sends or of successes, and
 * entries that are ended though nothing has come. */

enum { LENGTHS = 4, LONGEST = 100000, NOBODY = 99, ENTRIES = 6 };

static const size_t lengths[LENGTHS] = {8, 33, 4096, LONGEST};

struct told {
    struct suite_end *ends[2];
    uint8_t *from, *to;
    ni_me_handle entries[ENTRIES];
};

static struct told *new_told(struct suite *suite, unsigned ends)
{
    struct told *told = suite_alloc(suite, sizeof(*told));

    for (unsigned i = 0; i < ends; i++) {
        told->ends[i] = suite_end_new(suite, i);
    }
    told->from = suite_alloc(suite, LONGEST);
    told->to = suite_alloc(suite, 2 * LENGTHS * (size_t)LONGEST);
    return told;
}

/* ---- descriptors ----------------------------------------------------------------------------- */

static void post_all(struct suite_ni *ni, void *arg)
{
    struct told *told = arg;

    for (unsigned i = 0; i < 2 * LENGTHS; i++) {
        suite_post(ni, told->ends[1], told->to + (size_t)i * LONGEST, LONGEST, i, 0,
                   NI_INITIATOR_ANY, i);
    }
}

/* The lengths by a descriptor with some events switched off; user_ptr is `user` and what
 * follows. */
static void put_lengths(struct suite_ni *ni, struct told *told, unsigned options, uint32_t pt,
                        uintptr_t user)
{
    struct ni_md md = told->ends[0]->md;

    md.options = options;
    for (uintptr_t i = 0; i < LENGTHS; i++) {
        CHECK(ni_put(ni->ni, &md, (uintptr_t)told->from, lengths[i], NI_ACK_REQ, ni->peers[1], pt,
                     user + i, 0, (void *)(user + i), 0) == NI_OK);
    }
}

static void put_all(struct suite_ni *ni, void *arg)
{
    struct told *told = arg;

    told->ends[0]->md.start = NULL;
    put_lengths(ni, told, NI_MD_EVENT_SEND_DISABLE, 0, 0);
    put_lengths(ni, told, NI_MD_EVENT_SUCCESS_DISABLE, 0, LENGTHS);
    put_lengths(ni, told, NI_MD_EVENT_SUCCESS_DISABLE, NOBODY, 2 * (uintptr_t)LENGTHS);
}

/* The first descriptor has an ACK for each put and no SEND, the second nothing at all, and the
 * failures of the third are told though successes are not. */
static void descriptors(struct suite *suite)
{
    struct told *told = new_told(suite, 2);
    struct suite_end *end = told->ends[0];
    bool acked[3 * LENGTHS] = {false};

    suite_fill(told->from, LONGEST, 3);
    suite_call(suite, 1, post_all, told);
    suite_call(suite, 0, put_all, told);
    suite_until_events(suite, told->ends[1], NI_EVENT_PUT, 2 * LENGTHS);
    suite_until_events(suite, end, NI_EVENT_ACK, 2 * LENGTHS);
    suite_rest(suite);
    CHECK(suite_count(end, NI_EVENT_ACK) == 2 * LENGTHS);
    for (unsigned n = 0; n < 2 * LENGTHS; n++) {
        const struct ni_event *event = suite_event(end, NI_EVENT_ACK, n);
        uintptr_t user = (uintptr_t)event->user_ptr;

        CHECK(user < LENGTHS || (user >= 2 * LENGTHS && user < 3 * LENGTHS));
        CHECK(event->ni_fail_type == (user < LENGTHS ? NI_NI_OK : NI_NI_DROPPED));
        CHECK(!acked[user]);
        acked[user] = true;
    }
    for (unsigned n = 0; n < suite_count(end, NI_EVENT_SEND); n++) {
        CHECK(suite_event(end, NI_EVENT_SEND, n)->ni_fail_type == NI_NI_DROPPED);
    }
    for (unsigned i = 0; i < 2 * LENGTHS; i++) {
        CHECK(suite_filled(told->to + (size_t)i * LONGEST, lengths[i % LENGTHS], 3));
    }
}

/* ---- entries --------------------------------------------------------------------------------- */

static bool is_odd(void *arg, void *user_ptr, ni_initiator match_id)
{
    unsigned *asked = arg;

    CHECK(match_id == NI_INITIATOR_ANY);
    *asked += 1;
    return (uintptr_t)user_ptr % 2 != 0;
}

/* Every other one is ended, the rest stay and take what comes. */
static void end_some(struct suite_ni *ni, void *arg)
{
    struct told *told = arg;
    struct suite_end *end = told->ends[0];
    unsigned asked = 0;

    for (unsigned i = 0; i < ENTRIES; i++) {
        suite_post(ni, end, told->to, LONGEST, i, 0, NI_INITIATOR_ANY, i);
        told->entries[i] = end->last;
    }
    CHECK(ni_me_fail(ni->ni, NOBODY, is_odd, &asked) == NI_PTL_ARG_INVALID);
    CHECK(asked == 0 && ni_me_fail(ni->ni, 0, is_odd, &asked) == NI_OK && asked == ENTRIES);
    CHECK(suite_count(end, NI_EVENT_PUT) == ENTRIES / 2);
    for (unsigned n = 0; n < ENTRIES / 2; n++) {
        const struct ni_event *event = suite_event(end, NI_EVENT_PUT, n);

        CHECK(event->ni_fail_type == NI_NI_UNDELIVERABLE);
        CHECK(event->user_ptr == (void *)(uintptr_t)(2 * n + 1));
        CHECK(event->mlength == 0 && event->rlength == 0 && event->hdr_data == 0);
        CHECK(ni_me_unlink(ni->ni, told->entries[2 * n + 1]) == NI_PTL_ARG_INVALID);
    }
    end->self = true;
    for (unsigned i = 0; i < ENTRIES; i += 2) {
        suite_put(ni, end, 0, told->from, 8, i, i, false);
    }
    CHECK(suite_count(end, NI_EVENT_PUT) == ENTRIES);
    CHECK(suite_event(end, NI_EVENT_PUT, ENTRIES - 1)->ni_fail_type == NI_NI_OK);
}

static void entries(struct suite *suite)
{
    suite_call(suite, 0, end_some, new_told(suite, 1));
}

static const struct suite_case cases[] = {
    {"descriptors", 2, SUITE_NEEDS_NOTHING, descriptors},
    {"entries", 1, SUITE_NEEDS_NOTHING, entries},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
