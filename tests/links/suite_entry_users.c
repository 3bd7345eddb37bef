/* SPDX-License-Identifier: BSD-3-Clause */
#include <unistd.h>

#include "suite_portals.h"

/* Entries for one user: ours accept as others do, those of another refuse by name of permission. */

/* Puts go to the first part of the entry, gets come from the second, words are behind these. */
enum { OURS = 1, THEIRS = 2, SIZES = 3, LIST = 1, LONG = 100000, WORDS = 2 * LONG };

static const uint32_t sizes[SIZES] = {8, 900, LONG};

struct users {
    struct suite_end *ends[2];
    uint8_t *from, *to;
    uint64_t refused;
};

static void post(struct suite_ni *ni, void *arg)
{
    struct users *users = arg;
    struct ni_me me = {.start = users->to,
                       .length = WORDS + 8,
                       .match_id = NI_INITIATOR_ANY,
                       .options = NI_ME_OP_PUT | NI_ME_OP_GET | NI_ME_UID};
    struct ni_le le = {.start = users->to + WORDS + 8,
                       .length = 8,
                       .options =
                           NI_LE_OP_PUT | NI_LE_UID | NI_LE_USE_ONCE | NI_LE_EVENT_UNLINK_DISABLE};
    uint32_t pt;

    CHECK(ni_get_uid(ni->ni, &me.uid) == NI_OK && me.uid == geteuid());
    me.match_bits = OURS;
    CHECK(ni_me_append(ni->ni, 0, &me, NI_PRIORITY_LIST, (void *)OURS, NULL) == NI_OK);
    le.uid = me.uid;
    me.uid++;
    me.match_bits = THEIRS;
    CHECK(ni_me_append(ni->ni, 0, &me, NI_PRIORITY_LIST, (void *)THEIRS, NULL) == NI_OK);
    CHECK(ni_pt_alloc(ni->ni, NI_PT_NO_MATCHING, users->ends[1]->eq, LIST, &pt) == NI_OK);
    CHECK(ni_le_append(ni->ni, LIST, &le, NI_PRIORITY_LIST, (void *)OURS, NULL) == NI_OK);
    le.uid = me.uid;
    CHECK(ni_le_append(ni->ni, LIST, &le, NI_OVERFLOW_LIST, (void *)THEIRS, NULL) == NI_OK);
}

static void ask(struct suite_ni *ni, void *arg)
{
    struct users *users = arg;
    struct suite_end *end = users->ends[0];
    uint64_t at = (uintptr_t)users->from, to = at;

    for (uint64_t bits = OURS; bits <= THEIRS; bits++) {
        for (unsigned i = 0; i < SIZES; i++) {
            to += LONG;
            suite_put(ni, end, 1, users->from, sizes[i], bits, bits, true);
            CHECK(ni_get(ni->ni, &end->md, to, sizes[i], ni->peers[1], 0, bits, LONG,
                         (void *)(uintptr_t)bits) == NI_OK);
        }
        CHECK(ni_atomic(ni->ni, &end->md, at, 8, NI_ACK_REQ, ni->peers[1], 0, bits, WORDS,
                        (void *)(uintptr_t)bits, 0, NI_BOR, NI_UINT64_T) == NI_OK);
        CHECK(ni_put(ni->ni, &end->md, at, 8, NI_ACK_REQ, ni->peers[1], LIST, 0, 0,
                     (void *)(uintptr_t)bits, 0) == NI_OK);
    }
}

static void look(struct suite_ni *ni, void *arg)
{
    struct users *users = arg;

    CHECK(ni_portals_status(ni->ni, NI_SR_PERMISSION_VIOLATIONS, &users->refused) == NI_OK);
}

static void check(const struct users *users, enum ni_event_kind kind, uint64_t count)
{
    for (uint64_t n = 0; n < 2 * count; n++) {
        const struct ni_event *event = suite_event(users->ends[0], kind, n);
        bool ours = event->user_ptr == (void *)OURS;

        CHECK(event->ni_fail_type == (ours ? NI_NI_OK : NI_NI_PERM_VIOLATION));
        CHECK(event->mlength == (ours ? event->rlength : 0));
    }
}

static void run(struct suite *suite)
{
    struct users *users = suite_alloc(suite, sizeof(*users));

    for (unsigned i = 0; i < 2; i++) {
        users->ends[i] = suite_end_new(suite, i);
    }
    users->from = suite_alloc(suite, (1 + 2 * SIZES) * LONG);
    users->to = suite_alloc(suite, WORDS + 16);
    suite_call(suite, 1, post, users);
    suite_call(suite, 0, ask, users);
    suite_until_events(suite, users->ends[0], NI_EVENT_ACK, 2 * (SIZES + 2));
    suite_until_events(suite, users->ends[0], NI_EVENT_REPLY, 2 * SIZES);
    check(users, NI_EVENT_ACK, SIZES + 2);
    check(users, NI_EVENT_REPLY, SIZES);
    suite_call(suite, 1, look, users);
    CHECK(users->refused == 2 * SIZES + 2);
}

static void search(struct suite_ni *ni, void *arg)
{
    struct users *users = arg;
    struct ni_me me = {.start = users->to,
                       .length = 8,
                       .match_id = NI_INITIATOR_ANY,
                       .ignore_bits = UINT64_MAX,
                       .uid = (uint32_t)geteuid(),
                       .options = NI_ME_OP_PUT | NI_ME_USE_ONCE | NI_ME_UID};
    struct ni_event event;

    CHECK(ni_me_probe(ni->ni, 0, &me, NI_SEARCH_ONLY, &event) == NI_OK);
    me.uid++;
    CHECK(ni_me_probe(ni->ni, 0, &me, NI_SEARCH_ONLY, &event) == NI_PTL_NO_MATCH);
    /* Does not take what is kept, either. */
    CHECK(ni_me_append(ni->ni, 0, &me, NI_PRIORITY_LIST, NULL, &users->ends[0]->last) == NI_OK);
    CHECK(ni_me_unlink(ni->ni, users->ends[0]->last) == NI_OK);
    CHECK(suite_stat(ni, "match_unexpected") == 1);
    me.options |= 1U << 28;
    CHECK(ni_me_append(ni->ni, 0, &me, NI_PRIORITY_LIST, NULL, NULL) == NI_PTL_ARG_INVALID);
}

static void put_own(struct suite_ni *ni, void *arg)
{
    struct users *users = arg;

    suite_put(ni, users->ends[0], 0, users->from, 8, 3, 3, false);
    search(ni, arg);
}

static void kept(struct suite *suite)
{
    struct users *users = suite_alloc(suite, sizeof(*users));

    users->ends[0] = suite_end_new(suite, 0);
    users->ends[0]->self = true;
    users->from = users->to = suite_alloc(suite, 64);
    suite_call(suite, 0, put_own, users);
}

static const struct suite_case cases[] = {
    {"of_peers", 2, SUITE_NEEDS_NOTHING, run},
    {"kept", 1, SUITE_NEEDS_NOTHING, kept},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
