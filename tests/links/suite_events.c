/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/portals/eq_queue.c ni/portals/queues.c. */
#include "suite.h"

/*
 * Event queues that store events: order, waiting, several queues at once, and queues that are too
 * short, which lose events and say so.
 */

enum { DEPTH = 16, PUTS = 40 };

struct ends {
    size_t depth;
    struct ni_eq *eq[2]; /* of portal table entries 0 and 1 of NI 1 */
    uint64_t data, room[PUTS];
};

static void open_target(struct suite_ni *ni, void *arg)
{
    struct ends *ends = arg;
    uint32_t index;

    CHECK(ni_eq_alloc(ni->ni, DEPTH, &ends->eq[0]) == NI_PTL_NO_INIT);
    CHECK(ni_portals_open(ni->ni, NULL, NULL) == NI_OK);
    CHECK(ni_eq_alloc(ni->ni, 0, &ends->eq[0]) == NI_PTL_ARG_INVALID);
    CHECK(ni_eq_alloc(ni->ni, SIZE_MAX, &ends->eq[0]) == NI_PTL_ARG_INVALID);
    for (unsigned i = 0; i < 2; i++) {
        CHECK(ni_eq_alloc(ni->ni, ends->depth, &ends->eq[i]) == NI_OK);
        CHECK(ni_pt_alloc(ni->ni, NI_PT_UNEXPECTED, ends->eq[i], i, &index) == NI_OK);
    }
}

static void post(struct suite_ni *ni, void *arg)
{
    struct ends *ends = arg;

    for (uintptr_t i = 0; i < PUTS; i++) {
        const struct ni_me me = {.start = &ends->room[i],
                                 .length = 8,
                                 .match_bits = i,
                                 .match_id = NI_INITIATOR_ANY,
                                 .options =
                                     NI_ME_OP_PUT | NI_ME_USE_ONCE | NI_ME_EVENT_UNLINK_DISABLE};

        CHECK(ni_me_append(ni->ni, 0, &me, NI_PRIORITY_LIST, (void *)i, NULL) == NI_OK);
    }
}

static void open_initiator(struct suite_ni *ni, void *arg)
{
    (void)arg;
    CHECK(ni_portals_open(ni->ni, NULL, NULL) == NI_OK);
}

static void put_all(struct suite_ni *ni, void *arg)
{
    struct ends *ends = arg;
    const struct ni_md md = {.start = &ends->data, .length = 8};

    for (unsigned i = 0; i < PUTS; i++) {
        CHECK(ni_put(ni->ni, &md, 0, 8, NI_NO_ACK_REQ, ni->peers[1], 0, i, 0, NULL, i) == NI_OK);
    }
}

static struct ends *new_ends(struct suite *suite, size_t depth)
{
    struct ends *ends = suite_alloc(suite, sizeof(*ends));

    ends->depth = depth;
    suite_call(suite, 1, open_target, ends);
    suite_call(suite, 0, open_initiator, ends);
    suite_call(suite, 1, post, ends);
    return ends;
}

/* All of them in order, with an eye on the queue. */
static void take_all(struct suite_ni *ni, void *arg)
{
    struct ends *ends = arg;
    struct ni_event event;
    unsigned which;

    for (unsigned i = 0; i < PUTS; i++) {
        int result;

        while ((result = ni_eq_get(ni->ni, ends->eq[0], &event)) == NI_PTL_EQ_EMPTY) {
            suite_turn(ni);
        }
        CHECK(result == NI_OK && event.type == NI_EVENT_PUT && event.hdr_data == i);
        CHECK(event.user_ptr == (void *)(uintptr_t)i && event.mlength == 8);
    }
    CHECK(ni_eq_get(ni->ni, ends->eq[0], &event) == NI_PTL_EQ_EMPTY);
    CHECK(ni_eq_poll(ni->ni, ends->eq, 2, 1000, &event, &which) == NI_PTL_EQ_EMPTY);
    CHECK(ni_eq_poll(ni->ni, ends->eq, 0, 1000, &event, &which) == NI_PTL_ARG_INVALID);
}

/* Each event is taken before the next one comes. */
static void wait_all(struct suite_ni *ni, void *arg)
{
    struct ends *ends = arg;
    const struct ni_md md = {.start = &ends->data, .length = 8};
    struct ni_event event;
    unsigned which = 9;

    for (unsigned i = 0; i < PUTS; i++) {
        CHECK(ni_put(ni->ni, &md, 0, 8, NI_NO_ACK_REQ, NULL, 0, i, 0, NULL, i) == NI_OK);
        if (i % 2 == 0) {
            CHECK(ni_eq_wait(ni->ni, ends->eq[0], &event) == NI_OK);
        } else {
            struct ni_eq *both[2] = {ends->eq[1], ends->eq[0]};

            CHECK(ni_eq_poll(ni->ni, both, 2, UINT64_MAX, &event, &which) == NI_OK);
            CHECK(which == 1);
        }
        CHECK(event.hdr_data == i && event.initiator == NI_INITIATOR_SELF);
    }
}

static void waiting(struct suite *suite)
{
    suite_call(suite, 1, wait_all, new_ends(suite, DEPTH));
}

static void in_order(struct suite *suite)
{
    struct ends *ends = new_ends(suite, 64);

    suite_call(suite, 0, put_all, ends);
    suite_call(suite, 1, take_all, ends);
}

static void take_rest(struct suite_ni *ni, void *arg)
{
    struct ends *ends = arg;
    const struct ni_md md = {.start = &ends->data, .length = 8};
    struct ni_event event;

    for (unsigned i = 0; i < DEPTH; i++) {
        CHECK(ni_eq_get(ni->ni, ends->eq[0], &event) == NI_OK && event.hdr_data == i);
    }
    CHECK(ni_eq_get(ni->ni, ends->eq[0], &event) == NI_PTL_EQ_EMPTY);
    post(ni, ends);
    CHECK(ni_put(ni->ni, &md, 0, 8, NI_NO_ACK_REQ, NULL, 0, 3, 0, NULL, 77) == NI_OK);
    CHECK(ni_put(ni->ni, &md, 0, 8, NI_NO_ACK_REQ, NULL, 0, 4, 0, NULL, 78) == NI_OK);
    CHECK(ni_eq_get(ni->ni, ends->eq[0], &event) == NI_PTL_EQ_DROPPED && event.hdr_data == 77);
    CHECK(ni_eq_get(ni->ni, ends->eq[0], &event) == NI_OK && event.hdr_data == 78);
}

static void await_last(struct suite_ni *ni, void *arg)
{
    const struct ends *ends = arg;

    while (ends->room[PUTS - 1] != 5) {
        suite_turn(ni);
    }
}

/* Nobody takes them: the queue keeps the oldest. */
static void too_short(struct suite *suite)
{
    struct ends *ends = new_ends(suite, DEPTH);

    ends->data = 5;
    suite_call(suite, 0, put_all, ends);
    suite_call(suite, 1, await_last, ends);
    suite_rest(suite);
    suite_call(suite, 1, take_rest, ends);
}

/* ---- flow control ---------------------------------------------------------------------------- */

struct flow {
    struct ends ends;
    struct ni_eq *acks;
    _Atomic uint64_t answered;
    bool open[PUTS]; /* not accepted yet; of the initiator */
    unsigned left, refused, disabled;
    unsigned came[PUTS];
};

static void on_ack(void *arg, const struct ni_event *event)
{
    struct flow *flow = arg;

    if (event->type == NI_EVENT_ACK) {
        CHECK(event->ni_fail_type == NI_NI_OK || event->ni_fail_type == NI_NI_PT_DISABLED);
        flow->open[event->hdr_data] = event->ni_fail_type != NI_NI_OK;
        flow->left -= event->ni_fail_type == NI_NI_OK;
        flow->refused += event->ni_fail_type != NI_NI_OK;
        atomic_fetch_add(&flow->answered, 1);
    }
}

static void open_flow(struct suite_ni *ni, void *arg)
{
    struct flow *flow = arg;
    uint32_t index;

    CHECK(ni_portals_open(ni->ni, NULL, NULL) == NI_OK);
    if (ni->index == 0) {
        CHECK(ni_eq_alloc_handler(ni->ni, on_ack, flow, &flow->acks) == NI_OK);
        return;
    }
    CHECK(ni_eq_alloc(ni->ni, DEPTH, &flow->ends.eq[0]) == NI_OK);
    CHECK(ni_pt_alloc(ni->ni, NI_PT_FLOWCTRL, flow->ends.eq[0], 0, &index) == NI_OK);
    post(ni, &flow->ends);
}

static void put_open(struct suite_ni *ni, void *arg)
{
    struct flow *flow = arg;
    const struct ni_md md = {.start = &flow->ends.data, .length = 8, .eq = flow->acks};

    for (unsigned i = 0; i < PUTS; i++) {
        if (flow->open[i]) {
            CHECK(ni_put(ni->ni, &md, 0, 8, NI_ACK_REQ, ni->peers[1], 0, i, 0, NULL, i) == NI_OK);
        }
    }
}

static void take_and_enable(struct suite_ni *ni, void *arg)
{
    struct flow *flow = arg;
    struct ni_event event;
    unsigned disabled = flow->disabled;
    int result;

    while ((result = ni_eq_get(ni->ni, flow->ends.eq[0], &event)) != NI_PTL_EQ_EMPTY) {
        CHECK(result == NI_OK); /* none was lost */
        if (event.type == NI_EVENT_PT_DISABLED) {
            flow->disabled++;
        } else {
            CHECK(event.type == NI_EVENT_PUT);
            flow->came[event.hdr_data]++;
        }
    }
    CHECK(flow->disabled <= disabled + 1);
    CHECK(ni_pt_enable(ni->ni, 0) == NI_OK);
}

/* Nobody looks at the queue while messages come: it disables the entry, and loses nothing. */
static void flow_control(struct suite *suite)
{
    struct flow *flow = suite_alloc(suite, sizeof(*flow));
    uint64_t answered = 0;

    flow->left = PUTS;
    memset(flow->open, true, sizeof(flow->open));
    suite_call(suite, 1, open_flow, flow);
    suite_call(suite, 0, open_flow, flow);
    while (flow->left != 0) {
        answered += flow->left;
        suite_call(suite, 0, put_open, flow);
        suite_until_count(suite, &flow->answered, answered);
        suite_call(suite, 1, take_and_enable, flow);
    }
    CHECK(flow->refused != 0 && flow->disabled != 0);
    for (unsigned i = 0; i < PUTS; i++) {
        CHECK(flow->came[i] == 1);
    }
}

static const struct suite_case cases[] = {
    {"in_order", 2, SUITE_NEEDS_NOTHING, in_order},
    {"waiting", 2, SUITE_NEEDS_NOTHING, waiting},
    {"too_short", 2, SUITE_NEEDS_NOTHING, too_short},
    {"flow_control", 2, SUITE_NEEDS_NOTHING, flow_control},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
