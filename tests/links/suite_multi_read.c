/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite_commands.h"
#include "suite_multi.h"

/*
 * Plain Reads of multi-reader queues, by calls and by descriptors: each is a request for one item.
 */

enum { CAPACITY = 4, BYTES = NI_QUEUE_ITEM_MAX };

struct reading {
    struct multi_queue *queue;
    struct ni_rkey rkey;
    struct suite_done done;
    size_t len;
    uint8_t bytes[BYTES];
};

static void read_here(struct suite_ni *ni, void *arg)
{
    struct reading *reading = arg;
    struct ni_remote where = {.key = reading->rkey.key, .handle = reading->rkey.handle};
    struct ni_ack ack = suite_ack(&reading->done);

    CHECK(ni_read(ni->ni, ni->peers[MULTI_OWNER], reading->bytes, reading->len, &where, &ack) ==
          NI_OK);
}

static void move(struct suite_ni *ni, void *arg)
{
    (void)arg;
    suite_turn(ni);
}

static bool is_over(const struct reading *reading)
{
    return atomic_load(&reading->done.count) != 0;
}

/* NI i reads; returns when the owner has seen it, or it is over. */
static struct reading *begin(struct multi_queue *queue, unsigned i, const struct ni_rkey *rkey,
                             size_t len)
{
    struct reading *reading = suite_alloc(queue->suite, sizeof(*reading));
    uint64_t before = multi_stat(queue, "queue_requests");

    *reading = (struct reading){.queue = queue, .rkey = *rkey, .len = len};
    suite_call(queue->suite, i, read_here, reading);
    while (!is_over(reading) && multi_stat(queue, "queue_requests") == before) {
        suite_call(queue->suite, MULTI_OWNER, move, NULL);
        suite_call(queue->suite, i, move, NULL);
    }
    return reading;
}

static ni_status end(struct reading *reading)
{
    suite_until_count(reading->queue->suite, &reading->done.count, 1);
    return (ni_status)atomic_load(&reading->done.status);
}

static void check_item(struct reading *reading, uint64_t seed)
{
    CHECK(end(reading) == NI_OK);
    CHECK(atomic_load(&reading->done.value) == reading->len);
    CHECK(suite_filled(reading->bytes, reading->len, seed));
}

/* ---- items ----------------------------------------------------------------------------------- */

/* Before the item and behind it, in turn with other requests. */
static void items(struct suite *suite)
{
    for (size_t item = 4; item <= BYTES; item *= 2) {
        struct multi_queue *queue = multi_new(suite, item, CAPACITY, 0);
        struct reading *first = begin(queue, 0, &queue->rkey, item), *third;
        struct multi_step *second = multi_ask(queue, 2);

        CHECK(!is_over(first) && !multi_is_over(second));
        third = begin(queue, 2, &queue->rkey, item);
        for (uint64_t seed = 1; seed <= 4; seed++) {
            CHECK(multi_enqueue(queue, (unsigned)seed % suite->n, seed) == NI_OK);
        }
        check_item(first, 1);
        multi_check_item(second, 2);
        check_item(third, 3);
        check_item(begin(queue, 0, &queue->rkey, item), 4);
        CHECK(multi_stat(queue, "queue_requests") == 0);
    }
}

/* ---- descriptors ----------------------------------------------------------------------------- */

struct naming {
    struct cmd_region *region;
    struct multi_queue *queue;
    uint16_t target;
};

static void name_queue(struct suite_ni *ni, void *arg)
{
    struct naming *naming = arg;

    CHECK(ni_command_target(ni->ni, naming->region->handle, ni->peers[MULTI_OWNER],
                            &naming->queue->rkey, &naming->target) == NI_OK);
}

static void descriptors(struct suite *suite)
{
    struct naming *naming = suite_alloc(suite, sizeof(*naming));
    struct cmd_world *world = cmd_world_new(suite);
    struct multi_queue *queue = multi_new(suite, 32, CAPACITY, 0);
    struct cmd_region *region = cmd_region_new(world, 1, 0);
    struct ni_command_result result;
    struct ni_descriptor it;

    naming->region = region;
    naming->queue = queue;
    suite_call(suite, 0, name_queue, naming);
    for (uint64_t seed = 1; seed <= 10; seed++) {
        CHECK(multi_enqueue(queue, 2, seed) == NI_OK);
        ni_command_copy(&it, NI_COMMAND_READ, naming->target, world->local, 0, 32);
        result = cmd_run(region, 0, &it);
        CHECK(result.status == NI_OK && suite_filled(world->local, 32, seed));
    }
    ni_command_copy(&it, NI_COMMAND_READ, naming->target, world->local, 0, 16);
    result = cmd_run(region, 0, &it); /* no item's size */
    CHECK(result.reason == NI_COMMAND_FAILED && result.status == NI_ERR_BOUNDS);
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void open_others(struct suite_ni *ni, void *arg)
{
    struct ni_rkey *rkeys = arg;

    CHECK(ni_region_multi_queue(ni->ni, 16, CAPACITY, 0, NI_ACCESS_WRITE, &rkeys[0]) == NI_OK);
    CHECK(ni_region_queue(ni->ni, 16, CAPACITY, &rkeys[1]) == NI_OK);
}

static void refused(struct suite *suite)
{
    struct multi_queue *queue = multi_new(suite, 16, CAPACITY, 0);
    struct ni_rkey *others = suite_alloc(suite, 2 * sizeof(*others)), wrong = queue->rkey;
    struct reading *waiting[CAPACITY];

    suite_call(suite, MULTI_OWNER, open_others, others);
    wrong.key++;
    CHECK(end(begin(queue, 0, &wrong, 16)) == NI_ERR_KEY);
    CHECK(end(begin(queue, 0, &queue->rkey, 8)) == NI_ERR_BOUNDS);
    CHECK(end(begin(queue, 0, &queue->rkey, 0)) == NI_ERR_BOUNDS);
    CHECK(end(begin(queue, 0, &others[0], 16)) == NI_ERR_ACCESS); /* only to be written */
    CHECK(end(begin(queue, 0, &others[1], 16)) == NI_ERR_ACCESS); /* a single reader: its owner */
    for (unsigned i = 0; i < CAPACITY; i++) {
        waiting[i] = begin(queue, i % 2 * 2, &queue->rkey, 16);
    }
    CHECK(end(begin(queue, 0, &queue->rkey, 16)) == NI_AGAIN); /* too many wait */
    multi_deregister(queue);
    for (unsigned i = 0; i < CAPACITY; i++) {
        CHECK(end(waiting[i]) == NI_ERR_REGION);
    }
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"items", 3, 0, items},
        {"descriptors", 3, 0, descriptors},
        {"refused", 3, 0, refused},
    };

    suite_beside_engines();
    return suite_main(argc, argv, cases, NI_ARRAY_LENGTH(cases));
}
