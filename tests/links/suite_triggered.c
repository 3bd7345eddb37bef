/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/portals/ct.c ni/portals/trigger_heap.c ni/portals/triggered.c
 * ni/portals/triggered_ops.c. */
#include <pthread.h>

#include "suite.h"

/*
 * Triggered operations: when they start and in which order, what cancelling leaves, limits, long
 * chains, entries that are appended and unlinked so, failures, threads.
 */

enum { CHAIN = 100000, MANY = 2000 };

static int64_t count(struct ni_ct *ct)
{
    struct ni_ct_event event;

    CHECK(ni_ct_get(ct, &event) == NI_OK && event.failure == 0);
    return (int64_t)event.success;
}

static struct ni_ct *new_ct(struct suite_ni *ni)
{
    struct ni_ct *ct;

    CHECK(ni_ct_alloc(ni->ni, &ct) == NI_OK);
    return ct;
}

static void raise_to(struct ni_ct *ct, uint64_t success, uint64_t failure)
{
    CHECK(ni_ct_set(ct, (struct ni_ct_event){success, failure}) == NI_OK);
}

static const struct ni_ct_event one = {.success = 1};

/* ---- thresholds ------------------------------------------------------------------------------ */

static void thresholds_at(struct suite_ni *ni, void *arg)
{
    struct ni_ct *trigger, *ct;

    (void)arg;
    CHECK(ni_portals_open(ni->ni, NULL, NULL) == NI_OK);
    trigger = new_ct(ni);
    ct = new_ct(ni);
    /* Not before, then once, later ones at once; successes and failures together. */
    CHECK(ni_triggered_ct_inc(ni->ni, ct, one, trigger, 2) == NI_OK);
    CHECK(ni_triggered_ct_inc(ni->ni, ct, one, trigger, 0) == NI_OK);
    CHECK(count(ct) == 1);
    CHECK(ni_ct_inc(trigger, one) == NI_OK);
    CHECK(count(ct) == 1 && suite_stat(ni, "match_triggered") == 1);
    CHECK(ni_ct_inc(trigger, (struct ni_ct_event){.failure = 1}) == NI_OK);
    CHECK(count(ct) == 2 && suite_stat(ni, "match_triggered") == 0);
    CHECK(ni_ct_inc(trigger, one) == NI_OK);
    CHECK(count(ct) == 2);
    CHECK(ni_triggered_ct_inc(ni->ni, ct, one, trigger, 3) == NI_OK);
    CHECK(count(ct) == 3 && suite_stat(ni, "match_fired") == 3);
    /* A counter that is set back triggers nothing twice; a set counts as well. */
    raise_to(trigger, 0, 0);
    CHECK(ni_triggered_ct_set(ni->ni, ct, (struct ni_ct_event){.success = 50}, trigger, 10) ==
          NI_OK);
    raise_to(trigger, 9, 0);
    CHECK(count(ct) == 3);
    raise_to(trigger, UINT64_MAX, UINT64_MAX);
    CHECK(count(ct) == 50);
    raise_to(trigger, 0, 0);
    CHECK(ni_triggered_ct_inc(ni->ni, ct, (struct ni_ct_event){1, 1}, trigger, 1) ==
          NI_PTL_ARG_INVALID);
    CHECK(ni_triggered_ct_inc(ni->ni, NULL, one, trigger, 1) == NI_PTL_ARG_INVALID);
    CHECK(ni_triggered_ct_inc(ni->ni, ct, one, NULL, 1) == NI_PTL_ARG_INVALID);
}

static void thresholds(struct suite *suite)
{
    suite_call(suite, 0, thresholds_at, NULL);
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Sets in random order of thresholds, and many with equal ones: the last that was to run has. */
static void order_at(struct suite_ni *ni, void *arg)
{
    struct ni_ct *trigger, *ct, *other;
    uint64_t last[20] = {0};
    struct ni_rng rng;

    (void)arg;
    ni_rng_seed(&rng, ni->suite->seed);
    CHECK(ni_portals_open(ni->ni, NULL, NULL) == NI_OK);
    trigger = new_ct(ni);
    ct = new_ct(ni);
    other = new_ct(ni);
    for (uint64_t i = 1; i <= MANY; i++) {
        uint64_t threshold = 1 + ni_rng_below(&rng, 19);

        CHECK(ni_triggered_ct_set(ni->ni, ct, (struct ni_ct_event){.success = i}, trigger,
                                  threshold) == NI_OK);
        last[threshold] = i;
    }
    for (uint64_t i = 1; i < 20; i++) {
        CHECK(ni_ct_inc(trigger, one) == NI_OK);
        CHECK(count(ct) == (int64_t)last[i]);
    }
    /* What an operation triggers comes behind what was triggered before: 7, 8, 9 and not 7, 9,
     * 8. */
    raise_to(trigger, 0, 0);
    CHECK(ni_triggered_ct_set(ni->ni, ct, (struct ni_ct_event){.success = 9}, other, 1) == NI_OK);
    CHECK(ni_triggered_ct_inc(ni->ni, other, one, trigger, 1) == NI_OK);
    CHECK(ni_triggered_ct_set(ni->ni, ct, (struct ni_ct_event){.success = 8}, trigger, 1) == NI_OK);
    CHECK(ni_ct_inc(trigger, one) == NI_OK);
    CHECK(count(ct) == 9);
}

static void order(struct suite *suite)
{
    suite_call(suite, 0, order_at, NULL);
}

/* ---- chains ---------------------------------------------------------------------------------- */

/* Each counter triggers the next one, twice round. */
static void chain_at(struct suite_ni *ni, void *arg)
{
    struct ni_ct **cts = arg;

    CHECK(ni_portals_open(ni->ni, NULL, NULL) == NI_OK);
    for (int i = 0; i < CHAIN; i++) {
        cts[i] = new_ct(ni);
    }
    for (int i = 0; i < CHAIN; i++) {
        CHECK(ni_triggered_ct_inc(ni->ni, cts[(i + 1) % CHAIN], one, cts[i], 1) == NI_OK);
    }
    CHECK(ni_ct_inc(cts[0], one) == NI_OK);
    for (int i = 0; i < CHAIN; i++) {
        CHECK(count(cts[i]) == (i == 0 ? 2 : 1));
    }
    CHECK(suite_stat(ni, "match_fired") == CHAIN);
    /* The other way: all are reached when the first of them is armed. */
    for (int i = 0; i < CHAIN; i++) {
        CHECK(ni_triggered_ct_inc(ni->ni, cts[i], one, cts[0], (uint64_t)CHAIN + 2 - (uint64_t)i) ==
              NI_OK);
    }
    CHECK(suite_stat(ni, "match_triggered") == CHAIN);
    raise_to(cts[0], 2 * CHAIN, 0);
    CHECK(suite_stat(ni, "match_triggered") == 0);
    CHECK(count(cts[CHAIN - 1]) == 2);
}

static void chain(struct suite *suite)
{
    suite_call(suite, 0, chain_at, suite_alloc(suite, CHAIN * sizeof(struct ni_ct *)));
}

/* ---- cancelling and limits ------------------------------------------------------------------- */

static void cancel_at(struct suite_ni *ni, void *arg)
{
    const struct ni_limits desired = {.max_triggered_ops = 3, .max_entries = 2};
    const struct ni_me me = {.match_id = NI_INITIATOR_ANY, .options = NI_ME_OP_PUT};
    struct ni_ct *trigger, *ct;
    struct ni_limits actual;
    ni_me_handle handle;
    uint32_t pt;

    (void)arg;
    CHECK(ni_portals_open(ni->ni, &desired, &actual) == NI_OK && actual.max_triggered_ops == 3);
    CHECK(ni_pt_alloc(ni->ni, 0, NULL, NI_PT_ANY, &pt) == NI_OK);
    trigger = new_ct(ni);
    ct = new_ct(ni);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 2; i++) {
            CHECK(ni_triggered_me_append(ni->ni, pt, &me, NI_PRIORITY_LIST, NULL, &handle, trigger,
                                         5) == NI_OK);
            CHECK(ni_me_unlink(ni->ni, handle) == NI_PTL_ARG_INVALID);
        }
        CHECK(ni_triggered_me_append(ni->ni, pt, &me, NI_PRIORITY_LIST, NULL, &handle, trigger,
                                     5) == NI_PTL_NO_SPACE);
        CHECK(ni_triggered_ct_inc(ni->ni, ct, one, trigger, 5) == NI_OK);
        CHECK(ni_triggered_ct_inc(ni->ni, ct, one, trigger, 5) == NI_PTL_NO_SPACE);
        CHECK(ni_ct_cancel_triggered(ni->ni, trigger) == NI_OK);
        CHECK(suite_stat(ni, "match_triggered") == 0);
        /* The counter counts on, and triggers again. */
        raise_to(trigger, 7, 0);
        CHECK(count(trigger) == 7 && count(ct) == round);
        raise_to(trigger, 0, 0);
        CHECK(ni_triggered_ct_inc(ni->ni, ct, one, trigger, 1) == NI_OK);
        CHECK(ni_ct_inc(trigger, one) == NI_OK);
        CHECK(count(ct) == round + 1);
        raise_to(trigger, 0, 0);
    }
    /* Freeing the counter cancels as well; so does closing. */
    CHECK(ni_triggered_ct_inc(ni->ni, ct, one, trigger, 1) == NI_OK);
    CHECK(ni_ct_free(ni->ni, trigger) == NI_OK);
    CHECK(suite_stat(ni, "match_triggered") == 0);
    CHECK(ni_triggered_ct_inc(ni->ni, ct, one, ct, 100) == NI_OK);
}

static void cancel(struct suite *suite)
{
    suite_call(suite, 0, cancel_at, NULL);
}

/* ---- match entries --------------------------------------------------------------------------- */

/* A buffer that changes itself after every second message: three of them, for six messages. */
struct buffers {
    uint64_t from[6], to[3][2];
    struct ni_ct *arrived;
    _Atomic uint64_t sent;
    uint32_t pt;
};

static void open_buffers(struct suite_ni *ni, void *arg)
{
    struct buffers *buffers = arg;
    ni_me_handle handle;

    CHECK(ni_portals_open(ni->ni, NULL, NULL) == NI_OK);
    CHECK(ni_pt_alloc(ni->ni, NI_PT_UNEXPECTED, NULL, 0, &buffers->pt) == NI_OK);
    buffers->arrived = new_ct(ni);
    for (unsigned i = 0; i < 3; i++) {
        const struct ni_me me = {.start = buffers->to[i],
                                 .length = sizeof(buffers->to[i]),
                                 .match_id = NI_INITIATOR_ANY,
                                 .ct = buffers->arrived,
                                 .options = NI_ME_OP_PUT | NI_ME_MANAGE_LOCAL |
                                            NI_ME_EVENT_CT_COMM | NI_ME_EVENT_CT_OVERFLOW};

        CHECK(ni_triggered_me_append(ni->ni, 0, &me, NI_PRIORITY_LIST, NULL, &handle,
                                     buffers->arrived, 2 * i) == NI_OK);
        CHECK(ni_triggered_me_unlink(ni->ni, handle, buffers->arrived, 2 * (i + 1)) == NI_OK);
    }
    CHECK(ni_triggered_me_append(ni->ni, 9, &(struct ni_me){.options = NI_ME_OP_PUT},
                                 NI_PRIORITY_LIST, NULL, &handle, buffers->arrived,
                                 1) == NI_PTL_ARG_INVALID);
    CHECK(ni_triggered_me_append(ni->ni, 0, &(struct ni_me){.options = NI_ME_OP_PUT},
                                 NI_PRIORITY_LIST, NULL, &handle, NULL, 1) == NI_PTL_ARG_INVALID);
}

static void send_buffers(struct suite_ni *ni, void *arg)
{
    struct buffers *buffers = arg;
    const struct ni_md md = {.length = SIZE_MAX};

    CHECK(ni_portals_open(ni->ni, NULL, NULL) == NI_OK);
    for (unsigned i = 0; i < 6; i++) {
        buffers->from[i] = 100 + i;
        CHECK(ni_put(ni->ni, &md, (uintptr_t)&buffers->from[i], 8, NI_NO_ACK_REQ, ni->peers[1], 0,
                     0, 0, NULL, 0) == NI_OK);
    }
}

static void check_buffers(struct suite_ni *ni, void *arg)
{
    struct buffers *buffers = arg;

    while (count(buffers->arrived) < 6) {
        suite_turn(ni);
    }
    for (unsigned i = 0; i < 6; i++) {
        CHECK(buffers->to[i / 2][i % 2] == 100 + i);
    }
    /* Nothing is appended any more. */
    while (suite_stat(ni, "match_triggered") != 0) {
        suite_turn(ni);
    }
    CHECK(suite_stat(ni, "match_posted") == 0);
    CHECK(ni_pt_free(ni->ni, 0) == NI_OK);
}

static void entries(struct suite *suite)
{
    struct buffers *buffers = suite_alloc(suite, sizeof(*buffers));

    suite_call(suite, 1, open_buffers, buffers);
    suite_call(suite, 0, send_buffers, buffers);
    suite_call(suite, 1, check_buffers, buffers);
}

/* ---- failures -------------------------------------------------------------------------------- */

struct failing {
    struct ni_ct *trigger, *sent, *acked;
    struct ni_eq *eq;
    uint8_t *data;
};

static void open_failing(struct suite_ni *ni, void *arg)
{
    struct failing *failing = arg;

    CHECK(ni_portals_open(ni->ni, NULL, NULL) == NI_OK);
    failing->trigger = new_ct(ni);
    failing->sent = new_ct(ni);
    failing->acked = new_ct(ni);
    CHECK(ni_eq_alloc(ni->ni, 100, &failing->eq) == NI_OK);

    const struct ni_md md = {.length = 100, .start = failing->data, .ct = failing->sent};

    CHECK(ni_triggered_put(ni->ni, &md, 0, 101, NI_NO_ACK_REQ, ni->peers[1], 0, 0, 0, NULL, 0,
                           failing->trigger, 1) == NI_PTL_ARG_INVALID);
    CHECK(ni_triggered_put(ni->ni, &md, 1, 100, NI_NO_ACK_REQ, ni->peers[1], 0, 0, 0, NULL, 0,
                           failing->trigger, 1) == NI_PTL_ARG_INVALID);
    CHECK(ni_triggered_put(ni->ni, &md, 0, 100, NI_NO_ACK_REQ, ni->peers[1], 256, 0, 0, NULL, 0,
                           failing->trigger, 1) == NI_PTL_ARG_INVALID);
}

/* A put that is dropped counts a failure, which triggers too; one to a peer that has gone gives
 * both of its events. */
static void put_failing(struct suite_ni *ni, void *arg)
{
    struct failing *failing = arg;
    const struct ni_md md = {.length = SIZE_MAX,
                             .eq = failing->eq,
                             .ct = failing->acked,
                             .options = NI_MD_EVENT_CT_ACK | NI_MD_SENT_BY_RESULT};
    struct ni_ct_event event;

    CHECK(ni_triggered_ct_inc(ni->ni, failing->trigger, one, failing->acked, 1) == NI_OK);
    for (uint64_t i = 0; i < 2; i++) {
        CHECK(ni_triggered_put(ni->ni, &md, (uintptr_t)failing->data, 8, NI_ACK_REQ, ni->peers[1],
                               7, 0, 0, NULL, i, failing->trigger, 1 - i) == NI_OK);
    }
    do {
        suite_turn(ni);
        CHECK(ni_ct_get(failing->acked, &event) == NI_OK && event.success == 0);
    } while (event.failure < 2);
}

static void events_failing(struct suite_ni *ni, void *arg)
{
    struct failing *failing = arg;
    unsigned sends = 0, acks = 0;
    struct ni_event event;

    while (sends + acks < 4) {
        int result = ni_eq_get(ni->ni, failing->eq, &event);

        CHECK(result == NI_OK || result == NI_PTL_EQ_EMPTY);
        if (result == NI_OK) {
            sends += event.type == NI_EVENT_SEND;
            acks += event.type == NI_EVENT_ACK;
            CHECK(event.type != NI_EVENT_ACK || event.ni_fail_type == NI_NI_DROPPED);
        } else {
            suite_turn(ni);
        }
    }
    CHECK(sends == 2 && acks == 2);
}

static void put_to_nobody(struct suite_ni *ni, void *arg)
{
    struct failing *failing = arg;
    const struct ni_md md = {.length = SIZE_MAX, .eq = failing->eq};
    struct ni_event event;

    while (atomic_load(&ni->downs[1]) == 0) {
        suite_turn(ni);
    }
    CHECK(ni_triggered_put(ni->ni, &md, (uintptr_t)failing->data, 8, NI_ACK_REQ, ni->peers[1], 7, 5,
                           0, failing, 0, failing->trigger, 0) == NI_OK);
    CHECK(ni_eq_get(ni->ni, failing->eq, &event) == NI_OK);
    CHECK(event.type == NI_EVENT_SEND && event.ni_fail_type == NI_NI_UNDELIVERABLE);
    CHECK(event.user_ptr == failing && event.match_bits == 5);
    CHECK(ni_eq_get(ni->ni, failing->eq, &event) == NI_OK);
    CHECK(event.type == NI_EVENT_ACK && event.ni_fail_type == NI_NI_UNDELIVERABLE);
}

static void failures(struct suite *suite)
{
    struct failing *failing = suite_alloc(suite, sizeof(*failing));

    failing->data = suite_alloc(suite, 100);
    suite_call(suite, 0, open_failing, failing);
    suite_call(suite, 0, put_failing, failing);
    suite_call(suite, 0, events_failing, failing);
    suite_close(suite, 1);
    suite_call(suite, 0, put_to_nobody, failing);
}

/* ---- threads --------------------------------------------------------------------------------- */

struct counting {
    struct suite_ni *ni;
    struct ni_ct *trigger, *ct;
};

static void *count_up(void *arg)
{
    struct counting *counting = arg;

    for (unsigned i = 0; i < MANY; i++) {
        CHECK(ni_ct_inc(counting->trigger, one) == NI_OK);
        CHECK(ni_triggered_ct_inc(counting->ni->ni, counting->ct, one, counting->trigger,
                                  2 * i + 1) == NI_OK);
    }
    return NULL;
}

/* Two threads count and arm: everything runs, once. */
static void two_threads_at(struct suite_ni *ni, void *arg)
{
    struct counting counting = {.ni = ni};
    pthread_t other;

    (void)arg;
    if ((ni->suite->link->flags & NI_THREADS) == 0) {
        return; /* one thread is all that may call it */
    }
    CHECK(ni_portals_open(ni->ni, NULL, NULL) == NI_OK);
    counting.trigger = new_ct(ni);
    counting.ct = new_ct(ni);
    CHECK(pthread_create(&other, NULL, count_up, &counting) == 0);
    (void)count_up(&counting);
    CHECK(pthread_join(other, NULL) == 0);
    CHECK(count(counting.trigger) == 2 * MANY && count(counting.ct) == 2 * MANY);
    CHECK(suite_stat(ni, "match_triggered") == 0);
}

static void two_threads(struct suite *suite)
{
    suite_call(suite, 0, two_threads_at, NULL);
}

static const struct suite_case cases[] = {
    {"thresholds", 1, SUITE_NEEDS_NOTHING, thresholds},
    {"order", 1, SUITE_NEEDS_NOTHING, order},
    {"chain", 1, SUITE_NEEDS_HERE, chain},
    {"cancel", 1, SUITE_NEEDS_NOTHING, cancel},
    {"entries", 2, SUITE_NEEDS_NOTHING, entries},
    {"failures", 2, SUITE_NEEDS_NOTHING, failures},
    {"two_threads", 1, SUITE_NEEDS_NOTHING, two_threads},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
