/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite.h"

/*
 * Flow control: a portal table entry that can take no more disables itself and says so; nobody
 * loses anything without learning it; after enabling all goes on.
 */

enum { KEPT = 3, PUTS = 6, LONG = 100000, KINDS = NI_EVENT_SEARCH + 1 };

struct flow {
    unsigned options; /* of the entry */
    uint32_t length;  /* of each put */
    bool self;
    struct ni_eq *eq[2];
    uint8_t *from, *to;
    unsigned first; /* number of the first put */
    _Atomic uint64_t count[2][KINDS], disabled, taken;
    uint64_t refused[PUTS], refusals; /* numbers of puts */
};

static void count(struct flow *flow, unsigned i, const struct ni_event *event)
{
    CHECK((unsigned)event->type < KINDS);
    if (event->type == NI_EVENT_ACK && event->ni_fail_type != NI_NI_OK) {
        CHECK(event->ni_fail_type == NI_NI_PT_DISABLED && flow->refusals < PUTS);
        flow->refused[flow->refusals++] = event->hdr_data;
    }
    atomic_fetch_add(&flow->count[i][event->type], 1);
}

static void at_initiator(void *arg, const struct ni_event *event)
{
    count(arg, 0, event);
}

static void at_target(void *arg, const struct ni_event *event)
{
    CHECK(event->ni_fail_type == NI_NI_OK && event->pt_index == 7);
    count(arg, 1, event);
}

static void open_target(struct suite_ni *ni, void *arg)
{
    struct flow *flow = arg;
    const struct ni_limits limits = {.max_unexpected_headers = KEPT};
    uint32_t index;

    CHECK(ni_portals_open(ni->ni, &limits, NULL) == NI_OK);
    CHECK(ni_eq_alloc_handler(ni->ni, at_target, flow, &flow->eq[1]) == NI_OK);
    CHECK(ni_pt_alloc(ni->ni, NI_PT_FLOWCTRL, NULL, 7, &index) == NI_PTL_PT_EQ_NEEDED);
    CHECK(ni_pt_alloc(ni->ni, flow->options, flow->eq[1], 7, &index) == NI_OK);
    CHECK(ni_pt_enable(ni->ni, 8) == NI_PTL_ARG_INVALID);
    CHECK(ni_pt_disable(ni->ni, 8) == NI_PTL_ARG_INVALID);
}

static void open_initiator(struct suite_ni *ni, void *arg)
{
    struct flow *flow = arg;

    if (!flow->self) {
        CHECK(ni_portals_open(ni->ni, NULL, NULL) == NI_OK);
    }
    CHECK(ni_eq_alloc_handler(ni->ni, at_initiator, flow, &flow->eq[0]) == NI_OK);
}

static void put_one(struct suite_ni *ni, struct flow *flow, uint64_t number)
{
    const struct ni_md md = {.length = SIZE_MAX, .eq = flow->eq[0]};

    CHECK(ni_put(ni->ni, &md, (uintptr_t)flow->from, flow->length, NI_ACK_REQ,
                 flow->self ? NULL : ni->peers[1], 7, number, 0, NULL, number) == NI_OK);
}

static void put_all(struct suite_ni *ni, void *arg)
{
    for (uint64_t i = 0; i < PUTS; i++) {
        put_one(ni, arg, i);
    }
}

static void put_again(struct suite_ni *ni, void *arg)
{
    struct flow *flow = arg;
    uint64_t again[PUTS], n = flow->refusals;

    memcpy(again, flow->refused, sizeof(again));
    flow->refusals = 0;
    for (uint64_t i = 0; i < n; i++) {
        put_one(ni, flow, again[i]);
    }
}

static void post_all(struct suite_ni *ni, void *arg)
{
    struct flow *flow = arg;

    for (uint64_t i = flow->first; i < PUTS; i++) {
        const struct ni_me me = {.start = flow->to + i * LONG,
                                 .length = LONG,
                                 .match_bits = i,
                                 .match_id = NI_INITIATOR_ANY,
                                 .options =
                                     NI_ME_OP_PUT | NI_ME_USE_ONCE | NI_ME_EVENT_UNLINK_DISABLE};

        CHECK(ni_me_append(ni->ni, 7, &me, NI_PRIORITY_LIST, NULL, NULL) == NI_OK);
    }
}

static void enable(struct suite_ni *ni, void *arg)
{
    (void)arg;
    CHECK(ni_pt_enable(ni->ni, 7) == NI_OK);
}

static void disable(struct suite_ni *ni, void *arg)
{
    (void)arg;
    CHECK(ni_pt_disable(ni->ni, 7) == NI_OK);
}

static struct flow *new_flow(struct suite *suite, unsigned options, uint32_t length, bool self)
{
    struct flow *flow = suite_alloc(suite, sizeof(*flow));

    flow->options = options;
    flow->length = length;
    flow->self = self;
    flow->from = suite_alloc(suite, LONG);
    flow->to = suite_alloc(suite, (size_t)PUTS * LONG);
    suite_call(suite, self ? 0 : 1, open_target, flow);
    suite_call(suite, 0, open_initiator, flow);
    return flow;
}

/* Three are kept, the fourth disables the entry, it and those behind it are refused. Then they are
 * received, and the others put again. */
static void exhaust(struct suite *suite, uint32_t length, bool self)
{
    struct flow *flow = new_flow(suite, NI_PT_FLOWCTRL | NI_PT_UNEXPECTED, length, self);
    unsigned target = self ? 0 : 1;

    suite_call(suite, 0, put_all, flow);
    suite_until_count(suite, &flow->count[0][NI_EVENT_ACK], PUTS - KEPT);
    CHECK(flow->refusals == PUTS - KEPT);
    for (uint64_t i = 0; i < PUTS - KEPT; i++) {
        CHECK(flow->refused[i] == KEPT + i);
    }
    suite_until_count(suite, &flow->count[1][NI_EVENT_PT_DISABLED], 1);
    suite_call(suite, target, post_all, flow);
    suite_until_count(suite, &flow->count[0][NI_EVENT_ACK], PUTS);
    suite_until_count(suite, &flow->count[1][NI_EVENT_PUT_OVERFLOW], KEPT);
    suite_call(suite, target, enable, NULL);
    suite_call(suite, 0, put_again, flow);
    suite_until_count(suite, &flow->count[0][NI_EVENT_ACK], 2 * PUTS - KEPT);
    CHECK(flow->refusals == 0);
    suite_until_count(suite, &flow->count[1][NI_EVENT_PUT], PUTS - KEPT);
    suite_until_count(suite, &flow->count[1][NI_EVENT_PT_DISABLED], 1);
}

static void headers_short(struct suite *suite)
{
    exhaust(suite, 8, false);
}

static void headers_long(struct suite *suite)
{
    exhaust(suite, LONG, false);
}

static void headers_self(struct suite *suite)
{
    exhaust(suite, 5000, true);
}

/* Nothing is kept: the first put without an entry disables. */
static void no_match(struct suite *suite)
{
    struct flow *flow = new_flow(suite, NI_PT_FLOWCTRL, 40, false);

    suite_call(suite, 0, put_all, flow);
    suite_until_count(suite, &flow->count[0][NI_EVENT_ACK], PUTS);
    CHECK(flow->refusals == PUTS);
    suite_until_count(suite, &flow->count[1][NI_EVENT_PT_DISABLED], 1);
    suite_call(suite, 1, post_all, flow);
    suite_call(suite, 1, enable, NULL);
    suite_call(suite, 0, put_again, flow);
    suite_until_count(suite, &flow->count[0][NI_EVENT_ACK], 2 * PUTS);
    suite_until_count(suite, &flow->count[1][NI_EVENT_PUT], PUTS);
    CHECK(flow->refusals == 0);
}

/* By hand, without flow control: no event. */
static void by_hand(struct suite *suite)
{
    struct flow *flow = new_flow(suite, NI_PT_UNEXPECTED | NI_PT_ALLOC_DISABLED, 8, false);

    suite_call(suite, 1, post_all, flow);
    suite_call(suite, 0, put_all, flow);
    suite_until_count(suite, &flow->count[0][NI_EVENT_ACK], PUTS);
    CHECK(flow->refusals == PUTS);
    suite_call(suite, 1, enable, NULL);
    suite_call(suite, 0, put_again, flow);
    suite_until_count(suite, &flow->count[0][NI_EVENT_ACK], 2 * PUTS);
    CHECK(flow->refusals == 0);
    suite_call(suite, 1, disable, NULL);
    suite_call(suite, 0, put_all, flow);
    suite_until_count(suite, &flow->count[0][NI_EVENT_ACK], 3 * PUTS);
    CHECK(flow->refusals == PUTS);
    CHECK(atomic_load(&flow->count[1][NI_EVENT_PT_DISABLED]) == 0);
}

static const struct suite_case cases[] = {
    {"headers_short", 2, SUITE_NEEDS_NOTHING, headers_short},
    {"headers_long", 2, SUITE_NEEDS_NOTHING, headers_long},
    {"headers_self", 1, SUITE_NEEDS_NOTHING, headers_self},
    {"no_match", 2, SUITE_NEEDS_NOTHING, no_match},
    {"by_hand", 2, SUITE_NEEDS_NOTHING, by_hand},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
