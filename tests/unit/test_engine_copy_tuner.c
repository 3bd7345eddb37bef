/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/bulk/copy_tuner.c. */
#include "unit.h"

#include "engine/bulk/copy_tuner.h"

/*
 * Which of the ways long reads go, by a made-up clock: each read takes as long as its way costs,
 * and reads that are under way at the same time share it.
 */

enum {
    TRIAL = 16,
    FIRST = TRIAL << NI_COPY_TUNER_STAY, /* turns of the best: the shortest, */
    NEAR = TRIAL << NI_COPY_TUNER_NEAR,
    LONGEST = TRIAL << NI_COPY_TUNER_LONGEST,
    LEN = 5000,
};

struct world {
    struct ni_copy_tuner tuner;
    uint64_t now;
    uint64_t cost[NI_WAY_COUNT]; /* picoseconds for a byte, by way */
    unsigned went[NI_WAY_COUNT]; /* reads */
};

/* alone 0: there is no such way. */
static void open_world(struct world *world, uint64_t ask, uint64_t copy, uint64_t alone)
{
    *world = (struct world){.now = 12345, .cost = {ask, copy, alone}};
    ni_copy_tuner_init(&world->tuner, TRIAL, alone != 0 ? NI_WAY_COUNT : NI_WAY_COUNT - 1, false);
}

/* Some reads at once; delay: nanoseconds that each takes besides. */
static enum ni_way window(struct world *world, unsigned reads, uint64_t delay)
{
    enum ni_way way = NI_WAY_PULL;

    for (unsigned i = 0; i < reads; i++) {
        enum ni_way one = ni_copy_tuner_begin(&world->tuner, world->now);

        assert_true(i == 0 || one == way); /* it does not change while some are under way */
        way = one;
        world->went[way]++;
    }
    for (unsigned i = 0; i < reads; i++) {
        world->now += LEN * world->cost[way] / 1000 + delay;
        ni_copy_tuner_end(&world->tuner, world->now, LEN);
    }
    world->now += 777;
    return way;
}

static void read_many(struct world *world, unsigned reads)
{
    for (unsigned i = 0; i < reads; i++) {
        (void)window(world, 1, 0);
    }
}

/* First a trial of each, then what is faster, whichever it is. */
static void check_first(uint64_t ask, uint64_t copy, enum ni_way better)
{
    struct world world;

    open_world(&world, ask, copy, 0);
    read_many(&world, TRIAL);
    assert_int_equal(world.went[NI_WAY_PULL], TRIAL);
    read_many(&world, TRIAL);
    assert_int_equal(world.went[NI_WAY_COPY], TRIAL);
    read_many(&world, FIRST);
    assert_int_equal(world.went[better], TRIAL + FIRST);
}

static void test_faster(void **state)
{
    (void)state;
    check_first(100, 50, NI_WAY_COPY);
    check_first(50, 100, NI_WAY_PULL);
}

/* Reads until so many trials of a way have ended, of which one has begun. */
static unsigned reads_until(struct world *world, enum ni_way way, unsigned trials)
{
    unsigned reads = 0;

    for (unsigned goal = world->went[way] + trials * TRIAL; world->went[way] < goal; reads++) {
        (void)window(world, 1, 0);
    }
    return reads;
}

/* What loses again and again is tried less and less often, but never not at all. */
static void test_losses(void **state)
{
    struct world world;

    (void)state;
    open_world(&world, 100, 50, 0);
    read_many(&world, 2 * TRIAL);
    for (unsigned turn = FIRST, trial = 0; trial < 12; trial++) {
        assert_int_equal(reads_until(&world, NI_WAY_PULL, 1), turn + TRIAL);
        turn = turn < LONGEST ? 2 * turn : turn;
    }
    world.cost[NI_WAY_PULL] = 20;
    read_many(&world, LONGEST + TRIAL);
    assert_int_equal(window(&world, 1, 0), NI_WAY_PULL);
}

/* What is nearly as fast is tried more often. */
static void test_near(void **state)
{
    struct world world;

    (void)state;
    open_world(&world, 100, 90, 0);
    read_many(&world, 2 * TRIAL + 16 * NEAR);
    for (unsigned trial = 0; trial < 4; trial++) {
        assert_in_range(reads_until(&world, NI_WAY_COPY, 1), TRIAL, NEAR + TRIAL);
    }
    world.cost[NI_WAY_COPY] = 150;
    (void)reads_until(&world, NI_WAY_COPY, 1);
    assert_true(reads_until(&world, NI_WAY_COPY, 1) > NEAR + TRIAL);
}

/* Where the best gets slower, others are tried again soon. */
static void test_best_gets_slower(void **state)
{
    struct world world;

    (void)state;
    open_world(&world, 50, 100, 0);
    read_many(&world, 2 * TRIAL);
    (void)reads_until(&world, NI_WAY_COPY, 10);
    read_many(&world, LONGEST / 4);
    world.cost[NI_WAY_PULL] = 400;
    read_many(&world, NEAR + TRIAL);
    assert_int_equal(window(&world, 1, 0), NI_WAY_COPY);
}

/* Nothing changes for less than an eighth. */
static void test_equal(void **state)
{
    (void)state;
    check_first(100, 100, NI_WAY_PULL);
    check_first(100, 90, NI_WAY_PULL);
    check_first(100, 80, NI_WAY_COPY);
}

/* All have a trial at first; after that those that are not best, in turn. */
static void check_three(uint64_t ask, uint64_t copy, uint64_t alone, enum ni_way best)
{
    struct world world;

    open_world(&world, ask, copy, alone);
    read_many(&world, NI_WAY_COUNT * TRIAL);
    for (unsigned way = 0; way < NI_WAY_COUNT; way++) {
        assert_int_equal(world.went[way], TRIAL);
    }
    read_many(&world, 40 * NEAR);
    for (unsigned way = 0; way < NI_WAY_COUNT; way++) {
        assert_true(way == (unsigned)best ? world.went[way] >= 39 * NEAR
                                          : world.went[way] >= 3 * TRIAL);
    }
}

static void test_three(void **state)
{
    (void)state;
    check_three(50, 100, 100, NI_WAY_PULL);
    check_three(100, 50, 100, NI_WAY_COPY);
    check_three(100, 100, 50, NI_WAY_ALONE);
    check_three(100, 80, 60, NI_WAY_ALONE);
    check_three(100, 60, 55, NI_WAY_COPY); /* less than an eighth */
}

/* What was the slowest becomes the fastest, and is found. */
static void test_three_change(void **state)
{
    struct world world;

    (void)state;
    open_world(&world, 50, 100, 100);
    read_many(&world, NI_WAY_COUNT * TRIAL + FIRST / 2);
    world.cost[NI_WAY_ALONE] = 10;
    read_many(&world, 4 * NEAR);
    assert_int_equal(window(&world, 1, 0), NI_WAY_ALONE);
}

/* The peer begins to compute, say, and ends it. */
static void test_changes(void **state)
{
    struct world world;

    (void)state;
    open_world(&world, 50, 100, 0);
    read_many(&world, 2 * TRIAL + 4 * NEAR);
    world.cost[NI_WAY_PULL] = 400;
    read_many(&world, NEAR + TRIAL);
    assert_int_equal(window(&world, 1, 0), NI_WAY_COPY);
    world.cost[NI_WAY_PULL] = 50;
    read_many(&world, NEAR + TRIAL);
    assert_int_equal(window(&world, 1, 0), NI_WAY_PULL);
}

/* What comes in windows is judged by its bandwidth, and one way has a window as a whole. */
static void test_windows(void **state)
{
    struct world world;

    (void)state;
    open_world(&world, 100, 50, 0);
    for (unsigned i = 0; i < 2 * NI_COPY_TUNER_BLOCKS; i++) {
        (void)window(&world, 64, 0);
    }
    assert_int_equal(world.went[NI_WAY_PULL], NI_COPY_TUNER_BLOCKS * 64);
    assert_int_equal(world.went[NI_WAY_COPY], NI_COPY_TUNER_BLOCKS * 64);
    assert_int_equal(window(&world, 64, 0), NI_WAY_COPY);
}

/* A way is not judged by its first window, in which memory may have been allocated for it. */
static void test_first_window(void **state)
{
    struct world world;

    (void)state;
    open_world(&world, 50, 100, 0);
    (void)window(&world, 64, 100000);
    for (unsigned i = 0; i < 4; i++) {
        (void)window(&world, 64, 0);
    }
    assert_int_equal(window(&world, 64, 0), NI_WAY_PULL);
}

/* Where trials cost much each is one window, and the next one is far away. */
static void test_settled(void **state)
{
    struct world world;

    (void)state;
    open_world(&world, 100, 50, 0);
    ni_copy_tuner_init(&world.tuner, TRIAL, NI_WAY_COUNT - 1, true);
    for (unsigned i = 0; i < 2 + NEAR / 64; i++) {
        (void)window(&world, 64, 0);
    }
    assert_int_equal(world.went[NI_WAY_PULL], 64);
    assert_int_equal(window(&world, 64, 0), NI_WAY_PULL);
}

/* A read that takes a thousand times as long, because its process has lost its core, decides
 * nothing. */
static void test_outlier(void **state)
{
    struct world world;

    (void)state;
    open_world(&world, 100, 50, 0);
    for (unsigned i = 0; i < 2 * TRIAL; i++) {
        (void)window(&world, 1, i == TRIAL + 3 ? 5000000 : 0);
    }
    assert_int_equal(window(&world, 1, 0), NI_WAY_COPY);
}

/* Reads that never end all at once stay on one way. */
static void test_never_quiet(void **state)
{
    struct world world;

    (void)state;
    open_world(&world, 100, 50, 0);
    assert_int_equal(ni_copy_tuner_begin(&world.tuner, 1), NI_WAY_PULL);
    for (uint64_t i = 0; i < 10000; i++) {
        assert_int_equal(ni_copy_tuner_begin(&world.tuner, i), NI_WAY_PULL);
        ni_copy_tuner_end(&world.tuner, i, LEN);
    }
    ni_copy_tuner_end(&world.tuner, 10000, LEN);
    assert_int_equal(ni_copy_tuner_begin(&world.tuner, 10001), NI_WAY_COPY);
}

static void test_classes(void **state)
{
    (void)state;
    assert_int_equal(ni_copy_tuner_class(4096), 0);
    assert_int_equal(ni_copy_tuner_class(16383), 0);
    assert_int_equal(ni_copy_tuner_class(16384), 1);
    assert_int_equal(ni_copy_tuner_class(65536), 2);
    assert_int_equal(ni_copy_tuner_class(1 << 20), 4);
    assert_int_equal(ni_copy_tuner_class(UINT64_MAX), NI_COPY_TUNER_CLASSES - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faster),       cmocka_unit_test(test_equal),
        cmocka_unit_test(test_three),        cmocka_unit_test(test_three_change),
        cmocka_unit_test(test_changes),      cmocka_unit_test(test_windows),
        cmocka_unit_test(test_outlier),      cmocka_unit_test(test_never_quiet),
        cmocka_unit_test(test_classes),      cmocka_unit_test(test_losses),
        cmocka_unit_test(test_near),         cmocka_unit_test(test_best_gets_slower),
        cmocka_unit_test(test_first_window), cmocka_unit_test(test_settled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
