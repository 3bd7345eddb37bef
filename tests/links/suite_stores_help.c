/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite_stores.h"

static void open_memory(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;

    CHECK(ni_region_memory(ni->ni, world->memory[ni->index], SUITE_STORES, NI_ACCESS_ALL,
                           &world->rkey[ni->index]) == NI_OK);
}

struct suite_stores *suite_stores_world(struct suite *suite)
{
    struct suite_stores *world = suite_alloc(suite, sizeof(*world));

    for (unsigned i = 0; i < suite->n; i++) {
        world->memory[i] = suite_alloc(suite, SUITE_STORES);
        suite_call(suite, i, open_memory, world);
    }
    return world;
}

struct ni_remote suite_stores_place(const struct suite_stores *world, unsigned i, size_t at)
{
    return suite_remote(world->memory[i] + at, &world->rkey[i]);
}

void suite_store(struct suite_ni *ni, const struct suite_stores *world, unsigned to, size_t at,
                 uint64_t value, unsigned width)
{
    struct ni_remote where = suite_stores_place(world, to, at);
    ni_status status;

    while ((status = ni_store(ni->ni, ni->peers[to], &where, value, width)) == NI_AGAIN) {
        suite_turn(ni);
    }
    CHECK(status == NI_OK);
}

ni_status suite_fence(struct suite_ni *ni, unsigned to)
{
    struct suite_done done = {0};
    struct ni_ack ack = suite_ack(&done);

    CHECK(ni_store_fence(ni->ni, to < SUITE_NIS ? ni->peers[to] : NULL, &ack) == NI_OK);
    while (atomic_load(&done.count) == 0) {
        suite_turn(ni);
    }
    return (ni_status)atomic_load(&done.status);
}

uint64_t suite_load(struct suite_ni *ni, const struct suite_stores *world, unsigned from, size_t at,
                    unsigned width)
{
    struct ni_remote where = suite_stores_place(world, from, at);
    struct ni_loading loading;
    ni_status status;

    while ((status = ni_load_start(ni->ni, ni->peers[from], &where, width, &loading)) == NI_AGAIN) {
        suite_turn(ni);
    }
    CHECK(status == NI_OK);
    while ((status = ni_load_test(&loading)) == NI_INPROGRESS) {
        suite_turn(ni);
    }
    CHECK(status == NI_OK);
    return loading.value;
}

bool suite_stores_packets(const struct suite_ni *ni)
{
    const struct suite_link *link = ni->suite->link;

    return link->mode == SUITE_PROCESSES || link->copy != 0 ||
           suite_is_far(ni->suite, ni->index, 1);
}

static void drop(void *arg, const struct ni_message_info *message)
{
    struct suite_stores *world = arg;

    (void)message;
    atomic_fetch_add(&world->messages, 1);
}

void suite_stores_drop(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;

    CHECK(ni_region_consumer(ni->ni, drop, world, 0, &world->queue) == NI_OK);
}
