/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite_counters.h"

struct opening {
    struct cnt_place *place;
    int64_t value;
    size_t capacity;
};

static void open_place(struct suite_ni *ni, void *arg)
{
    const struct opening *opening = arg;
    struct cnt_place *place = opening->place;
    struct ni_ack ack = suite_ack(&place->done);

    CHECK(ni_region_memory(ni->ni, place->memory, CNT_MEMORY, NI_ACCESS_ALL, &place->memory_key) ==
          NI_OK);
    CHECK(ni_region_queue(ni->ni, 8, opening->capacity, &place->queue_key) == NI_OK);
    CHECK(ni_counter_create(ni->ni, opening->value, &place->counter_key) == NI_OK);
    CHECK(ni_counter_notify(ni->ni, place->counter_key.handle, &ack) == NI_OK);
}

struct cnt_world *cnt_world_new(struct suite *suite, int64_t value, size_t capacity)
{
    struct cnt_world *world = suite_alloc(suite, sizeof(*world));
    struct opening *opening = suite_alloc(suite, sizeof(*opening));

    world->suite = suite;
    for (unsigned i = 0; i < suite->n; i++) {
        world->places[i].memory = suite_alloc(suite, CNT_MEMORY);
        *opening = (struct opening){&world->places[i], value, capacity};
        suite_call(suite, i, open_place, opening);
    }
    return world;
}

ni_status cnt_set(struct suite_ni *ni, unsigned at, const struct ni_rkey *counter,
                  const struct ni_counter_setting *setting)
{
    struct suite_done done = {0};
    struct ni_ack ack = suite_ack(&done);
    struct ni_peer *peer = at != ni->index ? ni->peers[at] : NULL;
    ni_status status;

    while ((status = ni_counter_set(ni->ni, peer, counter, setting, &ack)) == NI_AGAIN) {
        suite_turn(ni);
    }
    if (status != NI_OK) {
        return status;
    }
    while (atomic_load(&done.count) == 0) {
        suite_turn(ni);
    }
    return (ni_status)atomic_load(&done.status);
}

void cnt_post(struct suite_ni *ni, unsigned at, const struct ni_rkey *counter, int64_t value)
{
    CHECK((at == ni->index ? ni_counter_add(ni->ni, counter->handle, value)
                           : ni_counter_post(ni->ni, ni->peers[at], counter, value)) == NI_OK);
}

uint64_t cnt_pop(struct suite_ni *ni, const struct cnt_world *world)
{
    ni_handle queue = world->places[ni->index].queue_key.handle;
    uint64_t item;
    size_t len;

    while (ni_queue_pop(ni->ni, queue, &item, sizeof(item), &len) == NI_AGAIN) {
        suite_turn(ni);
    }
    return item;
}

int64_t cnt_read(const struct suite_ni *ni, const struct ni_rkey *counter)
{
    int64_t value;

    CHECK(ni_counter_read(ni->ni, counter->handle, &value) == NI_OK);
    return value;
}
