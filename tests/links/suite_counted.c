/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/object/counter/counted.c. */
#include "suite_counters.h"

/* Transfers that are counted where they arrive. */

enum { AREA = 90000 };

static const size_t sizes[] = {0, 1, 8, 9, 48, 64, 200, 264, 300, 2000, 2048, 2049, 5000, 70000};

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

/* The counter is zero when all is there, from any sender, in any number of pieces. */
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
        {"counted", 3, SUITE_NEEDS_NOTHING, counted},
        {"counted_badly", 2, SUITE_NEEDS_NOTHING, counted_badly},
    };

    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
