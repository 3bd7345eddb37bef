/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_pair.h"

#include "engine/core/peer.h"
#include "engine/send/multipath.h"

/* Covers: send/multipath_out.c
 * Rails that cannot be had: transfers go on without, and rails are asked for again, though not with
 * each transfer. */

enum { LEN = 4096 };

static _Alignas(64) uint8_t there[LEN], here[LEN];

struct world {
    struct pair pair;
    struct ni_rkey region;
};

static void open_world(struct world *world)
{
    pair_open(&world->pair, &(struct pair_attr){.copy = NI_FABRIC_BY_PACKETS});
    assert_int_equal(ni_region_memory(world->pair.b, there, LEN, NI_ACCESS_ALL, &world->region),
                     NI_OK);
}

static const struct ni_link_ops *real_ops;
static unsigned rails_asked, rails_refused;

static ni_status rail_of_short_memory(struct ni_ep *ep, unsigned number, struct ni_lane_tx *tx)
{
    rails_asked++;
    return rails_asked <= rails_refused ? NI_ERR_NOMEM : real_ops->rail(ep, number, tx);
}

static void write_spread(struct world *world)
{
    struct ni_remote remote = pair_remote(there, &world->region);
    struct pair_done done = {0};
    struct ni_ack ack = pair_ack(&done);

    assert_int_equal(ni_write(world->pair.a, world->pair.ab, here, LEN, &remote, &ack), NI_OK);
    while (done.count == 0) {
        (void)ni_progress(world->pair.a);
        (void)ni_progress(world->pair.b);
    }
    assert_int_equal(done.status, NI_OK);
}

static void rails_later(void **state)
{
    struct world world;
    struct ni_link_ops ops;
    uint64_t packets[2];

    (void)state;
    pair_set("rails", "2");
    pair_set("segment_size", "256");
    open_world(&world);
    real_ops = world.pair.ab->ep->ops;
    ops = *real_ops;
    ops.rail = rail_of_short_memory;
    world.pair.ab->ep->ops = &ops;
    rails_asked = 0;
    rails_refused = 2;
    for (unsigned i = 0; i < 2 * NI_RAILS_RETRY; i++) {
        write_spread(&world);
        assert_int_equal(rails_asked, i / NI_RAILS_RETRY + 1);
        assert_int_equal(ni_rails(world.pair.a, world.pair.ab, packets, 2), 1);
    }
    write_spread(&world);
    assert_int_equal(ni_rails(world.pair.a, world.pair.ab, packets, 2), 2);
    assert_true(packets[1] != 0);
    world.pair.ab->ep->ops = real_ops;
    pair_close(&world.pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rails_later)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
