/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite_overflow.h"

/* Overflow lists: options of their entries, searches, and what happens when there is no more room
 * or a peer goes. */

/* ---- options --------------------------------------------------------------------------------- */

static void bad_appends(struct suite_ni *ni, void *arg)
{
    struct flood *flood = arg;
    struct ni_me me = flood_wanted(flood, 0, NI_ME_EVENT_LINK);
    ni_me_handle handle;

    CHECK(ni_me_append(ni->ni, 2, &me, (enum ni_list_kind)2, NULL, NULL) == NI_PTL_ARG_INVALID);
    me.options |= 1U << 31;
    CHECK(ni_me_append(ni->ni, 2, &me, NI_OVERFLOW_LIST, NULL, NULL) == NI_PTL_ARG_INVALID);
    me.options &= ~(1U << 31);
    CHECK(ni_me_append(ni->ni, 3, &me, NI_OVERFLOW_LIST, NULL, NULL) == NI_PTL_ARG_INVALID);
    CHECK(flood_told(flood, NI_EVENT_LINK) == 0);
    CHECK(ni_me_append(ni->ni, 2, &me, NI_OVERFLOW_LIST, (void *)7, &handle) == NI_OK);
    CHECK(flood_told(flood, NI_EVENT_LINK) == 1);
    CHECK(flood->events[NI_EVENT_LINK][0].user_ptr == (void *)7);
    CHECK(ni_pt_free(ni->ni, 2) == NI_PTL_PT_IN_USE);
    CHECK(ni_me_unlink(ni->ni, handle) == NI_OK);
    CHECK(ni_me_unlink(ni->ni, handle) == NI_PTL_ARG_INVALID);
    CHECK(ni_me_append(ni->ni, 2, &me, NI_PRIORITY_LIST, (void *)8, &handle) == NI_OK);
    CHECK(flood_told(flood, NI_EVENT_LINK) == 2 && ni_me_unlink(ni->ni, handle) == NI_OK);
}

static void refused_appends(struct suite *suite)
{
    struct flood *flood = flood_new(suite, 8, true);

    flood_open_both(suite, flood);
    suite_call(suite, 0, bad_appends, flood);
}

static void not_yet(struct suite_ni *ni, void *arg)
{
    struct flood *flood = arg;
    struct ni_me me = flood_wanted(flood, PUTS, 0);

    /* Messages in it have not been matched. */
    CHECK(ni_me_unlink(ni->ni, flood->slab_entry[0]) == NI_PTL_IN_USE);
    CHECK(ni_me_append(ni->ni, 2, &me, NI_PRIORITY_LIST, NULL, &flood->slab_entry[1]) == NI_OK);
    CHECK(ni_me_unlink(ni->ni, flood->slab_entry[1]) == NI_OK);
    /* One entry for all of them, which uses up two and a half lengths of its own space. */
    me.ignore_bits = UINT64_MAX;
    me.length = 10 * (size_t)flood->length;
    me.min_free = 7 * (size_t)flood->length + 1;
    me.options = NI_ME_OP_PUT | NI_ME_MANAGE_LOCAL | NI_ME_LOCAL_INC_UH_RLENGTH;
    CHECK(ni_me_append(ni->ni, 2, &me, NI_PRIORITY_LIST, (void *)1, NULL) == NI_OK);
    CHECK(flood_told(flood, NI_EVENT_PUT_OVERFLOW) == 3 &&
          flood_told(flood, NI_EVENT_AUTO_UNLINK) == 1);
    /* Without that option none. */
    me.options = NI_ME_OP_PUT | NI_ME_MANAGE_LOCAL | NI_ME_EVENT_OVER_DISABLE;
    CHECK(ni_me_append(ni->ni, 2, &me, NI_PRIORITY_LIST, (void *)2, &flood->slab_entry[1]) ==
          NI_OK);
    CHECK(flood_told(flood, NI_EVENT_PUT_OVERFLOW) == 3 && suite_stat(ni, "match_unexpected") == 0);
    CHECK(ni_me_unlink(ni->ni, flood->slab_entry[1]) == NI_OK);
    CHECK(ni_me_unlink(ni->ni, flood->slab_entry[0]) == NI_OK);
    CHECK(flood_told(flood, NI_EVENT_AUTO_FREE) == 0);
}

static void post_first(struct suite_ni *ni, void *arg)
{
    flood_post_slab(ni, arg, 0);
}

static void spaces(struct suite *suite)
{
    struct flood *flood = flood_new(suite, 40, false);

    flood_open_both(suite, flood);
    suite_call(suite, 1, post_first, flood);
    suite_call(suite, 0, flood_put_all, flood);
    suite_until_count(suite, &flood->count[0][NI_EVENT_ACK], PUTS);
    suite_call(suite, 1, not_yet, flood);
    CHECK(flood_told(flood, NI_EVENT_PUT) == PUTS);
}

static void no_headers(struct suite_ni *ni, void *arg)
{
    struct flood *flood = arg;

    CHECK(suite_stat(ni, "match_unexpected") == 0);
    CHECK(ni_me_unlink(ni->ni, flood->slab_entry[0]) == NI_OK);
    CHECK(ni_pt_free(ni->ni, 2) == NI_OK);
}

/* An overflow entry whose messages nobody will match. */
static void hidden(struct suite *suite)
{
    struct flood *flood = flood_new(suite, 40, false);

    flood->extra = NI_ME_UNEXPECTED_HDR_DISABLE;
    flood->headers = 1;
    flood_open_both(suite, flood);
    suite_call(suite, 1, post_first, flood);
    suite_call(suite, 0, flood_put_all, flood);
    suite_until_count(suite, &flood->count[0][NI_EVENT_ACK], PUTS);
    suite_until_count(suite, &flood->count[1][NI_EVENT_PUT], PUTS);
    CHECK(flood->refused == 0);
    suite_call(suite, 1, no_headers, flood);
}

/* ---- searches -------------------------------------------------------------------------------- */

static void search(struct suite_ni *ni, void *arg)
{
    struct flood *flood = arg;
    struct ni_me me = flood_wanted(flood, 1, NI_ME_EVENT_UNLINK_DISABLE);
    const struct ni_event *found = &flood->events[NI_EVENT_SEARCH][0];
    struct ni_event event;

    CHECK(ni_me_search(ni->ni, 2, &me, NI_SEARCH_ONLY, (void *)5) == NI_OK);
    CHECK(flood_told(flood, NI_EVENT_SEARCH) == 1 && found->user_ptr == (void *)5);
    flood_check_spilled(flood, found);
    CHECK(ni_me_search(ni->ni, 2, &me, NI_SEARCH_DELETE, (void *)6) == NI_OK);
    CHECK(flood_told(flood, NI_EVENT_SEARCH) == 1 && flood_told(flood, NI_EVENT_PUT_OVERFLOW) == 1);
    flood_check_spilled(flood, &flood->events[NI_EVENT_PUT_OVERFLOW][0]);
    CHECK(flood->events[NI_EVENT_PUT_OVERFLOW][0].user_ptr == (void *)6);
    CHECK(ni_me_search(ni->ni, 2, &me, NI_SEARCH_DELETE, (void *)7) == NI_OK);
    CHECK(flood_told(flood, NI_EVENT_SEARCH) == 2 && found[1].ni_fail_type == NI_NI_NO_MATCH);
    /* Claimed, and dropped; claimed, and received. */
    me.match_bits = 2;
    CHECK(ni_me_probe(ni->ni, 2, &me, NI_SEARCH_DELETE, &event) == NI_OK);
    flood_check_spilled(flood, &event);
    CHECK(ni_unexpected_drop(ni->ni, event.unexpected) == NI_OK);
    CHECK(ni_unexpected_drop(ni->ni, event.unexpected) == NI_PTL_ARG_INVALID);
    me.match_bits = 3;
    CHECK(ni_me_probe(ni->ni, 2, &me, NI_SEARCH_DELETE, &event) == NI_OK);
    CHECK(flood_told(flood, NI_EVENT_AUTO_FREE) == 0);
    CHECK(ni_pt_free(ni->ni, 2) == NI_PTL_PT_IN_USE);
    CHECK(ni_unexpected_receive(ni->ni, event.unexpected, &me, (void *)8) == NI_OK);
    CHECK(flood_told(flood, NI_EVENT_PUT_OVERFLOW) == 2);
    CHECK(flood->events[NI_EVENT_PUT_OVERFLOW][1].user_ptr == (void *)8);
    flood_check_spilled(flood, &flood->events[NI_EVENT_PUT_OVERFLOW][1]);
    CHECK(flood_told(flood, NI_EVENT_AUTO_FREE) == 0);
    /* What is left of the first slab is dropped with the table entry, which frees it. */
    CHECK(ni_me_unlink(ni->ni, flood->slab_entry[1]) == NI_OK);
    CHECK(ni_me_unlink(ni->ni, flood->slab_entry[2]) == NI_OK);
    CHECK(ni_pt_free(ni->ni, 2) == NI_OK);
    CHECK(flood_told(flood, NI_EVENT_AUTO_FREE) == 1);
    CHECK(suite_stat(ni, "match_unexpected") == 0);
}

static void put_four(struct suite_ni *ni, void *arg)
{
    flood_put_from(ni, arg, 0, 4);
}

static void searches(struct suite *suite)
{
    struct flood *flood = flood_new(suite, 3000, false);

    flood_open_both(suite, flood);
    flood->slab_length = 5 * 3000; /* full with four */
    for (unsigned i = 0; i < SLABS; i++) {
        flood->slab[i] = suite_alloc(suite, flood->slab_length);
    }
    suite_call(suite, 1, flood_post_slabs, flood);
    suite_call(suite, 0, put_four, flood);
    suite_until_count(suite, &flood->count[0][NI_EVENT_ACK], 4);
    suite_until_count(suite, &flood->count[1][NI_EVENT_AUTO_UNLINK], 1);
    suite_call(suite, 1, search, flood);
}

/* ---- limits ---------------------------------------------------------------------------------- */

enum { HEADERS = 5 };

static void enable(struct suite_ni *ni, void *arg)
{
    (void)arg;
    CHECK(ni_pt_enable(ni->ni, 2) == NI_OK);
}

static void put_rest(struct suite_ni *ni, void *arg)
{
    flood_put_from(ni, arg, HEADERS, PUTS);
}

/* Room for data is left, but none for headers: the entry is disabled, and says so unless it is not
 * to. */
static void end_headers(struct suite *suite, unsigned extra)
{
    struct flood *flood = flood_new(suite, 40, false);

    flood->extra = extra;
    flood->options = NI_PT_FLOWCTRL;
    flood->headers = HEADERS;
    flood_open_both(suite, flood);
    suite_call(suite, 1, flood_post_slabs, flood);
    suite_call(suite, 0, flood_put_all, flood);
    suite_until_count(suite, &flood->count[0][NI_EVENT_ACK], PUTS);
    CHECK(flood->refused == PUTS - HEADERS && flood->refusal == NI_NI_PT_DISABLED);
    CHECK(flood_told(flood, NI_EVENT_PT_DISABLED) == (extra == 0));
    CHECK(flood_told(flood, NI_EVENT_PUT) == HEADERS);
    suite_call(suite, 1, flood_want_all, flood);
    CHECK(flood_told(flood, NI_EVENT_PUT_OVERFLOW) == HEADERS);
}

static void headers_end(struct suite *suite)
{
    end_headers(suite, 0);
}

static void headers_end_quietly(struct suite *suite)
{
    end_headers(suite, NI_ME_EVENT_FLOWCTRL_DISABLE);
}

/* The same without flow control: they are dropped. */
static void headers_drop(struct suite *suite)
{
    struct flood *flood = flood_new(suite, 40, false);

    flood->headers = HEADERS;
    flood_open_both(suite, flood);
    suite_call(suite, 1, flood_post_slabs, flood);
    suite_call(suite, 0, flood_put_all, flood);
    suite_until_count(suite, &flood->count[0][NI_EVENT_ACK], PUTS);
    CHECK(flood->refused == PUTS - HEADERS && flood->refusal == NI_NI_DROPPED);
    CHECK(flood_told(flood, NI_EVENT_PT_DISABLED) == 0);
}

/* No overflow entry is left: it goes on when there is one again. */
static void slabs_end(struct suite *suite)
{
    struct flood *flood = flood_new(suite, 2000, false);

    flood->options = NI_PT_FLOWCTRL;
    flood->slab_length = HEADERS * (size_t)flood->length + flood->length;
    for (unsigned i = 0; i < SLABS; i++) {
        flood->slab[i] = suite_alloc(suite, flood->slab_length);
    }
    flood_open_both(suite, flood);
    suite_call(suite, 1, post_first, flood);
    suite_call(suite, 0, flood_put_all, flood);
    suite_until_count(suite, &flood->count[0][NI_EVENT_ACK], PUTS);
    CHECK(flood->refused == PUTS - HEADERS && flood->refusal == NI_NI_PT_DISABLED);
    CHECK(flood_told(flood, NI_EVENT_PT_DISABLED) == 1 &&
          flood_told(flood, NI_EVENT_AUTO_UNLINK) == 1);
    suite_call(suite, 1, flood_post_slabs, flood);
    suite_call(suite, 1, enable, NULL);
    suite_call(suite, 0, put_rest, flood);
    suite_until_count(suite, &flood->count[0][NI_EVENT_ACK], 2 * PUTS - HEADERS);
    CHECK(flood->refused == PUTS - HEADERS);
    suite_until_count(suite, &flood->count[1][NI_EVENT_PUT], PUTS);
}

/* ---- peers that go away ---------------------------------------------------------------------- */

/* What has come from a peer that is gone can still be matched, also what came only in part. */
static void end_initiator(struct suite *suite, bool vector)
{
    struct flood *flood = flood_new(suite, LONG, false);

    if (vector) {
        flood_cut(suite, flood);
    }
    flood_open_both(suite, flood);
    suite_call(suite, 1, flood_post_slabs, flood);
    suite_call(suite, 0, put_four, flood);
    suite_kill(suite, 0);
    while (atomic_load(&suite->nis[1].downs[0]) == 0) {
        suite_rest(suite);
    }
    suite_call(suite, 1, flood_want_all, flood);
    for (uint64_t n = 0; n < flood_told(flood, NI_EVENT_PUT_OVERFLOW); n++) {
        const struct ni_event *event = &flood->events[NI_EVENT_PUT_OVERFLOW][n];

        CHECK(event->mlength == (event->ni_fail_type == NI_NI_OK ? LONG : 0));
    }
}

static void initiator_dies(struct suite *suite)
{
    end_initiator(suite, false);
}

static void initiator_dies_vector(struct suite *suite)
{
    end_initiator(suite, true);
}

static const struct suite_case cases[] = {
    {"refused_appends", 1, SUITE_NEEDS_NOTHING, refused_appends},
    {"spaces", 2, SUITE_NEEDS_NOTHING, spaces},
    {"hidden", 2, SUITE_NEEDS_NOTHING, hidden},
    {"searches", 2, SUITE_NEEDS_NOTHING, searches},
    {"headers_end", 2, SUITE_NEEDS_NOTHING, headers_end},
    {"headers_end_quietly", 2, SUITE_NEEDS_NOTHING, headers_end_quietly},
    {"headers_drop", 2, SUITE_NEEDS_NOTHING, headers_drop},
    {"slabs_end", 2, SUITE_NEEDS_NOTHING, slabs_end},
    {"initiator_dies", 2, SUITE_NEEDS_KILL, initiator_dies},
    {"initiator_dies_vector", 2, SUITE_NEEDS_KILL, initiator_dies_vector},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
