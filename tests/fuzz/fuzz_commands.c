/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wild stores into command regions. The input is a program: each step stores a word of some line,
 * as it comes or with the line's mark and parts that make sense, or lets the NI look. Whatever a
 * descriptor says, only memory that its owner registered is touched, on either side;
 * AddressSanitizer watches the rest. In the end a line that was left alone still works.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <apeni/apeni.h>

#include "base/bits.h"
#include "fuzz_input.h"

enum { REGION = 256, GUARD = 64, LINES = 4, STEPS = 256, WAIT = 100000 };

/* guard, region, guard */
struct side {
    uint8_t before[GUARD];
    uint8_t memory[REGION];
    uint8_t after[GUARD];
};

struct world {
    struct ni_fabric *fabric;
    struct ni *owner, *other;
    struct ni_peer *peer; /* the other, as the owner sees it */
    struct side *local, *remote;
    struct ni_rkey local_key, remote_key, sink, counter, interrupt;
    struct ni_command_line
        *lines; /* LINES that are plain, LINES that are a queue, and a sane one */
    ni_handle plain, queue;
    uint64_t seen;
};

static void consume(void *arg, const struct ni_message_info *message)
{
    struct world *world = arg;

    /* A write may name the queue, too. */
    must(message->len <= REGION, "a message longer than what it may come from");
    for (uint32_t i = 0; i < message->len; i++) {
        world->seen += ((const uint8_t *)message->data)[i];
    }
    world->seen++;
}

static struct side *new_side(void)
{
    struct side *side = aligned_alloc(64, sizeof(*side));

    must(side != NULL, "memory");
    memset(side, 0x5a, sizeof(*side));
    return side;
}

static void check_side(struct side *side)
{
    for (unsigned i = 0; i < GUARD; i++) {
        must(side->before[i] == 0x5a && side->after[i] == 0x5a, "memory outside of the region");
    }
    free(side);
}

static void add_targets(struct world *world, ni_handle command)
{
    struct ni_rkey wrong = world->remote_key;
    uint16_t target;

    wrong.key++;
    must(ni_command_target(world->owner, command, world->peer, &world->remote_key, &target) ==
                 NI_OK &&
             ni_command_target(world->owner, command, world->peer, &world->sink, &target) ==
                 NI_OK &&
             ni_command_target(world->owner, command, world->peer, &wrong, &target) == NI_OK,
         "targets");
}

static void open_plain(struct world *world)
{
    must(ni_region_command(world->owner, world->lines, LINES, 0, &world->plain) == NI_OK, "plain");
    add_targets(world, world->plain);
}

static void setup(struct world *world, int by_packets)
{
    struct ni_fabric_attr fabric = {.no_direct_copy = by_packets};
    struct ni_open_attr attr = {0};
    uint8_t blob[NI_BLOB_MAX];
    int fd;

    memset(world, 0, sizeof(*world));
    ni_log_set_sink(quiet, NULL);
    must(ni_fabric_create(&fabric, &world->fabric) == NI_OK, "fabric");
    attr.fabric = world->fabric;
    must(ni_open(&attr, &world->owner) == NI_OK && ni_open(&attr, &world->other) == NI_OK, "open");
    must(ni_connect(world->owner, blob, ni_address(world->other, blob, sizeof(blob)),
                    &world->peer) == NI_OK,
         "connect");
    world->local = new_side();
    world->remote = new_side();
    world->lines = aligned_alloc(sizeof(*world->lines), (2 * LINES + 1) * sizeof(*world->lines));
    must(world->lines != NULL, "memory");
    must(ni_region_memory(world->owner, world->local->memory, REGION, NI_ACCESS_ALL,
                          &world->local_key) == NI_OK &&
             ni_region_memory(world->other, world->remote->memory, REGION, NI_ACCESS_ALL,
                              &world->remote_key) == NI_OK &&
             ni_region_consumer(world->other, consume, world, 0, &world->sink) == NI_OK &&
             ni_counter_create(world->owner, 0, &world->counter) == NI_OK &&
             ni_interrupt_create(world->owner, &world->interrupt, &fd) == NI_OK &&
             ni_region_command(world->owner, world->lines + LINES, LINES, NI_COMMAND_QUEUE,
                               &world->queue) == NI_OK,
         "regions");
    add_targets(world, world->queue);
    open_plain(world);
}

static void move(struct world *world)
{
    (void)ni_progress(world->owner);
    (void)ni_progress(world->other);
}

/* A region that nothing wild was stored to does its work. */
static void check_sane(struct world *world)
{
    struct ni_command command = {.line = world->lines + (size_t)2 * LINES};
    struct ni_command_result result = {NI_ERR_TIMEOUT, NI_COMMAND_FAILED};
    struct ni_descriptor descriptor;
    ni_handle handle;
    uint64_t before;
    uint16_t target;

    must(ni_region_command(world->owner, command.line, 1, 0, &handle) == NI_OK &&
             ni_command_target(world->owner, handle, world->peer, &world->sink, &target) == NI_OK,
         "sane region");
    for (int i = 0; i < 100; i++) {
        move(world);
    }
    before = world->seen;
    ni_command_message(&descriptor, target, NULL, 0);
    must(ni_command_begin(&command), "begin");
    ni_command_compose(&command, &descriptor);
    for (int i = 0; i < WAIT && (!ni_command_poll(&command, &result) || world->seen == before);
         i++) {
        move(world);
    }
    must(result.status == NI_OK && world->seen == before + 1, "a sane descriptor is not served");
}

static void teardown(struct world *world)
{
    ni_close(world->owner);
    ni_close(world->other);
    ni_fabric_destroy(world->fabric);
    check_side(world->local);
    check_side(world->remote);
    free(world->lines);
}

/* A word that makes more sense than the input can guess. */
static uint32_t help(const struct world *world, unsigned word, uint32_t value, uint8_t choice)
{
    const uint64_t places[] = {(uintptr_t)world->local + value % sizeof(struct side),
                               (uintptr_t)world->remote + value % sizeof(struct side)};
    uint64_t place = places[word >= 6];

    switch (word) {
    case 0:
        return (value & 0x7000) |
               (choice >= 192
                    ? ni_command_head(NI_COMMAND_WRITE_NOTIFY, NI_COMMAND_NOTIFY_BYTES, choice & 3)
                    : ni_command_head((enum ni_command_op)(1 + choice % 3),
                                      choice & 8 ? NI_COMMAND_COPY_BYTES
                                                 : NI_COMMAND_MESSAGE_BYTES + choice / 6,
                                      choice & 3));
    case 1:
        return choice & 1 ? (choice & 4 ? world->interrupt : world->counter).handle
                          : (uint32_t)ni_align_down(place, choice & 2 ? 8 : 1);
    case 3:
        return value % 300;
    case 2:
        return choice & 1 ? 0 : (uint32_t)(place >> 32);
    case 8:
        return (choice & 128 ? value & 0xfffc0000 : 0) | (choice & 3U) |
               (uint32_t)(choice & 12) << 14;
    case 9:
    case 10:
        place = choice & 1 ? 0 : ni_align_down(place, choice & 2 ? 8 : 1);
        return (uint32_t)(word == 9 ? place : place >> 32);
    default:
        return word % 2 == 0 ? (uint32_t)place : (uint32_t)(place >> 32);
    }
}

/* One store: line and word, how, and the value. */
static void store(struct world *world, struct input *in)
{
    uint8_t where[3];
    uint64_t value;
    struct ni_command_line *line;
    unsigned word;

    take(in, where, sizeof(where));
    take(in, &value, sizeof(value));
    line = &world->lines[where[0] % (2 * LINES)];
    word = where[0] / (2 * LINES) % (NI_COMMAND_WORDS + 1);
    if (where[1] & 1) {
        /* The mark as the NI keeps it, unless the input has changed it. */
        value = (ni_command_load(&line->state) & UINT32_MAX) << 32 | (uint32_t)value;
    }
    if (where[1] & 2) {
        value = (value & ~(uint64_t)UINT32_MAX) | help(world, word, (uint32_t)value, where[2]);
    }
    if (word < NI_COMMAND_WORDS) {
        ni_command_publish(&line->word[word], value);
    } else if (where[1] & 4) {
        ni_command_publish(&line->state, value);
    }
}

static void act(struct world *world, uint8_t what)
{
    switch (what >> 4) {
    case 0:
        (void)ni_command_poke(world->owner, what & 8 ? world->plain : world->queue);
        break;
    case 1:
        (void)ni_command_untarget(world->owner, world->plain, what & 3);
        break;
    case 2:
        must(ni_region_deregister(world->owner, world->plain) == NI_OK, "deregister");
        open_plain(world);
        break;
    default:
        move(world);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct world world;
    struct input in = {data, size};
    uint8_t first;

    take(&in, &first, 1);
    setup(&world, first & 1);
    for (unsigned step = 0; step < STEPS && in.left != 0; step++) {
        uint8_t what;

        take(&in, &what, 1);
        if ((what & 3) == 0) {
            act(&world, what);
        } else {
            store(&world, &in);
        }
    }
    check_sane(&world);
    teardown(&world);
    return 0;
}
