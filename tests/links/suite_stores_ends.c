/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/object/store/store_fence.c ni/engine/object/store/store_group.c. */
#include <apeni/counter.h>

#include "suite_stores.h"

/* How remote stores end: refused, with their peer, without room; and who hears of it. */

enum { FLOOD = 4000, QUIET = 100 };

/* ---- what is refused ------------------------------------------------------------------------- */

static void open_read_only(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;

    CHECK(ni_region_memory(ni->ni, world->memory[1], 64, NI_ACCESS_READ, &world->read_only) ==
          NI_OK);
}

static ni_status store_badly(struct suite_ni *ni, const struct ni_remote *where)
{
    ni_status status;

    while ((status = ni_store(ni->ni, ni->peers[1], where, 1, 4)) == NI_AGAIN) {
        suite_turn(ni);
    }
    return status != NI_OK ? status : suite_fence(ni, 1);
}

static void refused_here(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;
    struct ni_remote good = suite_stores_place(world, 1, 0), bad = good;
    struct ni_loading loading;
    uint64_t value = 5;

    CHECK(ni_store(ni->ni, ni->peers[1], &good, 1, 3) == NI_ERR_INVALID);
    CHECK(ni_store(ni->ni, ni->peers[1], &good, 1, 0) == NI_ERR_INVALID);
    CHECK(ni_store(ni->ni, ni->peers[1], &good, 1, 16) == NI_ERR_INVALID);
    CHECK(ni_load(ni->ni, ni->peers[1], &good, 5, &value) == NI_ERR_INVALID && value == 5);
    bad.addr++;
    CHECK(store_badly(ni, &bad) == NI_ERR_ALIGN);
    CHECK(ni_load_start(ni->ni, ni->peers[1], &bad, 2, &loading) == NI_ERR_ALIGN);
    bad = good;
    bad.key++;
    CHECK(store_badly(ni, &bad) == NI_ERR_KEY);
    CHECK(suite_fence(ni, 1) == NI_OK); /* it was told once */
    CHECK(store_badly(ni, &good) == NI_OK);
    bad = suite_stores_place(world, 1, SUITE_STORES);
    CHECK(store_badly(ni, &bad) == NI_ERR_BOUNDS);
    bad = suite_remote(world->memory[1], &world->read_only);
    CHECK(store_badly(ni, &bad) == NI_ERR_ACCESS);
    bad = good;
    bad.handle ^= 1 << 20;
    CHECK(store_badly(ni, &bad) == NI_ERR_REGION);
    /* Of several the first. */
    bad = good;
    bad.key++;
    CHECK(ni_store(ni->ni, ni->peers[1], &bad, 1, 4) == NI_OK);
    bad = suite_stores_place(world, 1, SUITE_STORES);
    CHECK(store_badly(ni, &bad) == NI_ERR_KEY);
    CHECK(suite_fence(ni, SUITE_NIS) == NI_OK);
}

static void check_untouched(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;

    CHECK(world->memory[ni->index][0] == 1);
    for (unsigned i = 1; i < SUITE_STORES; i++) {
        CHECK(world->memory[ni->index][i] == 0);
    }
}

static void refused(struct suite *suite)
{
    struct suite_stores *world = suite_stores_world(suite);

    suite_call(suite, 1, open_read_only, world);
    suite_call(suite, 0, refused_here, world);
    suite_call(suite, 1, check_untouched, world);
}

/* ---- a peer that dies, or takes nothing ------------------------------------------------------ */

static void store_some(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;
    struct ni_ack ack = suite_ack(&world->done);

    suite_store(ni, world, 1, 0, 1, 8);
    CHECK(ni_store_flush(ni->ni, NULL) != NI_ERR_INVALID);
    suite_store(ni, world, 1, 64, 1, 8);
    CHECK(ni_store_fence(ni->ni, ni->peers[1], &ack) == NI_OK);
    suite_store(ni, world, 1, 128, 1, 8); /* not sent yet */
}

static void after_death(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;
    struct ni_remote where = suite_stores_place(world, 1, 0);
    uint64_t value;

    while (atomic_load(&ni->downs[1]) == 0) {
        suite_turn(ni);
    }
    CHECK(ni_store(ni->ni, ni->peers[1], &where, 1, 8) == NI_ERR_PEER_DEAD);
    CHECK(ni_load(ni->ni, ni->peers[1], &where, 8, &value) == NI_ERR_PEER_DEAD);
    CHECK(suite_fence(ni, 1) != NI_ERR_INVALID && suite_fence(ni, 1) == NI_OK);
    CHECK(ni_store_outstanding(ni->ni, ni->peers[1]) == 0);
    suite_store(ni, world, 2, 0, 9, 8);
    CHECK(suite_fence(ni, 2) == NI_OK);
}

static void death(struct suite *suite)
{
    struct suite_stores *world = suite_stores_world(suite);

    suite_call(suite, 0, store_some, world);
    suite_kill(suite, 1);
    suite_call(suite, 0, after_death, world);
    suite_until_count(suite, &world->done.count, 1);
}

static void flood_here(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;
    bool again = false;

    for (uint64_t n = 0; n < FLOOD; n++) {
        /* Every other word: nothing is combined. */
        struct ni_remote where = suite_stores_place(world, 1, n * 16 % SUITE_STORES);

        for (;;) {
            ni_status status = ni_store(ni->ni, ni->peers[1], &where, n, 8);

            if (status == NI_OK) {
                break;
            }
            CHECK(status == NI_AGAIN);
            CHECK(ni_store_flush(ni->ni, ni->peers[1]) == NI_AGAIN);
            again = true;
            suite_turn(ni);
        }
    }
    CHECK(again == suite_stores_packets(ni));
    CHECK(suite_fence(ni, 1) == NI_OK);
    for (uint64_t n = FLOOD - SUITE_STORES / 16; n < FLOOD; n++) {
        CHECK(suite_load(ni, world, 1, n * 16 % SUITE_STORES, 8) == n);
    }
}

/* Where the peer moves only when we let it: the ring becomes full. */
static void flood(struct suite *suite)
{
    suite_call(suite, 0, flood_here, suite_stores_world(suite));
}

/* ---- what nobody has asked for yet ----------------------------------------------------------- */

/* One word to a packet. */
static void store_apart(struct suite_ni *ni, const struct suite_stores *world, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        suite_store(ni, world, 1, 16 * (i % 128), i, 8);
        while (ni_store_flush(ni->ni, ni->peers[1]) == NI_AGAIN) {
            suite_turn(ni);
        }
    }
}

static void store_refused(struct suite_ni *ni, const struct suite_stores *world)
{
    struct ni_remote bad = suite_stores_place(world, 1, 0);
    ni_status status;

    bad.key++;
    while ((status = ni_store(ni->ni, ni->peers[1], &bad, 1, 8)) == NI_AGAIN) {
        suite_turn(ni);
    }
    CHECK(status == NI_OK);
}

/* The end of all that was stored, without a fence. */
static void until_none(struct suite_ni *ni)
{
    while (ni_store_outstanding(ni->ni, ni->peers[1]) != 0) {
        suite_turn(ni);
    }
}

/* What is not refused is not answered; the count falls for any thread that looks, and a fence hears
 * of what was refused. */
static void quiet_here(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;
    uint64_t refused = suite_stat(ni, "rx_packets");

    store_apart(ni, world, QUIET);
    suite_load(ni, world, 1, 0, 8); /* comes after them */
    CHECK(suite_stat(ni, "rx_packets") - refused < QUIET / 2);
    until_none(ni);
    CHECK(suite_fence(ni, 1) == NI_OK);
    store_apart(ni, world, QUIET);
    store_refused(ni, world);
    store_refused(ni, world);
    store_apart(ni, world, QUIET);
    until_none(ni);
    CHECK(suite_fence(ni, 1) == NI_ERR_KEY && suite_fence(ni, 1) == NI_OK);
    store_refused(ni, world);
    CHECK(ni_store_flush(ni->ni, ni->peers[1]) >= NI_OK);
    CHECK(suite_fence(ni, 1) == NI_ERR_KEY);
    for (uint64_t i = 0; i < QUIET; i++) {
        CHECK(suite_load(ni, world, 1, 16 * i, 8) == i);
    }
}

static void quiet(struct suite *suite)
{
    suite_call(suite, 0, quiet_here, suite_stores_world(suite));
}

static ni_status flush_all(struct suite_ni *ni, bool all)
{
    struct suite_done done = {0};
    struct ni_ack ack = suite_ack(&done);

    CHECK(ni_flush(ni->ni, all ? NULL : ni->peers[1], &ack) == NI_OK);
    while (atomic_load(&done.count) == 0) {
        suite_turn(ni);
    }
    return (ni_status)atomic_load(&done.status);
}

/* Lines that have left are operations: ni_flush waits for them, and tells what was refused. */
static void flushed_here(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;
    bool packets = suite_stores_packets(ni);

    for (unsigned i = 0; i < 4; i++) {
        store_apart(ni, world, 3);
        CHECK(flush_all(ni, i % 2 != 0) == NI_OK);
        CHECK(suite_stat(ni, "pending_ops") == 0);
        store_refused(ni, world);
        store_apart(ni, world, 1 + i);
        CHECK(flush_all(ni, i % 2 != 0) == (packets ? NI_ERR_KEY : NI_OK));
        CHECK(suite_stat(ni, "pending_ops") == 0);
        CHECK(suite_fence(ni, 1) == NI_ERR_KEY);
    }
    /* The open line is part of what has left before it. */
    store_apart(ni, world, 2);
    suite_store(ni, world, 1, 8, 1, 8);
    CHECK(flush_all(ni, false) == NI_OK);
    CHECK(suite_fence(ni, 1) == NI_OK);
}

static void flushed(struct suite *suite)
{
    suite_call(suite, 0, flushed_here, suite_stores_world(suite));
}

/* Until the lane is full. */
static void fill(struct suite_ni *ni, const struct suite_stores *world)
{
    static const uint8_t data[40];

    while (ni_message(ni->ni, ni->peers[1], world->queue.handle, 0, NULL, 0, data, sizeof(data)) ==
           NI_OK) {
    }
}

/* The question finds no room, and more is stored, of the next epoch; then it is asked for once
 * more. */
static void full_here(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;
    struct suite_done done = {0};
    struct ni_ack ack = suite_ack(&done);
    ni_status wanted = NI_OK;

    for (unsigned round = 0; round < 4; round++) {
        uint64_t fences = atomic_load(&done.count);

        store_apart(ni, world, 2);
        if (round == 2) {
            store_refused(ni, world);
            while (ni_store_flush(ni->ni, ni->peers[1]) == NI_AGAIN) {
                suite_turn(ni);
            }
            wanted = NI_ERR_KEY;
        }
        fill(ni, world);
        CHECK(ni_store_fence(ni->ni, ni->peers[1], &ack) == NI_OK);
        while (round % 2 != 0 && atomic_load(&done.count) == fences) {
            suite_store(ni, world, 1, 512, round, 8);
            suite_turn(ni);
        }
        suite_store(ni, world, 1, 256, round, 8);
        CHECK(ni_store_fence(ni->ni, ni->peers[1], &ack) == NI_OK);
        while (atomic_load(&done.count) < fences + 2) {
            CHECK(atomic_load(&done.count) != fences + 1 ||
                  (ni_status)atomic_load(&done.status) == wanted);
            suite_turn(ni);
        }
        wanted = NI_OK;
        CHECK((ni_status)atomic_load(&done.status) == NI_OK);
        until_none(ni);
        CHECK(suite_load(ni, world, 1, 256, 8) == round && suite_load(ni, world, 1, 16, 8) == 1);
    }
    CHECK(suite_stat(ni, "pending_ops") == 0);
}

static void full(struct suite *suite)
{
    struct suite_stores *world = suite_stores_world(suite);

    suite_call(suite, 1, suite_stores_drop, world);
    suite_call(suite, 0, full_here, world);
}

/* Nobody asks any more. */
static void unasked_here(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;
    struct suite_done done = {0};
    struct ni_ack ack = suite_ack(&done);

    store_apart(ni, world, 5);
    ni_disconnect(ni->ni, ni->peers[1]);
    CHECK(suite_stat(ni, "pending_ops") == 0);
    CHECK(ni_store_outstanding(ni->ni, ni->peers[1]) == 0);
    CHECK(ni_store_fence(ni->ni, ni->peers[1], &ack) == NI_OK && atomic_load(&done.count) == 1);
    CHECK((ni_status)atomic_load(&done.status) ==
          (suite_stores_packets(ni) ? NI_ERR_CANCELED : NI_OK));
}

static void unasked(struct suite *suite)
{
    suite_call(suite, 0, unasked_here, suite_stores_world(suite));
}

/* ---- where memory is shared ------------------------------------------------------------------ */

static void open_counter(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;

    CHECK(ni_counter_create(ni->ni, 0, &world->queue) == NI_OK);
}

/* What would be a copy comes after a store that had to be sent. */
static void behind_here(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;
    struct ni_remote counter = {.key = world->queue.key, .handle = world->queue.handle};
    struct ni_remote where = suite_stores_place(world, 1, 64);

    for (uint64_t i = 1; i <= 10; i++) {
        uint64_t word = 100 * i, read = 0;

        CHECK(ni_store(ni->ni, ni->peers[1], &counter, i, 8) == NI_OK);
        suite_store(ni, world, 1, 64, i, 8);
        CHECK(suite_load(ni, world, 1, 64, 8) == i);
        CHECK(ni_store(ni->ni, ni->peers[1], &counter, i, 8) == NI_OK);
        suite_store(ni, world, 1, 64, i, 8);
        CHECK(suite_write(ni, 1, &word, sizeof(word), &where) == NI_OK);
        CHECK(suite_read(ni, 1, &read, sizeof(read), &where) == NI_OK && read == word);
        CHECK(suite_fence(ni, 1) == NI_OK && suite_load(ni, world, 1, 64, 8) == word);
    }
}

static void check_counter(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;
    int64_t value = 0;

    CHECK(ni_counter_read(ni->ni, world->queue.handle, &value) == NI_OK && value == 110);
}

static void behind(struct suite *suite)
{
    struct suite_stores *world = suite_stores_world(suite);

    suite_call(suite, 1, open_counter, world);
    suite_call(suite, 0, behind_here, world);
    suite_call(suite, 1, check_counter, world);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"refused", 2, SUITE_NEEDS_NOTHING, refused}, {"death", 3, SUITE_NEEDS_KILL, death},
        {"flood", 2, SUITE_NEEDS_HERE, flood},        {"quiet", 2, SUITE_NEEDS_NOTHING, quiet},
        {"flushed", 2, SUITE_NEEDS_NOTHING, flushed}, {"full", 2, SUITE_NEEDS_HERE, full},
        {"unasked", 2, SUITE_NEEDS_NOTHING, unasked}, {"behind", 2, SUITE_NEEDS_NOTHING, behind},
    };

    return suite_main_seeds(argc, argv, cases, sizeof(cases) / sizeof(cases[0]), 2);
}
