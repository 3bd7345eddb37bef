/* SPDX-License-Identifier: BSD-3-Clause */
#include "link/inproc/hooks.h"
#include "suite_portals.h"

/* Long messages whose sender does nothing after the call: an expected one comes all the same, and
 * the next time that the sender looks it is told. */

enum { LONG = 1 << 20, TURNS = 20000 };

struct alone {
    struct suite_end *ends[2];
    uint8_t *from, *to;
};

static void put(struct suite_ni *ni, void *arg)
{
    struct alone *alone = arg;

    suite_put(ni, alone->ends[0], 1, alone->from, LONG, 5, 5, true);
}

static void receive(struct suite_ni *ni, void *arg)
{
    struct alone *alone = arg;

    for (unsigned i = 0; suite_count(alone->ends[1], NI_EVENT_PUT) == 0; i++) {
        CHECK(i < TURNS);
        ni_progress(ni->ni); /* and nobody else */
    }
    CHECK(suite_filled(alone->to, LONG, 3));
}

static void post(struct suite_ni *ni, void *arg)
{
    struct alone *alone = arg;

    suite_post(ni, alone->ends[1], alone->to, LONG, 5, 0, NI_INITIATOR_ANY, 1);
}

static void expected(struct suite *suite)
{
    struct alone *alone = suite_alloc(suite, sizeof(*alone));

    if (suite->link->copy == NI_FABRIC_BY_PACKETS) {
        return; /* data that has to come in packets needs somebody who sends them */
    }
    for (unsigned i = 0; i < 2; i++) {
        alone->ends[i] = suite_end_new(suite, i);
    }
    alone->from = suite_alloc(suite, LONG);
    alone->to = suite_alloc(suite, LONG);
    suite_fill(alone->from, LONG, 3);
    suite_call(suite, 1, post, alone);
    suite_call(suite, 0, put, alone);
    suite_call(suite, 1, receive, alone);
    CHECK(suite_count(alone->ends[0], NI_EVENT_ACK) == 0);
    suite_until_events(suite, alone->ends[0], NI_EVENT_SEND, 1);
    suite_until_events(suite, alone->ends[0], NI_EVENT_ACK, 1);
}

static const struct suite_case cases[] = {
    {"expected", 2, SUITE_NEEDS_HERE, expected},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
