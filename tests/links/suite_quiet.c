/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite_stores.h"

/* Writes without an ack: they are not answered one by one, and ni_flush knows of them all the
 * same. Covers: ni/engine/object/store/flush.c ni/engine/send/unacked.c */

enum { QUIET = 100, FEW = 10, SLOT = 128, SLOTS = SUITE_STORES / SLOT, LONGEST = 96 };

/* ---- what all do ----------------------------------------------------------------------------- */

static void open_source(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;

    suite_fill(world->memory[ni->index], SUITE_STORES, 1);
}

static struct suite_stores *open_world(struct suite *suite)
{
    struct suite_stores *world = suite_stores_world(suite);

    suite_call(suite, 0, open_source, world);
    return world;
}

/* Slots in turn, of all lengths up to LONGEST. */
static size_t length(unsigned n)
{
    return n % (LONGEST + 1);
}

static void write_some(struct suite_ni *ni, const struct suite_stores *world, unsigned count)
{
    for (unsigned n = 0; n < count; n++) {
        size_t at = n % SLOTS * SLOT;
        struct ni_remote where = suite_stores_place(world, 1, at);

        CHECK(ni_write(ni->ni, ni->peers[1], world->memory[0] + at, length(n), &where, NULL) ==
              NI_OK);
    }
}

static void check_some(struct suite_ni *ni, const struct suite_stores *world, unsigned count)
{
    for (unsigned n = 0; n < count; n++) {
        size_t at = n % SLOTS * SLOT;
        struct ni_remote where = suite_stores_place(world, 1, at);
        uint8_t data[LONGEST];

        CHECK(suite_read(ni, 1, data, length(n), &where) == NI_OK);
        CHECK(memcmp(data, world->memory[0] + at, length(n)) == 0);
    }
}

static void write_refused(struct suite_ni *ni, const struct suite_stores *world)
{
    struct ni_remote bad = suite_stores_place(world, 1, 0);

    bad.key++;
    CHECK(ni_write(ni->ni, ni->peers[1], world->memory[0], 8, &bad, NULL) == NI_OK);
}

static ni_status flush(struct suite_ni *ni, bool all)
{
    struct suite_done done = {0};
    struct ni_ack ack = suite_ack(&done);

    CHECK(ni_flush(ni->ni, all ? NULL : ni->peers[1], &ack) == NI_OK);
    while (atomic_load(&done.count) == 0) {
        suite_turn(ni);
    }
    return (ni_status)atomic_load(&done.status);
}

/* ---- unanswered ------------------------------------------------------------------------------ */

/* What waits for room is answered: so a read, which comes behind them, after a few. */
static void unanswered_here(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;
    uint64_t before;

    write_some(ni, world, QUIET);
    CHECK(flush(ni, false) == NI_OK);
    before = suite_stat(ni, "rx_packets");
    for (unsigned i = 0; i < QUIET / FEW; i++) {
        struct ni_remote where = suite_stores_place(world, 1, 0);
        uint8_t byte;

        write_some(ni, world, FEW);
        CHECK(suite_read(ni, 1, &byte, 1, &where) == NI_OK);
    }
    CHECK(flush(ni, false) == NI_OK);
    CHECK(suite_stat(ni, "rx_packets") - before < QUIET / 2);
    check_some(ni, world, QUIET);
    CHECK(suite_stat(ni, "pending_ops") == 0);
}

static void unanswered(struct suite *suite)
{
    suite_call(suite, 0, unanswered_here, open_world(suite));
}

/* ---- refused --------------------------------------------------------------------------------- */

static void refused_here(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;
    ni_status wanted = suite_stores_packets(ni) ? NI_ERR_KEY : NI_OK; /* told at once, to nobody */

    for (unsigned i = 0; i < 4; i++) {
        bool all = i % 2 != 0;

        write_some(ni, world, QUIET);
        CHECK(flush(ni, all) == NI_OK && flush(ni, all) == NI_OK);
        write_some(ni, world, i);
        write_refused(ni, world);
        write_refused(ni, world);
        write_some(ni, world, QUIET);
        CHECK(flush(ni, all) == wanted && flush(ni, all) == NI_OK);
        CHECK(suite_stat(ni, "pending_ops") == 0);
        check_some(ni, world, QUIET);
    }
    /* A fence is for stores: what else was refused is not its matter, but its own is. */
    suite_store(ni, world, 1, 0, 1, 8);
    CHECK(ni_store_flush(ni->ni, ni->peers[1]) >= NI_OK);
    write_refused(ni, world);
    CHECK(suite_fence(ni, 1) == NI_OK && flush(ni, false) == wanted);
}

static void refused(struct suite *suite)
{
    suite_call(suite, 0, refused_here, open_world(suite));
}

/* ---- without room ---------------------------------------------------------------------------- */

/* The question finds the lane full, and waits; what is written meanwhile does, too. */
static void full_here(struct suite_ni *ni, void *arg)
{
    static const uint8_t data[40];
    struct suite_stores *world = arg;
    struct suite_done done = {0};
    struct ni_ack ack = suite_ack(&done);

    for (unsigned round = 1; round <= 4; round++) {
        write_some(ni, world, QUIET);
        CHECK(flush(ni, false) == NI_OK);
        write_some(ni, world, 4);
        while (ni_message(ni->ni, ni->peers[1], world->queue.handle, 0, NULL, 0, data,
                          sizeof(data)) == NI_OK) {
        }
        CHECK(ni_flush(ni->ni, ni->peers[1], &ack) == NI_OK);
        CHECK(ni_flush(ni->ni, NULL, &ack) == NI_OK);
        write_some(ni, world, QUIET);
        while (atomic_load(&done.count) != 2 * round) {
            suite_turn(ni);
        }
        CHECK(flush(ni, false) == NI_OK);
        check_some(ni, world, QUIET);
    }
    CHECK(suite_stat(ni, "pending_ops") == 0);
}

static void full(struct suite *suite)
{
    struct suite_stores *world = open_world(suite);

    suite_call(suite, 1, suite_stores_drop, world);
    suite_call(suite, 0, full_here, world);
}

/* ---- given up -------------------------------------------------------------------------------- */

/* Nobody asks any more; what comes later is asked for as before. */
static void given_up_here(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;

    write_some(ni, world, QUIET);
    CHECK(flush(ni, false) == NI_OK);
    write_some(ni, world, QUIET);
    ni_disconnect(ni->ni, ni->peers[1]);
    CHECK(suite_stat(ni, "pending_ops") == 0);
    write_some(ni, world, QUIET);
    CHECK(flush(ni, false) == NI_OK);
    check_some(ni, world, QUIET);
    CHECK(suite_stat(ni, "pending_ops") == 0);
}

static void given_up(struct suite *suite)
{
    suite_call(suite, 0, given_up_here, open_world(suite));
}

static void write_last(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;

    write_some(ni, world, QUIET);
    CHECK(flush(ni, false) == NI_OK);
    write_some(ni, world, QUIET);
}

static void flush_dead(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;
    struct ni_ack ack = suite_ack(&world->done);

    CHECK(ni_flush(ni->ni, ni->peers[1], &ack) == NI_OK);
}

static void after_death(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;
    struct ni_remote where = suite_stores_place(world, 1, 0);

    while (atomic_load(&ni->downs[1]) == 0) {
        suite_turn(ni);
    }
    CHECK(ni_write(ni->ni, ni->peers[1], world->memory[0], 8, &where, NULL) == NI_ERR_PEER_DEAD);
    CHECK(flush(ni, false) == NI_OK && flush(ni, true) == NI_OK);
    CHECK(suite_stat(ni, "pending_ops") == 0);
}

static void death(struct suite *suite)
{
    struct suite_stores *world = open_world(suite);

    suite_call(suite, 0, write_last, world);
    suite_kill(suite, 1);
    suite_call(suite, 0, flush_dead, world);
    suite_until_count(suite, &world->done.count, 1);
    suite_call(suite, 0, after_death, world);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"unanswered", 2, SUITE_NEEDS_NOTHING, unanswered},
        {"refused", 2, SUITE_NEEDS_NOTHING, refused},
        {"full", 2, SUITE_NEEDS_HERE, full},
        {"given_up", 2, SUITE_NEEDS_NOTHING, given_up},
        {"death", 2, SUITE_NEEDS_KILL, death},
    };

    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
