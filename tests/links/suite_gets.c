/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/portals/self.c. */
/* Covers: ni/portals/answer.c ni/portals/request.c ni/portals/request_in.c
 * ni/portals/request_send.c ni/portals/serve.c. */
#include "suite_portals.h"

/*
 * Gets: of any length, to peers and to oneself, truncated, at offsets, in order with puts; what is
 * refused and why; many at once; and what is left when the target dies.
 */

enum { SOURCE = 1 << 20, SIZES = 12, MANY = 300, LONGEST = 40000, TURNS = 200 };

static const uint32_t sizes[SIZES] = {0, 1, 8, 24, 25, 63, 500, 2048, 2049, 16384, 100000, SOURCE};

struct gets {
    struct suite_end *from, *to;
    uint8_t *source, *dest[MANY];
    uint32_t size[MANY], offset[MANY];
    unsigned count;
    uint64_t *values, *seen;
    struct ni_ct *ct;
};

static struct gets *start(struct suite *suite, bool self)
{
    struct gets *gets = suite_alloc(suite, sizeof(*gets));

    gets->from = suite_end_new(suite, 0);
    gets->to = self ? gets->from : suite_end_new(suite, 1);
    gets->from->self = self;
    gets->source = suite_alloc(suite, SOURCE);
    suite_fill(gets->source, SOURCE, suite->seed);
    return gets;
}

/* What a get is to see. */
static struct ni_me entry_of(struct gets *gets)
{
    return (struct ni_me){.start = gets->source,
                          .length = SOURCE,
                          .ignore_bits = UINT64_MAX,
                          .match_id = NI_INITIATOR_ANY,
                          .options = NI_ME_OP_GET};
}

static void post(struct suite_ni *ni, void *arg)
{
    struct gets *gets = arg;
    const struct ni_me me = entry_of(gets);

    CHECK(ni_me_append(ni->ni, gets->to->pt, &me, NI_PRIORITY_LIST, NULL, &gets->to->last) ==
          NI_OK);
}

static int get(struct suite_ni *ni, struct gets *gets, const struct ni_md *md, unsigned pt,
               uint64_t match_bits, size_t i)
{
    return ni_get(ni->ni, md, (uintptr_t)gets->dest[i], gets->size[i],
                  gets->from->self ? NULL : ni->peers[1], pt, match_bits, gets->offset[i],
                  (void *)(uintptr_t)i);
}

static void get_all(struct suite_ni *ni, void *arg)
{
    struct gets *gets = arg;

    for (size_t i = 0; i < gets->count; i++) {
        CHECK(get(ni, gets, &gets->from->md, gets->to->pt, i, i) == NI_OK);
    }
}

static uint32_t expected(const struct gets *gets, size_t i)
{
    uint32_t room = SOURCE - gets->offset[i];

    return gets->size[i] < room ? gets->size[i] : room;
}

static void check_replies(const struct gets *gets)
{
    for (unsigned n = 0; n < gets->count; n++) {
        const struct ni_event *event = suite_event(gets->from, NI_EVENT_REPLY, n);
        size_t i = (size_t)(uintptr_t)event->user_ptr;

        CHECK(event->ni_fail_type == NI_NI_OK && i < gets->count);
        CHECK(event->rlength == gets->size[i] && event->mlength == expected(gets, i));
        CHECK(event->start == gets->dest[i] && event->remote_offset == gets->offset[i]);
        CHECK(memcmp(gets->dest[i], gets->source + gets->offset[i], expected(gets, i)) == 0);
        for (uint32_t at = expected(gets, i); at < gets->size[i]; at++) {
            CHECK(gets->dest[i][at] == 0);
        }
    }
}

static void check_target(struct suite *suite, const struct gets *gets)
{
    suite_until_events(suite, gets->to, NI_EVENT_GET, gets->count);
    for (unsigned n = 0; n < gets->count; n++) {
        const struct ni_event *event = suite_event(gets->to, NI_EVENT_GET, n);
        size_t i = event->match_bits;

        CHECK(event->ni_fail_type == NI_NI_OK && i < gets->count && event->hdr_data == 0);
        CHECK(event->rlength == gets->size[i] && event->mlength == expected(gets, i));
        CHECK(event->start == gets->source + gets->offset[i]);
        CHECK((event->peer == NULL) == gets->from->self);
    }
}

static void run(struct suite *suite, struct gets *gets)
{
    for (unsigned i = 0; i < gets->count; i++) {
        gets->dest[i] = suite_alloc(suite, gets->size[i] + 1);
    }
    suite_call(suite, gets->to->ni->index, post, gets);
    suite_call(suite, 0, get_all, gets);
    suite_until_events(suite, gets->from, NI_EVENT_REPLY, gets->count);
    check_replies(gets);
    check_target(suite, gets);
    suite_rest(suite);
    CHECK(suite_count(gets->from, NI_EVENT_REPLY) == gets->count);
    CHECK(suite_count(gets->from, NI_EVENT_SEND) == 0);
    CHECK(suite_count(gets->from, NI_EVENT_ACK) == 0);
}

/* Each length from the start, then each so that half of it is beyond the end. */
static void run_sizes(struct suite *suite, bool self)
{
    struct gets *gets = start(suite, self);

    gets->count = 2 * SIZES;
    for (unsigned i = 0; i < SIZES; i++) {
        gets->size[i] = gets->size[SIZES + i] = sizes[i];
        gets->offset[SIZES + i] = SOURCE - sizes[i] / 2;
    }
    run(suite, gets);
}

static void lengths(struct suite *suite)
{
    run_sizes(suite, false);
}

static void lengths_self(struct suite *suite)
{
    run_sizes(suite, true);
}

static void many(struct suite *suite)
{
    struct gets *gets = start(suite, false);

    gets->count = MANY;
    for (unsigned i = 0; i < MANY; i++) {
        uint32_t most = i % 10 == 0 ? LONGEST : i % 3 == 0 ? 4000 : 64;

        gets->size[i] = (uint32_t)ni_rng_below(&suite->rng, most);
        gets->offset[i] = (uint32_t)ni_rng_below(&suite->rng, SOURCE);
    }
    run(suite, gets);
}

/* ---- order with puts ------------------------------------------------------------------------- */

static void post_value(struct suite_ni *ni, void *arg)
{
    struct gets *gets = arg;
    struct ni_me me = entry_of(gets);

    me.length = sizeof(uint64_t);
    me.options = NI_ME_OP_GET | NI_ME_OP_PUT | NI_ME_EVENT_COMM_DISABLE;
    CHECK(ni_me_append(ni->ni, gets->to->pt, &me, NI_PRIORITY_LIST, NULL, NULL) == NI_OK);
}

static void put_and_get(struct suite_ni *ni, void *arg)
{
    struct gets *gets = arg;

    for (size_t i = 0; i < TURNS; i++) {
        gets->values[i] = 1000 + i;
        CHECK(ni_put(ni->ni, &gets->from->md, (uintptr_t)&gets->values[i], 8, NI_NO_ACK_REQ,
                     ni->peers[1], gets->to->pt, i, 0, NULL, 0) == NI_OK);
        CHECK(ni_get(ni->ni, &gets->from->md, (uintptr_t)&gets->seen[i], 8, ni->peers[1],
                     gets->to->pt, i, 0, NULL) == NI_OK);
    }
}

static void order(struct suite *suite)
{
    struct gets *gets = start(suite, false);

    gets->values = suite_alloc(suite, TURNS * sizeof(uint64_t));
    gets->seen = suite_alloc(suite, TURNS * sizeof(uint64_t));
    suite_call(suite, 1, post_value, gets);
    suite_call(suite, 0, put_and_get, gets);
    suite_until_events(suite, gets->from, NI_EVENT_REPLY, TURNS);
    for (unsigned i = 0; i < TURNS; i++) {
        CHECK(gets->seen[i] == 1000 + i);
    }
    suite_rest(suite);
    CHECK(suite_count(gets->to, NI_EVENT_GET) == 0 && suite_count(gets->to, NI_EVENT_PUT) == 0);
}

/* ---- refusals -------------------------------------------------------------------------------- */

enum {
    WRONG_ENTRY,
    NOTHING_MATCHES,
    NO_SUCH_INDEX,
    NOTHING_KEPT,
    DISABLED,
    FLOW,
    FLOW_AGAIN,
    WHYS
};

static const struct {
    unsigned pt;
    enum ni_ni_fail fail;
} whys[WHYS] = {
    [WRONG_ENTRY] = {0, NI_NI_OP_VIOLATION}, [NOTHING_MATCHES] = {1, NI_NI_DROPPED},
    [NO_SUCH_INDEX] = {77, NI_NI_DROPPED},   [NOTHING_KEPT] = {2, NI_NI_DROPPED},
    [DISABLED] = {3, NI_NI_PT_DISABLED},     [FLOW] = {4, NI_NI_PT_DISABLED},
    [FLOW_AGAIN] = {4, NI_NI_PT_DISABLED},
};

static void post_refusals(struct suite_ni *ni, void *arg)
{
    static const unsigned options[] = {0, 0, NI_PT_UNEXPECTED, NI_PT_ALLOC_DISABLED,
                                       NI_PT_FLOWCTRL};
    struct gets *gets = arg;
    struct ni_me me = entry_of(gets);
    uint32_t index;

    for (unsigned i = 1; i < sizeof(options) / sizeof(options[0]); i++) {
        CHECK(ni_pt_alloc(ni->ni, options[i], gets->to->eq, i, &index) == NI_OK);
    }
    me.options = NI_ME_OP_PUT;
    CHECK(ni_me_append(ni->ni, 0, &me, NI_PRIORITY_LIST, NULL, NULL) == NI_OK);
}

static void get_refused(struct suite_ni *ni, void *arg)
{
    struct gets *gets = arg;
    struct ni_md short_md = {.start = gets->source, .length = 100, .eq = gets->from->eq};
    struct ni_md counting = gets->from->md;

    CHECK(ni_ct_alloc(ni->ni, &gets->ct) == NI_OK);
    counting.ct = gets->ct;
    counting.options = NI_MD_EVENT_CT_REPLY | NI_MD_EVENT_SUCCESS_DISABLE;
    for (size_t i = 0; i < WHYS; i++) {
        gets->size[i] = i % 2 == 0 ? 8 : 5000;
        CHECK(get(ni, gets, &counting, whys[i].pt, i, i) == NI_OK);
    }
    CHECK(get(ni, gets, &counting, 256, 0, 0) == NI_PTL_ARG_INVALID);
    CHECK(ni_get(ni->ni, &short_md, 93, 8, NULL, 0, 0, 0, NULL) == NI_PTL_ARG_INVALID);
    CHECK(ni_get(ni->ni, &short_md, 0, 101, NULL, 0, 0, 0, NULL) == NI_PTL_ARG_INVALID);
    CHECK(ni_get(ni->ni, &short_md, UINT64_MAX, 8, NULL, 0, 0, 0, NULL) == NI_PTL_ARG_INVALID);
    CHECK(ni_get(ni->ni, &gets->from->md, 0, UINT64_MAX, NULL, 0, 0, 0, NULL) ==
          NI_PTL_ARG_INVALID);
}

static void look_at_refusals(struct suite_ni *ni, void *arg)
{
    struct gets *gets = arg;
    struct ni_ct_event event;

    CHECK(ni_ct_get(gets->ct, &event) == NI_OK);
    CHECK(event.success == 0 && event.failure == WHYS);
    CHECK(ni_ct_free(ni->ni, gets->ct) == NI_OK);
}

static void count_drops(struct suite_ni *ni, void *arg)
{
    (void)arg;
    CHECK(suite_stat(ni, "match_dropped") == WHYS && suite_stat(ni, "match_gets") == 0);
}

static void run_refused(struct suite *suite, bool self)
{
    struct gets *gets = start(suite, self);

    for (unsigned i = 0; i < WHYS; i++) {
        gets->dest[i] = suite_alloc(suite, 5000);
    }
    suite_call(suite, gets->to->ni->index, post_refusals, gets);
    suite_call(suite, 0, get_refused, gets);
    suite_until_events(suite, gets->from, NI_EVENT_REPLY, WHYS);
    for (unsigned n = 0; n < WHYS; n++) {
        const struct ni_event *event = suite_event(gets->from, NI_EVENT_REPLY, n);
        size_t i = (size_t)(uintptr_t)event->user_ptr;

        CHECK(i == n && event->ni_fail_type == whys[i].fail && event->mlength == 0);
    }
    suite_until_events(suite, gets->to, NI_EVENT_PT_DISABLED, 1);
    suite_rest(suite);
    CHECK(suite_count(gets->to, NI_EVENT_PT_DISABLED) == 1);
    CHECK(suite_count(gets->to, NI_EVENT_GET) == 0);
    suite_call(suite, 0, look_at_refusals, gets);
    suite_call(suite, gets->to->ni->index, count_drops, NULL);
}

static void refused(struct suite *suite)
{
    run_refused(suite, false);
}

static void refused_self(struct suite *suite)
{
    run_refused(suite, true);
}

/* ---- the target dies ------------------------------------------------------------------------- */

/* Each get ends once, wherever it has got to. */
static void dies(struct suite *suite)
{
    struct gets *gets = start(suite, false);
    bool ended[MANY] = {false};

    gets->count = MANY;
    for (unsigned i = 0; i < MANY; i++) {
        gets->size[i] = i % 2 == 0 ? LONGEST : 8;
        gets->dest[i] = suite_alloc(suite, LONGEST);
    }
    suite_call(suite, 1, post, gets);
    suite_call(suite, 0, get_all, gets);
    suite_kill(suite, 1);
    suite_until_events(suite, gets->from, NI_EVENT_REPLY, MANY);
    suite_rest(suite);
    CHECK(suite_count(gets->from, NI_EVENT_REPLY) == MANY);
    for (unsigned n = 0; n < MANY; n++) {
        const struct ni_event *event = suite_event(gets->from, NI_EVENT_REPLY, n);
        size_t i = (size_t)(uintptr_t)event->user_ptr;

        CHECK(event->ni_fail_type == NI_NI_OK || event->ni_fail_type == NI_NI_UNDELIVERABLE);
        CHECK(i < MANY && !ended[i]);
        ended[i] = true;
    }
}

static const struct suite_case cases[] = {
    {"lengths", 2, SUITE_NEEDS_NOTHING, lengths},
    {"lengths_self", 1, SUITE_NEEDS_NOTHING, lengths_self},
    {"many", 2, SUITE_NEEDS_NOTHING, many},
    {"order", 2, SUITE_NEEDS_NOTHING, order},
    {"refused", 2, SUITE_NEEDS_NOTHING, refused},
    {"refused_self", 1, SUITE_NEEDS_NOTHING, refused_self},
    {"dies", 2, SUITE_NEEDS_KILL, dies},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
