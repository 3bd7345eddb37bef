/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an operation of the NI is made of: packets from either side, and, by running it under
 * valgrind twice with different counts, instructions. Two NIs in one thread, which do nothing but
 * this; memory is not shared, so that all goes through lanes, as between processes.
 *
 *   ni_steps OPERATION [COUNT]
 */
#ifdef HAVE_CONFIG_H
#include "apelink_config.h"
#endif

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apeni/apeni.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

enum { ITEM = 32, ITEMS = 8, COUNTED = 200 };

struct world {
    struct ni *ni[2];
    struct ni_peer *peer[2]; /* the other one */
    struct ni_rkey memory[2], queue, single, multi, counter, counted;
    _Alignas(64) uint64_t bytes[2][COUNTED / 8];
    uint64_t heard, zeros;
    unsigned long count;
};

static void must(ni_status status, const char *what)
{
    if (status != NI_OK) {
        fprintf(stderr, "ni_steps: %s: %s\n", what, ni_status_text(status));
        exit(1);
    }
}

static void on_message(void *arg, const struct ni_message_info *message)
{
    (void)message;
    ++*(uint64_t *)arg;
}

static void on_done(void *arg, ni_status status, uint64_t value)
{
    (void)value;
    must(status, "an operation");
    ++*(uint64_t *)arg;
}

/* It calls a function each time that it reaches zero, and starts anew. */
static void make_counter(struct world *world, int64_t value, struct ni_rkey *counter)
{
    struct ni_ack zero = {.kind = NI_ACK_CALL, .fn = on_done, .arg = &world->zeros};
    struct ni_counter_setting reload = {.flags = NI_COUNTER_RELOAD, .reload = value};

    must(ni_counter_create(world->ni[1], value, counter), "a counter");
    must(ni_counter_set(world->ni[1], NULL, counter, &reload, NULL), "to set it");
    must(ni_counter_notify(world->ni[1], counter->handle, &zero), "a notification");
}

static void setup(struct world *world)
{
    const struct ni_open_attr attr = {.host_processes = 2, .placement = NI_PLACEMENT_TILE};
    char error[256];
    uint8_t blob[NI_BLOB_MAX];

    must(ni_param_set("shm_copy", "copy", "ni_steps", error, sizeof(error)), "a parameter");
    for (unsigned i = 0; i < 2; i++) {
        must(ni_open(&attr, &world->ni[i]), "an NI");
        must(ni_region_memory(world->ni[i], world->bytes[i], sizeof(world->bytes[i]), NI_ACCESS_ALL,
                              &world->memory[i]),
             "a region");
    }
    for (unsigned i = 0; i < 2; i++) {
        must(ni_connect(world->ni[i], blob, ni_address(world->ni[!i], blob, sizeof(blob)),
                        &world->peer[i]),
             "to connect");
    }
    must(ni_region_consumer(world->ni[1], on_message, &world->heard, 0, &world->queue), "a queue");
    must(ni_region_queue(world->ni[1], ITEM, ITEMS, &world->single), "a queue with one reader");
    must(ni_region_multi_queue(world->ni[1], ITEM, ITEMS, 0, NI_ACCESS_READ | NI_ACCESS_WRITE,
                               &world->multi),
         "a queue with many readers");
    make_counter(world, -1, &world->counter);
    make_counter(world, -COUNTED, &world->counted);
}

static struct ni_remote there(const struct world *world)
{
    return (struct ni_remote){.addr = (uintptr_t)world->bytes[1],
                              .key = world->memory[1].key,
                              .handle = world->memory[1].handle};
}

/* ---- operations: what their initiator does --------------------------------------------------- */

static void message(struct world *world)
{
    must(ni_message(world->ni[0], world->peer[0], world->queue.handle, 0, NULL, 0, world->bytes[0],
                    8),
         "a message");
}

static void write_it(struct world *world)
{
    struct ni_remote where = there(world);

    must(ni_write(world->ni[0], world->peer[0], world->bytes[0], 8, &where, NULL), "a write");
}

static void store(struct world *world)
{
    struct ni_remote where = there(world);

    must(ni_store(world->ni[0], world->peer[0], &where, 7, 4), "a store");
    must(ni_store_flush(world->ni[0], world->peer[0]), "to flush");
}

static void load(struct world *world)
{
    static struct ni_loading loading;
    struct ni_remote where = there(world);

    must(ni_load_start(world->ni[0], world->peer[0], &where, 4, &loading), "a load");
}

static void read_it(struct world *world)
{
    static uint64_t done;
    const struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = on_done, .arg = &done};
    struct ni_remote where = there(world);

    must(ni_read(world->ni[0], world->peer[0], world->bytes[0], 8, &where, &ack), "a read");
}

static void add(struct world *world)
{
    must(ni_counter_post(world->ni[0], world->peer[0], &world->counter, 1), "an addition");
}

/* The counter reaches zero with the last of its bytes, and starts anew. */
static void write_counted(struct world *world)
{
    struct ni_remote where = there(world);

    must(ni_write_counted(world->ni[0], world->peer[0], world->bytes[0], COUNTED, &where,
                          &world->counted, NULL),
         "a counted write");
}

/* The item of before is taken first. */
static void enqueue(struct world *world, ni_handle queue)
{
    uint8_t item[ITEM];
    size_t len;
    ni_status status = ni_queue_pop(world->ni[1], queue, item, sizeof(item), &len);

    if (status != NI_AGAIN) {
        must(status, "to take an item");
    }
    must(ni_message(world->ni[0], world->peer[0], queue, 0, NULL, 0, world->bytes[0], ITEM),
         "an item");
}

static void single(struct world *world)
{
    enqueue(world, world->single.handle);
}

static void multi(struct world *world)
{
    enqueue(world, world->multi.handle);
}

/* What a poll takes by itself, to be subtracted. */
static void nothing(struct world *world)
{
    (void)world;
}

static const struct operation {
    const char *name, *help;
    void (*begin)(struct world *world);
} operations[] = {
    {"poll", "nothing: one poll of either side, which is in all others, too", nothing},
    {"message", "8 bytes to a consumer function", message},
    {"write", "8 bytes to memory, without an ack address", write_it},
    {"store", "4 bytes, flushed at once", store},
    {"load", "4 bytes", load},
    {"read", "8 bytes", read_it},
    {"counted", "200 bytes, and a counter that reaches zero with them and calls a function",
     write_counted},
    {"single", "32 bytes to a queue with one reader, who takes those of before", single},
    {"multi", "the same to a queue with many readers, its owner", multi},
    {"add", "1 to a counter that reaches zero and calls a function", add},
};

static uint64_t packets(const struct world *world, unsigned i)
{
    return ni_stat_read(world->ni[i], ni_stat_find("rx_packets"));
}

static void run(struct world *world, const struct operation *operation)
{
    uint64_t there, back;

    /* Lanes are made after some packets. */
    for (unsigned i = 0; i < 100; i++) {
        operation->begin(world);
        for (unsigned turn = 0; turn < 10; turn++) {
            (void)ni_progress(world->ni[turn % 2]);
        }
    }
    there = packets(world, 1);
    back = packets(world, 0);
    for (unsigned long i = 0; i < world->count; i++) {
        operation->begin(world);
        (void)ni_progress(world->ni[1]);
        (void)ni_progress(world->ni[0]);
    }
    printf("%s: %.3f packets there, %.3f back, of each of %lu\n", operation->name,
           (double)(packets(world, 1) - there) / (double)world->count,
           (double)(packets(world, 0) - back) / (double)world->count, world->count);
}

static int usage(FILE *out)
{
    fprintf(
        out,
        "Usage: ni_steps OPERATION [COUNT]\n"
        "Packets of each of COUNT (default 1000) operations between two NIs in one thread.\n\n");
    for (unsigned i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        fprintf(out, "  %-8s %s\n", operations[i].name, operations[i].help);
    }
    return out == stdout ? 0 : 1;
}

int main(int argc, char **argv)
{
    static struct world world = {.count = 1000};
    char *end = "";

    if (argc > 1 && (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0)) {
        return usage(stdout);
    }
    if (argc > 1 && (strcmp(argv[1], "-v") == 0 || strcmp(argv[1], "--version") == 0)) {
        printf("ni_steps (apelink) %s\n", PACKAGE_VERSION);
        return 0;
    }
    if (argc == 3) {
        world.count = strtoul(argv[2], &end, 10);
    }
    if (argc < 2 || argc > 3 || *end != '\0' || world.count == 0 || world.count > 100000000) {
        return usage(stderr);
    }
    for (unsigned i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        if (strcmp(argv[1], operations[i].name) == 0) {
            setup(&world);
            run(&world, &operations[i]);
            ni_close(world.ni[0]);
            ni_close(world.ni[1]);
            return 0;
        }
    }
    fprintf(stderr, "ni_steps: there is no operation '%s'\n", argv[1]);
    return usage(stderr);
}
