/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/bulk/throttle.c. */
#include "engine_pair.h"

#include "base/bits.h"
#include "engine/bulk/throttle.h"
#include "engine/core/ni.h"
#include "engine/core/peer.h"

/*
 * Long transfers beside messages: what one pass of progress copies, and that the bytes are right
 * however they were cut, also where a piece fails.
 */

enum { LEN = (8 << 20) + 12345, CHUNK = 512 << 10, PASSES = 100000000 };

struct world {
    struct pair pair;
    struct ni_rkey rkey, at_a, at_b;
    unsigned heard_a, heard_b;
    uint8_t *here, *there;
    struct pair_done done;
};

static void say(struct ni *ni, struct ni_peer *peer, const struct ni_rkey *queue)
{
    assert_int_equal(ni_message(ni, peer, queue->handle, 0, NULL, 0, NULL, 0), NI_OK);
}

static void setup(struct world *world, const char *pass)
{
    *world = (struct world){.here = malloc(LEN), .there = calloc(1, LEN)};
    pair_set("placement", "tile");
    pair_set("bulk_pass", pass);
    pair_set("patience_us", "0");
    pair_open(&world->pair, &(struct pair_attr){.copy = NI_FABRIC_BY_CALL});
    assert_int_equal(
        ni_region_memory(world->pair.b, world->there, LEN, NI_ACCESS_ALL, &world->rkey), NI_OK);
    assert_int_equal(
        ni_region_consumer(world->pair.a, pair_count, &world->heard_a, 0, &world->at_a), NI_OK);
    assert_int_equal(
        ni_region_consumer(world->pair.b, pair_count, &world->heard_b, 0, &world->at_b), NI_OK);
    for (size_t i = 0; i < LEN; i++) {
        world->here[i] = (uint8_t)(i * 5 + i / 4096);
    }
    say(world->pair.a, world->pair.ab, &world->at_b);
    say(world->pair.b, world->pair.ba, &world->at_a);
    pair_settle(&world->pair);
}

static void teardown(struct world *world)
{
    assert_int_equal(pair_stat(world->pair.a, "pending_ops"), 0);
    pair_close(&world->pair);
    free(world->here);
    free(world->there);
}

static void begin(struct world *world)
{
    struct ni_remote remote = pair_remote(world->there, &world->rkey);
    struct ni_ack ack = pair_ack(&world->done);

    assert_int_equal(ni_write(world->pair.a, world->pair.ab, world->here, LEN, &remote, &ack),
                     NI_OK);
}

static void check(const struct world *world)
{
    assert_int_equal(world->done.count, 1);
    assert_int_equal(world->done.status, NI_OK);
    assert_memory_equal(world->here, world->there, LEN);
}

static uint64_t copied(const struct world *world)
{
    return pair_stat(world->pair.a, "bulk_bytes_self") +
           pair_stat(world->pair.b, "bulk_bytes_shared");
}

/* Bytes of one pass of this side. */
static uint64_t pass(const struct world *world, struct ni *ni)
{
    uint64_t before = copied(world);

    (void)ni_progress(ni);
    return copied(world) - before;
}

/* One side hears something before each of its passes: its pieces become small, and stay so; when it
 * is quiet again they grow. The other one hears nothing and copies chunks. */
static void one_side(struct world *world, bool target, const char *limit, uint64_t most)
{
    struct ni *ni;
    uint64_t last = 0, longest = 0;

    setup(world, limit);
    ni = target ? world->pair.b : world->pair.a;
    begin(world);
    for (unsigned pieces = 0, passes = 0; pieces < 40; passes++) {
        uint64_t bytes;

        assert_true(passes < PASSES);
        if (target) {
            say(world->pair.a, world->pair.ab, &world->at_b);
        } else {
            say(world->pair.b, world->pair.ba, &world->at_a);
        }
        bytes = pass(world, ni);
        /* A target copies once when it is asked, and once more in the same pass. */
        assert_true(bytes <= (passes == 0 ? 2 * most : most));
        assert_true(pieces < 8 || bytes <= NI_THROTTLE_LEAST);
        pieces += bytes != 0;
    }
    assert_true((target ? world->heard_b : world->heard_a) > 40);
    for (unsigned passes = 0; world->done.count == 0; passes++) {
        assert_true(passes < PASSES);
        last = pass(world, ni);
        longest = ni_max_u64(longest, last);
        if (target) {
            (void)ni_progress(world->pair.a);
        }
    }
    assert_int_equal(longest, most);
    check(world);
    teardown(world);
}

static void initiator_hears(void **state)
{
    struct world world;

    (void)state;
    one_side(&world, false, "512K", CHUNK);
    one_side(&world, false, "64K", 64 << 10);
}

static void target_hears(void **state)
{
    struct world world;

    (void)state;
    one_side(&world, true, "512K", CHUNK);
    one_side(&world, true, "100000", 100000);
}

/* Without a limit nothing is cut, whatever arrives. */
static void no_limit(void **state)
{
    struct world world;
    uint64_t bytes;

    (void)state;
    setup(&world, "0");
    begin(&world);
    while (world.done.count == 0) {
        say(world.pair.b, world.pair.ba, &world.at_a);
        bytes = pass(&world, world.pair.a);
        assert_true(bytes == 0 || bytes == CHUNK || bytes == LEN % CHUNK);
    }
    check(&world);
    teardown(&world);
}

/* ---- copies that fail ------------------------------------------------------------------------ */

static struct {
    ni_status (*copy)(struct ni_ep *, enum ni_copy_direction, void *, uint64_t, size_t);
    unsigned calls, fail_at;
    ni_status status;
} faulty;

static ni_status copy_or_fail(struct ni_ep *ep, enum ni_copy_direction direction, void *local,
                              uint64_t remote, size_t len)
{
    return ++faulty.calls == faulty.fail_at ? faulty.status
                                            : faulty.copy(ep, direction, local, remote, len);
}

/* The n-th copy of one side fails, in the midst of a chunk or not. The target's failures are mended
 * by the initiator; of its own only that the kernel does not copy, which packets replace. */
static void one_fails(bool target, unsigned fail_at, ni_status failure)
{
    struct world world;
    struct ni_ep *ep;
    const struct ni_link_ops *real;
    struct ni_link_ops ops;

    setup(&world, "64K");
    ep = target ? world.pair.ba->ep : world.pair.ab->ep;
    real = ep->ops;
    ops = *real;
    faulty.copy = ops.copy;
    faulty.calls = 0;
    faulty.fail_at = fail_at;
    faulty.status = failure;
    ops.copy = copy_or_fail;
    ep->ops = &ops;
    begin(&world);
    for (unsigned passes = 0; world.done.count == 0; passes++) {
        assert_true(passes < PASSES);
        if (passes % 3 == 0) {
            say(world.pair.b, world.pair.ba, &world.at_a);
            say(world.pair.a, world.pair.ab, &world.at_b);
        }
        (void)ni_progress(world.pair.b);
        (void)ni_progress(world.pair.a);
    }
    assert_true(faulty.calls >= fail_at);
    if (!target && failure == NI_ERR_BOUNDS) {
        assert_int_equal(world.done.status, NI_ERR_BOUNDS);
    } else {
        check(&world);
    }
    ep->ops = real;
    pair_settle(&world.pair);
    teardown(&world);
}

static void pieces_fail(void **state)
{
    (void)state;
    for (unsigned i = 1; i < 14; i += 3) {
        one_fails(true, i, NI_ERR_UNSUPPORTED);
        one_fails(false, i, NI_ERR_UNSUPPORTED);
    }
    one_fails(true, 9, NI_ERR_BOUNDS);
    one_fails(false, 9, NI_ERR_BOUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(initiator_hears),
        cmocka_unit_test(target_hears),
        cmocka_unit_test(no_limit),
        cmocka_unit_test(pieces_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
