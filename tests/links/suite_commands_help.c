/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite_commands.h"

/* What the cases about command regions share. */

static void on_message(void *arg, const struct ni_message_info *message)
{
    struct cmd_world *world = arg;
    uint64_t at = atomic_load(&world->log_count);

    CHECK(message->len <= NI_COMMAND_PAYLOAD && at < CMD_LOG && message->tag == 0);
    world->log_len[at] = message->len;
    memcpy(world->log[at], message->data, message->len);
    atomic_store(&world->log_count, at + 1);
}

static void open_sink(struct suite_ni *ni, void *arg)
{
    struct cmd_world *world = arg;

    CHECK(ni_region_consumer(ni->ni, on_message, world, 0, &world->sink_key) == NI_OK);
    CHECK(ni_region_queue(ni->ni, 0, 16, &world->body_key) == NI_OK);
}

static void open_counter(struct suite_ni *ni, void *arg)
{
    struct cmd_world *world = arg;
    struct ni_rkey rkey;

    CHECK(ni_counter_create(ni->ni, 0, &rkey) == NI_OK);
    world->counter = rkey.handle;
}

struct cmd_world *cmd_world_new(struct suite *suite)
{
    struct cmd_world *world = suite_alloc(suite, sizeof(*world));
    size_t size = (size_t)CMD_SLICE * CMD_SLICES;

    world->suite = suite;
    world->local = suite_alloc(suite, size);
    world->remote = suite_alloc(suite, size);
    world->local_key = suite_region(suite, 0, world->local, size, NI_ACCESS_ALL);
    world->remote_key = suite_region(suite, 1, world->remote, size, NI_ACCESS_ALL);
    suite_call(suite, 1, open_sink, world);
    suite_call(suite, 0, open_counter, world);
    return world;
}

static void open_region(struct suite_ni *ni, void *arg)
{
    struct cmd_region *region = arg;
    struct cmd_world *world = region->world;
    struct ni_rkey secret = world->remote_key;
    const struct ni_rkey *rkeys[] = {&world->remote_key, &world->sink_key, &secret,
                                     &world->body_key};

    secret.key ^= 1;
    CHECK(ni_region_command(ni->ni, region->lines, region->count, region->flags, &region->handle) ==
          NI_OK);
    for (uint16_t i = 0; i < NI_ARRAY_LENGTH(rkeys); i++) {
        uint16_t target;

        CHECK(ni_command_target(ni->ni, region->handle, ni->peers[1], rkeys[i], &target) == NI_OK);
        CHECK(target == i);
    }
}

struct cmd_region *cmd_region_new(struct cmd_world *world, size_t count, unsigned flags)
{
    struct cmd_region *region = suite_alloc(world->suite, sizeof(*region));

    CHECK(count <= CMD_LINES);
    region->world = world;
    region->count = count;
    region->flags = flags;
    region->lines = suite_alloc(world->suite, count * sizeof(*region->lines));
    /* What lies there is nobody's mark. */
    memset((void *)region->lines, 0x01, count * sizeof(*region->lines));
    suite_call(world->suite, 0, open_region, region);
    for (size_t i = 0; i < count; i++) {
        region->command[i].line = &region->lines[i];
    }
    return region;
}

static void close_region(struct suite_ni *ni, void *arg)
{
    struct cmd_region *region = arg;

    CHECK(ni_region_deregister(ni->ni, region->handle) == NI_OK);
}

void cmd_region_end(struct cmd_region *region)
{
    suite_call(region->world->suite, 0, close_region, region);
}

/* ---- tasks ----------------------------------------------------------------------------------- */

void cmd_task_set(struct cmd_world *world, struct cmd_task *task, enum ni_command_op op,
                  size_t slice, uint32_t len, uint64_t seed)
{
    uint8_t *local = world->local + slice * CMD_SLICE;
    uint8_t *remote = world->remote + slice * CMD_SLICE;
    uint8_t payload[NI_COMMAND_PAYLOAD];

    CHECK(slice < CMD_SLICES && len <= CMD_SLICE);
    task->op = op;
    task->slice = slice;
    task->len = len;
    task->seed = seed;
    if (op == NI_COMMAND_MESSAGE) {
        suite_fill(payload, len, seed);
        ni_command_message(&task->descriptor, CMD_SINK, payload, len);
        return;
    }
    suite_fill(op == NI_COMMAND_WRITE ? local : remote, len, seed);
    memset(op == NI_COMMAND_WRITE ? remote : local, 0, len);
    ni_command_copy(&task->descriptor, op, CMD_MEMORY, local, (uintptr_t)remote, len);
}

void cmd_task_random(struct cmd_world *world, struct cmd_task *task, size_t slice, uint64_t seed)
{
    struct ni_rng *rng = &world->suite->rng;
    enum ni_command_op op = (enum ni_command_op)(1 + ni_rng_below(rng, 3));
    uint32_t most = op == NI_COMMAND_MESSAGE ? NI_COMMAND_PAYLOAD : CMD_SLICE;

    /* At least the eight bytes by which it is known. */
    cmd_task_set(world, task, op, slice, 8 + (uint32_t)ni_rng_below(rng, most - 7), seed);
}

uint64_t cmd_task_check(const struct cmd_world *world, const struct cmd_task *task, uint64_t from)
{
    if (task->op == NI_COMMAND_MESSAGE) {
        while (from < atomic_load(&world->log_count) &&
               !(world->log_len[from] == task->len &&
                 suite_filled(world->log[from], task->len, task->seed))) {
            from++;
        }
        CHECK(from < atomic_load(&world->log_count));
    } else {
        const uint8_t *memory = task->op == NI_COMMAND_WRITE ? world->remote : world->local;

        CHECK(suite_filled(memory + task->slice * CMD_SLICE, task->len, task->seed));
    }
    return from;
}

/* ---- steps ----------------------------------------------------------------------------------- */

void cmd_shuffle(struct ni_rng *rng, unsigned *order, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        unsigned j = (unsigned)ni_rng_below(rng, i + 1);

        order[i] = order[j];
        order[j] = i;
    }
}

static void turn_some(struct suite_ni *ni, void *arg)
{
    (void)arg;
    for (int i = 0; i < 5; i++) {
        suite_turn(ni);
    }
}

void cmd_turns(struct suite *suite)
{
    suite_call(suite, 0, turn_some, NULL);
}

static bool has_ended(void *arg)
{
    return ni_command_poll(arg, NULL);
}

struct ni_command_result cmd_wait(struct suite *suite, const struct ni_command *command)
{
    struct ni_command_result result;

    suite_until(suite, has_ended, (void *)(uintptr_t)command);
    CHECK(ni_command_poll(command, &result));
    return result;
}

struct ni_command_result cmd_run(struct cmd_region *region, unsigned line,
                                 const struct ni_descriptor *descriptor)
{
    CHECK(ni_command_begin(&region->command[line]));
    ni_command_compose(&region->command[line], descriptor);
    return cmd_wait(region->world->suite, &region->command[line]);
}
