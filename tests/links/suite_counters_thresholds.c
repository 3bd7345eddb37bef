/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/object/counter/counter_config.c. */
#include "suite_counters.h"

/*
 * Covers: object/counter/trigger.c core/deferred.c
 *
 * Operations that wait for thresholds of a counter, also on their way to portals.
 */

enum { WAITING = 6 };

/* ---- thresholds ------------------------------------------------------------------------------ */

struct waiting {
    struct cnt_world *world;
    struct suite_done done[WAITING];
    uint64_t words[WAITING];
};

static void defer(struct suite_ni *ni, struct waiting *waiting, unsigned which, int64_t threshold,
                  enum ni_deferred_op op)
{
    struct cnt_place *there = &waiting->world->places[1];
    const struct ni_rkey *rkey = op == NI_DEFERRED_WRITE ? &there->memory_key : &there->queue_key;
    struct ni_deferred deferred = {.op = op,
                                   .peer = ni->peers[1],
                                   .src = &waiting->words[which],
                                   .len = 8,
                                   .where = suite_remote(there->memory + 8 * which, rkey),
                                   .ack = suite_ack(&waiting->done[which])};

    waiting->words[which] = 10 + which;
    CHECK(ni_counter_trigger(ni->ni, waiting->world->places[0].counter_key.handle, threshold,
                             &deferred) == NI_OK);
}

static void await_done(struct suite_ni *ni, struct waiting *waiting, unsigned which)
{
    while (atomic_load(&waiting->done[which].count) == 0) {
        suite_turn(ni);
    }
    CHECK(atomic_load(&waiting->done[which].status) == NI_OK);
    CHECK(atomic_load(&waiting->done[which].value) == 8);
}

static unsigned done_count(struct waiting *waiting)
{
    unsigned count = 0;

    for (unsigned i = 0; i < WAITING; i++) {
        count += atomic_load(&waiting->done[i].count) != 0;
    }
    return count;
}

static void thresholds_at(struct suite_ni *ni, void *arg)
{
    struct waiting *waiting = arg;
    struct ni_rkey *counter = &waiting->world->places[0].counter_key;
    struct ni_deferred deferred = {.op = NI_DEFERRED_WRITE, .peer = ni->peers[1]};

    defer(ni, waiting, 0, 4, NI_DEFERRED_ENQUEUE);
    defer(ni, waiting, 1, 2, NI_DEFERRED_ENQUEUE);
    defer(ni, waiting, 2, 2, NI_DEFERRED_ENQUEUE);
    defer(ni, waiting, 3, 0, NI_DEFERRED_WRITE);
    CHECK(done_count(waiting) == 0);
    cnt_post(ni, 0, counter, 1); /* zero, then the reload value */
    await_done(ni, waiting, 3);
    CHECK(done_count(waiting) == 1 && cnt_read(ni, counter) == -1);
    cnt_post(ni, 0, counter, 6);
    for (unsigned i = 0; i < 3; i++) {
        await_done(ni, waiting, i);
    }
    defer(ni, waiting, 4, 5, NI_DEFERRED_ENQUEUE); /* at once */
    await_done(ni, waiting, 4);
    CHECK(ni_counter_trigger(ni->ni, counter->handle, 0, NULL) == NI_ERR_INVALID);
    deferred.peer = NULL;
    CHECK(ni_counter_trigger(ni->ni, counter->handle, 0, &deferred) == NI_ERR_INVALID);
    deferred.peer = ni->peers[1];
    CHECK(ni_counter_trigger(ni->ni, counter->handle + 77777, 0, &deferred) == NI_ERR_REGION);
    /* One that is refused, and one that is canceled. */
    deferred.where =
        suite_remote(waiting->world->places[1].memory, &waiting->world->places[1].queue_key);
    deferred.ack = suite_ack(&waiting->done[5]);
    deferred.src = waiting->words;
    deferred.len = 4;
    CHECK(ni_counter_trigger(ni->ni, counter->handle, 5, &deferred) == NI_OK);
    while (atomic_load(&waiting->done[5].count) == 0) {
        suite_turn(ni);
    }
    CHECK(atomic_load(&waiting->done[5].status) == NI_ERR_BOUNDS);
    CHECK(ni_counter_trigger(ni->ni, counter->handle, 6, &deferred) == NI_OK);
    CHECK(ni_region_deregister(ni->ni, counter->handle) == NI_OK);
    while (atomic_load(&waiting->done[5].count) == 1) {
        suite_turn(ni);
    }
    CHECK(atomic_load(&waiting->done[5].status) == NI_ERR_CANCELED);
}

static void reload_here(struct suite_ni *ni, void *arg)
{
    struct waiting *waiting = arg;
    const struct ni_counter_setting setting = {.flags = NI_COUNTER_RELOAD, .reload = -1};

    CHECK(cnt_set(ni, 0, &waiting->world->places[0].counter_key, &setting) == NI_OK);
}

static void check_order(struct suite_ni *ni, void *arg)
{
    struct waiting *waiting = arg;
    static const uint64_t order[] = {11, 12, 10, 14};
    uint64_t word;

    for (unsigned i = 0; i < 4; i++) {
        CHECK(cnt_pop(ni, waiting->world) == order[i]);
    }
    memcpy(&word, waiting->world->places[1].memory + 24, sizeof(word));
    CHECK(word == 13);
}

static void thresholds(struct suite *suite)
{
    struct waiting *waiting = suite_alloc(suite, sizeof(*waiting));

    waiting->world = cnt_world_new(suite, -1, 64);
    suite_call(suite, 0, reload_here, waiting);
    suite_call(suite, 0, thresholds_at, waiting);
    suite_call(suite, 1, check_order, waiting);
}

static void leave_waiting(struct suite_ni *ni, void *arg)
{
    struct waiting *waiting = arg;

    defer(ni, waiting, 0, 4, NI_DEFERRED_ENQUEUE);
    defer(ni, waiting, 1, 4, NI_DEFERRED_WRITE);
    CHECK(atomic_load(&waiting->done[0].count) == 0);
}

/* Closing the NI tells those that still wait. */
static void closed(struct suite *suite)
{
    struct waiting *waiting = suite_alloc(suite, sizeof(*waiting));

    waiting->world = cnt_world_new(suite, -1, 64);
    suite_call(suite, 0, leave_waiting, waiting);
    suite_close(suite, 0);
    for (unsigned i = 0; i < 2; i++) {
        CHECK(atomic_load(&waiting->done[i].count) == 1);
        CHECK(atomic_load(&waiting->done[i].status) == NI_ERR_CANCELED);
    }
    suite_open(suite, 0);
}

/* ---- from counters to portals ---------------------------------------------------------------- */

struct bridge {
    struct cnt_world *world;
    struct ni_ct *trigger, *arrived;
};

static void raise(void *arg, ni_status status, uint64_t value)
{
    CHECK(status == NI_OK);
    CHECK(ni_ct_inc(arg, (struct ni_ct_event){.success = value}) == NI_OK);
}

static void open_portal(struct suite_ni *ni, void *arg)
{
    struct bridge *bridge = arg;
    const struct ni_me me = {.start = bridge->world->places[1].memory,
                             .length = 64,
                             .match_id = NI_INITIATOR_ANY,
                             .options = NI_ME_OP_PUT | NI_ME_EVENT_CT_COMM,
                             .ct = NULL};
    struct ni_me counted = me;
    uint32_t pt;

    CHECK(ni_portals_open(ni->ni, NULL, NULL) == NI_OK);
    CHECK(ni_ct_alloc(ni->ni, &bridge->arrived) == NI_OK);
    counted.ct = bridge->arrived;
    CHECK(ni_pt_alloc(ni->ni, 0, NULL, 0, &pt) == NI_OK);
    CHECK(ni_me_append(ni->ni, 0, &counted, NI_PRIORITY_LIST, NULL, NULL) == NI_OK);
}

/* Three parts of a session have to come before the put leaves: the counter of NI 0 raises a
 * counting event, and that triggers. */
static void open_bridge(struct suite_ni *ni, void *arg)
{
    struct bridge *bridge = arg;
    const struct ni_md md = {.length = SIZE_MAX};
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = raise, .value = 1};

    CHECK(ni_portals_open(ni->ni, NULL, NULL) == NI_OK);
    CHECK(ni_ct_alloc(ni->ni, &bridge->trigger) == NI_OK);
    ack.arg = bridge->trigger;
    CHECK(ni_counter_notify(ni->ni, bridge->world->places[0].counter_key.handle, &ack) == NI_OK);
    suite_fill(bridge->world->places[0].memory, 64, 1);
    CHECK(ni_triggered_put(ni->ni, &md, (uintptr_t)bridge->world->places[0].memory, 64,
                           NI_NO_ACK_REQ, ni->peers[1], 0, 0, 0, NULL, 0, bridge->trigger,
                           1) == NI_OK);
}

static void add_one(struct suite_ni *ni, void *arg)
{
    struct bridge *bridge = arg;

    cnt_post(ni, 0, &bridge->world->places[0].counter_key, 1);
}

static int64_t arrivals(struct suite_ni *ni, struct bridge *bridge)
{
    struct ni_ct_event event;

    (void)ni;
    CHECK(ni_ct_get(bridge->arrived, &event) == NI_OK && event.failure == 0);
    return (int64_t)event.success;
}

static void check_none(struct suite_ni *ni, void *arg)
{
    CHECK(arrivals(ni, arg) == 0);
}

static void check_put(struct suite_ni *ni, void *arg)
{
    struct bridge *bridge = arg;

    while (arrivals(ni, bridge) == 0) {
        suite_turn(ni);
    }
    CHECK(suite_filled(bridge->world->places[1].memory, 64, 1));
}

static void to_portals(struct suite *suite)
{
    struct bridge *bridge = suite_alloc(suite, sizeof(*bridge));

    bridge->world = cnt_world_new(suite, -3, 16);
    suite_call(suite, 1, open_portal, bridge);
    suite_call(suite, 0, open_bridge, bridge);
    suite_call(suite, 1, add_one, bridge);
    suite_call(suite, 2, add_one, bridge);
    suite_rest(suite);
    suite_call(suite, 1, check_none, bridge);
    suite_call(suite, 0, add_one, bridge);
    suite_call(suite, 1, check_put, bridge);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"thresholds", 2, SUITE_NEEDS_NOTHING, thresholds},
        {"closed", 2, SUITE_NEEDS_NOTHING, closed},
        {"to_portals", 3, SUITE_NEEDS_NOTHING, to_portals},
    };

    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
