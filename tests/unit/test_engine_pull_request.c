/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/base/copy.c. */
/* Covers: ni/engine/bulk/pull_request.c ni/engine/send/probe.c. */
#include "engine_pair.h"

#include <pthread.h>
#include <sched.h>

#include "engine/core/peer.h"
#include "engine/send/probe.h"

/*
 * Long reads: who is asked answers through the lane, but where both read from each other and are
 * far apart each has the kernel copy. How far they are is learned from credits while both are busy.
 */

enum {
    LEN = 256 * 1024,
    TURNS = 1000 * 1000,
};

static uint8_t at_a[LEN], at_b[LEN], to_a[LEN], to_b[LEN];

/* The two, and what each reads from the other. */
struct world {
    struct pair pair;
    struct ni_rkey key_a, key_b;
    struct pair_done done_a, done_b;
};

static void open_trying(struct world *world, const char *far_ns, const char *pull_trial)
{
    struct pair *pair = &world->pair;

    *world = (struct world){0};
    pair_set("patience_us", "1000000");
    pair_set("pull_trial", pull_trial);
    pair_set("far_ns", far_ns);
    pair_open(pair, &(struct pair_attr){.copy = NI_FABRIC_BY_CALL});
    assert_int_equal(ni_region_memory(pair->a, at_a, LEN, NI_ACCESS_ALL, &world->key_a), NI_OK);
    assert_int_equal(ni_region_memory(pair->b, at_b, LEN, NI_ACCESS_ALL, &world->key_b), NI_OK);
    assert_int_equal(ni_message(pair->a, pair->ab, 1, 0, NULL, 0, NULL, 0), NI_OK);
    assert_int_equal(ni_message(pair->b, pair->ba, 1, 0, NULL, 0, NULL, 0), NI_OK);
    pair_settle(pair);
    memset(to_a, 0, LEN);
    memset(to_b, 0, LEN);
    memset(at_a, 0xaa, LEN);
    memset(at_b, 0xbb, LEN);
}

static void open_world(struct world *world, const char *far_ns)
{
    open_trying(world, far_ns, "0");
}

static void read_to_a(struct world *world)
{
    struct ni_remote remote = pair_remote(at_b, &world->key_b);
    struct ni_ack ack = pair_ack(&world->done_a);

    assert_int_equal(ni_read(world->pair.a, world->pair.ab, to_a, LEN, &remote, &ack), NI_OK);
}

static void read_to_b(struct world *world)
{
    struct ni_remote remote = pair_remote(at_a, &world->key_a);
    struct ni_ack ack = pair_ack(&world->done_b);

    assert_int_equal(ni_read(world->pair.b, world->pair.ba, to_b, LEN, &remote, &ack), NI_OK);
}

static void wait_for(struct world *world, const struct pair_done *done)
{
    for (unsigned turns = 0; done->count == 0; turns++) {
        (void)ni_progress(world->pair.a);
        (void)ni_progress(world->pair.b);
        assert_true(turns < TURNS);
    }
    assert_int_equal(done->count, 1);
    assert_int_equal(done->status, NI_OK);
    assert_int_equal(done->value, LEN);
}

static void read_both(struct world *world)
{
    world->done_a = world->done_b = (struct pair_done){0};
    read_to_a(world);
    read_to_b(world);
    wait_for(world, &world->done_a);
    wait_for(world, &world->done_b);
    assert_memory_equal(to_a, at_b, LEN);
    assert_memory_equal(to_b, at_a, LEN);
}

static uint64_t by_kernel(const struct world *world)
{
    return pair_stat(world->pair.a, "bulk_bytes_self") +
           pair_stat(world->pair.a, "bulk_bytes_shared") +
           pair_stat(world->pair.b, "bulk_bytes_self") +
           pair_stat(world->pair.b, "bulk_bytes_shared");
}

static void set_far(struct world *world)
{
    atomic_store(&world->pair.ab->send.far, true);
    atomic_store(&world->pair.ba->send.far, true);
}

static void near_both_ways(void **state)
{
    struct world world;

    (void)state;
    open_world(&world, "1000000");
    read_both(&world);
    assert_int_equal(by_kernel(&world), 0);
    pair_close(&world.pair);
}

/* Some are asked for, as many copied, and as many without asking for help; then whichever is
 * fastest is kept. */
static void trials(void **state)
{
    enum { TRIAL = 5 };
    struct world world;

    (void)state;
    open_trying(&world, "1000000", "5");
    for (unsigned i = 1; i <= NI_WAY_COUNT * TRIAL; i++) {
        uint64_t before = pair_stat(world.pair.b, "rx_packets");

        world.done_a = (struct pair_done){0};
        read_to_a(&world);
        wait_for(&world, &world.done_a);
        assert_int_equal(by_kernel(&world), i <= TRIAL ? 0 : (i - TRIAL) * LEN);
        assert_int_equal(pair_stat(world.pair.b, "rx_packets") - before, i <= 2 * TRIAL);
    }
    pair_close(&world.pair);
}

/* Whatever the credits say, with this far_ns it stays far. */
static void far_one_way(void **state)
{
    struct world world;

    (void)state;
    open_world(&world, "0");
    set_far(&world);
    read_to_a(&world);
    wait_for(&world, &world.done_a);
    assert_memory_equal(to_a, at_b, LEN);
    assert_int_equal(by_kernel(&world), 0);
    pair_close(&world.pair);
}

/* Each declines, or copies already because it was declined; the next ones are not even asked about,
 * and of none of them does the other copy a part. */
static void far_both_ways(void **state)
{
    struct world world;

    (void)state;
    open_world(&world, "0");
    set_far(&world);
    read_both(&world);
    assert_int_equal(by_kernel(&world), 2 * LEN);
    assert_true(world.pair.ab->bulk.pull_from_ns != 0 && world.pair.ba->bulk.pull_from_ns != 0);
    atomic_store(&world.pair.ab->bulk.pull_from_ns, UINT64_MAX);
    atomic_store(&world.pair.ba->bulk.pull_from_ns, UINT64_MAX);
    read_both(&world);
    assert_int_equal(by_kernel(&world), 4 * LEN);
    assert_int_equal(pair_stat(world.pair.a, "bulk_bytes_shared"), 0);
    assert_int_equal(pair_stat(world.pair.b, "bulk_bytes_shared"), 0);
    pair_close(&world.pair);
}

/* ---- help at the end ------------------------------------------------------------------------- */

enum { READS = 4 };

static uint64_t helped(const struct ni *ni)
{
    return pair_stat(ni, "bulk_bytes_shared");
}

/* Both are known to decline. A has asked for some, of which it has copied the first, and B knows of
 * the others, but has one of its own to copy as well. */
static void open_busy(struct world *world)
{
    open_world(world, "0");
    set_far(world);
    atomic_store(&world->pair.ab->bulk.pull_from_ns, UINT64_MAX);
    atomic_store(&world->pair.ba->bulk.pull_from_ns, UINT64_MAX);
    for (unsigned i = 0; i < READS; i++) {
        read_to_a(world);
    }
    (void)ni_progress(world->pair.a);
    read_to_b(world);
    read_to_b(world);
    assert_int_equal(helped(world->pair.b), 0);
}

static void finish_busy(struct world *world)
{
    for (unsigned turns = 0; world->done_a.count < READS || world->done_b.count < 2; turns++) {
        (void)ni_progress(world->pair.a);
        (void)ni_progress(world->pair.b);
        assert_true(turns < TURNS);
    }
    assert_int_equal(pair_stat(world->pair.a, "pending_ops"), 0);
    assert_int_equal(pair_stat(world->pair.b, "pending_ops"), 0);
}

/* B copies its own first, then a's, while a does nothing. */
static void helps_when_done(void **state)
{
    struct world world;
    uint64_t own;

    (void)state;
    open_busy(&world);
    while (world.done_b.count < 2) {
        assert_int_equal(helped(world.pair.b), 0);
        (void)ni_progress(world.pair.b);
    }
    own = pair_stat(world.pair.b, "bulk_bytes_self");
    assert_int_equal(own, 2 * LEN);
    for (unsigned i = 0; i < 10; i++) {
        (void)ni_progress(world.pair.b);
    }
    assert_true(helped(world.pair.b) >= LEN);
    finish_busy(&world);
    assert_memory_equal(to_a, at_b, LEN);
    assert_memory_equal(to_b, at_a, LEN);
    assert_int_equal(by_kernel(&world), (READS + 2) * LEN);
    pair_close(&world.pair);
}

/* What it was asked to help with may be gone when it comes to it. */
static void not_of_what_is_gone(void **state)
{
    struct world world;

    (void)state;
    open_busy(&world);
    (void)ni_progress(world.pair.b);
    assert_int_equal(ni_region_deregister(world.pair.b, world.key_b.handle), NI_OK);
    for (unsigned i = 0; i < 10; i++) {
        (void)ni_progress(world.pair.b);
    }
    assert_int_equal(world.done_b.count, 2);
    assert_int_equal(helped(world.pair.b), 0);
    finish_busy(&world);
    pair_close(&world.pair);
}

/* Who has others to copy for long does not keep more than there are shared copies. */
static void keeps_few(void **state)
{
    struct world world;
    uint32_t most = 0;

    (void)state;
    open_world(&world, "0");
    set_far(&world);
    atomic_store(&world.pair.ab->bulk.pull_from_ns, UINT64_MAX);
    atomic_store(&world.pair.ba->bulk.pull_from_ns, UINT64_MAX);
    ni_work_raise(&world.pair.b->bulk.copying); /* one that never ends */
    for (unsigned round = 0; round < 40; round++) {
        world.done_a = (struct pair_done){0};
        for (unsigned i = 0; i < READS; i++) {
            read_to_a(&world);
        }
        for (unsigned turns = 0; world.done_a.count < READS; turns++) {
            (void)ni_progress(world.pair.a);
            (void)ni_progress(world.pair.b);
            assert_true(turns < TURNS);
        }
        most = ni_work_count(&world.pair.b->bulk.shared_in) > most
                   ? ni_work_count(&world.pair.b->bulk.shared_in)
                   : most;
    }
    assert_true(most != 0 && most <= NI_LANE_SHARED_COPIES);
    ni_work_lower(&world.pair.b->bulk.copying);
    pair_settle(&world.pair);
    assert_int_equal(ni_work_count(&world.pair.b->bulk.shared_in), 0);
    assert_int_equal(helped(world.pair.b), 0);
    pair_close(&world.pair);
}

/* Credits that were seen before say nothing. */
static void old_credits(void **state)
{
    struct world world;

    (void)state;
    open_world(&world, "0");
    ni_probe_credits(world.pair.ab);
    for (unsigned i = 0; i < 100; i++) {
        uint32_t count = world.pair.ab->send.answer_count;

        ni_probe_credits(world.pair.ab);
        assert_int_equal(world.pair.ab->send.answer_count, count);
    }
    pair_close(&world.pair);
}

/* ---- credits of another core ----------------------------------------------------------------- */

static _Atomic bool over;

static void *poll_b(void *arg)
{
    struct world *world = arg;

    while (!atomic_load(&over)) {
        (void)ni_progress(world->pair.b);
    }
    return NULL;
}

static unsigned cores(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

/* B gives the line back from another core, mostly: some load of a's shows how far that is. */
static void new_credits(void **state)
{
    struct world world;
    pthread_t thread;
    unsigned tries = 0;

    (void)state;
    if (cores() < 2) {
        skip();
    }
    open_world(&world, "0");
    atomic_store(&over, false);
    assert_int_equal(pthread_create(&thread, NULL, poll_b, &world), 0);
    while (world.pair.ab->send.answer_count == 0 && tries++ < TURNS) {
        (void)ni_message(world.pair.a, world.pair.ab, 1, 0, NULL, 0, NULL, 0);
        for (unsigned i = 0; i < 20; i++) {
            sched_yield();
        }
        ni_probe_credits(world.pair.ab);
        (void)ni_progress(world.pair.a);
    }
    atomic_store(&over, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(world.pair.ab->send.answer_count != 0);
    assert_true(atomic_load(&world.pair.ab->send.line_ns) != 0);
    assert_true(atomic_load(&world.pair.ab->send.far));
    pair_close(&world.pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(helps_when_done), cmocka_unit_test(not_of_what_is_gone),
        cmocka_unit_test(keeps_few),       cmocka_unit_test(near_both_ways),
        cmocka_unit_test(trials),          cmocka_unit_test(far_one_way),
        cmocka_unit_test(far_both_ways),   cmocka_unit_test(old_credits),
        cmocka_unit_test(new_credits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
