/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/portals/unexpected.c. */
#include "suite_portals.h"

/*
 * Puts of up to 64 bytes (max_waw_ordered_size) are in place before a later one of the same
 * initiator. So they bring their data with them in any case, also where the target has asked for
 * headers only because it keeps too much. With NI_MD_UNTIL_MATCHED they end with their match there.
 */

enum {
    ORDERED = 64,
    ROUNDS = 200,
    LONGER = 16 * 1024, /* brings its data as long as nothing is asked for */
    FLOOD = 33 * 1024 * 1024 / LONGER,
    TRIES = 2000,
    HELD = 20,
};

struct order {
    struct suite_end *ends[2];
    struct ni_md waiting; /* of NI 0, with NI_MD_UNTIL_MATCHED */
    uint8_t *from, *to;
    size_t length;
    unsigned times;
    uint64_t sent, deferred;
};

static struct order *start(struct suite *suite)
{
    struct order *order = suite_alloc(suite, sizeof(*order));

    for (unsigned i = 0; i < 2; i++) {
        order->ends[i] = suite_end_new(suite, i);
    }
    order->from = suite_alloc(suite, LONGER);
    order->to = suite_alloc(suite, LONGER);
    suite_fill(order->from, LONGER, 1);
    return order;
}

/* ---- one over the other ---------------------------------------------------------------------- */

static size_t length_of(unsigned i)
{
    return ORDERED - i % ORDERED;
}

/* Stays, and takes all. */
static void post_lasting(struct suite_ni *ni, void *arg)
{
    struct order *order = arg;
    const struct ni_me me = {.start = order->to,
                             .length = ORDERED,
                             .match_id = NI_INITIATOR_ANY,
                             .options = NI_ME_OP_PUT};

    CHECK(ni_me_append(ni->ni, 0, &me, NI_PRIORITY_LIST, NULL, NULL) == NI_OK);
}

static void put_over(struct suite_ni *ni, void *arg)
{
    struct order *order = arg;

    for (unsigned i = 0; i < ROUNDS; i++) {
        suite_put(ni, order->ends[0], 1, order->from + i, length_of(i), 0, i, false);
    }
}

/* What lies there in the end is of the last put that was long enough. */
static void in_place(struct suite *suite)
{
    struct order *order = start(suite);
    uint8_t wanted[ORDERED];

    suite_call(suite, 1, post_lasting, order);
    suite_call(suite, 0, put_over, order);
    suite_until_events(suite, order->ends[1], NI_EVENT_PUT, ROUNDS);
    for (unsigned i = 0; i < ROUNDS; i++) {
        memcpy(wanted, order->from + i, length_of(i));
    }
    CHECK(memcmp(order->to, wanted, ORDERED) == 0);
    suite_rest(suite);
}

/* ---- where headers are wanted ---------------------------------------------------------------- */

static void look(struct suite_ni *ni, void *arg)
{
    ((struct order *)arg)->deferred = suite_stat(ni, "match_deferred");
}

static uint64_t deferred(struct suite *suite, struct order *order)
{
    suite_call(suite, 1, look, order);
    return order->deferred;
}

/* So many of a length, which tells what they are: the match bits do not. */
static void put_some(struct suite_ni *ni, void *arg)
{
    struct order *order = arg;

    for (unsigned i = 0; i < order->times; i++) {
        suite_put(ni, order->ends[0], 1, order->from, order->length, 1, 0, false);
    }
}

/* Unexpected, and kept when this returns. */
static void send(struct suite *suite, struct order *order, size_t length, unsigned times)
{
    order->length = length;
    order->times = times;
    order->sent += times;
    suite_call(suite, 0, put_some, order);
    suite_until_kept(suite, 1, order->sent);
}

/* All there is, the data that is still with its initiator too. */
static void post_all(struct suite_ni *ni, void *arg)
{
    struct order *order = arg;

    for (uint64_t i = 0; i < order->sent; i++) {
        suite_post(ni, order->ends[1], order->to, LONGER, 0, UINT64_MAX, NI_INITIATOR_ANY, 0);
    }
}

/* Have the target ask for headers only. */
static void fill(struct suite *suite, struct order *order)
{
    uint64_t before = deferred(suite, order);

    send(suite, order, LONGER, FLOOD);
    /* The wish arrives at some time: then what is a little longer leaves its data behind. */
    for (unsigned i = 0; deferred(suite, order) == before; i++) {
        CHECK(i < TRIES);
        send(suite, order, ORDERED + 1, 1);
    }
}

static void headers_only(struct suite *suite)
{
    struct order *order = start(suite);
    uint64_t before;

    fill(suite, order);
    before = deferred(suite, order);
    send(suite, order, ORDERED, HELD);
    CHECK(deferred(suite, order) == before);
    send(suite, order, ORDERED + 1, HELD);
    CHECK(deferred(suite, order) == before + HELD);
    suite_call(suite, 1, post_all, order);
    suite_until_events(suite, order->ends[1], NI_EVENT_PUT_OVERFLOW, order->sent);
    suite_until_events(suite, order->ends[0], NI_EVENT_SEND, order->sent);
    CHECK(suite_filled(order->to, ORDERED + 1, 1));
    suite_rest(suite);
}

/* ---- what waits there ------------------------------------------------------------------------ */

/* Those that wait have an address of their own in their events. */
static void put_waiting(struct suite_ni *ni, void *arg)
{
    struct order *order = arg;

    for (unsigned i = 0; i < order->times; i++) {
        CHECK(ni_put(ni->ni, &order->waiting, (uintptr_t)order->from, length_of(i) - 1,
                     NI_NO_ACK_REQ, ni->peers[1], 0, 0, 0, order, 0) == NI_OK);
    }
}

static void put_briefly(struct suite_ni *ni, void *arg)
{
    struct order *order = arg;

    CHECK(!ni_put_short(ni->peers[1], order->from, 8, 0, 0, 0));
}

/* Their SEND events so far. */
static unsigned ended(const struct order *order)
{
    uint64_t count = suite_count(order->ends[0], NI_EVENT_SEND);
    unsigned found = 0;

    for (uint64_t i = 0; i < count; i++) {
        found += suite_event(order->ends[0], NI_EVENT_SEND, i)->user_ptr == order;
    }
    return found;
}

static void send_waiting(struct suite *suite, struct order *order, unsigned times)
{
    order->times = times;
    order->sent += times;
    suite_call(suite, 0, put_waiting, order);
    suite_until_kept(suite, 1, order->sent);
}

/* Over when they have matched, with one event, where the target keeps too much, and at once where
 * it does not. */
static void until_matched(struct suite *suite)
{
    struct order *order = start(suite);
    uint64_t before, sent;

    order->waiting = order->ends[0]->md;
    order->waiting.options |= NI_MD_UNTIL_MATCHED;
    fill(suite, order);
    before = deferred(suite, order);
    suite_call(suite, 0, put_briefly, order);
    send_waiting(suite, order, ORDERED);
    CHECK(ended(order) == 0);
    CHECK(deferred(suite, order) == before);
    suite_call(suite, 1, post_all, order);
    suite_until_events(suite, order->ends[1], NI_EVENT_PUT_OVERFLOW, order->sent);
    suite_until_events(suite, order->ends[0], NI_EVENT_SEND, order->sent);
    CHECK(ended(order) == ORDERED);
    sent = order->sent;
    order->sent = 0;
    send_waiting(suite, order, 1);
    suite_until_events(suite, order->ends[0], NI_EVENT_SEND, sent + 1);
    CHECK(suite_count(order->ends[0], NI_EVENT_ACK) == 0);
    suite_call(suite, 1, post_all, order);
    suite_until_events(suite, order->ends[1], NI_EVENT_PUT_OVERFLOW, sent + 1);
    suite_rest(suite);
}

static const struct suite_case cases[] = {
    {"in_place", 2, SUITE_NEEDS_NOTHING, in_place},
    {"headers_only", 2, SUITE_NEEDS_NOTHING, headers_only},
    {"until_matched", 2, SUITE_NEEDS_NOTHING, until_matched},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
