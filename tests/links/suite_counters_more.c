/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite_counters.h"

/*
 * Counters: settings that are refused, operations that wait for thresholds, also on their way to portals,
 * and transfers that are counted where they arrive.
 */

enum { WAITING = 6, AREA = 90000 };

/* ---- settings that are refused --------------------------------------------------------------------- */

static void set_badly(struct suite_ni *ni, void *arg)
{
    struct cnt_world *world = arg;
    struct ni_rkey counter = world->places[1].counter_key;
    const struct ni_notice notice =
        cnt_notice(NI_AT_SENDER, NULL, &world->places[0].counter_key, 1);
    struct ni_counter_setting setting = {.flags = NI_COUNTER_VALUE | NI_COUNTER_ADD};

    CHECK(cnt_set(ni, 1, &counter, &setting) == NI_ERR_INVALID);
    setting.flags = 16;
    CHECK(cnt_set(ni, 1, &counter, &setting) == NI_ERR_INVALID);
    setting.flags = NI_COUNTER_NOTICES;
    setting.count = NI_COUNTER_NOTIFICATIONS + 1;
    CHECK(cnt_set(ni, 1, &counter, &setting) == NI_ERR_INVALID);
    setting.count = 1;
    setting.notices[0] = notice;
    setting.notices[0].width = 3;
    CHECK(cnt_set(ni, 1, &counter, &setting) == NI_ERR_INVALID);
    setting.notices[0].width = 8;
    setting.notices[0].at = NI_AT_PEER;
    CHECK(cnt_set(ni, 1, &counter, &setting) == NI_ERR_INVALID);
    setting.notices[0].at = (enum ni_notice_at)3;
    CHECK(cnt_set(ni, 1, &counter, &setting) == NI_ERR_INVALID);
    setting.flags = 0;
    CHECK(cnt_set(ni, 1, &counter, &setting) == NI_ERR_INVALID);
    setting.count = 0;
    CHECK(ni_counter_set(ni->ni, ni->peers[1], &counter, NULL, NULL) == NI_ERR_INVALID);
    CHECK(cnt_set(ni, 1, &counter, &setting) == NI_OK);
    CHECK(cnt_set(ni, 0, &world->places[0].counter_key, &setting) == NI_OK);
    counter.key++;
    CHECK(cnt_set(ni, 1, &counter, &setting) == NI_ERR_KEY);
    counter.handle ^= 1 << 20;
    CHECK(cnt_set(ni, 1, &counter, &setting) == NI_ERR_REGION);
    CHECK(cnt_set(ni, 0, &counter, &setting) == NI_ERR_REGION);
    /* A queue gets it as an item, which does not fit. */
    CHECK(cnt_set(ni, 1, &world->places[1].queue_key, &setting) == NI_ERR_BOUNDS);
}

/* NI 2 is opened again, and known to NI 0 only. */
static void name_stranger(struct suite_ni *ni, void *arg)
{
    struct cnt_world *world = arg;
    const struct suite_ni *stranger = &ni->suite->nis[2];
    struct ni_counter_setting setting = {.flags = NI_COUNTER_NOTICES, .count = 1};
    struct ni_peer *peer;

    CHECK(ni_connect(ni->ni, stranger->blob, stranger->blob_len, &peer) == NI_OK);
    setting.notices[0] = cnt_notice(NI_AT_PEER, peer, &world->places[2].counter_key, 1);
    CHECK(cnt_set(ni, 1, &world->places[1].counter_key, &setting) == NI_ERR_NOTFOUND);
    /* Nothing of it was done. */
    cnt_post(ni, 1, &world->places[1].counter_key, 1);
}

static void refused(struct suite *suite)
{
    struct cnt_world *world = cnt_world_new(suite, -1, 16);

    suite_call(suite, 0, set_badly, world);
    suite_close(suite, 2);
    suite_open(suite, 2);
    suite_call(suite, 0, name_stranger, world);
    suite_until_count(suite, &world->places[1].done.count, 1);
}

/* ---- notifications that are refused ------------------------------------------------------------------ */

static void never(void *arg, const struct ni_message_info *message)
{
    (void)arg;
    (void)message;
    CHECK(!"a notification for a consumer");
}

static void open_consumer(struct suite_ni *ni, void *arg)
{
    CHECK(ni_region_consumer(ni->ni, never, NULL, 0, arg) == NI_OK);
}

/* Wrong keys, a place outside, one that is not aligned, an item that does not fit, a consumer. */
static void tell_badly(struct suite_ni *ni, void *arg)
{
    struct cnt_world *world = arg;
    struct cnt_place *places = world->places;
    const struct ni_rkey *consumer = (const struct ni_rkey *)(void *)places[2].memory;
    struct ni_counter_setting setting = {
        .flags = NI_COUNTER_VALUE | NI_COUNTER_RELOAD | NI_COUNTER_NOTICES,
        .count = 4,
        .value = -1,
        .reload = -1,
        .notices = {cnt_notice(NI_AT_COUNTER, NULL, &places[1].memory_key, 1),
                    cnt_notice(NI_AT_COUNTER, NULL, &places[1].memory_key, 1),
                    cnt_notice(NI_AT_COUNTER, NULL, &places[1].queue_key, 1),
                    cnt_notice(NI_AT_COUNTER, NULL, consumer, 1)}};

    setting.notices[0].where.addr = (uintptr_t)places[1].memory + CNT_MEMORY - 4;
    setting.notices[1].where.addr = (uintptr_t)places[1].memory + 4;
    setting.notices[2].width = 4;
    CHECK(cnt_set(ni, 1, &places[1].counter_key, &setting) == NI_OK);
    cnt_post(ni, 1, &places[1].counter_key, 1);
    setting.notices[0].where.addr = (uintptr_t)places[1].memory;
    setting.notices[0].where.key++;
    setting.notices[1] = cnt_notice(NI_AT_SENDER, NULL, &places[0].counter_key, 1);
    setting.notices[1].where.key++;
    setting.notices[2] = cnt_notice(NI_AT_COUNTER, NULL, &places[1].counter_key, 1);
    setting.notices[2].width = 4;
    setting.notices[3].where.handle ^= 1 << 20;
    CHECK(cnt_set(ni, 1, &places[1].counter_key, &setting) == NI_OK);
    cnt_post(ni, 1, &places[1].counter_key, 1);
    while (suite_stat(ni, "rx_refused") != 1) {
        suite_turn(ni);
    }
}

static void check_refused(struct suite_ni *ni, void *arg)
{
    struct cnt_world *world = arg;

    while (suite_stat(ni, "rx_refused") < 7) {
        suite_turn(ni);
    }
    CHECK(suite_stat(ni, "rx_refused") == 7);
    for (unsigned i = 0; i < CNT_MEMORY; i++) {
        CHECK(world->places[1].memory[i] == 0);
    }
    CHECK(cnt_read(ni, &world->places[1].counter_key) == -1);
}

static void refused_notices(struct suite *suite)
{
    struct cnt_world *world = cnt_world_new(suite, -1, 16);

    suite_call(suite, 1, open_consumer, world->places[2].memory);
    suite_call(suite, 0, tell_badly, world);
    suite_call(suite, 1, check_refused, world);
    CHECK(atomic_load(&world->places[0].done.count) == 0);
}

/* ---- thresholds ---------------------------------------------------------------------------------------- */

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

/* ---- from counters to portals ---------------------------------------------------------------------------- */

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

/* Three parts of a session have to come before the put leaves: the counter of NI 0 raises a counting event,
 * and that triggers. */
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

/* ---- counted writes ------------------------------------------------------------------------------------------ */

static const size_t sizes[] = {1, 8, 9, 48, 64, 200, 2000, 2048, 2049, 5000, 70000};

enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

static uint64_t all_sizes(void)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < SIZES; i++) {
        sum += sizes[i];
    }
    return sum;
}

static void write_all(struct suite_ni *ni, void *arg)
{
    struct cnt_world *world = arg;
    struct cnt_place *there = &world->places[1];
    uint8_t *from = world->places[ni->index].memory;
    uint8_t *to = there->memory + (ni->index == 0 ? 0 : AREA);
    struct suite_done done = {0};
    struct ni_ack ack = suite_ack(&done);

    for (unsigned i = 0; i < SIZES; i++) {
        struct ni_remote where = suite_remote(to, &there->memory_key);
        ni_status status;

        suite_fill(from, sizes[i], ni->index * 100 + i);
        while ((status = ni_write_counted(ni->ni, ni->peers[1], from, sizes[i], &where,
                                          &there->counter_key, i % 2 ? &ack : NULL)) == NI_AGAIN) {
            suite_turn(ni);
        }
        CHECK(status == NI_OK);
        from += sizes[i];
        to += sizes[i];
    }
    while (atomic_load(&done.count) < SIZES / 2) {
        suite_turn(ni);
    }
    CHECK(atomic_load(&done.status) == NI_OK);
}

static void check_all(struct suite_ni *ni, void *arg)
{
    struct cnt_world *world = arg;

    CHECK(cnt_read(ni, &world->places[1].counter_key) == 0);
    for (unsigned index = 0; index <= 2; index += 2) {
        const uint8_t *at = world->places[1].memory + (index == 0 ? 0 : AREA);

        for (unsigned i = 0; i < SIZES; i++) {
            CHECK(suite_filled(at, sizes[i], index * 100 + i));
            at += sizes[i];
        }
    }
}

/* The counter is zero when all is there, whoever wrote it in how many pieces. */
static void counted(struct suite *suite)
{
    struct cnt_world *world = cnt_world_new(suite, -2 * (int64_t)all_sizes(), 16);

    suite_begin(suite, 0, write_all, world);
    suite_begin(suite, 2, write_all, world);
    suite_end(suite, 0);
    suite_end(suite, 2);
    suite_until_count(suite, &world->places[1].done.count, 1);
    suite_call(suite, 1, check_all, world);
}

static void write_badly(struct suite_ni *ni, size_t len, const struct ni_remote *where,
                        const struct ni_rkey *counter)
{
    static const uint8_t bytes[100] = {1};
    ni_status status;

    while ((status = ni_write_counted(ni->ni, ni->peers[1], bytes, len, where, counter, NULL)) ==
           NI_AGAIN) {
        suite_turn(ni);
    }
    CHECK(status == NI_OK);
}

/* In one line and in more, before there is a lane and through it. */
static void count_badly(struct suite_ni *ni, void *arg)
{
    struct cnt_world *world = arg;
    struct cnt_place *there = &world->places[1];
    const struct ni_counter_setting nothing = {.flags = 0};
    struct ni_remote closed = suite_remote(there->memory, &there->memory_key);
    struct ni_remote open;
    struct ni_rkey counter = there->counter_key;

    closed.key++;
    counter.key++;
    for (unsigned i = 0; i < 50; i++) {
        size_t len = i % 2 == 0 ? 8 : 100;

        /* A place for each: they go different ways, and nothing orders them. */
        open = suite_remote(there->memory + 200 * (i + 1), &there->memory_key);
        write_badly(ni, len, &closed, &there->counter_key); /* neither written nor counted */
        write_badly(ni, len, &open, &counter);              /* counted nowhere */
        cnt_post(ni, 1, &counter, 1);
        cnt_post(ni, 1, &there->queue_key, 1); /* an item that nobody counts */
        cnt_post(ni, 1, &there->memory_key, 1);
    }
    CHECK(cnt_set(ni, 1, &there->counter_key, &nothing) == NI_OK);
}

static void check_bad(struct suite_ni *ni, void *arg)
{
    struct cnt_world *world = arg;

    CHECK(world->places[1].memory[0] == 0);
    CHECK(world->places[1].memory[200] <= 1); /* whether they are written is open */
    CHECK(cnt_read(ni, &world->places[1].counter_key) == -1);
}

static void counted_badly(struct suite *suite)
{
    struct cnt_world *world = cnt_world_new(suite, -1, 64);

    suite_call(suite, 0, count_badly, world);
    suite_call(suite, 1, check_bad, world);
    CHECK(atomic_load(&world->places[1].done.count) == 0);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"refused", 3, SUITE_NEEDS_NOTHING, refused},
        {"refused_notices", 3, SUITE_NEEDS_NOTHING, refused_notices},
        {"thresholds", 2, SUITE_NEEDS_NOTHING, thresholds},
        {"closed", 2, SUITE_NEEDS_NOTHING, closed},
        {"to_portals", 3, SUITE_NEEDS_NOTHING, to_portals},
        {"counted", 3, SUITE_NEEDS_NOTHING, counted},
        {"counted_badly", 2, SUITE_NEEDS_NOTHING, counted_badly},
    };

    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
