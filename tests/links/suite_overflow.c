/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite_portals.h"

/*
 * Overflow lists: messages that nothing waits for go to a buffer of the user's, whose entries say when
 * it is full, and when all in it is done with.
 */

enum { SLABS = 3, SLAB = 4096, PUTS = 12, LONG = 150000, KINDS = SUITE_EVENT_KINDS, MOST = 64 };

struct flood {
    bool self;
    uint32_t length;  /* of each put */
    unsigned options; /* of the portal table entry */
    unsigned extra;   /* options of the overflow entries */
    uint32_t headers; /* limit */
    struct ni_eq *eq[2];
    uint8_t *from, *slab[SLABS];
    uint8_t *to; /* a place for each put: two may arrive at the same time */
    size_t slab_length;
    _Atomic uint64_t count[2][KINDS];
    struct ni_event events[KINDS][MOST]; /* at the target */
    uint64_t refused;                    /* ACKs of puts that were refused */
    enum ni_ni_fail refusal;
    ni_me_handle slab_entry[SLABS];
};

static void at_initiator(void *arg, const struct ni_event *event)
{
    struct flood *flood = arg;

    CHECK((unsigned)event->type < KINDS);
    if (event->type == NI_EVENT_ACK && event->ni_fail_type != NI_NI_OK) {
        flood->refused++;
        flood->refusal = event->ni_fail_type;
    }
    atomic_fetch_add(&flood->count[0][event->type], 1);
}

static void at_target(void *arg, const struct ni_event *event)
{
    struct flood *flood = arg;
    uint64_t n;

    CHECK((unsigned)event->type < KINDS);
    n = atomic_load(&flood->count[1][event->type]);
    CHECK(n < MOST);
    flood->events[event->type][n] = *event;
    atomic_store(&flood->count[1][event->type], n + 1);
}

static uint64_t told(struct flood *flood, enum ni_event_kind kind)
{
    return atomic_load(&flood->count[1][kind]);
}

static void open_target(struct suite_ni *ni, void *arg)
{
    struct flood *flood = arg;
    const struct ni_limits limits = {.max_unexpected_headers = flood->headers};
    uint32_t index;

    CHECK(ni_portals_open(ni->ni, &limits, NULL) == NI_OK);
    CHECK(ni_eq_alloc_handler(ni->ni, at_target, flood, &flood->eq[1]) == NI_OK);
    CHECK(ni_pt_alloc(ni->ni, flood->options, flood->eq[1], 2, &index) == NI_OK);
}

static void open_initiator(struct suite_ni *ni, void *arg)
{
    struct flood *flood = arg;

    if (!flood->self) {
        CHECK(ni_portals_open(ni->ni, NULL, NULL) == NI_OK);
    }
    CHECK(ni_eq_alloc_handler(ni->ni, at_initiator, flood, &flood->eq[0]) == NI_OK);
}

static struct flood *new_flood(struct suite *suite, uint32_t length, bool self)
{
    struct flood *flood = suite_alloc(suite, sizeof(*flood));

    flood->self = self;
    flood->length = length;
    flood->slab_length = length > SLAB / 4 ? 4 * (size_t)length : SLAB;
    flood->from = suite_alloc(suite, PUTS * (size_t)length + 8);
    flood->to = suite_alloc(suite, PUTS * ((size_t)length + 8));
    for (unsigned i = 0; i < SLABS; i++) {
        flood->slab[i] = suite_alloc(suite, flood->slab_length);
    }
    suite_fill(flood->from, PUTS * (size_t)length, 9);
    return flood;
}

static void open_both(struct suite *suite, struct flood *flood)
{
    suite_call(suite, flood->self ? 0 : 1, open_target, flood);
    suite_call(suite, 0, open_initiator, flood);
}

static void post_slab(struct suite_ni *ni, struct flood *flood, unsigned i)
{
    const struct ni_me me = {.start = flood->slab[i],
                             .length = flood->slab_length,
                             .ignore_bits = UINT64_MAX,
                             .match_id = NI_INITIATOR_ANY,
                             .min_free = flood->length + 1,
                             .options = NI_ME_OP_PUT | NI_ME_MANAGE_LOCAL | flood->extra};

    CHECK(ni_me_append(ni->ni, 2, &me, NI_OVERFLOW_LIST, (void *)(uintptr_t)(100 + i),
                       &flood->slab_entry[i]) == NI_OK);
}

static void post_slabs(struct suite_ni *ni, void *arg)
{
    for (unsigned i = 0; i < SLABS; i++) {
        post_slab(ni, arg, i);
    }
}

static void put_from(struct suite_ni *ni, struct flood *flood, uint64_t first, uint64_t end)
{
    const struct ni_md md = {.length = SIZE_MAX, .eq = flood->eq[0]};

    for (uint64_t i = first; i < end; i++) {
        CHECK(ni_put(ni->ni, &md, (uintptr_t)flood->from + i % PUTS * flood->length, flood->length,
                     NI_ACK_REQ, flood->self ? NULL : ni->peers[1], 2, i, i % 2, NULL, i) == NI_OK);
    }
}

static void put_all(struct suite_ni *ni, void *arg)
{
    put_from(ni, arg, 0, PUTS);
}

static uint8_t *place_of(const struct flood *flood, uint64_t bits)
{
    return flood->to + bits % PUTS * (flood->length + 8);
}

/* An entry of the priority list, to be used once. */
static struct ni_me wanted(struct flood *flood, uint64_t bits, unsigned options)
{
    return (struct ni_me){.start = place_of(flood, bits),
                          .length = flood->length,
                          .match_bits = bits,
                          .match_id = NI_INITIATOR_ANY,
                          .options = NI_ME_OP_PUT | NI_ME_USE_ONCE | options};
}

static void want_all(struct suite_ni *ni, void *arg)
{
    struct flood *flood = arg;

    /* The other way round, so that the first slab is free last. */
    for (uint64_t i = PUTS; i-- != 0;) {
        const struct ni_me me = wanted(flood, i, NI_ME_EVENT_UNLINK_DISABLE);
        uint64_t before = told(flood, NI_EVENT_PUT_OVERFLOW);
        ni_me_handle handle = 1;

        CHECK(ni_me_append(ni->ni, 2, &me, NI_PRIORITY_LIST, (void *)(uintptr_t)i, &handle) ==
              NI_OK);
        /* One that matched is never linked. */
        CHECK(handle == 0 || told(flood, NI_EVENT_PUT_OVERFLOW) == before);
    }
}

static bool in_slab(const struct flood *flood, const struct ni_event *event)
{
    const uint8_t *start = event->start;

    for (unsigned i = 0; i < SLABS; i++) {
        if (start >= flood->slab[i] && start < flood->slab[i] + flood->slab_length) {
            return start == flood->slab[i] + event->remote_offset;
        }
    }
    return false;
}

/* That an event's data is that of the put that it names. */
static void check_spilled(const struct flood *flood, const struct ni_event *event)
{
    const uint8_t *source = flood->from + event->hdr_data % PUTS * flood->length;

    CHECK(event->ni_fail_type == NI_NI_OK && event->match_bits == event->hdr_data);
    CHECK(event->mlength == flood->length && event->rlength == flood->length);
    CHECK(flood->length == 0 || in_slab(flood, event));
    CHECK(flood->length == 0 || memcmp(event->start, source, flood->length) == 0);
}

static void nothing_left(struct suite_ni *ni, void *arg)
{
    (void)arg;
    CHECK(suite_stat(ni, "match_unexpected") == 0);
    CHECK(ni_pt_free(ni->ni, 2) == NI_OK);
}

/* Puts fill the slabs one after the other; entries get what is there, the last of each frees it. */
static void slabs(struct suite *suite, uint32_t length, bool self)
{
    struct flood *flood = new_flood(suite, length, self);
    unsigned target = self ? 0 : 1;
    uint64_t full;

    open_both(suite, flood);
    suite_call(suite, target, post_slabs, flood);
    suite_call(suite, 0, put_all, flood);
    suite_until_count(suite, &flood->count[0][NI_EVENT_ACK], PUTS);
    CHECK(flood->refused == (length > SLAB / 4 ? PUTS - 3 * SLABS : 0));
    suite_until_count(suite, &flood->count[1][NI_EVENT_PUT], PUTS - flood->refused);
    full = told(flood, NI_EVENT_AUTO_UNLINK);
    CHECK(full == (length > SLAB / 4 ? SLABS : 0));
    CHECK(told(flood, NI_EVENT_AUTO_FREE) == 0);
    for (uint64_t n = 0; n < PUTS - flood->refused; n++) {
        check_spilled(flood, &flood->events[NI_EVENT_PUT][n]);
        CHECK((uintptr_t)flood->events[NI_EVENT_PUT][n].user_ptr >= 100);
    }
}

static void take_slabs(struct suite *suite, uint32_t length, bool self)
{
    struct flood *flood = new_flood(suite, length, self);
    unsigned target = self ? 0 : 1;

    flood->options = NI_PT_UNEXPECTED; /* for those that find the slabs full */
    flood->extra = NI_ME_EVENT_COMM_DISABLE;
    open_both(suite, flood);
    suite_call(suite, target, post_slabs, flood);
    suite_call(suite, 0, put_all, flood);
    suite_until_kept(suite, target, PUTS);
    suite_until_count(suite, &flood->count[0][NI_EVENT_ACK], (uint64_t)3 * SLABS);
    suite_call(suite, target, want_all, flood);
    suite_until_count(suite, &flood->count[1][NI_EVENT_PUT_OVERFLOW], PUTS);
    suite_until_count(suite, &flood->count[0][NI_EVENT_ACK], PUTS);
    CHECK(flood->refused == 0 && told(flood, NI_EVENT_PUT) == 0);
    for (uint64_t n = 0; n < PUTS; n++) {
        const struct ni_event *event = &flood->events[NI_EVENT_PUT_OVERFLOW][n];

        CHECK((uintptr_t)event->user_ptr == event->hdr_data);
        if (event->hdr_data < 3 * SLABS) {
            check_spilled(flood, event);
        } else {
            CHECK(event->start == place_of(flood, event->match_bits) + event->remote_offset);
        }
    }
    suite_until_count(suite, &flood->count[1][NI_EVENT_AUTO_FREE], SLABS);
    for (unsigned i = 0; i < SLABS; i++) {
        const struct ni_event *event = &flood->events[NI_EVENT_AUTO_FREE][i];

        CHECK(event->user_ptr == (void *)(uintptr_t)(100 + SLABS - 1 - i));
        CHECK(event->start == flood->slab[SLABS - 1 - i] && event->pt_index == 2);
    }
    suite_call(suite, target, nothing_left, NULL);
}

static void filled_short(struct suite *suite)
{
    slabs(suite, 24, false);
}

static void filled_none(struct suite *suite)
{
    slabs(suite, 0, false);
}

static void filled_eager(struct suite *suite)
{
    slabs(suite, 2000, false);
}

static void filled_long(struct suite *suite)
{
    slabs(suite, LONG, false);
}

static void filled_self(struct suite *suite)
{
    slabs(suite, LONG, true);
}

static void taken_eager(struct suite *suite)
{
    take_slabs(suite, 3000, false);
}

static void taken_long(struct suite *suite)
{
    take_slabs(suite, LONG, false);
}

static void taken_self(struct suite *suite)
{
    take_slabs(suite, 2000, true);
}

/* ---- while the data comes --------------------------------------------------------------------- */

static void put_some(struct suite_ni *ni, void *arg)
{
    put_from(ni, arg, 0, 3 * SLABS);
}

/* Entries that come while data is still on its way get it when it is there. */
static void meanwhile(struct suite *suite)
{
    struct flood *flood = new_flood(suite, LONG, false);

    open_both(suite, flood);
    flood->extra = NI_ME_EVENT_COMM_DISABLE;
    suite_call(suite, 1, post_slabs, flood);
    suite_begin(suite, 0, put_some, flood);
    suite_call(suite, 1, want_all, flood);
    suite_end(suite, 0);
    suite_until_count(suite, &flood->count[0][NI_EVENT_ACK], 3 * SLABS);
    while (told(flood, NI_EVENT_PUT) + told(flood, NI_EVENT_PUT_OVERFLOW) != 3 * SLABS) {
        suite_rest(suite);
    }
    for (uint64_t n = 0; n < told(flood, NI_EVENT_PUT_OVERFLOW); n++) {
        check_spilled(flood, &flood->events[NI_EVENT_PUT_OVERFLOW][n]);
    }
    CHECK(flood->refused == 0);
}

/* ---- options ---------------------------------------------------------------------------------- */

static void bad_appends(struct suite_ni *ni, void *arg)
{
    struct flood *flood = arg;
    struct ni_me me = wanted(flood, 0, NI_ME_EVENT_LINK);
    ni_me_handle handle;

    CHECK(ni_me_append(ni->ni, 2, &me, (enum ni_list_kind)2, NULL, NULL) == NI_PTL_ARG_INVALID);
    me.options |= 1U << 31;
    CHECK(ni_me_append(ni->ni, 2, &me, NI_OVERFLOW_LIST, NULL, NULL) == NI_PTL_ARG_INVALID);
    me.options &= ~(1U << 31);
    CHECK(ni_me_append(ni->ni, 3, &me, NI_OVERFLOW_LIST, NULL, NULL) == NI_PTL_ARG_INVALID);
    CHECK(told(flood, NI_EVENT_LINK) == 0);
    CHECK(ni_me_append(ni->ni, 2, &me, NI_OVERFLOW_LIST, (void *)7, &handle) == NI_OK);
    CHECK(told(flood, NI_EVENT_LINK) == 1);
    CHECK(flood->events[NI_EVENT_LINK][0].user_ptr == (void *)7);
    CHECK(ni_pt_free(ni->ni, 2) == NI_PTL_PT_IN_USE);
    CHECK(ni_me_unlink(ni->ni, handle) == NI_OK);
    CHECK(ni_me_unlink(ni->ni, handle) == NI_PTL_ARG_INVALID);
    CHECK(ni_me_append(ni->ni, 2, &me, NI_PRIORITY_LIST, (void *)8, &handle) == NI_OK);
    CHECK(told(flood, NI_EVENT_LINK) == 2 && ni_me_unlink(ni->ni, handle) == NI_OK);
}

static void refused_appends(struct suite *suite)
{
    struct flood *flood = new_flood(suite, 8, true);

    open_both(suite, flood);
    suite_call(suite, 0, bad_appends, flood);
}

static void not_yet(struct suite_ni *ni, void *arg)
{
    struct flood *flood = arg;
    struct ni_me me = wanted(flood, PUTS, 0);

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
    CHECK(told(flood, NI_EVENT_PUT_OVERFLOW) == 3 && told(flood, NI_EVENT_AUTO_UNLINK) == 1);
    /* Without that option none. */
    me.options = NI_ME_OP_PUT | NI_ME_MANAGE_LOCAL | NI_ME_EVENT_OVER_DISABLE;
    CHECK(ni_me_append(ni->ni, 2, &me, NI_PRIORITY_LIST, (void *)2, &flood->slab_entry[1]) ==
          NI_OK);
    CHECK(told(flood, NI_EVENT_PUT_OVERFLOW) == 3 && suite_stat(ni, "match_unexpected") == 0);
    CHECK(ni_me_unlink(ni->ni, flood->slab_entry[1]) == NI_OK);
    CHECK(ni_me_unlink(ni->ni, flood->slab_entry[0]) == NI_OK);
    CHECK(told(flood, NI_EVENT_AUTO_FREE) == 0);
}

static void post_first(struct suite_ni *ni, void *arg)
{
    post_slab(ni, arg, 0);
}

static void spaces(struct suite *suite)
{
    struct flood *flood = new_flood(suite, 40, false);

    open_both(suite, flood);
    suite_call(suite, 1, post_first, flood);
    suite_call(suite, 0, put_all, flood);
    suite_until_count(suite, &flood->count[0][NI_EVENT_ACK], PUTS);
    suite_call(suite, 1, not_yet, flood);
    CHECK(told(flood, NI_EVENT_PUT) == PUTS);
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
    struct flood *flood = new_flood(suite, 40, false);

    flood->extra = NI_ME_UNEXPECTED_HDR_DISABLE;
    flood->headers = 1;
    open_both(suite, flood);
    suite_call(suite, 1, post_first, flood);
    suite_call(suite, 0, put_all, flood);
    suite_until_count(suite, &flood->count[0][NI_EVENT_ACK], PUTS);
    suite_until_count(suite, &flood->count[1][NI_EVENT_PUT], PUTS);
    CHECK(flood->refused == 0);
    suite_call(suite, 1, no_headers, flood);
}

/* ---- searches --------------------------------------------------------------------------------- */

static void search(struct suite_ni *ni, void *arg)
{
    struct flood *flood = arg;
    struct ni_me me = wanted(flood, 1, NI_ME_EVENT_UNLINK_DISABLE);
    const struct ni_event *found = &flood->events[NI_EVENT_SEARCH][0];
    struct ni_event event;

    CHECK(ni_me_search(ni->ni, 2, &me, NI_SEARCH_ONLY, (void *)5) == NI_OK);
    CHECK(told(flood, NI_EVENT_SEARCH) == 1 && found->user_ptr == (void *)5);
    check_spilled(flood, found);
    CHECK(ni_me_search(ni->ni, 2, &me, NI_SEARCH_DELETE, (void *)6) == NI_OK);
    CHECK(told(flood, NI_EVENT_SEARCH) == 1 && told(flood, NI_EVENT_PUT_OVERFLOW) == 1);
    check_spilled(flood, &flood->events[NI_EVENT_PUT_OVERFLOW][0]);
    CHECK(flood->events[NI_EVENT_PUT_OVERFLOW][0].user_ptr == (void *)6);
    CHECK(ni_me_search(ni->ni, 2, &me, NI_SEARCH_DELETE, (void *)7) == NI_OK);
    CHECK(told(flood, NI_EVENT_SEARCH) == 2 && found[1].ni_fail_type == NI_NI_NO_MATCH);
    /* Claimed, and dropped; claimed, and received. */
    me.match_bits = 2;
    CHECK(ni_me_probe(ni->ni, 2, &me, NI_SEARCH_DELETE, &event) == NI_OK);
    check_spilled(flood, &event);
    CHECK(ni_unexpected_drop(ni->ni, event.unexpected) == NI_OK);
    CHECK(ni_unexpected_drop(ni->ni, event.unexpected) == NI_PTL_ARG_INVALID);
    me.match_bits = 3;
    CHECK(ni_me_probe(ni->ni, 2, &me, NI_SEARCH_DELETE, &event) == NI_OK);
    CHECK(told(flood, NI_EVENT_AUTO_FREE) == 0);
    CHECK(ni_pt_free(ni->ni, 2) == NI_PTL_PT_IN_USE);
    CHECK(ni_unexpected_receive(ni->ni, event.unexpected, &me, (void *)8) == NI_OK);
    CHECK(told(flood, NI_EVENT_PUT_OVERFLOW) == 2);
    CHECK(flood->events[NI_EVENT_PUT_OVERFLOW][1].user_ptr == (void *)8);
    check_spilled(flood, &flood->events[NI_EVENT_PUT_OVERFLOW][1]);
    CHECK(told(flood, NI_EVENT_AUTO_FREE) == 0);
    /* What is left of the first slab is dropped with the table entry, which frees it. */
    CHECK(ni_me_unlink(ni->ni, flood->slab_entry[1]) == NI_OK);
    CHECK(ni_me_unlink(ni->ni, flood->slab_entry[2]) == NI_OK);
    CHECK(ni_pt_free(ni->ni, 2) == NI_OK);
    CHECK(told(flood, NI_EVENT_AUTO_FREE) == 1);
    CHECK(suite_stat(ni, "match_unexpected") == 0);
}

static void put_four(struct suite_ni *ni, void *arg)
{
    put_from(ni, arg, 0, 4);
}

static void searches(struct suite *suite)
{
    struct flood *flood = new_flood(suite, 3000, false);

    open_both(suite, flood);
    flood->slab_length = 5 * 3000; /* full with four */
    for (unsigned i = 0; i < SLABS; i++) {
        flood->slab[i] = suite_alloc(suite, flood->slab_length);
    }
    suite_call(suite, 1, post_slabs, flood);
    suite_call(suite, 0, put_four, flood);
    suite_until_count(suite, &flood->count[0][NI_EVENT_ACK], 4);
    suite_until_count(suite, &flood->count[1][NI_EVENT_AUTO_UNLINK], 1);
    suite_call(suite, 1, search, flood);
}

/* ---- limits ----------------------------------------------------------------------------------- */

enum { HEADERS = 5 };

static void enable(struct suite_ni *ni, void *arg)
{
    (void)arg;
    CHECK(ni_pt_enable(ni->ni, 2) == NI_OK);
}

static void put_rest(struct suite_ni *ni, void *arg)
{
    put_from(ni, arg, HEADERS, PUTS);
}

/* Room for data is left, but none for headers: the entry is disabled, and says so. */
static void headers_end(struct suite *suite)
{
    struct flood *flood = new_flood(suite, 40, false);

    flood->options = NI_PT_FLOWCTRL;
    flood->headers = HEADERS;
    open_both(suite, flood);
    suite_call(suite, 1, post_slabs, flood);
    suite_call(suite, 0, put_all, flood);
    suite_until_count(suite, &flood->count[0][NI_EVENT_ACK], PUTS);
    CHECK(flood->refused == PUTS - HEADERS && flood->refusal == NI_NI_PT_DISABLED);
    CHECK(told(flood, NI_EVENT_PT_DISABLED) == 1 && told(flood, NI_EVENT_PUT) == HEADERS);
    suite_call(suite, 1, want_all, flood);
    CHECK(told(flood, NI_EVENT_PUT_OVERFLOW) == HEADERS);
}

/* The same without flow control: they are dropped. */
static void headers_drop(struct suite *suite)
{
    struct flood *flood = new_flood(suite, 40, false);

    flood->headers = HEADERS;
    open_both(suite, flood);
    suite_call(suite, 1, post_slabs, flood);
    suite_call(suite, 0, put_all, flood);
    suite_until_count(suite, &flood->count[0][NI_EVENT_ACK], PUTS);
    CHECK(flood->refused == PUTS - HEADERS && flood->refusal == NI_NI_DROPPED);
    CHECK(told(flood, NI_EVENT_PT_DISABLED) == 0);
}

/* No overflow entry is left: it goes on when there is one again. */
static void slabs_end(struct suite *suite)
{
    struct flood *flood = new_flood(suite, 2000, false);

    flood->options = NI_PT_FLOWCTRL;
    flood->slab_length = HEADERS * (size_t)flood->length + flood->length;
    for (unsigned i = 0; i < SLABS; i++) {
        flood->slab[i] = suite_alloc(suite, flood->slab_length);
    }
    open_both(suite, flood);
    suite_call(suite, 1, post_first, flood);
    suite_call(suite, 0, put_all, flood);
    suite_until_count(suite, &flood->count[0][NI_EVENT_ACK], PUTS);
    CHECK(flood->refused == PUTS - HEADERS && flood->refusal == NI_NI_PT_DISABLED);
    CHECK(told(flood, NI_EVENT_PT_DISABLED) == 1 && told(flood, NI_EVENT_AUTO_UNLINK) == 1);
    suite_call(suite, 1, post_slabs, flood);
    suite_call(suite, 1, enable, NULL);
    suite_call(suite, 0, put_rest, flood);
    suite_until_count(suite, &flood->count[0][NI_EVENT_ACK], 2 * PUTS - HEADERS);
    CHECK(flood->refused == PUTS - HEADERS);
    suite_until_count(suite, &flood->count[1][NI_EVENT_PUT], PUTS);
}

/* ---- peers that go away ----------------------------------------------------------------------- */

/* What has come from a peer that is gone can still be matched, also what came only in part. */
static void initiator_dies(struct suite *suite)
{
    struct flood *flood = new_flood(suite, LONG, false);

    open_both(suite, flood);
    suite_call(suite, 1, post_slabs, flood);
    suite_call(suite, 0, put_four, flood);
    suite_kill(suite, 0);
    while (atomic_load(&suite->nis[1].downs[0]) == 0) {
        suite_rest(suite);
    }
    suite_call(suite, 1, want_all, flood);
    for (uint64_t n = 0; n < told(flood, NI_EVENT_PUT_OVERFLOW); n++) {
        const struct ni_event *event = &flood->events[NI_EVENT_PUT_OVERFLOW][n];

        CHECK(event->mlength == (event->ni_fail_type == NI_NI_OK ? LONG : 0));
    }
}

static const struct suite_case cases[] = {
    {"filled_short", 2, SUITE_NEEDS_NOTHING, filled_short},
    {"filled_none", 2, SUITE_NEEDS_NOTHING, filled_none},
    {"filled_eager", 2, SUITE_NEEDS_NOTHING, filled_eager},
    {"filled_long", 2, SUITE_NEEDS_NOTHING, filled_long},
    {"filled_self", 1, SUITE_NEEDS_NOTHING, filled_self},
    {"taken_eager", 2, SUITE_NEEDS_NOTHING, taken_eager},
    {"taken_long", 2, SUITE_NEEDS_NOTHING, taken_long},
    {"taken_self", 1, SUITE_NEEDS_NOTHING, taken_self},
    {"meanwhile", 2, SUITE_NEEDS_NOTHING, meanwhile},
    {"refused_appends", 1, SUITE_NEEDS_NOTHING, refused_appends},
    {"spaces", 2, SUITE_NEEDS_NOTHING, spaces},
    {"hidden", 2, SUITE_NEEDS_NOTHING, hidden},
    {"searches", 2, SUITE_NEEDS_NOTHING, searches},
    {"headers_end", 2, SUITE_NEEDS_NOTHING, headers_end},
    {"headers_drop", 2, SUITE_NEEDS_NOTHING, headers_drop},
    {"slabs_end", 2, SUITE_NEEDS_NOTHING, slabs_end},
    {"initiator_dies", 2, SUITE_NEEDS_KILL, initiator_dies},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
